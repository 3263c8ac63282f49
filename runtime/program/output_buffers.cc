#include "runtime/program/output_buffers.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/executor/copy_step.h"
#include "runtime/tensor/memory_overlap.h"

namespace dynacc::program {
namespace {

constexpr size_t kAlignment = 64;

size_t BytesOf(const StridedView& view) {
  return static_cast<size_t>(view.size()) * static_cast<size_t>(ItemSize(view.dtype));
}

std::string TypeOf(const StridedView& view) {
  return absl::StrCat(Info(view.dtype).text, "[",
                      absl::StrJoin(absl::MakeSpan(view.shape, view.rank), ", "), "]");
}

}  // namespace

void FreeOutput(void* memory) { std::free(memory); }

OutputBuffers::~OutputBuffers() {
  if (finished_) return;
  for (OutputSlot& slot : slots_) {
    FreeOutput(slot.memory);
    slot.memory = nullptr;
  }
}

absl::Status OutputBuffers::CheckBuffer(int index, const StridedView& view) const {
  const StridedView& buffer = slots_[index].view;
  const bool fits = buffer.dtype == view.dtype && buffer.rank == view.rank &&
                    std::equal(view.shape, view.shape + view.rank, buffer.shape);
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the buffer for output ", program_.signature().outputs[index].name, " is ",
                   TypeOf(buffer), "; the program gives ", TypeOf(view)));
}

// Steps write where the result lies while others still read the inputs.
bool OutputBuffers::MayComputeIn(const StridedView& buffer, const StridedView& view) const {
  if (!std::equal(view.strides, view.strides + view.rank, buffer.strides)) return false;
  if (reinterpret_cast<uintptr_t>(buffer.data) % Info(buffer.dtype).alignment != 0) return false;
  return std::none_of(inputs_.begin(), inputs_.end(),
                      [&](const StridedView& input) { return MayOverlap(input, buffer); });
}

absl::Status OutputBuffers::MakeMemory(OutputSlot& slot, StridedView& view) const {
  const size_t bytes = std::max<size_t>(BytesOf(view), 1);
  slot.memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (slot.memory == nullptr) return absl::ResourceExhaustedError("no memory for a result");
  view.data = static_cast<char*>(slot.memory);
  slot.view = view;
  return absl::OkStatus();
}

absl::Status OutputBuffers::Allocate(int index, StridedView& view) {
  OutputSlot& slot = slots_[index];
  if (!slot.is_given) return MakeMemory(slot, view);
  if (absl::Status status = CheckBuffer(index, view); !status.ok()) {
    return slot.may_replace ? MakeMemory(slot, view) : status;
  }
  if (MayComputeIn(slot.view, view)) {
    view.data = slot.view.data;
    return absl::OkStatus();
  }
  Aside& aside = aside_[index];
  aside.block = std::make_unique<executor::ScratchBlock>();
  if (!aside.block->Allocate(std::max<size_t>(BytesOf(view), 1))) {
    return absl::ResourceExhaustedError("no memory for a result");
  }
  view.data = aside.block->data();
  aside.view = view;
  return absl::OkStatus();
}

void OutputBuffers::Finish() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (aside_[i].block != nullptr) executor::CopyElements(aside_[i].view, slots_[i].view);
  }
  finished_ = true;
}

}  // namespace dynacc::program
