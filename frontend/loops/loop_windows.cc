// The part of LoopBuilder that follows windows, parts of arrays along several axes
// (runtime/loops/loop_windows.h).
//
// A window that an operation has given lies in registers of the block of code at hand, and in
// memory that the next round of the same operation takes. It goes into no variable. A part of an
// array may: then it lies in registers of that variable's own.

#include "runtime/loops/loop_windows.h"

#include <algorithm>

#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/loops/loop_builder.h"
#include "frontend/symbolic/binary_operator.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;
using Kind = LoopValue::Kind;
using Call1d = Slice1dCall;
using Operation = Slice1dCall::Operation;

// What moves along one axis only is often a block of many rows, which is worth kernels.
constexpr int kLeastMovingAxes = 2;

bool IsNone(const LoopValue& value) { return value.is(Kind::kObject) && value.object == Py_None; }

std::vector<LoopValue> IndicesOf(const LoopValue& key) {
  return key.is(Kind::kTuple) ? key.items : std::vector<LoopValue>{key};
}

std::optional<Operation> ReductionOf(absl::string_view name) {
  if (name == "sum" || name == "mean") return Operation::kAdd;
  if (name == "max" || name == "amax") return Operation::kMaximum;
  if (name == "min" || name == "amin") return Operation::kMinimum;
  return std::nullopt;
}

// Whether it is a whole axis.
bool IsWhole(const LoopValue& key) {
  return key.is(Kind::kSlice) && std::all_of(key.items.begin(), key.items.end(), IsNone);
}

}  // namespace

int LoopBuilder::RankOf(const LoopValue& value) const {
  if (value.is(Kind::kWindow)) return value.consumed;
  if (value.is(Kind::kSlice1d)) return 1;
  return arrays_[value.slot].rank - value.consumed;
}

bool LoopBuilder::IsMoving(const LoopValue& bound) {
  return bound.is(Kind::kNumber) && bound.reg < kFirstConstant;
}

// Whether a key has a slice in it. One of ints only names rows, which go through variables.
bool LoopBuilder::NamesParts(const LoopValue& key) {
  const std::vector<LoopValue> indices = IndicesOf(key);
  return std::any_of(indices.begin(), indices.end(),
                     [](const LoopValue& index) { return index.is(Kind::kSlice); });
}

// Whether a key leaves several axes of an array of doubles.
bool LoopBuilder::NamesWindow(const LoopValue& array, const LoopValue& key) const {
  if (!array.is(Kind::kArray) && !array.is(Kind::kView)) return false;
  const LoopArray& whole = arrays_[array.slot];
  if (!whole.is_array() || whole.element != NumberType::kFloat64) return false;
  int rank = whole.rank - array.consumed;
  int taken = 0;
  for (const LoopValue& index : IndicesOf(key)) {
    if (!IsIndex(index) && !index.is(Kind::kSlice) && !IsNone(index)) return false;
    if (IsIndex(index)) --rank;
    if (IsNone(index)) ++rank;
    if (!IsNone(index)) ++taken;
  }
  return taken <= whole.rank - array.consumed && rank >= 2 && rank <= kMostWindowAxes;
}

// Whether it is a window, or may be one operand beside one.
bool LoopBuilder::IsWindowOperand(const LoopValue& value) const {
  if (value.is(Kind::kWindow) || value.is(Kind::kNumber)) return true;
  if (value.is(Kind::kSlice1d)) return value.type == NumberType::kFloat64;
  if (!value.is(Kind::kArray) && !value.is(Kind::kView)) return false;
  const LoopArray& whole = arrays_[value.slot];
  return whole.is_array() && whole.element == NumberType::kFloat64 && RankOf(value) >= 1 &&
         RankOf(value) <= kMostWindowAxes;
}

