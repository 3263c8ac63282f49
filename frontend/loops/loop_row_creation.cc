// The part of LoopBuilder that makes new rows: copies, zeros, lists of numbers.
#include "frontend/loops/loop_builder.h"
#include "frontend/numpy/trace/callables.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/library_call_rules.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;
using Kind = LoopValue::Kind;

// The functions that make arrays of one number, and those of the size of another array.
struct Filler {
  const char* name;
  const char* like;
  double number;
};
constexpr Filler kFillers[] = {
    {"zeros", "zeros_like", 0}, {"ones", "ones_like", 1}, {"empty", "empty_like", 0}};

bool IsDouble(const LoopValue& value) {
  return value.is(Kind::kNumber) &&
         (value.type == NumberType::kPyFloat || value.type == NumberType::kFloat64);
}

// Of a list of which NumPy makes an array of doubles.
bool GivesDoubles(const std::vector<LoopValue>& items) {
  const auto fits = [](const LoopValue& item) {
    return IsDouble(item) || (item.is(Kind::kNumber) && item.type == NumberType::kPyInt);
  };
  return std::all_of(items.begin(), items.end(), fits) &&
         std::any_of(items.begin(), items.end(), IsDouble);
}

}  // namespace

bool LoopBuilder::IsOfNumpy(BorrowedRef object, absl::string_view name) {
  const numpy::NumpyFunctionRow* const traced = numpy::TracedRowOf(object);
  if (traced != nullptr && traced->name == name) return true;
  const numpy::NumpyLibraryCallRow* const called = numpy::LibraryRowOf(object);
  return called != nullptr && called->name == name;
}

bool LoopBuilder::ExtendDisplay(int from_top) {
  const LoopValue more = Pop();
  LoopValue& list = state_.stack[state_.stack.size() - from_top];
  if (!list.is(Kind::kDisplay) || !more.is(Kind::kTuple)) return Refuse("a list that grows");
  list.items.insert(list.items.end(), more.items.begin(), more.items.end());
  return true;
}

// As many of the number as the 1-D slice in `like` has elements.
bool LoopBuilder::NewRow(uint16_t like, uint16_t number) {
  PushSlice1d({.kind = Slice1dCall::Kind::kFill, .is_binary = true, .right_is_slice1d = false}, {},
              like, number);
  return true;
}

bool LoopBuilder::NewRowOf(uint16_t count, uint16_t number) {
  const uint16_t like = NewRegisters(kSlice1dRegisters);
  for (int i = 0; i < kSlice1dRegisters; ++i) MoveInt(static_cast<uint16_t>(like + i), count);
  return NewRow(like, number);
}

bool LoopBuilder::CopyOfRow(const LoopValue& row) {
  if (!IsSlice1d(row)) return false;
  PushSlice1d({.kind = Slice1dCall::Kind::kCopy}, {}, Slice1dOf(row).reg, 0);
  return true;
}

bool LoopBuilder::RowOfNumbers(const std::vector<LoopValue>& items) {
  std::vector<uint16_t> numbers;
  for (const LoopValue& item : items) numbers.push_back(AsFloatOf(item, NumberType::kFloat64));
  if (!NewRowOf(IntConstant(static_cast<int64_t>(items.size())), FloatConstant(0))) return false;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const uint16_t index = IntConstant(static_cast<int64_t>(i));
    Emit(Code::kSetDoubleAt, AddressIn(state_.stack.back(), index), numbers[i]);
  }
  return true;
}

bool LoopBuilder::CallNewRow(BorrowedRef function, const std::vector<LoopValue>& args) {
  if (args.size() == 2 && IsIndex(args[0]) && IsDouble(args[1])) {
    return IsOfNumpy(function, "full") && NewRowOf(args[0].reg, args[1].reg);
  }
  if (args.size() != 1) return false;
  for (const auto& [name, like, number] : kFillers) {
    if (IsIndex(args[0]) && IsOfNumpy(function, name)) {
      return NewRowOf(args[0].reg, FloatConstant(number));
    }
    if (IsSlice1d(args[0]) && IsOfNumpy(function, like)) {
      return NewRow(Slice1dOf(args[0]).reg, FloatConstant(number));
    }
  }
  if (!IsOfNumpy(function, "array")) return false;
  if (args[0].is(Kind::kDisplay)) return GivesDoubles(args[0].items) && RowOfNumbers(args[0].items);
  return CopyOfRow(args[0]);
}

LoopValue LoopBuilder::ItemAt(const LoopValue& slice1d, int index) {
  const uint16_t address = AddressIn(slice1d, IntConstant(index));
  return LoopValue::Number(NumberType::kFloat64, Emit(Code::kDoubleAt, address));
}

// Leaves it to Python if the size is another one.
void LoopBuilder::RequireCount(uint16_t size, int count) {
  Emit(Code::kFitsUnsigned, Emit(Code::kXorInt, size, IntConstant(count)));
}

bool LoopBuilder::UnpackRow(const LoopValue& row, int count) {
  const LoopValue slice1d = Slice1dOf(row);
  RequireCount(static_cast<uint16_t>(slice1d.reg + 2), count);
  for (int i = count - 1; i >= 0; --i) Push(ItemAt(slice1d, i));
  return true;
}

// numpy.cross of two rows of three, whose result is a view of what it has computed.
bool LoopBuilder::Cross(const LoopValue& a, const LoopValue& b) {
  if (!IsSlice1d(a) || !IsSlice1d(b)) return false;
  const LoopValue left = Slice1dOf(a);
  const LoopValue right = Slice1dOf(b);
  RequireCount(static_cast<uint16_t>(left.reg + 2), 3);
  RequireCount(static_cast<uint16_t>(right.reg + 2), 3);
  const auto product = [&](int i, int j) {
    return Emit(Code::kMulFloat, ItemAt(left, i).reg, ItemAt(right, j).reg);
  };
  std::vector<LoopValue> numbers;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    const uint16_t first = product(j, k);
    numbers.push_back(
        LoopValue::Number(NumberType::kFloat64, Emit(Code::kSubFloat, first, product(k, j))));
  }
  if (!RowOfNumbers(numbers)) return false;
  state_.stack.back().is_based = true;
  return true;
}

}  // namespace dynacc::loops
