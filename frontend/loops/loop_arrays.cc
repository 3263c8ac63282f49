// The part of LoopBuilder that reads and writes elements of arrays.
#include "frontend/cpython/dict_access.h"
#include "frontend/loops/loop_builder.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;

// Loads and stores alternate in the order of NumberType (loop_ops.def).
Code LoadCode(NumberType element) {
  const int index = static_cast<int>(element) - static_cast<int>(NumberType::kBool);
  return static_cast<Code>(static_cast<int>(Code::kLoadBool) + 2 * index);
}

absl::string_view Text(BorrowedRef name) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(name, &size);
  if (text == nullptr) PyErr_Clear();
  return text == nullptr ? "" : absl::string_view(text, size);
}

}  // namespace

Code LoopBuilder::StoreCode(NumberType element) {
  return static_cast<Code>(static_cast<int>(LoadCode(element)) + 1);
}

bool LoopBuilder::Locate(const LoopValue& array, const LoopValue& key, uint16_t* place,
                         int* consumed) {
  if (!array.is(Kind::kArray) && !array.is(Kind::kView)) return Refuse("an item of something else");
  if (!arrays_[array.slot].is_array() && key.is(Kind::kTuple))
    return Refuse("a tuple for an index");
  const bool is_view = array.is(Kind::kView);
  *place = is_view ? array.reg : IntConstant(0);
  *consumed = is_view ? array.consumed : 0;
  const std::vector<LoopValue> single = {key};
  for (const LoopValue& index : key.is(Kind::kTuple) ? key.items : single) {
    if (!IsIndex(index) || *consumed == arrays_[array.slot].rank) {
      return RefuseArrays("an index that is no int");
    }
    *place = Emit(Code::kIndex, *place, index.reg, PackAxis(array.slot, (*consumed)++));
  }
  return true;
}

uint16_t LoopBuilder::PlaceOfImaginary(uint16_t place) {
  return Emit(Code::kPlaceAfter, place, 0, 1);
}

LoopValue LoopBuilder::Element(int slot, uint16_t place) {
  const NumberType element = arrays_[slot].element;
  if (element == NumberType::kComplex128) {
    const uint16_t real = Emit(Code::kLoadFloat64, place, 0, slot);
    return LoopValue::Complex(element, real,
                              Emit(Code::kLoadFloat64, PlaceOfImaginary(place), 0, slot));
  }
  const uint16_t reg = Emit(LoadCode(element), place, 0, slot);
  if (arrays_[slot].is_array()) return LoopValue::Number(element, reg);
  LoopValue value = LoopValue::Number(NumberType::kPyInt, reg);
  if (arrays_[slot].kind == LoopArray::Kind::kText) value.kind = Kind::kChar;
  return value;
}

bool LoopBuilder::Subscript() {
  const LoopValue key = AsIndex(Pop());
  LoopValue array = Pop();
  if (array.is(Kind::kObject)) FromConstant(array.object, &array);
  if (array.is(Kind::kTuple)) {
    int64_t index = 0;
    const auto size = static_cast<int64_t>(array.items.size());
    if (!KnownInt(key, &index) || index < -size || index >= size)
      return Refuse("an item of a tuple");
    Push(array.items[index < 0 ? index + size : index]);
    return true;
  }
  if (array.is(Kind::kList)) return SubscriptOfList(array, key);
  if (NamesElements(array, key)) return Gather(array, key);
  if (NamesSlice1d(array, key)) return SubscriptOfSlice1d(array, key);
  if (array.is(Kind::kSlice1d)) return ItemOfSlice1d(array, key);
  if (array.is(Kind::kWindow)) return SubscriptOfWindow(array, key);
  if (NamesParts(key) && NamesWindow(array, key)) {
    LoopValue window;
    if (!LocateWindow(array, key, &window)) return false;
    Push(std::move(window));
    return true;
  }
  uint16_t place = 0;
  int consumed = 0;
  if (!Locate(array, key, &place, &consumed)) return false;
  if (consumed == arrays_[array.slot].rank) {
    Push(Element(array.slot, place));
    return true;
  }
  if (consumed == 0) return RefuseArrays("a whole array");
  LoopValue view;
  view.kind = Kind::kView;
  view.slot = array.slot;
  view.consumed = consumed;
  view.reg = place;
  Push(view);
  return true;
}

// Elements of the last axis, or parts of an array one after the other.
bool LoopBuilder::UnpackArray(const LoopValue& array, int count) {
  const LoopArray& unpacked = arrays_[array.slot];
  const int axis = array.is(Kind::kView) ? array.consumed : 0;
  if (!unpacked.is_array() || axis >= unpacked.rank) return false;
  RequireCount(Emit(Code::kDim, 0, 0, PackAxis(array.slot, axis)), count);
  for (int i = count - 1; i >= 0; --i) {
    Push(array);
    Push(LoopValue::Number(NumberType::kPyInt, IntConstant(i)));
    if (!Subscript()) return false;
  }
  return true;
}

bool LoopBuilder::StoreSubscript() {
  const LoopValue key = AsIndex(Pop());
  const LoopValue array = Pop();
  if (array.is(Kind::kList)) return StoreItem(array, key, Pop());
  const LoopValue value = AsPythons(Pop());
  if (NamesElements(array, key)) return Scatter(array, key, value);
  if (NamesSlice1d(array, key)) return StoreSlice1d(array, key, value);
  if (array.is(Kind::kSlice1d)) return StoreItemOfSlice1d(array, key, value);
  if (NamesWindow(array, key)) return StoreWindow(array, key, value);
  if (!value.is(Kind::kNumber) && !IsComplex(value))
    return IsArray(array) ? RefuseArrays("a store of something else than a number")
                          : Refuse("a store of something else than a number");
  uint16_t place = 0;
  int consumed = 0;
  if (!Locate(array, key, &place, &consumed)) return false;
  if (consumed != arrays_[array.slot].rank) return RefuseArrays("a store to part of an array");
  return StoreElement(array.slot, place, value);
}