// The indices that are ints come first, as an exit would be the same.
bool LoopBuilder::LocateWindow(const LoopValue& array, const LoopValue& key, LoopValue* window) {
  std::vector<LoopValue> indices = IndicesOf(key);
  const int rank = arrays_[array.slot].rank;
  uint16_t place = array.is(Kind::kView) ? array.reg : IntConstant(0);
  int axis = array.consumed;
  for (const LoopValue& index : indices) {
    if (IsIndex(index)) place = Emit(Code::kIndex, place, index.reg, PackAxis(array.slot, axis));
    if (!IsNone(index)) ++axis;
  }
  for (; axis < rank; ++axis) {
    LoopValue whole;
    whole.kind = Kind::kSlice;
    indices.push_back(whole);
  }
  std::vector<uint16_t> parts;  // registers of an axis's step and count
  int moving = 0;
  uint16_t address = 0;
  axis = array.consumed;
  for (const LoopValue& index : indices) {
    if (IsNone(index)) parts.push_back(0);
    if (index.is(Kind::kSlice)) {
      uint16_t bounds = 0;
      if (!Bounds(&index, &bounds)) return false;
      if (std::any_of(index.items.begin(), index.items.end(), IsMoving)) ++moving;
      const LoopValue part = Slice(array.slot, axis, place, bounds);
      address = part.reg;
      parts.push_back(static_cast<uint16_t>(part.reg + 1));
      place = Emit(Code::kOffset, part.reg, 0, array.slot);
    }
    if (!IsNone(index)) ++axis;
  }
  *window = LoopValue();
  window->kind = Kind::kWindow;
  window->slot = array.slot;
  window->consumed = static_cast<int>(parts.size());
  window->moves = moving >= kLeastMovingAxes;
  window->reg = NewRegisters(WindowRegisters(window->consumed));
  MoveInt(window->reg, address);
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto to = static_cast<uint16_t>(window->reg + 1 + 2 * i);
    MoveInt(to, parts[i] == 0 ? IntConstant(0) : parts[i]);
    MoveInt(static_cast<uint16_t>(to + 1),
            parts[i] == 0 ? IntConstant(1) : static_cast<uint16_t>(parts[i] + 1));
  }
  return true;
}

// New axes of a window.
bool LoopBuilder::SubscriptOfWindow(const LoopValue& window, const LoopValue& key) {
  const std::vector<LoopValue> indices = IndicesOf(key);
  if (window.slot < 0) return RefuseArrays("a part of what was computed");
  LoopValue result = window;
  std::vector<int> axes;  // those of the window, -1: a new one
  int next = 0;
  for (const LoopValue& index : indices) {
    if (!IsNone(index) && !IsWhole(index)) return RefuseArrays("a part of a window");
    axes.push_back(IsNone(index) ? -1 : next++);
  }
  while (next < window.consumed) axes.push_back(next++);
  if (next > window.consumed || axes.size() > kMostWindowAxes) {
    return RefuseArrays("a window of many axes");
  }
  result.consumed = static_cast<int>(axes.size());
  result.reg = NewRegisters(WindowRegisters(result.consumed));
  MoveInt(result.reg, window.reg);
  for (size_t i = 0; i < axes.size(); ++i) {
    for (int k = 0; k < 2; ++k) {
      const auto from = static_cast<uint16_t>(window.reg + 1 + 2 * axes[i] + k);
      MoveInt(static_cast<uint16_t>(result.reg + 1 + 2 * i + k),
              axes[i] < 0 ? IntConstant(k) : from);
    }
  }
  Push(std::move(result));
  return true;
}

// The registers of an operand.
uint16_t LoopBuilder::WindowOf(const LoopValue& value) {
  if (value.is(Kind::kNumber)) return AsFloatOf(value, NumberType::kFloat64);
  if (value.is(Kind::kWindow) || value.is(Kind::kSlice1d)) return value.reg;
  if (RankOf(value) == 1) return WholeRow(value).reg;
  LoopValue all;
  all.kind = Kind::kSlice;
  LoopValue window;
  LocateWindow(value, all, &window);
  return window.reg;
}

