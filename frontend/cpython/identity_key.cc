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
         TypeLookup(type, key) == DictGetStr(enumeration->tp_dict, key) &&
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
  const bool is_python = (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0 && !HashesByAddress(type);
  BorrowedRef name = is_python ? MemberName(key) : nullptr;
  return PyObject_Hash(name != nullptr ? name : key);
}

}  // namespace dynacc
