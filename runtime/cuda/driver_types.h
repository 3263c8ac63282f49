// The types and numbers of NVIDIA's driver interface that DynaCC uses, in our own declarations, so
// that it builds where no CUDA toolkit is. Names, values and layouts are those of cuda.h (CUDA
// 13.0); tests/runtime/cuda/driver_types_test.cc compares them where cuda.h is at hand.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dynacc::cuda {

using Result = int;  // CUresult
inline constexpr Result kSuccess = 0;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kNoDevice = 100;
inline constexpr Result kInvalidImage = 200;
inline constexpr Result kNoBinaryForGpu = 209;
inline constexpr Result kEccUncorrectable = 214;
inline constexpr Result kNvlinkUncorrectable = 220;
inline constexpr Result kInvalidHandle = 400;
inline constexpr Result kNotFound = 500;
inline constexpr Result kNotReady = 600;
inline constexpr Result kIllegalAddress = 700;
inline constexpr Result kLaunchTimeout = 702;
inline constexpr Result kContextIsDestroyed = 709;
inline constexpr Result kAssert = 710;
inline constexpr Result kHardwareStackError = 714;
inline constexpr Result kIllegalInstruction = 715;
inline constexpr Result kMisalignedAddress = 716;
inline constexpr Result kInvalidAddressSpace = 717;
inline constexpr Result kInvalidPc = 718;
inline constexpr Result kLaunchFailed = 719;
inline constexpr Result kNotSupported = 801;
inline constexpr Result kSystemDriverMismatch = 803;
inline constexpr Result kCaptureUnsupported = 900;
inline constexpr Result kUnknown = 999;

using Device = int;                 // CUdevice
using DevicePointer = uint64_t;     // CUdeviceptr
using Context = struct ContextOf*;  // CUcontext, and so on: opaque
using Module = struct ModuleOf*;
using Function = struct FunctionOf*;
using Stream = struct StreamOf*;
using Event = struct EventOf*;
using MemoryPool = struct MemoryPoolOf*;
using Graph = struct GraphOf*;
using GraphExec = struct GraphExecOf*;

// CUdevice_attribute.
enum DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kWarpSize = 10,
  kMultiprocessorCount = 16,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kMemoryPoolsSupported = 115,
};

// CUpointer_attribute; an int.
enum PointerAttribute : int {
  kPointerMemoryType = 2,  // kMemoryTypeDevice for memory of a GPU
  kPointerDeviceOrdinal = 9,
};
inline constexpr int kMemoryTypeDevice = 2;

// CUmemPool_attribute; values are 64 bits.
enum MemoryPoolAttribute : int {
  kReleaseThreshold = 4,
  kReservedCurrent = 5,
  kReservedHigh = 6,
  kUsedCurrent = 7,
  kUsedHigh = 8,
};

// CUmemPoolProps: memory of one device, not exported to other processes.
struct MemoryPoolProperties {
  int allocation_type = 1;  // CU_MEM_ALLOCATION_TYPE_PINNED
  int handle_types = 0;
  int location_type = 1;  // CU_MEM_LOCATION_TYPE_DEVICE
  int location_id = 0;
  void* security = nullptr;
  size_t max_size = 0;
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};

inline constexpr unsigned kStreamNonBlocking = 1;
// CU_STREAM_LEGACY and CU_STREAM_PER_THREAD: handles that every context knows.
inline constexpr uint64_t kLegacyStream = 1;
inline constexpr uint64_t kPerThreadStream = 2;
inline constexpr unsigned kEventDisableTiming = 2;
// CU_STREAM_CAPTURE_MODE_THREAD_LOCAL: other threads may meanwhile do what would spoil a capture.
inline constexpr int kCaptureThreadLocal = 1;

// CUlaunchAttribute. Of its kinds DynaCC uses the cooperative launch (value: an int).
inline constexpr int kLaunchAttributeCooperative = 2;
struct LaunchAttribute {
  int id = 0;
  char padding[4] = {};
  alignas(8) char value[64] = {};
};

// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned num_attributes = 0;
};

}  // namespace dynacc::cuda