void LoopBuilder::PushWindow(const Slice1dCall& call, const kernel::LibraryLoop& loop, uint16_t a,
                             uint16_t b) {
  LoopValue made;
  made.kind = call.result_rank == 1 ? Kind::kSlice1d : Kind::kWindow;
  made.type = NumberType::kFloat64;
  made.slot = -1;
  made.consumed = call.result_rank == 1 ? 0 : call.result_rank;
  made.moves = true;
  made.block = num_blocks_;
  made.reg = EmitSlice1d(call, loop, a, b);
  Push(std::move(made));
}

bool LoopBuilder::BinaryOfWindows(int nb_op, const LoopValue& a, const LoopValue& b) {
  const bool in_place = at_->opcode == BINARY_OP && at_->arg >= NB_INPLACE_ADD;
  const std::optional<Op> op = symbolic::OperatorOf(nb_op).ufunc;
  const Operation operation = op ? OperationOf(*op) : Operation::kOther;
  const bool moves = (a.is(Kind::kWindow) && a.moves) || (b.is(Kind::kWindow) && b.moves);
  if (in_place || operation == Operation::kOther || !moves) return false;
  return IsWindowOperand(a) && IsWindowOperand(b) && ElementwiseOfWindows(operation, a, b);
}

bool LoopBuilder::ElementwiseOfWindows(Slice1dCall::Operation operation, const LoopValue& a,
                                       const LoopValue& b) {
  Slice1dCall call = {.kind = Call1d::Kind::kWindowElementwise, .is_binary = true};
  call.operation = operation;
  call.left_is_slice1d = !a.is(Kind::kNumber);
  call.right_is_slice1d = !b.is(Kind::kNumber);
  call.left_rank = static_cast<uint8_t>(call.left_is_slice1d ? RankOf(a) : 0);
  call.right_rank = static_cast<uint8_t>(call.right_is_slice1d ? RankOf(b) : 0);
  call.result_rank = std::max(call.left_rank, call.right_rank);
  const uint16_t left = WindowOf(a);
  PushWindow(call, {}, left, WindowOf(b));
  return true;
}

bool LoopBuilder::AxesOf(const LoopValue* axis, int rank, uint8_t* axes) const {
  *axes = static_cast<uint8_t>((1 << rank) - 1);
  if (axis == nullptr || IsNone(*axis)) return true;
  *axes = 0;
  for (const LoopValue& one : IndicesOf(*axis)) {
    int64_t number = 0;
    if (!KnownInt(one, &number) || number < -rank || number >= rank) return false;
    const int bit = 1 << (number < 0 ? number + rank : number);
    if ((*axes & bit) != 0) return false;
    *axes = static_cast<uint8_t>(*axes | bit);
  }
  return *axes != 0;
}

bool LoopBuilder::ReduceWindow(absl::string_view name, const LoopValue& window,
                               const LoopValue* axis) {
  const std::optional<Operation> operation = ReductionOf(name);
  Slice1dCall call = {.kind = Call1d::Kind::kWindowReduce};
  const int rank = RankOf(window);
  if (!operation || !window.moves || !AxesOf(axis, rank, &call.axes)) return false;
  const kernel::LibraryLoop loop =
      kernel::FindLibraryLoop(static_cast<int>(Op::kReduceSum), DType::kFloat64);
  if (!loop) return false;
  call.operation = *operation;
  call.left_rank = static_cast<uint8_t>(rank);
  call.result_rank = static_cast<uint8_t>(rank - __builtin_popcount(call.axes));
  if (call.result_rank == 0) {
    PushNumber(NumberType::kFloat64, EmitSlice1d(call, loop, window.reg, 0));
  } else {
    PushWindow(call, loop, window.reg, 0);
  }
  return name != "mean" || DivideByCount(window, call.axes);
}

