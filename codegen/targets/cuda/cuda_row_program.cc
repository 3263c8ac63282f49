// From a row kernel of the schedule to what is emitted of it.
#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "codegen/targets/cuda/cuda_source.h"

namespace dynacc::cuda {
namespace {

// What a thread can keep of one element of a row; four chunks of the least lanes still fit into its
// registers.
constexpr int kMaxKeptBytes = 64;

class RowProgramBuilder {
 public:
  RowProgramBuilder(const schedule::Schedule& schedule,
                    absl::Span<const emit::LoweredKernel> lowered,
                    absl::Span<const CudaGroup> groups)
      : schedule_(schedule), lowered_(lowered), groups_(groups) {}

  // False: a group is not the device's.
  bool Build(const schedule::RowKernel& kernel, CudaRowGroup& row) {
    row.first = kernel.first;
    row.last = kernel.last;
    row.from = kernel.from;
    row.to = kernel.to;
    for (int g = kernel.first; g <= kernel.last; ++g) {
      if (!AddStage(g, kernel.is_wide[g - kernel.first], row)) return false;
    }
    for (int g = kernel.first; g <= kernel.last; ++g) AddStores(g, kernel, row);
    return true;
  }

 private:
  // The nodes that the group's kernel reads: one that has no steps reads what is reduced.
  std::vector<const ir::Node*> InputsOf(int g) const {
    if (!lowered_[g].inputs.empty()) return lowered_[g].inputs;
    const schedule::Group& group = schedule_.groups[g];
    if (group.kind != schedule::GroupKind::kReduction) return {};
    return {group.root()->operands[0]};
  }

  bool AddStage(int g, bool is_wide, CudaRowGroup& row) {
    const auto found =
        absl::c_find_if(groups_, [g](const CudaGroup& group) { return group.group == g; });
    if (found == groups_.end()) return false;
    emit::RowPart stage;
    stage.kernel = found->kernel;
    stage.is_wide = is_wide;
    if (found->is_reduction) stage.reduction = found->reduction;
    const std::vector<const ir::Node*> inputs = InputsOf(g);
    for (size_t k = 0; k < inputs.size(); ++k) {
      stage.inputs.push_back(InputFor(inputs[k], g, static_cast<int>(k), row));
    }
    const std::vector<const ir::Node*> made = MadeBy(g);
    for (size_t k = 0; k < made.size(); ++k) {
      made_[made[k]] = {-1, g - row.first, static_cast<int>(k)};
    }
    row.program.stages.push_back(std::move(stage));
    return true;
  }

  // By output of the stage.
  std::vector<const ir::Node*> MadeBy(int g) const {
    const schedule::Group& group = schedule_.groups[g];
    if (group.kind == schedule::GroupKind::kReduction) return {group.root()};
    return lowered_[g].outputs;
  }

  emit::RowInput InputFor(const ir::Node* node, int g, int index, CudaRowGroup& row) {
    if (const auto it = made_.find(schedule::BaseOf(node)); it != made_.end()) return it->second;
    const auto [it, is_new] =
        operand_of_.try_emplace(node, static_cast<int>(row.program.operands.size()));
    if (is_new) {
      row.program.operands.push_back(node->dtype);
      row.inputs.push_back({g, index});
    }
    return {it->second};
  }

  void AddStores(int g, const schedule::RowKernel& kernel, CudaRowGroup& row) {
    emit::RowPart& stage = row.program.stages[g - kernel.first];
    const std::vector<const ir::Node*> made = MadeBy(g);
    for (size_t k = 0; k < made.size(); ++k) {
      stage.stores.push_back(-1);
      if (!absl::c_linear_search(kernel.stored, made[k])) continue;
      stage.stores.back() = static_cast<int>(row.program.operands.size());
      row.program.operands.push_back(made[k]->dtype);
      row.outputs.push_back({g, static_cast<int>(k)});
    }
  }

  const schedule::Schedule& schedule_;
  const absl::Span<const emit::LoweredKernel> lowered_;
  const absl::Span<const CudaGroup> groups_;
  absl::flat_hash_map<const ir::Node*, emit::RowInput> made_;
  absl::flat_hash_map<const ir::Node*, int> operand_of_;
};

}  // namespace

std::vector<CudaRowGroup> CudaRowGroupsOf(const schedule::Schedule& schedule,
                                          absl::Span<const emit::LoweredKernel> lowered,
                                          absl::Span<const CudaGroup> groups) {
  std::vector<CudaRowGroup> rows;
  for (const schedule::RowKernel& kernel : schedule.row_kernels) {
    CudaRowGroup row;
    row.program.name = absl::StrCat("r", rows.size());
    if (!RowProgramBuilder(schedule, lowered, groups).Build(kernel, row)) continue;
    if (emit::PlanRows(row.program).kept_bytes > kMaxKeptBytes) continue;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace dynacc::cuda
