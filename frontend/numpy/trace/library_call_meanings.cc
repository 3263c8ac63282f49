#include "frontend/numpy/trace/library_call_meanings.h"

#include <algorithm>

#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/scatter.h"
#include "frontend/numpy/trace/ufuncs.h"

namespace dynacc::numpy {
namespace {

using Kind = LibraryCallArg::Kind;

bool IsNone(const LibraryCallArg& argument) {
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

struct ArgExtremeRow {
  FunctionName function;
  bool least;
};
constexpr ArgExtremeRow kArgExtremes[] = {
    {{"numpy", "", "argmax"}, false},
    {{"numpy", "", "argmin"}, true},
    {{"numpy", "ndarray", "argmax"}, false},
    {{"numpy", "ndarray", "argmin"}, true},
};

struct MeanRow {
  FunctionName function;
};
constexpr MeanRow kMeans[] = {{{"numpy", "", "mean"}}, {{"numpy", "ndarray", "mean"}}};
constexpr absl::string_view kMeanParameters[] = {"a", "axis", "dtype", "out", "keepdims"};

struct TakeRow {
  FunctionName function;
  bool is_flat;
};
constexpr TakeRow kTakes[] = {
    {{"_operator", "", "getitem"}, false},
    {{"numpy", "", "take"}, true},
    {{"numpy", "ndarray", "take"}, true},
};

// Indices that match the array but along an axis; they are no takes.
constexpr TakeRow kTakesAlong[] = {{{"numpy", "", "take_along_axis"}, false}};

struct IntOperatorRow {
  FunctionName function;
  executor::IntOperationCall::Operator op;
  size_t operands;
};
constexpr IntOperatorRow kIntOperators[] = {
#define DYNACC_INT_OPERATOR(Name, name, operands, result) \
  {{"_operator", "", name}, executor::IntOperationCall::Operator::k##Name, operands},
#include "runtime/executor/int_operators.def"
#undef DYNACC_INT_OPERATOR
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

const ArgExtremeRow* FindArgExtreme(BorrowedRef callable) {
  static const auto& functions = *new std::vector<Ref>(FunctionsOf<ArgExtremeRow>(kArgExtremes));
  return FindRow<ArgExtremeRow>(kArgExtremes, functions, callable);
}

bool IsMean(BorrowedRef callable) {
  static const auto& functions = *new std::vector<Ref>(FunctionsOf<MeanRow>(kMeans));
  return FindRow<MeanRow>(kMeans, functions, callable) != nullptr;
}

const TakeRow* FindTake(BorrowedRef callable) {
  static const auto& functions = *new std::vector<Ref>(FunctionsOf<TakeRow>(kTakes));
  return FindRow<TakeRow>(kTakes, functions, callable);
}

bool TakesAlongAxis(BorrowedRef callable) {
  static const auto& functions = *new std::vector<Ref>(FunctionsOf<TakeRow>(kTakesAlong));
  return FindRow<TakeRow>(kTakesAlong, functions, callable) != nullptr;
}

const IntOperatorRow* FindIntOperator(BorrowedRef callable) {
  static const auto& functions = *new std::vector<Ref>(FunctionsOf<IntOperatorRow>(kIntOperators));
  return FindRow<IntOperatorRow>(kIntOperators, functions, callable);
}

bool IsArray(const LibraryCallArg& argument, int operand) {
  return argument.kind == Kind::kArray && argument.operand == operand;
}

// False: the axis is no number that is known.
bool ReadAxis(const LibraryCallArg& argument, std::optional<int>& axis) {
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

// The same of one axis or a tuple of them.
bool ReadAxes(const LibraryCallArg& argument, std::optional<std::vector<int>>& axes) {
  axes.reset();
  if (IsNone(argument)) return true;
  const bool is_tuple = argument.kind == Kind::kTuple;
  if (is_tuple && argument.items.empty()) return false;
  axes.emplace();
  for (const LibraryCallArg& item :
       is_tuple ? argument.items : std::vector<LibraryCallArg>{argument}) {
    std::optional<int> axis;
    if (!ReadAxis(item, axis) || !axis) return false;
    axes->push_back(*axis);
  }
  return true;
}

// Of f(a, axis, ..., axis=...) with nothing else given, but for whether axes are kept and, where
// `dtype_at` is its place, a dtype. False: something else is.
bool ReadAxisArguments(const LibraryCall& call, std::optional<int>& axis, size_t dtype_at = 0) {
  for (size_t i = 1; i < call.positional.size(); ++i) {
    const LibraryCallArg& argument = call.positional[i];
    const bool is_dtype = i == dtype_at && argument.kind == Kind::kConstant;
    if (!(i == 1 ? ReadAxis(argument, axis) : is_dtype || IsNone(argument))) return false;
  }
  for (const auto& [name, argument] : call.keywords) {
    const bool is_dtype = dtype_at != 0 && name == "dtype" && argument.kind == Kind::kConstant;
    const bool fits = name == "axis" ? ReadAxis(argument, axis)
                                     : is_dtype || IsNone(argument) || name == "keepdims";
    if (!fits) return false;
  }
  return true;
}

// Of f(a, axis, dtype, out). Who plans a scan looks at the result's dtype, whoever asked for it.
constexpr size_t kScanDType = 2;

bool IsWholeSlice(const LibraryCallArg& argument) {
  return argument.kind == Kind::kSlice &&
         std::all_of(argument.items.begin(), argument.items.end(), IsNone);
}

std::optional<int64_t> KnownInt(const LibraryCallArg& argument) {
  if (argument.kind != Kind::kConstant || !PyLong_CheckExact(argument.constant.get())) {
    return std::nullopt;
  }
  const int64_t value = PyLong_AsLongLong(argument.constant.get());
  if (value != -1 || !PyErr_Occurred()) return value;
  PyErr_Clear();
  return std::nullopt;
}

// False: it is nothing that is known when the run is.
bool ReadBound(const LibraryCallArg& argument, std::optional<executor::GatherCall::Bound>& bound) {
  if (IsNone(argument)) return true;
  bound.emplace();
  if (argument.kind == Kind::kNumber) {
    bound->operand = argument.operand;
    return true;
  }
  const std::optional<int64_t> number = KnownInt(argument);
  bound->number = number.value_or(0);
  return number.has_value();
}

// A slice's item; nothing if its step is not known.
std::optional<executor::GatherCall::Item> PartOf(const LibraryCallArg& slice) {
  executor::GatherCall::Item item;
  if (IsWholeSlice(slice)) return item;
  item.kind = executor::GatherCall::Item::Kind::kPart;
  const std::optional<int64_t> step = IsNone(slice.items[2]) ? 1 : KnownInt(slice.items[2]);
  if (!step || *step == 0 || *step < -INT64_MAX) return std::nullopt;
  item.step = *step;
  if (!ReadBound(slice.items[0], item.from) || !ReadBound(slice.items[1], item.to)) {
    return std::nullopt;
  }
  return item;
}

// A list of numbers; nothing for any other one.
std::optional<executor::GatherCall::Item> NumbersOf(const LibraryCallArg& list) {
  executor::GatherCall::Item item;
  item.kind = executor::GatherCall::Item::Kind::kNumbers;
  for (const LibraryCallArg& argument : list.items) {
    const std::optional<int64_t> number = KnownInt(argument);
    if (!number) return std::nullopt;
    item.numbers.push_back(*number);
  }
  return item.numbers.empty() ? std::nullopt : std::optional(item);
}

// One item of a key; nothing for those that a gather does not know.
std::optional<executor::GatherCall::Item> ItemOf(const LibraryCallArg& argument) {
  using ItemKind = executor::GatherCall::Item::Kind;
  if (argument.kind == Kind::kSlice) return PartOf(argument);
  if (argument.kind == Kind::kList) return NumbersOf(argument);
  executor::GatherCall::Item item;
  const bool is_operand = argument.kind == Kind::kArray || argument.kind == Kind::kScalar ||
                          argument.kind == Kind::kNumber;
  if (is_operand) {
    item.kind = ItemKind::kOperand;
    item.operand = argument.operand;
    return item;
  }
  if (argument.kind != Kind::kConstant) return std::nullopt;
  if (argument.constant.get() == Py_Ellipsis || IsNone(argument)) {
    item.kind = IsNone(argument) ? ItemKind::kNew : ItemKind::kRest;
    return item;
  }
  const std::optional<int64_t> number = KnownInt(argument);
  if (!number) return std::nullopt;
  item.kind = ItemKind::kNumber;
  item.number = *number;
  return item;
}

std::optional<executor::GatherCall> GatherAt(const LibraryCallArg& key) {
  executor::GatherCall gather;
  const bool is_tuple = key.kind == Kind::kTuple;
  for (const LibraryCallArg& argument : is_tuple ? key.items : std::vector<LibraryCallArg>{key}) {
    const std::optional<executor::GatherCall::Item> item = ItemOf(argument);
    if (!item) return std::nullopt;
    gather.items.push_back(*item);
  }
  return gather;
}

// Where np.take(a, indices, axis, out, mode) takes.
std::optional<executor::GatherCall> GatherAlong(const LibraryCall& call) {
  std::optional<int> axis;
  for (size_t i = 2; i < call.positional.size(); ++i) {
    const bool fits = i == 2 ? ReadAxis(call.positional[i], axis) : IsNone(call.positional[i]);
    if (!fits) return std::nullopt;
  }
  for (const auto& [name, argument] : call.keywords) {
    const bool fits = name == "axis" ? ReadAxis(argument, axis) : IsNone(argument);
    if (!fits) return std::nullopt;
  }
  const std::optional<executor::GatherCall::Item> index = ItemOf(call.positional[1]);
  if (!index || index->kind != executor::GatherCall::Item::Kind::kOperand) return std::nullopt;
  executor::GatherCall gather;
  gather.is_flat = !axis.has_value();
  gather.is_c_order = true;
  gather.items.resize(std::max(axis.value_or(0), 0));
  if (axis.value_or(0) < 0) gather.items.push_back({executor::GatherCall::Item::Kind::kRest});
  gather.items.push_back(*index);
  if (axis.value_or(0) < 0) gather.items.resize(gather.items.size() - *axis - 1);
  return gather;
}

}  // namespace

std::optional<executor::ScanCall> ScanOf(const LibraryCall& call) {
  if (call.item >= 0 || call.draw > 0 || call.gives_scalar || call.positional.empty()) {
    return std::nullopt;
  }
  if (!IsArray(call.positional[0], 0)) return std::nullopt;
  const ScanRow* const row = FindScan(call.callable.get());
  if (row == nullptr) return std::nullopt;
  executor::ScanCall scan = {row->multiplies, row->axis};
  if (!ReadAxisArguments(call, scan.axis, kScanDType)) return std::nullopt;
  return scan;
}

std::optional<executor::ArgExtremeCall> ArgExtremeOf(const LibraryCall& call) {
  if (call.item >= 0 || call.draw > 0 || call.gives_number || call.positional.empty()) {
    return std::nullopt;
  }
  if (!IsArray(call.positional[0], 0)) return std::nullopt;
  const ArgExtremeRow* const row = FindArgExtreme(call.callable.get());
  if (row == nullptr) return std::nullopt;
  executor::ArgExtremeCall extreme = {row->least, std::nullopt};
  if (!ReadAxisArguments(call, extreme.axis)) return std::nullopt;
  return extreme;
}

std::optional<executor::MeanCall> MeanOf(const LibraryCall& call) {
  if (call.item >= 0 || call.draw > 0 || call.gives_number || call.positional.empty() ||
      call.positional.size() > std::size(kMeanParameters) || !IsArray(call.positional[0], 0) ||
      !IsMean(call.callable.get())) {
    return std::nullopt;
  }
  executor::MeanCall mean;
  const auto read = [&mean](absl::string_view name, const LibraryCallArg& argument) {
    if (name == "axis") return ReadAxes(argument, mean.axes);
    return name == "keepdims" ? argument.kind == Kind::kConstant : IsNone(argument);
  };
  for (size_t i = 1; i < call.positional.size(); ++i) {
    if (!read(kMeanParameters[i], call.positional[i])) return std::nullopt;
  }
  for (const auto& [name, argument] : call.keywords) {
    if (!read(name, argument)) return std::nullopt;
  }
  return mean;
}

std::optional<executor::TakeCall> TakeOf(const LibraryCall& call) {
  if (call.item >= 0 || call.draw > 0 || call.gives_scalar || call.gives_number ||
      call.positional.size() != 2 || !call.keywords.empty()) {
    return std::nullopt;
  }
  if (!IsArray(call.positional[0], 0) || !IsArray(call.positional[1], 1)) return std::nullopt;
  const TakeRow* const row = FindTake(call.callable.get());
  if (row == nullptr) return std::nullopt;
  return executor::TakeCall{row->is_flat};
}

std::optional<executor::GatherCall> GatherOf(const LibraryCall& call) {
  if (call.item >= 0 || call.draw > 0 || call.gives_scalar || call.gives_number ||
      call.positional.size() < 2 || !IsArray(call.positional[0], 0)) {
    return std::nullopt;
  }
  if (TakesAlongAxis(call.callable.get())) {
    std::optional<executor::GatherCall> gather = GatherAlong(call);
    if (!gather || gather->is_flat) return std::nullopt;
    gather->is_along = true;
    gather->is_c_order = false;
    return gather;
  }
  const TakeRow* const row = FindTake(call.callable.get());
  if (row == nullptr) return std::nullopt;
  return row->is_flat ? GatherAlong(call) : GatherAt(call.positional[1]);
}

namespace {

// The value that is written: an operand, or a number that is known.
bool ReadStored(const LibraryCallArg& argument, executor::ScatterCall& scatter) {
  if (argument.kind != Kind::kConstant) {
    scatter.value = argument.operand;
    return argument.kind == Kind::kArray || argument.kind == Kind::kScalar ||
           argument.kind == Kind::kNumber;
  }
  PyObject* const number = argument.constant.get();
  if (PyFloat_CheckExact(number)) {
    scatter.type = ScalarType::kFloat;
    scatter.number.f = PyFloat_AS_DOUBLE(number);
    return true;
  }
  if (!PyLong_CheckExact(number) && !PyBool_Check(number)) return false;
  scatter.type = PyBool_Check(number) ? ScalarType::kBool : ScalarType::kInt;
  scatter.number.i = PyLong_AsLongLong(number);
  if (scatter.number.i != -1 || !PyErr_Occurred()) return true;
  PyErr_Clear();
  return false;
}

}  // namespace

namespace {

// The op whose method `at` the call of UpdatedFunction is given.
std::optional<int> UpdatingOp(const LibraryCall& call) {
  const LibraryCallArg& method = call.positional[0];
  if (method.kind != Kind::kConstant || !PyCFunction_Check(method.constant.get())) {
    return std::nullopt;
  }
  PyObject* const ufunc = PyCFunction_GET_SELF(method.constant.get());
  const std::optional<Op> op = ufunc == nullptr ? std::nullopt : ElementwiseOpOf(ufunc);
  return op ? std::optional(static_cast<int>(*op)) : std::nullopt;
}

}  // namespace

std::optional<executor::ScatterCall> ScatterOf(const LibraryCall& call) {
  const bool is_update = call.callable.get() == UpdatedFunction();
  const size_t first = is_update ? 1 : 0;
  if (!is_update && call.callable.get() != StoredFunction()) return std::nullopt;
  if (call.positional.size() != first + 3) return std::nullopt;
  executor::ScatterCall scatter;
  if (is_update) scatter.op = UpdatingOp(call);
  if (is_update && !scatter.op) return std::nullopt;
  std::optional<executor::GatherCall> places = GatherAt(call.positional[first + 1]);
  const LibraryCallArg& base = call.positional[first];
  if (!places || base.kind != Kind::kArray || !ReadStored(call.positional[first + 2], scatter)) {
    return std::nullopt;
  }
  scatter.places = *std::move(places);
  scatter.base = base.operand;
  return scatter;
}

std::optional<executor::IntOperationCall> IntOperationOf(const LibraryCall& call) {
  const IntOperatorRow* const row =
      call.gives_scalar && call.item < 0 ? FindIntOperator(call.callable.get()) : nullptr;
  if (row == nullptr || call.positional.size() != row->operands) return std::nullopt;
  executor::IntOperationCall operation;
  operation.op = row->op;
  for (const LibraryCallArg& argument : call.positional) {
    const bool is_operand = argument.kind == Kind::kScalar || argument.kind == Kind::kNumber;
    const std::optional<int64_t> number = KnownInt(argument);
    if (!is_operand && !number) return std::nullopt;
    operation.arguments.push_back({is_operand ? argument.operand : -1, number.value_or(0)});
  }
  return operation;
}

}  // namespace dynacc::numpy
