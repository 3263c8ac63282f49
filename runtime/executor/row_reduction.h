// RowReduction: rows that lie without gaps, in memory or as a kernel makes them, each reduced into
// one element by one of our own functions (runtime/cpu/loops/pairwise_sum.h and extreme_run.h).
//
// What most reductions along rows are; those that a RowBlockStep has are done for a few rows at a
// time, and this spends little on each time. Everything else is ReduceStep's.
#pragma once

#include <optional>

#include "runtime/executor/folded_rows.h"
#include "runtime/executor/reduce_step.h"

namespace dynacc::executor {

// Elements that a kernel computes before they are reduced: they are to stay in the first cache.
inline constexpr int64_t kPieceElements = 2048;

// Rows up to this length are better computed several at a time, or column by column.
inline constexpr int64_t kShortRow = 64;

// Whether RowReduction does the nest, which is in NumPy's order with the accumulator last and bit i
// of `axes` set if axis i is reduced.
bool CanReduceRows(const ReducePlan& plan, const LoopNest& nest, uint32_t axes);

class RowReduction : public ReadyRows {
 public:
  RowReduction(const ReducePlan& plan, const LoopNest& nest);
  bool Run(char* const* pointers, char* scratch, const RowHints& hints) const override;

 private:
  char* ComputeRows(char* const* pointers, int64_t row, int64_t rows, char* scratch) const;
  void StartSums(int64_t rows, char* acc) const;
  int64_t AddFolded(char* const* pointers, int64_t row, int64_t rows, char* acc) const;
  void Reduce(const char* data, int64_t rows, char* acc) const;
  void FindExtremes(const char* data, int64_t rows, char* acc) const;

  const ReducePlan& plan_;
  const LoopNest nest_;
  const int num_inputs_;
  const int64_t item_size_;
  const int64_t length_;     // of a row
  const int64_t rows_;       // all
  const bool are_one_run_;   // rows follow each other in all that is read
  const int64_t row_bytes_;  // from row to row where they are reduced
  const int64_t acc_stride_;
  int64_t rows_at_once_;
  ElementCell identity_;  // of a sum
  std::optional<FoldedRows> folded_;
};

// acc op= n elements, by the library's loop: with acc_stride 0 all into one. The flags that were
// raised before stay.
void CallReduceLoop(const ReducePlan& plan, char* acc, int64_t acc_stride, char* data,
                    int64_t stride, int64_t n);

}  // namespace dynacc::executor
