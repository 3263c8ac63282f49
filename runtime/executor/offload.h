// Offload: how a graph whose kernels run on a device takes part in the executor's run.
//
// Each buffer of a run may be in host memory, on the device, or in both. Steps of the device
// (Step::on_device) see to what they read and write themselves; around the other steps the
// executor asks for host memory to be up to date. Implemented by targets (codegen/targets).
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/executor/plan.h"

namespace dynacc {

class RunFrame;
class Step;

// The device's part of one run. Destroyed at its end, however it ended.
class DeviceRun {
 public:
  virtual ~DeviceRun() = default;

  // Brings what the step reads into host memory.
  virtual absl::Status BeforeHostStep(const Step& step, RunFrame& frame) = 0;

  // What the step wrote is in host memory only.
  virtual void AfterHostStep(const Step& step) = 0;

  // Gives a temporary's device memory back.
  virtual void Release(int buffer) = 0;

  // Brings outputs, and what is to be written back, into host memory, and waits for the device.
  virtual absl::Status Finish(absl::Span<const WriteBackPlan> write_backs, RunFrame& frame) = 0;
};

class Offload {
 public:
  virtual ~Offload() = default;

  // UNAVAILABLE or DATA_LOSS if the device cannot be used (any more).
  virtual absl::StatusOr<std::unique_ptr<DeviceRun>> Start() const = 0;
};

}  // namespace dynacc
