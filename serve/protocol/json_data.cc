#include "serve/protocol/json_data.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status_macros.h"
#include "runtime/tensor/element_types.h"

namespace dynacc::protocol {
namespace {

namespace ondemand = simdjson::ondemand;

absl::Status Invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

// One element as the type in memory. False if the number does not fit.
bool Convert(double value, double& to) {
  to = value;
  return true;
}
bool Convert(double value, float& to) {
  to = static_cast<float>(value);
  return std::isfinite(to);
}
bool Convert(double value, Half& to) {
  to = ToHalf(value);
  return std::isfinite(ToFloat(to));
}
bool Convert(double value, BFloat16& to) {
  to = ToBFloat16(value);
  return std::isfinite(ToFloat(to));
}
bool Convert(bool value, uint8_t& to) {
  to = value ? 1 : 0;
  return true;
}
template <typename To>
requires std::is_integral_v<To>
bool Convert(int64_t value, To& to) {
  to = static_cast<To>(value);
  return std::in_range<To>(value);
}
template <typename To>
requires std::is_integral_v<To>
bool Convert(uint64_t value, To& to) {
  to = static_cast<To>(value);
  return std::in_range<To>(value);
}

// What JSON's number, or true or false, is read as before it becomes an element.
simdjson::error_code Get(ondemand::value value, double& to) { return value.get_double().get(to); }
simdjson::error_code Get(ondemand::value value, int64_t& to) { return value.get_int64().get(to); }
simdjson::error_code Get(ondemand::value value, uint64_t& to) { return value.get_uint64().get(to); }
simdjson::error_code Get(ondemand::value value, bool& to) { return value.get_bool().get(to); }

// Reads `data` into elements of a T, each as a Read.
template <typename T, typename Read>
class DataReader {
 public:
  DataReader(absl::Span<const int64_t> shape, absl::string_view type, T* to, int64_t count)
      : shape_(shape), type_(type), to_(to), count_(count) {}

  absl::Status ReadAll(ondemand::array data) {
    DYNACC_RETURN_IF_ERROR(ReadArray(data, 0));
    return filled_ == count_ ? absl::OkStatus() : WrongCount(absl::StrCat(filled_));
  }

 private:
  // The numbers of the outermost array stand in C order; or it is nested as the shape says.
  absl::Status ReadArray(ondemand::array array, size_t depth) {
    int64_t items = 0;
    for (simdjson::simdjson_result<ondemand::value> item : array) {
      ondemand::value value;
      ondemand::json_type type;
      if (std::move(item).get(value) || value.type().get(type)) return Malformed();
      if (items == 0 && depth == 0) is_nested_ = type == ondemand::json_type::array;
      if (type == ondemand::json_type::array) {
        ondemand::array inner;
        if (!is_nested_ || depth + 1 >= shape_.size()) return WrongNesting();
        if (value.get_array().get(inner)) return Malformed();
        DYNACC_RETURN_IF_ERROR(ReadArray(inner, depth + 1));
      } else {
        if (is_nested_ && depth + 1 != shape_.size()) return WrongNesting();
        DYNACC_RETURN_IF_ERROR(ReadElement(value, type));
      }
      ++items;
    }
    return is_nested_ && items != shape_[depth] ? WrongNesting() : absl::OkStatus();
  }

  absl::Status ReadElement(ondemand::value value, ondemand::json_type type) {
    if (filled_ == count_) return WrongCount("more");
    Read number;
    if (Get(value, number)) return NoElement(value, type);
    if (!Convert(number, to_[filled_])) {
      return Invalid(absl::StrCat("element ", filled_, " does not fit"));
    }
    ++filled_;
    return absl::OkStatus();
  }

  absl::Status NoElement(ondemand::value value, ondemand::json_type type) const {
    const bool is_number = type == ondemand::json_type::number;
    if (std::is_same_v<Read, bool> && is_number) {
      return Invalid("elements of BOOL are true and false");
    }
    if (type == ondemand::json_type::boolean) {
      return Invalid(absl::StrCat("elements of ", type_, " are numbers, not true and false"));
    }
    double real = 0;
    if (is_number && value.get_double().get(real)) return Malformed();
    if (is_number && real == std::trunc(real)) {
      return Invalid(absl::StrCat("element ", filled_, " does not fit"));
    }
    return Invalid(is_number ? absl::StrCat("elements of ", type_, " are whole numbers")
                             : "data has something that is no number");
  }
  absl::Status Malformed() const {
    return Invalid(absl::StrCat("data is no JSON behind element ", filled_, ", or has a number ",
                                "that no machine has"));
  }
  absl::Status WrongCount(const std::string& found) const {
    return Invalid(absl::StrCat("data has ", found, " elements, and its shape [",
                                absl::StrJoin(shape_, ", "), "] has ", count_));
  }
  absl::Status WrongNesting() const {
    return Invalid(
        absl::StrCat("data is not nested as its shape [", absl::StrJoin(shape_, ", "), "] says"));
  }

  const absl::Span<const int64_t> shape_;
  const absl::string_view type_;
  T* const to_;
  const int64_t count_;
  int64_t filled_ = 0;
  bool is_nested_ = false;
};

template <typename T>
absl::Status ReadAs(ondemand::array data, const Tensor& tensor, int64_t count, char* bytes) {
  T* const to = reinterpret_cast<T*>(bytes);
  const absl::Span<const int64_t> shape = tensor.shape;
  const absl::string_view name = DataTypeName(tensor.type);
  if constexpr (std::is_same_v<T, uint8_t>) {
    if (tensor.type == DataType::kBool) {
      return DataReader<T, bool>(shape, name, to, count).ReadAll(data);
    }
  }
  using Read = std::conditional_t<!std::is_integral_v<T>, double,
                                  std::conditional_t<std::is_unsigned_v<T>, uint64_t, int64_t>>;
  return DataReader<T, Read>(shape, name, to, count).ReadAll(data);
}

}  // namespace

absl::Status ReadData(ondemand::array data, size_t text_size, Tensor& tensor) {
  DYNACC_ASSIGN_OR_RETURN(const int64_t count, ElementCount(tensor.shape), "its shape");
  if (static_cast<uint64_t>(count) > text_size) {
    return Invalid(absl::StrCat("data has not the ", count, " elements of its shape [",
                                absl::StrJoin(tensor.shape, ", "), "]"));
  }
  DYNACC_ASSIGN_OR_RETURN(const size_t size, ByteSize(tensor.type, tensor.shape));
  const std::shared_ptr<char[]> bytes(new char[size]);
  tensor.bytes = {bytes.get(), size};
  tensor.owner = bytes;
  switch (tensor.type) {
#define DYNACC_DATA_TYPE(enumerator, name, type, element, c_element) \
  case DataType::enumerator:                                         \
    return ReadAs<type>(data, tensor, count, bytes.get());
#include "serve/protocol/data_types.def"
#undef DYNACC_DATA_TYPE
  }
  return absl::OkStatus();
}

}  // namespace dynacc::protocol
