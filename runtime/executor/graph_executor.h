// GraphExecutor: a CompiledGraph as a list of steps over planned buffers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/executor/bound_program.h"
#include "runtime/executor/compiled_graph.h"
#include "runtime/executor/data_dependent_sizes.h"
#include "runtime/executor/flat_program.h"
#include "runtime/executor/layout_program.h"
#include "runtime/executor/measure.h"
#include "runtime/executor/offload.h"
#include "runtime/executor/plan.h"
#include "runtime/executor/step.h"

namespace dynacc::executor {

// The number of the step that ended a run, as text: a payload of an ABORTED status.
inline constexpr absl::string_view kStepPayload = "dynacc/step";

class GraphExecutor : public CompiledGraph {
 public:
  // `scalars`: the program that the plan's ids belong to. RunArguments::scalars may be those of an
  // earlier state of it, before codegen's passes added expressions. `offload`: what the steps that
  // are on a device belong to. `data_dependent_conditions`: what must hold of data-dependent sizes
  // (DataDependentSizes).
  GraphExecutor(std::vector<BufferPlan> buffers, std::vector<std::unique_ptr<const Step>> steps,
                std::vector<WriteBackPlan> write_backs, ScalarProgram scalars,
                std::string description, LayoutProgram layouts = {},
                std::shared_ptr<const Offload> offload = nullptr,
                std::vector<ScalarId> data_dependent_conditions = {})
      : buffers_(std::move(buffers)),
        steps_(std::move(steps)),
        write_backs_(std::move(write_backs)),
        scalars_(std::move(scalars)),
        description_(std::move(description)),
        layouts_(std::move(layouts)),
        offload_(std::move(offload)),
        data_dependent_conditions_(std::move(data_dependent_conditions)),
        late_inputs_(FindLateInputs()),
        meter_(StepMeter::MakeIfMeasuring(steps_.size())),
        flat_(IsPlain() && meter_ == nullptr ? FlatProgram::Make(buffers_, steps_) : nullptr) {}

  absl::StatusOr<uint32_t> Run(const RunArguments& arguments) const override;
  std::string Describe() const override { return description_; }
  std::vector<StepMeasure> Measures() const override;
  absl::StatusOr<uint32_t> RunMeasured(const RunArguments& arguments,
                                       StepMeter& meter) const override {
    return RunAll(arguments, &meter);
  }
  std::vector<GroupRange> Groups() const override;

  // What it was made of, for those who write it to a file (runtime/program).
  const std::vector<BufferPlan>& buffers() const { return buffers_; }
  const std::vector<std::unique_ptr<const Step>>& steps() const { return steps_; }
  const std::vector<WriteBackPlan>& write_backs() const { return write_backs_; }
  const ScalarProgram& scalars() const { return scalars_; }
  const LayoutProgram& layouts() const { return layouts_; }
  const std::vector<ScalarId>& data_dependent_conditions() const {
    return data_dependent_conditions_;
  }

 private:
  // Whether all there is are steps on the host and fresh results, in C order if the inputs are.
  bool IsPlain() const {
    return offload_ == nullptr && write_backs_.empty() && scalars_.num_data_dependent() == 0 &&
           layouts_.KeepsCOrder();
  }
  // Whether runs of the same sizes and strides do the same steps on the host.
  bool IsRepeatable() const {
    return offload_ == nullptr && meter_ == nullptr && scalars_.num_data_dependent() == 0;
  }
  std::vector<LateInputSize> FindLateInputs() const;
  // With the numbers that the caller of Run has not given. `meter`: null, or what measures the
  // steps, each of which then runs by itself.
  absl::StatusOr<uint32_t> RunAll(const RunArguments& arguments, StepMeter* meter) const;
  // `known`: how many of the numbers the caller of Run gave.
  absl::StatusOr<uint32_t> RunSteps(const RunArguments& arguments, int known,
                                    DataDependentSizes* sizes, StepMeter* meter) const;
  std::unique_ptr<const BoundProgram> Bind(const RunArguments& arguments, int known,
                                           const RunFrame& frame) const;
  absl::Status RunStep(const Step& step, RunFrame& frame) const;
  absl::Status RunMeasuredStep(size_t step, RunFrame& frame, StepMeter& meter) const;
  void WriteBack(RunFrame& frame) const;

  std::vector<BufferPlan> buffers_;
  std::vector<std::unique_ptr<const Step>> steps_;
  std::vector<WriteBackPlan> write_backs_;
  ScalarProgram scalars_;
  std::string description_;
  LayoutProgram layouts_;
  std::shared_ptr<const Offload> offload_;  // null: everything is in host memory
  std::vector<ScalarId> data_dependent_conditions_;
  std::vector<LateInputSize> late_inputs_;
  std::unique_ptr<StepMeter> meter_;         // null: nothing is measured
  std::unique_ptr<const FlatProgram> flat_;  // null: steps are more than that
  mutable BoundPrograms bound_;              // of runs that are nothing so simple
};

}  // namespace dynacc::executor
