#include "runtime/executor/reduce_step.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "runtime/base/status_macros.h"
#include "runtime/executor/bound_program.h"
#include "runtime/executor/chunk_reader.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/folded_rows.h"
#include "runtime/executor/layout_rules.h"
#include "runtime/executor/row_reduction.h"
#include "runtime/platform/fp_flags.h"
#include "runtime/platform/thread_pool.h"

namespace dynacc::executor {
namespace {

// Nanoseconds an element that a reduce loop takes, and SumRunsFn, roughly.
constexpr double kReduceCost = 0.25;
constexpr double kSumRunsCost = 0.05;

// Rows that cannot be computed as one run are computed column by column if they are kShortRow or
// less, and there are this many times more of them.
constexpr int64_t kRowsForShortRows = 4;

// One reduction, or one thread's part of it: a nest in NumPy's order whose last operand is the
// accumulator (stride 0 on reduced axes).
class Reduction {
 public:
  Reduction(const ReducePlan& plan, const ReduceCalls& calls, int num_inputs, char* scratch,
            ReadAhead* ahead = nullptr)
      : plan_(plan),
        calls_(calls),
        ahead_(ahead),
        item_size_(ItemSize(plan.dtype)),
        num_inputs_(num_inputs),
        reader_(plan.producer.kernel.get(), plan.producer.input_dtypes, plan.producer_raises_flags,
                item_size_, scratch) {}

  void Run(const LoopNest& nest, uint32_t reduced_axes) {
    int inner = 0;  // innermost axes that are reduced
    while (inner < nest.rank && (reduced_axes >> inner & 1)) ++inner;
    const bool can_batch = inner <= 1 && CanBatch(nest);
    const bool can_sum_rows =
        plan_.sum_runs != nullptr && (reader_.in_place() ? CanSum(nest.strides[0][0]) : can_batch);
    if (CanAddColumns(nest, reduced_axes) && !can_sum_rows) {
      AddColumns(nest);
    } else if (HasShortRows(nest, reduced_axes)) {
      LoopNest many = nest;
      SwapAxes(many, 1, LongestOuterAxis(nest));
      ReduceBatches(many, reduced_axes);
    } else if (can_batch) {
      ReduceBatches(nest, reduced_axes);
    } else if (inner > 0) {
      ReduceRuns(nest, inner, reduced_axes);
    } else {
      AddRows(nest, reduced_axes);
    }
  }

  // acc op= elements [begin, begin + n) of the innermost `axes` axes.
  void ReduceChunk(const LoopNest& nest, int axes, int64_t begin, int64_t n, char* acc) {
    if (axes == 1 && FoldedRows::CanAdd(plan_, nest.strides[0], n) &&
        AddFolded(nest, begin, n, acc)) {
      return;
    }
    const int64_t most = reader_.in_place() ? kChunkElements : kPieceElements;
    if (plan_.sum_runs != nullptr && n > most && !(reader_.in_place() && axes == 1)) {
      return SumHalves(nest, axes, begin, n, acc);
    }
    if (n > kChunkElements && !(reader_.in_place() && axes == 1)) {
      return TakePieces(nest, axes, begin, n, acc);
    }
    if (axes > 1) {
      Call(acc, 0, reader_.ReadAcross(nest, axes, begin, n), n);
      return;
    }
    char* pointers[kMaxOperands];
    for (int k = 0; k < num_inputs_; ++k) {
      pointers[k] = nest.pointers[k] + begin * nest.strides[0][k];
    }
    Call(acc, 0, reader_.Read(pointers, nest.strides[0], n), n);
  }

  // Whether a result is not what NumPy's calls would give.
  bool failed() const { return failed_; }

 private:
  // Where the kernel adds up what it computes. False: it must be done otherwise.
  bool AddFolded(const LoopNest& nest, int64_t begin, int64_t n, char* acc) {
    if (!folded_.has_value() || folded_->length() != n) folded_.emplace(plan_, n);
    char* pointers[kMaxOperands];
    for (int k = 0; k < num_inputs_; ++k) {
      pointers[k] = nest.pointers[k] + begin * nest.strides[0][k];
    }
    return folded_->Add(pointers, nest.strides[0], nest.strides[0], 1, acc, 0) == 1;
  }

  // One call of NumPy's on more elements than the scratch memory holds: an extremum of which the
  // order of comparisons decides nothing.
  void TakePieces(const LoopNest& nest, int axes, int64_t begin, int64_t n, char* acc) {
    is_piece_ = true;
    for (int64_t end = begin + n; begin < end; begin += kChunkElements) {
      ReduceChunk(nest, axes, begin, std::min(kChunkElements, end - begin), acc);
    }
    is_piece_ = false;
  }

