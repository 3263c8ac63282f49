#include "runtime/loops/loop_windows.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/loops/loop_flags.h"

namespace dynacc::loops {
namespace {

using Operation = Slice1dCall::Operation;

constexpr int64_t kItem = sizeof(double);

struct Window {
  char* data;
  int rank = 0;
  int64_t strides[kMostWindowAxes] = {};
  int64_t counts[kMostWindowAxes] = {};

  int64_t size() const {
    int64_t size = 1;
    for (int i = 0; i < rank; ++i) {
      if (counts[i] > kLargestWindow) return counts[i];
      if (size <= kLargestWindow) size *= counts[i];
    }
    return size;
  }
};

// A number is a window without axes.
Window WindowIn(const LoopSlot* registers, bool is_number, int rank) {
  Window window;
  if (is_number) {
    window.data = reinterpret_cast<char*>(const_cast<LoopSlot*>(registers));
    return window;
  }
  window.data = reinterpret_cast<char*>(registers[0].i);
  window.rank = rank;
  for (int i = 0; i < rank; ++i) {
    window.strides[i] = registers[1 + 2 * i].i;
    window.counts[i] = registers[2 + 2 * i].i;
  }
  return window;
}

void SetWindow(const Window& window, LoopSlot* registers) {
  registers[0].i = reinterpret_cast<int64_t>(window.data);
  for (int i = 0; i < window.rank; ++i) {
    registers[1 + 2 * i].i = window.strides[i];
    registers[2 + 2 * i].i = window.counts[i];
  }
}

Window NewWindow(int rank, const int64_t* counts) {
  Window window;
  window.rank = rank;
  int64_t stride = kItem;
  for (int i = rank - 1; i >= 0; --i) {
    window.counts[i] = counts[i];
    window.strides[i] = stride;
    stride *= counts[i];
  }
  return window;
}

double At(const char* place) {
  double value;
  std::memcpy(&value, place, kItem);
  return value;
}
void Set(char* place, double value) { std::memcpy(place, &value, kItem); }

// Whether its elements lie in the order of its axes, as in an array in C's order; then NumPy goes
// through them in that order. An axis of which it has one does not matter, and none is on another.
bool IsOrdered(const Window& window, bool may_repeat) {
  int64_t inner = kItem;
  for (int i = window.rank - 1; i >= 0; --i) {
    const int64_t stride = window.strides[i];
    if (window.counts[i] == 1 || (stride == 0 && may_repeat)) continue;
    if (stride < inner || stride % kItem != 0) return false;
    inner = stride * window.counts[i];
  }
  return true;
}

// Axes that are gone through together: bytes from one to the next of up to three operands.
struct Axis {
  int64_t count;
  int64_t steps[3];
};

// From the outermost to the innermost. Those of one element are left out, and two are one where no
// operand can tell.
class Axes {
 public:
  void Add(int64_t count, int64_t first, int64_t second, int64_t third) {
    if (count == 1) return;
    axes_[size_++] = {count, {first, second, third}};
  }
  // The same, from the inside.
  void Join() {
    int last = size_ - 1;
    for (int i = size_ - 2; i >= 0; --i) {
      Axis& inner = axes_[last];
      const Axis& outer = axes_[i];
      bool is_one = true;
      for (int k = 0; k < 3; ++k) is_one = is_one && outer.steps[k] == inner.steps[k] * inner.count;
      if (is_one) {
        inner.count *= outer.count;
      } else {
        axes_[--last] = outer;
      }
    }
    first_ = size_ == 0 ? 0 : last;
  }
  bool IsEmpty() const { return first_ == size_; }
  const Axis& inner() const { return axes_[size_ - 1]; }
  Axis TakeInner() { return axes_[--size_]; }

  // visit(offsets) for each element of the axes, in their order.
  template <typename Visit>
  void ForEach(Visit visit) const {
    int64_t index[kMostWindowAxes] = {};
    int64_t offsets[3] = {};
    for (;;) {
      visit(offsets);
      int axis = size_ - 1;
      for (; axis >= first_; --axis) {
        const Axis& at = axes_[axis];
        if (++index[axis] < at.count) {
          for (int k = 0; k < 3; ++k) offsets[k] += at.steps[k];
          break;
        }
        index[axis] = 0;
        for (int k = 0; k < 3; ++k) offsets[k] -= at.steps[k] * (at.count - 1);
      }
      if (axis < first_) return;
    }
  }

