// The part of LoopBuilder that follows rows, columns and parts of them
// (codegen/loops/loop_strips.h).
#include <opcode.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "frontend/arrays/numpy/ufuncs.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/frame/elements/loop_builder.h"
#include "frontend/values/binary_operator.h"

namespace dynacc {
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
#include "frontend/frame/elements/loop_calls.def"
#undef DYNACC_LOOP_MATH
#undef DYNACC_LOOP_MATH2
#undef DYNACC_LOOP_REDUCTION
  return std::nullopt;
}

// The name of NumPy's function that reduces strips; "" if it is another.
const char* NumpyReduction(BorrowedRef function) {
#define DYNACC_LOOP_MATH(function)
#define DYNACC_LOOP_MATH2(function)
#define DYNACC_LOOP_REDUCTION(name, op, starts_with_first) \
  if (LoopBuilder::IsOfNumpy(function, #name)) return #name;
#include "frontend/frame/elements/loop_calls.def"
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

bool LoopBuilder::HasStrips(int slot, int axis) const {
  return slot >= 0 && arrays_[slot].is_array() && arrays_[slot].element == NumberType::kFloat64 &&
         arrays_[slot].IsShort(axis);
}

bool LoopBuilder::IsStrip(const LoopValue& value) const {
  if (value.is(Kind::kStrip)) return true;
  return IsArray(value) && value.consumed + 1 == arrays_[value.slot].rank &&
         HasStrips(value.slot, value.consumed);
}

bool LoopBuilder::Bounds(const LoopValue* slice, uint16_t* first) {
  uint16_t bounds[] = {IntConstant(0), IntConstant(std::numeric_limits<int64_t>::max()),
                       IntConstant(1)};
  for (size_t i = 0; slice != nullptr && i < slice->items.size(); ++i) {
    const LoopValue& item = slice->items[i];
    if (IsNone(item)) continue;
    int64_t step = 0;
    if (!IsIndex(item)) return RefuseArrays("a bound that is no int");
    if (i == 2 && (!KnownInt(item, &step) || step <= 0)) return RefuseArrays("a step backwards");
    bounds[i] = item.reg;
  }
  *first = NewRegisters(3);
  for (int i = 0; i < 3; ++i) MoveInt(static_cast<uint16_t>(*first + i), bounds[i]);
  return true;
}

LoopValue LoopBuilder::Slice(int slot, int axis, uint16_t offset, uint16_t bounds) {
  LoopValue strip;
  strip.kind = Kind::kStrip;
  strip.slot = slot;
  strip.reg = NewRegisters(kStripRegisters);
  LoopOp& op = Append(Code::kSlice);
  op.d = strip.reg;
  op.a = offset;
  op.b = bounds;
  op.k = PackAxis(slot, axis);
  arrays_[slot].strip_axes |= 1U << axis;
  return strip;
}

LoopValue LoopBuilder::StripOf(const LoopValue& value) {
  if (value.is(Kind::kStrip)) return value;
  uint16_t bounds = 0;
  Bounds(nullptr, &bounds);
  const uint16_t offset = value.is(Kind::kView) ? value.reg : IntConstant(0);
  return Slice(value.slot, value.consumed, offset, bounds);
}

bool LoopBuilder::NamesStrip(const LoopValue& array, const LoopValue& key) const {
  if (array.is(Kind::kStrip)) return IsSlice(key);
  if (!array.is(Kind::kArray) && !array.is(Kind::kView)) return false;
  const std::vector<LoopValue> indices = IndicesOf(key);
  const auto slices = std::count_if(indices.begin(), indices.end(), IsSlice);
  const auto left = arrays_[array.slot].rank - array.consumed - static_cast<int>(indices.size());
  const auto slice = std::find_if(indices.begin(), indices.end(), IsSlice) - indices.begin();
  return (slices == 1 ? left == 0 : slices == 0 && left == 1) &&
         HasStrips(array.slot, array.consumed + static_cast<int>(slice));
}

bool LoopBuilder::PartOfStrip(const LoopValue& strip, const LoopValue& key, LoopValue* part) {
  uint16_t bounds = 0;
  if (!Bounds(&key, &bounds)) return false;
  *part = strip;
  if (strip.slot < 0 && strip.owner < 0) part->owner = strip.reg;
  part->reg = EmitStrip({.kind = StripCall::Kind::kPart, .is_binary = true}, {}, strip.reg, bounds);
  return true;
}

bool LoopBuilder::LocateStrip(const LoopValue& array, const LoopValue& key, LoopValue* strip) {
  if (array.is(Kind::kStrip)) return PartOfStrip(array, key, strip);
  uint16_t place = array.is(Kind::kView) ? array.reg : IntConstant(0);
  const std::vector<LoopValue> indices = IndicesOf(key);
  const LoopValue* slice = nullptr;
  int axis = array.consumed;
  int axis_of_strip = array.consumed + static_cast<int>(indices.size());
  for (const LoopValue& index : indices) {
    if (IsSlice(index)) {
      slice = &index;
      axis_of_strip = axis++;
      continue;
    }
    if (!IsIndex(index)) return RefuseArrays("an index that is no int");
    place = Emit(Code::kIndex, place, index.reg, PackAxis(array.slot, axis++));
  }
  uint16_t bounds = 0;
  if (!Bounds(slice, &bounds)) return false;
  *strip = Slice(array.slot, axis_of_strip, place, bounds);
  return true;
}

// A row is a view, which goes through variables.
bool LoopBuilder::SubscriptOfStrip(const LoopValue& array, const LoopValue& key) {
  const std::vector<LoopValue> indices = IndicesOf(key);
  LoopValue part;
  if (std::any_of(indices.begin(), indices.end(), IsSlice)) {
    if (!LocateStrip(array, key, &part)) return false;
  } else {
    part.kind = Kind::kView;
    part.slot = array.slot;
    if (!Locate(array, key, &part.reg, &part.consumed)) return false;
  }
  Push(std::move(part));
  return true;
}

uint16_t LoopBuilder::AddressIn(const LoopValue& strip, uint16_t index) {
  return Emit(Code::kItem, strip.reg, index);
}

bool LoopBuilder::ItemOfStrip(const LoopValue& strip, const LoopValue& key) {
  if (!IsIndex(key)) return RefuseArrays("an index that is no int");
  return PushNumber(NumberType::kFloat64, Emit(Code::kDoubleAt, AddressIn(strip, key.reg)));
}

bool LoopBuilder::StoreItemOfStrip(const LoopValue& strip, const LoopValue& key,
                                   const LoopValue& value) {
  if (!IsIndex(key)) return RefuseArrays("an index that is no int");
  if (!value.is(Kind::kNumber)) return RefuseArrays("a store of something else than a number");
  const uint16_t stored = AsFloatOf(value, NumberType::kFloat64);
  Emit(Code::kSetDoubleAt, AddressIn(strip, key.reg), stored);
  NoteChange(strip);
  return true;
}

bool LoopBuilder::AttributeOfStrip(const LoopValue& strip, absl::string_view name) {
  if (name == "ndim") return PushNumber(NumberType::kPyInt, IntConstant(1));
  if (name != "shape" && name != "size") return false;
  const uint16_t count = Emit(Code::kMoveInt, static_cast<uint16_t>(strip.reg + 2));
  const LoopValue size = LoopValue::Number(NumberType::kPyInt, count);
  Push(size);
  return name == "size" || BuildItems(Kind::kTuple, 1);
}

bool LoopBuilder::StripOperand(const LoopValue& value, bool* is_strip, uint16_t* reg) {
  *is_strip = IsStrip(value);
  if (!*is_strip && !value.is(Kind::kNumber)) return false;
  *reg = *is_strip ? StripOf(value).reg : AsFloatOf(value, NumberType::kFloat64);
  return true;
}

uint16_t LoopBuilder::EmitStrip(StripCall call, const LibraryLoop& loop, uint16_t a, uint16_t b) {
  const int exit = CurrentExit();
  call.block = num_blocks_++;
  program_.callees.push_back({.name = "strip", .loop = loop, .strip = call});
  LoopOp& op = Append(Code::kStrip);
  op.d = NewRegisters(kStripRegisters);
  op.a = a;
  op.b = b;
  op.k = static_cast<int>(program_.callees.size()) - 1;
  op.exit = exit;
  return op.d;
}

void LoopBuilder::PushStrip(const StripCall& call, const LibraryLoop& loop, uint16_t a,
                            uint16_t b) {
  LoopValue row;
  row.kind = Kind::kStrip;
  row.slot = -1;
  row.block = num_blocks_;
  row.reg = EmitStrip(call, loop, a, b);
  Push(std::move(row));
}

bool LoopBuilder::StoreStrip(const LoopValue& array, const LoopValue& key, const LoopValue& value) {
  StripCall call = {.kind = StripCall::Kind::kStore, .is_binary = true};
  uint16_t stored = 0;
  LoopValue target;
  if (!StripOperand(value, &call.right_is_strip, &stored)) {
    return RefuseArrays("a store of something else than a row or a number");
  }
  if (!LocateStrip(array, key, &target)) return false;
  EmitStrip(call, {}, target.reg, stored);
  NoteChange(target);
  return true;
}

bool LoopBuilder::Elementwise(Op op, const std::vector<LoopValue>& operands, bool in_place) {
  const LibraryLoop loop = FindLibraryLoop(static_cast<int>(op), DType::kFloat64);
  if (!loop || ResultOf(op, DType::kFloat64) != DType::kFloat64) return false;
  if (operands.empty() || operands.size() > 2) return false;
  const bool updates = in_place && IsStrip(operands[0]);
  StripCall call = {.kind = updates ? StripCall::Kind::kUpdate : StripCall::Kind::kElementwise,
                    .is_binary = operands.size() == 2};
  uint16_t a = 0;
  uint16_t b = 0;
  if (!StripOperand(operands[0], &call.left_is_strip, &a)) return false;
  if (call.is_binary && !StripOperand(operands[1], &call.right_is_strip, &b)) return false;
  if (!updates) {
    PushStrip(call, loop, a, b);
    return true;
  }
  EmitStrip(call, loop, a, b);
  NoteChange(operands[0]);
  Push(operands[0]);
  return true;
}

bool LoopBuilder::BinaryOfStrips(int nb_op, const LoopValue& a, const LoopValue& b) {
  const bool in_place = at_->opcode == BINARY_OP && at_->arg >= NB_INPLACE_ADD;
  int64_t exponent = 0;
  if (nb_op == NB_MATRIX_MULTIPLY) return !in_place && Dot(a, b, true);
  if (nb_op == NB_POWER && KnownInt(b, &exponent) && exponent == 2) {
    return Elementwise(Op::kSquare, {a}, in_place);
  }
  const BinaryOperator& row = OperatorOf(nb_op);
  return row.is_basic() && Elementwise(*row.ufunc, {a, b}, in_place);
}

bool LoopBuilder::Dot(const LoopValue& a, const LoopValue& b, bool is_matmul) {
  const LibraryLoop loop = FindLibraryLoop(static_cast<int>(Op::kMatmul), DType::kFloat64);
  if (!loop || !IsStrip(a) || !IsStrip(b)) return false;
  const uint16_t left = StripOf(a).reg;
  const uint16_t right = StripOf(b).reg;
  return PushNumber(
      NumberType::kFloat64,
      EmitStrip({.kind = StripCall::Kind::kDot, .is_binary = true, .is_matmul = is_matmul}, loop,
                left, right));
}

bool LoopBuilder::ReduceStrip(absl::string_view name, const LoopValue& value) {
  const std::optional<Reduction> reduction = ReductionOf(name);
  if (!reduction || !IsStrip(value)) return false;
  const LibraryLoop loop = FindLibraryLoop(static_cast<int>(reduction->op), DType::kFloat64);
  if (!loop) return false;
  return PushNumber(NumberType::kFloat64,
                    EmitStrip({.kind = StripCall::Kind::kReduce,
                               .starts_with_first = reduction->starts_with_first},
                              loop, StripOf(value).reg, 0));
}

// As NumPy's _mean: the sum, divided by the count.
bool LoopBuilder::Mean(const LoopValue& row) {
  const uint16_t count = static_cast<uint16_t>(StripOf(row).reg + 2);
  if (!ReduceStrip("sum", row)) return false;
  const uint16_t sum = Pop().reg;
  return PushNumber(NumberType::kFloat64, Emit(Code::kDivFloat, sum, Emit(Code::kToFloat, count)));
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
  const StripCall call = {.kind = StripCall::Kind::kIndexOf, .greatest = greatest};
  return PushNumber(NumberType::kInt64, EmitStrip(call, {}, StripOf(row).reg, 0));
}

bool LoopBuilder::CallOnStrips(BorrowedRef function, const std::vector<LoopValue>& args) {
  const auto is_strip = [this](const LoopValue& arg) { return IsStrip(arg); };
  if (!std::any_of(args.begin(), args.end(), is_strip)) return false;
  if (const std::optional<Op> op = ElementwiseOpOf(function)) {
    return static_cast<int>(args.size()) == UfuncOf(*op)->nin && Elementwise(*op, args, false);
  }
  if (args.size() == 2) {
    if (IsOfNumpy(function, "cross")) return Cross(args[0], args[1]);
    return IsOfNumpy(function, "dot") && Dot(args[0], args[1], false);
  }
  if (args.size() != 1) return false;
  if (IsOfNumpy(function, "linalg.norm")) return Norm(args[0]);
  for (const char* name : {"mean", "argmin", "argmax", "copy"}) {
    if (IsOfNumpy(function, name)) return CallMethodOfStrip(name, args[0], {});
  }
  return ReduceStrip(NumpyReduction(function), args[0]);
}

bool LoopBuilder::MethodOfStrip(BorrowedRef name, const LoopValue& strip) {
  BorrowedRef method = IsStrip(strip) ? TypeLookup(&PyArray_Type, name) : nullptr;
  if (method == nullptr) return false;
  Push(LoopValue::Object(method));
  Push(strip);
  return true;
}

bool LoopBuilder::CallMethodOfStrip(absl::string_view name, const LoopValue& self,
                                    const std::vector<LoopValue>& args) {
  if (name == "dot") return args.size() == 1 && Dot(self, args[0], false);
  if (!args.empty() || !IsStrip(self)) return false;
  if (name == "copy") return CopyOfRow(self);
  if (name == "mean") return Mean(self);
  if (name == "argmin" || name == "argmax") return PlaceOfExtreme(name == "argmax", self);
  return ReduceStrip(name, self);
}

}  // namespace dynacc
