// LaunchList: all that a run of a graph of tensors gave to the device, to be given again.
//
// A run whose inputs have the shapes, strides and alignments, and whose numbers are, those of a run
// before, gives the device the same work but for addresses. The first such run is recorded:
// allocations, launches with the bytes of their parameters, a library's products, copies, bytes
// that are the same in every run, and frees, in order, and where in the parameters addresses are.
// What is written into inputs comes last, when all results are made. Later runs patch addresses in
// place and give everything again, with no graph, no plan, no lock and no allocation of the host's
// but for the results' own objects. Nothing in a list is about a stream: it is what a CUDA graph is
// captured from, where that is asked for (launch_graphs.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "runtime/cuda/cuda_memory.h"
#include "runtime/cuda/kernel_parameters.h"
#include "runtime/cuda/launch_graphs.h"
#include "runtime/cuda/matmul_library.h"
#include "runtime/executor/compiled_graph.h"
#include "runtime/executor/run_frame.h"

namespace dynacc::cuda {

class LaunchList {
 public:
  // Whether the run would give the device the same work.
  bool Fits(const executor::RunArguments& arguments) const;

  // From now on it is given as CUDA graphs where that can be done.
  void UseGraphs();
  bool uses_graphs() const { return graphs_ != nullptr; }

  // Gives it to `stream`, the device's stream for tensors, in a CudaScope, and the results, which
  // are of the device numbered so (Residence), to the sink; inputs are written if the sink says so.
  // One call at a time. Errors: of the driver, and UNAVAILABLE where a library's product can be
  // done no more; then nothing is left behind.
  absl::Status Replay(CudaDevice& device, CudaStream& stream, int number,
                      const executor::RunArguments& arguments);

 private:
  friend class LaunchRecorder;

  // An input, or a block that was allocated: `base` when it was recorded, and in the run at hand.
  struct Slot {
    cuda::DevicePointer recorded = 0, base = 0;
    int64_t begin = 0, end = 0;  // of its bytes, from `recorded`
    bool is_live = false;        // an allocation that nobody has freed or taken
    bool is_result = false;      // ... that the sink has taken
  };
  struct Address {
    int slot = 0;
    int64_t offset = 0;
  };
  struct Patch {
    size_t at = 0;  // in bytes_
    Address address;
  };
  struct Operation {
    enum class Kind : uint8_t { kAllocate, kLaunch, kProduct, kCopy, kClear, kUpload, kFree };
    Kind kind = Kind::kLaunch;
    CudaLaunch launch;
    size_t parameters = 0;  // where in bytes_; of kUpload, where the bytes are
    int64_t size = 0;       // the second parameter, if there is one
    bool has_size = false;
    int first_patch = 0, patches = 0;
    Address to, from;   // kCopy; the others: to
    int64_t bytes = 0;  // kAllocate, kCopy, kClear, kUpload
    std::shared_ptr<const LibraryMatmul> product;
    Address first, second, out, workspace;  // kProduct
  };
  struct Result {
    int output = 0;
    int slot = 0;
    int64_t offset = 0;  // of the view's data
    StridedView view;
  };

  cuda::DevicePointer At(const Address& address) const {
    return slots_[address.slot].base + static_cast<uint64_t>(address.offset);
  }
  absl::Status Do(Operation& operation, CudaStream& stream);
  absl::Status DoAll(size_t first, size_t end, CudaStream& stream);
  absl::Status Multiply(const Operation& operation, CudaStream& stream) const;
  absl::Status HandOver(CudaDevice& device, CudaStream& stream, int number,
                        executor::OutputSink& sink);
  absl::Status Give(CudaDevice& device, CudaStream& stream, int number,
                    const executor::RunArguments& arguments);
  absl::Status GiveAsGraph(CudaDevice& device, CudaStream& stream, int number,
                           const executor::RunArguments& arguments);
  absl::Status GiveWork(size_t first, size_t end, CudaStream& stream);
  absl::Status PlaceBlocks(CudaDevice& device);
  absl::Status HandBlocksOver(int number, executor::OutputSink& sink);

  std::vector<StridedView> inputs_;
  std::vector<ScalarValue> scalars_;
  std::vector<Slot> slots_;  // the inputs first
  std::vector<Operation> operations_;
  size_t first_write_back_ = 0;  // from which operation on inputs are written
  std::vector<Patch> patches_;
  std::vector<char> bytes_;  // the launches' parameters, each at a multiple of 16
  std::vector<Result> results_;
  int64_t device_launches_ = 0;
  executor::LaunchTotals totals_;
  std::unique_ptr<LaunchGraphs> graphs_;   // null: everything is given one by one
  std::vector<LaunchGraphs::Block> made_;  // of a run that is given as a graph: its results' memory
  std::vector<cuda::DevicePointer> addresses_;  // ... and where each slot is
};

// Notes what one run gives to the device. What it cannot note makes it give up: then there is no
// list, and runs go on as they did.
class LaunchRecorder {
 public:
  void Start(absl::Span<const StridedView> inputs, absl::Span<const ScalarValue> scalars);
  void Allocated(cuda::DevicePointer pointer, int64_t bytes);
  void Freed(cuda::DevicePointer pointer);
  void Launched(const CudaLaunch& launch, const LaunchParameters& parameters, const int64_t* size);
  void Multiplied(const std::shared_ptr<const LibraryMatmul>& product,
                  const ProductOperands& operands);
  void Copied(cuda::DevicePointer to, cuda::DevicePointer from, int64_t bytes);
  void Cleared(cuda::DevicePointer to, int64_t bytes);
  // Bytes that are what they are in every run.
  void Uploaded(cuda::DevicePointer to, const void* from, int64_t bytes);
  // From now on inputs are written.
  void StartsToWriteBack();
  // An address that is the same in every run.
  void Fixed(cuda::DevicePointer pointer) { fixed_.push_back(pointer); }
  void HandedOver(int output, cuda::DevicePointer block, const StridedView& view);
  void GiveUp() { has_given_up_ = true; }

  // The list, or null.
  std::unique_ptr<LaunchList> Finish(const executor::LaunchTotals& totals);

 private:
  using Operation = LaunchList::Operation;

  // False, and the recording is given up, if the address is in no known memory, or in two.
  bool Find(cuda::DevicePointer pointer, LaunchList::Address& address);
  int SlotOf(cuda::DevicePointer block) const;
  // Where in bytes_ a copy of these is, at a multiple of 16.
  size_t KeepBytes(const void* from, size_t count);

  std::unique_ptr<LaunchList> list_ = std::make_unique<LaunchList>();
  std::vector<cuda::DevicePointer> fixed_;
  bool has_started_ = false;
  bool has_given_up_ = false;
  bool writes_back_ = false;
};

// The list of one graph, for whichever run gets hold of it: taking and giving back is one atomic
// exchange each, and a run that finds it taken goes its usual way.
class LaunchListKeeper {
 public:
  ~LaunchListKeeper();

  // The list, which nobody else has then; null: there is none, or another run has it.
  std::unique_ptr<LaunchList> Take();
  // In place of the one that is there.
  void Keep(std::unique_ptr<LaunchList> list);

  // Whether a run shall be recorded: not for ever, if no run is like another.
  bool WantsRecording();

 private:
  std::atomic<LaunchList*> list_ = nullptr;
  std::atomic<int> recordings_ = 0;
};

}  // namespace dynacc::cuda
