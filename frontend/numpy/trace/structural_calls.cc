#include "frontend/numpy/trace/structural_calls.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "absl/algorithm/container.h"
#include "codegen/ir/gather_attrs.h"
#include "codegen/ir/int_operator_attrs.h"
#include "codegen/ir/verifier.h"
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
  Op op;
  std::optional<int> axis;  // where none is given: of arrays of rank 1, if there is none
};
constexpr ScanRow kScans[] = {
    {{"numpy", "", "cumsum"}, Op::kCumsum, std::nullopt},
    {{"numpy", "", "cumprod"}, Op::kCumprod, std::nullopt},
    {{"numpy", "ndarray", "cumsum"}, Op::kCumsum, std::nullopt},
    {{"numpy", "ndarray", "cumprod"}, Op::kCumprod, std::nullopt},
    {{"numpy", "add", "accumulate"}, Op::kCumsum, 0},
    {{"numpy", "multiply", "accumulate"}, Op::kCumprod, 0},
};

struct ArgExtremeRow {
  FunctionName function;
  Op op;
};
constexpr ArgExtremeRow kArgExtremes[] = {
    {{"numpy", "", "argmax"}, Op::kArgMax},
    {{"numpy", "", "argmin"}, Op::kArgMin},
    {{"numpy", "ndarray", "argmax"}, Op::kArgMax},
    {{"numpy", "ndarray", "argmin"}, Op::kArgMin},
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
  executor::IntOperation::Operator op;
  size_t operands;
};
constexpr IntOperatorRow kIntOperators[] = {
#define DYNACC_INT_OPERATOR(Name, name, operands, result) \
  {{"_operator", "", name}, executor::IntOperation::Operator::k##Name, operands},
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
bool ReadBound(const LibraryCallArg& argument, std::optional<ir::PlaceItem::Bound>& bound) {
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
std::optional<ir::PlaceItem> PartOf(const LibraryCallArg& slice) {
  ir::PlaceItem item;
  if (IsWholeSlice(slice)) return item;
  item.kind = ir::PlaceItem::Kind::kPart;
  const std::optional<int64_t> step = IsNone(slice.items[2]) ? 1 : KnownInt(slice.items[2]);
  if (!step || *step == 0 || *step < -INT64_MAX) return std::nullopt;
  item.step = *step;
  if (!ReadBound(slice.items[0], item.from) || !ReadBound(slice.items[1], item.to)) {
    return std::nullopt;
  }
  return item;
}

// A list of numbers; nothing for any other one.
std::optional<ir::PlaceItem> NumbersOf(const LibraryCallArg& list) {
  ir::PlaceItem item;
  item.kind = ir::PlaceItem::Kind::kNumbers;
  for (const LibraryCallArg& argument : list.items) {
    const std::optional<int64_t> number = KnownInt(argument);
    if (!number) return std::nullopt;
    item.numbers.push_back(*number);
  }
  return item.numbers.empty() ? std::nullopt : std::optional(item);
}

// One item of a key; nothing for those that a gather does not know.
std::optional<ir::PlaceItem> ItemOf(const LibraryCallArg& argument) {
  using ItemKind = ir::PlaceItem::Kind;
  if (argument.kind == Kind::kSlice) return PartOf(argument);
  if (argument.kind == Kind::kList) return NumbersOf(argument);
  ir::PlaceItem item;
  const bool is_operand = argument.kind == Kind::kArray || argument.kind == Kind::kScalar ||
                          argument.kind == Kind::kNumber;
  if (is_operand) {
    item.kind = ItemKind::kOperand;
    item.operand = argument.operand;
    return item;
  }
  if (argument.kind != Kind::kConstant) return std::nullopt;
  if (IsNone(argument)) {
    item.kind = ItemKind::kNew;
    return item;
  }
  const std::optional<int64_t> number = KnownInt(argument);
  if (!number) return std::nullopt;
  item.kind = ItemKind::kNumber;
  item.number = *number;
  return item;
}

// A key, item by item; an Ellipsis stands for the axes that no other item is about, and so does the
// end if there is none.
struct Key {
  std::vector<ir::PlaceItem> items;
  int rest = -1;  // how many items are before it
};

std::optional<Key> KeyOf(const LibraryCallArg& argument) {
  Key key;
  const bool is_tuple = argument.kind == Kind::kTuple;
  const std::vector<LibraryCallArg> arguments =
      is_tuple ? argument.items : std::vector<LibraryCallArg>{argument};
  for (const LibraryCallArg& item : arguments) {
    if (item.kind == Kind::kConstant && item.constant.get() == Py_Ellipsis) {
      key.rest = static_cast<int>(key.items.size());
      continue;
    }
    const std::optional<ir::PlaceItem> place = ItemOf(item);
    if (!place) return std::nullopt;
    key.items.push_back(*place);
  }
  return key;
}

// An index along an axis, which may be negative.
Key KeyAlong(const ir::PlaceItem& index, int axis) {
  Key key;
  key.items.resize(std::max(axis, 0));
  if (axis < 0) key.rest = 0;
  key.items.push_back(index);
  if (axis < 0) key.items.resize(-axis);
  return key;
}

// The places in an array of that rank; nothing if the key has more axes.
std::optional<ir::GatherAttrs> PlacesIn(const Key& key, int rank) {
  const auto made = absl::c_count_if(
      key.items, [](const ir::PlaceItem& item) { return item.kind == ir::PlaceItem::Kind::kNew; });
  const auto missing = rank - static_cast<int>(key.items.size() - made);
  if (missing < 0) return std::nullopt;
  ir::GatherAttrs places;
  places.items = key.items;
  const auto rest = key.rest < 0 ? places.items.end() : places.items.begin() + key.rest;
  places.items.insert(rest, missing, ir::PlaceItem());
  return places;
}

// What np.take(a, indices, axis, out, mode) is given besides the array.
struct TakeArguments {
  ir::PlaceItem index;
  std::optional<int> axis;
};

std::optional<TakeArguments> TakeArgumentsOf(const LibraryCall& call) {
  TakeArguments take;
  for (size_t i = 2; i < call.positional.size(); ++i) {
    const LibraryCallArg& argument = call.positional[i];
    if (!(i == 2 ? ReadAxis(argument, take.axis) : IsNone(argument))) return std::nullopt;
  }
  for (const auto& [name, argument] : call.keywords) {
    if (!(name == "axis" ? ReadAxis(argument, take.axis) : IsNone(argument))) return std::nullopt;
  }
  const std::optional<ir::PlaceItem> index = ItemOf(call.positional[1]);
  if (!index || index->kind != ir::PlaceItem::Kind::kOperand) return std::nullopt;
  take.index = *index;
  return take;
}

// A node to be, as an op's maker sees it.
struct CallNode {
  ir::Graph& graph;
  const LibraryCall& call;
  int64_t id;
  DType dtype;
  absl::Span<const ScalarId> shape;
  absl::Span<const ir::Node* const> operands;
  ScalarId defined;
};

// The node, if it keeps the op's rules; else null.
const ir::Node* Make(const CallNode& made, Op op, ir::NodeAttrs attrs) {
  attrs.call = made.id;
  const ir::Node node = {.id = static_cast<int32_t>(made.graph.nodes().size()),
                         .op = op,
                         .dtype = made.dtype,
                         .shape = made.shape,
                         .operands = made.operands,
                         .attrs = attrs,
                         .location = {},
                         .origin = -1};
  if (!ir::VerifyNode(made.graph, node).ok()) return nullptr;
  return made.graph.Make(op, made.dtype, made.shape, made.operands, attrs);
}

// Whether it is a function of just the array that is operand 0, as its first argument.
bool IsOfOneArray(const CallNode& made) {
  return !made.call.positional.empty() && IsArray(made.call.positional[0], 0) &&
         made.operands.size() == 1 && made.defined == kNoScalar;
}

// Whether the call gives elements of the array that is operand 0, as an array or a scalar.
bool GivesElements(const CallNode& made) {
  const LibraryCall& call = made.call;
  return !call.gives_number && call.positional.size() >= 2 && IsArray(call.positional[0], 0);
}

// --- One maker for each op: null if the call is none, or one that does not fit.

const ir::Node* MakeScan(const CallNode& made) {
  const ScanRow* const row =
      IsOfOneArray(made) && !made.call.gives_scalar ? FindScan(made.call.callable.get()) : nullptr;
  if (row == nullptr) return nullptr;
  std::optional<int> axis = row->axis;
  if (!ReadAxisArguments(made.call, axis, kScanDType)) return nullptr;
  const int rank = made.operands[0]->rank();
  if (!axis && rank != 1) return nullptr;
  const int64_t counted = axis.value_or(0) < 0 ? *axis + rank : axis.value_or(0);
  return Make(made, row->op, {.ints = {&counted, 1}});
}

const ir::Node* MakeArgExtreme(const CallNode& made) {
  const ArgExtremeRow* const row = IsOfOneArray(made) && !made.call.gives_number
                                       ? FindArgExtreme(made.call.callable.get())
                                       : nullptr;
  std::optional<int> axis;
  if (row == nullptr || !ReadAxisArguments(made.call, axis)) return nullptr;
  const int rank = made.operands[0]->rank();
  std::vector<int64_t> axes(axis ? 1 : rank);
  if (axis) axes[0] = *axis < 0 ? *axis + rank : *axis;
  if (!axis) std::iota(axes.begin(), axes.end(), 0);
  const bool keepdims = static_cast<int>(made.shape.size()) == rank;
  return Make(made, row->op, {.ints = axes, .keepdims = keepdims});
}

const ir::Node* MakeMean(const CallNode& made) {
  const LibraryCall& call = made.call;
  if (!IsOfOneArray(made) || call.gives_number ||
      call.positional.size() > std::size(kMeanParameters) || !IsMean(call.callable.get())) {
    return nullptr;
  }
  std::optional<std::vector<int>> given;
  const auto read = [&given](absl::string_view name, const LibraryCallArg& argument) {
    if (name == "axis") return ReadAxes(argument, given);
    return name == "keepdims" ? argument.kind == Kind::kConstant : IsNone(argument);
  };
  for (size_t i = 1; i < call.positional.size(); ++i) {
    if (!read(kMeanParameters[i], call.positional[i])) return nullptr;
  }
  for (const auto& [name, argument] : call.keywords) {
    if (!read(name, argument)) return nullptr;
  }
  const int rank = made.operands[0]->rank();
  std::vector<int64_t> axes(given ? given->size() : rank);
  std::iota(axes.begin(), axes.end(), 0);
  for (size_t i = 0; given && i < axes.size(); ++i) {
    axes[i] = (*given)[i] < 0 ? (*given)[i] + rank : (*given)[i];
  }
  absl::c_sort(axes);
  const bool keepdims = rank > 0 && static_cast<int>(made.shape.size()) == rank;
  return Make(made, Op::kMean, {.ints = axes, .keepdims = keepdims});
}

const ir::Node* MakeGather(const CallNode& made) {
  const LibraryCall& call = made.call;
  if (!GivesElements(made) || made.defined != kNoScalar) return nullptr;
  const int rank = made.operands[0]->rank();
  const bool is_along = TakesAlongAxis(call.callable.get());
  const TakeRow* const row = is_along ? nullptr : FindTake(call.callable.get());
  std::optional<ir::GatherAttrs> places;
  if (is_along || (row != nullptr && row->is_flat)) {
    const std::optional<TakeArguments> take = TakeArgumentsOf(call);
    if (!take || (!take->axis && (is_along || rank != 1))) return nullptr;
    places = PlacesIn(KeyAlong(take->index, take->axis.value_or(0)), rank);
  } else if (row != nullptr && call.keywords.empty()) {
    const std::optional<Key> key = KeyOf(call.positional[1]);
    if (key) places = PlacesIn(*key, rank);
  }
  if (!places) return nullptr;
  places->along = is_along;
  places->c_order = row != nullptr && row->is_flat;
  const std::vector<int64_t> ints = ir::EncodeGather(*places);
  return Make(made, Op::kGather, {.ints = ints});
}

const ir::Node* MakeCompress(const CallNode& made) {
  const LibraryCall& call = made.call;
  const bool fits = GivesElements(made) && !call.gives_scalar && call.positional.size() == 2 &&
                    call.keywords.empty() && IsArray(call.positional[1], 1) &&
                    made.operands.size() == 2;
  const TakeRow* const row = fits ? FindTake(call.callable.get()) : nullptr;
  const bool is_mask = row != nullptr && !row->is_flat && made.operands[1]->dtype == DType::kBool;
  if (!is_mask) return nullptr;
  ir::NodeAttrs attrs;
  if (made.defined != kNoScalar) attrs.scalars = {&made.defined, 1};
  return Make(made, Op::kCompress, attrs);
}

// What is written through indices: an operand, or a number that is known.
struct StoredValue {
  int operand = -1;
  ScalarValue number{};
  ScalarType type = ScalarType::kInt;
};

// False: it is neither.
bool ReadStored(const LibraryCallArg& argument, StoredValue& stored) {
  if (argument.kind != Kind::kConstant) {
    stored.operand = argument.operand;
    return argument.kind == Kind::kArray || argument.kind == Kind::kScalar ||
           argument.kind == Kind::kNumber;
  }
  PyObject* const number = argument.constant.get();
  if (PyFloat_CheckExact(number)) {
    stored.type = ScalarType::kFloat;
    stored.number.f = PyFloat_AS_DOUBLE(number);
    return true;
  }
  if (!PyLong_CheckExact(number) && !PyBool_Check(number)) return false;
  stored.type = PyBool_Check(number) ? ScalarType::kBool : ScalarType::kInt;
  stored.number.i = PyLong_AsLongLong(number);
  if (stored.number.i != -1 || !PyErr_Occurred()) return true;
  PyErr_Clear();
  return false;
}

// Whether it is an element of the dtype without a doubt.
bool Fits(const StoredValue& stored, DType dtype) {
  constexpr int64_t kFitsAll = 127;
  return IsInexact(dtype) || (stored.type == ScalarType::kBool && dtype == DType::kBool) ||
         (IsInteger(dtype) && stored.type == ScalarType::kInt && stored.number.i >= 0 &&
          stored.number.i <= kFitsAll);
}

ScalarId NumberOf(const StoredValue& stored, ScalarProgram& scalars) {
  if (stored.type == ScalarType::kFloat) return scalars.Float(stored.number.f);
  return stored.type == ScalarType::kBool ? scalars.Bool(stored.number.i != 0)
                                          : scalars.Int(stored.number.i);
}

// The op whose method `at` the call of UpdatedFunction is given.
std::optional<Op> UpdatingOp(const LibraryCall& call) {
  const LibraryCallArg& method = call.positional[0];
  if (method.kind != Kind::kConstant || !PyCFunction_Check(method.constant.get())) {
    return std::nullopt;
  }
  PyObject* const ufunc = PyCFunction_GET_SELF(method.constant.get());
  return ufunc == nullptr ? std::nullopt : ElementwiseOpOf(ufunc);
}

const ir::Node* MakeScatter(const CallNode& made) {
  const LibraryCall& call = made.call;
  const bool is_update = call.callable.get() == UpdatedFunction();
  const size_t first = is_update ? 1 : 0;
  const bool is_store = is_update || call.callable.get() == StoredFunction();
  if (!is_store || made.defined != kNoScalar || call.positional.size() != first + 3) return nullptr;
  ir::ScatterAttrs scatter;
  if (is_update) scatter.op = UpdatingOp(call);
  if (is_update && !scatter.op) return nullptr;
  const LibraryCallArg& base = call.positional[first];
  const std::optional<Key> key = KeyOf(call.positional[first + 1]);
  StoredValue stored;
  if (!key || base.kind != Kind::kArray || !ReadStored(call.positional[first + 2], stored)) {
    return nullptr;
  }
  std::optional<ir::GatherAttrs> places = PlacesIn(*key, made.operands[base.operand]->rank());
  if (!places || (stored.operand < 0 && !Fits(stored, made.dtype))) return nullptr;
  scatter.places = *std::move(places);
  scatter.base = base.operand;
  scatter.value = stored.operand;
  const std::vector<int64_t> ints = ir::EncodeScatter(scatter);
  ir::NodeAttrs attrs = {.ints = ints};
  const ScalarId number = stored.operand < 0 ? NumberOf(stored, made.graph.scalars()) : kNoScalar;
  if (number != kNoScalar) attrs.scalars = {&number, 1};
  return Make(made, Op::kScatter, attrs);
}

const ir::Node* MakeIntOperator(const CallNode& made) {
  const LibraryCall& call = made.call;
  const IntOperatorRow* const row = call.gives_scalar && made.defined == kNoScalar
                                        ? FindIntOperator(call.callable.get())
                                        : nullptr;
  if (row == nullptr || call.positional.size() != row->operands) return nullptr;
  executor::IntOperation operation;
  operation.op = row->op;
  operation.wraps = !call.gives_number;
  for (const LibraryCallArg& argument : call.positional) {
    const bool is_operand = argument.kind == Kind::kScalar || argument.kind == Kind::kNumber;
    const std::optional<int64_t> number = KnownInt(argument);
    if (!is_operand && !number) return nullptr;
    operation.arguments.push_back({is_operand ? argument.operand : -1, number.value_or(0)});
  }
  const std::vector<int64_t> ints = ir::EncodeIntOperation(operation);
  return Make(made, Op::kIntOperator, {.ints = ints});
}

using Maker = const ir::Node* (*)(const CallNode& made);
constexpr Maker kMakers[] = {&MakeScan,     &MakeArgExtreme, &MakeMean,       &MakeGather,
                             &MakeCompress, &MakeScatter,    &MakeIntOperator};

}  // namespace

const ir::Node* MakeCallNode(ir::Graph& graph, const LibraryCall& call, int64_t id, DType dtype,
                             absl::Span<const ScalarId> shape,
                             absl::Span<const ir::Node* const> operands, ScalarId defined) {
  const CallNode made = {graph, call, id, dtype, shape, operands, defined};
  const bool may_be_op = call.item < 0 && call.draw == 0;
  for (const Maker make : kMakers) {
    const ir::Node* const node = may_be_op ? make(made) : nullptr;
    if (node != nullptr) return node;
  }
  return graph.LibraryCall(id, dtype, shape, operands, defined);
}

}  // namespace dynacc::numpy
