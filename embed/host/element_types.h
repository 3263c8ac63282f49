// The table of element types that cross between the host and Python (element_types.def).
#pragma once

#include <cstdint>
#include <optional>

#include "embed/include/dynacc/tensor.h"
#include "runtime/tensor/dtype.h"

namespace dynacc {

struct ElementRow {
  char kind;          // as in array_struct.h; n, p, q: NumPy lacks it
  int64_t size;       // bytes
  int64_t alignment;  // bytes
};

// Null for a number that names no type.
const ElementRow* RowOf(ElementType type);

// The type of that kind and size; nullopt without one.
std::optional<ElementType> ElementTypeOf(char kind, int64_t size);

// What kernels call these elements, and back; `type` names a type. Both tables have the same rows.
DType DTypeOf(ElementType type);
ElementType ElementTypeOf(DType dtype);

}  // namespace dynacc
