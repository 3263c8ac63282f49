// DeviceModule: the kernels of one graph on a device, and the steps that launch them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/executor/gather_plan.h"
#include "runtime/executor/launch_step.h"
#include "runtime/executor/offload.h"
#include "runtime/executor/reduce_step.h"
#include "runtime/executor/step.h"
#include "runtime/executor/store_step.h"
#include "runtime/ops/op.h"

namespace dynacc::targets {

class DeviceModule {
 public:
  virtual ~DeviceModule() = default;

  // The steps of group `group` of the schedule, which are on_device; null if the device has no
  // kernel for it: then the host's step runs, with copies around it.
  virtual std::unique_ptr<executor::Step> MakeLaunch(int group, const executor::KernelPlan& plan,
                                                     const std::vector<int>& outputs) const = 0;
  virtual std::unique_ptr<executor::Step> MakeReduction(int group,
                                                        const executor::ReducePlan& plan) const = 0;

  // Whether MakeLaunch has a kernel for the group.
  virtual bool HasLaunch(int group) const = 0;

  // A new version of an array, as a StoreStep. A part of it that is yet to be computed is then
  // written by a step of MakeLaunch.
  virtual std::unique_ptr<executor::Step> MakeStore(const executor::StorePlan& plan) const = 0;

  // A scan of `source`, an array of that dtype, along `axis`; `host` does the same, and what the
  // device leaves to it. Null, and `host` as it was: the host's alone.
  virtual std::unique_ptr<executor::Step> MakeScan(
      [[maybe_unused]] Op reduction, [[maybe_unused]] DType dtype,
      [[maybe_unused]] const executor::OperandPlan& source, [[maybe_unused]] int axis,
      [[maybe_unused]] int output, [[maybe_unused]] std::unique_ptr<executor::Step>& host) const {
    return nullptr;
  }

  // The elements that `plan` says; `host` does the same, and what the device leaves to it. Null,
  // and `host` as it was: the host's alone.
  virtual std::unique_ptr<executor::Step> MakeGather(
      [[maybe_unused]] const executor::GatherPlan& plan,
      [[maybe_unused]] std::unique_ptr<executor::Step>& host) const {
    return nullptr;
  }

  // The same for writing.
  virtual std::unique_ptr<executor::Step> MakeScatter(
      [[maybe_unused]] const executor::ScatterPlan& plan,
      [[maybe_unused]] std::unique_ptr<executor::Step>& host) const {
    return nullptr;
  }

  // A product of matrices, as a MatmulStep; null: the host's.
  virtual std::unique_ptr<executor::Step> MakeMatmul(
      [[maybe_unused]] DType dtype, [[maybe_unused]] const executor::OperandPlan& a,
      [[maybe_unused]] const executor::OperandPlan& b, [[maybe_unused]] int output) const {
    return nullptr;
  }

  // One step for `steps`, those of the schedule's row kernel that starts with group `first`; null,
  // and the steps are left as they are, if the device has no kernel for it or a step is the host's.
  virtual std::unique_ptr<executor::Step> MakeRows(
      [[maybe_unused]] int first,
      [[maybe_unused]] std::vector<std::unique_ptr<executor::Step>>& steps) const {
    return nullptr;
  }

  // A copy of what the operand shows as the buffer `destination`.
  virtual std::unique_ptr<executor::Step> MakeCopy(const executor::OperandPlan& source,
                                                   int destination) const = 0;

  virtual std::unique_ptr<executor::Step> MakeReshape(const executor::OperandPlan& source,
                                                      int destination) const = 0;

  // The runs that these steps are part of.
  virtual std::shared_ptr<const executor::Offload> offload() const = 0;

  // What was compiled, for people to read.
  virtual const std::string& source() const = 0;
};

}  // namespace dynacc::targets
