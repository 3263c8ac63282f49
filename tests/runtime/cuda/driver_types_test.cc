// Our declarations of the driver's interface against cuda.h.
#include "runtime/cuda/driver_types.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

namespace dynacc::cuda {
namespace {

TEST(DriverTypes, ResultsAreCudas) {
  EXPECT_EQ(kSuccess, CUDA_SUCCESS);
  EXPECT_EQ(kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(kNoDevice, CUDA_ERROR_NO_DEVICE);
  EXPECT_EQ(kInvalidImage, CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(kNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(kEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE);
  EXPECT_EQ(kNvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE);
  EXPECT_EQ(kInvalidHandle, CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(kNotFound, CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(kNotReady, CUDA_ERROR_NOT_READY);
  EXPECT_EQ(kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(kLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT);
  EXPECT_EQ(kContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(kAssert, CUDA_ERROR_ASSERT);
  EXPECT_EQ(kHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR);
  EXPECT_EQ(kIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_EQ(kMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
  EXPECT_EQ(kInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE);
  EXPECT_EQ(kInvalidPc, CUDA_ERROR_INVALID_PC);
  EXPECT_EQ(kLaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(kNotSupported, CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(kSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
  EXPECT_EQ(kUnknown, CUDA_ERROR_UNKNOWN);
}

TEST(DriverTypes, NumbersAreCudas) {
  EXPECT_EQ(kMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  EXPECT_EQ(kWarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  EXPECT_EQ(kMultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  EXPECT_EQ(kComputeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(kComputeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(kMemoryPoolsSupported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
  EXPECT_EQ(kReleaseThreshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
  EXPECT_EQ(kReservedCurrent, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
  EXPECT_EQ(kReservedHigh, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH);
  EXPECT_EQ(kUsedCurrent, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
  EXPECT_EQ(kUsedHigh, CU_MEMPOOL_ATTR_USED_MEM_HIGH);
  EXPECT_EQ(kPointerMemoryType, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
  EXPECT_EQ(kPointerDeviceOrdinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
  EXPECT_EQ(kMemoryTypeDevice, CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(kLegacyStream, reinterpret_cast<uint64_t>(CU_STREAM_LEGACY));
  EXPECT_EQ(kPerThreadStream, reinterpret_cast<uint64_t>(CU_STREAM_PER_THREAD));
  EXPECT_EQ(kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
  EXPECT_EQ(kEventDisableTiming, CU_EVENT_DISABLE_TIMING);
  EXPECT_EQ(kLaunchAttributeCooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
  EXPECT_EQ(MemoryPoolProperties().allocation_type, CU_MEM_ALLOCATION_TYPE_PINNED);
  EXPECT_EQ(MemoryPoolProperties().location_type, CU_MEM_LOCATION_TYPE_DEVICE);
}

TEST(DriverTypes, LayoutsAreCudas) {
  EXPECT_EQ(sizeof(Result), sizeof(CUresult));
  EXPECT_TRUE((std::is_same_v<Device, CUdevice>));
  EXPECT_EQ(sizeof(DevicePointer), sizeof(CUdeviceptr));
  EXPECT_EQ(sizeof(LaunchConfig), sizeof(CUlaunchConfig));
  EXPECT_EQ(offsetof(LaunchConfig, shared_bytes), offsetof(CUlaunchConfig, sharedMemBytes));
  EXPECT_EQ(offsetof(LaunchConfig, stream), offsetof(CUlaunchConfig, hStream));
  EXPECT_EQ(offsetof(LaunchConfig, num_attributes), offsetof(CUlaunchConfig, numAttrs));
  EXPECT_EQ(sizeof(LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(offsetof(LaunchAttribute, value), offsetof(CUlaunchAttribute, value));
  EXPECT_EQ(sizeof(MemoryPoolProperties), sizeof(CUmemPoolProps));
  EXPECT_EQ(offsetof(MemoryPoolProperties, location_type), offsetof(CUmemPoolProps, location));
  EXPECT_EQ(offsetof(MemoryPoolProperties, max_size), offsetof(CUmemPoolProps, maxSize));
  EXPECT_EQ(offsetof(MemoryPoolProperties, usage), offsetof(CUmemPoolProps, usage));
}

}  // namespace
}  // namespace dynacc::cuda
