// The part of LoopBuilder that follows for loops.
#include <algorithm>

#include "frontend/loops/loop_builder.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;

// An index that enumerate() counts up from.
constexpr int kStartHeadroom = 2;

// A tuple of more items is no short list of directions.
constexpr size_t kMostUnrolled = 12;

}  // namespace

uint16_t LoopBuilder::EndOfRegisters(const LoopValue& iterator) {
  uint16_t end = static_cast<uint16_t>(iterator.reg + iterator.OwnRegisters());
  for (const LoopValue& item : iterator.items) end = std::max(end, EndOfRegisters(item));
  return end;
}

void LoopBuilder::MoveInt(uint16_t to, uint16_t from) {
  LoopOp& move = Append(Code::kMoveInt);
  move.d = to;
  move.a = from;
}

// The same iterator with its registers from `base` on.
void LoopBuilder::MoveIterator(LoopValue& iterator, uint16_t* base) {
  const uint16_t from = iterator.reg;
  iterator.reg = *base;
  for (int i = 0; i < iterator.OwnRegisters(); ++i, ++*base) {
    MoveInt(*base, static_cast<uint16_t>(from + i));
  }
  for (LoopValue& item : iterator.items) MoveIterator(item, base);
}

bool LoopBuilder::IterateRange(const LoopValue& range, uint16_t* base, LoopValue* iterator) {
  iterator->kind = Kind::kIterator;
  for (int i = 0; i < 3; ++i) {
    MoveInt(static_cast<uint16_t>(*base + i), range.items[i].reg);
  }
  const int exit = CurrentExit();
  LoopOp& start = Append(Code::kRangeStart);
  start.a = *base;
  start.exit = exit;
  *base += 3;
  return true;
}

bool LoopBuilder::IterateRow(const LoopValue& row, uint16_t* base, LoopValue* iterator) {
  iterator->kind = Kind::kRowItems;
  iterator->slot = row.slot;
  iterator->type = row.type;
  MoveInt((*base)++, IntConstant(0));
  for (int i = 0; i < kSlice1dRegisters; ++i) {
    MoveInt((*base)++, static_cast<uint16_t>(row.reg + i));
  }
  return true;
}

// Iterates over what is no iterator yet, in registers from `*base` on.
bool LoopBuilder::Iterate(const LoopValue& iterable, uint16_t* base, LoopValue* iterator) {
  if (iterable.is(Kind::kTupleItems)) return Refuse("an iterator of a tuple in another");
  if (iterable.IsIterator()) {
    *iterator = iterable;
    MoveIterator(*iterator, base);
    return true;
  }
  iterator->reg = *base;
  if (iterable.is(Kind::kRange)) return IterateRange(iterable, base, iterator);
  if (iterable.is(Kind::kSlice1d) && iterable.slot >= 0) {
    return IterateRow(iterable, base, iterator);
  }
  const bool is_list = iterable.is(Kind::kList);
  if (!is_list && !iterable.is(Kind::kArray) && !iterable.is(Kind::kView)) {
    return Refuse("an iteration over something else than a range");
  }
  iterator->kind = is_list ? Kind::kListItems : Kind::kItems;
  iterator->slot = iterable.slot;
  iterator->consumed = iterable.consumed;
  iterator->element = iterable.element;
  MoveInt(*base, IntConstant(0));
  MoveInt(static_cast<uint16_t>(*base + 1),
          iterable.is(Kind::kArray) ? IntConstant(0) : iterable.reg);
  *base += 2;
  return true;
}

bool LoopBuilder::GetIterator() {
  LoopValue iterable = Pop();
  if (iterable.is(Kind::kObject)) FromConstant(iterable.object, &iterable);
  const int position = static_cast<int>(state_.stack.size());
  uint16_t base = OfIterator(position);
  if (iterable.IsIterator() && iterable.reg == base) {
    Push(std::move(iterable));
    return true;
  }
  if (iterable.is(Kind::kTuple) && iterable.items.size() <= kMostUnrolled &&
      (AreConstants(iterable.items) || IsInput(iterable))) {
    iterable.kind = Kind::kTupleItems;
    iterable.slot = 0;
    Push(std::move(iterable));
    return true;
  }
  LoopValue iterator;
  if (!Iterate(iterable, &base, &iterator)) return false;
  Push(std::move(iterator));
  return true;
}

