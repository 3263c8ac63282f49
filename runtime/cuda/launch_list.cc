#include "runtime/cuda/launch_list.h"

#include <algorithm>
#include <cstring>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/offload.h"
#include "runtime/tensor/memory_overlap.h"

namespace dynacc::cuda {
namespace {

// Which kernels run, and how they move elements, may depend on addresses modulo this.
constexpr uint64_t kAlignment = 16;

// Recordings of one graph. A graph whose numbers are new each time would be recorded for nothing.
constexpr int kMostRecordings = 16;

bool IsLike(const StridedView& a, const StridedView& b) {
  return a.rank == b.rank && a.dtype == b.dtype && std::equal(a.shape, a.shape + a.rank, b.shape) &&
         std::equal(a.strides, a.strides + a.rank, b.strides) &&
         (reinterpret_cast<uint64_t>(a.data) - reinterpret_cast<uint64_t>(b.data)) % kAlignment ==
             0;
}

}  // namespace

bool LaunchList::Fits(const executor::RunArguments& arguments) const {
  const auto same = [](const ScalarValue& a, const ScalarValue& b) { return a.i == b.i; };
  return std::equal(arguments.inputs.begin(), arguments.inputs.end(), inputs_.begin(),
                    inputs_.end(), IsLike) &&
         std::equal(arguments.scalars.begin(), arguments.scalars.end(), scalars_.begin(),
                    scalars_.end(), same);
}

absl::Status LaunchList::Do(Operation& operation, CudaStream& stream) {
  using Kind = Operation::Kind;
  Slot& slot = slots_[operation.to.slot];
  if (operation.kind == Kind::kAllocate) {
    DYNACC_ASSIGN_OR_RETURN(slot.base, stream.Allocate(operation.bytes));
    slot.is_live = true;
    return absl::OkStatus();
  }
  if (operation.kind == Kind::kFree) {
    stream.Free(slot.base);
    slot.is_live = false;
    return absl::OkStatus();
  }
  if (operation.kind == Kind::kCopy) {
    return stream.CopyOnDevice(At(operation.to), At(operation.from), operation.bytes);
  }
  if (operation.kind == Kind::kClear) return stream.Clear(At(operation.to), operation.bytes);
  if (operation.kind == Kind::kUpload) {
    return stream.CopyToDevice(At(operation.to), &bytes_[operation.parameters], operation.bytes);
  }
  if (operation.kind == Kind::kProduct) return Multiply(operation, stream);
  for (int i = 0; i < operation.patches; ++i) {
    const Patch& patch = patches_[operation.first_patch + i];
    const cuda::DevicePointer address = At(patch.address);
    std::memcpy(bytes_.data() + patch.at, &address, sizeof(address));
  }
  void* parameters[] = {bytes_.data() + operation.parameters, &operation.size};
  return stream.Launch(operation.launch, parameters);
}

absl::Status LaunchList::DoAll(size_t first, size_t end, CudaStream& stream) {
  for (size_t i = first; i < end; ++i) DYNACC_RETURN_IF_ERROR(Do(operations_[i], stream));
  return absl::OkStatus();
}

absl::Status LaunchList::Multiply(const Operation& operation, CudaStream& stream) const {
  ProductOperands operands = {At(operation.first), At(operation.second), At(operation.out), 0};
  if (operation.product->workspace_bytes() > 0) operands.workspace = At(operation.workspace);
  return operation.product->Give(stream, operands);
}

absl::Status LaunchList::HandOver(CudaDevice& device, CudaStream& stream, int number,
                                  executor::OutputSink& sink) {
  for (const Result& result : results_) {
    Slot& slot = slots_[result.slot];
    auto made = std::make_shared<executor::DeviceResult>();
    made->view = result.view;
    made->view.data = reinterpret_cast<char*>(slot.base + static_cast<uint64_t>(result.offset));
    made->device = number;
    made->memory = std::make_shared<CudaMemory>(device, stream, slot.base);
    slot.is_live = false;
    if (!sink.Adopt(result.output, made)) {
      return absl::ResourceExhaustedError("no memory for a tensor");
    }
  }
  return absl::OkStatus();
}

absl::Status LaunchList::Give(CudaDevice& device, CudaStream& stream, int number,
                              const executor::RunArguments& arguments) {
  absl::Status status = DoAll(0, first_write_back_, stream);
  if (status.ok()) status = HandOver(device, stream, number, *arguments.sink);
  if (status.ok() && arguments.sink->MayWriteBack(0)) {
    status = DoAll(first_write_back_, operations_.size(), stream);
  }
  for (Slot& slot : slots_) {
    if (slot.is_live) stream.Free(slot.base);
    slot.is_live = false;
  }
  return status;
}

// Bytes are uploaded through memory that the host waits for, which no graph can hold.
void LaunchList::UseGraphs() {
  const bool uploads = absl::c_any_of(operations_, [](const Operation& operation) {
    return operation.kind == Operation::Kind::kUpload;
  });
  if (!uploads && graphs_ == nullptr) graphs_ = std::make_unique<LaunchGraphs>();
}

// All blocks that the work allocates, before it starts.
absl::Status LaunchList::PlaceBlocks(CudaDevice& device) {
  made_.resize(results_.size());
  for (const Operation& operation : operations_) {
    if (operation.kind != Operation::Kind::kAllocate) continue;
    const auto number = static_cast<size_t>(operation.to.slot);
    const auto result =
        absl::c_find_if(results_, [&](const Result& one) { return one.slot == operation.to.slot; });
    if (result == results_.end()) {
      DYNACC_ASSIGN_OR_RETURN(slots_[number].base,
                              graphs_->Temporary(device, number, operation.bytes));
      continue;
    }
    LaunchGraphs::Block& block = made_[result - results_.begin()];
    DYNACC_ASSIGN_OR_RETURN(block, graphs_->Result(device, number, operation.bytes));
    slots_[number].base = block->pointer();
  }
  addresses_.clear();
  for (const Slot& slot : slots_) addresses_.push_back(slot.base);
  return absl::OkStatus();
}

// What is left where blocks are placed already.
absl::Status LaunchList::GiveWork(size_t first, size_t end, CudaStream& stream) {
  for (size_t i = first; i < end; ++i) {
    const Operation::Kind kind = operations_[i].kind;
    const bool is_work = kind != Operation::Kind::kAllocate && kind != Operation::Kind::kFree;
    if (is_work) DYNACC_RETURN_IF_ERROR(Do(operations_[i], stream));
  }
  return absl::OkStatus();
}

absl::Status LaunchList::HandBlocksOver(int number, executor::OutputSink& sink) {
  for (size_t i = 0; i < results_.size(); ++i) {
    auto made = std::make_shared<executor::DeviceResult>();
    made->view = results_[i].view;
    made->view.data =
        reinterpret_cast<char*>(made_[i]->pointer() + static_cast<uint64_t>(results_[i].offset));
    made->device = number;
    made->memory = std::move(made_[i]);
    if (!sink.Adopt(results_[i].output, made)) {
      return absl::ResourceExhaustedError("no memory for a tensor");
    }
  }
  return absl::OkStatus();
}

// What is written into inputs is given one by one, because the sink is asked before.
absl::Status LaunchList::GiveAsGraph(CudaDevice& device, CudaStream& stream, int number,
                                     const executor::RunArguments& arguments) {
  absl::Status status = PlaceBlocks(device);
  if (status.ok()) {
    status = graphs_->Give(device, stream, addresses_,
                           [this](CudaStream& to) { return GiveWork(0, first_write_back_, to); });
  }
  if (status.ok()) status = HandBlocksOver(number, *arguments.sink);
  if (status.ok() && arguments.sink->MayWriteBack(0)) {
    status = GiveWork(first_write_back_, operations_.size(), stream);
  }
  made_.clear();
  return status;
}

absl::Status LaunchList::Replay(CudaDevice& device, CudaStream& stream, int number,
                                const executor::RunArguments& arguments) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    slots_[i].base = reinterpret_cast<cuda::DevicePointer>(arguments.inputs[i].data);
  }
  const absl::Status status = uses_graphs() ? GiveAsGraph(device, stream, number, arguments)
                                            : Give(device, stream, number, arguments);
  Stats& stats = ThreadStats();
  Count(stats.device_launches, device_launches_);
  Count(stats.kernel_launches, totals_.launches);
  Count(stats.bytes_read, totals_.bytes_read);
  Count(stats.bytes_written, totals_.bytes_written);
  return status;
}

