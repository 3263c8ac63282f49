// RunFrame: the state of one run of a compiled graph: where each buffer lies, and what was counted.
//
// Lives on the stack of GraphExecutor::Run; small graphs allocate nothing on the heap.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "boost/container/small_vector.hpp"
#include "runtime/executor/compiled_graph.h"
#include "runtime/executor/layout_program.h"
#include "runtime/executor/plan.h"

namespace dynacc::executor {

class DeviceRun;
class DataDependentSizes;

// Memory of the process's BufferCache for the extent of a scope.
class ScratchBlock {
 public:
  ScratchBlock() = default;
  ~ScratchBlock();
  ScratchBlock(const ScratchBlock&) = delete;
  ScratchBlock& operator=(const ScratchBlock&) = delete;

  // False if there is no memory. Called once.
  bool Allocate(size_t bytes);
  char* data() const { return data_; }

 private:
  char* data_ = nullptr;
  size_t bytes_ = 0;
};

// One element of any dtype, in the first bytes.
struct alignas(kMaxItemSize) ElementCell {
  char bytes[kMaxItemSize] = {};
};

// What a run has counted so far.
struct LaunchTotals {
  int64_t launches = 0, library_calls = 0, bytes_read = 0, bytes_written = 0;
};

class RunFrame {
 public:
  // `layouts`: of the graph's LayoutProgram; empty if everything is in C order.
  RunFrame(const std::vector<BufferPlan>& plan, const RunArguments& arguments,
           absl::Span<const Layout> layouts = {});
  ~RunFrame();
  RunFrame(const RunFrame&) = delete;
  RunFrame& operator=(const RunFrame&) = delete;

  const StridedView& view(int buffer) const { return buffers_[buffer].view; }
  // Whether the buffer's elements lie in C order without gaps.
  bool contiguous(int buffer) const { return buffers_[buffer].contiguous; }
  int aliased_buffer(int buffer) const { return plan_[buffer].aliased_buffer; }
  const ShapePlan& shape_plan(int buffer) const { return plan_[buffer].shape; }
  BufferKind kind(int buffer) const { return plan_[buffer].kind; }
  DType dtype(int buffer) const { return plan_[buffer].dtype; }
  int index(int buffer) const { return plan_[buffer].index; }  // kInput, kOutput
  size_t num_buffers() const { return plan_.size(); }

  int64_t Size(ScalarId id) const { return arguments_.scalars[id].i; }
  bool has_free_orders() const { return arguments_.has_free_orders; }
  void FillShape(const ShapePlan& plan, StridedView& view) const;
  int64_t ElementsOf(const ShapePlan& plan) const;
  bool HasTooManyBytes(const BufferPlan& plan) const;

  // Gives memory to an output or temporary, laid out as NumPy has it; a part has its memory
  // already, and so has what was aliased. RESOURCE_EXHAUSTED if there is none.
  absl::Status Allocate(int buffer);

  // Gives a temporary or output its shape and strides but no memory: its elements are on a device.
  void Describe(int buffer);

  // The device's part of the run; null without one.
  DeviceRun* device() const { return device_; }
  void set_device(DeviceRun* device) { device_ = device; }

  // Where data-dependent sizes are defined; null if the graph has none. `layouts` made by `program`
  // follow.
  void set_data_dependent(DataDependentSizes* sizes, const LayoutProgram* program,
                          absl::Span<Layout> layouts) {
    data_dependent_ = sizes;
    layout_program_ = program;
    data_dependent_layouts_ = layouts;
  }
  // Lets the data-dependent number be `value`: what follows from it is known from here on.
  absl::Status DefineSize(ScalarId number, int64_t value);

  // The array that step `layout` of the LayoutProgram lays out; null if it is in C order.
  const StridedView* FindLayout(int layout) const {
    return layout < 0 || layouts_.empty() ? nullptr : &layouts_[layout].view;
  }

