// ChunkReader: the elements that a reduction takes, in runs, from memory or from a kernel.
#pragma once

#include "runtime/executor/loop_nest.h"
#include "runtime/kernel/compiled_kernel.h"

namespace dynacc::executor {

// One run of elements, ready for a reduce loop.
struct Chunk {
  char* data;
  int64_t stride;
};

// A position in a nest whose operands are what is read (a kernel's inputs, or the one array),
// and, last, the accumulator.
class ChunkReader {
 public:
  // `kernel` null: operand 0 is what is read. `scratch` holds kChunkElements elements.
  // Unless `raises_flags`, the flags that the kernel leaves are dropped.
  ChunkReader(const kernel::CompiledKernel* kernel, bool raises_flags, int num_inputs,
              int item_size, char* scratch)
      : kernel_(kernel),
        raises_flags_(raises_flags),
        num_inputs_(num_inputs),
        item_size_(item_size),
        scratch_(scratch) {}

  // n elements from pointers[k] on at strides[k]; n <= kChunkElements unless read in place.
  Chunk Read(char* const* pointers, const int64_t* strides, int64_t n) const {
    if (kernel_ == nullptr) return {pointers[0], strides[0]};
    WriteTo(scratch_, item_size_, pointers, strides, n);
    return {scratch_, item_size_};
  }

  // Elements [begin, begin + n) of the innermost `axes` axes of `nest`, counted in its order.
  Chunk ReadAcross(const LoopNest& nest, int axes, int64_t begin, int64_t n) const;

  // The same for `rows` rows of `length` elements, row after row; strides[0] lead along a row,
  // strides[1] to the next. Computed column by column, for rows too short to be runs.
  Chunk ReadRows(char* const* pointers, const int64_t (*strides)[kMaxOperands], int64_t rows,
                 int64_t length) const;

  // Whether elements are read where they lie.
  bool in_place() const { return kernel_ == nullptr; }

 private:
  void WriteTo(char* to, int64_t to_stride, char* const* pointers, const int64_t* strides,
               int64_t n) const;

  const kernel::CompiledKernel* kernel_;
  bool raises_flags_;
  int num_inputs_;
  int item_size_;
  char* scratch_;
};

}  // namespace dynacc::executor