// As NumPy's _mean.
bool LoopBuilder::DivideByCount(const LoopValue& window, uint8_t axes) {
  uint16_t count = IntConstant(1);
  for (int i = 0; i < window.consumed; ++i) {
    if (((axes >> i) & 1) == 0) continue;
    count = Emit(Code::kMulInt, count, static_cast<uint16_t>(window.reg + 2 + 2 * i));
  }
  const LoopValue divisor = LoopValue::Number(NumberType::kFloat64, Emit(Code::kToFloat, count));
  const LoopValue sum = Pop();
  if (!sum.is(Kind::kNumber)) return ElementwiseOfWindows(Operation::kDivide, sum, divisor);
  return PushNumber(NumberType::kFloat64, Emit(Code::kDivFloat, sum.reg, divisor.reg));
}

// `args` without the window; the last of them has the only keyword that is known.
bool LoopBuilder::CallOnWindow(absl::string_view name, const LoopValue& window,
                               const std::vector<LoopValue>& args, BorrowedRef keywords) {
  if (args.size() > 1) return false;
  if (keywords != nullptr &&
      (PyTuple_GET_SIZE(keywords) != 1 ||
       PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, 0), "axis") != 0)) {
    return false;
  }
  return ReduceWindow(name, window, args.empty() ? nullptr : args.data());
}

bool LoopBuilder::CallFunctionOfWindow(BorrowedRef function, const std::vector<LoopValue>& args,
                                       BorrowedRef keywords) {
  if (args.empty() || !args[0].is(Kind::kWindow)) return false;
  for (const char* name : {"sum", "mean", "max", "amax", "min", "amin"}) {
    if (!IsOfNumpy(function, name)) continue;
    return CallOnWindow(name, args[0], {args.begin() + 1, args.end()}, keywords);
  }
  return false;
}

// `method`: what LOAD_METHOD has found in the type of arrays.
bool LoopBuilder::CallMethodOfWindow(BorrowedRef method, const LoopValue& window,
                                     const std::vector<LoopValue>& args, BorrowedRef keywords) {
  if (Py_TYPE(method) != &PyMethodDescr_Type) return false;
  const auto* found = reinterpret_cast<PyMethodDescrObject*>(method);
  return CallOnWindow(found->d_method->ml_name, window, args, keywords);
}

bool LoopBuilder::StoreWindow(const LoopValue& array, const LoopValue& key,
                              const LoopValue& value) {
  if (!value.is(Kind::kWindow) || !value.moves) return RefuseArrays("a store to part of an array");
  Slice1dCall call = {.kind = Call1d::Kind::kWindowStore, .is_binary = true};
  LoopValue target;
  if (!LocateWindow(array, key, &target)) return false;
  call.left_rank = static_cast<uint8_t>(target.consumed);
  call.right_rank = static_cast<uint8_t>(RankOf(value));
  EmitSlice1d(call, {}, target.reg, WindowOf(value));
  NoteChange(target);
  return true;
}

// A part of an array gets a name, which no other variable shares.
bool LoopBuilder::NameWindow(int variable, LoopValue window) {
  if (window.slot < 0) return RefuseArrays("a variable gets what several axes gave");
  if (!IsTemporary(window.reg)) return RefuseArrays("a window gets two names");
  const auto [found, is_new] = window_homes_.try_emplace(OfVariable(variable));
  if (is_new) found->second = Reserve(WindowRegisters(kMostWindowAxes));
  const uint16_t home = found->second;
  for (const LoopValue& value : state_.stack) {
    if (value.is(Kind::kWindow) && value.reg == home) {
      return RefuseArrays("a window is replaced while it is used");
    }
  }
  for (int i = 0; i < WindowRegisters(window.consumed); ++i) {
    MoveInt(static_cast<uint16_t>(home + i), static_cast<uint16_t>(window.reg + i));
  }
  window.reg = home;
  state_.variables[variable] = std::move(window);
  if (state_.call == nullptr) stored_[variable] = true;
  return true;
}

}  // namespace dynacc::loops
