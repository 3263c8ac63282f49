#include "runtime/cpu/own/einsum.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/tensor/element_types.h"

namespace dynacc::cpu {
namespace {

using Labels = absl::Span<const int64_t>;

// The numbers of a call, read one list after the other; an empty vector if they are no such.
std::vector<Labels> ListsOf(const OwnCall& call) {
  std::vector<Labels> lists;
  Labels rest = call.numbers;
  while (!rest.empty()) {
    if (rest[0] < 0 || rest[0] > kMaxRank || rest[0] >= static_cast<int64_t>(rest.size()))
      return {};
    lists.push_back(rest.subspan(1, rest[0]));
    rest.remove_prefix(1 + rest[0]);
  }
  return lists;
}

// An axis of the iteration: its size, and the strides of the operands and, last, of the result.
struct Axis {
  int64_t size = 1;
  std::vector<int64_t> strides;
};

// Whether axis `a` has to be further in than `b`, as NumPy's iterator finds it: by the first
// operand that has strides along both, where C order wins over what others say.
enum class Order : uint8_t { kUnknown, kStay, kSwap };
Order Compare(const Axis& outer, const Axis& inner, size_t operands) {
  Order order = Order::kUnknown;
  for (size_t i = 0; i < operands; ++i) {
    const int64_t a = outer.strides[i], b = inner.strides[i];
    if (a == 0 || b == 0) continue;
    if (std::abs(b) <= std::abs(a)) {
      order = Order::kStay;
    } else if (order == Order::kUnknown) {
      order = Order::kSwap;
    }
  }
  return order;
}

// From the innermost to the outermost; given in that order of the labels.
void Sort(std::vector<Axis>& axes, size_t operands) {
  for (size_t next = 1; next < axes.size(); ++next) {
    size_t place = next;
    for (size_t i = next; i-- > 0;) {
      const Order order = Compare(axes[next], axes[i], operands);
      if (order == Order::kStay) break;
      if (order == Order::kSwap) place = i;
    }
    std::rotate(axes.begin() + place, axes.begin() + next, axes.begin() + next + 1);
  }
}

bool CanMerge(const Axis& inner, const Axis& outer) {
  for (size_t i = 0; i < inner.strides.size(); ++i) {
    const int64_t a = inner.strides[i], b = outer.strides[i];
    const bool is_one = (inner.size == 1 && a == 0) || (outer.size == 1 && b == 0);
    if (!is_one && a * inner.size != b) return false;
  }
  return true;
}

void Merge(std::vector<Axis>& axes) {
  size_t last = 0;
  for (size_t next = 1; next < axes.size(); ++next) {
    if (!CanMerge(axes[last], axes[next])) {
      if (++last != next) axes[last] = std::move(axes[next]);
      continue;
    }
    Axis& merged = axes[last];
    for (size_t i = 0; i < merged.strides.size(); ++i) {
      if (merged.strides[i] == 0) merged.strides[i] = axes[next].strides[i];
    }
    merged.size *= axes[next].size;
  }
  axes.resize(last + 1);
}

// What NumPy's vectors of 16 bytes add up.
template <typename T>
class LaneSum {
 public:
  static constexpr int64_t kLanes = 16 / static_cast<int64_t>(sizeof(T));

  void Add(const T* terms, int64_t count) {
    for (int64_t i = 0; i < count; ++i) lanes_[i] = terms[i] + lanes_[i];
  }
  void AddProducts(const T* a, const T* b, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const T product = a[i] * b[i];
      lanes_[i] = product + lanes_[i];
    }
  }
  T Total() const {
    if constexpr (kLanes == 2) return lanes_[0] + lanes_[1];
    return (lanes_[0] + lanes_[1]) + (lanes_[2] + lanes_[3]);
  }