bool LoopBuilder::AreConstants(const std::vector<LoopValue>& values) {
  return std::all_of(values.begin(), values.end(), [](const LoopValue& value) {
    if (value.is(Kind::kTuple)) return AreConstants(value.items);
    return value.is(Kind::kObject) || value.reg >= kFirstConstant;
  });
}

// Whether the tuple's items lie where they have been from the start, and stay.
bool LoopBuilder::IsInput(const LoopValue& tuple) const {
  if (tuple.slot == 0) return false;
  const std::vector<LoopValue>& items = blocks_[0].state.variables[tuple.slot - 1].items;
  return std::equal(items.begin(), items.end(), tuple.items.begin(), tuple.items.end(),
                    [](const LoopValue& a, const LoopValue& b) { return a.reg == b.reg; });
}

bool LoopBuilder::HasRoom(const LoopValue& iterator, int position) {
  return EndOfRegisters(iterator) <= OfIterator(position) + LoopCode::kIteratorRegisters ||
         Refuse("too many iterators in one");
}

// enumerate(iterable, start).
bool LoopBuilder::CallEnumerate(const std::vector<LoopValue>& args) {
  if (args.empty() || args.size() > 2) return false;
  if (args.size() == 2 && (!args[1].is(Kind::kNumber) || args[1].type != NumberType::kPyInt)) {
    return false;
  }
  const uint16_t start = args.size() == 2 ? args[1].reg : IntConstant(0);
  Emit(Code::kShiftLeft, start, IntConstant(kStartHeadroom));  // exits if it is near the end
  const int position = static_cast<int>(state_.stack.size());
  uint16_t base = OfIterator(position);
  LoopValue iterator;
  iterator.kind = Kind::kEnumerate;
  iterator.reg = base;
  iterator.items.resize(1);
  MoveInt(base++, start);
  if (!Iterate(args[0], &base, iterator.items.data()) || !HasRoom(iterator, position)) return false;
  Push(std::move(iterator));
  return true;
}

bool LoopBuilder::CallZip(const std::vector<LoopValue>& args) {
  if (args.empty()) return false;
  const int position = static_cast<int>(state_.stack.size());
  uint16_t base = OfIterator(position);
  LoopValue iterator;
  iterator.kind = Kind::kZip;
  iterator.reg = base;
  iterator.items.resize(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    if (!Iterate(args[i], &base, &iterator.items[i]) || !HasRoom(iterator, position)) return false;
  }
  Push(std::move(iterator));
  return true;
}

// reversed(range(...)) is the iterator of a range, too.
bool LoopBuilder::CallReversed(const std::vector<LoopValue>& args) {
  if (args.size() != 1 || !args[0].is(Kind::kRange)) return false;
  uint16_t base = OfIterator(static_cast<int>(state_.stack.size()));
  LoopValue iterator;
  iterator.reg = base;
  const uint16_t next = base;
  const auto step = static_cast<uint16_t>(base + 1);
  const auto rounds = static_cast<uint16_t>(base + 2);
  if (!IterateRange(args[0], &base, &iterator)) return false;
  // The last is next + (rounds - 1) * step; without rounds it is never looked at.
  const uint16_t before = Emit(Code::kSubInt, rounds, IntConstant(1));
  const uint16_t way = Emit(Code::kMulInt, before, step);
  MoveInt(next, Emit(Code::kAddInt, next, way));
  MoveInt(step, Emit(Code::kNegInt, step));
  Push(std::move(iterator));
  return true;
}

void LoopBuilder::LeaveIf(LoopOpCode jump, uint16_t test, int block) {
  Append(jump).a = test;
  references_.push_back({static_cast<int>(program_.ops.size()) - 1, block});
}

bool LoopBuilder::NextOf(const bytecode::Instruction& at) {
  const LoopValue iterator = state_.stack.back();
  if (!iterator.IsIterator()) return Refuse("an iteration over something else than a range");
  if (!SettleStack()) return Refuse("a tuple is carried from block to block");
  LoopState exhausted = state_;
  exhausted.stack.pop_back();
  const int after = BlockAt(at.target, exhausted);
  if (iterator.is(Kind::kTupleItems)) return NextConstant(at.target);
  if (iterator.is(Kind::kIterator)) {
    LoopOp& next = Append(Code::kRangeNext);
    next.a = iterator.reg;
    next.d = NewRegister();
    references_.push_back({static_cast<int>(program_.ops.size()) - 1, after});
    return PushNumber(NumberType::kPyInt, program_.ops.back().d);
  }
  // Nothing is moved on before everything that may exit is done.
  LoopValue item;
  if (!Peek(iterator, after, &item)) return false;
  Advance(iterator);
  Push(std::move(item));
  return true;
}

