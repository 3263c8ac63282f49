#include "runtime/cuda/captured_graph.h"

#include <utility>

#include "runtime/base/status_macros.h"

namespace dynacc::cuda {
namespace {

// Ends the capture, however it went; null if there is no graph.
absl::StatusOr<cuda::Graph> CaptureOn(CudaDevice& device, CudaStream& stream,
                                      absl::FunctionRef<absl::Status(CudaStream&)> give) {
  const CudaDriver& driver = device.driver();
  DYNACC_RETURN_IF_ERROR(
      device.Check(driver.cuStreamBeginCapture(stream.handle(), cuda::kCaptureThreadLocal),
                   "cuStreamBeginCapture"));
  const absl::Status given = give(stream);
  cuda::Graph graph = nullptr;
  const cuda::Result ended = driver.cuStreamEndCapture(stream.handle(), &graph);
  if (given.ok() && ended == cuda::kSuccess) return graph;
  if (graph != nullptr) static_cast<void>(driver.cuGraphDestroy(graph));
  DYNACC_RETURN_IF_ERROR(given);
  return device.Check(ended, "cuStreamEndCapture");
}

}  // namespace

absl::StatusOr<std::unique_ptr<CapturedGraph>> CapturedGraph::Capture(
    CudaDevice& device, absl::FunctionRef<absl::Status(CudaStream&)> give) {
  DYNACC_ASSIGN_OR_RETURN(std::unique_ptr<CudaStream> stream, device.AcquireStream());
  const absl::StatusOr<cuda::Graph> graph = CaptureOn(device, *stream, give);
  device.ReleaseStream(std::move(stream));
  DYNACC_RETURN_IF_ERROR(graph.status());
  cuda::GraphExec made = nullptr;
  const cuda::Result result = device.driver().cuGraphInstantiateWithFlags(&made, *graph, 0);
  static_cast<void>(device.driver().cuGraphDestroy(*graph));
  DYNACC_RETURN_IF_ERROR(device.Check(result, "cuGraphInstantiate"));
  return std::unique_ptr<CapturedGraph>(new CapturedGraph(device, made));
}

// One that still runs is freed by the driver when it is done.
CapturedGraph::~CapturedGraph() {
  const CudaScope scope(device_);
  if (scope.status().ok()) static_cast<void>(device_.driver().cuGraphExecDestroy(graph_));
}

absl::Status CapturedGraph::Launch(CudaStream& stream) const {
  return device_.Check(device_.driver().cuGraphLaunch(graph_, stream.handle()), "cuGraphLaunch");
}

}  // namespace dynacc::cuda
