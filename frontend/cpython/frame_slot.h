// FrameSlot: a place of an interpreter frame as CPython keeps it: a local, a cell or an entry of
// the value stack. It reads as the object that is there, borrowed; null: there is none.
//
// CPython 3.14 has tags in it, so nothing but this class reads or writes frames. Each version's
// class has the same members:
//
//   FrameSlot(BorrowedRef)  a place outside a frame that borrows what it holds
//   operator BorrowedRef    what is there
//   Put                     takes over a reference (empty: nothing), and does not look at what was
//                           there
//   Take                    gives what is there away and leaves nothing
//   Exchange                the two at once, for what the object's end may look at
//
// SlotObjects: what neighbouring slots hold, none of it null, as an array for a vectorcall. The
// place before it may be written (PY_VECTORCALL_ARGUMENTS_OFFSET).
//
// PlaceOfRaise is what the instruction RERAISE finds on the stack as the place that an exception
// comes from: an int, whose value is a code unit.
#pragma once

#include <Python.h>

#if PY_VERSION_HEX >= 0x030E0000
#include "frontend/cpython/v3_14/tagged_slot.h"
#else
#include "frontend/cpython/plain_slot.h"
#endif

namespace dynacc {

static_assert(sizeof(FrameSlot) == sizeof(PyObject*));

}  // namespace dynacc
