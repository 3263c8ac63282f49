#include "runtime/cuda/cuda_stream.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cuda {
namespace {

// Of one staging block: long enough that starting a copy (some us) costs nothing beside it.
constexpr size_t kStagingBytes = size_t{2} << 20;

constexpr size_t kMaxLabels = 8;

cuda::Stream AsStream(uint64_t handle) {
  return reinterpret_cast<cuda::Stream>(handle);  // as other libraries pass it
}

}  // namespace

absl::StatusOr<std::unique_ptr<CudaStream>> CudaStream::Make(CudaDevice& device) {
  std::unique_ptr<CudaStream> stream(new CudaStream(device));
  DYNACC_RETURN_IF_ERROR(stream->Start(), "making a CUDA stream");
  return stream;
}

absl::Status CudaStream::Start() {
  absl::MutexLock lock(&mutex_);
  DYNACC_RETURN_IF_ERROR(
      device_.Check(driver_.cuStreamCreate(&stream_, cuda::kStreamNonBlocking), "cuStreamCreate"));
  return device_.Check(driver_.cuEventCreate(&mark_, cuda::kEventDisableTiming), "cuEventCreate");
}

// Errors of freeing have no one to be told to, and a lost context frees everything itself.
CudaStream::~CudaStream() {
  absl::MutexLock lock(&mutex_);
  const CudaScope scope(device_);
  if (!scope.status().ok()) return;
  for (const Staging& staging : staging_) {
    if (staging.memory != nullptr) driver_.cuMemFreeHost(staging.memory);
    if (staging.event != nullptr) driver_.cuEventDestroy(staging.event);
  }
  if (mark_ != nullptr) driver_.cuEventDestroy(mark_);
  if (beyond_ != nullptr) driver_.cuMemFreeHost(const_cast<uint32_t*>(beyond_));
  if (stream_ != nullptr) driver_.cuStreamDestroy(stream_);
}

absl::Status CudaStream::TryAllocate(size_t bytes, cuda::DevicePointer& pointer) {
  const cuda::Result result =
      driver_.cuMemAllocFromPoolAsync(&pointer, bytes, device_.pool(), stream_);
  if (result == cuda::kSuccess) return absl::OkStatus();
  return device_.Check(result, absl::StrCat("allocating ", bytes, " bytes on ", device_.name()));
}

absl::StatusOr<cuda::DevicePointer> CudaStream::Allocate(size_t bytes) {
  bytes = std::max<size_t>(bytes, 1);
  cuda::DevicePointer pointer = 0;
  absl::Status status = TryAllocate(bytes, pointer);
  if (absl::IsResourceExhausted(status)) {
    DYNACC_RETURN_IF_ERROR(Synchronize());  // frees that wait for work are done after it
    DYNACC_RETURN_IF_ERROR(device_.TrimPool());
    status = TryAllocate(bytes, pointer);
  }
  if (!status.ok()) return status;
  return pointer;
}

void CudaStream::Free(cuda::DevicePointer pointer) {
  static_cast<void>(device_.Check(driver_.cuMemFreeAsync(pointer, stream_), "cuMemFreeAsync"));
}

absl::Status CudaStream::MakeStaging(Staging& staging) {
  if (staging.memory != nullptr) return absl::OkStatus();
  if (staging.event == nullptr) {
    DYNACC_RETURN_IF_ERROR(device_.Check(
        driver_.cuEventCreate(&staging.event, cuda::kEventDisableTiming), "cuEventCreate"));
  }
  void* memory = nullptr;
  DYNACC_RETURN_IF_ERROR(
      device_.Check(driver_.cuMemHostAlloc(&memory, kStagingBytes, 0), "allocating pinned memory"));
  staging.memory = static_cast<char*>(memory);
  return absl::OkStatus();
}

// Without the event nobody would know when the block is free again, and a copy that is still to
// come would overwrite a later one's bytes: all is waited for, or the block is left to the copy.
absl::Status CudaStream::MarkCopy(Staging& staging) {
  const cuda::Result recorded = driver_.cuEventRecord(staging.event, stream_);
  if (recorded != cuda::kSuccess && driver_.cuStreamSynchronize(stream_) != cuda::kSuccess) {
    staging = Staging();
  }
  return device_.Check(recorded, "cuEventRecord");
}

