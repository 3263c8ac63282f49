// The table of element types that cross between the host and Python (element_types.def).
#pragma once

#include <cstdint>
#include <optional>

#include "embed/include/dynacc/tensor.h"

namespace dynacc {

struct ElementRow {
  char kind;          // as in array_struct.h
  int64_t size;       // bytes
  int64_t alignment;  // bytes
};

// Null for a number that names no type.
const ElementRow* RowOf(ElementType type);

// The type of that kind and size; nullopt without one.
std::optional<ElementType> ElementTypeOf(char kind, int64_t size);

}  // namespace dynacc
