#include "runtime/executor/run_frame.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "runtime/base/check.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/data_dependent_sizes.h"
#include "runtime/executor/layout_rules.h"
#include "runtime/executor/memory_order.h"
#include "runtime/platform/buffer_cache.h"

namespace dynacc::executor {
namespace {

template <typename To>
To ElementOf(ScalarValue value, ScalarType type) {
  if constexpr (ComplexType<To>) {
    return To(ElementOf<typename To::value_type>(value, type));
  } else if constexpr (HalfType<To>) {
    return type == ScalarType::kFloat ? ToHalf(value.f) : ToHalf(static_cast<float>(value.i));
  } else if constexpr (LowPrecisionType<To>) {
    return ToLowPrecision<To>(type == ScalarType::kFloat ? value.f : static_cast<double>(value.i));
  } else if (type != ScalarType::kFloat) {
    return static_cast<To>(value.i);
  } else if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool>) {
    // Through int64, as the hardware's conversion and NumPy's do.
    return static_cast<To>(static_cast<int64_t>(value.f));
  } else {
    return static_cast<To>(value.f);
  }
}

template <typename To>
ElementCell CellOf(ScalarValue value, ScalarType type) {
  const To element = ElementOf<To>(value, type);
  ElementCell cell;
  std::memcpy(cell.bytes, &element, sizeof(element));
  return cell;
}

using CellFn = ElementCell (*)(ScalarValue, ScalarType);
constexpr CellFn kCellFns[] = {
#define DYNACC_DTYPE(name, text, type, kind, numpy) CellOf<type>,
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
};

}  // namespace

ElementCell ScalarCell(ScalarValue value, ScalarType type, DType dtype) {
  return kCellFns[static_cast<int>(dtype)](value, type);
}

ElementCell NumberCell(const BufferPlan& plan, absl::Span<const ScalarValue> scalars) {
  ElementCell cell = ScalarCell(scalars[plan.scalar], plan.scalar_type, plan.dtype);
  if (plan.imag != kNoScalar) {
    const DType part = RealOf(plan.dtype);
    const ElementCell imag = ScalarCell(scalars[plan.imag], plan.imag_type, part);
    std::memcpy(cell.bytes + ItemSize(part), imag.bytes, ItemSize(part));
  }
  return cell;
}

ScratchBlock::~ScratchBlock() {
  if (data_ != nullptr) platform::BufferCache::Process().Free(data_, bytes_);
}

bool ScratchBlock::Allocate(size_t bytes) {
  bytes_ = bytes;
  data_ = static_cast<char*>(platform::BufferCache::Process().Allocate(bytes));
  return data_ != nullptr;
}

RunFrame::RunFrame(const std::vector<BufferPlan>& plan, const RunArguments& arguments,
                   absl::Span<const Layout> layouts)
    : plan_(plan),
      arguments_(arguments),
      layouts_(layouts),
      buffers_(plan.size(), boost::container::default_init) {
  for (size_t i = 0; i < plan.size(); ++i) {
    RunBuffer& buffer = buffers_[i];
    if (plan[i].kind == BufferKind::kInput) {
      buffer.view = arguments.inputs[plan[i].index];
      buffer.contiguous = IsContiguous(buffer.view);
    } else if (plan[i].kind == BufferKind::kScalar) {
      StartScalar(plan[i], buffer);
    }
  }
}

RunFrame::~RunFrame() {
  for (RunBuffer& buffer : buffers_) {
    if (buffer.block != nullptr) platform::BufferCache::Process().Free(buffer.block, buffer.bytes);
  }
  Stats& stats = ThreadStats();
  Count(stats.kernel_launches, launches_);
  Count(stats.bytes_read, bytes_read_);
  Count(stats.bytes_written, bytes_written_);
  Count(stats.library_calls, library_calls_made_);
}

void RunFrame::StartScalar(const BufferPlan& plan, RunBuffer& buffer) {
  buffer.cell = NumberCell(plan, arguments_.scalars);
  buffer.view.dtype = plan.dtype;
  FillShape(plan.shape, buffer.view);
  std::fill_n(buffer.view.strides, buffer.view.rank, 0);
  buffer.view.data = buffer.cell.bytes;
  buffer.contiguous = buffer.view.rank == 0;
}

