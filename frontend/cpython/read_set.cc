#include "frontend/cpython/read_set.h"

#include <utility>

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
  const char* begin = static_cast<const char*>(address);
  constexpr size_t kWord = sizeof(uint64_t);
  if (bytes % kWord == 0 && bytes <= kMaxWords * kWord) {
    for (; bytes > 0; begin += kWord, bytes -= kWord) AddPlace(begin, kWord);
    return;
  }
  for (; bytes > kMaxBytes; begin += kMaxBytes, bytes -= kMaxBytes) AddPlace(begin, kMaxBytes);
  if (bytes > 0) AddPlace(begin, bytes);
}

void ReadSet::AddPlace(const char* address, size_t bytes) {
  if (seen_.insert({address, bytes}).second) places_.push_back({address, bytes, owner_});
}

void ReadSet::Truncate(size_t size) {
  for (size_t i = size; i < places_.size(); ++i)
    seen_.erase({places_[i].address, places_[i].bytes});
  places_.resize(size);
}

void ReadSet::Finish() {
  Stretch stretch;
  for (const Place& place : places_) {
    if (place.bytes == sizeof(uint64_t)) {
      words_.push_back({place.address, Load<uint64_t>(place.address)});
      ++stretch.num_words;
      continue;
    }
    stretch.block = {place.address, static_cast<uint32_t>(copies_.size()),
                     static_cast<uint32_t>(place.bytes)};
    copies_.insert(copies_.end(), place.address, place.address + place.bytes);
    stretches_.push_back(std::exchange(stretch, {}));
  }
  stretches_.push_back(stretch);
  num_stretches_ = stretches_.size();
  stretches_.resize(num_stretches_ + kAhead);
  seen_ = {};
}

// A stretch but the last has a block, which is a place as each word is.
int ReadSet::OwnerOfWord(const Word* word, size_t stretch) const {
  return places_[(word - words_.data()) + stretch].owner;
}

int ReadSet::OwnerOfBlock(size_t stretch) const {
  size_t place = stretch;
  for (size_t i = 0; i <= stretch; ++i) place += stretches_[i].num_words;
  return places_[place].owner;
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

// That the name is no key of the dict. Names are only added to keys that are shared.
bool ReadNoSuchKey(PyDictObject* dict, ReadSet& reads) {
  if (HasVersion(dict)) {
    reads.Add(&VersionTag(dict));
    return true;
  }
  reads.Add(&dict->ma_keys);
  reads.Add(&dict->ma_keys->dk_nentries);
  return DK_IS_UNICODE(dict->ma_keys);
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
  if (!HasKeyAt(keys, cell.index, name)) return ReadNoSuchKey(dict, reads);
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
  ReadInlineValues(object, reads);
  PyDictValues* const values = InlineValuesOf(object);
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
