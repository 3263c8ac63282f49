// StepArchive: the steps of a plan as bytes, both ways. A part of plan_archive.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/executor/control_flow_steps.h"
#include "runtime/executor/element_steps.h"
#include "runtime/executor/graph_executor.h"
#include "runtime/executor/launch_step.h"
#include "runtime/executor/library_call_step.h"
#include "runtime/executor/matmul_step.h"
#include "runtime/executor/reduce_step.h"
#include "runtime/executor/step.h"
#include "runtime/executor/store_step.h"
#include "runtime/program/archive.h"
#include "runtime/program/plan_archive.h"
#include "runtime/program/plan_fields.h"

namespace dynacc::program {

using StepPtr = std::unique_ptr<executor::Step>;

// LoadPlan of a graph that a step runs, `depth` steps within steps down.
absl::StatusOr<std::unique_ptr<const executor::GraphExecutor>> LoadNested(
    absl::string_view bytes, absl::Span<const BoundKernel> kernels, PlanLimits limits,
    const PlanHost& host, int depth);

class StepArchive {
 public:
  StepArchive(PlanFields& fields, NumberOfKernel number_of, absl::Span<const BoundKernel> kernels,
              const PlanHost& host)
      : fields_(fields),
        archive_(fields.archive()),
        number_of_(number_of),
        kernels_(kernels),
        host_(host) {}

  void SaveAll(const std::vector<std::unique_ptr<const executor::Step>>& steps);
  std::vector<std::unique_ptr<const executor::Step>> LoadAll(int depth);

  const absl::Status& error() const { return error_; }

 private:
  // One kind of step. The place in kKinds is the kind's number in the file.
  struct Kind {
    bool (*is)(const executor::Step& step);
    void (StepArchive::*save)(const executor::Step& step);
    StepPtr (StepArchive::*load)(int depth);
    bool is_kept_only = false;  // in plans of kept graphs alone (PlanHost)
  };
  static const Kind kKinds[];

  void SaveLaunch(const executor::Step& step);
  StepPtr LoadLaunch(int depth);
  void SaveReduce(const executor::Step& step);
  StepPtr LoadReduce(int depth);
  void SaveCopy(const executor::Step& step);
  StepPtr LoadCopy(int depth);
  void SaveReshape(const executor::Step& step);
  StepPtr LoadReshape(int depth);
  void SaveStore(const executor::Step& step);
  StepPtr LoadStore(int depth);
  void SaveMatmul(const executor::Step& step);
  StepPtr LoadMatmul(int depth);
  StepPtr LoadContractedMatmul(int depth);
  void SaveWindowMatmul(const executor::Step& step);
  StepPtr LoadWindowMatmul(int depth);
  void SaveRowBlock(const executor::Step& step);
  StepPtr LoadRowBlock(int depth);

  void SaveScan(const executor::Step& step);
  StepPtr LoadScan(int depth);
  void SaveExtremes(const executor::Step& step);
  StepPtr LoadExtremes(int depth);
  void SaveGather(const executor::Step& step);
  StepPtr LoadGather(int depth);
  void SaveScatter(const executor::Step& step);
  StepPtr LoadScatter(int depth);

  void Integers(executor::IntOperation& operation, std::vector<executor::OperandPlan>& operands,
                int& output);
  void SaveIntegers(const executor::Step& step);
  StepPtr LoadIntegers(int depth);
  void SaveCond(const executor::Step& step);
  StepPtr LoadCond(int depth);
  void SaveLoop(const executor::Step& step);
  StepPtr LoadLoop(int depth);

  void SaveCall(const executor::Step& step);
  StepPtr LoadCall(int depth);
  void SaveScanOverCall(const executor::Step& step);
  StepPtr LoadScanOverCall(int depth);
  void SaveExtremesOverCall(const executor::Step& step);
  StepPtr LoadExtremesOverCall(int depth);
  void SaveTakeOverCall(const executor::Step& step);
  StepPtr LoadTakeOverCall(int depth);
  void SaveCompressOverCall(const executor::Step& step);
  StepPtr LoadCompressOverCall(int depth);
  void SaveIntegersOverCall(const executor::Step& step);
  StepPtr LoadIntegersOverCall(int depth);

  void SaveFunction(const executor::Step& step);
  StepPtr LoadFunction(int depth);
  void Place(std::vector<executor::OperandPlan>& operands, int64_t& size, ScalarId& number);
  void Compress(executor::OperandPlan& source, executor::OperandPlan& mask, int& output,
                ScalarId& late);
  void SaveCompress(const executor::Step& step);
  StepPtr LoadCompress(int depth);
  void SavePlace(const executor::Step& step);
  StepPtr LoadPlace(int depth);
  bool IsContracted(const executor::Step& step) const;
  StepPtr LoadProduct(bool is_contracted);
  kernel::LibraryLoop ProductLoop(DType dtype, bool is_contracted);

  void Subgraph(executor::SubgraphPlan& plan, PlanLimits limits, int depth);
  void ResultBuffer(int& buffer);
  void Loop(executor::LoopPlan& plan);
  void KernelOf(executor::KernelPlan& plan);
  void Reduction(executor::ReducePlan& plan);
  void Store(executor::StorePlan& plan);
  void Matmul(executor::MatmulPlan& plan);
  void Call(executor::LibraryCallPlan& plan);
  void Save(const executor::Step& step);
  std::unique_ptr<const executor::Step> Load(int depth);
  kernel::LibraryLoop LoopFor(Op op, DType dtype);

  PlanFields& fields_;
  Archive& archive_;
  NumberOfKernel number_of_;
  absl::Span<const BoundKernel> kernels_;
  const PlanHost& host_;
  absl::Status error_;  // other than the archive's
};

}  // namespace dynacc::program