void RunFrame::FillShape(const ShapePlan& plan, StridedView& view) const {
  view.rank = plan.rank;
  for (int i = 0; i < plan.rank; ++i) view.shape[i] = Size(plan.sizes[i]);
}

int64_t RunFrame::ElementsOf(const ShapePlan& plan) const {
  int64_t elements = 1;
  for (int i = 0; i < plan.rank; ++i) elements *= Size(plan.sizes[i]);
  return elements;
}

void RunFrame::SetStrides(const BufferPlan& plan, StridedView& view) const {
  if (plan.layout < 0 || layouts_.empty()) return SetContiguousStrides(view);
  const Layout& layout = layouts_[plan.layout];
  // What was moved below a view, or is a conversion, is stored without the gaps of what it reads.
  if (!layout.fresh) return SetKeptStrides(layout.view, view);
  std::copy_n(layout.view.strides, view.rank, view.strides);
}

void RunFrame::Describe(int index) {
  const BufferPlan& plan = plan_[index];
  RunBuffer& buffer = buffers_[index];
  StridedView& view = buffer.view;
  view.dtype = plan.dtype;
  FillShape(plan.shape, view);
  SetStrides(plan, view);
  buffer.contiguous = IsContiguous(view);
  // NumPy gives empty arrays strides of 0 throughout.
  if (view.size() == 0) std::fill_n(view.strides, view.rank, 0);
}

// NumPy's limit for what an array may have, which leaves sizes 0 out
// (PyArray_NewFromDescr_int in ctors.c).
bool RunFrame::HasTooManyBytes(const BufferPlan& plan) const {
  int64_t bytes = ItemSize(plan.dtype);
  for (int i = 0; i < plan.shape.rank; ++i) {
    const int64_t size = Size(plan.shape.sizes[i]);
    if (size != 0 && __builtin_mul_overflow(bytes, size, &bytes)) return true;
  }
  return false;
}

absl::Status RunFrame::Allocate(int index) {
  const BufferPlan& plan = plan_[index];
  if (plan.kind == BufferKind::kPart || buffers_[index].placed) return absl::OkStatus();
  if (HasTooManyBytes(plan)) {
    return absl::ResourceExhaustedError("an array of more bytes than can be counted");
  }
  Describe(index);
  DYNACC_ASSIGN_OR_RETURN(const bool is_there, LiesInAliasedBuffer(index));
  return is_there ? absl::OkStatus() : Place(index);
}

// Gives memory of its own to a buffer that is described.
absl::Status RunFrame::Place(int index) {
  const BufferPlan& plan = plan_[index];
  RunBuffer& buffer = buffers_[index];
  StridedView& view = buffer.view;
  buffer.placed = true;
  if (plan.kind == BufferKind::kOutput) {
    return arguments_.sink->Allocate(plan.index, view);
  }
  DYNACC_CHECK(plan.kind == BufferKind::kTemporary) << "buffer " << index;
  DYNACC_RETURN_IF_ERROR(AllocateBlock(buffer, view.size() * ItemSize(view.dtype)));
  view.data = static_cast<char*>(buffer.block);
  return absl::OkStatus();
}

namespace {

// Whether an element of one lies at the same offset as that of the other at the same index.
bool LieAlike(const StridedView& a, const StridedView& b) {
  if (a.rank != b.rank || ItemSize(a.dtype) != ItemSize(b.dtype)) return false;
  for (int axis = 0; axis < a.rank; ++axis) {
    if (a.shape[axis] != b.shape[axis]) return false;
    if (a.shape[axis] > 1 && a.strides[axis] != b.strides[axis]) return false;
  }
  return true;
}

}  // namespace

// Puts a described buffer into the memory of the one that it aliases. False: there is none, or it
// does not fit there.
absl::StatusOr<bool> RunFrame::LiesInAliasedBuffer(int index) {
  const int aliased_buffer = plan_[index].aliased_buffer;
  if (aliased_buffer < 0) return false;
  if (!buffers_[aliased_buffer].placed) Describe(aliased_buffer);
  if (!LieAlike(view(index), view(aliased_buffer))) return false;
  if (!buffers_[aliased_buffer].placed) DYNACC_RETURN_IF_ERROR(Place(aliased_buffer));
  buffers_[index].view.data = view(aliased_buffer).data;
  buffers_[index].placed = true;
  return true;
}

