// Value: what functions take and return.
//
// Host to Python: None, bool, int, float, str, list, dict, an array, a callable, and any object
// that came from Python before. Python to host: the same; tuples come as lists, NumPy scalars as
// numbers, and every object that has no form of its own as an Object: integers beyond 64 bits,
// complex numbers, bytes, text that is no UTF-8, arrays whose elements have no ElementType (text,
// dates, records, objects, numbers in foreign byte order), objects of classes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "dynacc/export.h"
#include "dynacc/tensor.h"

namespace dynacc {

// Of the library itself.
class ObjectAccess;
class ValueAccess;

inline namespace v0 {

class Function;
class Value;

// A Python object that the host only carries: it can be handed back to Python, nothing else. Copies
// refer to the same object, which lives at least as long as one of them.
class DYNACC_EXPORT Object {
 private:
  friend class dynacc::ObjectAccess;
  std::shared_ptr<void> handle_;
};

// C++'s integers, but for bool and the types of characters.
template <typename T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                  !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                  !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

template <typename T>
concept StringView = std::same_as<T, std::string_view> || std::same_as<T, absl::string_view>;

using List = std::vector<Value>;
// Pairs in insertion order, as in a Python dict. Only dicts whose keys are all strings come as one.
using Dict = std::vector<std::pair<std::string, Value>>;

class DYNACC_EXPORT Value {
 public:
  Value() = default;  // None
  // NOLINTBEGIN(google-explicit-constructor): arguments are written as they are, f.Call({1, "x"}).
  Value(std::nullptr_t) {}  // None
  template <std::same_as<bool> T>
  Value(T value) : value_(value) {}
  // An int64_t; a uint64_t where it is greater than any of those.
  template <Integer T>
  Value(T value) : value_(static_cast<int64_t>(value)) {
    if (std::cmp_greater(value, std::numeric_limits<int64_t>::max())) {
      value_ = static_cast<uint64_t>(value);
    }
  }
  template <std::floating_point T>
  Value(T value) : value_(static_cast<double>(value)) {}
  // Text is UTF-8. A null pointer is None.
  Value(const char* value) {
    if (value != nullptr) value_ = std::string(value);
  }
  template <StringView T>
  Value(T value) : value_(std::string(value.data(), value.size())) {}
  Value(std::string value) : value_(std::move(value)) {}
  Value(TensorView value) : value_(std::move(value)) {}
  Value(Tensor value) : value_(std::move(value)) {}
  Value(List value) : value_(std::move(value)) {}
  Value(Dict value);
  Value(Object value) : value_(std::move(value)) {}
  Value(const Function& value);
  // NOLINTEND(google-explicit-constructor)

  // Whether the value is a T: bool, int64_t, uint64_t (an int that is no int64_t), double,
  // std::string, TensorView, Tensor, List, Dict or Object. A callable is an Object.
  template <typename T>
  bool Is() const {
    return std::holds_alternative<T>(value_);
  }
  // The T that it is, valid as long as the value is; null if it is none.
  template <typename T>
  const T* GetIf() const {
    return std::get_if<T>(&value_);
  }
  // The T that it is; throws std::bad_variant_access if it is none.
  template <typename T>
  const T& As() const {
    return std::get<T>(value_);
  }
  const Tensor& tensor() const { return As<Tensor>(); }
  bool IsNone() const { return Is<std::monostate>(); }

 private:
  friend class dynacc::ValueAccess;
  std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, TensorView, Tensor,
               List, Dict, Object>
      value_;
};

inline Value::Value(Dict value) : value_(std::move(value)) {}

}  // namespace v0
}  // namespace dynacc