  // Each half by itself, as NumPy adds them.
  void SumHalves(const LoopNest& nest, int axes, int64_t begin, int64_t n, char* acc) {
    const int64_t half = cpu::PairwiseHalf(n);
    ElementCell left, right;
    ReduceChunk(nest, axes, begin, half, left.bytes);
    ReduceChunk(nest, axes, begin + half, n - half, right.bytes);
    plan_.sum_runs(right.bytes, 0, 1, 1, left.bytes, 0);
    plan_.sum_runs(left.bytes, 0, 1, 1, acc, 0);
  }

  // acc[i] op= chunk[i], or with acc_stride 0 all into one.
  void Call(char* acc, int64_t acc_stride, const Chunk& chunk, int64_t n) {
    if (n == 0) return;
    if (acc_stride == 0 && chunk.stride == item_size_ && TakeRun(acc, chunk.data, n)) return;
    failed_ = failed_ || is_piece_;
    CallReduceLoop(plan_, acc, acc_stride, chunk.data, chunk.stride, n);
  }

  // False: the library's loop must do it.
  bool TakeRun(char* acc, const char* run, int64_t n) const {
    if (plan_.extreme_run != nullptr) return plan_.extreme_run(run, n, acc);
    if (plan_.sum_runs == nullptr) return false;
    plan_.sum_runs(run, 0, 1, n, acc, 0);
    return true;
  }

  bool CanSum(int64_t stride) const { return plan_.sum_runs != nullptr && stride == item_size_; }

  // Whether this is the accumulator's first element: all reduced outer axes at 0.
  static bool IsFirst(const int64_t* index, int from, int rank, uint32_t reduced_axes) {
    for (int axis = from; axis < rank; ++axis) {
      if ((reduced_axes >> axis & 1) && index[axis] != 0) return false;
    }
    return true;
  }

  // Calls visit(walk, first) at every position of the axes from `from` outwards, in order; `walk`
  // has its pointers there.
  template <typename Visit>
  void ForEachOuter(const LoopNest& nest, int from, uint32_t reduced_axes, const Visit& visit) {
    LoopNest walk = nest;
    int64_t index[kMaxRank] = {};
    for (;;) {
      visit(walk, IsFirst(index, from, nest.rank, reduced_axes));
      int axis = from;
      for (; axis < nest.rank; ++axis) {
        const bool carry = ++index[axis] == nest.shape[axis];
        const int64_t by = carry ? 1 - nest.shape[axis] : 1;
        for (int k = 0; k <= num_inputs_; ++k) walk.pointers[k] += by * walk.strides[axis][k];
        if (!carry) break;
        index[axis] = 0;
      }
      if (axis >= nest.rank) return;
    }
  }

  void ReduceRuns(const LoopNest& nest, int inner, uint32_t reduced_axes) {
    int64_t length = 1;
    for (int axis = 0; axis < inner; ++axis) length *= nest.shape[axis];
    if (inner == 1 && nest.rank > 1 && length <= kChunkElements && reader_.in_place() &&
        CanSum(nest.strides[0][0])) {
      return SumRows(nest);
    }
    const bool skips = !plan_.identity.has_value();
    ForEachOuter(nest, inner, reduced_axes, [&](const LoopNest& at, bool first) {
      char* acc = at.pointers[num_inputs_];
      for (int64_t begin = 0; begin < length;) {
        const int64_t end = EndOfCall(begin, length);
        const int64_t skip = skips && first && begin == 0 ? 1 : 0;
        ReduceChunk(at, inner, begin + skip, end - begin - skip, acc);
        AdvanceBy(end - begin);
        begin = end;
      }
    });
  }

  // Where the call that starts at `begin` of a run ends.
  int64_t EndOfCall(int64_t begin, int64_t length) const {
    const int64_t in_block = begin % calls_.block;
    const int64_t left = std::min(calls_.block - in_block, length - begin);
    return begin + std::min(calls_.call, left);
  }

  // Runs along axis 0 that lie in memory, all of axis 1 in one call.
  void SumRows(const LoopNest& nest) {
    const int64_t most =
        ahead_ == nullptr ? nest.shape[1] : 1 + (kPieceElements - 1) / nest.shape[0];
    ForEachOuter(nest, 2, 1, [&](const LoopNest& at, bool) {
      for (int64_t row = 0; row < at.shape[1]; row += most) {
        const int64_t rows = std::min(most, at.shape[1] - row);
        plan_.sum_runs(at.pointers[0] + row * at.strides[1][0], at.strides[1][0], rows, at.shape[0],
                       at.pointers[num_inputs_] + row * at.strides[1][num_inputs_],
                       at.strides[1][num_inputs_]);
        AdvanceBy(rows * at.shape[0]);
      }
    });
  }

