#include "serve/protocol/json_values.h"

#include <bit>
#include <cmath>
#include <concepts>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status_macros.h"
#include "runtime/tensor/element_types.h"

namespace dynacc::protocol {
namespace {

constexpr int kMaxDepth = 64;
constexpr int kMaxValues = 100'000;  // besides `data`

// One number of `data` as a T. False if it has none.
bool ConvertFloat(double value, float& to) {
  to = static_cast<float>(value);
  return std::isfinite(to);
}
bool ConvertFloat(double value, double& to) {
  to = value;
  return true;
}
bool ConvertFloat(double value, Half& to) {
  to = ToHalf(value);
  return std::isfinite(ToFloat(to));
}
bool ConvertFloat(double value, BFloat16& to) {
  to = ToBFloat16(value);
  return std::isfinite(ToFloat(to));
}

template <typename T>
constexpr bool kIsFloat = std::is_floating_point_v<T> || ShortFloatType<T>;

// Reads JSON into a RequestJson; its member functions are what the parser calls.
class Reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Reader(RequestJson& out) : out_(out) {}
  const std::string& error() const { return error_; }

  bool null() override {
    if (!numbers_) return Put(nullptr) != nullptr;
    numbers_->AddOther();
    return true;
  }
  bool boolean(bool value) override {
    if (!numbers_) return Put(value) != nullptr;
    numbers_->AddBool(value);
    return true;
  }
  bool number_integer(number_integer_t value) override {
    if (!numbers_) return Put(value) != nullptr;
    numbers_->AddInteger(value);
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (!numbers_) return Put(value) != nullptr;
    numbers_->AddUnsigned(value);
    return true;
  }
  bool number_float(number_float_t value, const string_t&) override {
    if (!numbers_) return Put(value) != nullptr;
    numbers_->AddFloat(value);
    return true;
  }
  bool string(string_t& value) override {
    if (!numbers_) return Put(std::move(value)) != nullptr;
    numbers_->AddOther();
    return true;
  }
  bool binary(binary_t&) override { return Fail("binary JSON"); }

  bool start_object(size_t) override {
    if (numbers_) return Fail("an object in an input's data");
    return Open(nlohmann::json::object());
  }
  bool start_array(size_t) override {
    if (IsDataOfInput()) {
      numbers_ = &out_.data.emplace_back();
      out_.data_of_input.resize(input_ + 1, -1);
      if (out_.data_of_input[input_] >= 0) return Fail("an input with data twice");
      out_.data_of_input[input_] = static_cast<int>(out_.data.size()) - 1;
    }
    if (!numbers_) return Open(nlohmann::json::array());
    if (numbers_->depth() >= kMaxDepth) return Fail("arrays in arrays, too deep");
    numbers_->BeginArray();
    return true;
  }
  bool key(string_t& name) override {
    if (stack_.back()->contains(name)) return Fail(absl::StrCat("'", name, "' twice in an object"));
    key_ = std::move(name);
    return true;
  }
  bool end_object() override {
    stack_.pop_back();
    return true;
  }
  bool end_array() override {
    if (!numbers_) {
      stack_.pop_back();
      return true;
    }
    numbers_->EndArray();
    if (numbers_->depth() == 0) numbers_ = nullptr;
    return true;
  }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::json::exception& error) override {
    absl::string_view text = error.what();
    text = text.substr(text.find("] ") == absl::string_view::npos ? 0 : text.find("] ") + 2);
    return Fail(absl::StrCat("byte ", position, ": ", text));
  }

 private:
  bool Fail(std::string error) {
    if (error_.empty()) error_ = std::move(error);
    return false;
  }

  // Whether the value that begins is inputs[i].data: then `input_` is i.
  bool IsDataOfInput() {
    if (numbers_ || stack_.size() != 3 || key_ != "data" || !stack_[2]->is_object()) return false;
    const auto inputs = out_.root.find("inputs");
    if (inputs == out_.root.end() || &*inputs != stack_[1]) return false;
    input_ = inputs->size() - 1;
    return true;
  }

  nlohmann::json* Put(nlohmann::json value) {
    if (++values_ > kMaxValues) return Fail("too many values besides data"), nullptr;
    if (stack_.empty()) {
      out_.root = std::move(value);
      return &out_.root;
    }
    nlohmann::json& parent = *stack_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }
  // A reference to a child stays valid while it is open: nothing is added to its parent meanwhile.
  bool Open(nlohmann::json value) {
    if (stack_.size() >= kMaxDepth) return Fail("values in values, too deep");
    nlohmann::json* const opened = Put(std::move(value));
    if (opened == nullptr) return false;
    stack_.push_back(opened);
    return true;
  }

  RequestJson& out_;
  std::vector<nlohmann::json*> stack_;
  std::string key_;
  NumberList* numbers_ = nullptr;  // of the `data` that is being read
  size_t input_ = 0;
  int values_ = 0;
  std::string error_;
};

}  // namespace

void NumberList::BecomeFloat() {
  for (uint64_t& bits : bits_) {
    const double value = kind_ == Kind::kUnsigned ? static_cast<double>(bits)
                                                  : static_cast<double>(static_cast<int64_t>(bits));
    bits = std::bit_cast<uint64_t>(value);
  }
  kind_ = Kind::kFloat;
}

void NumberList::Add(Kind kind, uint64_t bits) {
  if (kind_ == Kind::kNone) kind_ = kind;
  has_mixture_ |= (kind_ == Kind::kBool) != (kind == Kind::kBool);
  kind_ = has_mixture_ ? kind_ : kind;
  bits_.push_back(bits);
  ++counts_.back();
  if (leaf_depth_ < 0) leaf_depth_ = depth();
  is_ragged_ |= leaf_depth_ != depth();
}

