// Instances of Python classes whose attributes a loop program reads and writes.
//
// An attribute that holds a number, an array or a list is a *field* of the program: it is read
// before the program runs, and has a register like a variable; one that the program writes is
// written back where it ends. Nobody can tell, as no other code runs meanwhile, as long as one
// place has one name: so the instances of a run whose fields are written are different objects, and
// nobody else refers to the dict of one.
//
// All under the GIL; nothing here runs Python code, and only WriteField may set an exception.
#pragma once

#include <Python.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/cpython/ref.h"
#include "frontend/loops/loop_value.h"

namespace dynacc::loops {

struct LoopInstance {
  BorrowedRef object = nullptr;  // met while translating; not to be used afterwards
  bool is_read = false;          // the rest is asked for
  PyTypeObject* type = nullptr;  // only compared: it may die before the program does
  uint32_t version = 0;
};

struct LoopField {
  enum class Place : uint8_t {
    kOwn,    // the instance has it
    kSlot,   // in a place that the class has described, `offset` bytes from its start
    kClass,  // the class has it, and the instance does not
    kData,   // the class has a data descriptor, which comes before what the instance has
  };
  int instance = 0;
  BorrowedRef name = nullptr;
  Place place = Place::kOwn;
  Py_ssize_t offset = 0;
  bool is_writable = false;  // by a store that runs no code
  bool written = false;
  uint16_t home = 0;     // its register
  LoopValue value = {};  // before the program runs
};

// Whether attributes of the object are what CPython itself finds in it and its class.
bool HasPlainAttributes(BorrowedRef object);

// The number of `object` in `instances`, where it is put if it is new there; none if there are too
// many.
std::optional<int> NumberOfInstance(BorrowedRef object, std::vector<LoopInstance>* instances);

// Whether it is of that type in that state, with attributes that nothing else refers to.
bool Matches(const LoopInstance& instance, BorrowedRef object);

// Where the attribute is; none if there is none, or only Python code could tell.
std::optional<LoopField> FindField(BorrowedRef object, BorrowedRef name);
// What is there now, borrowed; null if it is not there any more.
BorrowedRef ReadField(BorrowedRef object, const LoopField& field);
// Replaces what is there. False with an exception set if there is no memory.
bool WriteField(BorrowedRef object, const LoopField& field, BorrowedRef value);

}  // namespace dynacc::loops
