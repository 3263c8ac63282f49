#include "frontend/cpython/identity_key.h"

#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/name_lookup.h"

namespace dynacc {
namespace {

BorrowedRef Interned(const char* text) { return PyUnicode_InternFromString(text); }

// enum.Enum, if the program has imported that module; else null.
PyTypeObject* EnumClass() {
  static const BorrowedRef module_name = Interned("enum"), class_name = Interned("Enum");
  BorrowedRef module = DictGetStr(PyImport_GetModuleDict(), module_name);
  if (module == nullptr || !PyModule_CheckExact(module)) return nullptr;
  BorrowedRef found = DictGetStr(PyModule_GetDict(module), class_name);
  return found != nullptr && PyType_Check(found) ? reinterpret_cast<PyTypeObject*>(found) : nullptr;
}

// CPython 3.11's Enum.__hash__ is hash(self._name_). Null for objects without a str there.
BorrowedRef MemberName(BorrowedRef member) {
  static const BorrowedRef key = Interned("_name_");
  LookupCell cell;
  BorrowedRef name = LookupInInstance(member, key, cell);
  return name != nullptr && PyUnicode_CheckExact(name) ? name : nullptr;
}

bool HashesByAddress(const PyTypeObject* type) {
  return type->tp_hash == PyBaseObject_Type.tp_hash;
}

}  // namespace

bool IsEnumMember(BorrowedRef object) {
  static const BorrowedRef key = Interned("__hash__");
  PyTypeObject* const type = Py_TYPE(object);
  PyTypeObject* const enumeration = EnumClass();
  return enumeration != nullptr && PyType_IsSubtype(type, enumeration) != 0 &&
         type->tp_richcompare == PyBaseObject_Type.tp_richcompare &&
         TypeLookup(type, key) == DictGetStr(NamespaceOf(enumeration), key) &&
         MemberName(object) != nullptr;
}

bool IsIdentityKey(BorrowedRef object) {
  const PyTypeObject* type = Py_TYPE(object);
  if (type->tp_richcompare != PyBaseObject_Type.tp_richcompare) return false;
  if (HashesByAddress(type)) return true;
  if (!IsEnumMember(object)) return false;
  const Py_hash_t hash = PyObject_Hash(object);
  if (hash == -1) PyErr_Clear();
  return hash != -1 && hash == KeyHash(object);
}

Py_hash_t KeyHash(BorrowedRef key) {
  const PyTypeObject* type = Py_TYPE(key);
  const bool is_python = (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0 && !HashesByAddress(type) &&
                         type->tp_hash != PyLong_Type.tp_hash;
  BorrowedRef name = is_python ? MemberName(key) : nullptr;
  return PyObject_Hash(name != nullptr ? name : key);
}

bool IsIntMember(BorrowedRef object) {
  PyTypeObject* const type = Py_TYPE(object);
  PyTypeObject* const enumeration = EnumClass();
  return enumeration != nullptr && PyType_IsSubtype(type, enumeration) != 0 &&
         BuiltinBase(type) == &PyLong_Type && type->tp_hash == PyLong_Type.tp_hash &&
         type->tp_richcompare == PyLong_Type.tp_richcompare;
}

Ref PlainFormOfMember(BorrowedRef object) {
  PyTypeObject* const enumeration = EnumClass();
  if (enumeration == nullptr || PyType_IsSubtype(Py_TYPE(object), enumeration) == 0) return Ref();
  PyTypeObject* const base = BuiltinBase(Py_TYPE(object));
  if (base == &PyLong_Type) return Ref::Steal(PyLong_Type.tp_as_number->nb_int(object));
  if (base == &PyFloat_Type) return Ref::Steal(PyFloat_FromDouble(PyFloat_AS_DOUBLE(object)));
  if (base == &PyUnicode_Type) return Ref::Steal(PyUnicode_FromObject(object));
  return Ref();
}

}  // namespace dynacc