 private:
  T lanes_[kLanes] = {};
};

template <typename T>
T SumOfNeighbours(const T* data, int64_t count) {
  constexpr int64_t kLanes = LaneSum<T>::kLanes;
  LaneSum<T> sum;
  for (; count >= 4 * kLanes; count -= 4 * kLanes, data += 4 * kLanes) {
    T four[kLanes];
    for (int64_t i = 0; i < kLanes; ++i) {
      four[i] = (data[i] + data[i + kLanes]) + (data[i + 2 * kLanes] + data[i + 3 * kLanes]);
    }
    sum.Add(four, kLanes);
  }
  for (; count > 0; count -= kLanes, data += kLanes) sum.Add(data, std::min(count, kLanes));
  return sum.Total();
}

template <typename T>
T SumOfProducts(const T* a, const T* b, int64_t count) {
  constexpr int64_t kLanes = LaneSum<T>::kLanes;
  LaneSum<T> sum;
  for (; count >= 4 * kLanes; count -= 4 * kLanes, a += 4 * kLanes, b += 4 * kLanes) {
    for (int64_t part = 3; part >= 0; --part) {
      sum.AddProducts(a + part * kLanes, b + part * kLanes, kLanes);
    }
  }
  for (; count > 0; count -= kLanes, a += kLanes, b += kLanes) {
    sum.AddProducts(a, b, std::min(count, kLanes));
  }
  return sum.Total();
}

// Integers are added in their unsigned form, which wraps.
template <typename T, bool = std::is_integral_v<T>>
struct Sum {
  using Type = T;
};
template <typename T>
struct Sum<T, true> {
  using Type = std::make_unsigned_t<T>;
};

// The innermost axis: `at` are the operands' first elements, and the result's.
template <typename T>
void RunInner(const Axis& axis, char* const* at) {
  const size_t operands = axis.strides.size() - 1;
  const auto element = [&](size_t i, int64_t n) {
    return reinterpret_cast<T*>(at[i] + n * axis.strides[i]);
  };
  const auto is_next = [&](size_t i) { return axis.strides[i] == static_cast<int64_t>(sizeof(T)); };
  T& first = *element(operands, 0);
  const bool is_sum = axis.strides[operands] == 0;
  if constexpr (std::is_floating_point_v<T>) {
    if (is_sum && operands == 1 && is_next(0)) {
      first += SumOfNeighbours(element(0, 0), axis.size);
      return;
    }
    if (is_sum && operands == 2 && is_next(0) && is_next(1)) {
      first += SumOfProducts(element(0, 0), element(1, 0), axis.size);
      return;
    }
    for (size_t i = 0; is_sum && operands == 2 && i < 2; ++i) {
      if (axis.strides[i] != 0 || !is_next(1 - i)) continue;
      const T product = *element(i, 0) * SumOfNeighbours(element(1 - i, 0), axis.size);
      first += product;
      return;
    }
  }
  T total = 0;
  for (int64_t n = 0; n < axis.size; ++n) {
    T product = *element(0, n);
    for (size_t i = 1; i < operands; ++i) product *= *element(i, n);
    (is_sum ? total : *element(operands, n)) += product;
  }
  if (is_sum) first += total;
}

template <typename T>
void RunAxes(absl::Span<const Axis> axes, std::vector<char*> at) {
  if (axes.size() == 1) return RunInner<T>(axes[0], at.data());
  const Axis& outer = axes.back();
  for (int64_t n = 0; n < outer.size; ++n) {
    RunAxes<T>(axes.first(axes.size() - 1), at);
    for (size_t i = 0; i < at.size(); ++i) at[i] += outer.strides[i];
  }
}

// Elements that NumPy's iterators have in a buffer.
constexpr int64_t kBuffer = 8192;

// Sums that NumPy makes of buffers, into which the iterator copies the terms.
template <typename T>
class BufferedSums {
 public:
  explicit BufferedSums(size_t operands) : terms_(operands) {}

  // The first `inner` axes are summed along in one go.
  void Run(absl::Span<const Axis> axes, size_t inner, std::vector<char*> at) {
    if (axes.size() == inner) {
      Collect(axes, at);
      Flush(at.back());
      return;
    }
    for (int64_t n = 0; n < axes.back().size; ++n) {
      Run(axes.first(axes.size() - 1), inner, at);
      for (size_t i = 0; i < at.size(); ++i) at[i] += axes.back().strides[i];
    }
  }

 private:
  void Collect(absl::Span<const Axis> axes, std::vector<char*> at) {
    const Axis& outer = axes.back();
    for (int64_t n = 0; n < outer.size; ++n) {
      if (axes.size() > 1) {
        Collect(axes.first(axes.size() - 1), at);
      } else {
        for (size_t i = 0; i < terms_.size(); ++i) {
          terms_[i].push_back(*reinterpret_cast<const T*>(at[i]));
        }
        if (terms_[0].size() == kBuffer) Flush(at.back());
      }
      for (size_t i = 0; i < at.size(); ++i) at[i] += outer.strides[i];
    }
  }

  void Flush(char* to) {
    Axis axis = {static_cast<int64_t>(terms_[0].size()),
                 std::vector<int64_t>(terms_.size() + 1, sizeof(T))};
    axis.strides.back() = 0;
    std::vector<char*> at;
    for (std::vector<T>& terms : terms_) at.push_back(reinterpret_cast<char*>(terms.data()));
    at.push_back(to);
    if (axis.size > 0) RunInner<T>(axis, at.data());
    for (std::vector<T>& terms : terms_) terms.clear();
  }

