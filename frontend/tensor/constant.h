// Constants: tensors that never change.
//
// A constant is over memory that nobody else has, and nothing hands that memory out but for
// reading: neither it nor a view of it. So what is made of its elements may be kept
// (runtime/tensor/constant_memory.h), as long as a view of them is there. It is read-only in every
// other respect, too; its copies are tensors like others.
#pragma once

#include "frontend/tensor/tensor_object.h"

namespace dynacc::tensor {

// A constant over the memory of `tensor`, which the caller alone has and gives away. Null with a
// MemoryError.
Ref MakeConstant(Ref tensor);

// Whether it is a constant or a view of one.
bool IsConstant(TensorObject* tensor);

// Whether the tensor may be written to; if not, a ValueError is set: of a constant what to do, else
// `message`.
bool RequireWritable(TensorObject* tensor,
                     const char* message = "assignment destination is read-only");

}  // namespace dynacc::tensor
