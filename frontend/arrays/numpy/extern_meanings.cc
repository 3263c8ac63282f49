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
struct FunctionName {
  const char* module;
  const char* owner;  // in the module; "": the module itself
  const char* name;
};

struct ScanRow {
  FunctionName function;
  bool multiplies;
  std::optional<int> axis;  // where none is given
};
constexpr ScanRow kScans[] = {
    {{"numpy", "", "cumsum"}, false, std::nullopt},
    {{"numpy", "", "cumprod"}, true, std::nullopt},
    {{"numpy", "ndarray", "cumsum"}, false, std::nullopt},
    {{"numpy", "ndarray", "cumprod"}, true, std::nullopt},
    {{"numpy", "add", "accumulate"}, false, 0},
    {{"numpy", "multiply", "accumulate"}, true, 0},
};

struct TakeRow {
  FunctionName function;
  bool is_flat;
};
constexpr TakeRow kTakes[] = {
    {{"_operator", "", "getitem"}, false},
    {{"numpy", "", "take"}, true},
    {{"numpy", "ndarray", "take"}, true},
};

Ref FunctionOf(const FunctionName& name) {
  Ref owner = Ref::Steal(PyImport_ImportModule(name.module));
  if (owner && *name.owner != '\0') {
    owner = Ref::Steal(PyObject_GetAttrString(owner.get(), name.owner));
  }
  return owner ? Ref::Steal(PyObject_GetAttrString(owner.get(), name.name)) : Ref();
}

template <typename Row>
std::vector<Ref> FunctionsOf(absl::Span<const Row> rows) {
  std::vector<Ref> made;
  for (const Row& row : rows) made.push_back(FunctionOf(row.function));
  PyErr_Clear();
  return made;
}

template <typename Row>
const Row* FindRow(absl::Span<const Row> rows, const std::vector<Ref>& functions,
                   BorrowedRef callable) {
  for (size_t i = 0; i < functions.size(); ++i) {
    if (!functions[i]) continue;
    // A ufunc's method is a new object each time it is asked for.
    const int same = PyObject_RichCompareBool(functions[i].get(), callable, Py_EQ);
    if (same < 0) PyErr_Clear();
    if (same > 0) return &rows[i];
  }
  return nullptr;
}

const ScanRow* FindScan(BorrowedRef callable) {
  static const auto& functions = *new std::vector<Ref>(FunctionsOf<ScanRow>(kScans));
  return FindRow<ScanRow>(kScans, functions, callable);
}

const TakeRow* FindTake(BorrowedRef callable) {
  static const auto& functions = *new std::vector<Ref>(FunctionsOf<TakeRow>(kTakes));
  return FindRow<TakeRow>(kTakes, functions, callable);
}

bool IsArray(const ExternArg& argument, int operand) {
  return argument.kind == Kind::kArray && argument.operand == operand;
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
  if (!IsArray(call.positional[0], 0)) return std::nullopt;
  const ScanRow* const row = FindScan(call.callable.get());
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

std::optional<ExternTake> TakeOf(const ExternCall& call) {
  if (call.item >= 0 || call.draw > 0 || call.gives_scalar || call.gives_number ||
      call.positional.size() != 2 || !call.keywords.empty()) {
    return std::nullopt;
  }
  if (!IsArray(call.positional[0], 0) || !IsArray(call.positional[1], 1)) return std::nullopt;
  const TakeRow* const row = FindTake(call.callable.get());
  if (row == nullptr) return std::nullopt;
  return ExternTake{row->is_flat};
}

}  // namespace dynacc
