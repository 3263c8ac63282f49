// The part of LoopBuilder that follows rows, columns and parts of them
// (runtime/loops/loop_slices.h).

#include <algorithm>
#include <limits>
#include <optional>

#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/loops/loop_builder.h"
#include "frontend/numpy/trace/ufuncs.h"
#include "frontend/symbolic/binary_operator.h"
#include "runtime/cpu/loops/pairwise_sum.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;
using Kind = LoopValue::Kind;

struct Reduction {
  Op op;
  bool starts_with_first;
};

std::optional<Reduction> ReductionOf(absl::string_view name) {
#define DYNACC_LOOP_MATH(function)
#define DYNACC_LOOP_MATH2(function)
#define DYNACC_LOOP_REDUCTION(function, op, starts_with_first) \
  if (name == #function) return Reduction{Op::k##op, starts_with_first};
#include "frontend/loops/loop_calls.def"
#undef DYNACC_LOOP_MATH
#undef DYNACC_LOOP_MATH2
#undef DYNACC_LOOP_REDUCTION
  return std::nullopt;
}

// The name of NumPy's function that reduces 1-D slices; "" if it is another.
const char* NumpyReduction(BorrowedRef function) {
#define DYNACC_LOOP_MATH(function)
#define DYNACC_LOOP_MATH2(function)
#define DYNACC_LOOP_REDUCTION(name, op, starts_with_first) \
  if (LoopBuilder::IsOfNumpy(function, #name)) return #name;
#include "frontend/loops/loop_calls.def"
#undef DYNACC_LOOP_MATH
#undef DYNACC_LOOP_MATH2
#undef DYNACC_LOOP_REDUCTION
  return "";
}

bool IsSlice(const LoopValue& value) { return value.is(Kind::kSlice); }

bool IsNone(const LoopValue& value) { return value.is(Kind::kObject) && value.object == Py_None; }

std::vector<LoopValue> IndicesOf(const LoopValue& key) {
  return key.is(Kind::kTuple) ? key.items : std::vector<LoopValue>{key};
}

}  // namespace

bool LoopBuilder::BuildSlice(int count) {
  LoopValue slice;
  slice.kind = Kind::kSlice;
  slice.items.assign(state_.stack.end() - count, state_.stack.end());
  state_.stack.resize(state_.stack.size() - count);
  Push(std::move(slice));
  return true;
}

bool LoopBuilder::HasSlices1d(int slot, int axis) const {
  return slot >= 0 && arrays_[slot].is_array() && arrays_[slot].element == NumberType::kFloat64 &&
         arrays_[slot].IsShort(axis);
}

// A bound that changes makes parts of any length, most of them short: a run leaves the others.
bool LoopBuilder::HasPart(int slot, int axis, const LoopValue& part) const {
  if (slot < 0 || !arrays_[slot].is_array()) return false;
  if (arrays_[slot].IsShort(axis)) return true;
  return std::any_of(part.items.begin(), part.items.end(), [](const LoopValue& bound) {
    return bound.is(Kind::kNumber) && bound.reg < kFirstConstant;
  });
}

bool LoopBuilder::IsRow(const LoopValue& value) const {
  if (value.is(Kind::kSlice1d)) return true;
  if (value.is(Kind::kWindow)) return false;
  return IsArray(value) && arrays_[value.slot].is_array() &&
         value.consumed + 1 == arrays_[value.slot].rank;
}

NumberType LoopBuilder::ElementOf(const LoopValue& row) const {
  return row.is(Kind::kSlice1d) ? row.type : arrays_[row.slot].element;
}

bool LoopBuilder::IsRowOfIndices(const LoopValue& value) const {
  return IsRow(value) && IsInt(ElementOf(value));
}

bool LoopBuilder::IsSlice1d(const LoopValue& value) const {
  if (value.is(Kind::kSlice1d)) return value.type == NumberType::kFloat64;
  if (value.is(Kind::kWindow)) return false;
  return IsArray(value) && value.consumed + 1 == arrays_[value.slot].rank &&
         HasSlices1d(value.slot, value.consumed);
}

bool LoopBuilder::Bounds(const LoopValue* slice, uint16_t* first) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  int64_t step = 1;
  const bool has_step = slice != nullptr && slice->items.size() == 3 && !IsNone(slice->items[2]);
  if (has_step && (!KnownInt(slice->items[2], &step) || step == 0 || step == kLeast)) {
    return RefuseArrays("a step that is not known");
  }
  uint16_t bounds[] = {IntConstant(step > 0 ? 0 : kMost), IntConstant(step > 0 ? kMost : kLeast),
                       IntConstant(1)};
  for (size_t i = 0; slice != nullptr && i < slice->items.size(); ++i) {
    const LoopValue& item = slice->items[i];
    if (IsNone(item)) continue;
    if (!IsIndex(item)) return RefuseArrays("a bound that is no int");
    bounds[i] = item.reg;
  }
  *first = NewRegisters(3);
  for (int i = 0; i < 3; ++i) MoveInt(static_cast<uint16_t>(*first + i), bounds[i]);
  return true;
}

LoopValue LoopBuilder::Slice(int slot, int axis, uint16_t offset, uint16_t bounds) {
  LoopValue slice1d;
  slice1d.kind = Kind::kSlice1d;
  slice1d.type = arrays_[slot].element;
  slice1d.slot = slot;
  slice1d.reg = NewRegisters(kSlice1dRegisters);
  LoopOp& op = Append(Code::kSlice);
  op.d = slice1d.reg;
  op.a = offset;
  op.b = bounds;
  op.k = PackAxis(slot, axis);
  return slice1d;
}

LoopValue LoopBuilder::WholeRow(const LoopValue& row) {
  if (row.is(Kind::kSlice1d)) return row;
  uint16_t bounds = 0;
  Bounds(nullptr, &bounds);
  const uint16_t offset = row.is(Kind::kView) ? row.reg : IntConstant(0);
  return Slice(row.slot, row.consumed, offset, bounds);
}

LoopValue LoopBuilder::Slice1dOf(const LoopValue& value) {
  if (!value.is(Kind::kSlice1d)) arrays_[value.slot].slice1d_axes |= 1U << value.consumed;
  return WholeRow(value);
}

bool LoopBuilder::NamesSlice1d(const LoopValue& array, const LoopValue& key) const {
  if (array.is(Kind::kSlice1d)) return IsSlice(key);
  if (!array.is(Kind::kArray) && !array.is(Kind::kView)) return false;
  const std::vector<LoopValue> indices = IndicesOf(key);
  const auto slices = std::count_if(indices.begin(), indices.end(), IsSlice);
  const auto left = arrays_[array.slot].rank - array.consumed - static_cast<int>(indices.size());
  const auto slice = std::find_if(indices.begin(), indices.end(), IsSlice) - indices.begin();
  const int axis = array.consumed + static_cast<int>(slice);
  if (slices == 1) return left == 0 && HasPart(array.slot, axis, indices[slice]);
  return slices == 0 && left == 1 && HasSlices1d(array.slot, axis);
}

bool LoopBuilder::PartOfSlice1d(const LoopValue& slice1d, const LoopValue& key, LoopValue* part) {
  uint16_t bounds = 0;
  if (!Bounds(&key, &bounds)) return false;
  *part = slice1d;
  if (slice1d.slot < 0 && slice1d.owner < 0) part->owner = slice1d.reg;
  part->reg =
      EmitSlice1d({.kind = Slice1dCall::Kind::kPart, .is_binary = true}, {}, slice1d.reg, bounds);
  return true;
}

bool LoopBuilder::LocateSlice1d(const LoopValue& array, const LoopValue& key, LoopValue* slice1d) {
  if (array.is(Kind::kSlice1d)) return PartOfSlice1d(array, key, slice1d);
  uint16_t place = array.is(Kind::kView) ? array.reg : IntConstant(0);
  const std::vector<LoopValue> indices = IndicesOf(key);
  const LoopValue* slice = nullptr;
  int axis = array.consumed;
  int axis_of_slice1d = array.consumed + static_cast<int>(indices.size());
  for (const LoopValue& index : indices) {
    if (IsSlice(index)) {
      slice = &index;
      axis_of_slice1d = axis++;
      continue;
    }
    if (!IsIndex(index)) return RefuseArrays("an index that is no int");
    place = Emit(Code::kIndex, place, index.reg, PackAxis(array.slot, axis++));
  }
  uint16_t bounds = 0;
  if (!Bounds(slice, &bounds)) return false;
  if (slice == nullptr || arrays_[array.slot].IsShort(axis_of_slice1d)) {
    arrays_[array.slot].slice1d_axes |= 1U << axis_of_slice1d;
  }
  *slice1d = Slice(array.slot, axis_of_slice1d, place, bounds);
  return true;
}

bool LoopBuilder::NamesElements(const LoopValue& array, const LoopValue& key) const {
  return IsRowOfIndices(key) && IsRow(array) && ElementOf(array) == NumberType::kFloat64;
}

// row[indices], a new row.
bool LoopBuilder::Gather(const LoopValue& row, const LoopValue& indices) {
  const Slice1dCall call = {
      .kind = Slice1dCall::Kind::kGather, .is_binary = true, .index = DTypeOf(ElementOf(indices))};
  const uint16_t from = WholeRow(row).reg;
  PushSlice1d(call, {}, from, WholeRow(indices).reg);
  return true;
}

bool LoopBuilder::Scatter(const LoopValue& row, const LoopValue& indices, const LoopValue& value) {
  Slice1dCall call = {
      .kind = Slice1dCall::Kind::kScatter, .is_binary = true, .index = DTypeOf(ElementOf(indices))};
  uint16_t stored = 0;
  if (!Slice1dOperand(value, &call.right_is_slice1d, &stored)) {
    return RefuseArrays("a store of something else than a row or a number");
  }
  const LoopValue target = WholeRow(row);
  EmitSlice1d(call, {}, target.reg, WholeRow(indices).reg);
  program_.ops.back().d = stored;
  NoteChange(target);
  return true;
}

// A row is a view, which goes through variables.
bool LoopBuilder::SubscriptOfSlice1d(const LoopValue& array, const LoopValue& key) {
  const std::vector<LoopValue> indices = IndicesOf(key);
  LoopValue part;
  if (std::any_of(indices.begin(), indices.end(), IsSlice)) {
    if (!LocateSlice1d(array, key, &part)) return false;
  } else {
    part.kind = Kind::kView;
    part.slot = array.slot;
    if (!Locate(array, key, &part.reg, &part.consumed)) return false;
  }
  Push(std::move(part));
  return true;
}

uint16_t LoopBuilder::AddressIn(const LoopValue& slice1d, uint16_t index) {
  return Emit(Code::kItem, slice1d.reg, index);
}

// Of what is no array's the elements are doubles.
bool LoopBuilder::ItemOfSlice1d(const LoopValue& slice1d, const LoopValue& key) {
  if (!IsIndex(key)) return RefuseArrays("an index that is no int");
  if (slice1d.type != NumberType::kFloat64) {
    const uint16_t address = AddressIn(slice1d, key.reg);
    Push(Element(slice1d.slot, Emit(Code::kOffset, address, 0, slice1d.slot)));
    return true;
  }
  return PushNumber(NumberType::kFloat64, Emit(Code::kDoubleAt, AddressIn(slice1d, key.reg)));
}

bool LoopBuilder::StoreItemOfSlice1d(const LoopValue& slice1d, const LoopValue& key,
                                     const LoopValue& value) {
  if (!IsIndex(key)) return RefuseArrays("an index that is no int");
  if (!value.is(Kind::kNumber) && !IsComplex(value)) {
    return RefuseArrays("a store of something else than a number");
  }
  if (slice1d.type != NumberType::kFloat64) {
    const uint16_t address = AddressIn(slice1d, key.reg);
    return StoreElement(slice1d.slot, Emit(Code::kOffset, address, 0, slice1d.slot), value);
  }
  if (IsComplex(value)) return RefuseArrays("a store of a complex to another array");
  const uint16_t stored = AsFloatOf(value, NumberType::kFloat64);
  const uint16_t address = AddressIn(slice1d, key.reg);
  if (IsKept(slice1d)) RememberAt(address, sizeof(double));
  Emit(Code::kSetDoubleAt, address, stored);
  if (slice1d.slot >= 0) arrays_[slice1d.slot].written = true;
  return true;
}

bool LoopBuilder::AttributeOfSlice1d(const LoopValue& slice1d, absl::string_view name) {
  if (name == "ndim") return PushNumber(NumberType::kPyInt, IntConstant(1));
  if (name != "shape" && name != "size") return false;
  const uint16_t count = Emit(Code::kMoveInt, static_cast<uint16_t>(slice1d.reg + 2));
  const LoopValue size = LoopValue::Number(NumberType::kPyInt, count);
  Push(size);
  return name == "size" || BuildItems(Kind::kTuple, 1);
}

bool LoopBuilder::Slice1dOperand(const LoopValue& value, bool* is_slice1d, uint16_t* reg) {
  *is_slice1d = IsSlice1d(value);
  if (!*is_slice1d && !value.is(Kind::kNumber)) return false;
  *reg = *is_slice1d ? Slice1dOf(value).reg : AsFloatOf(value, NumberType::kFloat64);
  return true;
}

uint16_t LoopBuilder::EmitSlice1d(Slice1dCall call, const kernel::LibraryLoop& loop, uint16_t a,
                                  uint16_t b) {
  const int exit = CurrentExit();
  call.block = num_blocks_++;
  program_.callees.push_back({.name = "slice1d", .loop = loop, .slice1d = call});
  LoopOp& op = Append(Code::kSlice1d);
  op.d = NewRegisters(std::max(kSlice1dRegisters, WindowRegisters(call.result_rank)));
  op.a = a;
  op.b = b;
  op.k = static_cast<int>(program_.callees.size()) - 1;
  op.exit = exit;
  return op.d;
}

void LoopBuilder::PushSlice1d(const Slice1dCall& call, const kernel::LibraryLoop& loop, uint16_t a,
                              uint16_t b) {
  LoopValue row;
  row.kind = Kind::kSlice1d;
  row.type = NumberType::kFloat64;
  row.slot = -1;
  row.block = num_blocks_;
  row.reg = EmitSlice1d(call, loop, a, b);
  Push(std::move(row));
}

bool LoopBuilder::StoreSlice1d(const LoopValue& array, const LoopValue& key,
                               const LoopValue& value) {
  Slice1dCall call = {.kind = Slice1dCall::Kind::kStore, .is_binary = true};
  uint16_t stored = 0;
  LoopValue target;
  if (!Slice1dOperand(value, &call.right_is_slice1d, &stored)) {
    return RefuseArrays("a store of something else than a row or a number");
  }
  if (!LocateSlice1d(array, key, &target)) return false;
  if (!IsSlice1d(target)) return RefuseArrays("a store to a row of ints");
  EmitSlice1d(call, {}, target.reg, stored);
  NoteChange(target);
  return true;
}

Slice1dCall::Operation LoopBuilder::OperationOf(Op op) {
  using Operation = Slice1dCall::Operation;
  constexpr std::pair<Op, Operation> kOperations[] = {{Op::kAdd, Operation::kAdd},
                                                      {Op::kSubtract, Operation::kSubtract},
                                                      {Op::kMultiply, Operation::kMultiply},
                                                      {Op::kDivide, Operation::kDivide}};
  for (const auto& [one, operation] : kOperations) {
    if (one == op) return operation;
  }
  return Operation::kOther;
}

bool LoopBuilder::Elementwise(Op op, const std::vector<LoopValue>& operands, bool in_place) {
  const kernel::LibraryLoop loop = kernel::FindLibraryLoop(static_cast<int>(op), DType::kFloat64);
  if (!loop || ResultOf(op, DType::kFloat64) != DType::kFloat64) return false;
  if (operands.empty() || operands.size() > 2) return false;
  const bool updates = in_place && IsSlice1d(operands[0]);
  Slice1dCall call = {
      .kind = updates ? Slice1dCall::Kind::kUpdate : Slice1dCall::Kind::kElementwise,
      .is_binary = operands.size() == 2,
      .operation = OperationOf(op)};
  uint16_t a = 0;
  uint16_t b = 0;
  if (!Slice1dOperand(operands[0], &call.left_is_slice1d, &a)) return false;
  if (call.is_binary && !Slice1dOperand(operands[1], &call.right_is_slice1d, &b)) return false;
  if (!updates) {
    PushSlice1d(call, loop, a, b);
    return true;
  }
  EmitSlice1d(call, loop, a, b);
  NoteChange(operands[0]);
  Push(operands[0]);
  return true;
}

bool LoopBuilder::BinaryOfSlices1d(int nb_op, const LoopValue& a, const LoopValue& b) {
  const bool in_place = at_->opcode == BINARY_OP && at_->arg >= NB_INPLACE_ADD;
  int64_t exponent = 0;
  if (nb_op == NB_MATRIX_MULTIPLY) return !in_place && Dot(a, b, true);
  if (nb_op == NB_POWER && KnownInt(b, &exponent) && exponent == 2) {
    return Elementwise(Op::kSquare, {a}, in_place);
  }
  const symbolic::BinaryOperator& row = symbolic::OperatorOf(nb_op);
  return row.is_basic() && Elementwise(*row.ufunc, {a, b}, in_place);
}

bool LoopBuilder::Dot(const LoopValue& a, const LoopValue& b, bool is_matmul) {
  const kernel::LibraryLoop loop =
      kernel::FindLibraryLoop(static_cast<int>(Op::kMatmul), DType::kFloat64);
  if (!loop || !IsSlice1d(a) || !IsSlice1d(b)) return false;
  const uint16_t left = Slice1dOf(a).reg;
  const uint16_t right = Slice1dOf(b).reg;
  return PushNumber(
      NumberType::kFloat64,
      EmitSlice1d({.kind = Slice1dCall::Kind::kDot, .is_binary = true, .is_matmul = is_matmul},
                  loop, left, right));
}

bool LoopBuilder::ReduceSlice1d(absl::string_view name, const LoopValue& value) {
  const std::optional<Reduction> reduction = ReductionOf(name);
  if (!reduction || !IsSlice1d(value)) return false;
  const kernel::LibraryLoop loop =
      kernel::FindLibraryLoop(static_cast<int>(reduction->op), DType::kFloat64);
  if (!loop) return false;
  Slice1dCall call = {.kind = Slice1dCall::Kind::kReduce,
                      .starts_with_first = reduction->starts_with_first};
  if (reduction->op == Op::kReduceSum && cpu::FindSumRuns(DType::kFloat64, loop) != nullptr) {
    call.operation = Slice1dCall::Operation::kAdd;
  }
  return PushNumber(NumberType::kFloat64, EmitSlice1d(call, loop, Slice1dOf(value).reg, 0));
}

// As NumPy's _mean: the sum, divided by the count.
bool LoopBuilder::Mean(const LoopValue& row) {
  const uint16_t count = static_cast<uint16_t>(Slice1dOf(row).reg + 2);
  if (!ReduceSlice1d("sum", row)) return false;
  const uint16_t sum = Pop().reg;
  return PushNumber(NumberType::kFloat64, Emit(Code::kDivFloat, sum, Emit(Code::kToFloat, count)));
}

// As NumPy's _var: the mean of the squares of what is left without the mean.
bool LoopBuilder::Variance(const LoopValue& row) {
  if (!Mean(row) || !Elementwise(Op::kSubtract, {row, Pop()}, false)) return false;
  const LoopValue apart = Pop();
  return Elementwise(Op::kMultiply, {apart, apart}, false) && Mean(Pop());
}

bool LoopBuilder::Median(const LoopValue& row) {
  const uint16_t from = Slice1dOf(row).reg;
  return PushNumber(NumberType::kFloat64,
                    EmitSlice1d({.kind = Slice1dCall::Kind::kMedian}, {}, from, 0));
}

// As numpy.linalg.norm without an order: the root of the product of the elements, side by side,
// with themselves.
bool LoopBuilder::Norm(const LoopValue& row) {
  if (!CopyOfRow(row)) return false;
  const LoopValue copy = Pop();
  return Dot(copy, copy, false) &&
         PushNumber(NumberType::kFloat64, Emit(Code::kSqrtFloat, Pop().reg));
}

bool LoopBuilder::PlaceOfExtreme(bool greatest, const LoopValue& row) {
  const Slice1dCall call = {.kind = Slice1dCall::Kind::kIndexOf, .greatest = greatest};
  return PushNumber(NumberType::kInt64, EmitSlice1d(call, {}, Slice1dOf(row).reg, 0));
}

bool LoopBuilder::CallOnSlices1d(BorrowedRef function, const std::vector<LoopValue>& args) {
  const auto is_slice1d = [this](const LoopValue& arg) { return IsSlice1d(arg); };
  if (!std::any_of(args.begin(), args.end(), is_slice1d)) return false;
  if (const std::optional<Op> op = numpy::ElementwiseOpOf(function)) {
    return static_cast<int>(args.size()) == numpy::UfuncOf(*op)->nin &&
           Elementwise(*op, args, false);
  }
  if (args.size() == 2) {
    if (IsOfNumpy(function, "cross")) return Cross(args[0], args[1]);
    return IsOfNumpy(function, "dot") && Dot(args[0], args[1], false);
  }
  if (args.size() != 1) return false;
  if (IsOfNumpy(function, "linalg.norm")) return Norm(args[0]);
  if (IsOfNumpy(function, "median")) return Median(args[0]);
  for (const char* name : {"mean", "var", "std", "argmin", "argmax", "copy"}) {
    if (IsOfNumpy(function, name)) return CallMethodOfSlice1d(name, args[0], {});
  }
  return ReduceSlice1d(NumpyReduction(function), args[0]);
}

bool LoopBuilder::MethodOfSlice1d(BorrowedRef name, const LoopValue& slice1d) {
  const bool is_array = slice1d.is(Kind::kArray) || slice1d.is(Kind::kView);
  const bool is_copied = is_array && arrays_[slice1d.slot].is_array() &&
                         PyUnicode_CompareWithASCIIString(name, "copy") == 0;
  const bool has_methods = IsSlice1d(slice1d) || slice1d.is(Kind::kWindow) || is_copied;
  BorrowedRef method = has_methods ? TypeLookup(&PyArray_Type, name) : nullptr;
  if (method == nullptr) return false;
  Push(LoopValue::Object(method));
  Push(slice1d);
  return true;
}

bool LoopBuilder::CallMethodOfSlice1d(absl::string_view name, const LoopValue& self,
                                      const std::vector<LoopValue>& args) {
  if (name == "dot") return args.size() == 1 && Dot(self, args[0], false);
  if (name == "copy" && args.empty() && !IsSlice1d(self)) {
    return (makes_arrays_ && CopyOfArray(self)) || RefuseArrays("a copy of an array");
  }
  if (!args.empty() || !IsSlice1d(self)) return false;
  if (name == "copy") return CopyOfRow(self);
  if (name == "mean") return Mean(self);
  if (name == "var") return Variance(self);
  if (name == "std") {
    return Variance(self) && PushNumber(NumberType::kFloat64, Emit(Code::kSqrtFloat, Pop().reg));
  }
  if (name == "argmin" || name == "argmax") return PlaceOfExtreme(name == "argmax", self);
  return ReduceSlice1d(name, self);
}

}  // namespace dynacc::loops
