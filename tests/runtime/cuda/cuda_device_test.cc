// The device runtime on the simulated driver: what works, and every way in which it fails.
#include "runtime/cuda/cuda_device.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

#include "runtime/base/options.h"
#include "runtime/cuda/cuda_module.h"
#include "runtime/cuda/cuda_stream.h"

namespace dynacc::cuda {
namespace {

using ::testing::HasSubstr;

// The simulator with other settings (tests/cuda_sim/faults.h).
void Configure(const char* settings) {
  void* library = dlopen(DYNACC_CUDA_SIM, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  reinterpret_cast<void (*)(const char*)>(dlsym(library, "DynaccSimConfigure"))(settings);
}

absl::StatusOr<CudaDriver> OpenSimulator(const char* settings = "") {
  Configure(settings);
  return CudaDriver::Open(DYNACC_CUDA_SIM);
}

class CudaDeviceTest : public testing::Test {
 protected:
  // Opens device 0; a lost context is the simulator's until the process ends, so tests that lose
  // one take a device of their own.
  void Open(const char* settings = "", int ordinal = 0) {
    auto driver = OpenSimulator(settings);
    ASSERT_TRUE(driver.ok()) << driver.status();
    driver_ = *driver;
    auto device = CudaDevice::Open(driver_, ordinal);
    ASSERT_TRUE(device.ok()) << device.status();
    device_ = *std::move(device);
    scope_ = std::make_unique<CudaScope>(*device_);
    ASSERT_TRUE(scope_->status().ok());
    auto stream = device_->AcquireStream();
    ASSERT_TRUE(stream.ok()) << stream.status();
    stream_ = *std::move(stream);
  }

  CudaDriver driver_;
  std::unique_ptr<CudaDevice> device_;
  std::unique_ptr<CudaScope> scope_;
  std::unique_ptr<CudaStream> stream_;
};

TEST(CudaDriverTest, SaysThatThereIsNoDriver) {
  const auto driver = CudaDriver::Open("libno_such_driver.so.1");
  EXPECT_EQ(driver.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(driver.status().message(), HasSubstr("no NVIDIA driver: libno_such_driver.so.1"));
}

TEST(CudaDriverTest, NamesTheEntryPointsThatAnOldDriverLacks) {
  const auto driver = OpenSimulator("DYNACC_SIM_LACKS=cuMemPoolCreate,cuLaunchKernelEx");
  EXPECT_EQ(driver.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(driver.status().message(),
              HasSubstr("supports CUDA 13.0 and lacks cuMemPoolCreate, cuLaunchKernelEx"));
}

TEST(CudaDriverTest, SaysThatALibraryIsNoDriver) {
  const auto driver = CudaDriver::Open("libm.so.6");
  EXPECT_EQ(driver.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(driver.status().message(), HasSubstr("lacks cuGetProcAddress_v2"));
}

TEST(CudaDriverTest, SaysThatNoDeviceIsVisible) {
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const auto driver = OpenSimulator();
  unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(driver.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(driver.status().message(), HasSubstr("CUDA_VISIBLE_DEVICES is \"\""));
  EXPECT_THAT(OpenSimulator("DYNACC_SIM_DEVICES=0").status().message(),
              HasSubstr("the NVIDIA driver is there but no CUDA device"));
}

TEST(CudaDriverTest, SaysWhyADriverDoesNotStart) {
  const auto driver = OpenSimulator("DYNACC_SIM_FAIL=cuInit:1:803");
  EXPECT_EQ(driver.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(driver.status().message(), HasSubstr("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)"));
}

TEST_F(CudaDeviceTest, KnowsTheDevice) {
  Open();
  EXPECT_EQ(device_->name(), "simulated device");
  EXPECT_EQ(device_->architecture(), 90);
  EXPECT_EQ(device_->multiprocessors(), 3);
  EXPECT_EQ(CudaDevice::Open(driver_, 1).status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(CudaDeviceTest, CopiesThereAndBack) {
  Open();
  // Over several staging blocks, with an odd rest.
  std::vector<char> data((5 << 20) + 3), back(data.size());
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i * 7 + i / 1000);
  const std::vector<char> original = data;
  const auto a = stream_->Allocate(data.size()), b = stream_->Allocate(data.size());
  ASSERT_TRUE(a.ok() && b.ok());
  ASSERT_TRUE(stream_->CopyToDevice(*a, data.data(), data.size()).ok());
  data.assign(data.size(), 0);  // allowed at once
  ASSERT_TRUE(stream_->CopyOnDevice(*b, *a, data.size()).ok());
  stream_->Free(*a);
  ASSERT_TRUE(stream_->CopyToHost(back.data(), *b, back.size()).ok());
  EXPECT_EQ(back, original);
  stream_->Free(*b);
}

TEST_F(CudaDeviceTest, CountsMemoryAndGivesItBack) {
  Open();
  const auto pointer = stream_->Allocate(1000);
  ASSERT_TRUE(pointer.ok());
  EXPECT_EQ(device_->MemoryStats()->used, 1000);
  stream_->Free(*pointer);
  ASSERT_TRUE(stream_->Synchronize().ok());
  EXPECT_EQ(device_->MemoryStats()->used, 0);
  EXPECT_EQ(device_->MemoryStats()->reserved, 1000);
  ASSERT_TRUE(device_->TrimPool().ok());
  EXPECT_EQ(device_->MemoryStats()->reserved, 0);
  EXPECT_EQ(device_->MemoryStats()->used_high, 1000);
}

TEST_F(CudaDeviceTest, EmptiesTheCacheWhenMemoryRunsOut) {
  Open("DYNACC_SIM_MEMORY=1000");
  const auto first = stream_->Allocate(600);
  ASSERT_TRUE(first.ok());
  stream_->Free(*first);
  // 600 are cached, and 700 more would be too many.
  const auto second = stream_->Allocate(700);
  ASSERT_TRUE(second.ok()) << second.status();
  // Now they are in use, and nothing helps.
  const auto third = stream_->Allocate(400);
  EXPECT_EQ(third.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(third.status().message(),
              HasSubstr("allocating 400 bytes on simulated device: CUDA_ERROR_OUT_OF_MEMORY"));
  EXPECT_TRUE(stream_->Allocate(300).ok()) << "the device is as it was";
}

TEST_F(CudaDeviceTest, TakesNoMoreMemoryThanItMay) {
  ProcessOptions().cuda_memory = "2";
  Open();
  ProcessOptions().cuda_memory = "";
  const auto first = stream_->Allocate(3 << 19);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(stream_->Allocate(1 << 20).status().code(), absl::StatusCode::kResourceExhausted);
  stream_->Free(*first);
  EXPECT_TRUE(stream_->Allocate(2 << 20).ok());
}

TEST_F(CudaDeviceTest, AnOldDriverLimitsNoMemory) {
  driver_ = *OpenSimulator();
  driver_.version = 12010;
  ProcessOptions().cuda_memory = "2";
  const auto device = CudaDevice::Open(driver_, 0);
  ProcessOptions().cuda_memory = "";
  EXPECT_EQ(device.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(device.status().message(),
              HasSubstr("DYNACC_CUDA_MEMORY needs a driver of CUDA 12.2"));
}

TEST_F(CudaDeviceTest, StreamsWaitForEachOther) {
  Open();
  auto other = *device_->AcquireStream();
  const int value = 42;
  int result = 0;
  const auto pointer = other->Allocate(sizeof(value));
  ASSERT_TRUE(other->CopyToDevice(*pointer, reinterpret_cast<const char*>(&value), 4).ok());
  ASSERT_TRUE(stream_->WaitFor(*other).ok());
  ASSERT_TRUE(stream_->CopyToHost(reinterpret_cast<char*>(&result), *pointer, 4).ok());
  EXPECT_EQ(result, 42);
  CudaStream* const was = other.get();
  device_->ReleaseStream(std::move(other));
  EXPECT_EQ(device_->AcquireStream()->get(), was) << "streams are used again";
}

TEST_F(CudaDeviceTest, RefusesAStreamOfAnotherDevice) {
  Open("DYNACC_SIM_DEVICES=2");
  auto second = *CudaDevice::Open(driver_, 1);
  const CudaScope scope(*second);
  auto stream = *second->AcquireStream();
  EXPECT_EQ(stream->WaitFor(*stream_).code(), absl::StatusCode::kInvalidArgument);
  const auto from = [&] {
    const CudaScope first(*device_);
    auto pointer = *stream_->Allocate(8);
    EXPECT_TRUE(stream_->CopyToDevice(pointer, "abcdefg", 8).ok());
    EXPECT_TRUE(stream_->Synchronize().ok());
    return pointer;
  }();
  const auto to = *stream->Allocate(8);
  char back[8] = {};
  ASSERT_TRUE(stream->CopyFromPeer(to, *device_, from, 8).ok());
  ASSERT_TRUE(stream->CopyToHost(back, to, 8).ok());
  EXPECT_STREQ(back, "abcdefg");
}

TEST_F(CudaDeviceTest, RefusesADamagedImage) {
  Open();
  const auto module = CudaModule::Load(*device_, "no cubin");
  EXPECT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(module.status().message(), HasSubstr("CUDA_ERROR_INVALID_IMAGE"));
  EXPECT_TRUE(device_->status().ok());
}

TEST_F(CudaDeviceTest, RemembersThatTheContextIsLost) {
  Open("DYNACC_SIM_DEVICES=3\nDYNACC_SIM_FAIL=cuStreamSynchronize:1:719", 2);
  EXPECT_EQ(stream_->Synchronize().code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(stream_->Allocate(8).ok());
  const absl::Status lost = device_->AcquireStream().status();
  EXPECT_EQ(lost.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(lost.message(), HasSubstr("CUDA device 2 (simulated device) is lost to this process "
                                        "since waiting for a device: CUDA_ERROR_LAUNCH_FAILED"));
  EXPECT_EQ(CudaScope(*device_).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(CudaDeviceTest, ThreadsHaveStreamsOfTheirOwn) {
  Open("DYNACC_SIM_SLOW=100");
  std::vector<int> results(8);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const CudaScope scope(*device_);
      auto stream = *device_->AcquireStream();
      const auto pointer = *stream->Allocate(4);
      static_cast<void>(stream->CopyToDevice(pointer, reinterpret_cast<const char*>(&i), 4));
      static_cast<void>(stream->CopyToHost(reinterpret_cast<char*>(&results[i]), pointer, 4));
      stream->Free(pointer);
      device_->ReleaseStream(std::move(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<int> expected(8);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(results, expected);
}

}  // namespace
}  // namespace dynacc::cuda
