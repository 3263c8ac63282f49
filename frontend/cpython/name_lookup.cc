#include "frontend/cpython/name_lookup.h"

#include <cstring>

#include "frontend/cpython/dict_layout.h"
#include "frontend/cpython/identity_key.h"

namespace dynacc {
namespace {

constexpr int64_t kAbsent = -1;
constexpr int64_t kUnreadable = -2;

PyTypeObject UnreadableType() {
  PyTypeObject type{};
  Py_SET_REFCNT(&type, 1);
  type.tp_name = "dynacc.unreadable";
  type.tp_basicsize = sizeof(PyObject);
  return type;
}

PyTypeObject unreadable_type = UnreadableType();

Py_hash_t HashOf(BorrowedRef str) { return reinterpret_cast<PyASCIIObject*>(str)->hash; }

// The index table of a keys object has the narrowest type that fits (see pycore_dict.h).
int64_t IndexAt(const PyDictKeysObject* keys, size_t slot) {
  const int log2_size = keys->dk_log2_size;
  if (log2_size < 8) return reinterpret_cast<const int8_t*>(keys->dk_indices)[slot];
  if (log2_size < 16) return reinterpret_cast<const int16_t*>(keys->dk_indices)[slot];
  if (log2_size < 32) return reinterpret_cast<const int32_t*>(keys->dk_indices)[slot];
  return reinterpret_cast<const int64_t*>(keys->dk_indices)[slot];
}

bool IsKey(BorrowedRef key, BorrowedRef name) {
  return key == name || (HashOf(key) == HashOf(name) && SameStr(key, name));
}

// Entry of `name` where all keys are exact strs. The probe sequence is that of
// unicodekeys_lookup_unicode in CPython's Objects/dictobject.c.
int64_t FindAmongStrs(PyDictKeysObject* keys, BorrowedRef name) {
  const PyDictUnicodeEntry* entries = DK_UNICODE_ENTRIES(keys);
  const size_t mask = DK_SIZE(keys) - 1;
  const Py_hash_t hash = HashOf(name);
  size_t perturb = static_cast<size_t>(hash);
  size_t slot = static_cast<size_t>(hash) & mask;
  for (;;) {
    const int64_t index = IndexAt(keys, slot);
    if (index >= 0 && IsKey(entries[index].me_key, name)) return index;
    if (index == DKIX_EMPTY) return kAbsent;
    perturb >>= 5;  // PERTURB_SHIFT
    slot = (slot * 5 + perturb + 1) & mask;
  }
}

// The same among keys of any type: rare, so a plain walk. A key of another type with the name's
// hash could be equal to it.
int64_t FindAmongAny(PyDictKeysObject* keys, BorrowedRef name) {
  const PyDictKeyEntry* entries = DK_ENTRIES(keys);
  int64_t found = kAbsent;
  for (int64_t i = 0; i < keys->dk_nentries; ++i) {
    if (entries[i].me_key == nullptr || entries[i].me_hash != HashOf(name)) continue;
    if (!PyUnicode_CheckExact(entries[i].me_key)) return kUnreadable;
    if (SameStr(entries[i].me_key, name)) found = i;
  }
  return found;
}

// Value of the plain constant `key` where keys are of any type: the probe sequence of
// dictkeys_generic_lookup in CPython's Objects/dictobject.c.
BorrowedRef FindPlainKey(PyDictKeysObject* keys, BorrowedRef key, Py_hash_t hash) {
  const PyDictKeyEntry* entries = DK_ENTRIES(keys);
  const size_t mask = DK_SIZE(keys) - 1;
  size_t perturb = static_cast<size_t>(hash);
  size_t slot = static_cast<size_t>(hash) & mask;
  for (;;) {
    const int64_t index = IndexAt(keys, slot);
    if (index == DKIX_EMPTY) return nullptr;
    if (index >= 0 && entries[index].me_hash == hash) {
      if (entries[index].me_key == key) return entries[index].me_value;
      if (!ComparesPlainly(entries[index].me_key)) return Unreadable();
      if (PyObject_RichCompareBool(entries[index].me_key, key, Py_EQ) == 1) {
        return entries[index].me_value;
      }
    }
    perturb >>= 5;  // PERTURB_SHIFT
    slot = (slot * 5 + perturb + 1) & mask;
  }
}

// Finds the entry of `name` anew and leaves its index in the cell; false if there is none.
bool FindIndex(PyDictKeysObject* keys, BorrowedRef name, LookupCell& cell) {
  const int64_t index = FindAmongStrs(keys, name);
  if (index != kAbsent) cell.index = index;
  return index != kAbsent;
}

BorrowedRef LookupInGeneralDict(PyDictObject* dict, BorrowedRef name) {
  const int64_t index = FindAmongAny(dict->ma_keys, name);
  if (index == kUnreadable) return Unreadable();
  return index == kAbsent ? nullptr : DK_ENTRIES(dict->ma_keys)[index].me_value;
}

// Values kept inline by an instance of a class with a managed dict: no dict object exists.
BorrowedRef LookupInValues(BorrowedRef object, PyDictValues* values, BorrowedRef name,
                           LookupCell& cell) {
  PyDictKeysObject* keys = *SharedKeysOf(object);
  if (!HasKeyAt(keys, cell.index, name) && !FindIndex(keys, name, cell)) return nullptr;
  return values->values[cell.index];
}

BorrowedRef WalkMro(PyTypeObject* type, BorrowedRef name) {
  PyObject* mro = type->tp_mro;
  if (mro == nullptr) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); ++i) {
    PyObject* base = PyTuple_GET_ITEM(mro, i);
    LookupCell cell;
    BorrowedRef value = LookupInDict(TypeDict(reinterpret_cast<PyTypeObject*>(base)), name, cell);
    if (value != nullptr) return value;
  }
  return nullptr;
}

}  // namespace