  // Gives memory to a temporary, with the shape and strides of `model`, gaps included.
  absl::Status AllocateLike(int buffer, const StridedView& model);

  // Lets a temporary or part be `view`: another buffer's memory, which its plan keeps alive.
  void Alias(int buffer, const StridedView& view);

  // Lets a buffer be what a library call gave. An output whose sink does not take it is copied.
  absl::Status Adopt(int buffer, std::shared_ptr<LibraryCallResult> result);

  // Gives an output that stays on a device to the sink. False: that does not take it.
  bool HandOver(int buffer, const std::shared_ptr<LibraryCallResult>& result) {
    return arguments_.sink->Adopt(plan_[buffer].index, result);
  }

  // Gives a temporary's memory back; nothing for other kinds.
  void Release(int buffer);

  // Where `operand` lies: the buffer's own view, or `storage`, filled.
  const StridedView& Resolve(const OperandPlan& operand, StridedView& storage) const;

  // Whether the buffer is a Full: one number to us, a C-ordered array to NumPy.
  bool IsFull(int buffer) const {
    return kind(buffer) == BufferKind::kScalar && view(buffer).rank != 0;
  }

  // As Resolve, for a Full that were stored in C order at `data`.
  const StridedView& ResolveFull(const OperandPlan& operand, char* data,
                                 StridedView& storage) const;

  absl::Span<const ScalarValue> scalars() const { return arguments_.scalars; }
  LibraryCaller* library_calls() const { return arguments_.library_calls; }

  // Whether the run shall end (RunArguments::stop); once it shall, it stays so.
  bool ShallStop() {
    stopped_ = stopped_ || (arguments_.stop != nullptr && arguments_.stop());
    return stopped_;
  }
  bool stopped() const { return stopped_; }
  bool (*stop() const)() { return arguments_.stop; }  // RunArguments::stop

  void CountLaunch(int64_t bytes_read, int64_t bytes_written) {
    ++launches_;
    bytes_read_ += bytes_read;
    bytes_written_ += bytes_written;
  }
  void CountLibraryCall() { ++library_calls_made_; }
  LaunchTotals totals() const {
    return {launches_, library_calls_made_, bytes_read_, bytes_written_};
  }

 private:
  struct RunBuffer {
    StridedView view;
    ElementCell cell;  // kScalar: the number itself
    void* block = nullptr;
    size_t bytes = 0;
    bool contiguous = false;
    bool placed = false;  // by Allocate
    std::shared_ptr<LibraryCallResult> adopted;
  };

  absl::Status Place(int buffer);
  absl::StatusOr<bool> LiesInAliasedBuffer(int buffer);
  absl::Status AllocateBlock(RunBuffer& buffer, int64_t bytes);
  void StartScalar(const BufferPlan& plan, RunBuffer& buffer);
  void SetStrides(const BufferPlan& plan, StridedView& view) const;

  const std::vector<BufferPlan>& plan_;
  const RunArguments& arguments_;
  absl::Span<const Layout> layouts_;
  boost::container::small_vector<RunBuffer, 8> buffers_;
  DeviceRun* device_ = nullptr;
  DataDependentSizes* data_dependent_ = nullptr;
  const LayoutProgram* layout_program_ = nullptr;
  absl::Span<Layout> data_dependent_layouts_;
  bool stopped_ = false;
  int64_t launches_ = 0;
  int64_t library_calls_made_ = 0;
  int64_t bytes_read_ = 0;
  int64_t bytes_written_ = 0;
};

// `operand` seen through `view` (data, shape and strides), sizes taken from `scalars`.
StridedView ApplyView(const StridedView& operand, const ViewPlan& view,
                      absl::Span<const ScalarValue> scalars);

// `value` as an element of `dtype`: NumPy's assignment.
ElementCell ScalarCell(ScalarValue value, ScalarType type, DType dtype);

// The number of a kScalar buffer.
ElementCell NumberCell(const BufferPlan& plan, absl::Span<const ScalarValue> scalars);

}  // namespace dynacc::executor
