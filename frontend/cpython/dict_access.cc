#include "frontend/cpython/dict_access.h"

#include "frontend/cpython/class_states.h"
#include "frontend/cpython/dict_layout.h"
#include "frontend/cpython/layout.h"
#include "frontend/cpython/name_lookup.h"

namespace dynacc {
namespace {

// A dict that ever had a key which is not a str may hold keys with an __eq__ of their own: scan it.
BorrowedRef ScanForStr(BorrowedRef dict, BorrowedRef name) {
  Py_ssize_t position = 0;
  PyObject* key;
  PyObject* value;
  while (PyDict_Next(dict, &position, &key, &value)) {
    if (key == name) return value;
    if (PyUnicode_CheckExact(key) && SameStr(key, name)) return value;
  }
  return nullptr;
}

// A class statement makes types of the heap that may change, without a __new__ in C of their own.
bool IsWrittenInC(PyTypeObject* type) {
  if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) || type->tp_new == nullptr) return true;
  if (PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE)) return true;
  static PyObject* const name = PyUnicode_InternFromString("__new__");
  BorrowedRef made_by = DictGetStr(TypeDict(type), name);
  return made_by != nullptr && PyCFunction_Check(made_by);
}

// Whether a look-up of a name in the type may compare keys by code of the program's.
bool HasOddNames(PyTypeObject* type) {
  PyObject* const mro = type->tp_mro;
  for (Py_ssize_t i = 0; mro != nullptr && i < PyTuple_GET_SIZE(mro); ++i) {
    BorrowedRef dict = TypeDict(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(mro, i)));
    if (dict != nullptr && !DK_IS_UNICODE(reinterpret_cast<PyDictObject*>(dict)->ma_keys))
      return true;
  }
  return false;
}

}  // namespace

BorrowedRef DictGetStr(BorrowedRef dict, BorrowedRef name) {
  if (!PyDict_CheckExact(dict) || !PyUnicode_CheckExact(name)) return nullptr;
  if (reinterpret_cast<PyDictObject*>(dict)->ma_keys->dk_kind == DICT_KEYS_GENERAL)
    return ScanForStr(dict, name);
  Py_hash_t hash = reinterpret_cast<PyASCIIObject*>(name)->hash;
  if (hash == -1) hash = PyObject_Hash(name);
  return _PyDict_GetItem_KnownHash(dict, name, hash);
}

uint32_t TypeVersion(PyTypeObject* type) {
  if (HasOddNames(type)) return 0;
  if (type->tp_version_tag == 0) {
    // A look-up of any interned name assigns a version, where the type and its bases allow one.
    Ref name = Ref::Steal(PyUnicode_InternFromString("__class__"));
    if (!name) {
      PyErr_Clear();
      return 0;
    }
    _PyType_Lookup(type, name.get());
  }
  return StateOfVersion(type->tp_version_tag);
}

const uint64_t* PlaceOfDictVersion(BorrowedRef dict) {
  auto* of = reinterpret_cast<PyDictObject*>(dict);
  return HasVersion(of) ? &VersionTag(of) : nullptr;
}

BorrowedRef NamespaceOf(PyTypeObject* type) { return TypeDict(type); }

PyTypeObject* BuiltinBase(PyTypeObject* type) {
  while (!IsWrittenInC(type)) type = type->tp_base;
  return type;
}

}  // namespace dynacc
