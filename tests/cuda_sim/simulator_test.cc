// The simulated device itself: it runs kernels rightly and finds what is wrong with wrong ones.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "absl/strings/str_cat.h"
#include "codegen/targets/cuda/nvrtc_compiler.h"
#include "runtime/base/options.h"
#include "runtime/cuda/cuda_module.h"
#include "runtime/cuda/cuda_stream.h"

namespace dynacc {
namespace {

using ::testing::HasSubstr;

constexpr int kDevices = 20;  // each test that loses a context takes one of its own

class SimulatorTest : public testing::Test {
 protected:
  void SetUp() override {
    ProcessOptions().nvrtc = DYNACC_CUDA_SIM;
    void* library = dlopen(DYNACC_CUDA_SIM, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const std::string settings = absl::StrCat("DYNACC_SIM_DEVICES=", kDevices);
    reinterpret_cast<void (*)(const char*)>(dlsym(library, "DynaccSimConfigure"))(settings.c_str());
    driver_ = *cuda::CudaDriver::Open(DYNACC_CUDA_SIM);
    static int next = 0;
    ASSERT_LT(next, kDevices);
    device_ = *cuda::CudaDevice::Open(driver_, next++);
    scope_ = std::make_unique<cuda::CudaScope>(*device_);
    stream_ = *device_->AcquireStream();
  }

  // Runs `void k(int* data, int n)` with that body on ints 0, 1, 2, ...; what they are afterwards.
  absl::StatusOr<std::vector<int>> Run(const std::string& body, int blocks, int threads, int n,
                                       int allocated = -1) {
    const auto cubin =
        cuda::CompileCubin("k.cu",
                           absl::StrCat("#include \"dynacc_cuda_prelude.h\"\n"
                                        "extern \"C\" __global__ void k(int* data, int n) {\n"
                                        "const int i = FirstElement();\n",
                                        body, "\n}\n"),
                           {90, false});
    if (!cubin.ok()) return cubin.status();
    module_ = *cuda::CudaModule::Load(*device_, *cubin);
    std::vector<int> values(n);
    std::iota(values.begin(), values.end(), 0);
    char* const bytes = reinterpret_cast<char*>(values.data());
    data_ = *stream_->Allocate(4 * (allocated < 0 ? n : allocated));
    EXPECT_TRUE(stream_->CopyToDevice(data_, bytes, 4 * (allocated < 0 ? n : allocated)).ok());
    cuda::CudaLaunch launch;
    launch.function = *module_->Find("k");
    launch.grid_x = blocks;
    launch.block_x = threads;
    void* parameters[] = {&data_, &n};
    absl::Status status = stream_->Launch(launch, parameters);
    if (!status.ok()) return status;
    status = stream_->CopyToHost(bytes, data_, 4 * n);
    if (!status.ok()) return status;
    return values;
  }

  // The simulator's own words are on stderr.
  void ExpectFault(const std::string& body, int blocks, int threads, int n, const char* what,
                   int allocated = -1) {
    testing::internal::CaptureStderr();
    const auto result = Run(body, blocks, threads, n, allocated);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(result.status().code(), absl::StatusCode::kDataLoss) << body;
    EXPECT_THAT(said, HasSubstr(what)) << body;
  }

  cuda::CudaDriver driver_;
  std::unique_ptr<cuda::CudaDevice> device_;
  std::unique_ptr<cuda::CudaScope> scope_;
  std::unique_ptr<cuda::CudaStream> stream_;
  std::unique_ptr<cuda::CudaModule> module_;
  cuda::DevicePointer data_ = 0;
};

TEST_F(SimulatorTest, RunsAGrid) {
  const auto result =
      Run("if (i < n) WriteGlobal(data + i, ReadGlobal<int>(data + i) * 2);", 3, 64, 150);
  ASSERT_TRUE(result.ok()) << result.status();
  for (int i = 0; i < 150; ++i) EXPECT_EQ((*result)[i], 2 * i);
}

TEST_F(SimulatorTest, ExchangesValuesInAWarp) {
  const auto result = Run(R"(
    unsigned value = i;
    for (int by = 16; by > 0; by /= 2) value += __shfl_down_sync(0xffffffffu, value, by);
    const unsigned first = __shfl_sync(0xffffffffu, value, 0);
    const unsigned odd = __ballot_sync(0xffffffffu, i % 2);
    const unsigned other = __shfl_xor_sync(0xffffffffu, (unsigned)i, 1);
    WriteGlobal(data + i, (int)(first + other) + (odd == 0xaaaaaaaau ? 1000000 : 0));)",
                          1, 64, 64);
  ASSERT_TRUE(result.ok()) << result.status();
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ((*result)[i], (i < 32 ? 496 : 1520) + (i ^ 1) + 1000000) << i;
  }
}

constexpr char kReverse[] = R"(
  __shared__ int shared[64];
  DYNACC_SHARED_ACCESS(&shared[threadIdx.x], 4, true);
  shared[threadIdx.x] = ReadGlobal<int>(data + i);
  BARRIER
  DYNACC_SHARED_ACCESS(&shared[63 - threadIdx.x], 4, false);
  WriteGlobal(data + i, shared[63 - threadIdx.x]);)";

