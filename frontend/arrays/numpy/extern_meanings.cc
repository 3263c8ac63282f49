#include "frontend/arrays/numpy/extern_meanings.h"

#include <cstring>

#include "frontend/arrays/numpy/numpy_api.h"

namespace dynacc {
namespace {

using Kind = ExternArg::Kind;

bool IsNone(const ExternArg& argument) {
  return argument.kind == Kind::kConstant && argument.constant.get() == Py_None;
}

// A function, by the object that has it and its name there; a method of a class is called with
// itself first.
struct ScanRow {
  const char* owner;  // in numpy; "": numpy itself
  const char* name;
  bool multiplies;
  std::optional<int> axis;  // where none is given
};
constexpr ScanRow kRows[] = {
    {"", "cumsum", false, std::nullopt},
    {"", "cumprod", true, std::nullopt},
    {"ndarray", "cumsum", false, std::nullopt},
    {"ndarray", "cumprod", true, std::nullopt},
    {"add", "accumulate", false, 0},
    {"multiply", "accumulate", true, 0},
};

Ref FunctionOf(const ScanRow& row) {
  Ref owner = Ref::Steal(PyImport_ImportModule("numpy"));
  if (owner && *row.owner != '\0') {
    owner = Ref::Steal(PyObject_GetAttrString(owner.get(), row.owner));
  }
  return owner ? Ref::Steal(PyObject_GetAttrString(owner.get(), row.name)) : Ref();
}

const ScanRow* FindRow(BorrowedRef callable) {
  static const std::vector<Ref>& functions = *[] {
    auto* made = new std::vector<Ref>;
    for (const ScanRow& row : kRows) made->push_back(FunctionOf(row));
    PyErr_Clear();
    return made;
  }();
  for (size_t i = 0; i < functions.size(); ++i) {
    if (!functions[i]) continue;
    // A ufunc's method is a new object each time it is asked for.
    const int same = PyObject_RichCompareBool(functions[i].get(), callable, Py_EQ);
    if (same < 0) PyErr_Clear();
    if (same > 0) return &kRows[i];
  }
  return nullptr;
}

// False: the axis is no number that is known.
bool ReadAxis(const ExternArg& argument, std::optional<int>& axis) {
  if (IsNone(argument)) {
    axis.reset();
    return true;
  }
  if (argument.kind != Kind::kConstant || !PyLong_CheckExact(argument.constant.get())) return false;
  const long value = PyLong_AsLong(argument.constant.get());
  if (value == -1 && PyErr_Occurred()) PyErr_Clear();
  axis = static_cast<int>(value);
  return value >= -kMaxRank && value < kMaxRank;
}

}  // namespace

std::optional<ExternScan> ScanOf(const ExternCall& call) {
  if (call.item >= 0 || call.draw > 0 || call.gives_scalar || call.positional.empty()) {
    return std::nullopt;
  }
  const ExternArg& array = call.positional[0];
  if (array.kind != Kind::kArray || array.operand != 0) return std::nullopt;
  const ScanRow* const row = FindRow(call.callable.get());
  if (row == nullptr) return std::nullopt;
  ExternScan scan = {row->multiplies, row->axis};
  for (size_t i = 1; i < call.positional.size(); ++i) {
    const bool fits = i == 1 ? ReadAxis(call.positional[i], scan.axis) : IsNone(call.positional[i]);
    if (!fits) return std::nullopt;
  }
  for (const auto& [name, argument] : call.keywords) {
    const bool fits = name == "axis" ? ReadAxis(argument, scan.axis) : IsNone(argument);
    if (!fits) return std::nullopt;
  }
  return scan;
}

}  // namespace dynacc
