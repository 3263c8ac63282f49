#include "codegen/targets/cuda/cuda_source.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/emit/emitter.h"
#include "codegen/emit/grid_loop.h"
#include "codegen/targets/cuda/cuda_dialect.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cuda {

namespace {

// As many operands, with strides and shifts of each, as fit into a kernel's 4096 bytes of
// parameters.
constexpr int kMaxRolledOperands = 24;

bool IsRoll(const ir::Node* node) { return node->op == Op::kRoll; }

bool HasTooManyRolled(const schedule::Group& group, const emit::LoweredKernel& lowered) {
  return group.kind == schedule::GroupKind::kElementwise &&
         absl::c_any_of(lowered.inputs, IsRoll) &&
         lowered.kernel.num_operands() > kMaxRolledOperands;
}

}  // namespace

std::vector<CudaGroup> CudaGroupsOf(absl::Span<const schedule::Group> groups,
                                    absl::Span<const emit::LoweredKernel> lowered) {
  std::vector<CudaGroup> found;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (HasTooManyRolled(groups[i], lowered[i])) continue;
    CudaGroup group;
    group.group = static_cast<int>(i);
    group.kernel = lowered[i].kernel;
    group.kernel.name = absl::StrCat("g", i);
    group.is_reduction = groups[i].kind == schedule::GroupKind::kReduction;
    if (group.is_reduction) {
      group.reduction = groups[i].root()->op;
      if (group.kernel.steps.empty()) {  // reduced as it lies
        group.kernel.inputs = {groups[i].root()->operands[0]->dtype};
        group.kernel.outputs = {0};
      }
    } else if (groups[i].kind != schedule::GroupKind::kElementwise) {
      continue;
    } else {
      group.has_tiles = groups[i].root()->rank() > 1 && !group.kernel.inputs.empty();
      group.has_rolls = absl::c_any_of(lowered[i].inputs, IsRoll);
    }
    found.push_back(std::move(group));
  }
  return found;
}

absl::StatusOr<std::string> EmitCudaModule(absl::Span<const CudaGroup> groups,
                                           absl::Span<const CudaRowGroup> rows) {
  std::vector<kernel::Kernel> kernels;
  for (const CudaGroup& group : groups) kernels.push_back(group.kernel);
  std::string out = emit::ModuleHead(kernels, CudaDialect());
  for (const CudaGroup& group : groups) {
    DYNACC_ASSIGN_OR_RETURN(const std::string functions,
                            emit::EmitKernelAs(group.kernel, CudaDialect(), [&](std::string& text) {
                              if (group.is_reduction) {
                                absl::StrAppend(&text, "// ", Info(group.reduction).text, "\n");
                                emit::EmitGridReduction(group.kernel, group.reduction,
                                                        CudaDialect(), text);
                              } else {
                                emit::EmitGridFunction(group.kernel, CudaDialect(), text);
                                if (group.has_tiles) {
                                  emit::EmitTiledGridFunction(group.kernel, CudaDialect(), text);
                                }
                                if (group.has_rolls) {
                                  emit::EmitRolledGridFunction(group.kernel, CudaDialect(), text);
                                }
                              }
                            }));
    absl::StrAppend(&out, "\n", functions);
  }
  for (const CudaRowGroup& row : rows) {
    absl::StrAppend(&out, "\n");
    emit::EmitRowKernel(row.program, CudaDialect(), out);
  }
  return out;
}

}  // namespace dynacc::cuda
