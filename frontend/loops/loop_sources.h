// The objects of a frame that loops over elements look into: arrays, text, bytes and lists.
//
// All under the GIL; nothing here leaves an exception set or runs Python code.
#pragma once

#include <Python.h>

#include <optional>
#include <vector>

#include "frontend/cpython/ref.h"
#include "frontend/loops/loop_instances.h"
#include "frontend/loops/loop_value.h"
#include "runtime/loops/loop_program.h"

namespace dynacc::loops {

// How many elements an axis is taken to have of an array that a program makes: computed when the
// program is entered, and compared where it makes one.
struct LoopExtent {
  enum class Kind : uint8_t { kNumber, kRegister, kDim, kSum, kDifference, kProduct };
  Kind kind = Kind::kNumber;
  int64_t number = 0;                  // or the register, or the axis and array (PackAxis)
  std::vector<LoopExtent> parts = {};  // of a sum, difference or product: two

  bool operator==(const LoopExtent&) const = default;
};

// Something with elements in memory of a known type, as a program sees it.
struct LoopArray {
  // kMade: arrays of that shape which the program makes; places in one are bytes from where the
  // run has such a view's data.
  enum class Kind : uint8_t { kArray, kText, kBytes, kByteArray, kMade };
  NumberType element;
  int rank;
  bool written = false;
  Kind kind = Kind::kArray;
  uint32_t short_axes = 0;     // a bit for each axis of at most kLongestSlice1d elements
  uint32_t slice1d_axes = 0;   // ... along which the program computes
  bool has_c_order = false;    // the program takes it for one whose elements lie side by side
  bool has_own_dtype = false;  // ... whose dtype is the one object that NumPy has for its type
  std::vector<LoopExtent> extents = {};  // kMade: of its axes

  bool is_array() const { return kind == Kind::kArray || kind == Kind::kMade; }
  bool IsShort(int axis) const { return ((short_axes >> axis) & 1) != 0; }
};

// None if `object` is nothing of the kind. Sets `view`.
std::optional<LoopArray> ReadLoopArray(BorrowedRef object, StridedView* view);

// What the items of a list are taken for, by some of them: numbers, characters, or lists of such.
// kOpaque if they are anything else, or if there are none.
LoopValue ItemsOf(BorrowedRef list);

// Boxes in lists have a number for their type: that of NumberType, or this.
inline constexpr int kCharBox = kNumRegisterTypes;

// Objects that a loop may know by identity, and keep alive. Others it does not look at.
bool MayBeKnown(BorrowedRef object);

// The item of a dict, or the content of a cell. Null if there is none.
BorrowedRef ItemNow(BorrowedRef dict_or_cell, BorrowedRef name);

// What `object`, which a variable or a global holds, is to a program, with registers from `reg` on
// and, if it has elements or attributes, a slot in `arrays` or `instances`. kOpaque if it is
// nothing that programs know.
LoopValue ObserveObject(BorrowedRef object, uint16_t reg, bool is_global,
                        std::vector<LoopArray>* arrays, std::vector<LoopInstance>* instances);

// The code point of a string of one character, or -1.
int64_t CharOf(BorrowedRef object);

// What programs need of Python.
const LoopHost& TheLoopHost();

}  // namespace dynacc::loops
