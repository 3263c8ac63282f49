// LoopProgram: a loop over single elements of arrays, as typed operations on registers.
//
// Registers hold an int64_t or a double each; every op says which (loop_ops.def). An op that cannot
// give what Python would (an overflow, an index out of range, a floating-point error) *exits*: it
// has no effect, and the program ends with the number of its exit, for which the front end knows
// how to rebuild the state before that instruction. So a program may stop anywhere, and no op
// raises.
//
// Memory is read and written in the program's order; arrays may overlap.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/kernel/library_loops.h"
#include "runtime/loops/loop_objects.h"
#include "runtime/loops/loop_slices.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::loops {

enum class LoopOpCode : uint8_t {
#define DYNACC_LOOP_OP(name, result, left, right, step) k##name,
#define DYNACC_LOOP_MEMORY(name, kind, type) kLoad##name, kStore##name,
#include "runtime/loops/loop_ops.def"
#undef DYNACC_LOOP_OP
#undef DYNACC_LOOP_MEMORY
  // d = a + the byte offset of index b, negative ones from the end, of the axis and array in k.
  kIndex,
  kDim,  // d = the size of the axis of the array in k
  // The 1-D slice d = the ints from b on (start, stop, step) of the axis of the array in k, at the
  // byte offset a.
  kSlice,
  // d = the address of the element b, negative ones from the end, of the 1-D slice a.
  kItem,
  kOffset,      // d = the bytes from the start of the array k to the address a
  kAddress,     // d = the address that is `a` bytes from the start of the array k
  kSlice1d,     // what the function k does with the 1-D slices or numbers a and b (loop_slices.h)
  kCall1,       // d = function k of a; exits if that raises
  kCall2,       // ... of a and b
  kJump,        // to the op k
  kJumpIf,      // if the int a is not 0
  kJumpIfNot,   // if it is
  kBackEdge,    // to the op k, but exits if Python waits for something
  kRangeStart,  // from the ints in a, a + 1, a + 2 (start, stop, step) to (next, step, rounds left)
  kRangeNext,   // d = the next of the range in a; to the op k if there is none
  kExit,
};

// "AddInt"
const char* LoopOpName(LoopOpCode code);

struct LoopOp {
  LoopOpCode code;
  uint16_t d = 0;
  uint16_t a = 0;
  uint16_t b = 0;
  int32_t k = 0;
  int32_t exit = -1;  // for ops that may exit
};

// Of kIndex and kDim.
inline int32_t PackAxis(int array, int axis) { return array * kMaxRank + axis; }
inline int ArrayOf(int32_t packed) { return packed / kMaxRank; }
inline int AxisOf(int32_t packed) { return packed % kMaxRank; }

// What kCall1 and kCall2 call: a function of the C library, whose errno nobody reads, or a loop of
// the array library, for one element. What kSlice1d calls.
struct LoopCallee {
  using Function = double (*)(double);
  using Function2 = double (*)(double, double);
  std::string name;
  Function function = nullptr;    // of one number
  Function2 function2 = nullptr;  // of two
  kernel::LibraryLoop loop = {};  // if there is no function
  Slice1dCall slice1d = {};       // kSlice1d
};

// The loop's result for a single element.
double CallForOne(const kernel::LibraryLoop& loop, double a, double b, bool binary);

// A register, by what it holds.
struct LoopOperand {
  uint16_t reg;
  bool is_float;
};

struct LoopProgram {
  std::vector<LoopOp> ops;
  std::vector<LoopCallee> callees;
  int num_registers = 0;
  int num_arrays = 0;
  bool remembers = false;  // asks for an UndoLog
  // What is looked at after each exit. (The interpreter has everything in its place always.)
  std::vector<std::vector<LoopOperand>> exits;
  std::vector<std::pair<uint16_t, LoopSlot>> constants;  // registers to be set before a run
};

// One op a line, with its number: "12  AddFloat r7 = r3, r5, 0  exit 4".
std::string PrintLoop(const LoopProgram& program);

// What a run works on.
struct LoopFrame {
  LoopSlot* registers;              // num_registers; constants and inputs are set
  const StridedView* arrays;        // num_arrays
  const uint8_t* poll;              // not 0 when Python waits for something (kBackEdge)
  const LoopHost* host = nullptr;   // for ops on lists and 1-D slices
  int64_t most_rounds = INT64_MAX;  // exits at the back edge that makes so many
  int64_t rounds = 0;               // counts back edges
};

}  // namespace dynacc::loops
