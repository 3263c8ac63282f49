#include "embed/host/element_types.h"

#include <array>
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

constexpr char kKindLetters[] = {'b', 'i', 'u', 'f', 'c'};  // by DTypeKind

constexpr bool IsSame(const ElementRow& row, const DTypeInfo& info) {
  const char kind = info.numpy == 0 ? 'n' : kKindLetters[static_cast<int>(info.kind)];
  return row.kind == kind && row.size == info.size;
}

// The number of the row of `rows` that has the same elements.
template <typename Rows, typename Same>
constexpr int NumberOf(const Rows& rows, const Same& same) {
  int number = 0;
  while (!same(rows[number])) ++number;  // past the end: does not compile
  return number;
}

constexpr int kNumElements = std::size(kRows);
static_assert(kNumElements == kNumDTypes);

constexpr auto kDTypes = [] {
  std::array<DType, kNumElements> dtypes{};
  for (int i = 0; i < kNumElements; ++i) {
    dtypes[i] = static_cast<DType>(
        NumberOf(kDTypeInfo, [i](const DTypeInfo& info) { return IsSame(kRows[i], info); }));
  }
  return dtypes;
}();

constexpr auto kElements = [] {
  std::array<ElementType, kNumDTypes> types{};
  for (int i = 0; i < kNumDTypes; ++i) {
    types[i] = static_cast<ElementType>(
        NumberOf(kRows, [i](const ElementRow& row) { return IsSame(row, kDTypeInfo[i]); }));
  }
  return types;
}();

}  // namespace

DType DTypeOf(ElementType type) { return kDTypes[static_cast<int>(type)]; }
ElementType ElementTypeOf(DType dtype) { return kElements[static_cast<int>(dtype)]; }

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

int64_t v0::ElementSize(ElementType type) {
  const ElementRow* row = RowOf(type);
  return row == nullptr ? 0 : row->size;
}

}  // namespace dynacc