void NumberList::AddBool(bool value) { Add(Kind::kBool, value ? 1 : 0); }

void NumberList::AddInteger(int64_t value) {
  has_negative_ |= value < 0;
  if (kind_ == Kind::kUnsigned) BecomeFloat();  // no type of integers has both
  if (kind_ == Kind::kFloat) return AddFloat(static_cast<double>(value));
  Add(Kind::kInteger, static_cast<uint64_t>(value));
}

void NumberList::AddUnsigned(uint64_t value) {
  if (kind_ == Kind::kFloat) return AddFloat(static_cast<double>(value));
  const bool is_huge = value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (is_huge && has_negative_) {
    BecomeFloat();
    return AddFloat(static_cast<double>(value));
  }
  Add(is_huge || kind_ == Kind::kUnsigned ? Kind::kUnsigned : Kind::kInteger, value);
}

void NumberList::AddFloat(double value) {
  if (kind_ == Kind::kInteger || kind_ == Kind::kUnsigned) BecomeFloat();
  Add(Kind::kFloat, std::bit_cast<uint64_t>(value));
}

void NumberList::BeginArray() {
  if (!counts_.empty()) {
    ++counts_.back();
    is_ragged_ |= leaf_depth_ >= 0 && depth() >= leaf_depth_;
  }
  counts_.push_back(0);
  if (lengths_.size() < counts_.size()) lengths_.push_back(-1);
}

void NumberList::EndArray() {
  int64_t& length = lengths_[counts_.size() - 1];
  if (length < 0) length = counts_.back();
  is_ragged_ |= length != counts_.back();
  counts_.pop_back();
}

absl::Status NumberList::CheckShape(absl::Span<const int64_t> shape) const {
  DYNACC_ASSIGN_OR_RETURN(const int64_t count, ElementCount(shape), "its shape");
  if (static_cast<int64_t>(bits_.size()) != count) {
    return absl::InvalidArgumentError(absl::StrCat("data has ", bits_.size(),
                                                   " elements, and its shape [",
                                                   absl::StrJoin(shape, ", "), "] has ", count));
  }
  if (is_ragged_) return absl::InvalidArgumentError("data has arrays of different lengths");
  if (count > 0 && lengths_.size() > 1 && absl::MakeConstSpan(lengths_) != shape) {
    return absl::InvalidArgumentError(
        absl::StrCat("data is nested as [", absl::StrJoin(lengths_, ", "), "], and its shape is [",
                     absl::StrJoin(shape, ", "), "]"));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status NumberList::Convert(T* to) const {
  for (size_t i = 0; i < bits_.size(); ++i) {
    const uint64_t bits = bits_[i];
    bool fits = true;
    if constexpr (kIsFloat<T>) {
      const double value = kind_ == Kind::kFloat ? std::bit_cast<double>(bits)
                           : kind_ == Kind::kUnsigned
                               ? static_cast<double>(bits)
                               : static_cast<double>(static_cast<int64_t>(bits));
      fits = ConvertFloat(value, to[i]);
    } else {
      fits = kind_ == Kind::kUnsigned ? std::in_range<T>(bits)
                                      : std::in_range<T>(static_cast<int64_t>(bits));
      to[i] = static_cast<T>(bits);
    }
    if (!fits) return absl::InvalidArgumentError(absl::StrCat("element ", i, " does not fit"));
  }
  return absl::OkStatus();
}

absl::Status NumberList::Fill(Tensor& tensor) const {
  const absl::string_view type = DataTypeName(tensor.type);
  if (has_other_) return absl::InvalidArgumentError("data has something that is no number");
  DYNACC_RETURN_IF_ERROR(CheckShape(tensor.shape));
  const bool wants_bool = tensor.type == DataType::kBool;
  if (!bits_.empty() && (has_mixture_ || (kind_ == Kind::kBool) != wants_bool)) {
    return absl::InvalidArgumentError(
        wants_bool ? "elements of BOOL are true and false"
                   : absl::StrCat("elements of ", type, " are numbers, not true and false"));
  }
  DYNACC_ASSIGN_OR_RETURN(const size_t size, ByteSize(tensor.type, tensor.shape));
  const std::shared_ptr<char[]> bytes(new char[size]);
  absl::Status status;
  const auto convert = [&]<typename T>(T* to) -> absl::Status {
    if (!kIsFloat<T> && kind_ == Kind::kFloat) {
      return absl::InvalidArgumentError(absl::StrCat("elements of ", type, " are whole numbers"));
    }
    return Convert(to);
  };
  switch (tensor.type) {
#define DYNACC_DATA_TYPE(enumerator, name, type, element, c_element) \
  case DataType::enumerator:                                         \
    status = convert(reinterpret_cast<type*>(bytes.get()));          \
    break;
#include "serve/protocol/data_types.def"
#undef DYNACC_DATA_TYPE
  }
  DYNACC_RETURN_IF_ERROR(status);
  SetBytes({bytes.get(), size}, bytes, tensor);
  return absl::OkStatus();
}

absl::StatusOr<RequestJson> ReadRequestJson(absl::string_view text) {
  RequestJson request;
  Reader reader(request);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &reader)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the request is no JSON that can be read: ", reader.error()));
  }
  if (!request.root.is_object()) return absl::InvalidArgumentError("the request is no JSON object");
  return request;
}

}  // namespace dynacc::protocol
