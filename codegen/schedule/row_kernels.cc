#include "codegen/schedule/row_kernels.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/schedule/row_operands.h"

namespace dynacc::schedule {
namespace {

// Limits of one kernel: what its threads can keep in registers, and its parameters.
constexpr int kMaxRowGroups = 16;
constexpr int kMaxRowOperands = 28;

// The axes [first, second) that a reduction reduces, if they are neighbours and not all of its
// operand's; none otherwise.
std::pair<int, int> RowAxes(const Group& group) {
  if (group.kind != GroupKind::kReduction) return {0, 0};
  const auto reduced = group.root()->attrs.ints;
  const int rank = group.root()->operands[0]->rank();
  const int count = static_cast<int>(reduced.size());
  if (count == 0 || count == rank || reduced.back() - reduced[0] != count - 1) return {0, 0};
  return {static_cast<int>(reduced[0]), static_cast<int>(reduced[0]) + count};
}

class RowKernelFinder {
 public:
  RowKernelFinder(const ir::Graph& graph, const Schedule& schedule)
      : graph_(graph), schedule_(schedule), maker_of_(StoringGroups(graph, schedule.groups)) {}

  std::vector<RowKernel> Find() {
    std::vector<RowKernel> found;
    for (int first = 0; first < num_groups(); ++first) {
      RowKernel kernel;
      if (!FindFrom(first, kernel)) continue;
      kernel.stored = StoredOf(kernel);
      first = kernel.last;
      found.push_back(std::move(kernel));
    }
    return found;
  }

 private:
  int num_groups() const { return static_cast<int>(schedule_.groups.size()); }
  const Group& group(int g) const { return schedule_.groups[g]; }

  // The rows are those of the first reduction that comes.
  bool FindFrom(int first, RowKernel& kernel) {
    int reduction = first;
    while (reduction < num_groups() && group(reduction).kind == GroupKind::kElementwise) {
      ++reduction;
    }
    if (reduction >= std::min(num_groups(), first + kMaxRowGroups)) return false;
    kernel.first = first;
    std::tie(kernel.from, kernel.to) = RowAxes(group(reduction));
    if (kernel.from == kernel.to) return false;
    rows_ = IterationShape(group(reduction));
    seen_.clear();
    operands_.clear();
    kernel.last = first - 1;
    while (Extend(kernel)) {
    }
    return kernel.last > first && kernel.last >= reduction;
  }

  // Adds the group after the kernel's last one, if it fits.
  bool Extend(RowKernel& kernel) {
    const int next = kernel.last + 1;
    if (next >= num_groups() || next - kernel.first >= kMaxRowGroups) return false;
    const bool is_wide = IterationShape(group(next)) == rows_;
    if (!is_wide && !IsNarrow(group(next), kernel)) return false;
    if (group(next).kind == GroupKind::kReduction &&
        RowAxes(group(next)) != std::pair(kernel.from, kernel.to)) {
      return false;
    }
    bool is_linked = next == kernel.first;
    std::vector<const ir::Node*> operands = operands_;
    for (const ir::Node* operand : ArrayOperands(group(next))) {
      if (!FitsIn(kernel, operand, is_wide)) return false;
      const ir::Node* const base = BaseOf(operand);
      is_linked |= base->rank() > 0 && absl::c_linear_search(seen_, base);
      if (maker_of_[base->id] >= kernel.first) continue;
      if (!absl::c_linear_search(operands, operand)) operands.push_back(operand);
    }
    operands.insert(operands.end(), group(next).outputs.begin(), group(next).outputs.end());
    if (!is_linked || operands.size() > kMaxRowOperands) return false;
    operands_ = std::move(operands);
    Remember(group(next));
    kernel.last = next;
    kernel.is_wide.push_back(is_wide);
    return true;
  }

  int whole_rank() const { return static_cast<int>(rows_.size()); }

  // Whether the elementwise group has one element a row.
  bool IsNarrow(const Group& group, const RowKernel& kernel) const {
    const auto shape = IterationShape(group);
    const int rank = static_cast<int>(shape.size());
    const int ones = OnesOf(rank, whole_rank(), kernel.from, kernel.to);
    if (group.kind != GroupKind::kElementwise || ones < 0) return false;
    for (int axis = 0; axis < rank; ++axis) {
      int64_t size = 0;
      const bool is_one = graph_.scalars().IsIntConst(shape[axis], &size) && size == 1;
      const bool is_along = axis >= kernel.from && axis < kernel.from + ones;
      if (is_along ? !is_one : shape[axis] != rows_[WholeAxis(kernel, axis, ones)]) return false;
    }
    return true;
  }