  void AdvanceBy(int64_t elements) const {
    if (ahead_ != nullptr) ahead_->Advance(elements);
  }

  static int LongestOuterAxis(const LoopNest& nest) {
    return static_cast<int>(std::max_element(nest.shape + 1, nest.shape + nest.rank) - nest.shape);
  }

  // Rows of which each gives one element, and so few terms that the loop adds them in order.
  // (NumPy counts the parts of complex numbers.)
  bool CanAddColumns(const LoopNest& nest, uint32_t reduced_axes) const {
    const int64_t pairwise_length = IsComplex(plan_.dtype) ? 4 : 8;
    return plan_.separable && reduced_axes == 1 && nest.rank > 1 && nest.shape[0] < pairwise_length;
  }

  // Then all rows take one term at a time: few calls on long runs instead of many on short ones.
  void AddColumns(LoopNest nest) {
    SwapAxes(nest, 1, LongestOuterAxis(nest));
    ForEachOuter(nest, 2, 1, [&](const LoopNest& at, bool) {
      for (int64_t row = 0; row < at.shape[1]; row += kBlockElements) {
        const int64_t rows = std::min(kBlockElements, at.shape[1] - row);
        for (int64_t i = 0; i < at.shape[0]; ++i) {
          char* pointers[kMaxOperands];
          for (int k = 0; k <= num_inputs_; ++k) {
            pointers[k] = at.pointers[k] + row * at.strides[1][k] + i * at.strides[0][k];
          }
          Call(pointers[num_inputs_], at.strides[1][num_inputs_],
               reader_.Read(pointers, at.strides[1], rows), rows);
        }
      }
    });
  }

  // Rows that are no single run of the kernel's, only axis 0 reduced: the others may change places.
  bool HasShortRows(const LoopNest& nest, uint32_t reduced_axes) const {
    return !reader_.in_place() && nest.rank > 1 && reduced_axes == 1 &&
           nest.shape[0] <= kShortRow && !CanMerge(nest, 0, num_inputs_) &&
           nest.shape[LongestOuterAxis(nest)] >= kRowsForShortRows * nest.shape[0];
  }

  // Rows that the kernel can compute several of at once.
  bool CanBatch(const LoopNest& nest) const {
    return !reader_.in_place() && nest.rank > 1 && 2 * nest.shape[0] <= kChunkElements &&
           (nest.shape[0] < kShortRun || CanMerge(nest, 0, num_inputs_));
  }

  // Rows along axis 0 are computed as many as fit at a time, then taken one by one: each into one
  // element if axis 0 is reduced, otherwise into a row of elements.
  void ReduceBatches(const LoopNest& nest, uint32_t reduced_axes) {
    const int64_t length = nest.shape[0];
    const bool sums = (reduced_axes & 1) && plan_.sum_runs != nullptr;
    const int64_t most = sums ? kPieceElements : kChunkElements;
    const int64_t rows = std::max<int64_t>(1, most / length);
    if (nest.rank > 2 && length < kShortRun && 2 * nest.shape[1] <= rows) {
      return ReducePlanes(nest, rows / nest.shape[1], reduced_axes);
    }
    ForEachOuter(nest, 2, reduced_axes, [&](const LoopNest& at, bool first) {
      for (int64_t row = 0; row < at.shape[1]; row += rows) {
        const int64_t batch = std::min(rows, at.shape[1] - row);
        const Chunk chunk = ReadRows(at, row, batch);
        AdvanceBy(batch * length);
        TakeBatch(at, row, first, chunk, batch, reduced_axes);
      }
    });
  }

  // The same with all rows of axis 1 at several places of axis 2 at a time.
  void ReducePlanes(const LoopNest& nest, int64_t most, uint32_t reduced_axes) {
    const int64_t rows = nest.shape[1], size = rows * nest.shape[0];
    ForEachOuter(nest, 3, reduced_axes, [&](const LoopNest& at, bool first) {
      LoopNest plane = at;
      for (int64_t begin = 0; begin < at.shape[2]; begin += most) {
        const int64_t count = std::min(most, at.shape[2] - begin);
        Chunk chunk = reader_.ReadBlock(plane.pointers, at.strides, {at.shape[0], rows, count});
        AdvanceBy(count * size);
        for (int64_t i = 0; i < count; ++i) {
          const bool is_first = first && (begin + i == 0 || !(reduced_axes & 4));
          TakeBatch(plane, 0, is_first, chunk, rows, reduced_axes);
          chunk.data += size * chunk.stride;
          for (int k = 0; k <= num_inputs_; ++k) plane.pointers[k] += at.strides[2][k];
        }
      }
    });
  }