 private:
  int first_ = 0;
  int size_ = 0;
  Axis axes_[kMostWindowAxes] = {};
};

template <typename Function>
void ComputeRows(const Axes& axes, const Axis& row, char* left, char* right, char* result,
                 Function function) {
  const auto [count, steps] = row;
  const bool is_dense = steps[1] == kItem && (steps[0] == kItem || steps[0] == 0);
  axes.ForEach([&, count = count, steps = steps](const int64_t* at) {
    const char* a = left + at[0];
    const char* b = right + at[1];
    char* d = result + at[2];
    if (is_dense && steps[0] == 0) {
      const double same = At(a);
      for (int64_t i = 0; i < count; ++i) Set(d + i * kItem, function(same, At(b + i * kItem)));
    } else if (is_dense) {
      for (int64_t i = 0; i < count; ++i) {
        Set(d + i * kItem, function(At(a + i * kItem), At(b + i * kItem)));
      }
    } else {
      for (int64_t i = 0; i < count; ++i) {
        Set(d + i * kItem, function(At(a + i * steps[0]), At(b + i * steps[1])));
      }
    }
  });
}

void Compute(Operation operation, const Axes& axes, const Axis& row, char* left, char* right,
             char* result) {
  const auto rows = [&](auto function) { ComputeRows(axes, row, left, right, result, function); };
  switch (operation) {
    case Operation::kSubtract:
      return rows([](double a, double b) { return a - b; });
    case Operation::kMultiply:
      return rows([](double a, double b) { return a * b; });
    case Operation::kDivide:
      return rows([](double a, double b) { return a / b; });
    default:
      return rows([](double a, double b) { return a + b; });
  }
}

// Of the axis that is `from_end` from the end: false if the counts do not fit together.
bool Broadcast(const Window& window, int from_end, int64_t* count, int64_t* step) {
  const int axis = window.rank - from_end;
  *step = 0;
  if (axis < 0 || window.counts[axis] == 1) return true;
  if (*count != 1 && *count != window.counts[axis]) return false;
  *count = window.counts[axis];
  *step = window.strides[axis];
  return true;
}

bool Elementwise(const Slice1dCall& call, LoopScratch& scratch, const LoopSlot* a,
                 const LoopSlot* b, LoopSlot* d) {
  const Window left = WindowIn(a, !call.left_is_slice1d, call.left_rank);
  const Window right = WindowIn(b, !call.right_is_slice1d, call.right_rank);
  if (!IsOrdered(left, true) || !IsOrdered(right, true)) return false;
  const int rank = std::max(left.rank, right.rank);
  int64_t counts[kMostWindowAxes];
  int64_t steps[2][kMostWindowAxes];
  for (int i = 0; i < rank; ++i) {
    counts[i] = 1;
    if (!Broadcast(left, rank - i, &counts[i], &steps[0][i]) ||
        !Broadcast(right, rank - i, &counts[i], &steps[1][i])) {
      return false;
    }
  }
  Window result = NewWindow(rank, counts);
  const int64_t size = result.size();
  if (size == 0 || size > kLargestWindow) return false;
  result.data = scratch.Get(call.block, size * kItem);
  Axes axes;
  for (int i = 0; i < rank; ++i) {
    axes.Add(counts[i], steps[0][i], steps[1][i], result.strides[i]);
  }
  axes.Join();
  const Axis row = axes.IsEmpty() ? Axis{1, {0, 0, kItem}} : axes.TakeInner();
  ForgetFlags();
  Compute(call.operation, axes, row, left.data, right.data, result.data);
  if (Raised()) return false;
  SetWindow(result, d);
  return true;
}

// An element is added to, or compared with, what is there. False: a NaN, or zeros of both signs, of
// which the library's own loops choose one.
void AddRow(const char* from, int64_t step, int64_t count, double* to) {
  if (step == kItem) {
    for (int64_t i = 0; i < count; ++i) to[i] += At(from + i * kItem);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] += At(from + i * step);
  }
}
template <bool greatest>
bool IsBetter(double one, double best) {
  return greatest ? one > best : one < best;
}
// Equal numbers of other bits are zeros. (Without branches, so that rows become vectors.)
int64_t IsDoubtful(double one, double best) {
  const auto differs =
      static_cast<int64_t>(__builtin_bit_cast(int64_t, one) != __builtin_bit_cast(int64_t, best));
  return static_cast<int64_t>(one != one) | (static_cast<int64_t>(one == best) & differs);
}
template <bool greatest>
bool CompareRow(const char* from, int64_t step, int64_t count, double* to) {
  int64_t doubt = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double one = At(from + i * step);
    doubt |= IsDoubtful(one, to[i]);
    to[i] = IsBetter<greatest>(one, to[i]) ? one : to[i];
  }
  return doubt == 0;
}
template <bool greatest>
bool CompareTogether(const Axes& group, const char* from, double* to) {
  Axes rest = group;
  const Axis row = rest.TakeInner();
  double best = *to;
  int64_t doubt = 0;
  rest.ForEach([&](const int64_t* at) {
    const char* place = from + at[0];
    for (int64_t i = 0; i < row.count; ++i, place += row.steps[0]) {
      const double one = At(place);
      doubt |= IsDoubtful(one, best);
      best = IsBetter<greatest>(one, best) ? one : best;
    }
  });
  *to = best;
  return doubt == 0;
}

