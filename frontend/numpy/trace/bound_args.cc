#include "frontend/numpy/trace/bound_args.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/check.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {

absl::StatusOr<BoundArgs> BoundArgs::Bind(absl::string_view signature, symbolic::Value* self,
                                          const arrays::CallArgs& args) {
  BoundArgs bound;
  size_t positional = std::string::npos;  // how many parameters may be given by position
  bool takes_rest = false;
  for (absl::string_view name : absl::StrSplit(signature, ' ')) {
    if (name == "*") {
      positional = bound.names_.size();
    } else if (absl::ConsumeSuffix(&name, "...")) {
      takes_rest = true;
      positional = bound.names_.size();
    } else {
      bound.names_.emplace_back(name);
    }
  }
  positional = std::min(positional, bound.names_.size());
  bound.values_.assign(bound.names_.size(), nullptr);
  std::vector<symbolic::Value*> given(args.positional.begin(), args.positional.end());
  if (self != nullptr) given.insert(given.begin(), self);
  for (size_t i = 0; i < given.size(); ++i) {
    if (i < positional) {
      bound.values_[i] = given[i];
    } else if (takes_rest) {
      bound.rest_.push_back(given[i]);
    } else {
      return symbolic::GraphBreak("more positional arguments than are known here");
    }
  }
  for (const auto& [name, value] : args.keywords) {
    const auto found = std::find(bound.names_.begin(), bound.names_.end(), name.text());
    if (found == bound.names_.end())
      return symbolic::GraphBreak(absl::StrCat("argument ", name.text()));
    symbolic::Value*& place = bound.values_[found - bound.names_.begin()];
    if (place != nullptr) return symbolic::RaisingBreak("an argument that is given twice");
    place = value;
  }
  return bound;
}

symbolic::Value* BoundArgs::operator[](absl::string_view name) const {
  for (size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return values_[i];
  }
  return nullptr;  // a handler that serves several signatures asks for what some do not have
}

symbolic::Value* BoundArgs::GivenOrNull(absl::string_view name) const {
  symbolic::Value* value = (*this)[name];
  return value == nullptr || IsNone(value) ? nullptr : value;
}

absl::StatusOr<symbolic::Value*> BoundArgs::Required(absl::string_view name) const {
  symbolic::Value* value = (*this)[name];
  if (value == nullptr) return symbolic::RaisingBreak("a call without an argument that it needs");
  return value;
}

absl::StatusOr<symbolic::TensorValue*> BoundArgs::Tensor(absl::string_view name) const {
  auto* tensor = symbolic::As<symbolic::TensorValue>((*this)[name]);
  if (tensor == nullptr)
    return symbolic::GraphBreak("a NumPy function of something that is no array");
  return tensor;
}

absl::StatusOr<bool> BoundArgs::Flag(absl::string_view name, bool otherwise) const {
  symbolic::Value* value = (*this)[name];
  if (value == nullptr) return otherwise;
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  if (constant == nullptr || !PyBool_Check(constant->object.get())) {
    return symbolic::GraphBreak(absl::StrCat("argument ", name, " that is not a constant bool"));
  }
  return constant->object.get() == Py_True;
}

absl::Status BoundArgs::RefuseGiven(absl::string_view name) const {
  if (GivenOrNull(name) == nullptr) return absl::OkStatus();
  return symbolic::GraphBreak(absl::StrCat("argument ", name));
}

absl::Status BoundArgs::RefuseUnlessText(absl::string_view name, absl::string_view text) const {
  symbolic::Value* value = (*this)[name];
  if (value == nullptr) return absl::OkStatus();
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  if (constant != nullptr && PyUnicode_CheckExact(constant->object.get()) &&
      PyUnicode_CompareWithASCIIString(constant->object.get(), std::string(text).c_str()) == 0) {
    return absl::OkStatus();
  }
  return symbolic::GraphBreak(absl::StrCat("argument ", name));
}

}  // namespace dynacc::numpy
