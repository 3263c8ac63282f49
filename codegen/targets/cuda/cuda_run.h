// CudaRun: the device's part of one run of a graph: which buffers are on the device, and where.
//
// A run of NumPy's arrays has a stream of its own and ends when all is done. One of tensors that
// are on the device (Residence) gives its work to the device's stream for tensors and waits for
// nothing, unless a step of the host needs elements; its outputs are CudaMemory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "runtime/cuda/cuda_memory.h"
#include "runtime/cuda/kernel_parameters.h"
#include "runtime/cuda/launch_list.h"
#include "runtime/cuda/matmul_library.h"
#include "runtime/executor/offload.h"
#include "runtime/executor/run_frame.h"
#include "runtime/executor/step.h"

namespace dynacc::cuda {

// The segment, for messages, and a number that is no other's.
struct WorkLabel {
  std::string text;
  uint64_t id = 0;
};

class CudaRun : public executor::DeviceRun {
 public:
  // A resident run that may be recorded leaves its LaunchList there.
  static absl::StatusOr<std::unique_ptr<executor::DeviceRun>> Start(
      CudaDevice& device, const WorkLabel& label, const executor::Placement& placement,
      LaunchListKeeper& keeper);
  ~CudaRun() override;

  // The run that a step of the device is part of.
  static CudaRun& Of(executor::RunFrame& frame) { return static_cast<CudaRun&>(*frame.device()); }

  absl::Status BeforeHostStep(const executor::Step& step, executor::RunFrame& frame) override;
  void AfterHostStep(const executor::Step& step) override;
  void Release(int buffer) override;
  absl::Status Finish(absl::Span<const executor::WriteBackPlan> write_backs,
                      executor::RunFrame& frame) override;
  bool WritesBack() const override { return is_resident(); }
  absl::Status WriteBack(absl::Span<const executor::WriteBackPlan> write_backs,
                         executor::RunFrame& frame) override;

  // For steps, within a CudaScope. Where `operand` is on the device, copied there if need be.
  absl::Status Read(executor::RunFrame& frame, const executor::OperandPlan& operand,
                    DeviceOperand& read);

  // Device memory for what the step will compute; of a part, its place. After the launch, Wrote.
  absl::Status Write(executor::RunFrame& frame, int buffer, DeviceOperand& written);
  void Wrote(int buffer);

  // Lets `result`, a new version of an array, be the memory of `base`, the one before, which is on
  // the device. What is written to the one is in the other.
  void TakeOver(executor::RunFrame& frame, int base, int result);

  // Says where a part lies that the next step will write.
  void PlacePart(int buffer, const StridedView& part);

  // Lets a buffer be another one's device memory under its own shape. False: that one is not on the
  // device, or no strides show its elements so (of a resident run it is copied then).
  absl::StatusOr<bool> Reshape(executor::RunFrame& frame, const executor::OperandPlan& source,
                               int destination);

  // The stream's word for indices beyond their array. A run of NumPy's arrays whose kernels have
  // written it is ABORTED at its end, and CPython says what is wrong; for tensors, whoever waits
  // for them next is told.
  absl::StatusOr<char*> BeyondFlag();

  // Of a kernel whose parameters are a struct and, unless it is null, `size`.
  absl::Status Launch(const CudaLaunch& launch, const LaunchParameters& parameters,
                      const int64_t* size = nullptr);

  // Of a product by a library. UNAVAILABLE: nothing was done, as the library has failed.
  absl::Status Multiply(const std::shared_ptr<const LibraryMatmul>& product,
                        const ProductOperands& operands);

  // Memory for one step's own needs; given back when its work is given to the stream.
  absl::StatusOr<cuda::DevicePointer> AllocateScratch(int64_t bytes);
  void FreeScratch(cuda::DevicePointer pointer);

  // Of what lies without gaps.
  absl::Status CopyBytes(cuda::DevicePointer to, cuda::DevicePointer from, int64_t bytes);
  absl::Status ClearBytes(cuda::DevicePointer to, int64_t bytes);
  // Of bytes that are the same in every run of the graph with these sizes and numbers.
  absl::Status Upload(cuda::DevicePointer to, const void* from, int64_t bytes);

  CudaDevice& device() { return device_; }
  // For other work than the above: such a run is not recorded.
  CudaStream& stream() {
    GiveUpRecording();
    return *stream_;
  }
  bool is_resident() const { return placement_.device != 0; }

  // `status` with the segment's name; of an error for want of memory the user hears once.
  absl::Status Explain(const absl::Status& status) const;

 private:
  // A buffer's copy on the device.
  struct Mirror {
    cuda::DevicePointer block = 0;  // 0: another buffer's
    StridedView view;               // of the elements, in the block
    bool on_device = false;
    bool on_host = true;
    int first_version = -1;  // the buffer whose memory it has taken over; -1: none
  };

  struct TimedLaunch {
    std::string name;
    cuda::Event start, end;
  };

  CudaRun(CudaDevice& device, const WorkLabel& label, const executor::Placement& placement,
          LaunchListKeeper& keeper)
      : device_(device), label_(label.text), placement_(placement), keeper_(keeper) {}
  void GiveUpRecording() {
    if (recorder_ != nullptr) recorder_->GiveUp();
  }
  void StartRecording(const executor::RunFrame& frame);
  void KeepRecording(const executor::RunFrame& frame);
  // What has to be known of a resident run's inputs before anything is done.
  void NoteInputs(const executor::RunFrame& frame);
  // Gives the stream work by `give`, and takes its time if the log asks for that.
  absl::Status Timed(const char* name, absl::FunctionRef<absl::Status()> give);
  bool StaysOnDevice(const executor::RunFrame& frame, int buffer) const;
  absl::Status GiveHostMemory(executor::RunFrame& frame, int buffer);
  absl::Status HandOver(executor::RunFrame& frame, int buffer);
  absl::Status PrepareWriteBacks(absl::Span<const executor::WriteBackPlan> write_backs,
                                 executor::RunFrame& frame);
  void LogTimes();
  Mirror& MirrorOf(int buffer);
  absl::Status AllocateBlock(Mirror& mirror, const StridedView& like);
  absl::Status ToDevice(const StridedView& host, Mirror& mirror);
  absl::Status ToHost(executor::RunFrame& frame, int buffer);
  absl::Status CopyToHost(const Mirror& mirror, const StridedView& host);
  void NoteCopy(const char* direction, int64_t bytes, int64_t& total);

  CudaDevice& device_;
  const std::string& label_;
  const executor::Placement& placement_;
  LaunchListKeeper& keeper_;
  std::unique_ptr<LaunchRecorder> recorder_;  // null: the run is not recorded
  std::unique_ptr<CudaStream> own_stream_;    // of a run that is not resident
  CudaStream* stream_ = nullptr;
  bool noted_inputs_ = false;
  bool may_be_beyond_ = false;  // kernels that have not been waited for may have said so
  std::vector<std::unique_ptr<executor::ScratchBlock>>
      host_copies_;  // of what has no memory on the host
  // What is to be written into inputs, from memory that they are not in.
  std::vector<DeviceOperand> write_back_sources_;
  std::vector<cuda::DevicePointer> copies_;  // that were made for these
  std::vector<Mirror> mirrors_;              // by buffer
  int launches_ = 0;
  std::vector<TimedLaunch> timed_;  // only if the log asks for it
  int64_t bytes_to_device_ = 0;
  int64_t bytes_from_device_ = 0;
};

}  // namespace dynacc::cuda