  // `rows` rows of axis 1, from `row` on, that `chunk` has; `first`: all reduced axes further out
  // are at 0.
  void TakeBatch(const LoopNest& at, int64_t row, bool first, const Chunk& chunk, int64_t rows,
                 uint32_t reduced_axes) {
    const int64_t length = at.shape[0];
    const int64_t acc_step = at.strides[0][num_inputs_], acc_rows = at.strides[1][num_inputs_];
    char* const acc = at.pointers[num_inputs_] + row * acc_rows;
    const bool skips = !plan_.identity.has_value();
    if ((reduced_axes & 1) && plan_.sum_runs != nullptr) {
      return plan_.sum_runs(chunk.data, length * item_size_, rows, length, acc, acc_rows);
    }
    // Rows whose accumulators lie evenly are one.
    if (!(reduced_axes & 3) && acc_rows == length * acc_step) {
      if (!(skips && first)) Call(acc, acc_step, chunk, rows * length);
      return;
    }
    const bool has_first = skips && first && row == 0;
    if ((reduced_axes & 3) == 2 && chunk.stride == item_size_ &&
        TakeRows(at, has_first, chunk.data, length * item_size_, rows)) {
      return;
    }
    for (int64_t i = 0; i < rows; ++i) {
      const bool first_row = first && (row + i == 0 || !(reduced_axes & 2));
      // What the accumulator was started with: the first element, or all of the first row.
      const int64_t skip = !(skips && first_row) ? 0 : reduced_axes & 1 ? 1 : length;
      const Chunk run{chunk.data + (i * length + skip) * chunk.stride, chunk.stride};
      Call(acc + i * acc_rows, acc_step, run, length - skip);
    }
  }

  // Rows without gaps that are all for one row of the accumulator; `has_first`: which was started
  // with the first of them. False: the library's loop must take them.
  bool TakeRows(const LoopNest& at, bool has_first, const char* data, int64_t row_stride,
                int64_t rows) const {
    if (at.strides[0][num_inputs_] != item_size_) return false;
    const char* const from = data + has_first * row_stride;
    char* const acc = at.pointers[num_inputs_];
    if (plan_.sum_rows != nullptr) {
      plan_.sum_rows(from, row_stride, rows - has_first, at.shape[0], acc);
      return true;
    }
    return plan_.extreme_rows != nullptr &&
           plan_.extreme_rows(from, row_stride, rows - has_first, at.shape[0], acc);
  }

  Chunk ReadRows(const LoopNest& nest, int64_t row, int64_t rows) const {
    char* pointers[kMaxOperands];
    for (int k = 0; k < num_inputs_; ++k) {
      pointers[k] = nest.pointers[k] + row * nest.strides[1][k];
    }
    if (!CanMerge(nest, 0, num_inputs_)) {
      return reader_.ReadBlock(pointers, nest.strides, {nest.shape[0], rows});
    }
    return reader_.Read(pointers, nest.strides[0], rows * nest.shape[0]);
  }

  // The innermost axis is kept: rows are added to the accumulator's row, block by block.
  void AddRows(const LoopNest& nest, uint32_t reduced_axes) {
    const bool skips = !plan_.identity.has_value();
    if (plan_.sum_rows != nullptr && reader_.in_place() && (reduced_axes & 3) == 2 &&
        nest.shape[0] <= kShortRow && nest.strides[0][0] == item_size_ &&
        nest.strides[0][num_inputs_] == item_size_) {
      return ForEachOuter(nest, 2, reduced_axes, [&](const LoopNest& at, bool first) {
        TakeRows(at, skips && first, at.pointers[0], at.strides[1][0], at.shape[1]);
      });
    }
    for (int64_t begin = 0; begin < nest.shape[0]; begin += kBlockElements) {
      const int64_t n = std::min(kBlockElements, nest.shape[0] - begin);
      ForEachOuter(nest, 1, reduced_axes, [&](const LoopNest& at, bool first) {
        if (skips && first) return;
        char* pointers[kMaxOperands];
        for (int k = 0; k <= num_inputs_; ++k) {
          pointers[k] = at.pointers[k] + begin * at.strides[0][k];
        }
        Call(pointers[num_inputs_], at.strides[0][num_inputs_],
             reader_.Read(pointers, at.strides[0], n), n);
      });
    }
  }