// The innermost axes are all reduced: NumPy adds up what lies along them as one row.
void AddTogether(const kernel::LibraryLoop& loop, const Axes& group, const char* from, char* copy,
                 double* to) {
  char* data = const_cast<char*>(from);
  intptr_t count = 0;
  intptr_t step = kItem;
  Axes rest = group;
  const Axis inner = rest.TakeInner();
  if (rest.IsEmpty()) {
    count = inner.count;
    step = inner.steps[0];
  } else {
    group.ForEach([&](const int64_t* at) { Set(copy + kItem * count++, At(from + at[0])); });
    data = copy;
  }
  auto* place = reinterpret_cast<char*>(to);
  char* args[] = {place, data, place};
  const intptr_t steps[] = {0, step, 0};
  loop.fn(args, &count, steps, loop.data);
}

// What a reduction goes through: the kept axes and the reduced ones around others, and the
// innermost of all, which are reduced, if any are.
struct Reduction {
  Axes outer;
  Axes group;
};

Reduction AxesOf(const Slice1dCall& call, const Window& window, const Window& result) {
  const auto is_reduced = [&](int axis) { return ((call.axes >> axis) & 1) != 0; };
  int first_of_group = window.rank;
  while (first_of_group > 0 &&
         (window.counts[first_of_group - 1] == 1 || is_reduced(first_of_group - 1))) {
    --first_of_group;
  }
  Reduction reduction;
  int kept = 0;
  for (int i = 0; i < window.rank; ++i) {
    const int64_t to = is_reduced(i) ? 0 : result.strides[kept++];
    (i < first_of_group ? reduction.outer : reduction.group)
        .Add(window.counts[i], window.strides[i], to, 0);
  }
  reduction.outer.Join();
  reduction.group.Join();
  return reduction;
}

bool ReduceAll(const Slice1dCall& call, const kernel::LibraryLoop& loop, const Window& window,
               const Window& result, char* copy) {
  Reduction axes = AxesOf(call, window, result);
  const bool adds = call.operation == Operation::kAdd;
  const auto target = [&](const int64_t* at) {
    return reinterpret_cast<double*>(result.data + at[1]);
  };
  const bool is_most = call.operation == Operation::kMaximum;
  bool done = true;
  if (!axes.group.IsEmpty()) {
    axes.outer.ForEach([&](const int64_t* at) {
      const char* from = window.data + at[0];
      if (adds) return AddTogether(loop, axes.group, from, copy, target(at));
      done &= is_most ? CompareTogether<true>(axes.group, from, target(at))
                      : CompareTogether<false>(axes.group, from, target(at));
    });
    return done;
  }
  const Axis row = axes.outer.IsEmpty() ? Axis{1, {kItem, kItem, 0}} : axes.outer.TakeInner();
  const auto [step, count] = std::pair(row.steps[0], row.count);
  axes.outer.ForEach([&, step = step, count = count](const int64_t* at) {
    const char* from = window.data + at[0];
    if (adds) return AddRow(from, step, count, target(at));
    done &= is_most ? CompareRow<true>(from, step, count, target(at))
                    : CompareRow<false>(from, step, count, target(at));
  });
  return done;
}

