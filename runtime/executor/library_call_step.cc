#include "runtime/executor/library_call_step.h"

#include <algorithm>

#include "runtime/base/status_macros.h"
#include "runtime/executor/copy_step.h"

namespace dynacc::executor {
namespace {

// Operands in memory: a Full that the graph only knows as one number is written out for the call.
class Operands {
 public:
  Operands(RunFrame& frame, size_t count) : frame_(frame), views_(count), fulls_(count) {}

  absl::Status Add(const OperandPlan& operand) {
    StridedView& view = views_[count_];
    StridedView storage;
    view = frame_.Resolve(operand, storage);
    if (frame_.IsFull(operand.buffer)) {
      DYNACC_ASSIGN_OR_RETURN(char* const data, Written(operand.buffer));
      view = frame_.ResolveFull(operand, data, storage);
    }
    ++count_;
    return absl::OkStatus();
  }

  absl::Span<const StridedView> views() const { return {views_.data(), count_}; }

 private:
  struct Full {
    int buffer = -1;
    ScratchBlock block;
  };

  // The elements of a Full, written out once for all operands that are it.
  absl::StatusOr<char*> Written(int buffer) {
    for (size_t i = 0; i < count_; ++i) {
      if (fulls_[i].buffer == buffer) return fulls_[i].block.data();
    }
    Full& written = fulls_[count_];
    const StridedView& full = frame_.view(buffer);
    if (!written.block.Allocate(std::max<int64_t>(full.size() * ItemSize(full.dtype), 1))) {
      return absl::ResourceExhaustedError("no memory for an argument");
    }
    written.buffer = buffer;
    StridedView memory = full;
    memory.data = written.block.data();
    SetContiguousStrides(memory);
    CopyElements(full, memory);
    return written.block.data();
  }

  RunFrame& frame_;
  boost::container::small_vector<StridedView, 4> views_;
  std::vector<Full> fulls_;
  size_t count_ = 0;
};

}  // namespace

void LibraryCallStep::Promise(const RunFrame& frame, StridedView& promised) const {
  const ShapePlan& shape = frame.shape_plan(plan_.output);
  frame.FillShape(shape, promised);
  for (int axis = 0; axis < shape.rank; ++axis) {
    if (plan_.late != kNoScalar && shape.sizes[axis] == plan_.late) promised.shape[axis] = -1;
  }
}

absl::Status LibraryCallStep::DefineDataDependent(RunFrame& frame,
                                                  const StridedView& result) const {
  const ShapePlan& shape = frame.shape_plan(plan_.output);
  const int axis =
      static_cast<int>(std::find(shape.sizes, shape.sizes + shape.rank, plan_.late) - shape.sizes);
  return frame.DefineSize(plan_.late, result.shape[axis]);
}

absl::Status LibraryCallStep::Run(RunFrame& frame) const {
  if (frame.library_calls() == nullptr) {
    return absl::InternalError("the graph makes library calls but the run has no LibraryCaller");
  }
  Operands operands(frame, plan_.inputs.size());
  for (const OperandPlan& input : plan_.inputs) DYNACC_RETURN_IF_ERROR(operands.Add(input));
  StridedView promised;
  Promise(frame, promised);
  LibraryCallArguments arguments;
  arguments.library_call_id = plan_.library_call_id;
  arguments.inputs = operands.views();
  arguments.dtype = plan_.dtype;
  arguments.shape = {promised.shape, static_cast<size_t>(promised.rank)};
  arguments.is_output = frame.kind(plan_.output) == BufferKind::kOutput;
  arguments.has_free_orders = frame.has_free_orders();
  frame.CountLibraryCall();
  DYNACC_ASSIGN_OR_RETURN(std::shared_ptr<LibraryCallResult> result,
                          frame.library_calls()->Call(arguments));
  if (plan_.late != kNoScalar) DYNACC_RETURN_IF_ERROR(DefineDataDependent(frame, result->view));
  // Of one axis the order is the same whatever the stride.
  if (plan_.read_on && result->view.rank > 1 && !IsContiguous(result->view)) {
    if (!frame.has_free_orders()) {
      return absl::AbortedError("a result of the array library in another memory order");
    }
    DYNACC_RETURN_IF_ERROR(frame.Allocate(plan_.output));
    CopyElements(result->view, frame.view(plan_.output));
    return absl::OkStatus();
  }
  return frame.Adopt(plan_.output, std::move(result));
}

}  // namespace dynacc::executor
