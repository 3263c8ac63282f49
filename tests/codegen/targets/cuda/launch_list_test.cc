// Runs of tensors that are given again from a list: results, what they cost the host, and what goes
// wrong; on the simulated device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>

#include "absl/strings/str_cat.h"
#include "runtime/base/stats.h"
#include "tests/codegen/targets/cuda/simulated_device.h"

namespace {

// Allocations of this thread, but for those of the driver.
thread_local int64_t allocations = 0;
thread_local int in_driver = 0;

void* Allocate(size_t bytes) {
  if (in_driver == 0) ++allocations;
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

void* operator new(size_t bytes) { return Allocate(bytes); }
void* operator new[](size_t bytes) { return Allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace dynacc::cuda {
namespace {

constexpr int kRows = 6, kLength = 40;

using testing::ConfigureSimulator;
using testing::KeepingSink;
using testing::OnDevice;
using testing::ToHost;
using testing::UsedOnDevice;

OnDevice ToDevice(const std::vector<double>& values, std::vector<int64_t> shape) {
  return testing::ToDevice(values, DType::kFloat64, std::move(shape));
}

// The functions of the driver that a replay calls, in forms that count their calls and nothing that
// the driver allocates.
struct Counted {
  std::atomic<int64_t> launches = 0, allocated = 0;
  bool does_nothing = false;  // they only return
};
Counted counted;
CudaDriver original;

template <typename Call>
cuda::Result InDriver(Call call) {
  ++in_driver;
  const cuda::Result result = call();
  --in_driver;
  return result;
}

void CountCalls() {
  auto& driver = const_cast<CudaDriver&>(*ProcessCudaDriver());
  original = driver;
  driver.cuLaunchKernelEx = [](const cuda::LaunchConfig* config, cuda::Function function,
                               void** parameters, void** extra) {
    ++counted.launches;
    if (counted.does_nothing) return cuda::kSuccess;
    return InDriver([&] { return original.cuLaunchKernelEx(config, function, parameters, extra); });
  };
  driver.cuMemAllocFromPoolAsync = [](cuda::DevicePointer* pointer, size_t bytes,
                                      cuda::MemoryPool pool, cuda::Stream stream) {
    ++counted.allocated;
    *pointer = 4096;
    if (counted.does_nothing) return cuda::kSuccess;
    return InDriver([&] { return original.cuMemAllocFromPoolAsync(pointer, bytes, pool, stream); });
  };
  driver.cuMemFreeAsync = [](cuda::DevicePointer pointer, cuda::Stream stream) {
    if (counted.does_nothing) return cuda::kSuccess;
    return InDriver([&] { return original.cuMemFreeAsync(pointer, stream); });
  };
  driver.cuMemsetD8Async = [](cuda::DevicePointer to, unsigned char value, size_t bytes,
                              cuda::Stream stream) {
    return InDriver([&] { return original.cuMemsetD8Async(to, value, bytes, stream); });
  };
  driver.cuMemcpyHtoDAsync = [](cuda::DevicePointer to, const void* from, size_t bytes,
                                cuda::Stream stream) {
    return InDriver([&] { return original.cuMemcpyHtoDAsync(to, from, bytes, stream); });
  };
  driver.cuMemcpyDtoDAsync = [](cuda::DevicePointer to, cuda::DevicePointer from, size_t bytes,
                                cuda::Stream stream) {
    return InDriver([&] { return original.cuMemcpyDtoDAsync(to, from, bytes, stream); });
  };
  driver.cuEventRecord = [](cuda::Event event, cuda::Stream stream) {
    return InDriver([&] { return original.cuEventRecord(event, stream); });
  };
  driver.cuEventSynchronize = [](cuda::Event event) {
    return InDriver([&] { return original.cuEventSynchronize(event); });
  };
  driver.cuCtxPushCurrent = [](cuda::Context context) {
    if (counted.does_nothing) return cuda::kSuccess;
    return InDriver([&] { return original.cuCtxPushCurrent(context); });
  };
  driver.cuCtxPopCurrent = [](cuda::Context* context) {
    if (counted.does_nothing) return cuda::kSuccess;
    return InDriver([&] { return original.cuCtxPopCurrent(context); });
  };
}

// An elementwise kernel with a number, rows, a reduction, a product with a cut sum, and a result
// that is another's memory.
constexpr char kText[] = R"(graph {
      %0: f64[6, 40] = input 0
      %1: f64[40, 6] = input 1
      %2: f64[6] = full 0.5
      %3: f64[6, 40] = multiply %0, %0
      %4: f64[6, 6] = matmul %3, %1
      %5: f64[6] = reduce_sum %4 axes[1]
      %6: f64[6] = multiply %5, %2
      return %4, %6
    })";

class LaunchListTest : public testing::SimulatedDeviceTest {
 protected:
  void SetUp() override {
    SimulatedDeviceTest::SetUp();
    static const bool once = (CountCalls(), true);
    static_cast<void>(once);
    counted.launches = counted.allocated = 0;
    counted.does_nothing = false;
    graph_ = std::make_unique<testing::ResidentGraph>(kText, std::vector<bool>{true, true});
  }

  absl::Status Run(const OnDevice& x, const OnDevice& y, KeepingSink& sink) const {
    return graph_->Run({x.view, y.view}, sink);
  }

  // A run on numbers of its own, against plain loops.
  void RunAndCheck(int seed) const {
    std::vector<double> x(kRows * kLength), y(kLength * kRows);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>((i * 7 + seed) % 11) - 5;
    for (size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>((i * 5 + seed) % 13) / 4;
    const OnDevice a = ToDevice(x, {kRows, kLength}), b = ToDevice(y, {kLength, kRows});
    KeepingSink sink;
    ASSERT_TRUE(Run(a, b, sink).ok());
    const std::vector<double> product = ToHost(sink.results[0]->view);
    const std::vector<double> sums = ToHost(sink.results[1]->view);
    for (int i = 0; i < kRows; ++i) {
      double sum = 0;
      for (int j = 0; j < kRows; ++j) {
        double expected = 0;
        for (int k = 0; k < kLength; ++k) {
          expected += x[i * kLength + k] * x[i * kLength + k] * y[k * kRows + j];
        }
        sum += expected;
        EXPECT_DOUBLE_EQ(product[i * kRows + j], expected);
      }
      EXPECT_DOUBLE_EQ(sums[i], 0.5 * sum);
    }
  }

  std::unique_ptr<testing::ResidentGraph> graph_;
};

TEST_F(LaunchListTest, GivesTheSameWorkWithOtherAddresses) {
  for (int seed = 0; seed < 5; ++seed) RunAndCheck(seed);
}

// In steady state nothing is allocated but the results' objects: a DeviceResult and a CudaMemory
// each. What a run does without a list shows that the counting counts.
TEST_F(LaunchListTest, AllocatesOnlyTheResults) {
  const std::vector<double> values(kRows * kLength, 1.5);
  const OnDevice x = ToDevice(values, {kRows, kLength}), y = ToDevice(values, {kLength, kRows});
  KeepingSink sink;
  for (int round = 0; round < 6; ++round) {
    const int64_t before = allocations, launches = counted.launches, blocks = counted.allocated;
    ASSERT_TRUE(Run(x, y, sink).ok());
    if (round == 0) {
      EXPECT_GT(allocations - before, 4);
      continue;
    }
    EXPECT_EQ(allocations - before, 4);
    EXPECT_EQ(counted.launches - launches, 3);
    EXPECT_EQ(counted.allocated - blocks, 3);  // the squares, and the two results
  }
}

// Inputs of other strides or alignment go the usual way.
TEST_F(LaunchListTest, OtherInputsAreNotMistaken) {
  for (int seed = 0; seed < 2; ++seed) RunAndCheck(seed);
  std::vector<double> values(2 * kRows * kLength + 1);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 7);
  OnDevice x = ToDevice(values, {static_cast<int64_t>(values.size())});
  const OnDevice y = ToDevice(std::vector<double>(kRows * kLength, 1), {kLength, kRows});
  for (const auto& [offset, step] : {std::pair(0, 2), {1, 1}, {1, 2}, {0, 1}}) {
    OnDevice part = x;
    part.view.rank = 2;
    part.view.data += 8 * offset;
    part.view.shape[0] = kRows, part.view.shape[1] = kLength;
    part.view.strides[1] = 8 * step, part.view.strides[0] = 8 * step * kLength;
    KeepingSink sink;
    ASSERT_TRUE(Run(part, y, sink).ok());
    double expected = 0;
    for (int k = 0; k < kLength; ++k) {
      const double value = values[offset + step * k];
      expected += value * value;
    }
    EXPECT_EQ(ToHost(sink.results[0]->view)[0], expected) << offset << " " << step;
  }
  RunAndCheck(3);
}

// Whichever call of a replay fails, nothing is left behind and the next run is right.
TEST_F(LaunchListTest, FailingCallsLeaveNothing) {
  for (int seed = 0; seed < 2; ++seed) RunAndCheck(seed);
  const std::vector<double> values(kRows * kLength, 1.5);
  const OnDevice x = ToDevice(values, {kRows, kLength}), y = ToDevice(values, {kLength, kRows});
  const uint64_t before = UsedOnDevice();
  const std::pair<const char*, absl::StatusCode> faults[] = {
      {"cuMemAllocFromPoolAsync:*:2", absl::StatusCode::kResourceExhausted},
      {"cuMemAllocFromPoolAsync:3:1", absl::StatusCode::kInternal},
      {"cuLaunchKernelEx:1:1", absl::StatusCode::kInternal},
      {"cuLaunchKernelEx:3:1", absl::StatusCode::kInternal}};
  for (const auto& [fault, code] : faults) {
    KeepingSink sink;
    ConfigureSimulator(absl::StrCat("DYNACC_SIM_FAIL=", fault));
    EXPECT_EQ(Run(x, y, sink).code(), code) << fault;
    EXPECT_EQ(TakeCudaFailure().code(), code) << fault;
    ConfigureSimulator("");
    sink = KeepingSink();
    EXPECT_EQ(UsedOnDevice(), before) << fault;
    RunAndCheck(1);
  }
}

// Writes through indices, whose claims are cleared and whose number is copied each time, and what
// is written into an input at the end.
// The same work, given as CUDA graphs.
class GraphListTest : public LaunchListTest {
 protected:
  void SetUp() override {
    LaunchListTest::SetUp();
    graph_ = std::make_unique<testing::ResidentGraph>(kText, std::vector<bool>{true, true},
                                                      /*cuda_graphs=*/true);
  }
  static uint64_t Launches() { return ProcessStats().cuda_graph_launches; }
};

TEST_F(GraphListTest, GivesTheSameWorkWithOtherAddresses) {
  for (int seed = 0; seed < 5; ++seed) RunAndCheck(seed);
}

// With the addresses of a run before, the driver is called once, and nothing is allocated on the
// device.
TEST_F(GraphListTest, OneCallInSteadyState) {
  const std::vector<double> values(kRows * kLength, 1.5);
  const OnDevice x = ToDevice(values, {kRows, kLength}), y = ToDevice(values, {kLength, kRows});
  std::vector<double> first;
  for (int round = 0; round < 8; ++round) {
    const int64_t launches = counted.launches, blocks = counted.allocated;
    const uint64_t graphs = Launches();
    KeepingSink sink;
    ASSERT_TRUE(Run(x, y, sink).ok());
    const std::vector<double> product = ToHost(sink.results[0]->view);
    if (round == 0) first = product;
    EXPECT_EQ(product, first);
    if (round < 3) continue;
    EXPECT_EQ(counted.launches - launches, 0) << round;
    EXPECT_EQ(counted.allocated - blocks, 0) << round;
    EXPECT_EQ(Launches() - graphs, 1) << round;
  }
}

// A result that somebody has is never written again, whatever of it they have.
TEST_F(GraphListTest, ResultsThatAreHeldStay) {
  std::vector<KeepingSink> held(12);
  std::vector<double> expected;
  for (size_t round = 0; round < held.size(); ++round) {
    const double value = 1.0 + static_cast<double>(round);
    const std::vector<double> values(kRows * kLength, value);
    const OnDevice x = ToDevice(values, {kRows, kLength}), y = ToDevice(values, {kLength, kRows});
    ASSERT_TRUE(Run(x, y, held[round]).ok());
    expected.push_back(kLength * value * value * value);
    if (round % 3 == 2) held[round - 1] = KeepingSink();  // the memory is used again
  }
  for (size_t round = 0; round < held.size(); ++round) {
    if (held[round].results[0] == nullptr) continue;
    EXPECT_DOUBLE_EQ(ToHost(held[round].results[0]->view)[7], expected[round]) << round;
    EXPECT_DOUBLE_EQ(ToHost(held[round].results[1]->view)[3], 3 * expected[round]) << round;
  }
}

// A result that is the next input goes through a few sets of addresses, each with a graph.
TEST_F(GraphListTest, ResultsAsInputs) {
  const testing::ResidentGraph step(R"(graph {
      %0: f64[50] = input 0
      %1: f64[50] = multiply %0, %0
      %2: f64[50] = sqrt %1
      %3: f64[50] = add %2, %0
      return %3
    })",
                                    {true}, /*cuda_graphs=*/true);
  OnDevice x = ToDevice(std::vector<double>(50, 1.0), {50});
  std::shared_ptr<executor::LibraryCallResult> held;
  const uint64_t before = Launches();
  for (int round = 0; round < 20; ++round) {
    KeepingSink sink;
    ASSERT_TRUE(step.Run({x.view}, sink).ok());
    held = sink.results[0];
    x.view = held->view;
  }
  EXPECT_DOUBLE_EQ(ToHost(x.view)[49], 1 << 20);
  EXPECT_GT(Launches() - before, 10);
}

// Where the driver cannot capture, work is given one by one, and the same comes out.
TEST_F(GraphListTest, WithoutCapture) {
  const uint64_t before = Launches();
  const std::vector<double> values(kRows * kLength, 1.5);
  const OnDevice x = ToDevice(values, {kRows, kLength}), y = ToDevice(values, {kLength, kRows});
  for (const char* fault : {"cuStreamBeginCapture:*:801", "cuStreamEndCapture:*:801",
                            "cuGraphInstantiateWithFlags:*:801"}) {
    graph_ = std::make_unique<testing::ResidentGraph>(kText, std::vector<bool>{true, true}, true);
    ConfigureSimulator(absl::StrCat("DYNACC_SIM_FAIL=", fault));
    for (int round = 0; round < 5; ++round) {
      KeepingSink sink;
      ASSERT_TRUE(Run(x, y, sink).ok()) << fault;
      EXPECT_DOUBLE_EQ(ToHost(sink.results[0]->view)[7], kLength * 1.5 * 1.5 * 1.5) << fault;
    }
    EXPECT_EQ(Launches(), before) << fault;
    ConfigureSimulator("");
  }
  RunAndCheck(3);
}

class WritingListTest : public LaunchListTest {
 protected:
  static constexpr double kStored = 7;