void LaunchRecorder::Start(absl::Span<const StridedView> inputs,
                           absl::Span<const ScalarValue> scalars) {
  has_started_ = true;
  list_->inputs_.assign(inputs.begin(), inputs.end());
  list_->scalars_.assign(scalars.begin(), scalars.end());
  for (const StridedView& input : inputs) {
    const MemoryBounds bounds = BoundsOf(input);
    LaunchList::Slot& slot = list_->slots_.emplace_back();
    slot.recorded = reinterpret_cast<cuda::DevicePointer>(input.data);
    slot.begin = bounds.begin - input.data;
    slot.end = bounds.end - input.data;
  }
}

void LaunchRecorder::Allocated(cuda::DevicePointer pointer, int64_t bytes) {
  LaunchList::Slot& slot = list_->slots_.emplace_back();
  slot.recorded = pointer;
  slot.end = std::max<int64_t>(bytes, 1);
  slot.is_live = true;
  Operation& operation = list_->operations_.emplace_back();
  operation.kind = Operation::Kind::kAllocate;
  operation.to.slot = static_cast<int>(list_->slots_.size()) - 1;
  operation.bytes = bytes;
}

int LaunchRecorder::SlotOf(cuda::DevicePointer block) const {
  const auto& slots = list_->slots_;
  for (size_t i = list_->inputs_.size(); i < slots.size(); ++i) {
    if (slots[i].is_live && slots[i].recorded == block) return static_cast<int>(i);
  }
  return -1;
}