  // The axis of the whole iteration that `axis` is in a value with `ones` axes in the place of the
  // row's.
  static int WholeAxis(const RowKernel& kernel, int axis, int ones) {
    return axis < kernel.from ? axis : axis - ones + (kernel.to - kernel.from);
  }

  // Whether a group of the kernel may read `operand`: of another one's values only the same row,
  // a wide one as it is.
  bool FitsIn(const RowKernel& kernel, const ir::Node* operand, bool by_wide) const {
    if (ReadsRolled(operand)) return false;
    const int maker = maker_of_[BaseOf(operand)->id];
    if (maker < kernel.first) return true;
    const bool makes_wide =
        group(maker).kind == GroupKind::kElementwise && kernel.is_wide[maker - kernel.first];
    if (makes_wide) return by_wide && operand == BaseOf(operand);
    return ShowsTheSameRow(kernel, operand);
  }

  // Whether a number of a row is read, through its views, as that row's.
  bool ShowsTheSameRow(const RowKernel& kernel, const ir::Node* operand) const {
    const int base_ones = OnesOf(BaseOf(operand)->rank(), whole_rank(), kernel.from, kernel.to);
    const int ones = OnesOf(operand->rank(), whole_rank(), kernel.from, kernel.to);
    for (int axis = 0; axis < operand->rank(); ++axis) {
      if (axis >= kernel.from && axis < kernel.from + ones) continue;
      const int in_base = axis < kernel.from ? axis : axis - ones + base_ones;
      if (BaseAxisOf(graph_, operand, axis) != in_base) return false;
    }
    return true;
  }

  void Remember(const Group& group) {
    for (const ir::Node* operand : ArrayOperands(group)) seen_.push_back(BaseOf(operand));
    seen_.insert(seen_.end(), group.outputs.begin(), group.outputs.end());
  }

  std::vector<const ir::Node*> StoredOf(const RowKernel& kernel) const {
    std::vector<const ir::Node*> read;
    for (int g = 0; g < num_groups(); ++g) {
      if (g >= kernel.first && g <= kernel.last) continue;
      for (const ir::Node* node : group(g).nodes) {
        for (const ir::Node* operand : node->operands) read.push_back(BaseOf(operand));
      }
    }
    for (const OutputCopy& copy : schedule_.copies) read.push_back(BaseOf(copy.node));
    for (const WriteBack& part : schedule_.write_backs) read.push_back(BaseOf(part.value));
    std::vector<const ir::Node*> stored;
    for (int g = kernel.first; g <= kernel.last; ++g) {
      for (const ir::Node* node : group(g).outputs) {
        const bool is_read = absl::c_linear_search(read, node);
        if (is_read || FreshOutputOf(graph_, node) >= 0) stored.push_back(node);
      }
    }
    return stored;
  }

  const ir::Graph& graph_;
  const Schedule& schedule_;
  const std::vector<int> maker_of_;  // by node id
  // Of the kernel that is being put together:
  absl::Span<const ScalarId> rows_;    // the sizes of all axes
  std::vector<const ir::Node*> seen_;  // what its groups read and make
  std::vector<const ir::Node*>
      operands_;  // what its groups read from outside and may have to store
};

}  // namespace

std::vector<RowKernel> FindRowKernels(const ir::Graph& graph, const Schedule& schedule) {
  return RowKernelFinder(graph, schedule).Find();
}

std::string RowKernelsText(const Schedule& schedule) {
  std::string text;
  for (const RowKernel& kernel : schedule.row_kernels) {
    absl::StrAppend(&text, "groups ", kernel.first, " to ", kernel.last, ", rows along ");
    if (kernel.to - kernel.from == 1) {
      absl::StrAppend(&text, "axis ", kernel.from, ", store");
    } else {
      absl::StrAppend(&text, "axes ", kernel.from, " to ", kernel.to - 1, ", store");
    }
    for (const ir::Node* node : kernel.stored) absl::StrAppend(&text, " %", node->id);
    absl::StrAppend(&text, "\n");
  }
  return text;
}

}  // namespace dynacc::schedule
