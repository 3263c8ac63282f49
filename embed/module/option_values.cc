#include "embed/module/option_values.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "codegen/compile/option_names.h"
#include "frontend/cpython/ref.h"
#include "runtime/base/log.h"
#include "runtime/base/name_list.h"
#include "runtime/base/nearest_name.h"
#include "runtime/base/status_macros.h"

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
               kind == "Flag"    ? "bool"
               : kind == "Count" ? "whole number or None"
                                 : "str",
               value);
  return false;
}

// A pass or fusion rule as an option: "fuse-rows" is fuse_rows.
const compile::PassInfo* FindPass(absl::string_view name) {
  for (const compile::PassInfo& pass : compile::PassInfos()) {
    if (absl::StrReplaceAll(pass.name, {{"-", "_"}}) == name) return &pass;
  }
  return nullptr;
}

// Those of at least that scope, and of passes.
std::vector<std::string> NamesOf(OptionScope least) {
  std::vector<std::string> names;
  for (const OptionRow& each : OptionTable()) {
    if (each.scope >= least) names.emplace_back(each.name);
  }
  for (const compile::PassInfo& pass : compile::PassInfos())
    names.push_back(absl::StrReplaceAll(pass.name, {{"-", "_"}}));
  return names;
}

bool RaiseUnknown(const char* caller, absl::string_view name, OptionScope least) {
  return Raise(PyExc_ValueError, absl::StrCat(caller, ": there is no option '", name, "'",
                                              DidYouMean(name, NamesOf(least))));
}

bool RaiseOfProcess(const char* caller, absl::string_view name, absl::string_view place) {
  return Raise(PyExc_ValueError,
               absl::StrCat(caller, ": the option ", name, " is the whole process's: set ", place));
}

bool ParsePass(const compile::PassInfo& pass, const char* name, PyObject* value,
               OptionOverrides& overrides) {
  if (PyBool_Check(value) == 0) {
    PyErr_Format(PyExc_TypeError, "dynacc: the option %s is a bool, not %R", name, value);
    return false;
  }
  overrides.passes.emplace_back(pass.name, value == Py_True);
  return true;
}

absl::Status CheckValue(const OptionRow& row, const std::string& text) {
  Options checked;
  DYNACC_RETURN_IF_ERROR(SetOption(checked, row, text));
  if (absl::string_view(row.name) == "target") return compile::CheckTargetName(text);
  if (absl::string_view(row.name) == "disable_passes") return compile::CheckPassNames(text);
  return compile::CheckKernelForm(checked);
}

// What every value of an option goes through; false with an exception set.
bool ParseValue(const char* caller, const OptionRow& row, PyObject* value, std::string& text) {
  if (!TextOf(row, value, text)) return false;
  const absl::Status status = CheckValue(row, text);
  if (status.ok()) return true;
  return Raise(PyExc_ValueError, absl::StrCat(caller, ": ", status.message()));
}

const char* ScopeName(OptionScope scope) {
  switch (scope) {
    case OptionScope::kStart:
      return "start";
    case OptionScope::kProcess:
      return "process";
    case OptionScope::kCompilation:
      return "compilation";
  }
  return "";
}

Ref ValueObject(const OptionRow& row, const std::string& text) {
  const absl::string_view kind(row.kind);
  if (kind == "Flag") return Ref::Steal(PyBool_FromLong(text == "1"));
  if (kind == "Count" && text.empty()) return Ref::New(Py_None);
  if (kind == "Count") return Ref::Steal(PyLong_FromString(text.c_str(), nullptr, 10));
  return Ref::Steal(PyUnicode_DecodeFSDefaultAndSize(text.data(), text.size()));
}

// False with an exception set.
bool AppendRow(const Ref& list, const char* name, const char* kind, const char* scope,
               const char* variable, const char* doc, const Ref& value) {
  if (!value) return false;
  const Ref row =
      Ref::Steal(Py_BuildValue("(sssssO)", name, kind, scope, variable, doc, value.get()));
  return row && PyList_Append(list.get(), row.get()) == 0;
}

}  // namespace

bool ParseOption(const char* name, PyObject* value, OptionOverrides& overrides) {
  constexpr const char* kCaller = "dynacc.compile";
  if (const compile::PassInfo* const pass = FindPass(name)) {
    return pass->of_process ? RaiseOfProcess(kCaller, name, "dynacc.config")
                            : ParsePass(*pass, name, value, overrides);
  }
  const OptionRow* const row = FindOption(name);
  if (row == nullptr) return RaiseUnknown(kCaller, name, OptionScope::kCompilation);
  if (row->scope == OptionScope::kProcess) return RaiseOfProcess(kCaller, name, "dynacc.config");
  if (row->scope == OptionScope::kStart)
    return RaiseOfProcess(kCaller, name, absl::StrCat(row->variable, " before it starts"));
  std::string text;
  if (!ParseValue(kCaller, *row, value, text)) return false;
  overrides.values.emplace_back(row, std::move(text));
  return true;
}

PyObject* ListOptions() {
  const Ref list = Ref::Steal(PyList_New(0));
  if (!list) return nullptr;
  const Options& options = ProcessOptions();
  for (const OptionRow& row : OptionTable()) {
    if (!AppendRow(list, row.name, row.kind, ScopeName(row.scope), row.variable, row.doc,
                   ValueObject(row, OptionText(options, row)))) {
      return nullptr;
    }
  }
  const std::vector<std::string> off = NamesIn(options.disable_passes);
  for (const compile::PassInfo& pass : compile::PassInfos()) {
    const std::string name = absl::StrReplaceAll(pass.name, {{"-", "_"}});
    const bool is_on = !absl::c_linear_search(off, pass.name);
    if (!AppendRow(list, name.c_str(), "Flag", pass.of_process ? "process" : "compilation", "",
                   pass.doc, Ref::Steal(PyBool_FromLong(is_on)))) {
      return nullptr;
    }
  }
  return Ref(list).Release();
}

bool SetProcessOption(const char* name, PyObject* value) {
  constexpr const char* kCaller = "dynacc.config";
  Options options = ProcessOptions();
  OptionOverrides overrides;
  if (const compile::PassInfo* const pass = FindPass(name)) {
    if (!ParsePass(*pass, name, value, overrides)) return false;
    ReplaceProcessOptions(overrides.Over(options));
    return true;
  }
  const OptionRow* const row = FindOption(name);
  if (row == nullptr) return RaiseUnknown(kCaller, name, OptionScope::kProcess);
  if (row->scope == OptionScope::kStart) {
    return Raise(PyExc_ValueError,
                 absl::StrCat(kCaller, ": the option ", name,
                              " is read when the process starts, from ", row->variable));
  }
  std::string text;
  if (!ParseValue(kCaller, *row, value, text)) return false;
  SetOption(options, *row, text).IgnoreError();  // checked
  if (absl::string_view(row->name) == "logs") {
    const absl::Status status = ConfigureLogs(text);
    if (!status.ok()) {
      ConfigureLogs(ProcessOptions().logs).IgnoreError();  // as they were
      return Raise(PyExc_ValueError, absl::StrCat(kCaller, ": ", status.message()));
    }
  }
  ReplaceProcessOptions(options);
  return true;
}

}  // namespace dynacc
