// Value: what functions take and return.
//
// Host to Python: None, bool, int, float, str, list, dict, an array, a callable, and any object
// that came from Python before. Python to host: the same; tuples come as lists, NumPy scalars as
// numbers, and every object that has no form of its own as an Object.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

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

using List = std::vector<Value>;
// Pairs in insertion order, as in a Python dict. Only dicts whose keys are all strings come as one.
using Dict = std::vector<std::pair<std::string, Value>>;

class DYNACC_EXPORT Value {
 public:
  Value() = default;  // None
  // NOLINTBEGIN(google-explicit-constructor): arguments are written as they are, f.Call({1, "x"}).
  Value(bool value) : value_(value) {}
  Value(int value) : value_(static_cast<int64_t>(value)) {}
  Value(int64_t value) : value_(value) {}
  Value(double value) : value_(value) {}
  Value(const char* value) : value_(std::string(value)) {}  // UTF-8
  Value(std::string value) : value_(std::move(value)) {}    // UTF-8
  Value(TensorView value) : value_(std::move(value)) {}
  Value(Tensor value) : value_(std::move(value)) {}
  Value(List value) : value_(std::move(value)) {}
  Value(Dict value);
  Value(Object value) : value_(std::move(value)) {}
  Value(const Function& value);
  // NOLINTEND(google-explicit-constructor)

  // Whether the value is a T: bool, int64_t, double, std::string, TensorView, Tensor, List, Dict or
  // Object. A callable is an Object.
  template <typename T>
  bool Is() const {
    return std::holds_alternative<T>(value_);
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
  std::variant<std::monostate, bool, int64_t, double, std::string, TensorView, Tensor, List, Dict,
               Object>
      value_;
};

inline Value::Value(Dict value) : value_(std::move(value)) {}

}  // namespace v0
}  // namespace dynacc
