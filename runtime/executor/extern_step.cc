#include "runtime/executor/extern_step.h"

#include "runtime/base/status_macros.h"

namespace dynacc {

absl::Status ExternStep::Run(RunFrame& frame) const {
  if (frame.externs() == nullptr) {
    return absl::InternalError("the graph has an Extern node but the run has no ExternCaller");
  }
  boost::container::small_vector<StridedView, 4> inputs(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    StridedView storage;
    inputs[i] = frame.Resolve(inputs_[i], storage);
  }
  DYNACC_RETURN_IF_ERROR(frame.Allocate(output_));
  StridedView output = frame.view(output_);
  frame.CountExtern();
  return frame.externs()->Call(extern_id_, {inputs.data(), inputs.size()},
                               absl::Span<StridedView>(&output, 1));
}

}  // namespace dynacc
