// LoopValue: what is known of a variable or stack entry while a loop is translated.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/cpython/ref.h"
#include "frontend/loops/number_type.h"

namespace dynacc::bytecode {
struct Instruction;
}  // namespace dynacc::bytecode

namespace dynacc::loops {

struct LoopValue {
  enum class Kind : uint8_t {
    kOpaque,    // an object that the loop does not look at, or nothing
    kNumber,    // `type`, in register `reg`
    kArray,     // the array `slot`
    kView,      // of the array `slot`: its first `consumed` axes are indexed; `reg`: bytes from its
                // start
    kSlice1d,   // of `type` elements, of the array `slot` or, if that is -1, of the run's own
                // memory: three registers from `reg` on (runtime/loops/loop_slices.h). Names of one
                // object, and what the stack has of it, share registers
    kWindow,    // of the array `slot`, or -1: of the run's own memory; of `consumed` axes, in
                // registers from `reg` on (runtime/loops/loop_windows.h)
    kDisplay,   // the list [items...], which nothing else has
    kSlice,     // slice(items...): start, stop and perhaps step, ints or None
    kTuple,     // `items`; `slot`: 0, or 1 and the variable whose object it has been from the start
    kComplex,   // of `type`, Python's or NumPy's: `items`, its real and imaginary parts, two floats
    kEither,    // a number of NumPy's `type`, or of Python's where that differs in nothing but the
                // type: `items`, the number and an int that is not 0 where it is NumPy's
    kPerhaps,   // of a variable that the program may not have stored to yet: `items`, what it has
                // then, a kNumber or kEither, and an int that is 0 until then
    kRange,     // range(items...): start, stop, step
    kIterator,  // of a range: next, step and rounds left in `reg` and the two registers after it
    kItems,     // the iterator of an array or view: `reg` has the next index, the register after it
                // the bytes from the array's start
    kRowItems,  // the iterator of a 1-D slice of the array `slot`, of `type`: `reg` has the next
                // index, the registers after it the 1-D slice
    kChar,      // a string of one character, whose code point is in `reg`
    kList,      // a list, whose address is in `reg`; `element`: what its items are taken for
    kListItems,  // the iterator of a list: `reg` has the next index, the register after it the list
    kEnumerate,  // enumerate(items[0], an iterator): `reg` has the next index
    kZip,        // zip(items..., iterators)
    kTupleItems,  // the iterator of a tuple of constants, `items`, at its item `slot`: such loops
                  // are unrolled
    kObject,      // that very `object`
    kInstance,    // the object `slot` of those whose attributes are known (loop_instances.h)
    kNull,        // what PUSH_NULL pushes
  };

  Kind kind = Kind::kOpaque;
  NumberType type = NumberType::kPyInt;
  uint16_t reg = 0;
  int slot = 0;
  int consumed = 0;
  uint16_t block = 0;     // kSlice1d of the run's own memory: where there (LoopScratch)
  int owner = -1;         // ... of a view: the registers of the 1-D slice that it is part of
  bool is_based = false;  // ... that is a view of an array that nothing else has
  bool moves = false;     // kWindow: bounds of several axes change, so it is likely to be small
  BorrowedRef object = nullptr;
  std::vector<LoopValue> items;
  std::shared_ptr<const LoopValue> element;

  static LoopValue Number(NumberType type, uint16_t reg) {
    LoopValue value;
    value.kind = Kind::kNumber;
    value.type = type;
    value.reg = reg;
    return value;
  }
  static LoopValue Complex(NumberType type, uint16_t real, uint16_t imag) {
    const NumberType part = IsPython(type) ? NumberType::kPyFloat : NumberType::kFloat64;
    LoopValue value;
    value.kind = Kind::kComplex;
    value.type = type;
    value.items = {Number(part, real), Number(part, imag)};
    return value;
  }
  // `tag`: the register that tells which.
  static LoopValue Either(NumberType type, uint16_t reg, uint16_t tag) {
    LoopValue value;
    value.kind = Kind::kEither;
    value.type = type;
    value.items = {Number(type, reg), Number(NumberType::kPyInt, tag)};
    return value;
  }
  // `flag`: the register that tells whether it is stored.
  static LoopValue Perhaps(LoopValue stored, uint16_t flag) {
    LoopValue value;
    value.kind = Kind::kPerhaps;
    value.items = {std::move(stored), Number(NumberType::kPyInt, flag)};
    return value;
  }
  static LoopValue Object(BorrowedRef object) {
    LoopValue value;
    value.kind = Kind::kObject;
    value.object = object;
    return value;
  }
  bool is(Kind other) const { return kind == other; }
  // Whether it lies in the registers of two `items`.
  bool IsPair() const { return kind == Kind::kComplex || kind == Kind::kEither; }
  bool HasRegister() const {
    return kind == Kind::kNumber || kind == Kind::kView || kind == Kind::kChar ||
           kind == Kind::kList;
  }
  bool IsIterator() const {
    return kind == Kind::kIterator || kind == Kind::kItems || kind == Kind::kRowItems ||
           kind == Kind::kListItems || kind == Kind::kEnumerate || kind == Kind::kZip ||
           kind == Kind::kTupleItems;
  }
  // Registers that an iterator, a 1-D slice or a window has for itself; those of an iterator's
  // items follow.
  int OwnRegisters() const {
    return kind == Kind::kRowItems                             ? 4
           : kind == Kind::kWindow                             ? 1 + 2 * consumed
           : kind == Kind::kIterator || kind == Kind::kSlice1d ? 3
           : kind == Kind::kEnumerate                          ? 1
           : kind == Kind::kZip || kind == Kind::kTupleItems   ? 0
                                                               : 2;
  }
};

struct InlinedCall;

// The state between two instructions. Blocks are compiled once for each state that control comes
// with, so every value has one type in each of them.
struct LoopState {
  std::vector<LoopValue> variables;
  std::vector<LoopValue> stack;
  std::vector<LoopValue> fields;  // attributes by their numbers, where they have been written
  std::shared_ptr<const InlinedCall> call;  // that these are the variables of; null: the loop's
  bool has_effect = false;                  // the call has changed something: no exit any more
  bool has_stores = false;                  // ... has stored what an exit takes back

  // Equal for states that need the same code, if numbers are in their own registers.
  std::string Key(int offset) const;
};

struct LoopCode;

// A call of a Python function that is followed into the function. Exits in there lead to the
// instruction that calls, as if nothing of the call had happened.
struct InlinedCall {
  LoopCode* callee;
  LoopCode* caller;
  const bytecode::Instruction* at;
  LoopState before;  // the caller's, arguments and all, in registers that the callee lets alone
  LoopState after;   // ... without them, to be given the result
  BorrowedRef function;
  std::string key;        // of `before`
  mutable int exit = -1;  // once there is one
  // The call that the loop itself makes.
  const InlinedCall& outermost() const {
    return before.call == nullptr ? *this : before.call->outermost();
  }
};

// A place where a program may end.
struct LoopExit {
  int offset = 0;        // the instruction where Python goes on
  bool between = false;  // ... after a jump back or out of the loop, and not because of an op
  int jump = -1;         // the jump back after which it is, where there is one
  LoopState state;
};

}  // namespace dynacc::loops
