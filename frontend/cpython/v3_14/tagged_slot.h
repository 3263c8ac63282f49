// CPython 3.14's FrameSlot, which is its _PyStackRef (pycore_stackref.h);
// frontend/cpython/frame_slot.h says what its members are.
//
// Bit 0 of a reference says that it is not counted: the object is immortal, or another slot that
// outlives this one holds it. Nothing is a null with that bit. Both low bits are set in an int that
// is no object, the place of a raise. It reads as an int object that stands for it, which a bit of
// its own among the object's flags tells from others.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <utility>

#include "frontend/cpython/ref.h"

namespace dynacc {

// It aliases CPython's own fields.
class [[gnu::may_alias]] FrameSlot {
 public:
  FrameSlot() = default;
  FrameSlot(BorrowedRef object) : bits_(reinterpret_cast<uintptr_t>(object) | kUncounted) {}

  operator BorrowedRef() const { return ObjectOf(bits_); }
  void Put(Ref value) { bits_ = BitsOf(std::move(value)); }
  Ref Take() { return RefOf(std::exchange(bits_, kNothing)); }
  Ref Exchange(Ref value) { return RefOf(std::exchange(bits_, BitsOf(std::move(value)))); }

  // Counts a reference of its own, so that the slot which held the object may let it go.
  void Hold() { bits_ = BitsOf(RefOf(bits_)); }

 private:
  friend Ref PlaceOfRaise(int unit);

  static constexpr uintptr_t kUncounted = 1;
  static constexpr uintptr_t kNothing = kUncounted;
  static constexpr uintptr_t kInt = 3;
  static constexpr int kIntShift = 2;
  static constexpr uint16_t kIsPlace = 1 << 14;  // of ob_flags, where CPython does not use it

  // One for each place, immortal.
  static BorrowedRef PlaceObject(intptr_t unit);
  static uintptr_t BitsOfPlace(BorrowedRef object);

  static BorrowedRef ObjectOf(uintptr_t bits) {
    return (bits & kInt) == kInt ? PlaceObject(static_cast<intptr_t>(bits) >> kIntShift)
                                 : reinterpret_cast<PyObject*>(bits & ~kUncounted);
  }
  static Ref RefOf(uintptr_t bits) {
    const BorrowedRef object = ObjectOf(bits);
    return (bits & kUncounted) != 0 ? Ref::New(object) : Ref::Steal(object);
  }
  static uintptr_t BitsOf(Ref value) {
    const BorrowedRef object = value.Release();
    if (object == nullptr) return kNothing;
    if ((object->ob_flags & kIsPlace) != 0) return BitsOfPlace(object);
    return reinterpret_cast<uintptr_t>(object) | (object->ob_flags & kUncounted);
  }

  uintptr_t bits_ = kNothing;
};

class SlotObjects {
 public:
  SlotObjects(const FrameSlot* first, int count) : objects_(count + 1) {
    std::copy_n(first, count, objects_.begin() + 1);
  }
  PyObject* const* data() const { return objects_.data() + 1; }

 private:
  boost::container::small_vector<PyObject*, 8> objects_;
};

Ref PlaceOfRaise(int unit);

}  // namespace dynacc