  const ReducePlan& plan_;
  const ReduceCalls calls_;
  ReadAhead* const ahead_;  // null, or to be advanced
  const int item_size_;
  const int num_inputs_;
  ChunkReader reader_;
  std::optional<FoldedRows> folded_;  // of the length that was needed last
  bool is_piece_ = false;
  bool failed_ = false;
};

void FillIdentity(int identity, const StridedView& out) {
  ScalarValue value;
  value.i = identity;
  ElementCell cell = ScalarCell(value, ScalarType::kInt, out.dtype);
  if (out.size() == 1) {
    std::memcpy(out.data, cell.bytes, ItemSize(out.dtype));
    return;
  }
  StridedView number = out;
  number.data = cell.bytes;
  std::fill_n(number.strides, number.rank, 0);
  CopyElements(number, out);
}

// Starts the accumulator with the elements at index 0 of every reduced axis.
void StartWithFirst(const ReducePlan& plan, LoopNest nest, int num_inputs, uint32_t reduced_axes) {
  for (int axis = 0; axis < nest.rank; ++axis) {
    if (reduced_axes >> axis & 1) nest.shape[axis] = 1;
  }
  const int item_size = ItemSize(plan.dtype);
  ForEachRunInOrder(nest, [&](char* const* pointers, const int64_t* strides, int64_t n) {
    if (plan.producer.kernel == nullptr) {
      CopyRun(item_size, pointers[num_inputs], strides[num_inputs], pointers[0], strides[0], n);
    } else {
      plan.producer.kernel->Run(pointers, strides, n);
    }
  });
}

// The nest of the whole reduction, its axes in C numbering: what is read, then the accumulator.
void GatherReduction(const ReducePlan& plan, uint32_t reduced, const RunFrame& frame,
                     LoopNest& nest) {
  StridedView storage, shape;
  if (plan.producer.kernel == nullptr) {
    const StridedView& source = frame.Resolve(plan.source, storage);
    StartNest(nest, source.rank, source.shape);
    AddOperand(nest, source.data, source.strides);
  } else {
    const ResolvedInputs inputs(plan.producer, frame);
    frame.FillShape(plan.producer.shape, shape);
    StartNest(nest, shape.rank, shape.shape);
    for (size_t k = 0; k < plan.producer.inputs.size(); ++k) {
      AddOperand(nest, inputs[k].data, inputs[k].strides);
    }
  }
  const StridedView& out = frame.view(plan.output);
  int64_t strides[kMaxRank];
  int kept = 0;
  for (int i = 0; i < nest.rank; ++i) {
    const bool is_reduced = reduced >> i & 1;
    strides[i] = is_reduced ? 0 : out.strides[kept];
    if (!is_reduced || plan.keepdims) ++kept;
  }
  AddOperand(nest, out.data, strides);
}

AxisOrder OrderOf(const ReducePlan& plan, const RunFrame& frame, int rank) {
  const StridedView* layout = frame.FindLayout(plan.source_layout);
  return layout == nullptr ? COrder(rank) : ReductionOrder(*layout);
}

// Puts the nest's axes into `order`, and returns which of them are reduced.
uint32_t Arrange(LoopNest& nest, const AxisOrder& order, uint32_t reduced) {
  const int num_inputs = nest.num_operands - 1;
  OrderAxes(nest, order);
  // A single element is a run of one along a kept axis in NumPy's books too.
  if (nest.size() == 1) nest.strides[0][num_inputs] = reduced == 0 ? 8 : 0;
  Coalesce(nest);
  // Those whose accumulator stride is 0 (kept axes of size 1 are gone).
  uint32_t axes = 0;
  for (int i = 0; i < nest.rank; ++i) {
    if (nest.strides[i][num_inputs] == 0) axes |= 1u << i;
  }
  return axes;
}

// The elements that the accumulator of a gathered nest has.
StridedView AccumulatorOf(const LoopNest& nest, uint32_t reduced, DType dtype) {
  StridedView view;
  view.dtype = dtype;
  view.data = nest.pointers[nest.num_operands - 1];
  view.rank = nest.rank;
  for (int i = 0; i < nest.rank; ++i) {
    view.shape[i] = (reduced >> i & 1) ? 1 : nest.shape[i];
    view.strides[i] = nest.strides[i][nest.num_operands - 1];
  }
  return view;
}

}  // namespace

void FindQuickRuns(ReducePlan& plan) {
  if (plan.op == Op::kReduceSum) {
    plan.sum_runs = cpu::FindSumRuns(plan.dtype, plan.loop);
    plan.sum_rows = cpu::FindSumRows(plan.dtype, plan.loop);
  }
  if (plan.op == Op::kReduceMax) {
    plan.extreme_run = cpu::FindMaxRun(plan.dtype);
    plan.extreme_rows = cpu::FindMaxRows(plan.dtype);
  } else if (plan.op == Op::kReduceMin) {
    plan.extreme_run = cpu::FindMinRun(plan.dtype);
    plan.extreme_rows = cpu::FindMinRows(plan.dtype);
  }
}

ReduceStep::ReduceStep(ReducePlan plan) : plan_(std::move(plan)), outputs_({plan_.output}) {
  for (const int axis : plan_.axes) reduced_ |= 1u << axis;
}

namespace {

// What is reduced, in which order and by which calls; the output has its place.
class ArrangedReduction {
 public:
  ArrangedReduction(const ReducePlan& plan, uint32_t reduced, const RunFrame& frame) : plan_(plan) {
    if (plan.producer.kernel == nullptr) {
      source_ = frame.Resolve(plan.source, storage_);
    } else {
      frame.FillShape(plan.producer.shape, source_);
    }
    order_ = OrderOf(plan, frame, source_.rank);
    calls_ = FindCalls(frame, reduced);
  }

