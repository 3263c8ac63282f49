// The dtype objects of the native tensors: dynacc.float32 and the like.
//
// One object for each row of dtype.def, made with the type and kept for the life of the process;
// equality is identity. They pickle by name.
#pragma once

#include <optional>

#include "frontend/cpython/ref.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::tensor {

// The name in the Array API standard: "float32".
const char* DTypeName(DType dtype);

// Whether the dtype's kind is among these letters: b(ool), i(nt), u(int), f(loat), c(omplex).
bool IsOfKind(DType dtype, const char* letters);

// Makes the type and its objects. Null with an exception set.
bool MakeDTypeObjects();

// Only after MakeDTypeObjects. Borrowed.
BorrowedRef DTypeObject(DType dtype);
PyTypeObject* DTypeType();

// The dtype of such an object; nothing for any other object, with no exception set.
std::optional<DType> AsDType(BorrowedRef object);

// The same with a TypeError set for any other object.
std::optional<DType> RequireDType(BorrowedRef object);

}  // namespace dynacc::tensor
