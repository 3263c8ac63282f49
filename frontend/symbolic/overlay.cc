#include "frontend/symbolic/overlay.h"

namespace dynacc::symbolic {

bool SameKey(BorrowedRef a, BorrowedRef b) {
  if (a == b) return true;
  const int same = PyObject_RichCompareBool(a, b, Py_EQ);
  if (same < 0) PyErr_Clear();
  return same == 1;
}

const Overlay::Write* Overlay::Find(BorrowedRef key) const {
  for (auto write = writes_.rbegin(); write != writes_.rend(); ++write) {
    if (SameKey(write->key.get(), key)) return &*write;
  }
  return nullptr;
}

void Overlay::Set(BorrowedRef key, Value* value) {
  if (auto* last = const_cast<Write*>(Find(key)); last != nullptr && last->value != nullptr) {
    last->value = value;
  } else {
    writes_.push_back({Ref::New(key), value});
  }
}

void Overlay::Delete(BorrowedRef key, bool existed) {
  for (size_t i = writes_.size(); i-- > 0;) {
    if (!SameKey(writes_[i].key.get(), key)) continue;
    if (writes_[i].value == nullptr) break;
    writes_.erase(writes_.begin() + static_cast<int>(i));
    break;
  }
  // An earlier deletion stands already.
  if (existed && Find(key) == nullptr) writes_.push_back({Ref::New(key), nullptr});
}

}  // namespace dynacc::symbolic