  int64_t size() const { return source_.size(); }

  // size() > 0.
  void Arrange(uint32_t reduced, const RunFrame& frame) {
    GatherReduction(plan_, reduced, frame, nest_);
    accumulator_ = AccumulatorOf(nest_, reduced, plan_.dtype);
    axes_ = dynacc::executor::Arrange(nest_, order_, reduced);
  }

  const LoopNest& nest() const { return nest_; }
  const StridedView& accumulator() const { return accumulator_; }
  const ReduceCalls& calls() const { return calls_; }
  uint32_t axes() const { return axes_; }

  // Whether calls may be longer than the scratch memory: elements need none, or may be taken in
  // pieces.
  bool CanCallAtOnce() const {
    const int64_t run = std::min(calls_.call, RunLength());
    const bool in_one_stride = plan_.producer.kernel == nullptr && (axes_ & 3) != 3;
    return run <= kChunkElements || plan_.sum_runs != nullptr || plan_.extreme_run != nullptr ||
           in_one_stride;
  }

  // Elements of the innermost axes, if they are reduced.
  int64_t RunLength() const {
    int64_t length = 1;
    for (int i = 0; i < nest_.rank && (axes_ >> i & 1); ++i) length *= nest_.shape[i];
    return length;
  }

  bool NeedsScratch() const {
    return plan_.producer.kernel != nullptr || (nest_.rank > 1 && (axes_ & 3) == 3);
  }

 private:
  ReduceCalls FindCalls(const RunFrame& frame, uint32_t reduced) const {
    if (!plan_.by_calls || !HasGrowingCalls()) return {};
    if (plan_.producer.kernel != nullptr) return {INT64_MAX, INT64_MAX};  // NumPy's has no gaps
    const StridedView* layout = frame.FindLayout(plan_.source_layout);
    return FindGrowingCalls(layout == nullptr ? source_ : *layout, order_, reduced);
  }

  const ReducePlan& plan_;
  StridedView storage_;
  StridedView source_;  // its shape; its strides if it is stored
  AxisOrder order_ = {};
  ReduceCalls calls_;
  LoopNest nest_;
  StridedView accumulator_;
  uint32_t axes_ = 0;
};

// One run of a ReduceStep.
class ReduceRun {
 public:
  ReduceRun(const ReducePlan& plan, uint32_t reduced, double cost, RunFrame& frame)
      : plan_(plan), reduced_(reduced), cost_(cost), frame_(frame), all_(plan, reduced, frame) {}

  absl::Status Run() {
    DYNACC_RETURN_IF_ERROR(frame_.Allocate(plan_.output));
    const StridedView& out = frame_.view(plan_.output);
    if (out.size() == 0) return absl::OkStatus();
    if (plan_.identity.has_value()) FillIdentity(*plan_.identity, out);
    const int64_t size = all_.size();
    frame_.CountLaunch(size * ItemSize(plan_.dtype), out.size() * ItemSize(plan_.dtype));
    if (size == 0) {
      if (plan_.identity.has_value()) return absl::OkStatus();
      return absl::InvalidArgumentError("reduction of nothing without an identity");
    }
    all_.Arrange(reduced_, frame_);
    if (all_.calls().call > kChunkElements && !all_.CanCallAtOnce()) {
      return absl::AbortedError("a reduction in longer calls than can be made here");
    }
    return RunParts();
  }

