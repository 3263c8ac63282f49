#include "runtime/cuda/launch_graphs.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/log.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cuda {
namespace {

// A loop whose results are its next inputs goes through two or three sets of addresses.
constexpr size_t kMostSeen = 8;
constexpr size_t kMostBlocks = 4;  // of one result

// Whether nobody else has the block. Who let go of it did so before: its work is in the stream.
bool IsSpare(const LaunchGraphs::Block& block) {
  if (block.use_count() != 1) return false;
  std::atomic_thread_fence(std::memory_order_acquire);
  return true;
}

}  // namespace

void LaunchGraphs::DropSpareBlocks() {
  for (std::vector<Block>& blocks : results_) std::erase_if(blocks, IsSpare);
}

absl::StatusOr<LaunchGraphs::Block> LaunchGraphs::Allocate(CudaDevice& device, size_t bytes) {
  auto block = CudaMemory::Allocate(device, std::max<size_t>(bytes, 1));
  if (!absl::IsResourceExhausted(block.status())) return block;
  DropSpareBlocks();
  return CudaMemory::Allocate(device, std::max<size_t>(bytes, 1));
}

absl::StatusOr<cuda::DevicePointer> LaunchGraphs::Temporary(CudaDevice& device, size_t number,
                                                            size_t bytes) {
  if (number >= temporaries_.size()) temporaries_.resize(number + 1);
  if (temporaries_[number] == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(temporaries_[number], Allocate(device, bytes));
  }
  return temporaries_[number]->pointer();
}

absl::StatusOr<LaunchGraphs::Block> LaunchGraphs::Result(CudaDevice& device, size_t number,
                                                         size_t bytes) {
  if (number >= results_.size()) results_.resize(number + 1);
  const auto spare = absl::c_find_if(results_[number], IsSpare);
  if (spare != results_[number].end()) return *spare;
  DYNACC_ASSIGN_OR_RETURN(Block made, Allocate(device, bytes));
  std::vector<Block>& blocks = results_[number];
  if (blocks.size() == kMostBlocks) blocks.erase(blocks.begin());
  blocks.push_back(made);
  return made;
}

absl::Status LaunchGraphs::Give(CudaDevice& device, CudaStream& stream,
                                absl::Span<const cuda::DevicePointer> addresses,
                                absl::FunctionRef<absl::Status(CudaStream&)> give) {
  if (!captures_) return give(stream);
  const auto found =
      absl::c_find_if(seen_, [&](const Seen& one) { return one.addresses == addresses; });
  if (found == seen_.end()) {
    if (seen_.size() == kMostSeen) seen_.erase(seen_.begin());
    seen_.push_back({{addresses.begin(), addresses.end()}, nullptr});
    return give(stream);
  }
  std::rotate(found, found + 1, seen_.end());
  Seen& now = seen_.back();
  if (now.graph == nullptr) {
    auto captured = CapturedGraph::Capture(device, give);
    if (!captured.ok()) {
      captures_ = false;
      WarnOnce("cuda graphs",
               absl::StrCat("no CUDA graph could be made (", captured.status().message(),
                            "); work is given to the GPU one by one"));
      DYNACC_RETURN_IF_ERROR(device.status());
      return give(stream);
    }
    now.graph = *std::move(captured);
  }
  DYNACC_RETURN_IF_ERROR(now.graph->Launch(stream));
  Count(ThreadStats().cuda_graph_launches);
  return absl::OkStatus();
}

}  // namespace dynacc::cuda