void LaunchRecorder::Freed(cuda::DevicePointer pointer) {
  const int slot = SlotOf(pointer);
  if (slot < 0) return GiveUp();
  list_->slots_[slot].is_live = false;
  Operation& operation = list_->operations_.emplace_back();
  operation.kind = Operation::Kind::kFree;
  operation.to.slot = slot;
}

bool LaunchRecorder::Find(cuda::DevicePointer pointer, LaunchList::Address& address) {
  int found = 0;
  for (size_t i = 0; i < list_->slots_.size(); ++i) {
    const LaunchList::Slot& slot = list_->slots_[i];
    const auto offset = static_cast<int64_t>(pointer - slot.recorded);
    const bool is_there = i < list_->inputs_.size() || slot.is_live || slot.is_result;
    if (!is_there || offset < slot.begin || offset >= slot.end) continue;
    address = {static_cast<int>(i), offset};
    ++found;
  }
  has_given_up_ |= found != 1;
  return found == 1;
}

size_t LaunchRecorder::KeepBytes(const void* from, size_t count) {
  std::vector<char>& bytes = list_->bytes_;
  const size_t at = bytes.size();
  bytes.insert(bytes.end(), static_cast<const char*>(from), static_cast<const char*>(from) + count);
  bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment);
  return at;
}

void LaunchRecorder::Launched(const CudaLaunch& launch, const LaunchParameters& parameters,
                              const int64_t* size) {
  Operation operation;
  operation.launch = launch;
  // The driver reads whole structs, with what is unused at their ends.
  operation.parameters = KeepBytes(parameters.bytes, parameters.size);
  const auto* const from = static_cast<const char*>(parameters.bytes);
  operation.has_size = size != nullptr;
  if (size != nullptr) operation.size = *size;
  operation.first_patch = static_cast<int>(list_->patches_.size());
  for (const uint16_t at : parameters.pointers) {
    cuda::DevicePointer pointer = 0;
    std::memcpy(&pointer, from + at, sizeof(pointer));
    const bool is_fixed = std::find(fixed_.begin(), fixed_.end(), pointer) != fixed_.end();
    if (pointer == 0 || is_fixed) continue;  // a number or nothing, or the same in every run
    LaunchList::Patch patch;
    patch.at = operation.parameters + at;
    if (!Find(pointer, patch.address)) return;
    list_->patches_.push_back(patch);
    ++operation.patches;
  }
  ++list_->device_launches_;
  list_->operations_.push_back(operation);
}

