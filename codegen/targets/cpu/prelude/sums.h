// The prelude, part 7: sums of what a kernel computes, for CompiledKernel::Fold.

// The layout is that of FoldBlock in runtime/kernel/fold_block.h.
struct FoldBlock {
  int32_t begin, end;
};

// Of each block, eight sums of every eighth term, in order. terms(i): those of elements i to
// i + kLanes. A block is full eights; of those that are left over after full vectors, terms before
// them are computed once more, so that nothing after the block is read.
template <typename T, typename Terms>
DYNACC_INLINE void FoldBlocks(const FoldBlock* blocks, int64_t count, char* sums, Terms terms) {
  using Eight = decltype(T().lo);
  const Eight nothing = -0.0;  // which leaves all numbers as they are
  for (int64_t k = 0; k < count; ++k) {
    const int64_t last = blocks[k].end - kLanes / 2;
    Eight sum = nothing;
    for (int64_t i = blocks[k].begin; i <= last; i += kLanes) {
      const bool is_full = i < last;
      const T t = terms(is_full ? i : i - kLanes / 2);
      sum += is_full ? Eight(t.lo) : nothing;
      sum += t.hi;
    }
    Vectors<Eight>::Store(sums + k * sizeof(Eight), sum);
  }
}
