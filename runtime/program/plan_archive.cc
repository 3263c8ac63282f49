#include "runtime/program/plan_archive.h"

#include <utility>

#include "runtime/base/status_macros.h"
#include "runtime/program/archive.h"
#include "runtime/program/plan_fields.h"
#include "runtime/program/step_archive.h"

namespace dynacc::program {
namespace {

// All but the steps.
struct PlanParts {
  ScalarProgram scalars;
  std::vector<executor::LayoutStep> layouts;
  std::vector<executor::BufferPlan> buffers;
  std::vector<ScalarId> conditions;
  std::vector<executor::WriteBackPlan> write_backs;  // of kept plans

  // What comes before the steps.
  void Visit(PlanFields& fields, const PlanHost& host) {
    fields.Scalars(scalars);
    fields.Layouts(layouts);
    fields.Buffers(buffers);
    fields.archive().List(conditions, [&](ScalarId& id) { fields.Scalar(id); });
    if (!host.is_kept) return;
    fields.archive().List(write_backs,
                          [&](executor::WriteBackPlan& plan) { fields.WriteBack(plan); });
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<const executor::GraphExecutor>> LoadNested(
    absl::string_view bytes, absl::Span<const BoundKernel> kernels, PlanLimits limits,
    const PlanHost& host, int depth) {
  Archive archive(bytes);
  PlanFields fields(archive, limits);
  PlanParts parts;
  parts.Visit(fields, host);
  StepArchive archive_of_steps(
      fields, [](const kernel::CompiledKernel&) { return 0; }, kernels, host);
  std::vector<std::unique_ptr<const executor::Step>> steps = archive_of_steps.LoadAll(depth);
  DYNACC_RETURN_IF_ERROR(archive_of_steps.error());
  archive.Require(archive.AtEnd(), "more bytes than a plan has");
  DYNACC_RETURN_IF_ERROR(archive.status(), "plan");
  return std::make_unique<const executor::GraphExecutor>(
      std::move(parts.buffers), std::move(steps), std::move(parts.write_backs),
      std::move(parts.scalars), depth == 0 ? host.description : std::string(),
      executor::LayoutProgram(std::move(parts.layouts)), nullptr, std::move(parts.conditions));
}

absl::StatusOr<std::string> SavePlan(const executor::GraphExecutor& graph, NumberOfKernel number_of,
                                     const PlanHost& host) {
  if (!graph.write_backs().empty() && !host.is_kept) {
    return absl::UnimplementedError("results that are written into the arguments");
  }
  Archive archive;
  PlanFields fields(archive, kNoLimits);
  PlanParts parts = {graph.scalars(), graph.layouts().steps(), graph.buffers(),
                     graph.data_dependent_conditions(), graph.write_backs()};
  parts.Visit(fields, host);
  StepArchive steps(fields, number_of, {}, host);
  steps.SaveAll(graph.steps());
  DYNACC_RETURN_IF_ERROR(steps.error());
  return archive.written();
}

absl::StatusOr<std::unique_ptr<const executor::GraphExecutor>> LoadPlan(
    absl::string_view bytes, absl::Span<const BoundKernel> kernels, int num_inputs, int num_outputs,
    const PlanHost& host) {
  return LoadNested(bytes, kernels, {num_inputs, num_outputs}, host, 0);
}

}  // namespace dynacc::program