TEST_F(SimulatorTest, SharesMemoryInABlock) {
  const auto result = Run(absl::StrCat("#define BARRIER __syncthreads();\n", kReverse), 2, 64, 128);
  ASSERT_TRUE(result.ok()) << result.status();
  for (int i = 0; i < 128; ++i) EXPECT_EQ((*result)[i], i / 64 * 64 + 63 - i % 64);
}

TEST_F(SimulatorTest, FindsAMissingBarrier) {
  ExpectFault(absl::StrCat("#define BARRIER\n", kReverse), 1, 64, 64,
              "touches shared memory that another thread touches");
}

TEST_F(SimulatorTest, FindsAccessesOutsideOfAllocations) {
  ExpectFault("WriteGlobal(data + i, 1);", 1, 64, 63, "writes 4 bytes at");
}
TEST_F(SimulatorTest, FindsReadsBeforeAllocations) {
  ExpectFault("ReadGlobal<int>(data - 1);", 1, 1, 8, "which is outside of all allocations");
}
TEST_F(SimulatorTest, FindsAccessesThatAreNotAligned) {
  ExpectFault("ReadGlobal<Vector<int, 4>>(data + 1);", 1, 1, 8, "which is not aligned");
}
TEST_F(SimulatorTest, FindsWritesOfTwoThreadsToOnePlace) {
  ExpectFault("WriteGlobal(data + i / 2, i);", 1, 64, 64, "that another thread touches");
}
TEST_F(SimulatorTest, FindsARaceOfTwoBlocks) {
  ExpectFault(
      "__syncthreads(); if (threadIdx.x == 0) WriteGlobal(data, i); else ReadGlobal<int>(data + 1 "
      "+ i % 7);",
      2, 32, 64, "block 1, thread 0 writes 4 bytes");
}
TEST_F(SimulatorTest, FindsBarriersThatNotAllThreadsReach) {
  ExpectFault("if (threadIdx.x < 32) __syncthreads(); else __shfl_sync(0x1u, 1u, 0);", 1, 64, 64,
              "threads wait for others that never come");
}
TEST_F(SimulatorTest, OrdersAccessesByBarriers) {
  const auto result =
      Run("WriteGlobal(data + i, i); __syncthreads(); const int other = ReadGlobal<int>(data + (i "
          "^ 1));"
          "__syncthreads(); WriteGlobal(data + i, other);",
          1, 64, 64);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ((*result)[10], 11);
}
TEST_F(SimulatorTest, FindsUseAfterFree) {
  ASSERT_TRUE(Run("WriteGlobal(data + i, 1);", 1, 8, 8).ok());
  stream_->Free(data_);
  cuda::CudaLaunch launch;
  launch.function = *module_->Find("k");
  launch.block_x = 8;
  int n = 8;
  void* parameters[] = {&data_, &n};
  ASSERT_TRUE(stream_->Launch(launch, parameters).ok());
  testing::internal::CaptureStderr();
  EXPECT_EQ(stream_->Synchronize().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("outside of all allocations"));
}