bool Reduce(const Slice1dCall& call, const kernel::LibraryLoop& loop, LoopScratch& scratch,
            const LoopSlot* a, LoopSlot* d) {
  const Window window = WindowIn(a, false, call.left_rank);
  const int64_t size = window.size();
  if (size == 0 || size > kLargestWindow || !IsOrdered(window, false)) return false;
  int64_t counts[kMostWindowAxes];
  int rank = 0;
  for (int i = 0; i < window.rank; ++i) {
    if (((call.axes >> i) & 1) == 0) counts[rank++] = window.counts[i];
  }
  Window result = NewWindow(rank, counts);
  const int64_t results = result.size();
  // What is reduced together lies behind the results, where it has to be copied.
  result.data = scratch.Get(call.block, (results + size) * kItem);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double first = call.operation == Operation::kAdd       ? 0
                       : call.operation == Operation::kMaximum ? -kInfinity
                                                               : kInfinity;
  std::fill_n(reinterpret_cast<double*>(result.data), results, first);
  ForgetFlags();
  const bool done = ReduceAll(call, loop, window, result, result.data + results * kItem);
  if (Raised() || !done) return false;
  if (rank == 0) {
    d->f = At(result.data);
  } else {
    SetWindow(result, d);
  }
  return true;
}

std::pair<const char*, const char*> Extent(const Window& window) {
  const char* end = window.data + kItem;
  for (int i = 0; i < window.rank; ++i) end += window.strides[i] * (window.counts[i] - 1);
  return {window.data, end};
}

bool Store(const Slice1dCall& call, const LoopSlot* a, const LoopSlot* b) {
  const Window target = WindowIn(a, false, call.left_rank);
  const Window value = WindowIn(b, !call.right_is_slice1d, call.right_rank);
  const int64_t size = target.size();
  if (size == 0 || size > kLargestWindow) return false;
  if (!IsOrdered(target, false) || !IsOrdered(value, true)) return false;
  const auto [first, end] = Extent(target);
  const auto [first_value, end_value] = Extent(value);
  const bool is_number = !call.right_is_slice1d;
  if (!is_number && (value.rank != target.rank || (first < end_value && first_value < end))) {
    return false;
  }
  Axes axes;
  for (int i = 0; i < target.rank; ++i) {
    if (!is_number && value.counts[i] != target.counts[i]) return false;
    axes.Add(target.counts[i], target.strides[i], value.strides[i], 0);
  }
  axes.Join();
  const Axis row = axes.IsEmpty() ? Axis{1, {0, 0, 0}} : axes.TakeInner();
  axes.ForEach([&](const int64_t* at) {
    char* to = target.data + at[0];
    const char* from = value.data + at[1];
    if (row.steps[0] == kItem && row.steps[1] == kItem) {
      std::memcpy(to, from, row.count * kItem);
      return;
    }
    for (int64_t i = 0; i < row.count; ++i) Set(to + i * row.steps[0], At(from + i * row.steps[1]));
  });
  return true;
}

}  // namespace

bool RunWindow(const Slice1dCall& call, const kernel::LibraryLoop& loop, LoopScratch& scratch,
               const LoopSlot* a, const LoopSlot* b, LoopSlot* d) {
  switch (call.kind) {
    case Slice1dCall::Kind::kWindowElementwise:
      return Elementwise(call, scratch, a, b, d);
    case Slice1dCall::Kind::kWindowReduce:
      return Reduce(call, loop, scratch, a, d);
    case Slice1dCall::Kind::kWindowStore:
      return Store(call, a, b);
    default:
      return false;
  }
}

}  // namespace dynacc::loops
