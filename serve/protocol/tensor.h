// Tensor: a named array of a request or a response, in C order, in memory that it shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace dynacc::protocol {

enum class DataType {
#define DYNACC_DATA_TYPE(enumerator, name, type, element, c_element) enumerator,
#include "serve/protocol/data_types.def"
#undef DYNACC_DATA_TYPE
};

absl::string_view DataTypeName(DataType type);
std::optional<DataType> DataTypeOf(absl::string_view name);
size_t ElementSize(DataType type);

// The number of elements, or of bytes. INVALID_ARGUMENT for a negative size, or if the product of
// those that are not 0 is more bytes than can be counted, whatever the elements are: what is
// computed from a shape that passes does not overflow.
absl::StatusOr<int64_t> ElementCount(absl::Span<const int64_t> shape);
absl::StatusOr<size_t> ByteSize(DataType type, absl::Span<const int64_t> shape);

struct Tensor {
  std::string name;
  DataType type = DataType::kFp32;
  std::vector<int64_t> shape;
  absl::string_view bytes;            // all elements, aligned as their type asks
  std::shared_ptr<const void> owner;  // of `bytes`
};

// `bytes` with `owner`, or a copy of them if they are not aligned.
void SetBytes(absl::string_view bytes, std::shared_ptr<const void> owner, Tensor& tensor);

// A tensor with a copy of a strided array's elements. INVALID_ARGUMENT as ByteSize.
absl::StatusOr<Tensor> CopyOf(std::string name, DataType type, const void* data,
                              absl::Span<const int64_t> shape, absl::Span<const int64_t> strides);

}  // namespace dynacc::protocol
