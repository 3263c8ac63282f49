// The prelude, part 7: what kernels that add up what they compute need (EmitTiledFunction).

// Elements [begin, end) of a row, full eights. The layout is that of FoldBlock in
// runtime/kernel/fold_block.h.
struct FoldBlock {
  int32_t begin, end;
};

// Running sums of every eighth element of a T.
template <typename T>
using Eight = decltype(T().lo);
