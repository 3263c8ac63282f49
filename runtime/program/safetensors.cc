#include "runtime/program/safetensors.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "runtime/base/status_macros.h"

namespace dynacc::program {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kMaxHeader = 100'000'000;  // the format's own bound
constexpr size_t kMaxAxes = 8;

struct Name {
  DType dtype;
  const char* name;
};
constexpr Name kNames[] = {{DType::kBool, "BOOL"},         {DType::kInt8, "I8"},
                           {DType::kInt16, "I16"},         {DType::kInt32, "I32"},
                           {DType::kInt64, "I64"},         {DType::kUInt8, "U8"},
                           {DType::kUInt16, "U16"},        {DType::kUInt32, "U32"},
                           {DType::kUInt64, "U64"},        {DType::kFloat16, "F16"},
                           {DType::kBFloat16, "BF16"},     {DType::kFloat32, "F32"},
                           {DType::kFloat64, "F64"},       {DType::kFloat8E4M3FN, "F8_E4M3"},
                           {DType::kFloat8E5M2, "F8_E5M2"}};

std::optional<DType> TypeNamed(const std::string& name) {
  for (const Name& row : kNames) {
    if (name == row.name) return row.dtype;
  }
  return std::nullopt;
}

absl::Status Bad(absl::string_view name, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("array '", name, "': ", what));
}

std::optional<std::vector<uint64_t>> NumbersOf(const Json& object, const char* member) {
  const auto found = object.find(member);
  if (found == object.end() || !found->is_array()) return std::nullopt;
  std::vector<uint64_t> numbers;
  for (const Json& number : *found) {
    if (!number.is_number_unsigned()) return std::nullopt;
    numbers.push_back(number.get<uint64_t>());
  }
  return numbers;
}

// Nothing for a dtype that is none of ours.
absl::StatusOr<std::optional<NamedArray>> ReadOne(const std::string& name, const Json& entry,
                                                  absl::string_view data) {
  if (!entry.is_object()) return Bad(name, "no object");
  const auto dtype = entry.find("dtype");
  const auto shape = NumbersOf(entry, "shape"), offsets = NumbersOf(entry, "data_offsets");
  if (dtype == entry.end() || !dtype->is_string() || !shape || !offsets || offsets->size() != 2) {
    return Bad(name, "no dtype, shape or data_offsets");
  }
  const uint64_t begin = (*offsets)[0], end = (*offsets)[1];
  if (begin > end || end > data.size()) return Bad(name, "it lies outside of the file");
  const std::optional<DType> type = TypeNamed(dtype->get<std::string>());
  if (!type || shape->size() > kMaxAxes) return std::optional<NamedArray>();
  NamedArray array = {name, *type, {}, data.substr(begin, end - begin)};
  uint64_t bytes = static_cast<uint64_t>(ItemSize(*type));
  for (const uint64_t size : *shape) {
    const bool fits = size <= INT64_MAX && !__builtin_mul_overflow(bytes, size, &bytes);
    if (!fits) return Bad(name, "more elements than there are bytes");
    array.shape.push_back(static_cast<int64_t>(size));
  }
  if (bytes != array.bytes.size()) return Bad(name, "its bytes are not those of its shape");
  return std::optional(std::move(array));
}

}  // namespace

const char* SafeName(DType dtype) {
  const auto* const found = std::find_if(std::begin(kNames), std::end(kNames),
                                         [dtype](const Name& row) { return row.dtype == dtype; });
  return found == std::end(kNames) ? nullptr : found->name;
}

absl::StatusOr<std::vector<NamedArray>> ReadSafeTensors(absl::string_view bytes) {
  uint64_t size = 0;
  if (bytes.size() < sizeof size) return absl::InvalidArgumentError("it is no file of safetensors");
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes.remove_prefix(sizeof size);
  if (size > bytes.size() || size > kMaxHeader) {
    return absl::InvalidArgumentError("it is cut off, or no file of safetensors");
  }
  const Json header = Json::parse(bytes.begin(), bytes.begin() + static_cast<int64_t>(size),
                                  nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) return absl::InvalidArgumentError("its header is no JSON object");
  std::vector<NamedArray> arrays;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    DYNACC_ASSIGN_OR_RETURN(std::optional<NamedArray> array,
                            ReadOne(name, entry, bytes.substr(size)));
    if (array) arrays.push_back(*std::move(array));
  }
  return arrays;
}

}  // namespace dynacc::program
