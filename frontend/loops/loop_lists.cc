// The part of LoopBuilder that reads and writes lists, and knows characters.
#include "frontend/cpython/int_layout.h"
#include "frontend/loops/loop_builder.h"
#include "frontend/loops/loop_sources.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;

// More than so many comparisons are no `in` of a loop over elements.
constexpr size_t kMostAlternatives = 16;

int BoxType(const LoopValue& value) {
  return value.is(LoopValue::Kind::kChar) ? kCharBox : static_cast<int>(value.type);
}

Code ItemCode(const LoopValue& element) {
  if (element.is(LoopValue::Kind::kList)) return Code::kItemList;
  if (element.is(LoopValue::Kind::kChar)) return Code::kItemOther;
  switch (element.type) {
    case NumberType::kPyFloat:
    case NumberType::kFloat64:
      return Code::kItemFloat;
    case NumberType::kPyInt:
      return kIntsHaveTags ? Code::kItemTaggedInt : Code::kItemInt;
    default:
      return IsFloat(element.type) ? Code::kItemOtherFloat : Code::kItemOther;
  }
}

Code SetCode(const LoopValue& value) {
  if (value.is(LoopValue::Kind::kChar) || !IsFloat(value.type)) return Code::kSetItemInt;
  return value.type == NumberType::kFloat32 ? Code::kSetItemOtherFloat : Code::kSetItemFloat;
}

}  // namespace

bool LoopBuilder::LoadTuple(uint16_t place, const LoopValue& element, LoopValue* item) {
  const auto size = static_cast<int>(element.items.size());
  const uint16_t first = Emit(Code::kItemTuple, place, 0, size);
  item->kind = Kind::kTuple;
  item->items.resize(size);
  for (int i = 0; i < size; ++i) {
    const uint16_t at = Emit(Code::kPlaceAfter, first, 0, i);
    if (!LoadItem(at, element.items[i], &item->items[i])) return false;
  }
  return true;
}

bool LoopBuilder::LoadItem(uint16_t place, const LoopValue& element, LoopValue* item) {
  if (element.is(Kind::kTuple)) return LoadTuple(place, element, item);
  if (element.is(Kind::kOpaque)) return Refuse("an item of a list of something else");
  *item = element;
  item->reg = Emit(ItemCode(element), place, 0, BoxType(element));
  return true;
}

bool LoopBuilder::SubscriptOfList(const LoopValue& list, const LoopValue& key) {
  if (!IsIndex(key)) return Refuse("an index that is no int");
  LoopValue item;
  if (!LoadItem(Emit(Code::kItemPlace, list.reg, key.reg), *list.element, &item)) return false;
  Push(std::move(item));
  return true;
}

// Between the place and the store there is nothing that could move the items.
bool LoopBuilder::StoreItem(const LoopValue& list, const LoopValue& key, const LoopValue& value) {
  if (!IsIndex(key)) return Refuse("an index that is no int");
  if (!value.is(Kind::kNumber) && !value.is(Kind::kChar)) return Refuse("an object into a list");
  const uint16_t place = Emit(Code::kItemPlace, list.reg, key.reg);
  Emit(SetCode(value), place, value.reg, BoxType(value));
  NoteEffect();
  return true;
}

bool LoopBuilder::Append(const LoopValue& list, const LoopValue& value) {
  if (!value.is(Kind::kNumber) && !value.is(Kind::kChar)) return Refuse("an object into a list");
  const bool is_float = value.is(Kind::kNumber) && IsFloat(value.type);
  Emit(is_float ? Code::kAppendFloat : Code::kAppendInt, list.reg, value.reg, BoxType(value));
  NoteEffect();
  Push(LoopValue::Object(Py_None));
  return true;
}

// A comprehension's.
bool LoopBuilder::ListAppend(int from_top) {
  const LoopValue value = Pop();
  const LoopValue& list = state_.stack[state_.stack.size() - from_top];
  if (!list.is(Kind::kList)) return Refuse("LIST_APPEND");
  return Append(LoopValue(list), value) && Drop();
}

bool LoopBuilder::PopItem(const LoopValue& list) {
  if (list.element->is(Kind::kList)) return Refuse("a list leaves a list");
  LoopValue item;
  const uint16_t place = Emit(Code::kItemPlace, list.reg, IntConstant(-1));
  if (!LoadItem(place, *list.element, &item)) return false;
  Emit(Code::kPopItem, list.reg);
  NoteEffect();
  Push(std::move(item));
  return true;
}

bool LoopBuilder::CompareChars(int compare_op, const LoopValue& a, const LoopValue& b) {
  uint16_t result = 0;
  const LoopValue left = LoopValue::Number(NumberType::kPyInt, a.reg);
  const LoopValue right = LoopValue::Number(NumberType::kPyInt, b.reg);
  return CompareNumbers(compare_op, left, right, &result) &&
         PushNumber(NumberType::kPyBool, result);
}

bool LoopBuilder::Alternatives(const LoopValue& container, std::vector<LoopValue>* result) {
  if (container.is(Kind::kTuple)) {
    *result = container.items;
    return result->size() <= kMostAlternatives;
  }
  if (!container.is(Kind::kObject) || !PyUnicode_CheckExact(container.object)) return false;
  const Py_ssize_t size = PyUnicode_GET_LENGTH(container.object);
  if (size > static_cast<Py_ssize_t>(kMostAlternatives)) return false;
  for (Py_ssize_t i = 0; i < size; ++i) {
    LoopValue character;
    character.kind = Kind::kChar;
    character.reg = IntConstant(PyUnicode_READ_CHAR(container.object, i));
    result->push_back(std::move(character));
  }
  return true;
}

// In a tuple of ints or of characters, or in a string constant. (A NaN would be found by identity.)
bool LoopBuilder::Contains(bool inverted) {
  const LoopValue container = Pop();
  const LoopValue value = Pop();
  std::vector<LoopValue> alternatives;
  const bool is_char = value.is(Kind::kChar);
  if (!is_char && (!IsIndex(value) || container.is(Kind::kObject))) return Refuse("in");
  if (!Alternatives(container, &alternatives)) return Refuse("in");
  uint16_t found = IntConstant(0);
  for (const LoopValue& alternative : alternatives) {
    if (is_char ? !alternative.is(Kind::kChar) : !IsIndex(alternative)) return Refuse("in");
    found = Emit(Code::kOrInt, found, Emit(Code::kEqualInt, value.reg, alternative.reg));
  }
  return PushNumber(NumberType::kPyBool, inverted ? Emit(Code::kNotInt, found) : found);
}

bool LoopBuilder::IsSame(bool inverted) {
  const LoopValue b = Pop();
  const LoopValue a = Pop();
  const bool known = a.is(Kind::kObject) || b.is(Kind::kObject);
  const LoopValue& one = a.is(Kind::kObject) ? a : b;
  const LoopValue& other = a.is(Kind::kObject) ? b : a;
  // A bool's object is known to nobody here.
  if (!known || (one.object != Py_None && !other.is(Kind::kObject))) return Refuse("is");
  const bool same = other.is(Kind::kObject) && one.object == other.object;
  return PushNumber(NumberType::kPyBool, IntConstant(same != inverted ? 1 : 0));
}

bool LoopBuilder::BranchIfNone(bool truth, int offset) {
  const LoopValue value = Pop();
  const bool is_none = value.is(Kind::kObject) && value.object == Py_None;
  return Branch(LoopValue::Number(NumberType::kPyBool, IntConstant(is_none ? 1 : 0)), truth,
                offset);
}

}  // namespace dynacc::loops