 private:
  absl::Status RunParts() {
    const LoopNest& nest = all_.nest();
    const ReduceCalls& calls = all_.calls();
    const uint32_t axes = all_.axes();
    const int num_inputs = nest.num_operands - 1;
    int parts = PartsFor(nest.size(), cost_);
    const int axis = KeptAxis();
    if (axis >= 0) parts = static_cast<int>(std::min<int64_t>(parts, nest.shape[axis]));
    const size_t chunk_bytes = kChunkElements * ItemSize(plan_.dtype);
    ScratchBlock scratch;
    if (all_.NeedsScratch() && !scratch.Allocate(parts * chunk_bytes)) {
      return absl::ResourceExhaustedError("no memory for a reduction's scratch");
    }
    auto scratch_of = [&](int part) {
      return scratch.data() == nullptr ? nullptr : scratch.data() + part * chunk_bytes;
    };
    const bool in_chunks = calls.call == kChunkElements && calls.block >= nest.size();
    if (parts > 1 && axis < 0 && plan_.separable && in_chunks) {
      return ReduceApart(parts, scratch_of);
    }
    if (axis < 0) parts = 1;
    std::atomic<bool> failed = false;
    platform::ParallelFor(parts, [&](int part) {
      const LoopNest slice = parts == 1 ? nest : SliceOf(nest, axis, part, parts);
      if (slice.size() == 0) return;
      if (calls.call >= slice.shape[0] && CanReduceRows(plan_, slice, axes)) {
        (void)RowReduction(plan_, slice).Run(slice.pointers, scratch_of(part), RowHints());
        return;
      }
      Reduction reduction(plan_, calls, num_inputs, scratch_of(part));
      if (!plan_.identity) StartWithFirst(plan_, slice, num_inputs, axes);
      reduction.Run(slice, axes);
      if (reduction.failed()) failed = true;
    });
    if (failed) return absl::AbortedError("an extremum that the order of comparisons decides");
    return absl::OkStatus();
  }

  // A kept axis to split over threads: the longest; -1 if everything is reduced.
  int KeptAxis() const {
    int best = -1;
    for (int i = 0; i < all_.nest().rank; ++i) {
      if (all_.axes() >> i & 1) continue;
      if (best < 0 || all_.nest().shape[i] >= all_.nest().shape[best]) best = i;
    }
    return best;
  }

  // All axes reduced into one number: threads reduce chunks each for itself, and the chunks'
  // results are then combined in order.
  template <typename ScratchOf>
  absl::Status ReduceApart(int parts, const ScratchOf& scratch_of) {
    const LoopNest& nest = all_.nest();
    const int num_inputs = nest.num_operands - 1;
    const int64_t size = nest.size();
    const int64_t chunks = (size + kChunkElements - 1) / kChunkElements;
    ScratchBlock partial;
    const int item_size = ItemSize(plan_.dtype);
    if (!partial.Allocate(chunks * item_size)) {
      return absl::ResourceExhaustedError("no memory for partial sums");
    }
    StridedView results;
    results.data = partial.data();
    results.dtype = plan_.dtype;
    results.rank = 1;
    results.shape[0] = chunks;
    SetContiguousStrides(results);
    FillIdentity(*plan_.identity, results);
    platform::ParallelFor(parts, [&](int part) {
      Reduction reduction(plan_, all_.calls(), num_inputs, scratch_of(part));
      for (int64_t chunk = chunks * part / parts; chunk < chunks * (part + 1) / parts; ++chunk) {
        const int64_t begin = chunk * kChunkElements;
        reduction.ReduceChunk(nest, nest.rank, begin, std::min(kChunkElements, size - begin),
                              results.data + chunk * item_size);
      }
    });
    char* acc = nest.pointers[num_inputs];
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      char* args[] = {acc, results.data + chunk * item_size, acc};
      const intptr_t one = 1;
      const intptr_t steps[] = {0, item_size, 0};
      plan_.loop.fn(args, &one, steps, plan_.loop.data);
    }
    return absl::OkStatus();
  }

  const ReducePlan& plan_;
  const uint32_t reduced_;
  const double cost_;
  RunFrame& frame_;
  ArrangedReduction all_;
};

}  // namespace

absl::Status ReduceStep::Run(RunFrame& frame) const {
  return ReduceRun(plan_, reduced_, Cost(frame), frame).Run();
}

bool ReduceStep::CanCut(const RunFrame& frame) const {
  int64_t size = 1;
  int64_t run = 1;
  for (int i = 0; i < plan_.shape.rank; ++i) {
    const int64_t along = frame.Size(plan_.shape.sizes[i]);
    size *= along;
    if (reduced_ >> i & 1) run *= along;
  }
  // Long runs in one call of NumPy's depend on more than the rows.
  if (size == 0 || (plan_.by_calls && HasGrowingCalls() && run > kChunkElements)) return false;
  const AxisOrder order = OrderOf(plan_, frame, plan_.shape.rank);
  const AxisOrder rows = COrder(plan_.shape.rank);
  return std::equal(order.axis, order.axis + plan_.shape.rank, rows.axis);
}

