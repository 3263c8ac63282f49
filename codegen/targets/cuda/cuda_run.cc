#include "codegen/targets/cuda/cuda_run.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "codegen/targets/cuda/copy_kernels.h"
#include "runtime/base/log.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/copy_step.h"
#include "runtime/tensor/memory_overlap.h"

namespace dynacc::cuda {
namespace {

// Whether the bytes among which the elements lie are no more than the elements have.
bool IsCompact(const StridedView& view) {
  const MemoryBounds bounds = BoundsOf(view);
  return bounds.end - bounds.begin <= view.size() * ItemSize(view.dtype);
}

// `view` seen where the first of its bytes is at `begin`.
StridedView MovedTo(cuda::DevicePointer begin, StridedView view) {
  const int64_t before = view.data - BoundsOf(view).begin;
  view.data = reinterpret_cast<char*>(begin + before);
  return view;
}

}  // namespace

absl::StatusOr<std::unique_ptr<executor::DeviceRun>> CudaRun::Start(
    CudaDevice& device, const WorkLabel& label, const executor::Placement& placement,
    LaunchListKeeper& keeper) {
  const CudaScope scope(device);
  DYNACC_RETURN_IF_ERROR(scope.status());
  std::unique_ptr<CudaRun> run(new CudaRun(device, label, placement, keeper));
  if (run->is_resident()) {
    DYNACC_ASSIGN_OR_RETURN(run->stream_, device.TensorStream());
    run->stream_->NoteWork(label.text, label.id);
    const bool is_logged = LogEnabled(LogTopic::kDevice);
    if (!is_logged && keeper.WantsRecording()) run->recorder_ = std::make_unique<LaunchRecorder>();
  } else {
    DYNACC_ASSIGN_OR_RETURN(run->own_stream_, device.AcquireStream());
    run->stream_ = run->own_stream_.get();
  }
  return run;
}

CudaRun::~CudaRun() {
  Count(ThreadStats().device_launches, launches_);
  Count(ThreadStats().bytes_to_device, bytes_to_device_);
  Count(ThreadStats().bytes_from_device, bytes_from_device_);
  if (LogEnabled(LogTopic::kDevice)) {
    Log(LogTopic::kDevice, absl::StrCat(label_, ": ", launches_, " launches, ", bytes_to_device_,
                                        " bytes to the device, ", bytes_from_device_, " from it"));
  }
  const CudaScope scope(device_);
  if (!scope.status().ok()) return;  // the context has taken everything with it
  for (int i = 0; i < static_cast<int>(mirrors_.size()); ++i) {
    if (mirrors_[i].block != 0) stream_->Free(mirrors_[i].block);
  }
  for (const cuda::DevicePointer copy : copies_) stream_->Free(copy);
  // Of a run that was given up: the next one shall not be told.
  if (may_be_beyond_ && own_stream_ != nullptr) own_stream_->Synchronize().IgnoreError();
  if (own_stream_ != nullptr) device_.ReleaseStream(std::move(own_stream_));
}

absl::Status CudaRun::Explain(const absl::Status& status) const {
  if (status.ok()) return status;
  if (absl::IsFailedPrecondition(status) && !is_resident()) {
    return absl::AbortedError(status.message());
  }
  const absl::Status explained = Annotate(status, absl::StrCat("on the GPU, in ", label_));
  if (is_resident()) NoteCudaFailure(explained);
  if (absl::IsResourceExhausted(status) && !is_resident()) {
    WarnOnce(absl::StrCat("cuda memory ", label_),
             absl::StrCat(explained.message(), "; CPython ran it on the CPU instead"));
  }
  return explained;
}

CudaRun::Mirror& CudaRun::MirrorOf(int buffer) {
  if (buffer >= static_cast<int>(mirrors_.size())) mirrors_.resize(buffer + 1);
  return mirrors_[buffer];
}

void CudaRun::NoteCopy(const char* direction, int64_t bytes, int64_t& total) {
  total += bytes;
  if (!LogEnabled(LogTopic::kDevice, 2)) return;
  Log(LogTopic::kDevice, absl::StrCat(label_, ": copied ", bytes, " bytes ", direction));
}

absl::Status CudaRun::AllocateBlock(Mirror& mirror, const StridedView& like) {
  const MemoryBounds bounds = BoundsOf(like);
  DYNACC_ASSIGN_OR_RETURN(mirror.block, AllocateScratch(bounds.end - bounds.begin));
  mirror.view = MovedTo(mirror.block, like);
  return absl::OkStatus();
}

absl::Status CudaRun::ToDevice(const StridedView& host, Mirror& mirror) {
  GiveUpRecording();
  if (mirror.block != 0) stream_->Free(mirror.block);
  mirror.block = 0;
  StridedView from = host;
  executor::ScratchBlock dense;
  if (!IsCompact(host)) {
    if (!dense.Allocate(host.size() * ItemSize(host.dtype))) {
      return absl::ResourceExhaustedError("no host memory for a copy without gaps");
    }
    from.data = dense.data();
    SetContiguousStrides(from);
    executor::CopyElements(host, from);
  }
  DYNACC_RETURN_IF_ERROR(AllocateBlock(mirror, from));
  const MemoryBounds bounds = BoundsOf(from);
  const int64_t bytes = bounds.end - bounds.begin;
  DYNACC_RETURN_IF_ERROR(stream_->CopyToDevice(mirror.block, bounds.begin, bytes));
  NoteCopy("to the device", bytes, bytes_to_device_);
  mirror.on_device = true;
  return absl::OkStatus();
}

// `host` is laid out as the mirror is, or in another way.
absl::Status CudaRun::CopyToHost(const Mirror& mirror, const StridedView& host) {
  GiveUpRecording();
  if (host.size() == 0) return absl::OkStatus();
  const MemoryBounds bounds = BoundsOf(mirror.view);
  const int64_t bytes = bounds.end - bounds.begin;
  const auto begin = reinterpret_cast<cuda::DevicePointer>(bounds.begin);
  NoteCopy("from the device", bytes, bytes_from_device_);
  const bool same = std::equal(host.strides, host.strides + host.rank, mirror.view.strides);
  if (same && IsCompact(host)) {
    return stream_->CopyToHost(BoundsOf(host).begin, begin, bytes);
  }
  executor::ScratchBlock copy;
  if (!copy.Allocate(bytes)) return absl::ResourceExhaustedError("no host memory for a copy");
  DYNACC_RETURN_IF_ERROR(stream_->CopyToHost(copy.data(), begin, bytes));
  StridedView elements = mirror.view;
  elements.data = copy.data() + (mirror.view.data - bounds.begin);
  executor::CopyElements(elements, host);
  return absl::OkStatus();
}

void CudaRun::NoteInputs(const executor::RunFrame& frame) {
  if (noted_inputs_ || !is_resident()) return;
  noted_inputs_ = true;
  for (int i = 0; i < static_cast<int>(frame.num_buffers()); ++i) {
    if (frame.kind(i) != executor::BufferKind::kInput) continue;
    Mirror& mirror = MirrorOf(i);
    mirror.view = frame.view(i);
    mirror.on_device = true;
    mirror.on_host = false;
  }
  if (recorder_ != nullptr) StartRecording(frame);
}

void CudaRun::StartRecording(const executor::RunFrame& frame) {
  std::vector<StridedView> inputs;
  for (int i = 0; i < static_cast<int>(frame.num_buffers()); ++i) {
    if (frame.kind(i) != executor::BufferKind::kInput) continue;
    const auto index = static_cast<size_t>(frame.index(i));
    if (index >= inputs.size()) inputs.resize(index + 1);
    inputs[index] = frame.view(i);
  }
  recorder_->Start(inputs, frame.scalars());
}

void CudaRun::KeepRecording(const executor::RunFrame& frame) {
  if (recorder_ == nullptr) return;
  std::unique_ptr<LaunchList> list = recorder_->Finish(frame.totals());
  if (list != nullptr) keeper_.Keep(std::move(list));
}

bool CudaRun::StaysOnDevice(const executor::RunFrame& frame, int buffer) const {
  if (!is_resident() || frame.kind(buffer) != executor::BufferKind::kOutput) return false;
  const auto index = static_cast<size_t>(frame.index(buffer));
  return index < placement_.outputs.size() && placement_.outputs[index];
}

// For what the run has no host memory of: an input or output on the device.
absl::Status CudaRun::GiveHostMemory(executor::RunFrame& frame, int buffer) {
  StridedView host = MirrorOf(buffer).view;
  SetContiguousStrides(host);
  host_copies_.push_back(std::make_unique<executor::ScratchBlock>());
  if (!host_copies_.back()->Allocate(std::max<int64_t>(host.size() * ItemSize(host.dtype), 1))) {
    return absl::ResourceExhaustedError("no host memory for a copy");
  }
  host.data = host_copies_.back()->data();
  frame.Alias(buffer, host);
  return absl::OkStatus();
}

absl::Status CudaRun::ToHost(executor::RunFrame& frame, int buffer) {
  NoteInputs(frame);
  if (MirrorOf(buffer).on_host) return absl::OkStatus();
  if (frame.kind(buffer) == executor::BufferKind::kTemporary)
    DYNACC_RETURN_IF_ERROR(frame.Allocate(buffer));
  const bool lacks = frame.kind(buffer) == executor::BufferKind::kPart ||
                     (is_resident() && frame.kind(buffer) == executor::BufferKind::kInput) ||
                     StaysOnDevice(frame, buffer);
  if (lacks) DYNACC_RETURN_IF_ERROR(GiveHostMemory(frame, buffer));
  Mirror& mirror = MirrorOf(buffer);
  DYNACC_RETURN_IF_ERROR(CopyToHost(mirror, frame.view(buffer)));
  mirror.on_host = true;
  return absl::OkStatus();
}

absl::Status CudaRun::BeforeHostStep(const executor::Step& step, executor::RunFrame& frame) {
  GiveUpRecording();
  const CudaScope scope(device_);
  DYNACC_RETURN_IF_ERROR(scope.status());
  for (const int buffer : step.reads) DYNACC_RETURN_IF_ERROR(Explain(ToHost(frame, buffer)));
  return absl::OkStatus();
}

void CudaRun::AfterHostStep(const executor::Step& step) {
  for (const int buffer : step.writes) {
    MirrorOf(buffer).on_host = true;
    MirrorOf(buffer).on_device = false;
  }
}

void CudaRun::Release(int buffer) {
  Mirror& mirror = MirrorOf(buffer);
  if (mirror.block == 0) return;
  const CudaScope scope(device_);
  if (scope.status().ok()) FreeScratch(mirror.block);
  mirror = Mirror();
}

// The sink gets the device's memory in place of whatever it gave for the host's steps.
absl::Status CudaRun::HandOver(executor::RunFrame& frame, int buffer) {
  if (!MirrorOf(buffer).on_device) {
    DYNACC_RETURN_IF_ERROR(ToDevice(frame.view(buffer), MirrorOf(buffer)));
  }
  Mirror& mirror = MirrorOf(buffer);
  if (mirror.block == 0) {  // another buffer's
    Mirror copy;
    StridedView like = mirror.view;
    SetContiguousStrides(like);
    DYNACC_RETURN_IF_ERROR(AllocateBlock(copy, like));
    mirror.block = copy.block;
    DeviceOperand from;
    from.view = std::exchange(mirror.view, copy.view);
    DYNACC_RETURN_IF_ERROR(CopyOnDevice(*this, from, mirror.view));
  }
  auto result = std::make_shared<executor::DeviceResult>();
  result->view = mirror.view;
  result->device = placement_.device;
  if (recorder_ != nullptr) {
    recorder_->HandedOver(frame.index(buffer), mirror.block, mirror.view);
  }
  result->memory = std::make_shared<CudaMemory>(device_, *stream_, std::exchange(mirror.block, 0));
  if (frame.HandOver(buffer, result)) return absl::OkStatus();
  return absl::ResourceExhaustedError("no memory for a tensor");
}

// A source that lies in the memory of its target, but elsewhere, is copied first.
absl::Status CudaRun::PrepareWriteBacks(absl::Span<const executor::WriteBackPlan> write_backs,
                                        executor::RunFrame& frame) {
  for (const executor::WriteBackPlan& plan : write_backs) {
    DeviceOperand& source = write_back_sources_.emplace_back();
    DYNACC_RETURN_IF_ERROR(Read(frame, plan.source, source));
    if (source.view.data == nullptr) continue;
    for (const executor::WriteBackPlan& other : write_backs) {
      if (!MayOverlap(source.view, MirrorOf(other.target).view)) continue;
      Mirror copy;
      StridedView like = source.view;
      SetContiguousStrides(like);
      DYNACC_RETURN_IF_ERROR(AllocateBlock(copy, like));
      copies_.push_back(copy.block);
      DYNACC_RETURN_IF_ERROR(CopyOnDevice(*this, source, copy.view));
      source.view = copy.view;
      break;
    }
  }
  return absl::OkStatus();
}

absl::Status CudaRun::WriteBack(absl::Span<const executor::WriteBackPlan> write_backs,
                                executor::RunFrame& frame) {
  if (write_backs.empty()) return absl::OkStatus();
  const CudaScope scope(device_);
  DYNACC_RETURN_IF_ERROR(scope.status());
  if (recorder_ != nullptr) recorder_->StartsToWriteBack();
  for (size_t i = 0; i < write_backs.size(); ++i) {
    StridedView target = MirrorOf(write_backs[i].target).view;
    for (const executor::ViewPlan& view : write_backs[i].region) {
      target = executor::ApplyView(target, view, frame.scalars());
    }
    DYNACC_RETURN_IF_ERROR(Explain(CopyOnDevice(*this, write_back_sources_[i], target)));
  }
  KeepRecording(frame);
  return absl::OkStatus();
}

absl::Status CudaRun::Finish(absl::Span<const executor::WriteBackPlan> write_backs,
                             executor::RunFrame& frame) {
  const CudaScope scope(device_);
  DYNACC_RETURN_IF_ERROR(scope.status());
  NoteInputs(frame);
  if (is_resident()) {
    DYNACC_RETURN_IF_ERROR(Explain(PrepareWriteBacks(write_backs, frame)));
  } else {
    for (const executor::WriteBackPlan& plan : write_backs) {
      DYNACC_RETURN_IF_ERROR(Explain(ToHost(frame, plan.source.buffer)));
    }
  }
  for (int i = 0; i < static_cast<int>(frame.num_buffers()); ++i) {
    if (frame.kind(i) != executor::BufferKind::kOutput) continue;
    DYNACC_RETURN_IF_ERROR(
        Explain(StaysOnDevice(frame, i) ? HandOver(frame, i) : ToHost(frame, i)));
  }
  if (write_backs.empty()) KeepRecording(frame);
  if (is_resident() && timed_.empty()) return absl::OkStatus();
  // The error of a kernel whose result nobody reads shows here at the latest.
  const absl::Status done = Explain(stream_->Synchronize());
  may_be_beyond_ = false;
  if (done.ok()) LogTimes();
  return done;
}

absl::Status CudaRun::Read(executor::RunFrame& frame, const executor::OperandPlan& operand,
                           DeviceOperand& read) {
  NoteInputs(frame);
  Mirror& mirror = MirrorOf(operand.buffer);
  const StridedView& host = frame.view(operand.buffer);
  const bool is_number = frame.kind(operand.buffer) == executor::BufferKind::kScalar ||
                         (mirror.on_host && !mirror.on_device && host.rank == 0);
  if (is_number) {
    read.view = host;
    for (const executor::ViewPlan& view : operand.views) {
      read.view = executor::ApplyView(read.view, view, frame.scalars());
    }
    std::memcpy(read.number.bytes, host.data, ItemSize(host.dtype));
    read.view.data = nullptr;
    return absl::OkStatus();
  }
  if (!mirror.on_device) DYNACC_RETURN_IF_ERROR(ToDevice(host, mirror));
  read.view = mirror.view;
  for (const executor::ViewPlan& view : operand.views) {
    read.view = executor::ApplyView(read.view, view, frame.scalars());
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> CudaRun::Reshape(executor::RunFrame& frame,
                                      const executor::OperandPlan& source, int destination) {
  NoteInputs(frame);
  if (!MirrorOf(source.buffer).on_device) return false;
  DeviceOperand from;
  DYNACC_RETURN_IF_ERROR(Read(frame, source, from));
  StridedView result;
  result.dtype = from.view.dtype;
  frame.FillShape(frame.shape_plan(destination), result);
  if (from.view.data == nullptr) return false;
  Mirror copy;
  if (!executor::ReshapeWithoutCopy(from.view, result)) {
    if (!is_resident()) return false;
    const CudaScope scope(device_);
    DYNACC_RETURN_IF_ERROR(scope.status());
    StridedView dense = from.view;
    SetContiguousStrides(dense);
    DYNACC_RETURN_IF_ERROR(AllocateBlock(copy, dense));
    DYNACC_RETURN_IF_ERROR(Explain(CopyOnDevice(*this, from, copy.view)));
    SetContiguousStrides(result);
    result.data = copy.view.data;
  }
  frame.Describe(destination);
  Mirror& mirror = MirrorOf(destination);
  mirror = Mirror();
  mirror.block = copy.block;
  mirror.view = result;
  mirror.on_device = true;
  mirror.on_host = false;
  return true;
}

absl::Status CudaRun::Write(executor::RunFrame& frame, int buffer, DeviceOperand& written) {
  NoteInputs(frame);
  Mirror& mirror = MirrorOf(buffer);
  StridedView like;
  if (frame.kind(buffer) == executor::BufferKind::kPart) {
    written.view = mirror.view;  // PlacePart has said where
    return absl::OkStatus();
  }
  if (frame.kind(buffer) == executor::BufferKind::kTemporary || StaysOnDevice(frame, buffer)) {
    frame.Describe(buffer);
  } else if (frame.kind(buffer) == executor::BufferKind::kOutput) {
    DYNACC_RETURN_IF_ERROR(frame.Allocate(buffer));
  }
  like = frame.view(buffer);
  DYNACC_RETURN_IF_ERROR(AllocateBlock(mirror, like));
  written.view = mirror.view;
  return absl::OkStatus();
}

void CudaRun::Wrote(int buffer) {
  Mirror& mirror = MirrorOf(buffer);
  mirror.on_device = true;
  mirror.on_host = false;
}

void CudaRun::TakeOver(executor::RunFrame& frame, int base, int result) {
  int first = base;
  while (MirrorOf(first).first_version >= 0) first = MirrorOf(first).first_version;
  MirrorOf(first).on_host = false;
  if (frame.kind(result) == executor::BufferKind::kTemporary) frame.Describe(result);
  Mirror& mirror = MirrorOf(result);
  mirror.view = MirrorOf(base).view;
  mirror.on_device = true;
  mirror.on_host = false;
  mirror.first_version = first;
}

void CudaRun::PlacePart(int buffer, const StridedView& part) { MirrorOf(buffer).view = part; }

absl::StatusOr<char*> CudaRun::BeyondFlag() {
  may_be_beyond_ = true;
  DYNACC_ASSIGN_OR_RETURN(char* const flag, stream_->BeyondFlag());
  if (recorder_ != nullptr) recorder_->Fixed(reinterpret_cast<cuda::DevicePointer>(flag));
  return flag;
}

void CudaRun::LogTimes() {
  for (const TimedLaunch& launch : timed_) {
    const absl::StatusOr<double> time = stream_->MicrosecondsBetween(launch.start, launch.end);
    if (time.ok()) {
      Log(LogTopic::kDevice,
          absl::StrCat(label_, ": kernel ", launch.name, " took ", *time, " us"));
    }
    stream_->DropMoment(launch.start);
    stream_->DropMoment(launch.end);
  }
  timed_.clear();
}

absl::StatusOr<cuda::DevicePointer> CudaRun::AllocateScratch(int64_t bytes) {
  DYNACC_ASSIGN_OR_RETURN(const cuda::DevicePointer pointer, stream_->Allocate(bytes));
  if (recorder_ != nullptr) recorder_->Allocated(pointer, bytes);
  return pointer;
}

void CudaRun::FreeScratch(cuda::DevicePointer pointer) {
  stream_->Free(pointer);
  if (recorder_ != nullptr) recorder_->Freed(pointer);
}

absl::Status CudaRun::CopyBytes(cuda::DevicePointer to, cuda::DevicePointer from, int64_t bytes) {
  DYNACC_RETURN_IF_ERROR(stream_->CopyOnDevice(to, from, bytes));
  if (recorder_ != nullptr) recorder_->Copied(to, from, bytes);
  return absl::OkStatus();
}

absl::Status CudaRun::ClearBytes(cuda::DevicePointer to, int64_t bytes) {
  DYNACC_RETURN_IF_ERROR(stream_->Clear(to, static_cast<size_t>(bytes)));
  if (recorder_ != nullptr) recorder_->Cleared(to, bytes);
  return absl::OkStatus();
}

absl::Status CudaRun::Upload(cuda::DevicePointer to, const void* from, int64_t bytes) {
  DYNACC_RETURN_IF_ERROR(
      stream_->CopyToDevice(to, static_cast<const char*>(from), static_cast<size_t>(bytes)));
  if (recorder_ != nullptr) recorder_->Uploaded(to, from, bytes);
  return absl::OkStatus();
}

absl::Status CudaRun::Timed(const char* name, absl::FunctionRef<absl::Status()> give) {
  if (!LogEnabled(LogTopic::kDevice, 2)) return give();
  DYNACC_ASSIGN_OR_RETURN(const cuda::Event start, stream_->MarkMoment());
  DYNACC_RETURN_IF_ERROR(give());
  DYNACC_ASSIGN_OR_RETURN(const cuda::Event end, stream_->MarkMoment());
  timed_.push_back({name, start, end});
  return absl::OkStatus();
}

absl::Status CudaRun::Launch(const CudaLaunch& launch, const LaunchParameters& parameters,
                             const int64_t* size) {
  void* pointers[] = {const_cast<void*>(parameters.bytes), const_cast<int64_t*>(size)};
  ++launches_;
  if (recorder_ != nullptr) recorder_->Launched(launch, parameters, size);
  return Timed(launch.name, [&] { return stream_->Launch(launch, pointers); });
}

absl::Status CudaRun::Multiply(const std::shared_ptr<const LibraryMatmul>& product,
                               const ProductOperands& operands) {
  DYNACC_RETURN_IF_ERROR(
      Timed("cublasLtMatmul", [&] { return product->Give(*stream_, operands); }));
  ++launches_;
  if (recorder_ != nullptr) recorder_->Multiplied(product, operands);
  return absl::OkStatus();
}

}  // namespace dynacc::cuda
