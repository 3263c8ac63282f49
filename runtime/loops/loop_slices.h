// 1-D slices: rows, columns and parts of them, with which loop programs compute as a whole.
//
// `a[i, k:] -= x * a[j, k:]` in a loop spends its time on everything but the elements. A program
// has such a 1-D slice of doubles in three registers: the address of its first element, the bytes
// from one to the next, how many there are. 1-D slices of ints name elements of others. What
// operations give lies in memory of the run's own (LoopScratch), in a block that is the
// operation's; what is to stay there longer exchanges its block for another (kSwap). The elements
// are computed by the array library's own loops, called as the library itself would call them, so
// the bits are the same.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "boost/container/small_vector.hpp"
#include "runtime/kernel/library_loops.h"
#include "runtime/loops/loop_objects.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::loops {

// 1-D slices of more elements are worth kernels, and no run's own memory. Sums and dot products are
// the same work either way.
inline constexpr int64_t kLongestSlice1d = 1024;

// What an op on 1-D slices does with its operands a and b, each a 1-D slice or a double.
struct Slice1dCall {
  enum class Kind : uint8_t {
    kNone,         // no such op
    kElementwise,  // d = a 1-D slice of results of the loop; b is left out if the loop takes one
                   // operand
    kUpdate,       // ... put into 1-D slice a, whose memory the program may write to
    kStore,        // 1-D slice a = b
    kDot,          // the number d = the sum of products
    kReduce,       // d = the loop's reduction of a, from 0 or from a's first element on
    kIndexOf,      // the int d = the place of a's least or greatest element, or of its first NaN
    kMedian,       // d = the median of a
    kPart,         // d = the part of 1-D slice a that the ints from b on name: start, stop, step
    kCopy,         // d = a 1-D slice of a's elements
    kFill,         // d = a 1-D slice of as many elements as a has, all the number b
    kGather,       // d = a 1-D slice of the elements of a that the indices b name
    kScatter,  // the elements of a that the indices b name = the 1-D slice or number d, which stays
    kSwap,     // two blocks exchange their memory, which never fails
    // Of arrays that a program makes, by the `operands` ints from a on:
    kNewArray,  // d = the address of memory of the pool `other`, of so many bytes: a copy of what
                // is at the second int, or zeros if that is 0. At the addresses that follow it are
                // arrays that are still in use
    kRepeat,    // what the first element (of the dtype `index`) of memory at an address is becomes
                // all of it, so many bytes; never fails
    // Of windows (loop_windows.h), of the ranks said below:
    kWindowElementwise,  // d = the operation's results, of a and b broadcast together
    kWindowReduce,       // d = the operation's reduction of a along `axes`: a number, if of all
    kWindowStore,        // a = b, of the same shape or a number
  };
  enum class Operation : uint8_t {
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kMaximum,
    kMinimum,
    kOther
  };
  Kind kind = Kind::kNone;
  bool is_binary = false;
  bool left_is_slice1d = true;
  bool right_is_slice1d = true;
  bool starts_with_first = false;  // kReduce
  bool is_matmul = false;          // kDot by `@`, and not by np.dot
  bool greatest = false;           // kIndexOf
  DType index = DType::kInt64;     // kGather, kScatter: of the elements of b, ints
  uint16_t block = 0;              // of the scratch memory, for what the op gives
  uint16_t other = 0;              // kSwap: the other block; kNewArray: the pool
  uint16_t operands = 0;           // kNewArray, kRepeat
  // Of windows. The loop of a 1-D slice's operation does the same; kOther: something else.
  Operation operation = Operation::kOther;
  uint8_t left_rank = 1;  // ... 1-D slices have one
  uint8_t right_rank = 1;
  uint8_t result_rank = 1;
  uint8_t axes = 0;  // kWindowReduce: a bit for each

  bool GivesNumber() const {
    return kind == Kind::kDot || kind == Kind::kReduce || kind == Kind::kMedian ||
           (kind == Kind::kWindowReduce && result_rank == 0);
  }
  bool GivesInt() const { return kind == Kind::kIndexOf || kind == Kind::kNewArray; }
  bool GivesSlice1d() const {
    return kind == Kind::kElementwise || kind == Kind::kPart || kind == Kind::kCopy ||
           kind == Kind::kFill || kind == Kind::kGather || kind == Kind::kWindowElementwise ||
           (kind == Kind::kWindowReduce && result_rank > 0);
  }
};
inline constexpr int kSlice1dRegisters = 3;
inline constexpr int kMostWindowAxes = 5;
constexpr int WindowRegisters(int rank) { return 1 + 2 * rank; }

// Memory of one run, in numbered blocks that grow. A block keeps its content until it is asked for
// again.
//
// Arrays that the program makes lie in numbered pools, whose blocks are all of one size. A block is
// another array's as soon as no address that the program has is in it.
class LoopScratch {
 public:
  char* Get(uint16_t block, int64_t bytes);
  void Swap(uint16_t one, uint16_t other);

  // Memory for an array; null if there is none. `in_use`: addresses in arrays of that pool.
  char* New(uint16_t pool, int64_t bytes, const LoopSlot* in_use, int count);
  // Where the array begins in which the address is; null if there is none. (Empty parts of arrays
  // begin at their ends, or one step before them.)
  char* ArrayAt(uint16_t pool, int64_t address) const;

 private:
  struct Block {
    std::unique_ptr<char[]> memory;
    int64_t bytes = 0;
  };
  Block& At(uint16_t block);

  boost::container::small_vector<Block, 4> blocks_;
  std::vector<std::vector<Block>> pools_;
};

// Does the call on the registers from `a` and `b` on, and sets those from `d` on if it gives
// anything. False without any effect where Python has something to say: operands of different
// sizes, a flag that NumPy would report, memory that BLAS would be given a copy of, more elements
// than a 1-D slice has.
bool RunSlice1d(const Slice1dCall& call, const kernel::LibraryLoop& loop, LoopScratch& scratch,
                const LoopSlot* a, const LoopSlot* b, LoopSlot* d);

}  // namespace dynacc::loops
