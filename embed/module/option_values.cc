#include "embed/module/option_values.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/compile/compiler.h"
#include "frontend/cpython/ref.h"
#include "runtime/base/nearest_name.h"

namespace dynacc {
namespace {

bool Raise(PyObject* type, absl::string_view message) {
  PyErr_SetString(type, std::string(message).c_str());
  return false;
}

// The value as SetOption takes it; false with a TypeError set.
bool TextOf(const OptionRow& row, PyObject* value, std::string& text) {
  const absl::string_view kind(row.kind);
  const bool is_bool = PyBool_Check(value) != 0;
  if (kind == "Flag" && is_bool) {
    text = value == Py_True ? "1" : "0";
    return true;
  }
  if (kind == "Count" && value == Py_None) return true;
  if (kind == "Count" && PyLong_Check(value) != 0 && !is_bool) {
    const Ref number = Ref::Steal(PyObject_Str(value));
    const char* const digits = number ? PyUnicode_AsUTF8(number.get()) : nullptr;
    if (digits != nullptr) text = digits;
    return digits != nullptr;
  }
  if ((kind == "Text" || kind == "Path") && PyUnicode_Check(value) != 0) {
    const char* const chars = PyUnicode_AsUTF8(value);
    if (chars != nullptr) text = chars;
    return chars != nullptr;
  }
  PyErr_Format(PyExc_TypeError, "dynacc: the option %s is a %s, not %R", row.name,
               kind == "Flag" ? "bool" : kind == "Count" ? "whole number or None" : "str", value);
  return false;
}

}  // namespace

bool ParseOption(const char* name, PyObject* value, OptionOverrides& overrides) {
  const OptionRow* const row = FindOption(name);
  if (row == nullptr || row->scope != OptionScope::kCompilation) {
    std::vector<std::string> names;
    for (const OptionRow& each : OptionTable()) {
      if (each.scope == OptionScope::kCompilation) names.emplace_back(each.name);
    }
    return Raise(PyExc_ValueError, absl::StrCat("dynacc.compile: no option of a compilation is ",
                                                "named '", name, "'", DidYouMean(name, names)));
  }
  std::string text;
  if (!TextOf(*row, value, text)) return false;
  Options checked;
  absl::Status status = SetOption(checked, *row, text);
  if (status.ok() && absl::string_view(row->name) == "target")
    status = compile::CheckTargetName(text);
  if (status.ok() && absl::string_view(row->name) == "disable_passes")
    status = compile::CheckPassNames(text);
  if (!status.ok())
    return Raise(PyExc_ValueError, absl::StrCat("dynacc.compile: ", status.message()));
  overrides.values.emplace_back(row, std::move(text));
  return true;
}

}  // namespace dynacc