absl::Status RunFrame::DefineSize(ScalarId number, int64_t value) {
  DYNACC_CHECK(data_dependent_ != nullptr) << "a data-dependent size in a run without any";
  DYNACC_RETURN_IF_ERROR(data_dependent_->Define(number, value));
  for (size_t i = 0; i < plan_.size(); ++i) {
    if (plan_[i].kind == BufferKind::kScalar) StartScalar(plan_[i], buffers_[i]);
  }
  if (data_dependent_layouts_.empty()) return absl::OkStatus();
  const Layouts again = layout_program_->Run(arguments_);
  std::copy(again.begin(), again.end(), data_dependent_layouts_.begin());
  return absl::OkStatus();
}

absl::Status RunFrame::AllocateLike(int index, const StridedView& model) {
  DYNACC_CHECK(plan_[index].kind == BufferKind::kTemporary) << "buffer " << index;
  const ByteRange range = ByteRangeOf(model);
  RunBuffer& buffer = buffers_[index];
  DYNACC_RETURN_IF_ERROR(AllocateBlock(buffer, range.high - range.low));
  buffer.view = model;
  buffer.view.data = static_cast<char*>(buffer.block) - range.low;
  buffer.contiguous = IsContiguous(buffer.view);
  return absl::OkStatus();
}

absl::Status RunFrame::AllocateBlock(RunBuffer& buffer, int64_t bytes) {
  buffer.bytes = std::max<int64_t>(bytes, 1);
  buffer.block = platform::BufferCache::Process().Allocate(buffer.bytes);
  if (buffer.block != nullptr) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("no memory for a temporary of ", buffer.bytes, " bytes"));
}

void RunFrame::Alias(int buffer, const StridedView& view) {
  buffers_[buffer].view = view;
  buffers_[buffer].contiguous = IsContiguous(view);
}

absl::Status RunFrame::Adopt(int index, std::shared_ptr<LibraryCallResult> result) {
  const BufferPlan& plan = plan_[index];
  const bool is_output = plan.kind == BufferKind::kOutput;
  if (is_output && !arguments_.sink->Adopt(plan.index, result)) {
    DYNACC_RETURN_IF_ERROR(Allocate(index));
    CopyElements(result->view, view(index));
    return absl::OkStatus();
  }
  Alias(index, result->view);
  buffers_[index].adopted = std::move(result);
  return absl::OkStatus();
}

void RunFrame::Release(int index) {
  RunBuffer& buffer = buffers_[index];
  buffer.adopted.reset();
  if (buffer.block == nullptr) return;
  platform::BufferCache::Process().Free(buffer.block, buffer.bytes);
  buffer.block = nullptr;
}

const StridedView& RunFrame::Resolve(const OperandPlan& operand, StridedView& storage) const {
  const StridedView& base = buffers_[operand.buffer].view;
  if (operand.views.empty()) return base;
  storage = base;
  for (const ViewPlan& view : operand.views) {
    storage = ApplyView(storage, view, arguments_.scalars);
  }
  return storage;
}

const StridedView& RunFrame::ResolveFull(const OperandPlan& operand, char* data,
                                         StridedView& storage) const {
  storage = buffers_[operand.buffer].view;
  storage.data = data;
  SetContiguousStrides(storage);
  for (const ViewPlan& view : operand.views) {
    storage = ApplyView(storage, view, arguments_.scalars);
  }
  return storage;
}

StridedView ApplyView(const StridedView& operand, const ViewPlan& view,
                      absl::Span<const ScalarValue> scalars) {
  StridedView result;
  result.dtype = operand.dtype;
  result.data = operand.data;
  for (int s = 0; s < view.operand_rank; ++s) {
    result.data += scalars[view.start[s]].i * operand.strides[s];
  }
  result.rank = view.shape.rank;
  for (int d = 0; d < result.rank; ++d) {
    result.shape[d] = scalars[view.shape.sizes[d]].i;
    const int axis = view.axis[d];
    result.strides[d] = axis < 0 ? 0 : operand.strides[axis] * scalars[view.step[d]].i;
  }
  return result;
}

}  // namespace dynacc::executor