// As many blocks as the device has room for, and one more.
TEST_F(SimulatorTest, RefusesCooperativeLaunchesThatAreTooLarge) {
  ASSERT_TRUE(Run("WriteGlobal(data + i, 1);", 1, 8, 8).ok());
  const auto fitting = module_->BlocksPerMultiprocessor(*module_->Find("k"), 256);
  ASSERT_TRUE(fitting.ok());
  cuda::CudaLaunch launch;
  launch.function = *module_->Find("k");
  launch.block_x = 256;
  launch.cooperative = true;
  const auto place = *stream_->Allocate(4 * 256 * 13);
  int n = 0;
  void* parameters[] = {const_cast<cuda::DevicePointer*>(&place), &n};
  launch.grid_x = *fitting * device_->multiprocessors();
  EXPECT_TRUE(stream_->Launch(launch, parameters).ok());
  ++launch.grid_x;
  const absl::Status refused = stream_->Launch(launch, parameters);
  EXPECT_EQ(refused.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(refused.message(), HasSubstr("CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"));
  EXPECT_TRUE(stream_->Synchronize().ok()) << "the context is not lost";
}

// Each thread sees every other one's update, and the race check knows atomics.
TEST_F(SimulatorTest, AddsAtomically) {
  const auto result =
      Run("unsigned* const sum = reinterpret_cast<unsigned*>(data);\n"
          "if (i > 0) atomicAdd((unsigned*)DYNACC_COMMON_ACCESS(sum, 4), (unsigned)i);\n"
          "atomicMax((int*)DYNACC_COMMON_ACCESS(data + 1, 4), i * (i % 2 ? 1 : -1));\n"
          "atomicMin((int*)DYNACC_COMMON_ACCESS(data + 2, 4), i * (i % 2 ? 1 : -1));\n"
          "atomicXor((unsigned*)DYNACC_COMMON_ACCESS(data + 3, 4), (unsigned)i);",
          2, 32, 64);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ((*result)[0], 64 * 63 / 2);
  EXPECT_EQ((*result)[1], 63);
  EXPECT_EQ((*result)[2], -62);
  EXPECT_EQ((*result)[3], 3);  // all numbers below 64 cancel out
}

// What was given to a stream is done when something waits for it, not before.
TEST_F(SimulatorTest, DefersWork) {
  const auto pointer = *stream_->Allocate(4);
  void* pinned = nullptr;
  ASSERT_EQ(driver_.cuMemHostAlloc(&pinned, 4, 0), cuda::kSuccess);
  int& value = *static_cast<int*>(pinned);
  value = 7;
  ASSERT_TRUE(stream_->CopyToDevice(pointer, reinterpret_cast<char*>(&value), 4).ok());
  value = 8;
  ASSERT_EQ(driver_.cuMemcpyDtoHAsync(pinned, pointer, 4, stream_->handle()), cuda::kSuccess);
  EXPECT_EQ(value, 8);
  ASSERT_TRUE(stream_->Synchronize().ok());
  EXPECT_EQ(value, 7);
  ASSERT_EQ(driver_.cuMemFreeHost(pinned), cuda::kSuccess);
}

TEST_F(SimulatorTest, GivesTheLogOfASourceThatDoesNotCompile) {
  const auto result = Run("int x = nothing;", 1, 1, 1);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(result.status().message(), HasSubstr("use of undeclared identifier 'nothing'"));
}

}  // namespace
}  // namespace dynacc