// Which item comes next is known: each has blocks of its own.
bool LoopBuilder::NextConstant(int after) {
  LoopValue& iterator = state_.stack.back();
  if (iterator.slot < static_cast<int>(iterator.items.size())) {
    Push(LoopValue(iterator.items[iterator.slot++]));
    return true;
  }
  Drop();
  return GoTo(after);
}

bool LoopBuilder::Peek(const LoopValue& iterator, int after, LoopValue* item) {
  switch (iterator.kind) {
    case Kind::kIterator:
      LeaveIf(Code::kJumpIfNot, static_cast<uint16_t>(iterator.reg + 2), after);
      *item = LoopValue::Number(NumberType::kPyInt, Emit(Code::kMoveInt, iterator.reg));
      return true;
    case Kind::kItems:
      return PeekElement(iterator, after, item);
    case Kind::kRowItems: {
      const auto row = static_cast<uint16_t>(iterator.reg + 1);
      const auto count = static_cast<uint16_t>(row + 2);
      LeaveIf(Code::kJumpIfNot, Emit(Code::kLessInt, iterator.reg, count), after);
      const uint16_t address = Emit(Code::kItem, row, iterator.reg);
      *item = Element(iterator.slot, Emit(Code::kOffset, address, 0, iterator.slot));
      return true;
    }
    case Kind::kListItems: {
      const auto list = static_cast<uint16_t>(iterator.reg + 1);
      const uint16_t size = Emit(Code::kListSize, list);
      LeaveIf(Code::kJumpIfNot, Emit(Code::kLessInt, iterator.reg, size), after);
      return LoadItem(Emit(Code::kItemPlace, list, iterator.reg), *iterator.element, item);
    }
    default:
      return PeekTuple(iterator, after, item);
  }
}

bool LoopBuilder::PeekTuple(const LoopValue& iterator, int after, LoopValue* item) {
  item->kind = Kind::kTuple;
  if (iterator.is(Kind::kEnumerate)) {
    item->items.push_back(
        LoopValue::Number(NumberType::kPyInt, Emit(Code::kMoveInt, iterator.reg)));
  }
  for (const LoopValue& inner : iterator.items) {
    item->items.emplace_back();
    if (!Peek(inner, after, &item->items.back())) return false;
  }
  return true;
}

bool LoopBuilder::PeekElement(const LoopValue& iterator, int after, LoopValue* item) {
  const LoopArray& array = arrays_[iterator.slot];
  const int32_t axis = PackAxis(iterator.slot, iterator.consumed);
  const uint16_t test = Emit(Code::kLessInt, iterator.reg, Emit(Code::kDim, 0, 0, axis));
  LeaveIf(Code::kJumpIfNot, test, after);
  const uint16_t place =
      Emit(Code::kIndex, static_cast<uint16_t>(iterator.reg + 1), iterator.reg, axis);
  if (iterator.consumed + 1 == array.rank) {
    *item = Element(iterator.slot, place);
    return true;
  }
  item->kind = Kind::kView;
  item->slot = iterator.slot;
  item->consumed = iterator.consumed + 1;
  item->reg = place;
  return true;
}

void LoopBuilder::Advance(const LoopValue& iterator) {
  const auto add = [this](uint16_t to, uint16_t amount) {
    const int exit = CurrentExit();
    LoopOp& step = Append(Code::kAddInt);
    step.d = to;
    step.a = to;
    step.b = amount;
    step.exit = exit;
  };
  if (iterator.is(Kind::kIterator)) {
    add(iterator.reg, static_cast<uint16_t>(iterator.reg + 1));
    add(static_cast<uint16_t>(iterator.reg + 2), IntConstant(-1));
  } else if (!iterator.is(Kind::kZip)) {
    add(iterator.reg, IntConstant(1));
  }
  for (const LoopValue& inner : iterator.items) Advance(inner);
}

}  // namespace dynacc::loops
