// FunctionStep: a library call of the live graph, by a function of our own; PlaceStep: an index
// that arrays compute.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/cpu/own/lapack.h"
#include "runtime/cpu/own/own_functions.h"
#include "runtime/executor/step.h"
#include "runtime/program/plan_fields.h"

namespace dynacc::program {

class FunctionStep : public executor::Step {
 public:
  // Nothing may be wrong with the call of such operands (cpu::WhyNotOwn).
  // `lapack`: not null if the call needs one.
  FunctionStep(cpu::OwnCall call, std::vector<executor::OperandPlan> operands, int output,
               std::shared_ptr<const cpu::Lapack> lapack)
      : call_(std::move(call)),
        operands_(std::move(operands)),
        output_(output),
        lapack_(std::move(lapack)) {}

  absl::Status Run(executor::RunFrame& frame) const override;

 private:
  cpu::OwnCall call_;
  std::vector<executor::OperandPlan> operands_;
  int output_;
  std::shared_ptr<const cpu::Lapack> lapack_;
};

// An index that arrays compute: the place of that element along an axis becomes a number of the
// run. ABORTED if the index is beyond the axis.
class PlaceStep : public executor::Step {
 public:
  // `operands`: the index, and the axis's size unless that is `size`; of rank 0, of dtypes that
  // hold ints. `number`: data-dependent.
  PlaceStep(std::vector<executor::OperandPlan> operands, int64_t size, ScalarId number)
      : operands_(std::move(operands)), size_(size), number_(number) {}

  absl::Status Run(executor::RunFrame& frame) const override;

 private:
  std::vector<executor::OperandPlan> operands_;
  int64_t size_;
  ScalarId number_;
};

// The fields of a FunctionStep in a file.
struct FunctionFields {
  cpu::OwnCall call;
  std::string lapack;  // the library's name, where the call needs one
  std::vector<executor::OperandPlan> operands;
  int output = 0;
};
void SaveFunctionStep(PlanFields& fields, FunctionFields step);

// The step that follows in the file. INVALID_ARGUMENT if there is no such function or it takes
// other operands; UNAVAILABLE without the library.
absl::StatusOr<std::unique_ptr<executor::Step>> LoadFunctionStep(PlanFields& fields);

}  // namespace dynacc::program
