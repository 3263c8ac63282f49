#include "frontend/cpython/set_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "frontend/cpython/identity_key.h"
#include "frontend/cpython/name_lookup.h"
#include "frontend/cpython/private_api.h"

namespace dynacc {
namespace {

PySetObject* AsSet(BorrowedRef set) { return reinterpret_cast<PySetObject*>(set); }

bool IsMember(const setentry& entry) { return entry.key != nullptr && entry.key != _PySet_Dummy; }

absl::Span<setentry> Entries(BorrowedRef set) {
  return {AsSet(set)->table, static_cast<size_t>(AsSet(set)->mask) + 1};
}

// What a shape's bytes are: the number of slots less one; where pop() goes on; and of each slot
// that is or was in use its place, the hash, and whether a member is there.

// Memory for so many slots, all empty, in an empty set.
bool Reserve(BorrowedRef set, int64_t mask) {
  if (mask < PySet_MINSIZE) return true;
  auto* table = static_cast<setentry*>(PyMem_Calloc(mask + 1, sizeof(setentry)));
  if (table == nullptr) {
    PyErr_NoMemory();
    return false;
  }
  AsSet(set)->table = table;
  AsSet(set)->mask = mask;
  return true;
}

// The member of `set` that is equal to that of `wanted`, or null.
setentry* FindEntry(BorrowedRef set, const setentry& wanted) {
  for (setentry& entry : Entries(set)) {
    if (!IsMember(entry) || entry.hash != wanted.hash) continue;
    if (entry.key == wanted.key) return &entry;
    const int same = PyObject_RichCompareBool(entry.key, wanted.key, Py_EQ);
    if (same == 1) return &entry;
    if (same < 0) PyErr_Clear();
  }
  return nullptr;
}

}  // namespace

Ref ShapeOfSet(BorrowedRef set) {
  std::vector<int64_t> numbers = {AsSet(set)->mask, AsSet(set)->finger};
  const absl::Span<setentry> entries = Entries(set);
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].key == nullptr) continue;
    numbers.insert(numbers.end(), {static_cast<int64_t>(i), entries[i].hash, IsMember(entries[i])});
  }
  return Ref::Steal(
      PyBytes_FromStringAndSize(reinterpret_cast<const char*>(numbers.data()),
                                static_cast<Py_ssize_t>(numbers.size() * sizeof(int64_t))));
}

std::vector<BorrowedRef> MembersOfSet(BorrowedRef set) {
  std::vector<BorrowedRef> members;
  for (const setentry& entry : Entries(set)) {
    if (IsMember(entry)) members.emplace_back(entry.key);
  }
  return members;
}

// The probe sequence of set_lookkey in CPython's Objects/setobject.c.
std::optional<bool> IsInSet(BorrowedRef set, BorrowedRef key) {
  constexpr size_t kLinearProbes = 9;  // LINEAR_PROBES
  const Py_hash_t hash = KeyHash(key);
  const size_t mask = static_cast<size_t>(AsSet(set)->mask);
  size_t perturb = static_cast<size_t>(hash);
  size_t slot = static_cast<size_t>(hash) & mask;
  for (;;) {
    const size_t last = slot + kLinearProbes <= mask ? slot + kLinearProbes : slot;
    for (size_t i = slot; i <= last; ++i) {
      const setentry& entry = AsSet(set)->table[i];
      if (entry.key == nullptr) return false;
      if (entry.hash != hash || !IsMember(entry)) continue;
      if (entry.key == key) return true;
      if (!ComparesPlainly(entry.key)) return std::nullopt;
      if (PyObject_RichCompareBool(entry.key, key, Py_EQ) == 1) return true;
    }
    perturb >>= 5;  // PERTURB_SHIFT
    slot = (slot * 5 + 1 + perturb) & mask;
  }
}

Ref SetOfShape(BorrowedRef shape, absl::Span<const BorrowedRef> members) {
  std::vector<int64_t> numbers(PyBytes_GET_SIZE(shape) / sizeof(int64_t));
  std::memcpy(numbers.data(), PyBytes_AS_STRING(shape), numbers.size() * sizeof(int64_t));
  Ref set = Ref::Steal(PySet_New(nullptr));
  if (!set || !Reserve(set.get(), numbers[0])) return {};
  PySetObject* const made = AsSet(set.get());
  for (size_t i = 2; i < numbers.size(); i += 3) {
    const bool is_member = numbers[i + 2] != 0;
    PyObject* const key = is_member ? Py_NewRef(members[made->used]) : _PySet_Dummy;
    made->table[numbers[i]] = {key, static_cast<Py_hash_t>(numbers[i + 1])};
    made->used += is_member ? 1 : 0;
    ++made->fill;
  }
  made->finger = static_cast<Py_ssize_t>(numbers[1]);
  return set;
}

Ref CopyOfSet(BorrowedRef set) {
  const Ref shape = ShapeOfSet(set);
  return shape ? SetOfShape(shape.get(), MembersOfSet(set)) : Ref();
}

bool HaveSameTable(BorrowedRef a, BorrowedRef b, bool (*same_member)(BorrowedRef, BorrowedRef)) {
  const PySetObject *left = AsSet(a), *right = AsSet(b);
  if (left->mask != right->mask || left->fill != right->fill || left->used != right->used ||
      left->finger != right->finger) {
    return false;
  }
  return std::equal(Entries(a).begin(), Entries(a).end(), Entries(b).begin(),
                    [&](const setentry& x, const setentry& y) {
                      if (x.hash != y.hash || IsMember(x) != IsMember(y)) return false;
                      return IsMember(x) ? same_member(x.key, y.key) : x.key == y.key;
                    });
}

void ExchangeTables(BorrowedRef set, BorrowedRef from) {
  for (setentry& entry : Entries(from)) {
    setentry* const known = IsMember(entry) ? FindEntry(set, entry) : nullptr;
    if (known != nullptr) std::swap(known->key, entry.key);
  }
  PySetObject *a = AsSet(set), *b = AsSet(from);
  const bool a_is_small = a->table == a->smalltable, b_is_small = b->table == b->smalltable;
  std::swap(a->smalltable, b->smalltable);
  std::swap(a->table, b->table);
  if (b_is_small) a->table = a->smalltable;
  if (a_is_small) b->table = b->smalltable;
  std::swap(a->fill, b->fill);
  std::swap(a->used, b->used);
  std::swap(a->mask, b->mask);
  std::swap(a->finger, b->finger);
}

}  // namespace dynacc