absl::Status CudaStream::CopyToDevice(cuda::DevicePointer to, const char* from, size_t bytes) {
  absl::MutexLock lock(&mutex_);
  for (size_t at = 0, turn = 0; at < bytes; at += kStagingBytes, ++turn) {
    const size_t count = std::min(kStagingBytes, bytes - at);
    Staging& staging = staging_[turn % staging_.size()];
    DYNACC_RETURN_IF_ERROR(MakeStaging(staging));
    // An event that was never recorded counts as done.
    DYNACC_RETURN_IF_ERROR(
        device_.Check(driver_.cuEventSynchronize(staging.event), "waiting for a copy"));
    std::memcpy(staging.memory, from + at, count);
    DYNACC_RETURN_IF_ERROR(device_.Check(
        driver_.cuMemcpyHtoDAsync(to + at, staging.memory, count, stream_), "copying to a device"));
    DYNACC_RETURN_IF_ERROR(MarkCopy(staging));
  }
  return absl::OkStatus();
}

absl::Status CudaStream::CopyToHost(char* to, cuda::DevicePointer from, size_t bytes) {
  absl::MutexLock lock(&mutex_);
  const size_t chunks = (bytes + kStagingBytes - 1) / kStagingBytes;
  auto size_of = [&](size_t chunk) {
    return std::min(kStagingBytes, bytes - chunk * kStagingBytes);
  };
  // Chunk i is on its way while chunk i - 1 is copied out of its staging block.
  for (size_t i = 0; i <= chunks; ++i) {
    if (i < chunks) {
      Staging& staging = staging_[i % staging_.size()];
      DYNACC_RETURN_IF_ERROR(MakeStaging(staging));
      DYNACC_RETURN_IF_ERROR(device_.Check(
          driver_.cuMemcpyDtoHAsync(staging.memory, from + i * kStagingBytes, size_of(i), stream_),
          "copying from a device"));
      DYNACC_RETURN_IF_ERROR(MarkCopy(staging));
    }
    if (i == 0) continue;
    const Staging& done = staging_[(i - 1) % staging_.size()];
    DYNACC_RETURN_IF_ERROR(
        device_.Check(driver_.cuEventSynchronize(done.event), "waiting for a copy"));
    std::memcpy(to + (i - 1) * kStagingBytes, done.memory, size_of(i - 1));
  }
  return chunks == 0 ? absl::OkStatus() : TakeBeyond();
}

absl::Status CudaStream::CopyOnDevice(cuda::DevicePointer to, cuda::DevicePointer from,
                                      size_t bytes) {
  return device_.Check(driver_.cuMemcpyDtoDAsync(to, from, bytes, stream_), "copying on a device");
}

absl::Status CudaStream::Clear(cuda::DevicePointer to, size_t bytes) {
  return device_.Check(driver_.cuMemsetD8Async(to, 0, bytes, stream_), "filling with zeros");
}

absl::Status CudaStream::CopyFromPeer(cuda::DevicePointer to, CudaDevice& peer,
                                      cuda::DevicePointer from, size_t bytes) {
  DYNACC_RETURN_IF_ERROR(peer.status());
  return device_.Check(
      driver_.cuMemcpyPeerAsync(to, device_.context(), from, peer.context(), bytes, stream_),
      "copying from another device");
}

absl::Status CudaStream::Launch(const CudaLaunch& launch, void** parameters) {
  cuda::LaunchConfig config;
  config.grid_x = launch.grid_x;
  config.grid_y = launch.grid_y;
  config.block_x = launch.block_x;
  config.block_y = launch.block_y;
  config.shared_bytes = launch.shared_bytes;
  config.stream = stream_;
  cuda::LaunchAttribute cooperative;
  if (launch.cooperative) {
    cooperative.id = cuda::kLaunchAttributeCooperative;
    const int on = 1;
    std::memcpy(cooperative.value, &on, sizeof(on));
    config.attributes = &cooperative;
    config.num_attributes = 1;
  }
  const cuda::Result result =
      driver_.cuLaunchKernelEx(&config, launch.function, parameters, nullptr);
  if (result == cuda::kSuccess) return absl::OkStatus();
  return device_.Check(result, absl::StrCat("launching kernel ", launch.name));
}

absl::StatusOr<cuda::Event> CudaStream::MarkMoment() {
  cuda::Event event = nullptr;
  DYNACC_RETURN_IF_ERROR(device_.Check(driver_.cuEventCreate(&event, 0), "cuEventCreate"));
  DYNACC_RETURN_IF_ERROR(device_.Check(driver_.cuEventRecord(event, stream_), "cuEventRecord"));
  return event;
}

absl::StatusOr<double> CudaStream::MicrosecondsBetween(cuda::Event start, cuda::Event end) {
  float milliseconds = 0;
  DYNACC_RETURN_IF_ERROR(
      device_.Check(driver_.cuEventElapsedTime(&milliseconds, start, end), "cuEventElapsedTime"));
  return 1e3 * milliseconds;
}

void CudaStream::DropMoment(cuda::Event event) {
  static_cast<void>(device_.Check(driver_.cuEventDestroy(event), "cuEventDestroy"));
}