  void SetUp() override {
    LaunchListTest::SetUp();
    writing_ = std::make_unique<testing::ResidentGraph>(R"(graph {
      %0: f64[8] = input 0
      %1: f64[8] = input 1
      %2: i64[3] = input 2
      %3: f64[8] = multiply %0, %1
      %4: f64[8] = scatter %3, %2 into %3 at[%2] set 7.0 call 905
      %5: f64[8] = add %4, %1
      return %4, %5 -> %0
    })",
                                                        std::vector<bool>{true});
    x_ = ToDevice(std::vector<double>(expected_.begin(), expected_.end()), {8});
  }

  // A run with a factor of its own, and what it leaves behind.
  void RunOnce(double factor, KeepingSink& sink) {
    const OnDevice y = ToDevice(std::vector<double>(8, factor), {8});
    const OnDevice at = testing::ToDevice(std::vector<int64_t>{1, -2, 1}, DType::kInt64, {3});
    const int64_t before = allocations, launches = counted.launches;
    const absl::Status status = writing_->Run({x_.view, y.view, at.view}, sink);
    allocated_ = allocations - before;
    launched_ = counted.launches - launches;
    ASSERT_TRUE(status.ok()) << status;
    std::vector<double> product = expected_;
    for (double& value : product) value *= factor;
    product[1] = product[6] = kStored;
    EXPECT_EQ(ToHost(sink.results[0]->view), product);
    for (int i = 0; i < 8 && sink.may_write; ++i) expected_[i] = product[i] + factor;
    EXPECT_EQ(ToHost(x_.view), expected_);
  }

  std::unique_ptr<testing::ResidentGraph> writing_;
  std::vector<double> expected_ = {0, 1, 2, 3, 4, 5, 6, 7};
  OnDevice x_;
  int64_t allocated_ = 0, launched_ = 0;
};

