// The FrameSlot of CPythons before 3.14: a reference; frontend/cpython/frame_slot.h says what its
// members are.
#pragma once

#include <utility>

#include "frontend/cpython/ref.h"

namespace dynacc {

// It aliases CPython's own fields.
class [[gnu::may_alias]] FrameSlot {
 public:
  FrameSlot() = default;
  FrameSlot(BorrowedRef object) : object_(object) {}

  operator BorrowedRef() const { return object_; }
  void Put(Ref value) { object_ = value.Release(); }
  Ref Take() { return Ref::Steal(std::exchange(object_, nullptr)); }
  Ref Exchange(Ref value) { return Ref::Steal(std::exchange(object_, value.Release())); }

 private:
  PyObject* object_ = nullptr;
};

class SlotObjects {
 public:
  SlotObjects(FrameSlot* first, int) : first_(first) {}
  PyObject* const* data() const { return reinterpret_cast<PyObject* const*>(first_); }

 private:
  FrameSlot* first_;
};

inline Ref PlaceOfRaise(int unit) { return Ref::Steal(PyLong_FromLong(unit)); }

}  // namespace dynacc
