// The part of LoopBuilder that reads, writes and calls attributes of objects.
#include <algorithm>
#include <utility>

#include "frontend/cpython/dict_access.h"
#include "frontend/loops/loop_builder.h"
#include "frontend/loops/loop_sources.h"

namespace dynacc::loops {
namespace {

using Place = LoopField::Place;

// Whether it is a function of the class, which is bound to the instance.
bool IsBound(const LoopField& field) {
  return field.place == Place::kClass && field.value.is(LoopValue::Kind::kObject) &&
         PyFunction_Check(field.value.object);
}

// Null if it has none.
Ref GetterOf(BorrowedRef property) {
  Ref getter = Ref::Steal(PyObject_GetAttrString(property, "fget"));
  PyErr_Clear();
  return getter;
}

bool IsPlainValue(const LoopValue& value) {
  return value.is(LoopValue::Kind::kNumber) || value.is(LoopValue::Kind::kChar);
}

// A slot may have two names.
bool IsSameSlot(const LoopField& one, const LoopField& other) {
  return one.place == Place::kSlot && other.place == Place::kSlot && one.offset == other.offset;
}

template <typename Test>
int Find(const std::vector<LoopField>& fields, Test test) {
  const auto found = std::find_if(fields.begin(), fields.end(), test);
  return found == fields.end() ? -1 : static_cast<int>(found - fields.begin());
}

}  // namespace

// The number of the attribute among the program's fields; -1 if it can be none.
int LoopBuilder::FieldOf(int instance, BorrowedRef name) {
  const int known = Find(fields_, [&](const LoopField& field) {
    return field.instance == instance && field.name == name;
  });
  if (known >= 0) return known;
  LoopInstance& owner = instances_[instance];
  std::optional<LoopField> field = FindField(owner.object, name);
  const uint32_t version = TypeVersion(Py_TYPE(owner.object));
  if (!field || version == 0 || end_of_reserved_ == kMostReserved) return -1;
  const int same_slot = Find(fields_, [&](const LoopField& other) {
    return other.instance == instance && IsSameSlot(other, *field);
  });
  if (same_slot >= 0) return same_slot;
  owner.is_read = true;
  owner.type = Py_TYPE(owner.object);
  owner.version = version;
  field->instance = instance;
  field->name = name;
  BorrowedRef content = ReadField(owner.object, *field);
  if (field->place == Place::kData) {
    field->value = LoopValue::Object(content);
  } else {
    field->home = Reserve(1);
    field->value = ObserveObject(content, field->home, false, &arrays_, &instances_);
  }
  if (field->value.is(Kind::kOpaque)) return -1;
  fields_.push_back(*std::move(field));
  return static_cast<int>(fields_.size()) - 1;
}

const LoopValue& LoopBuilder::ContentOf(int field) const {
  const auto number = static_cast<size_t>(field);
  const bool is_written = number < state_.fields.size() && !state_.fields[number].is(Kind::kOpaque);
  return is_written ? state_.fields[number] : fields_[number].value;
}

// A property's function is called with the instance, which is on the stack of before_.
bool LoopBuilder::AttributeOfInstance(const LoopValue& object, BorrowedRef name) {
  const int field = FieldOf(object.slot, name);
  if (field < 0) return Refuse("an attribute of an object");
  if (fields_[field].place == Place::kData) {
    const Ref getter = GetterOf(fields_[field].value.object);
    const bool is_followed = getter && PyFunction_Check(getter.get());
    return (is_followed && CallFunction(getter.get(), 1, 1)) || Refuse("a property");
  }
  if (IsBound(fields_[field])) return Refuse("a bound method");
  Push(LoopValue(ContentOf(field)));
  return true;
}

bool LoopBuilder::MethodOfInstance(const LoopValue& object, BorrowedRef name) {
  const int field = FieldOf(object.slot, name);
  if (field < 0 || fields_[field].place == Place::kData) return Refuse("a method of an object");
  LoopValue method = ContentOf(field);
  if (IsBound(fields_[field])) {
    methods_.insert(method.object);
    Push(std::move(method));
    Push(object);
    return true;
  }
  Push(std::move(method));
  AddNull();
  return true;
}

// What was there dies at the program's exit, and must be nothing that could tell.
bool LoopBuilder::StoreAttribute(BorrowedRef name) {
  const LoopValue object = Pop();
  LoopValue value = Pop();
  if (!object.is(Kind::kInstance)) return Refuse("an attribute that is written");
  if (!IsPlainValue(value)) {
    return IsArray(value) ? RefuseArrays("an array in an attribute")
                          : Refuse("an object in an attribute");
  }
  const int field = FieldOf(object.slot, name);
  const bool is_known = field >= 0 && fields_[field].is_writable;
  if (!is_known || !(IsPlainValue(fields_[field].value) ||
                     fields_[field].value.object == static_cast<PyObject*>(Py_None))) {
    return Refuse("an attribute that is written");
  }
  return WriteToField(field, std::move(value));
}

// What a called function writes leaves alone what the field was before the call, in its home: so
// that an exit, which makes the whole call Python's, is right after it (Return).
bool LoopBuilder::WriteToField(int number, LoopValue value) {
  uint16_t home = fields_[number].home;
  if (state_.call != nullptr) home = TupleHome(home);
  Rescue(home);
  if (value.reg != home) Settle(value, home);
  if (state_.fields.size() < fields_.size()) state_.fields.resize(fields_.size());
  state_.fields[number] = std::move(value);
  fields_[number].written = true;
  return true;
}

}  // namespace dynacc::loops