void LaunchRecorder::Multiplied(const std::shared_ptr<const LibraryMatmul>& product,
                                const ProductOperands& operands) {
  Operation operation;
  operation.kind = Operation::Kind::kProduct;
  operation.product = product;
  const bool has_workspace = product->workspace_bytes() > 0;
  if (!Find(operands.first, operation.first) || !Find(operands.second, operation.second) ||
      !Find(operands.out, operation.out) ||
      (has_workspace && !Find(operands.workspace, operation.workspace))) {
    return;
  }
  ++list_->device_launches_;
  list_->operations_.push_back(operation);
}

void LaunchRecorder::Copied(cuda::DevicePointer to, cuda::DevicePointer from, int64_t bytes) {
  Operation operation;
  operation.kind = Operation::Kind::kCopy;
  operation.bytes = bytes;
  if (!Find(to, operation.to) || !Find(from, operation.from)) return;
  list_->operations_.push_back(operation);
}

void LaunchRecorder::Cleared(cuda::DevicePointer to, int64_t bytes) {
  Operation operation;
  operation.kind = Operation::Kind::kClear;
  operation.bytes = bytes;
  if (Find(to, operation.to)) list_->operations_.push_back(operation);
}

void LaunchRecorder::Uploaded(cuda::DevicePointer to, const void* from, int64_t bytes) {
  Operation operation;
  operation.kind = Operation::Kind::kUpload;
  operation.bytes = bytes;
  operation.parameters = KeepBytes(from, static_cast<size_t>(bytes));
  if (Find(to, operation.to)) list_->operations_.push_back(operation);
}

void LaunchRecorder::StartsToWriteBack() {
  writes_back_ = true;
  list_->first_write_back_ = list_->operations_.size();
}

void LaunchRecorder::HandedOver(int output, cuda::DevicePointer block, const StridedView& view) {
  LaunchList::Result& result = list_->results_.emplace_back();
  result.output = output;
  result.slot = SlotOf(block);
  result.offset = static_cast<int64_t>(reinterpret_cast<uint64_t>(view.data) - block);
  result.view = view;
  if (result.slot < 0) return GiveUp();
  list_->slots_[result.slot].is_live = false;
  list_->slots_[result.slot].is_result = true;
}

std::unique_ptr<LaunchList> LaunchRecorder::Finish(const executor::LaunchTotals& totals) {
  if (has_given_up_ || !has_started_ || totals.library_calls != 0) return nullptr;
  for (LaunchList::Slot& slot : list_->slots_) slot.is_live = false;
  if (!writes_back_) list_->first_write_back_ = list_->operations_.size();
  list_->totals_ = totals;
  return std::move(list_);
}

LaunchListKeeper::~LaunchListKeeper() { delete list_.load(); }

std::unique_ptr<LaunchList> LaunchListKeeper::Take() {
  return std::unique_ptr<LaunchList>(list_.exchange(nullptr, std::memory_order_acq_rel));
}

void LaunchListKeeper::Keep(std::unique_ptr<LaunchList> list) {
  const std::unique_ptr<LaunchList> before(
      list_.exchange(list.release(), std::memory_order_acq_rel));
}

bool LaunchListKeeper::WantsRecording() {
  return recordings_.load(std::memory_order_relaxed) < kMostRecordings &&
         recordings_.fetch_add(1, std::memory_order_relaxed) < kMostRecordings;
}

}  // namespace dynacc::cuda
