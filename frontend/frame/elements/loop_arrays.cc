// The part of LoopBuilder that reads and writes elements of arrays.
#include "frontend/cpython/dict_access.h"
#include "frontend/frame/elements/loop_builder.h"

namespace dynacc {
namespace {

using Code = LoopOpCode;

// Loads and stores alternate in the order of NumberType (loop_ops.def).
Code LoadCode(NumberType element) {
  const int index = static_cast<int>(element) - static_cast<int>(NumberType::kBool);
  return static_cast<Code>(static_cast<int>(Code::kLoadBool) + 2 * index);
}
Code StoreCode(NumberType element) {
  return static_cast<Code>(static_cast<int>(LoadCode(element)) + 1);
}

absl::string_view Text(BorrowedRef name) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(name, &size);
  if (text == nullptr) PyErr_Clear();
  return text == nullptr ? "" : absl::string_view(text, size);
}

}  // namespace

bool LoopBuilder::Locate(const LoopValue& array, const LoopValue& key, uint16_t* place,
                         int* consumed) {
  if (!array.is(Kind::kArray) && !array.is(Kind::kView)) return Refuse("an item of something else");
  const bool is_view = array.is(Kind::kView);
  *place = is_view ? array.reg : IntConstant(0);
  *consumed = is_view ? array.consumed : 0;
  const std::vector<LoopValue> single = {key};
  for (const LoopValue& index : key.is(Kind::kTuple) ? key.items : single) {
    if (!IsIndex(index) || *consumed == arrays_[array.slot].rank) {
      return Refuse("an index that is no int");
    }
    *place = Emit(Code::kIndex, *place, index.reg, PackAxis(array.slot, (*consumed)++));
  }
  return true;
}

bool LoopBuilder::LoadElement(int slot, uint16_t place) {
  const NumberType element = arrays_[slot].element;
  Push(LoopValue::Number(element, Emit(LoadCode(element), place, 0, slot)));
  return true;
}

bool LoopBuilder::Subscript() {
  const LoopValue key = Pop();
  const LoopValue array = Pop();
  if (array.is(Kind::kTuple)) {
    int64_t index = 0;
    const auto size = static_cast<int64_t>(array.items.size());
    if (!KnownInt(key, &index) || index < -size || index >= size)
      return Refuse("an item of a tuple");
    Push(array.items[index < 0 ? index + size : index]);
    return true;
  }
  uint16_t place = 0;
  int consumed = 0;
  if (!Locate(array, key, &place, &consumed)) return false;
  if (consumed == arrays_[array.slot].rank) return LoadElement(array.slot, place);
  if (consumed == 0) return Refuse("a whole array");
  LoopValue view;
  view.kind = Kind::kView;
  view.slot = array.slot;
  view.consumed = consumed;
  view.reg = place;
  Push(view);
  return true;
}

bool LoopBuilder::StoreSubscript() {
  const LoopValue key = Pop();
  const LoopValue array = Pop();
  const LoopValue value = Pop();
  if (!value.is(Kind::kNumber)) return Refuse("a store of something else than a number");
  uint16_t place = 0;
  int consumed = 0;
  if (!Locate(array, key, &place, &consumed)) return false;
  if (consumed != arrays_[array.slot].rank) return Refuse("a store to part of an array");
  return StoreElement(array.slot, place, value);
}

// As NumPy converts a number that is assigned to an element; what it would warn about or wrap is
// left to it.
bool LoopBuilder::StoreElement(int slot, uint16_t place, const LoopValue& value) {
  const NumberType element = arrays_[slot].element;
  uint16_t stored = value.reg;
  if (IsBool(element)) {
    if (!Truth(value, &stored)) return false;
    stored = Emit(Code::kTruthInt, stored);
  } else if (IsFloat(element)) {
    stored = AsFloatOf(value, element);
  } else if (IsFloat(value.type)) {
    stored = FitInt(Emit(Code::kToInt, value.reg), element);
  } else if (!AsIntOf(value, element, &stored)) {
    return false;
  }
  LoopOp& store = Append(StoreCode(element));
  store.a = place;
  store.b = stored;
  store.k = slot;
  arrays_[slot].written = true;
  return true;
}

bool LoopBuilder::AttributeOfArray(const LoopValue& array, absl::string_view name) {
  const int rank = arrays_[array.slot].rank;
  LoopValue shape;
  shape.kind = Kind::kTuple;
  if (name == "ndim") return PushNumber(NumberType::kPyInt, IntConstant(rank - array.consumed));
  if (name != "shape" && name != "size") return false;
  uint16_t size = IntConstant(1);
  for (int axis = array.consumed; axis < rank; ++axis) {
    const uint16_t extent = Emit(Code::kDim, 0, 0, PackAxis(array.slot, axis));
    shape.items.push_back(LoopValue::Number(NumberType::kPyInt, extent));
    if (name == "size") size = Emit(Code::kMulInt, size, extent);
  }
  if (name == "size") return PushNumber(NumberType::kPyInt, size);
  Push(std::move(shape));
  return true;
}

bool LoopBuilder::AttributeOfModule(BorrowedRef module, BorrowedRef name, LoopValue* value) {
  if (!PyModule_CheckExact(module)) return false;
  BorrowedRef object = DictGetStr(PyModule_GetDict(module), name);
  if (object == nullptr) return false;
  attributes_.push_back({module, name, object});
  const std::optional<NumberType> type = TypeOfNumber(object);
  *value =
      type ? LoopValue::Number(*type, Constant(Unbox(object, *type))) : LoopValue::Object(object);
  return true;
}

bool LoopBuilder::Attribute(BorrowedRef name) {
  const LoopValue object = Pop();
  if (object.is(Kind::kArray) || object.is(Kind::kView)) {
    return AttributeOfArray(object, Text(name)) || Refuse("an attribute of an array");
  }
  LoopValue value;
  if (!object.is(Kind::kObject) || !AttributeOfModule(object.object, name, &value)) {
    return Refuse("an attribute");
  }
  Push(std::move(value));
  return true;
}

bool LoopBuilder::Method(BorrowedRef name) {
  const LoopValue object = Pop();
  LoopValue value;
  if (!object.is(Kind::kObject) || !AttributeOfModule(object.object, name, &value)) {
    return Refuse("a method");
  }
  PushNull();
  Push(std::move(value));
  return true;
}

}  // namespace dynacc
