// Offload: how a graph whose kernels run on a device takes part in the executor's run.
//
// Each buffer of a run may be in host memory, on the device, or in both. Steps of the device
// (Step::on_device) see to what they read and write themselves; around the other steps the
// executor asks for host memory to be up to date. Implemented by targets (codegen/targets).
#pragma once

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/executor/compiled_graph.h"
#include "runtime/executor/plan.h"

namespace dynacc::executor {

class RunFrame;
class Step;

// Where the arrays are that a graph takes and gives: all its inputs in memory of one device, and
// those of its outputs that are marked (outputs with a target are where that is).
struct Placement {
  int device = 0;             // 0: everything is in host memory; n: device n - 1
  std::vector<bool> outputs;  // by output without a target
};

// An output that stays in memory of a device.
struct DeviceResult : LibraryCallResult {  // the view's data is the device's address
  std::shared_ptr<void> memory;            // keeps it; of a type that the device's target says
  int device = 0;                          // as Residence::device
};

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

  // Brings outputs, and what is to be written back, to where they belong: into host memory, and
  // then the device is waited for, or, by Residence, on the device, and nothing is waited for.
  virtual absl::Status Finish(absl::Span<const WriteBackPlan> write_backs, RunFrame& frame) = 0;

  // Whether the inputs that are written to are on the device; then WriteBack, after Finish, does
  // it.
  virtual bool WritesBack() const = 0;
  virtual absl::Status WriteBack(absl::Span<const WriteBackPlan> write_backs, RunFrame& frame) = 0;
};

class Offload {
 public:
  virtual ~Offload() = default;

  // UNAVAILABLE or DATA_LOSS if the device cannot be used (any more).
  virtual absl::StatusOr<std::unique_ptr<DeviceRun>> Start() const = 0;

  // Gives the device a whole run of a graph, if a run before has shown what that is; the sink has
  // the results then and has been asked whether inputs may be written, and nothing is left to be
  // done. False: it is not known, and the steps must run.
  virtual absl::StatusOr<bool> Replay([[maybe_unused]] const RunArguments& arguments) const {
    return false;
  }
};

}  // namespace dynacc::executor