void ReduceStep::Gather(const RunFrame& frame, RowOperands& operands) const {
  GatherReduction(plan_, reduced_, frame, operands.nest);
  const std::vector<int> read = inputs();
  *std::copy(read.begin(), read.end(), operands.buffers) = plan_.output;
}

namespace {

// All of a reduction, or a part that goes along its rows.
class ReadyReduction : public ReadyRows {
 public:
  // `nest`: arranged; `accumulator`: of it as it was gathered.
  ReadyReduction(const ReducePlan& plan, const ReduceCalls& calls, const LoopNest& nest,
                 uint32_t axes, const StridedView& accumulator)
      : plan_(plan), calls_(calls), accumulator_(accumulator), nest_(nest), axes_(axes) {}

  bool Run(char* const* pointers, char* scratch, const RowHints& hints) const override {
    LoopNest nest = nest_;
    std::copy_n(pointers, nest.num_operands, nest.pointers);
    const int num_inputs = nest.num_operands - 1;
    if (plan_.identity.has_value()) {
      StridedView accumulator = accumulator_;
      accumulator.data = pointers[num_inputs];
      FillIdentity(*plan_.identity, accumulator);
    }
    Reduction reduction(plan_, calls_, num_inputs, scratch, hints.ahead);
    if (!plan_.identity.has_value()) StartWithFirst(plan_, nest, num_inputs, axes_);
    reduction.Run(nest, axes_);
    return true;
  }

 private:
  const ReducePlan& plan_;
  const ReduceCalls calls_;
  const StridedView accumulator_;
  const LoopNest nest_;
  const uint32_t axes_;
};

std::unique_ptr<const ReadyRows> MakeReady(const ReducePlan& plan, const ReduceCalls& calls,
                                           const LoopNest& nest, uint32_t axes,
                                           const StridedView& accumulator) {
  if (calls.call >= nest.shape[0] && CanReduceRows(plan, nest, axes)) {
    return std::make_unique<RowReduction>(plan, nest);
  }
  return std::make_unique<ReadyReduction>(plan, calls, nest, axes, accumulator);
}

}  // namespace

std::unique_ptr<const ReadyRows> ReduceStep::Prepare(const RunFrame&, const LoopNest& part) const {
  LoopNest nest = part;
  const uint32_t axes = Arrange(nest, COrder(part.rank), reduced_);
  // Runs are no longer than NumPy's calls (CanCut).
  return MakeReady(plan_, ReduceCalls(), nest, axes, AccumulatorOf(part, reduced_, plan_.dtype));
}

bool ReduceStep::Bind(Binder& binder) const {
  const RunFrame& frame = binder.frame();
  ArrangedReduction all(plan_, reduced_, frame);
  const double nanoseconds = Cost(frame) * static_cast<double>(all.size());
  if (nanoseconds == 0 || !Binder::IsShort(nanoseconds)) return false;
  all.Arrange(reduced_, frame);
  // What is longer may turn out not to go in pieces.
  if (all.RunLength() > kChunkElements) return false;
  std::vector<BoundAddress> operands;
  if (plan_.producer.kernel == nullptr) operands.push_back(binder.AddressOf(plan_.source));
  for (const OperandPlan& input : plan_.producer.inputs) {
    operands.push_back(binder.AddressOf(input));
  }
  binder.Keep(plan_.producer.shape);
  binder.Keep(plan_.shape);
  binder.Allocate(plan_.output);
  operands.push_back(binder.AddressOf(plan_.output));
  const size_t scratch = std::min<size_t>(kChunkElements, all.size()) * ItemSize(plan_.dtype);
  binder.Add(MakeReady(plan_, all.calls(), all.nest(), all.axes(), all.accumulator()),
             std::move(operands), all.NeedsScratch() ? scratch : 0);
  return true;
}

std::vector<int> ReduceStep::inputs() const {
  if (plan_.producer.kernel == nullptr) return {plan_.source.buffer};
  std::vector<int> buffers;
  for (const OperandPlan& input : plan_.producer.inputs) buffers.push_back(input.buffer);
  return buffers;
}

size_t ReduceStep::scratch_bytes() const { return kChunkElements * ItemSize(plan_.dtype); }

Work ReduceStep::WorkIn(const RunFrame& frame) const {
  Work work = plan_.producer.work;
  work.arithmetic += ItemSize(plan_.dtype);
  return work * frame.ElementsOf(plan_.shape);
}

double ReduceStep::Cost(const RunFrame&) const {
  return (plan_.sum_runs == nullptr ? kReduceCost : kSumRunsCost) +
         (plan_.producer.kernel == nullptr ? 0 : plan_.producer.cost);
}

}  // namespace dynacc::executor
