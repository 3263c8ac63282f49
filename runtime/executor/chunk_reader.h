// ChunkReader: the elements that a reduction takes, in runs, from memory or from a kernel.
#pragma once

#include "absl/types/span.h"
#include "runtime/executor/loop_nest.h"
#include "runtime/kernel/compiled_kernel.h"
#include "runtime/tensor/dtype.h"

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
  // `kernel` null: operand 0 is what is read. `inputs`: the kernel's. `scratch` holds
  // kChunkElements elements. Unless `raises_flags`, the flags that the kernel leaves are dropped.
  ChunkReader(const kernel::CompiledKernel* kernel, absl::Span<const DType> inputs,
              bool raises_flags, int item_size, char* scratch)
      : kernel_(kernel),
        inputs_(inputs),
        raises_flags_(raises_flags),
        num_inputs_(kernel == nullptr ? 1 : static_cast<int>(inputs.size())),
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

  // The elements of a block of a kernel's, in order; shape[0] and strides[0] are its innermost
  // axis's. Its rows are short, or it has two axes.
  Chunk ReadBlock(char* const* pointers, const int64_t (*strides)[kMaxOperands],
                  absl::Span<const int64_t> shape) const;

  // Whether elements are read where they lie.
  bool in_place() const { return kernel_ == nullptr; }

 private:
  template <typename Compute>
  void WithItsFlags(const Compute& compute) const;
  void WriteTo(char* to, int64_t to_stride, char* const* pointers, const int64_t* strides,
               int64_t n) const;

  const kernel::CompiledKernel* kernel_;
  absl::Span<const DType> inputs_;
  bool raises_flags_;
  int num_inputs_;
  int item_size_;
  char* scratch_;
};

}  // namespace dynacc::executor
