#include "frontend/loops/loop_instances.h"

#include <structmember.h>

#include "frontend/cpython/class_states.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/name_lookup.h"

namespace dynacc::loops {
namespace {

using Place = LoopField::Place;

// More objects than these are no loop's own state.
constexpr size_t kMostInstances = 16;

bool OwnsItsDict(BorrowedRef object) {
  BorrowedRef dict = DictOfInstance(object);
  return dict == nullptr || (PyDict_CheckExact(dict) && Py_REFCNT(dict) == 1);
}

bool StoresPlainly(BorrowedRef object) {
  return Py_TYPE(object)->tp_setattro == PyObject_GenericSetAttr;
}

// Whether it is no data descriptor, and never becomes one: an instance's own attribute comes first.
bool StaysWhatItIs(BorrowedRef of_class) {
  return PyFunction_Check(of_class) || IsPlainData(of_class);
}

BorrowedRef OwnAttribute(BorrowedRef object, BorrowedRef name) {
  LookupCell cell;
  return LookupInInstance(object, name, cell);
}

// Null if there is nothing now, or if it is no place for objects of any kind.
PyObject** PlaceOfSlot(BorrowedRef object, BorrowedRef descriptor) {
  if (Py_TYPE(descriptor) != &PyMemberDescr_Type) return nullptr;
  const PyMemberDef* member = reinterpret_cast<PyMemberDescrObject*>(descriptor)->d_member;
  const bool is_ours = PyType_IsSubtype(Py_TYPE(object), PyDescr_TYPE(descriptor)) != 0;
  if (!is_ours || member->type != T_OBJECT_EX || member->flags != 0) return nullptr;
  return reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + member->offset);
}

std::optional<LoopField> OfDescriptor(BorrowedRef object, BorrowedRef descriptor) {
  LoopField field;
  field.place = Place::kData;
  if (Py_TYPE(descriptor) == &PyProperty_Type) return field;
  PyObject** const place = PlaceOfSlot(object, descriptor);
  if (place == nullptr || *place == nullptr) return std::nullopt;
  field.place = Place::kSlot;
  field.offset = reinterpret_cast<char*>(place) - reinterpret_cast<char*>(object);
  field.is_writable = StoresPlainly(object);
  return field;
}

}  // namespace

bool HasPlainAttributes(BorrowedRef object) {
  const PyTypeObject* type = Py_TYPE(object);
  return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0 &&
         type->tp_getattro == PyObject_GenericGetAttr && OwnsItsDict(object);
}

std::optional<int> NumberOfInstance(BorrowedRef object, std::vector<LoopInstance>* instances) {
  for (size_t i = 0; i < instances->size(); ++i) {
    if ((*instances)[i].object == object) return static_cast<int>(i);
  }
  if (instances->size() == kMostInstances) return std::nullopt;
  instances->push_back({.object = object});
  return static_cast<int>(instances->size()) - 1;
}

bool Matches(const LoopInstance& instance, BorrowedRef object) {
  return Py_TYPE(object) == instance.type && TypeVersion(instance.type) == instance.version &&
         OwnsItsDict(object);
}

std::optional<LoopField> FindField(BorrowedRef object, BorrowedRef name) {
  BorrowedRef descriptor = TypeLookup(Py_TYPE(object), name);
  if (descriptor != nullptr && Py_TYPE(descriptor)->tp_descr_set != nullptr) {
    return OfDescriptor(object, descriptor);
  }
  LoopField field;
  BorrowedRef own = OwnAttribute(object, name);
  if (own == Unreadable() || (own == nullptr && descriptor == nullptr)) return std::nullopt;
  if (descriptor != nullptr && !StaysWhatItIs(descriptor)) return std::nullopt;
  field.place = own != nullptr ? Place::kOwn : Place::kClass;
  field.is_writable = own != nullptr && StoresPlainly(object);
  return field;
}

BorrowedRef ReadField(BorrowedRef object, const LoopField& field) {
  if (field.place == Place::kSlot) {
    return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + field.offset);
  }
  BorrowedRef own = field.place == Place::kData ? nullptr : OwnAttribute(object, field.name);
  if (own == Unreadable()) return nullptr;
  if (field.place == Place::kOwn) return own;
  return own != nullptr ? nullptr : TypeLookup(Py_TYPE(object), field.name);
}

bool WriteField(BorrowedRef object, const LoopField& field, BorrowedRef value) {
  return PyObject_GenericSetAttr(object, field.name, value) == 0;
}

}  // namespace dynacc::loops
