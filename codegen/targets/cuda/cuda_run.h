// CudaRun: the device's part of one run of a graph: which buffers are on the device, and where.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/targets/cuda/kernel_parameters.h"
#include "runtime/device/cuda/cuda_stream.h"
#include "runtime/executor/offload.h"
#include "runtime/executor/run_frame.h"
#include "runtime/executor/step.h"

namespace dynacc {

class CudaRun : public DeviceRun {
 public:
  // `label`: the segment, for messages.
  static absl::StatusOr<std::unique_ptr<DeviceRun>> Start(CudaDevice& device,
                                                          const std::string& label);
  ~CudaRun() override;

  // The run that a step of the device is part of.
  static CudaRun& Of(RunFrame& frame) { return static_cast<CudaRun&>(*frame.device()); }

  absl::Status BeforeHostStep(const Step& step, RunFrame& frame) override;
  void AfterHostStep(const Step& step) override;
  void Release(int buffer) override;
  absl::Status Finish(absl::Span<const WriteBackPlan> write_backs, RunFrame& frame) override;

  // For steps, within a CudaScope. Where `operand` is on the device, copied there if need be.
  absl::Status Read(RunFrame& frame, const OperandPlan& operand, DeviceOperand& read);

  // Device memory for what the step will compute. After the launch, Wrote.
  absl::Status Write(RunFrame& frame, int buffer, DeviceOperand& written);
  absl::Status Wrote(RunFrame& frame, int buffer);

  // Lets a buffer be another one's device memory under its own shape. False: that one is not on the
  // device, or no strides show its elements so.
  absl::StatusOr<bool> Reshape(RunFrame& frame, const OperandPlan& source, int destination);

  absl::Status Launch(const CudaLaunch& launch, KernelParameters& parameters, const int64_t* size);

  CudaDevice& device() { return device_; }
  CudaStream& stream() { return *stream_; }

  // `status` with the segment's name; of an error for want of memory the user hears once.
  absl::Status Explain(const absl::Status& status) const;

 private:
  // A buffer's copy on the device.
  struct Mirror {
    cuda::DevicePointer block = 0;  // 0: another buffer's
    StridedView view;               // of the elements, in the block
    bool on_device = false;
    bool on_host = true;
  };

  struct TimedLaunch {
    std::string name;
    cuda::Event start, end;
  };

  CudaRun(CudaDevice& device, const std::string& label, std::unique_ptr<CudaStream> stream)
      : device_(device), label_(label), stream_(std::move(stream)) {}
  void LogTimes();
  Mirror& MirrorOf(int buffer);
  absl::Status AllocateBlock(Mirror& mirror, const StridedView& like);
  absl::Status ToDevice(const StridedView& host, Mirror& mirror);
  absl::Status ToHost(RunFrame& frame, int buffer);
  absl::Status CopyToHost(const Mirror& mirror, const StridedView& host);
  void NoteCopy(const char* direction, int64_t bytes, int64_t& total);

  CudaDevice& device_;
  const std::string& label_;
  std::unique_ptr<CudaStream> stream_;
  std::vector<Mirror> mirrors_;  // by buffer
  int launches_ = 0;
  std::vector<TimedLaunch> timed_;  // only if the log asks for it
  int64_t bytes_to_device_ = 0;
  int64_t bytes_from_device_ = 0;
};

}  // namespace dynacc