namespace name_lookup_internal {

PyObject unreadable_object = {_PyObject_EXTRA_INIT 1, &unreadable_type};

BorrowedRef LookupInChangedDict(PyDictObject* dict, BorrowedRef name, LookupCell& cell) {
  PyDictKeysObject* keys = dict->ma_keys;
  BorrowedRef value = nullptr;
  if (!DK_IS_UNICODE(keys)) {
    value = LookupInGeneralDict(dict, name);
  } else if (HasKeyAt(keys, cell.index, name) || FindIndex(keys, name, cell)) {
    value = dict->ma_values != nullptr ? dict->ma_values->values[cell.index]
                                       : DK_UNICODE_ENTRIES(keys)[cell.index].me_value;
  }
  cell.version = HasVersion(dict) ? VersionTag(dict) : kNoVersion;
  cell.value = value;
  return value;
}

}  // namespace name_lookup_internal

BorrowedRef LookupInInstance(BorrowedRef object, BorrowedRef name, LookupCell& cell) {
  if (HasManagedDict(object)) {
    PyDictValues* values = InlineValuesOf(object);
    if (values != nullptr) return LookupInValues(object, values, name, cell);
    return LookupInDict(*ManagedDictOf(object), name, cell);
  }
  PyObject** dict = _PyObject_GetDictPtr(object);  // makes none where the dict is not managed
  return dict == nullptr ? nullptr : LookupInDict(*dict, name, cell);
}

BorrowedRef DictOfInstance(BorrowedRef object) {
  if (HasManagedDict(object)) return *ManagedDictOf(object);
  PyObject** dict = _PyObject_GetDictPtr(object);
  return dict == nullptr ? nullptr : *dict;
}

bool ComparesPlainly(BorrowedRef object) {
  if (PyTuple_CheckExact(object)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
      if (!ComparesPlainly(PyTuple_GET_ITEM(object, i))) return false;
    }
    return true;
  }
  return object == Py_None || PyLong_CheckExact(object) || PyBool_Check(object) ||
         PyFloat_CheckExact(object) || PyUnicode_CheckExact(object) || PyBytes_CheckExact(object) ||
         PyComplex_CheckExact(object);
}

BorrowedRef LookupPlainKey(BorrowedRef dict, BorrowedRef key) {
  if (PyUnicode_CheckExact(key)) {
    LookupCell cell;
    return LookupInDict(dict, key, cell);
  }
  PyDictKeysObject* keys = reinterpret_cast<PyDictObject*>(dict)->ma_keys;
  if (DK_IS_UNICODE(keys)) return nullptr;
  return FindPlainKey(keys, key, KeyHash(key));
}

BorrowedRef LookupInType(PyTypeObject* type, BorrowedRef name, LookupCell& cell) {
  const uint64_t version = type->tp_version_tag;
  if (version != 0 && version == cell.version) return cell.value;
  BorrowedRef value = WalkMro(type, name);
  if (version != 0) {
    cell.version = version;
    cell.value = value;
  }
  return value;
}

bool SameStr(BorrowedRef a, BorrowedRef b) {
  if (a == b) return true;
  if (!PyUnicode_IS_READY(a) || !PyUnicode_IS_READY(b)) return false;
  const Py_ssize_t length = PyUnicode_GET_LENGTH(a);
  const auto kind = PyUnicode_KIND(a);
  return length == PyUnicode_GET_LENGTH(b) && kind == PyUnicode_KIND(b) &&
         std::memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), length * kind) == 0;
}

}  // namespace dynacc
