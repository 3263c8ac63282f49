#include "frontend/cpython/frame_slot.h"

#include <gtest/gtest.h>

#include "tests/frontend/interpreter_fixture.h"

namespace dynacc {
namespace {

const auto* const kInterpreter = testing::AddGlobalTestEnvironment(new Interpreter);

Ref NewList() { return Ref::Steal(PyList_New(0)); }

TEST(FrameSlot, StartsWithNothing) {
  FrameSlot slot;
  EXPECT_EQ(BorrowedRef(slot), nullptr);
  EXPECT_FALSE(slot.Take());
}

TEST(FrameSlot, ReadsAsWhatWasPut) {
  FrameSlot slot;
  const Ref list = NewList();
  slot.Put(list);
  EXPECT_EQ(BorrowedRef(slot), list.get());
  EXPECT_EQ(Py_REFCNT(list.get()), 2);
  const Ref taken = slot.Take();
  EXPECT_EQ(taken.get(), list.get());
  EXPECT_EQ(Py_REFCNT(list.get()), 2);  // `list` and `taken`
  EXPECT_EQ(BorrowedRef(slot), nullptr);
}

TEST(FrameSlot, ExchangeGivesWhatWasThere) {
  FrameSlot slot;
  const Ref first = NewList();
  EXPECT_FALSE(slot.Exchange(first));
  EXPECT_EQ(slot.Exchange(Ref()).get(), first.get());
  EXPECT_EQ(Py_REFCNT(first.get()), 1);
  EXPECT_EQ(BorrowedRef(slot), nullptr);
}

TEST(FrameSlot, ImmortalObjectsComeBackAsTheyWere) {
  for (const BorrowedRef object : {Py_None, Py_True, reinterpret_cast<PyObject*>(&PyLong_Type)}) {
    FrameSlot slot;
    slot.Put(Ref::New(object));
    EXPECT_EQ(BorrowedRef(slot), object);
    EXPECT_EQ(slot.Take().get(), object);
  }
}

TEST(FrameSlot, APlaceOfARaiseIsAnInt) {
  for (const int unit : {0, 7, 70000}) {
    FrameSlot slot;
    slot.Put(PlaceOfRaise(unit));
    EXPECT_EQ(PyLong_AsLong(slot), unit);
    slot.Put(slot.Take());
    EXPECT_EQ(PyLong_AsLong(slot), unit);
    slot.Take();
  }
}

TEST(FrameSlot, NeighboursAreAnArrayOfObjects) {
  FrameSlot slots[3];
  const Ref list = NewList();
  slots[1].Put(list);
  slots[2].Put(Ref::New(Py_None));
  const SlotObjects objects(slots + 1, 2);
  EXPECT_EQ(objects.data()[0], list.get());
  EXPECT_EQ(objects.data()[1], Py_None);
  slots[1].Take();
}

}  // namespace
}  // namespace dynacc
