#include "frontend/cpython/v3_14/tagged_slot.h"

#include <memory>
#include <vector>

#include "frontend/cpython/frame_slot.h"
#include "frontend/cpython/int_layout.h"

namespace dynacc {
namespace {

// An int of one digit that CPython neither counts nor frees.
void MakeInt(intptr_t value, uint16_t flag, PyLongObject* number) {
  number->ob_base.ob_refcnt_full = _Py_STATIC_IMMORTAL_INITIAL_REFCNT;
  number->ob_base.ob_flags |= flag;
  number->ob_base.ob_type = &PyLong_Type;
  number->long_value.lv_tag = value == 0 ? 1 : 1 << 3;
  number->long_value.ob_digit[0] = static_cast<digit>(value);
}

}  // namespace

BorrowedRef FrameSlot::PlaceObject(intptr_t unit) {
  static auto& places = *new std::vector<std::unique_ptr<PyLongObject>>;
  if (static_cast<size_t>(unit) >= places.size()) places.resize(unit + 1);
  std::unique_ptr<PyLongObject>& place = places[unit];
  if (place == nullptr) {
    place = std::make_unique<PyLongObject>();
    MakeInt(unit, kIsPlace, place.get());
  }
  return reinterpret_cast<PyObject*>(place.get());
}

uintptr_t FrameSlot::BitsOfPlace(BorrowedRef object) {
  return static_cast<uintptr_t>(*IntDigits(object)) << kIntShift | kInt;
}

Ref PlaceOfRaise(int unit) { return Ref::New(FrameSlot::PlaceObject(unit)); }

}  // namespace dynacc
