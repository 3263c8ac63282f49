#include "codegen/emit/lowering.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "runtime/base/check.h"

namespace dynacc::emit {
namespace {

// Rough nanoseconds an element (measured orders of magnitude: a library's transcendental loop takes
// 0.2 to 1.1, memory-bound arithmetic 0.03 to 0.1 for each array and step).
constexpr double kLibraryStepCost = 0.6;
constexpr double kEmittedStepCost = 0.05;
constexpr double kOperandCost = 0.1;

class GroupLowering {
 public:
  GroupLowering(absl::string_view name, bool fast_math) {
    lowered_.kernel.name = std::string(name);
    lowered_.kernel.fast_math = fast_math;
  }

  LoweredKernel Lower(const schedule::Group& group) {
    if (group.kind == schedule::GroupKind::kMatmul)
      return std::move(lowered_);  // with its epilogue
    lowered_.inputs = schedule::ExternalOperands(group);
    const ir::Node* reduced =
        group.kind == schedule::GroupKind::kReduction ? group.root()->operands[0] : nullptr;
    const bool casts_reduced =
        reduced != nullptr && group.root()->dtype == DType::kBool && reduced->dtype != DType::kBool;
    if (casts_reduced && group.nodes.size() == 1) lowered_.inputs = {reduced};
    AddInputs();
    for (const ir::Node* node : group.nodes) {
      if (schedule::IsKernelNode(node)) AddNode(node);
    }
    if (casts_reduced) AddCastToBool(reduced);
    if (lowered_.kernel.steps.empty()) return std::move(lowered_);
    if (reduced != nullptr) AddOutput(reduced);
    lowered_.kernel.folds = group.adds_inside;
    if (group.kind == schedule::GroupKind::kElementwise) {
      for (const ir::Node* node : group.outputs) AddOutput(node);
    }
    lowered_.cost += kOperandCost * lowered_.kernel.num_operands();
    return std::move(lowered_);
  }

 private:
  void AddInputs() {
    for (const ir::Node* node : lowered_.inputs) {
      value_of_[node] = static_cast<int>(lowered_.kernel.inputs.size());
      lowered_.kernel.inputs.push_back(node->dtype);
    }
  }

  int NextValue() const {
    return static_cast<int>(lowered_.kernel.inputs.size() + lowered_.kernel.steps.size());
  }

  int ValueOf(const ir::Node* node, size_t operand) const {
    if (operand >= node->operands.size()) return -1;
    const auto it = value_of_.find(node->operands[operand]);
    DYNACC_CHECK(it != value_of_.end()) << "operand is neither an input nor an earlier step";
    return it->second;
  }

  void AddNode(const ir::Node* node) {
    const size_t data_operand = node->op == Op::kWhere ? 1 : 0;
    kernel::KernelStep step;
    step.op = node->op;
    step.dtype = node->operands[data_operand]->dtype;
    step.result = node->dtype;
    step.a = ValueOf(node, 0);
    step.b = ValueOf(node, 1);
    step.c = ValueOf(node, 2);
    step.file = node->location.file;
    step.line = node->location.line;
    lowered_.may_raise_flags |= schedule::MayRaiseFlags(node);
    value_of_[node] = Append(step);
  }

  void AddCastToBool(const ir::Node* node) {
    kernel::KernelStep step;
    step.op = Op::kCast;
    step.dtype = node->dtype;
    step.result = DType::kBool;
    step.a = value_of_.at(node);
    value_of_[node] = Append(step);
  }

  int Append(kernel::KernelStep step) {
    step.library = !IsEmitted(step.op, step.dtype);
    lowered_.cost += step.library ? kLibraryStepCost : kEmittedStepCost;
    const int value = NextValue();
    lowered_.kernel.steps.push_back(step);
    return value;
  }

  void AddOutput(const ir::Node* node) {
    lowered_.outputs.push_back(node);
    lowered_.kernel.outputs.push_back(value_of_.at(node));
  }

  LoweredKernel lowered_;
  absl::flat_hash_map<const ir::Node*, int> value_of_;
};

}  // namespace

LoweredKernel LowerGroup(const schedule::Group& group, absl::string_view name, bool fast_math) {
  return GroupLowering(name, fast_math).Lower(group);
}

bool MayStoreNonTemporally(const ir::Graph& graph, const schedule::Schedule& schedule,
                           const schedule::Group& group) {
  const int index = static_cast<int>(&group - schedule.groups.data());
  const bool goes_by_rows =
      absl::c_any_of(schedule.row_blocks, [index](const schedule::RowBlock& block) {
        return index > block.first && index <= block.last;
      });
  return goes_by_rows && group.kind == schedule::GroupKind::kElementwise &&
         absl::c_all_of(group.outputs, [&](const ir::Node* node) {
           return schedule::FreshOutputOf(graph, node) >= 0 && IsFloat(node->dtype) &&
                  ItemSize(node->dtype) >= 4;
         });
}

}  // namespace dynacc::emit
