// DLPack both ways: tensors as capsules and capsules as tensors, without copies.
#pragma once

#include "frontend/tensor/tensor_object.h"

namespace dynacc::tensor {

// A capsule of the tensor: "dltensor_versioned", or (versioned false) "dltensor", which cannot say
// that memory is read-only. `is_copy`: nobody else has the memory. Null with BufferError.
Ref ExportDlpack(TensorObject* tensor, bool versioned, bool is_copy);

// The tensor over a capsule's memory; the capsule is used up. Null with BufferError for memory or
// elements that no tensor can have.
Ref ImportDlpack(BorrowedRef capsule);

// The value of Tensor.__dlpack_c_exchange_api__: a capsule with the table of C functions.
Ref DlpackExchangeApi();

}  // namespace dynacc::tensor
