#include "embed/host/element_types.h"

#include <iterator>

namespace dynacc {
namespace {

constexpr ElementRow kRows[] = {
#define DYNACC_ELEMENT(name, kind, size, alignment) {kind, size, alignment},
#include "embed/host/element_types.def"
#undef DYNACC_ELEMENT
};

enum RowNumber {
#define DYNACC_ELEMENT(name, kind, size, alignment) kRow##name,
#include "embed/host/element_types.def"
#undef DYNACC_ELEMENT
};

#define DYNACC_ELEMENT(name, kind, size, alignment) \
  static_assert(static_cast<int>(ElementType::k##name) == kRow##name);
#include "embed/host/element_types.def"
#undef DYNACC_ELEMENT

}  // namespace

const ElementRow* RowOf(ElementType type) {
  const auto number = static_cast<size_t>(type);
  return number < std::size(kRows) ? &kRows[number] : nullptr;
}

std::optional<ElementType> ElementTypeOf(char kind, int64_t size) {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].kind == kind && kRows[i].size == size) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

int64_t ElementSize(ElementType type) {
  const ElementRow* row = RowOf(type);
  return row == nullptr ? 0 : row->size;
}

}  // namespace dynacc
