// The prelude, part 7: sums of what a kernel computes, for CompiledKernel::Fold.

// The layout is that of FoldBlock in runtime/kernel/fold_block.h.
struct FoldBlock {
  int32_t begin, end;
};

// Of each block, eight sums of every eighth term, in order. terms(i): those of elements i to
// i + kLanes. A block is full eights, so that only the first half of its last vector may count.
template <typename T, typename Terms>
DYNACC_INLINE void FoldBlocks(const FoldBlock* blocks, int64_t count, char* sums, Terms terms) {
  using Eight = decltype(T().lo);
  const Eight nothing = -0.0;  // which leaves all numbers as they are
  for (int64_t k = 0; k < count; ++k) {
    const int64_t last = blocks[k].end - kLanes / 2;
    Eight sum = nothing;
    for (int64_t i = blocks[k].begin; i <= last; i += kLanes) {
      const T t = terms(i);
      sum += t.lo;
      sum += i < last ? Eight(t.hi) : nothing;
    }
    Vectors<Eight>::Store(sums + k * sizeof(Eight), sum);
  }
}