bool LoopBuilder::Convert(const LoopValue& value, NumberType type, uint16_t* reg) {
  if (IsBool(type)) {
    if (!Truth(value, reg)) return false;
    *reg = Emit(Code::kTruthInt, *reg);
  } else if (IsFloat(type)) {
    *reg = AsFloatOf(value, type);
  } else if (IsFloat(value.type)) {
    *reg = FitInt(Emit(Code::kToInt, value.reg), type);
  } else if (!AsIntOf(value, type, reg)) {
    return false;
  }
  return true;
}

// As NumPy converts a number that is assigned to an element; what it would warn about or wrap is
// left to it.
bool LoopBuilder::StoreElement(int slot, uint16_t place, const LoopValue& value) {
  const LoopArray& array = arrays_[slot];
  const NumberType element = array.element;
  if (!array.is_array() && (array.kind != LoopArray::Kind::kByteArray || !IsIndex(value))) {
    return Refuse("a store to something else than an array");
  }
  const auto store = [&](NumberType type, uint16_t at, uint16_t number) {
    LoopOp& op = Append(StoreCode(type));
    op.a = at;
    op.b = number;
    op.k = slot;
  };
  if (element == NumberType::kComplex128) {
    const LoopValue stored = AsComplex(value, element);
    const uint16_t imaginary = PlaceOfImaginary(place);
    RememberElement(slot, place, sizeof(double));
    RememberElement(slot, imaginary, sizeof(double));
    store(NumberType::kFloat64, place, stored.items[0].reg);
    store(NumberType::kFloat64, imaginary, stored.items[1].reg);
  } else {
    uint16_t stored = 0;
    if (!value.is(Kind::kNumber)) return Refuse("a store of a complex to another array");
    if (!Convert(value, element, &stored)) return false;
    RememberElement(slot, place, ItemSize(DTypeOf(element)));
    store(element, place, stored);
  }
  arrays_[slot].written = true;
  return true;
}

void LoopBuilder::RememberElement(int slot, uint16_t place, int64_t size) {
  if (state_.call != nullptr && !state_.has_effect) {
    RememberAt(Emit(Code::kAddress, place, 0, slot), size);
  }
}

void LoopBuilder::RememberAt(uint16_t address, int64_t size) {
  if (state_.call == nullptr || state_.has_effect) return;
  Emit(Code::kRemember, address, 0, static_cast<int32_t>(size));
  state_.has_stores = program_.remembers = true;
}

bool LoopBuilder::AttributeOfArray(const LoopValue& array, absl::string_view name) {
  if (!arrays_[array.slot].is_array()) return false;
  const int rank = arrays_[array.slot].rank;
  LoopValue shape;
  shape.kind = Kind::kTuple;
  if (name == "ndim") return PushNumber(NumberType::kPyInt, IntConstant(rank - array.consumed));
  if (name == "dtype" && makes_arrays_) {
    BorrowedRef dtype = DTypeObjectOf(arrays_[array.slot].element);
    if (dtype == nullptr) return false;
    arrays_[array.slot].has_own_dtype = true;
    Push(LoopValue::Object(dtype));
    return true;
  }
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
  known_items_.push_back({module, PyModule_GetDict(module), name, object});
  const std::optional<NumberType> type = TypeOfNumber(object);
  *value =
      type ? LoopValue::Number(*type, Constant(Unbox(object, *type))) : LoopValue::Object(object);
  return true;
}

bool LoopBuilder::Attribute(BorrowedRef name) {
  const LoopValue object = Pop();
  if (object.is(Kind::kArray) || object.is(Kind::kView)) {
    return AttributeOfArray(object, Text(name)) || RefuseArrays("an attribute of an array");
  }
  if (object.is(Kind::kSlice1d)) {
    return AttributeOfSlice1d(object, Text(name)) || RefuseArrays("an attribute of a row");
  }
  if (object.is(Kind::kInstance)) return AttributeOfInstance(object, name);
  if (IsComplex(object)) return AttributeOfComplex(object, Text(name));
  LoopValue value;
  if (!object.is(Kind::kObject) || !AttributeOfModule(object.object, name, &value)) {
    return Refuse("an attribute");
  }
  Push(std::move(value));
  return true;
}

bool LoopBuilder::Method(BorrowedRef name) {
  const LoopValue object = Pop();
  PyTypeObject* const type = object.is(Kind::kList) ? &PyList_Type
                             : IsComplex(object)    ? ClassOfComplex(object)
                                                    : &PyLong_Type;
  if (object.is(Kind::kList) || IsComplex(object) ||
      (object.is(Kind::kNumber) && object.type == NumberType::kPyInt)) {
    BorrowedRef method = TypeLookup(type, name);
    if (method == nullptr) return Refuse("a method");
    Push(LoopValue::Object(method));
    Push(object);
    return true;
  }
  if (IsArray(object)) {
    return MethodOfSlice1d(name, object) || RefuseArrays("a method of an array");
  }
  if (object.is(Kind::kInstance)) return MethodOfInstance(object, name);
  LoopValue value;
  if (!object.is(Kind::kObject) || !AttributeOfModule(object.object, name, &value)) {
    return Refuse("a method");
  }
  Push(std::move(value));
  AddNull();
  return true;
}

}  // namespace dynacc::loops