TEST_F(WritingListTest, WritesThroughIndicesAndIntoInputs) {
  int64_t launches = 0;
  for (int round = 0; round < 6; ++round) {
    KeepingSink sink;
    RunOnce(1 + round % 3, sink);
    if (round == 0) launches = launched_;
    EXPECT_EQ(launched_, launches) << round;
    if (round > 0) EXPECT_EQ(allocated_, 2) << round;  // the result's objects
  }
}

TEST_F(WritingListTest, AnInputIsWrittenOnlyIfTheSinkSaysSo) {
  for (int round = 0; round < 6; ++round) {
    KeepingSink sink;
    sink.may_write = round % 2 == 0;
    RunOnce(1 + round % 3, sink);
  }
}

TEST_F(WritingListTest, FailingCallsWriteNothing) {
  KeepingSink first;
  RunOnce(2, first);
  first = KeepingSink();
  const OnDevice y = ToDevice(std::vector<double>(8, 2), {8});
  const OnDevice at = testing::ToDevice(std::vector<int64_t>{1, -2, 1}, DType::kInt64, {3});
  const uint64_t before = UsedOnDevice();
  for (const char* fault : {"cuMemAllocFromPoolAsync:*:2", "cuMemAllocFromPoolAsync:2:1",
                            "cuMemsetD8Async:1:1", "cuLaunchKernelEx:2:1"}) {
    KeepingSink sink;
    ConfigureSimulator(absl::StrCat("DYNACC_SIM_FAIL=", fault));
    EXPECT_FALSE(writing_->Run({x_.view, y.view, at.view}, sink).ok()) << fault;
    EXPECT_FALSE(TakeCudaFailure().ok());
    ConfigureSimulator("");
    sink = KeepingSink();
    EXPECT_EQ(ToHost(x_.view), expected_) << fault;
    EXPECT_EQ(UsedOnDevice(), before) << fault;
    RunOnce(3, sink);
  }
}

TEST_F(LaunchListTest, RunsOfSeveralThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] {
      for (int seed = 0; seed < 5; ++seed) RunAndCheck(10 * i + seed);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Not a test of the clock: prints what a run costs the host with a driver that only returns.
TEST_F(LaunchListTest, CostBesideTheDriver) {
  const std::vector<double> values(kRows * kLength, 1.5);
  const OnDevice x = ToDevice(values, {kRows, kLength}), y = ToDevice(values, {kLength, kRows});
  KeepingSink sink;
  ASSERT_TRUE(Run(x, y, sink).ok());
  sink = KeepingSink();
  counted.does_nothing = true;
  constexpr int kRuns = 2000;
  double best = 1e9;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kRuns; ++i) ASSERT_TRUE(Run(x, y, sink).ok());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count() / kRuns);
  }
  sink = KeepingSink();
  counted.does_nothing = false;
  std::printf("a run of 3 kernels and 2 results: %.0f ns of the host\n", 1e9 * best);
  EXPECT_EQ(counted.launches % 3, 0);
}

}  // namespace
}  // namespace dynacc::cuda
