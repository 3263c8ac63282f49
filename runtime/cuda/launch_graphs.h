// LaunchGraphs: the CUDA graphs of one LaunchList, and the memory that they work in.
//
// A graph has addresses in it. So temporaries stay where they are from run to run, which is sound
// because runs of one list follow each other on one stream, and results are written into blocks of
// earlier results that nobody has any more. A run with the addresses of one before is then one call
// of the driver. It is captured when addresses are seen for the second time; runs that find all
// addresses new each time cost what they did, and one search.
#pragma once

#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/cuda/captured_graph.h"
#include "runtime/cuda/cuda_memory.h"

namespace dynacc::cuda {

class LaunchGraphs {
 public:
  using Block = std::shared_ptr<CudaMemory>;

  // Memory for the temporary of that number: the same in each run.
  absl::StatusOr<cuda::DevicePointer> Temporary(CudaDevice& device, size_t number, size_t bytes);

  // Memory for the result of that number, which is whoever's holds it.
  absl::StatusOr<Block> Result(CudaDevice& device, size_t number, size_t bytes);

  // Gives `stream` what `give` gives, with these addresses in it: itself, or as the graph that was
  // captured of it. The errors of `give` and of the driver.
  absl::Status Give(CudaDevice& device, CudaStream& stream,
                    absl::Span<const cuda::DevicePointer> addresses,
                    absl::FunctionRef<absl::Status(CudaStream&)> give);

 private:
  struct Seen {
    std::vector<cuda::DevicePointer> addresses;
    std::unique_ptr<CapturedGraph> graph;  // null: seen once
  };

  absl::StatusOr<Block> Allocate(CudaDevice& device, size_t bytes);
  void DropSpareBlocks();

  std::vector<Block> temporaries_;
  std::vector<std::vector<Block>> results_;  // by number: those that were given and may be again
  std::vector<Seen> seen_;                   // the one that was seen last is the last
  bool captures_ = true;                     // false: the driver could not
};

}  // namespace dynacc::cuda