absl::Status CudaStream::WaitFor(CudaStream& other) {
  if (&other.device_ != &device_) {
    return absl::InvalidArgumentError(absl::StrCat("a stream of CUDA device ",
                                                   other.device_.ordinal(), " is no stream of ",
                                                   device_.ordinal()));
  }
  absl::MutexLock lock(&other.mutex_);
  DYNACC_RETURN_IF_ERROR(
      device_.Check(driver_.cuEventRecord(other.mark_, other.stream_), "cuEventRecord"));
  return device_.Check(driver_.cuStreamWaitEvent(stream_, other.mark_, 0), "cuStreamWaitEvent");
}

absl::Status CudaStream::WaitForPeer(CudaStream& other) {
  absl::MutexLock lock(&other.mutex_);
  {
    const CudaScope scope(other.device_);  // an event is recorded in its stream's context
    DYNACC_RETURN_IF_ERROR(scope.status());
    DYNACC_RETURN_IF_ERROR(
        other.device_.Check(driver_.cuEventRecord(other.mark_, other.stream_), "cuEventRecord"));
  }
  return device_.Check(driver_.cuStreamWaitEvent(stream_, other.mark_, 0), "cuStreamWaitEvent");
}

absl::Status CudaStream::CheckHandle(uint64_t handle) {
  if (handle == cuda::kLegacyStream || handle == cuda::kPerThreadStream) return absl::OkStatus();
  cuda::Context context = nullptr;
  const cuda::Result found = driver_.cuStreamGetCtx(AsStream(handle), &context);
  if (IsLoss(found)) return device_.Check(found, "cuStreamGetCtx");
  if (found == cuda::kSuccess && context == device_.context()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the stream ", handle, found == cuda::kSuccess ? " belongs to another device" : " is none",
      "; one of CUDA device ", device_.ordinal(), " is needed"));
}

absl::Status CudaStream::WaitForHandle(uint64_t handle) {
  DYNACC_RETURN_IF_ERROR(CheckHandle(handle));
  absl::MutexLock lock(&mutex_);
  DYNACC_RETURN_IF_ERROR(
      device_.Check(driver_.cuEventRecord(mark_, AsStream(handle)), "cuEventRecord"));
  return device_.Check(driver_.cuStreamWaitEvent(stream_, mark_, 0), "cuStreamWaitEvent");
}

absl::Status CudaStream::LetHandleWait(uint64_t handle) {
  DYNACC_RETURN_IF_ERROR(CheckHandle(handle));
  absl::MutexLock lock(&mutex_);
  DYNACC_RETURN_IF_ERROR(device_.Check(driver_.cuEventRecord(mark_, stream_), "cuEventRecord"));
  return device_.Check(driver_.cuStreamWaitEvent(AsStream(handle), mark_, 0), "cuStreamWaitEvent");
}

void CudaStream::NoteWork(const std::string& label, uint64_t id) {
  if (last_label_.load(std::memory_order_relaxed) == id) return;
  absl::MutexLock lock(&mutex_);
  last_label_.store(id, std::memory_order_relaxed);
  if (!labels_.empty() && labels_.back() == label) return;
  labels_.push_back(label);
  if (labels_.size() > kMaxLabels) labels_.pop_front();
}

std::string CudaStream::RecentWork() {
  absl::MutexLock lock(&mutex_);
  return absl::StrJoin(labels_, ", ");
}

absl::Status CudaStream::Synchronize() {
  DYNACC_RETURN_IF_ERROR(
      device_.Check(driver_.cuStreamSynchronize(stream_), "waiting for a device"));
  absl::MutexLock lock(&mutex_);
  const absl::Status beyond = TakeBeyond();
  labels_.clear();
  last_label_.store(0, std::memory_order_relaxed);
  return beyond;
}

absl::StatusOr<char*> CudaStream::BeyondFlag() {
  absl::MutexLock lock(&mutex_);
  if (beyond_ == nullptr) {
    void* memory = nullptr;
    DYNACC_RETURN_IF_ERROR(device_.Check(driver_.cuMemHostAlloc(&memory, sizeof(uint32_t), 0),
                                         "allocating pinned memory"));
    beyond_ = static_cast<uint32_t*>(memory);
    *beyond_ = 0;
  }
  return reinterpret_cast<char*>(const_cast<uint32_t*>(beyond_));
}

// The stream has been waited for.
absl::Status CudaStream::TakeBeyond() {
  if (beyond_ == nullptr || *beyond_ == 0) return absl::OkStatus();
  *beyond_ = 0;
  return absl::FailedPreconditionError(absl::StrCat(
      "an index is out of bounds", labels_.empty() ? "" : ", on the GPU, in the work of ",
      absl::StrJoin(labels_, ", ")));
}

}  // namespace dynacc::cuda
