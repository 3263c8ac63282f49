#include "runtime/cuda/cuda_device.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/options.h"
#include "runtime/base/status_macros.h"
#include "runtime/cuda/cuda_stream.h"

namespace dynacc::cuda {
namespace {

// The first driver whose pools have a largest size.
constexpr int kLimitsPools = 12020;

// Bytes that a pool may take; 0: as many as there are.
absl::StatusOr<size_t> MemoryLimit(const CudaDriver& driver) {
  uint64_t mebibytes = 0;
  const bool given = absl::SimpleAtoi(ProcessOptions().cuda_memory, &mebibytes) && mebibytes > 0;
  if (!given) return 0;
  if (driver.version >= kLimitsPools) return size_t{mebibytes} << 20;
  return absl::UnimplementedError("DYNACC_CUDA_MEMORY needs a driver of CUDA 12.2 or newer");
}

}  // namespace

absl::StatusOr<std::unique_ptr<CudaDevice>> CudaDevice::Open(const CudaDriver& driver,
                                                             int ordinal) {
  if (ordinal < 0 || ordinal >= driver.devices) {
    return absl::OutOfRangeError(absl::StrCat("there is no CUDA device ", ordinal,
                                              "; this process may use ", driver.devices));
  }
  std::unique_ptr<CudaDevice> device(new CudaDevice(driver, ordinal));
  DYNACC_RETURN_IF_ERROR(device->Start(), "opening a CUDA device");
  return device;
}

CudaDevice::CudaDevice(const CudaDriver& driver, int ordinal)
    : driver_(driver), ordinal_(ordinal) {}

CudaDevice::~CudaDevice() = default;

absl::Status CudaDevice::Start() {
  DYNACC_RETURN_IF_ERROR(Check(driver_.cuDeviceGet(&device_, ordinal_), "cuDeviceGet"));
  DYNACC_RETURN_IF_ERROR(ReadProperties());
  DYNACC_RETURN_IF_ERROR(
      Check(driver_.cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain"));
  return MakePool();
}

absl::StatusOr<int> CudaDevice::Attribute(cuda::DeviceAttribute attribute) {
  int value = 0;
  DYNACC_RETURN_IF_ERROR(
      Check(driver_.cuDeviceGetAttribute(&value, attribute, device_), "cuDeviceGetAttribute"));
  return value;
}

absl::Status CudaDevice::ReadProperties() {
  char name[256] = {};
  DYNACC_RETURN_IF_ERROR(
      Check(driver_.cuDeviceGetName(name, sizeof(name) - 1, device_), "cuDeviceGetName"));
  name_ = name;
  DYNACC_ASSIGN_OR_RETURN(const int major, Attribute(cuda::kComputeCapabilityMajor));
  DYNACC_ASSIGN_OR_RETURN(const int minor, Attribute(cuda::kComputeCapabilityMinor));
  architecture_ = 10 * major + minor;
  DYNACC_ASSIGN_OR_RETURN(multiprocessors_, Attribute(cuda::kMultiprocessorCount));
  DYNACC_ASSIGN_OR_RETURN(const int has_pools, Attribute(cuda::kMemoryPoolsSupported));
  if (has_pools != 0) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(name_, " has no stream-ordered memory pools"));
}

// A pool of our own, so that its statistics and its trimming are about our memory only. It keeps
// what is freed, as the host's BufferCache does.
absl::Status CudaDevice::MakePool() {
  cuda::MemoryPoolProperties properties;
  properties.location_id = device_;
  DYNACC_ASSIGN_OR_RETURN(properties.max_size, MemoryLimit(driver_));
  DYNACC_RETURN_IF_ERROR(Check(driver_.cuMemPoolCreate(&pool_, &properties), "cuMemPoolCreate"));
  uint64_t keep = UINT64_MAX;
  return Check(driver_.cuMemPoolSetAttribute(pool_, cuda::kReleaseThreshold, &keep),
               "cuMemPoolSetAttribute");
}

absl::Status CudaDevice::Check(cuda::Result result, absl::string_view what) {
  if (result == cuda::kSuccess) return absl::OkStatus();
  const absl::Status status = driver_.Check(result, what);
  if (!IsLoss(result)) return status;
  absl::MutexLock lock(&mutex_);
  if (lost_.ok()) {
    lost_ = absl::DataLossError(absl::StrCat("CUDA device ", ordinal_, " (", name_,
                                             ") is lost to this process since ", status.message(),
                                             "; restart the process to use it again"));
    is_lost_.store(true, std::memory_order_release);
  }
  return status;
}

absl::Status CudaDevice::status() const {
  if (!is_lost_.load(std::memory_order_acquire)) return absl::OkStatus();
  absl::MutexLock lock(&mutex_);
  return lost_;
}

absl::StatusOr<std::unique_ptr<CudaStream>> CudaDevice::AcquireStream() {
  DYNACC_RETURN_IF_ERROR(status());
  {
    absl::MutexLock lock(&mutex_);
    if (!streams_.empty()) {
      std::unique_ptr<CudaStream> stream = std::move(streams_.back());
      streams_.pop_back();
      return stream;
    }
  }
  return CudaStream::Make(*this);
}

absl::StatusOr<CudaStream*> CudaDevice::TensorStream() {
  DYNACC_RETURN_IF_ERROR(status());
  CudaStream* const made = made_tensor_stream_.load(std::memory_order_acquire);
  if (made != nullptr) return made;
  absl::MutexLock lock(&tensor_stream_mutex_);
  if (tensor_stream_ == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(tensor_stream_, CudaStream::Make(*this));
    made_tensor_stream_.store(tensor_stream_.get(), std::memory_order_release);
  }
  return tensor_stream_.get();
}

void CudaDevice::ReleaseStream(std::unique_ptr<CudaStream> stream) {
  absl::MutexLock lock(&mutex_);
  streams_.push_back(std::move(stream));
}

absl::Status CudaDevice::TrimPool() {
  return Check(driver_.cuMemPoolTrimTo(pool_, 0), "cuMemPoolTrimTo");
}

absl::StatusOr<CudaMemoryStats> CudaDevice::MemoryStats() {
  CudaMemoryStats stats;
  const std::pair<cuda::MemoryPoolAttribute, uint64_t*> rows[] = {
      {cuda::kUsedCurrent, &stats.used},
      {cuda::kUsedHigh, &stats.used_high},
      {cuda::kReservedCurrent, &stats.reserved},
      {cuda::kReservedHigh, &stats.reserved_high}};
  for (const auto& [attribute, value] : rows) {
    DYNACC_RETURN_IF_ERROR(
        Check(driver_.cuMemPoolGetAttribute(pool_, attribute, value), "cuMemPoolGetAttribute"));
  }
  return stats;
}

CudaScope::CudaScope(CudaDevice& device) : device_(device), status_(device.status()) {
  if (!status_.ok()) return;
  status_ = device.Check(device.driver().cuCtxPushCurrent(device.context()), "cuCtxPushCurrent");
}

CudaScope::~CudaScope() {
  if (!status_.ok()) return;
  cuda::Context popped = nullptr;
  static_cast<void>(device_.driver().cuCtxPopCurrent(&popped));  // nothing to be done about it
}

absl::StatusOr<CudaDevice*> ProcessCudaDevice(int ordinal) {
  DYNACC_RETURN_IF_ERROR(ProcessCudaDriver().status());
  static absl::Mutex& mutex = *new absl::Mutex;
  static auto& devices = *new absl::flat_hash_map<int, std::unique_ptr<CudaDevice>>;
  absl::MutexLock lock(&mutex);
  std::unique_ptr<CudaDevice>& device = devices[ordinal];
  if (device == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(device, CudaDevice::Open(*ProcessCudaDriver(), ordinal));
  }
  return device.get();
}

}  // namespace dynacc::cuda