  std::vector<std::vector<T>> terms_;  // of each operand
};

// As NumPy: one axis by buffers' lengths; two and three axes of at most two operands at once; more
// by buffers.
template <typename T>
void RunSums(absl::Span<const Axis> axes, std::vector<char*> at) {
  const size_t operands = at.size() - 1;
  const auto is_sum = [&](const Axis& axis) { return axis.strides[operands] == 0; };
  if (axes.size() == 1) {
    for (Axis rest = axes[0]; rest.size > 0; rest.size -= kBuffer) {
      Axis part = rest;
      part.size = std::min(rest.size, kBuffer);
      RunInner<T>(part, at.data());
      for (size_t i = 0; i <= operands; ++i) at[i] += kBuffer * rest.strides[i];
    }
    return;
  }
  const bool is_direct = operands <= 2 && axes.size() <= 3;
  if (is_direct || !is_sum(axes[0])) return RunAxes<T>(axes, std::move(at));
  const auto inner = std::find_if_not(axes.begin(), axes.end(), is_sum) - axes.begin();
  BufferedSums<T>(operands).Run(axes, inner, std::move(at));
}

using RunFn = void (*)(absl::Span<const Axis> axes, std::vector<char*> at);
template <typename T>
constexpr RunFn RunFor() {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) return &RunSums<T>;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return &RunAxes<typename Sum<T>::Type>;
  }
  return nullptr;
}
constexpr RunFn kRuns[] = {
#define DYNACC_DTYPE(name, text, type, kind, numpy) RunFor<type>(),
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
};
RunFn RunOf(DType dtype) { return kRuns[static_cast<int>(dtype)]; }

// An operand's stride along a label: those of all its axes of that label; 0 along one that is
// repeated.
int64_t StrideAlong(const StridedView& view, Labels labels, int64_t label) {
  int64_t stride = 0;
  for (int axis = 0; axis < view.rank; ++axis) {
    if (labels[axis] == label && view.shape[axis] != 1) stride += view.strides[axis];
  }
  return stride;
}

}  // namespace

std::string WhyNotEinsum(const OwnCall& call, absl::Span<const OperandType> operands,
                         OperandType result) {
  const std::vector<Labels> lists = ListsOf(call);
  if (operands.empty() || lists.size() != operands.size() + 1) return "it takes other operands";
  if (RunOf(result.dtype) == nullptr) {
    return absl::StrCat("it is not there for ", Info(result.dtype).text);
  }
  bool fits = static_cast<int>(lists[0].size()) == result.rank;
  for (size_t i = 0; i < operands.size(); ++i) {
    fits = fits && static_cast<int>(lists[i + 1].size()) == operands[i].rank;
    if (operands[i].dtype != result.dtype) {
      return absl::StrCat("its arrays are of ", Info(operands[i].dtype).text, " and give ",
                          Info(result.dtype).text, ": convert them before");
    }
  }
  for (const int64_t label : lists[0]) {
    const bool is_there = std::any_of(lists.begin() + 1, lists.end(), [label](Labels labels) {
      return std::find(labels.begin(), labels.end(), label) != labels.end();
    });
    fits = fits && is_there && std::count(lists[0].begin(), lists[0].end(), label) == 1;
  }
  return fits ? "" : "its labels name no axes";
}

absl::Status RunEinsum(const OwnCall& call, absl::Span<const StridedView> operands,
                       const StridedView& result) {
  const std::vector<Labels> lists = ListsOf(call);
  std::map<int64_t, int64_t> sizes;
  for (size_t i = 0; i < operands.size(); ++i) {
    for (int axis = 0; axis < operands[i].rank; ++axis) {
      const int64_t given = operands[i].shape[axis];
      int64_t& size = sizes.try_emplace(lists[i + 1][axis], 1).first->second;
      if (given != 1 && size != 1 && given != size) {
        return absl::AbortedError("axes of one label that have other sizes");
      }
      if (given != 1) size = given;
    }
  }
  // The labels of the result, and behind them those of the sums, as NumPy begins with them.
  std::vector<int64_t> labels(lists[0].begin(), lists[0].end());
  for (const auto& [label, size] : sizes) {
    if (std::find(lists[0].begin(), lists[0].end(), label) == lists[0].end()) {
      labels.push_back(label);
    }
  }
  std::memset(result.data, 0, result.size() * ItemSize(result.dtype));
  std::vector<Axis> axes;
  for (size_t place = labels.size(); place-- > 0;) {
    Axis& axis = axes.emplace_back();
    axis.size = sizes[labels[place]];
    if (axis.size == 0) return absl::OkStatus();
    for (size_t i = 0; i < operands.size(); ++i) {
      axis.strides.push_back(StrideAlong(operands[i], lists[i + 1], labels[place]));
    }
    const bool is_result = place < lists[0].size() && axis.size != 1;
    axis.strides.push_back(is_result ? result.strides[place] : 0);
  }
  if (axes.empty()) axes.push_back({1, std::vector<int64_t>(operands.size() + 1, 0)});
  std::vector<char*> at;
  for (const StridedView& operand : operands) at.push_back(operand.data);
  at.push_back(result.data);
  Sort(axes, operands.size());
  Merge(axes);
  RunOf(result.dtype)(axes, std::move(at));
  return absl::OkStatus();
}

}  // namespace dynacc::cpu
