#include "frontend/cpython/read_set.h"

#include "frontend/cpython/dict_layout.h"
#include "frontend/cpython/name_lookup.h"

namespace dynacc {
namespace {

// What says where the entries of `keys` are: the sizes of its index and the kind of its entries.
void ReadLayout(const PyDictKeysObject* keys, ReadSet& reads) {
  static_assert(offsetof(PyDictKeysObject, dk_version) - offsetof(PyDictKeysObject, dk_log2_size) ==
                4);
  reads.Add(&keys->dk_log2_size, 4);
}

}  // namespace

void ReadSet::Add(const void* address, size_t bytes) {
  if (!seen_.insert({address, bytes}).second) return;
  Place place = {static_cast<const char*>(address), 0, static_cast<int32_t>(bytes), owner_};
  if (bytes == 8) {
    place.content = Load<uint64_t>(place.address);
  } else if (bytes == 4) {
    place.content = Load<uint32_t>(place.address);
  } else {
    place.content = copies_.size();
    copies_.insert(copies_.end(), place.address, place.address + bytes);
  }
  places_.push_back(place);
}

void ReadSet::Truncate(size_t size) {
  for (size_t i = size; i < places_.size(); ++i) {
    seen_.erase({places_[i].address, static_cast<size_t>(places_[i].bytes)});
  }
  places_.resize(size);
}

// A class that is gone may have another one at its address, whose instances are laid out otherwise.
void ReadType(BorrowedRef object, ReadSet& reads) {
  reads.Add(&object->ob_type);
  const PyTypeObject* type = Py_TYPE(object);
  if (PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_HEAPTYPE)) reads.Add(&type->tp_flags);
}

bool ReadTypeState(PyTypeObject* type, ReadSet& reads) {
  reads.Add(&type->tp_version_tag);
  return type->tp_version_tag != 0;
}

namespace {

// That none of the names which instances share is the one looked for. A class has the same keys
// object for life, to which names are only added; its version says that it is still the very class.
bool ReadNoSuchName(BorrowedRef object, const PyDictKeysObject* keys, ReadSet& reads) {
  reads.Add(&keys->dk_nentries);
  return DK_IS_UNICODE(keys) && ReadTypeState(Py_TYPE(object), reads);
}

}  // namespace

// Entries are written once: new_keys_object clears them, a key is put after all others, and one
// that is taken out leaves null (CPython's Objects/dictobject.c). So where an entry has `name` as
// its key it is the one that a lookup finds. That a name is absent only the dict's version says.
bool ReadDictEntry(BorrowedRef object, BorrowedRef name, ReadSet& reads) {
  ReadType(object, reads);
  if (!PyDict_Check(object)) return true;
  LookupCell cell;
  if (LookupInDict(object, name, cell) == Unreadable()) return false;
  auto* const dict = reinterpret_cast<PyDictObject*>(object);
  PyDictKeysObject* const keys = dict->ma_keys;
  if (!HasKeyAt(keys, cell.index, name)) {
    reads.Add(&dict->ma_version_tag);
    return true;
  }
  reads.Add(&dict->ma_keys);
  reads.Add(&dict->ma_values);
  ReadLayout(keys, reads);
  const PyDictUnicodeEntry& entry = DK_UNICODE_ENTRIES(keys)[cell.index];
  reads.Add(&entry.me_key);
  reads.Add(dict->ma_values == nullptr ? &entry.me_value : &dict->ma_values->values[cell.index]);
  return true;
}

bool ReadModuleEntry(BorrowedRef module, BorrowedRef name, ReadSet& reads) {
  ReadType(module, reads);
  if (!PyModule_CheckExact(module)) return true;
  PyObject* const* dict = &reinterpret_cast<PyModuleObject*>(module)->md_dict;
  reads.Add(dict);
  return ReadDictEntry(*dict, name, reads);
}

bool ReadInstanceEntry(BorrowedRef object, BorrowedRef name, ReadSet& reads) {
  ReadType(object, reads);
  if (!HasManagedDict(object)) return false;
  reads.Add(InlineValuesOf(object));
  PyDictValues* const values = *InlineValuesOf(object);
  if (values == nullptr) {
    reads.Add(ManagedDictOf(object));
    BorrowedRef dict = *ManagedDictOf(object);
    return dict == nullptr || ReadDictEntry(dict, name, reads);
  }
  reads.Add(SharedKeysOf(object));
  PyDictKeysObject* const keys = *SharedKeysOf(object);
  LookupCell cell;
  const bool is_there = LookupInInstance(object, name, cell) != nullptr;
  if (!HasKeyAt(keys, cell.index, name)) {
    return !is_there && ReadNoSuchName(object, keys, reads);
  }
  ReadLayout(keys, reads);
  reads.Add(&DK_UNICODE_ENTRIES(keys)[cell.index].me_key);
  reads.Add(&values->values[cell.index]);
  return true;
}

bool ReadDictOfInstance(BorrowedRef object, ReadSet& reads) {
  ReadType(object, reads);
  if (HasManagedDict(object)) reads.Add(ManagedDictOf(object));
  return HasManagedDict(object);
}

}  // namespace dynacc
