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

constexpr char KindOf(DType dtype) {
  if (dtype == DType::kFloat8E4M3FN) return 'p';
  if (dtype == DType::kFloat8E5M2) return 'q';
  return dtype == DType::kBFloat16 ? 'n' : kKindLetters[static_cast<int>(Info(dtype).kind)];
}

constexpr bool IsSame(const ElementRow& row, DType dtype) {
  return row.kind == KindOf(dtype) && row.size == ItemSize(dtype);
}

// The least number that `same` is true of; past the rows' end it does not compile.
template <typename Same>
constexpr int FirstOf(const Same& same) {
  int number = 0;
  while (!same(number)) ++number;
  return number;
}

constexpr int kNumElements = std::size(kRows);
static_assert(kNumElements == kNumDTypes);

constexpr auto kDTypes = [] {
  std::array<DType, kNumElements> dtypes{};
  for (int i = 0; i < kNumElements; ++i) {
    dtypes[i] = static_cast<DType>(
        FirstOf([i](int number) { return IsSame(kRows[i], static_cast<DType>(number)); }));
  }
  return dtypes;
}();

constexpr auto kElements = [] {
  std::array<ElementType, kNumDTypes> types{};
  for (int i = 0; i < kNumDTypes; ++i) {
    types[i] = static_cast<ElementType>(
        FirstOf([i](int number) { return IsSame(kRows[number], static_cast<DType>(i)); }));
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
