#include "serve/protocol/tensor.h"

#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/tensor/element_types.h"

namespace dynacc::protocol {
namespace {

constexpr int64_t kMostElementBytes = 8;
#define DYNACC_DATA_TYPE(enumerator, name, type, element, c_element) \
  static_assert(sizeof(type) <= kMostElementBytes);
#include "serve/protocol/data_types.def"
#undef DYNACC_DATA_TYPE

// The elements of a strided array in C order.
void CopyInOrder(const char* from, absl::Span<const int64_t> shape,
                 absl::Span<const int64_t> strides, size_t element_size, char*& to) {
  if (shape.empty()) {
    std::memcpy(to, from, element_size);
    to += element_size;
    return;
  }
  for (int64_t i = 0; i < shape[0]; ++i) {
    CopyInOrder(from + i * strides[0], shape.subspan(1), strides.subspan(1), element_size, to);
  }
}

}  // namespace

absl::string_view DataTypeName(DataType type) {
  switch (type) {
#define DYNACC_DATA_TYPE(enumerator, name, type, element, c_element) \
  case DataType::enumerator:                                         \
    return name;
#include "serve/protocol/data_types.def"
#undef DYNACC_DATA_TYPE
  }
  return "";
}

std::optional<DataType> DataTypeOf(absl::string_view name) {
#define DYNACC_DATA_TYPE(enumerator, text, type, element, c_element) \
  if (name == text) return DataType::enumerator;
#include "serve/protocol/data_types.def"
#undef DYNACC_DATA_TYPE
  return std::nullopt;
}

size_t ElementSize(DataType type) {
  switch (type) {
#define DYNACC_DATA_TYPE(enumerator, name, type, element, c_element) \
  case DataType::enumerator:                                         \
    return sizeof(type);
#include "serve/protocol/data_types.def"
#undef DYNACC_DATA_TYPE
  }
  return 0;
}

// Sizes of 0 are left out: strides are products of the others, and NumPy counts so, too.
absl::StatusOr<int64_t> ElementCount(absl::Span<const int64_t> shape) {
  int64_t bytes = kMostElementBytes;
  bool fits = true;
  bool is_empty = false;
  for (const int64_t size : shape) {
    if (size < 0) return absl::InvalidArgumentError(absl::StrCat("a size of ", size));
    is_empty |= size == 0;
    fits = fits && (size == 0 || !__builtin_mul_overflow(bytes, size, &bytes));
  }
  if (!fits) return absl::InvalidArgumentError("more elements than can be counted");
  return is_empty ? 0 : bytes / kMostElementBytes;
}

absl::StatusOr<size_t> ByteSize(DataType type, absl::Span<const int64_t> shape) {
  const absl::StatusOr<int64_t> count = ElementCount(shape);
  if (!count.ok()) return count.status();
  return static_cast<size_t>(*count) * ElementSize(type);
}

void SetBytes(absl::string_view bytes, std::shared_ptr<const void> owner, Tensor& tensor) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % ElementSize(tensor.type) != 0) {
    const std::shared_ptr<char[]> copy(new char[bytes.size()]);
    std::memcpy(copy.get(), bytes.data(), bytes.size());
    bytes = {copy.get(), bytes.size()};
    owner = copy;
  }
  tensor.bytes = bytes;
  tensor.owner = std::move(owner);
}

absl::StatusOr<Tensor> CopyOf(std::string name, DataType type, const void* data,
                              absl::Span<const int64_t> shape, absl::Span<const int64_t> strides) {
  DYNACC_ASSIGN_OR_RETURN(const size_t size, ByteSize(type, shape));
  const std::shared_ptr<char[]> copy(new char[size]);
  char* to = copy.get();
  if (size > 0) {
    CopyInOrder(static_cast<const char*>(data), shape, strides, ElementSize(type), to);
  }
  return Tensor{std::move(name), type, {shape.begin(), shape.end()}, {copy.get(), size}, copy};
}

}  // namespace dynacc::protocol
