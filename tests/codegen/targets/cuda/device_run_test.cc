// Graphs on the simulated device against the reference: results, copies, and what goes wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "runtime/base/log.h"
#include "runtime/base/stats.h"
#include "tests/codegen/graph_runner.h"
#include "tests/codegen/store_fuzzer.h"
#include "tests/codegen/targets/cuda/simulated_device.h"
#include "tests/fuzz_seeds.h"

namespace dynacc::cuda {
namespace {

using testing::ConfigureSimulator;
using ::testing::ElementsAre;
using testing::GraphRunner;
using ::testing::HasSubstr;
using testing::VectorSink;
using testing::ViewOf;

class DeviceRunTest : public testing::SimulatedDeviceTest {};

// One f64 input of that shape, and the graph's lines between input and return.
std::string GraphText(const std::string& shape, const std::string& lines) {
  return absl::StrCat("graph {\n %0: f64", shape, " = input 0\n", lines, "\n}");
}

std::vector<double> RunOn(const std::string& target, const std::string& text, StridedView input) {
  GraphRunner runner(text, target);
  EXPECT_TRUE(runner.status().ok()) << runner.status() << text;
  if (!runner.status().ok()) return {};
  VectorSink sink;
  const auto flags = runner.RunOnce({input}, sink);
  EXPECT_TRUE(flags.ok()) << flags.status() << text;
  return flags.ok() ? sink.Values<double>(0) : std::vector<double>();
}

void ExpectSame(const std::string& text, const StridedView& input, double tolerance = 0) {
  const uint64_t launches = ProcessStats().device_launches;
  const std::vector<double> on_device = RunOn("cuda", text, input);
  EXPECT_GT(ProcessStats().device_launches, launches);
  const std::vector<double> expected = RunOn("reference", text, input);
  ASSERT_EQ(on_device.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(on_device[i], expected[i], tolerance * std::abs(expected[i])) << i << text;
  }
}

std::vector<double> Counting(int64_t n) {
  std::vector<double> values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<double>(i % 1000) / 8 - 20;
  return values;
}

TEST_F(DeviceRunTest, ElementwiseOfEveryLength) {
  for (const int64_t n : {1, 2, 3, 255, 256, 257, 5000, 40001}) {
    std::vector<double> values = Counting(n);
    ExpectSame(GraphText(absl::StrCat("[", n, "]"), absl::StrCat(R"(
      %1: f64[)",
                                                                 n, R"(] = multiply %0, %0
      %2: f64[)",
                                                                 n, R"(] = subtract %1, %0
      return %2)")),
               ViewOf(values, DType::kFloat64, {n}));
  }
}

TEST_F(DeviceRunTest, MathIsCloseToTheHosts) {
  std::vector<double> values = Counting(1000);
  ExpectSame(GraphText("[1000]", R"(
    %1: f64[1000] = exp %0
    %2: f64[1000] = add %1, %0
    return %2)"),
             ViewOf(values, DType::kFloat64, {1000}), 1e-12);
}

TEST_F(DeviceRunTest, StridesGapsAndViews) {
  std::vector<double> values = Counting(6000);
  StridedView view = ViewOf(values, DType::kFloat64, {30, 40});
  view.strides[0] = 160 * 8;  // every other element of every second row
  view.strides[1] = 2 * 8;
  const std::string text = GraphText("[30, 40]", R"(
    %1: f64[30, 40] = multiply %0, %0
    %2: f64[30, 40] = add %1, %0
    return %2)");
  ExpectSame(text, view);
  view.data += 39 * 16;
  view.strides[1] = -16;
  ExpectSame(text, view);
}

struct ReduceCase {
  const char* op;
  std::vector<int64_t> shape;
  std::vector<int> axes;
};

TEST_F(DeviceRunTest, Reductions) {
  const ReduceCase cases[] = {
      {"reduce_sum", {7}, {0}},
      {"reduce_sum", {100000}, {0}},
      {"reduce_sum", {5, 9000}, {1}},
      {"reduce_sum", {9000, 5}, {0}},
      {"reduce_sum", {300, 200}, {0}},
      {"reduce_sum", {300, 200}, {1}},
      {"reduce_sum", {12, 13, 14}, {1}},
      {"reduce_sum", {12, 13, 14}, {0, 2}},
      {"reduce_max", {12, 13, 14}, {0, 1, 2}},
      {"reduce_max", {33, 65}, {1}},
      {"reduce_sum", {1, 1}, {0}},
      {"reduce_sum", {3, 0}, {1}},
  };
  for (const ReduceCase& row : cases) {
    const int64_t size =
        std::accumulate(row.shape.begin(), row.shape.end(), int64_t{1}, std::multiplies<>());
    std::vector<double> values = Counting(std::max<int64_t>(size, 1));
    std::string shape, kept, axes;
    for (size_t i = 0; i < row.shape.size(); ++i) {
      const bool reduced = std::find(row.axes.begin(), row.axes.end(), i) != row.axes.end();
      absl::StrAppend(&shape, shape.empty() ? "" : ", ", row.shape[i]);
      if (!reduced) absl::StrAppend(&kept, kept.empty() ? "" : ", ", row.shape[i]);
      if (reduced) absl::StrAppend(&axes, axes.empty() ? "" : ", ", i);
    }
    ExpectSame(GraphText(absl::StrCat("[", shape, "]"),
                         absl::StrCat("%1: f64[", shape, "] = multiply %0, %0\n%2: f64[", kept,
                                      "] = ", row.op, " %1 axes[", axes, "]\n%3: f64[", kept,
                                      "] = add %2, %2\nreturn %3")),
               ViewOf(values, DType::kFloat64, row.shape), 1e-12);
  }
}

std::string SoftmaxText(int64_t rows, int64_t length) {
  return absl::StrReplaceAll(R"(graph {
    %0: f64[R, N] = input 0
    %1: f64[R] = reduce_max %0 axes[1]
    %2: f64[R, N] = view %1 axis[0, -1] start[0] step[1, 0]
    %3: f64[R, N] = subtract %0, %2
    %4: f64[R, N] = exp %3
    %5: f64[R] = reduce_sum %4 axes[1]
    %6: f64[R, N] = view %5 axis[0, -1] start[0] step[1, 0]
    %7: f64[R, N] = divide %4, %6
    return %7
  })",
                             {{"R", absl::StrCat(rows)}, {"N", absl::StrCat(length)}});
}

// Of every form of a row kernel: a warp a row, a block a row, rows in shared memory, in a scratch;
// and the lengths around which one takes over from another.
TEST_F(DeviceRunTest, RowKernelsOfEveryLength) {
  struct Case {
    int64_t rows, length;
  };
  for (const Case& row : {Case{1, 1},
                          {3, 31},
                          {9, 32},
                          {70, 33},
                          {5, 255},
                          {4, 256},
                          {4, 257},
                          {3, 1000},
                          {2, 2047},
                          {2, 2048},
                          {2, 2049},
                          {2, 2816},
                          {2, 2817},
                          {2, 5000},
                          {300, 2900}}) {
    std::vector<double> values = Counting(row.rows * row.length);
    const uint64_t launches = ProcessStats().device_launches;
    ExpectSame(SoftmaxText(row.rows, row.length),
               ViewOf(values, DType::kFloat64, {row.rows, row.length}), 1e-12);
    EXPECT_EQ(ProcessStats().device_launches - launches, 1) << row.rows << " of " << row.length;
  }
}

TEST_F(DeviceRunTest, FewVeryLongRowsAreCut) {
  std::vector<double> values = Counting(2 * 70000);
  const uint64_t launches = ProcessStats().device_launches;
  ExpectSame(SoftmaxText(2, 70000), ViewOf(values, DType::kFloat64, {2, 70000}), 1e-12);
  EXPECT_GT(ProcessStats().device_launches - launches, 4);
}

TEST_F(DeviceRunTest, RowsWithGapsAndBackwards) {
  std::vector<double> values = Counting(20000);
  StridedView view = ViewOf(values, DType::kFloat64, {30, 300});
  view.strides[0] = 600 * 8;
  view.strides[1] = 2 * 8;
  const uint64_t launches = ProcessStats().device_launches;
  ExpectSame(SoftmaxText(30, 300), view, 1e-12);
  EXPECT_EQ(ProcessStats().device_launches - launches, 1);
  view.data += 299 * 16;
  view.strides[1] = -16;
  ExpectSame(SoftmaxText(30, 300), view, 1e-12);
  view.data = reinterpret_cast<char*>(values.data());
  view.strides[0] = 8;
  view.strides[1] = 30 * 8;
  ExpectSame(SoftmaxText(30, 300), view, 1e-12);
}

// The kernels that ran, in order, by the log.
std::vector<std::string> KernelsOf(const std::string& text, const StridedView& input) {
  std::vector<std::string> kernels;
  SetLogSink([&](absl::string_view line) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    const auto at = std::find(words.begin(), words.end(), "kernel");
    if (at != words.end()) kernels.push_back(at[1]);
  });
  EXPECT_TRUE(ConfigureLogs("+device").ok());
  RunOn("cuda", text, input);
  EXPECT_TRUE(ConfigureLogs("").ok());
  SetLogSink(nullptr);
  return kernels;
}

// A softmax along the second of three axes; the maximum keeps its axis, the sum does not.
std::string MiddleSoftmaxText(int64_t outer, int64_t length, int64_t inner) {
  return absl::StrReplaceAll(
      R"(graph {
    %0: f64[A, N, B] = input 0
    %1: f64[A, 1, B] = reduce_max %0 axes[1] keepdims
    %2: f64[A, N, B] = view %1 axis[0, -1, 2] start[0, 0, 0] step[1, 0, 1]
    %3: f64[A, N, B] = subtract %0, %2
    %4: f64[A, N, B] = exp %3
    %5: f64[A, B] = reduce_sum %4 axes[1]
    %6: f64[A, N, B] = view %5 axis[0, -1, 1] start[0, 0] step[1, 0, 1]
    %7: f64[A, N, B] = divide %4, %6
    return %7
  })",
      {{"A", absl::StrCat(outer)}, {"N", absl::StrCat(length)}, {"B", absl::StrCat(inner)}});
}

// Rows side by side: one kernel, with neighbouring threads in neighbouring rows; up to the longest
// that registers keep, and blocks that end with the last row, or past it. Few neighbours are rows
// like others.
TEST_F(DeviceRunTest, RowsSideBySide) {
  struct Case {
    int64_t outer, length, inner;
    const char* kernel;
  };
  for (const Case& at : {Case{1, 1, 40, "r0_columns"},
                         {1, 2, 8, "r0_columns"},
                         {1, 9, 32, "r0_columns"},
                         {1, 64, 100, "r0_columns"},
                         {3, 65, 33, "r0_columns"},
                         {5, 129, 11, "r0_columns"},
                         {2, 257, 70, "r0_columns"},
                         {1, 512, 9, "r0_columns"},
                         {9, 20, 7, "r0_warp"},
                         {4, 20, 1, "r0_warp"}}) {
    std::vector<double> values = Counting(at.outer * at.length * at.inner);
    const std::string text = MiddleSoftmaxText(at.outer, at.length, at.inner);
    const StridedView view = ViewOf(values, DType::kFloat64, {at.outer, at.length, at.inner});
    ExpectSame(text, view, 1e-12);
    EXPECT_THAT(KernelsOf(text, view), ElementsAre(at.kernel)) << text;
  }
}

// Where registers do not keep them each group's kernel reads them side by side.
TEST_F(DeviceRunTest, LongRowsSideBySideGoGroupByGroup) {
  std::vector<double> values = Counting(513 * 40);
  const StridedView view = ViewOf(values, DType::kFloat64, {1, 513, 40});
  ExpectSame(MiddleSoftmaxText(1, 513, 40), view, 1e-12);
  EXPECT_THAT(
      KernelsOf(MiddleSoftmaxText(1, 513, 40), view),
      ElementsAre("g0_columns", "g0_combine", "g1_nd", "g2_columns", "g2_combine", "g3_nd"));
}

// A mean of halves, which is a call of NumPy's on the host, is a part of a norm here.
TEST_F(DeviceRunTest, Float16MeansAreSpelledOut) {
  std::vector<double> values(64 * 40);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 8);
  testing::Register(Op::kDivide, DType::kFloat32,
                    testing::BinaryLoop<float, [](float a, float b) { return a / b; }>);
  const std::string text = GraphText("[64, 40]", R"(
    %1: f16[64, 40] = cast %0
    %2: f16[64, 1] = mean %1 axes[1] keepdims call 904
    %3: f32[64, 1] = cast %2
    %4: f32[64, 40] = view %3 axis[0, -1] start[0, 0] step[1, 0]
    %5: f32[64, 40] = cast %1
    %6: f32[64, 40] = subtract %5, %4
    %7: f16[64, 40] = cast %6
    %8: f16[64] = mean %7 axes[1] call 904
    %9: f32[64] = cast %8
    %10: f32[64, 40] = view %9 axis[0, -1] start[0] step[1, 0]
    %11: f32[64, 40] = subtract %6, %10
    %12: f64[64, 40] = cast %11
    return %12)");
  const StridedView view = ViewOf(values, DType::kFloat64, {64, 40});
  const std::vector<double> centred = RunOn("cuda", text, view);
  ASSERT_EQ(centred.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(centred[i], values[i] - 3.5) << i;
  EXPECT_THAT(KernelsOf(text, view), ElementsAre("r0_warp"));
}

// How an array lies decides, not which of its axes is reduced.
TEST_F(DeviceRunTest, RowsOfTransposedArrays) {
  std::vector<double> values = Counting(60 * 50);
  StridedView view = ViewOf(values, DType::kFloat64, {60, 50});
  view.strides[1] = 60 * 8;
  view.strides[0] = 8;
  ExpectSame(SoftmaxText(60, 50), view, 1e-12);
  EXPECT_THAT(KernelsOf(SoftmaxText(60, 50), view), ElementsAre("r0_columns"));
  view = ViewOf(values, DType::kFloat64, {1, 60, 50});
  view.strides[1] = 8;
  view.strides[2] = 60 * 8;
  ExpectSame(MiddleSoftmaxText(1, 60, 50), view, 1e-12);
  EXPECT_THAT(KernelsOf(MiddleSoftmaxText(1, 60, 50), view), ElementsAre("r0_warp"));
}

// What is read later is stored, numbers of a row among it; what is not has no memory.
TEST_F(DeviceRunTest, RowKernelsStoreWhatIsReadLater) {
  std::vector<double> values = Counting(12 * 14 * 40);
  const std::string text = R"(graph {
    %0: f64[12, 14, 40] = input 0
    %1: f64[12, 14, 1] = reduce_sum %0 axes[2] keepdims
    %2: f64[12, 14, 1] = full 40
    %3: f64[12, 14, 1] = divide %1, %2
    %4: f64[12, 14, 40] = view %3 axis[0, 1, -1] start[0, 0, 0] step[1, 1, 0]
    %5: f64[12, 14, 40] = subtract %0, %4
    %6: f64[12, 14, 40] = multiply %5, %5
    %7: f64[12, 14, 1] = reduce_sum %6 axes[2] keepdims
    %8: f64[12, 14, 40] = view %7 axis[0, 1, -1] start[0, 0, 0] step[1, 1, 0]
    %9: f64[12, 14, 40] = divide %5, %8
    return %9, %3, %5
  })";
  const uint64_t launches = ProcessStats().device_launches;
  GraphRunner device(text, "cuda"), reference(text, "reference");
  ASSERT_TRUE(device.status().ok()) << device.status();
  ASSERT_TRUE(reference.status().ok()) << reference.status();
  VectorSink on_device, expected;
  const StridedView view = ViewOf(values, DType::kFloat64, {12, 14, 40});
  ASSERT_TRUE(device.RunOnce({view}, on_device).ok());
  ASSERT_TRUE(reference.RunOnce({view}, expected).ok());
  EXPECT_EQ(ProcessStats().device_launches - launches, 1);
  for (int i = 0; i < 3; ++i) {
    const auto got = on_device.Values<double>(i), want = expected.Values<double>(i);
    ASSERT_EQ(got.size(), want.size());
    for (size_t k = 0; k < got.size(); ++k) {
      EXPECT_NEAR(got[k], want[k], 1e-11 * std::max(1.0, std::abs(want[k]))) << i << " " << k;
    }
  }
}

// Whole tiles and parts of tiles, two of them turned, and further axes around.
TEST_F(DeviceRunTest, TransposesGoThroughSharedMemory) {
  std::vector<double> values = Counting(70 * 70 * 5);
  for (const auto& [m, n] : {std::pair(64, 32), {70, 45}, {16, 17}, {33, 70}, {1, 70}, {70, 3}}) {
    const std::string text = absl::StrReplaceAll(R"(graph {
      %0: f64[M, N] = input 0
      %1: f64[N, M] = view %0 axis[1, 0] start[0, 0] step[1, 1]
      %2: f64[N, M] = reshape %0
      %3: f64[N, M] = multiply %1, %2
      return %3
    })",
                                                 {{"M", absl::StrCat(m)}, {"N", absl::StrCat(n)}});
    StridedView view = ViewOf(values, DType::kFloat64, {m, n});
    ExpectSame(text, view);
    const bool is_tiled = std::min(m, n) >= 16;
    EXPECT_THAT(KernelsOf(text, view), ElementsAre(is_tiled ? "g1_tiled"
                                                   : m == 1 ? "g1"
                                                            : "g1_nd"));
  }
  const std::string text = R"(graph {
    %0: f64[40, 5, 70] = input 0
    %1: f64[70, 5, 40] = view %0 axis[2, 1, 0] start[0, 4, 0] step[1, -1, 1]
    %2: f64[70, 5, 40] = reshape %0
    %3: f64[70, 5, 40] = subtract %1, %2
    return %3
  })";
  ExpectSame(text, ViewOf(values, DType::kFloat64, {40, 5, 70}));
  EXPECT_THAT(KernelsOf(text, ViewOf(values, DType::kFloat64, {40, 5, 70})),
              ElementsAre("g1_tiled"));
}

TEST_F(DeviceRunTest, RolledArraysAreReadOnTheDevice) {
  std::vector<double> values = Counting(12 * 30 * 7);
  const std::string text = R"(graph {
    %0: f64[12, 30, 7] = input 0
    %1: f64[12, 30, 7] = roll %0 shift[1, 0, 6]
    %2: f64[12, 30, 7] = roll %0 shift[11, 29, 0]
    %3: f64[12, 30, 7] = add %1, %2
    %4: f64[12, 30, 7] = subtract %3, %0
    return %4
  })";
  const StridedView view = ViewOf(values, DType::kFloat64, {12, 30, 7});
  const uint64_t from = ProcessStats().bytes_from_device;
  ExpectSame(text, view);
  EXPECT_EQ(ProcessStats().bytes_from_device - from, view.size() * 8);
  EXPECT_THAT(KernelsOf(text, view), ElementsAre("g0_rolled"));
}

// Parts that are computed where they are stored, parts that are copied, and a chain of versions
// that is read in between: no step of the host, and the result alone is copied back.
TEST_F(DeviceRunTest, StoresStayOnTheDevice) {
  std::vector<double> values = Counting(6 * 1000);
  const std::string text = R"(graph {
    %0: f64[6, 1000] = input 0
    %1: f64[4, 998] = view %0 axis[0, 1] start[0, 1] step[1, 1]
    %2: f64[4, 998] = view %0 axis[0, 1] start[2, 1] step[1, 1]
    %3: f64[4, 998] = add %1, %2
    %4: f64[6, 1000] = store %0, %3 axis[0, 1] start[1, 1] step[1, 1]
    %5: f64[1000] = view %0 axis[1] start[1, 999] step[-1]
    %6: f64[6, 1000] = store %4, %5 axis[1] start[0, 0] step[1]
    %7: f64[6, 1000] = multiply %6, %6
    %8: f64[] = scalar 7
    %9: f64[6, 1000] = store %7, %8 axis[] start[3, 5] step[]
    return %9
  })";
  const uint64_t from = ProcessStats().bytes_from_device;
  ExpectSame(text, ViewOf(values, DType::kFloat64, {6, 1000}));
  EXPECT_EQ(ProcessStats().bytes_from_device - from, 6 * 1000 * 8);
}

TEST_F(DeviceRunTest, MatrixProducts) {
  struct Case {
    int64_t m, k, n;
  };
  for (const Case& row : {Case{1, 1, 1},
                          {1, 40, 70},
                          {70, 40, 1},
                          {64, 16, 64},
                          {65, 17, 63},
                          {30, 0, 20},
                          {130, 33, 70},
                          {1, 3000, 1},
                          {40, 700, 1},
                          {1, 300, 6},
                          {1, 90, 40}}) {
    std::vector<double> values = Counting(std::max<int64_t>(row.m * row.k, 1));
    for (const bool turned : {false, true}) {
      const std::string text = absl::StrReplaceAll(
          turned ? R"(graph {
            %0: f64[K, M] = input 0
            %1: f64[M, K] = view %0 axis[1, 0] start[0, 0] step[1, 1]
            %2: f64[K, N] = full 0.5
            %3: f64[M, N] = matmul %1, %2
            return %3
          })"
                 : R"(graph {
            %0: f64[M, K] = input 0
            %1: f64[M, K] = add %0, %0
            %2: f64[K, N] = full 0.5
            %3: f64[M, N] = matmul %1, %2
            return %3
          })",
          {{"M", absl::StrCat(row.m)}, {"K", absl::StrCat(row.k)}, {"N", absl::StrCat(row.n)}});
      std::vector<int64_t> shape = {row.m, row.k};
      if (turned) std::swap(shape[0], shape[1]);
      ExpectSame(text, ViewOf(values, DType::kFloat64, shape), 1e-12);
    }
  }
  std::vector<double> values = Counting(3 * 4 * 20 * 30);
  ExpectSame(R"(graph {
    %0: f64[3, 4, 20, 30] = input 0
    %1: f64[30, 20] = view %0 axis[3, 2] start[1, 3, 0, 0] step[1, 1]
    %2: f64[3, 4, 20, 20] = matmul %0, %1
    return %2
  })",
             ViewOf(values, DType::kFloat64, {3, 4, 20, 30}), 1e-12);
}

// Random programs of stores, rolls, views and concatenations, with the bits of the reference.
TEST_F(DeviceRunTest, RandomStores) {
  testing::ForEachSeed(0, 40, [](uint64_t seed) { testing::StoreFuzzer(seed, "cuda").Run(); });
}

// Rows that are cut and rows that are not, columns, and what lies with gaps.
TEST_F(DeviceRunTest, ScansOfLibraryCalls) {
  for (const auto& [m, n] :
       {std::pair(1, 1), {3, 31}, {2, 1024}, {2, 1025}, {1, 70001}, {300, 5}}) {
    std::vector<double> values(2 * m * n);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 13) - 5;
    for (const int axis : {1, 0}) {
      StridedView view = ViewOf(values, DType::kFloat64, {m, n});
      view.strides[0] = 16 * n;
      view.strides[1] = 16;
      const std::string shape = absl::StrCat("[", m, ", ", n, "]");
      const uint64_t launches = ProcessStats().device_launches;
      const std::vector<double> sums =
          RunOn("cuda",
                GraphText(shape, absl::StrCat("%1: f64", shape, " = cumsum %0 axis[", axis,
                                              "] call 901\nreturn %1")),
                view);
      EXPECT_GT(ProcessStats().device_launches, launches);
      ASSERT_EQ(sums.size(), size_t(m) * n);
      for (int i = 0; i < m * n; ++i) {
        const int before = axis == 1 ? (i % n == 0 ? -1 : i - 1) : i - n;
        ASSERT_EQ(sums[i], values[2 * i] + (before < 0 ? 0 : sums[before])) << shape << i;
      }
    }
  }
}

// What no device does, and what it leaves to the host, is computed there element by element.
TEST_F(DeviceRunTest, OpsWithoutCalls) {
  std::vector<double> values(60);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * 7 % 11) - 5;
  ExpectSame(GraphText("[6, 10]", R"(
    %1: i64[6] = argmax %0 axes[1]
    %2: f64[6, 6] = gather %0, %1 at[:, %1]
    %3: f64[6, 6] = add %2, %2
    %4: f64[6, 10] = scatter %0, %1, %3 into %0 at[:, %1] add %3
    %5: f64[6, 10] = cumsum %4 axis[1]
    %6: i64[6] = argmin %5 axes[1]
    return %5)"),
             ViewOf(values, DType::kFloat64, {6, 10}), 1e-12);
}

// A reduction of an input as it lies, and steps of the host (a product of bools) between the
// device's.
TEST_F(DeviceRunTest, HostStepsBetweenTheDevices) {
  testing::Register(Op::kMatmul, DType::kBool, testing::MatmulLoop<uint8_t>);
  std::vector<double> values = Counting(400);
  const std::string text = GraphText("[20, 20]", R"(
    %1: f64[20] = reduce_max %0 axes[1]
    %2: f64[20, 20] = multiply %0, %0
    %3: bool[20, 20] = less %2, %0
    %4: bool[20, 20] = matmul %3, %3
    %5: f64[20, 20] = where %4, %2, %0
    %6: f64[20] = reduce_sum %5 axes[1]
    %7: f64[20] = add %6, %1
    return %7)");
  ExpectSame(text, ViewOf(values, DType::kFloat64, {20, 20}), 1e-12);
}

TEST_F(DeviceRunTest, ReshapesStayOnTheDevice) {
  std::vector<double> values = Counting(600);
  const uint64_t from = ProcessStats().bytes_from_device;
  ExpectSame(GraphText("[20, 30]", R"(
    %1: f64[20, 30] = multiply %0, %0
    %2: f64[600] = reshape %1
    %3: f64[] = reduce_max %2 axes[0]
    %4: f64[] = add %3, %3
    return %4)"),
             ViewOf(values, DType::kFloat64, {20, 30}));
  EXPECT_EQ(ProcessStats().bytes_from_device - from, 8);
  // A reshape of what is transposed needs a copy.
  ExpectSame(GraphText("[20, 30]", R"(
    %1: f64[20, 30] = multiply %0, %0
    %2: f64[30, 20] = view %1 axis[1, 0] start[0, 0] step[1, 1]
    %3: f64[600] = reshape %2
    %4: f64[600] = add %3, %3
    return %4)"),
             ViewOf(values, DType::kFloat64, {20, 30}));
}

TEST_F(DeviceRunTest, CountsAndLogsCopies) {
  std::vector<double> values = Counting(1000);
  std::vector<std::string> lines;
  SetLogSink([&](absl::string_view line) { lines.emplace_back(line); });
  ASSERT_TRUE(ConfigureLogs("+device").ok());
  const uint64_t to = ProcessStats().bytes_to_device, from = ProcessStats().bytes_from_device;
  RunOn("cuda", GraphText("[1000]", "%1: f64[1000] = multiply %0, %0\nreturn %1"),
        ViewOf(values, DType::kFloat64, {1000}));
  ASSERT_TRUE(ConfigureLogs("").ok());
  SetLogSink(nullptr);
  EXPECT_EQ(ProcessStats().bytes_to_device - to, 8000);
  EXPECT_EQ(ProcessStats().bytes_from_device - from, 8000);
  EXPECT_THAT(lines, ElementsAre(HasSubstr("copied 8000 bytes to the device"),
                                 HasSubstr("copied 8000 bytes from the device"),
                                 HasSubstr("kernel g0 took 1000 us"),
                                 HasSubstr("1 launches, 8000 bytes to the device, 8000 from it")));
}

constexpr char kSquares[] = R"(graph {
  %0: f64[1000] = input 0
  %1: f64[1000] = multiply %0, %0
  return %1
})";

absl::Status RunSquares(GraphRunner& runner) {
  std::vector<double> values = Counting(1000);
  VectorSink sink;
  return runner.RunOnce({ViewOf(values, DType::kFloat64, {1000})}, sink).status();
}

TEST_F(DeviceRunTest, WithoutMemoryTheRunEndsAndTheNextOneWorks) {
  GraphRunner runner(kSquares, "cuda");
  ASSERT_TRUE(runner.status().ok()) << runner.status();
  std::string heard;
  SetLogSink([&](absl::string_view line) { heard.append(line.data(), line.size()); });
  ConfigureSimulator("DYNACC_SIM_MEMORY=9000");
  const absl::Status status = RunSquares(runner);
  SetLogSink(nullptr);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(heard, HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
  ConfigureSimulator("");
  EXPECT_TRUE(RunSquares(runner).ok());
}

// The input, the result and a scratch: whatever cannot be had, the run ends, and all is given back.
TEST_F(DeviceRunTest, ARowKernelWithoutMemoryEndsTheRun) {
  constexpr int64_t kRows = 3, kLength = 20000;
  GraphRunner runner(SoftmaxText(kRows, kLength), "cuda");
  ASSERT_TRUE(runner.status().ok()) << runner.status();
  std::vector<double> values = Counting(kRows * kLength);
  SetLogSink([](absl::string_view) {});
  for (const int64_t bytes : {400'000, 800'000, 1'400'000}) {
    VectorSink sink;
    ConfigureSimulator(absl::StrCat("DYNACC_SIM_MEMORY=", bytes));
    EXPECT_EQ(
        runner.RunOnce({ViewOf(values, DType::kFloat64, {kRows, kLength})}, sink).status().code(),
        absl::StatusCode::kResourceExhausted)
        << bytes;
  }
  SetLogSink(nullptr);
  ConfigureSimulator("DYNACC_SIM_MEMORY=1600000");
  for (int i = 0; i < 2; ++i) {
    VectorSink sink;
    EXPECT_TRUE(runner.RunOnce({ViewOf(values, DType::kFloat64, {kRows, kLength})}, sink).ok());
  }
  ConfigureSimulator("");
}

// Whatever allocation is the first that fails, the run ends and the next one gives the right
// result.
TEST_F(DeviceRunTest, StoresProductsAndScansWithoutMemoryEndTheRun) {
  std::vector<double> values = Counting(60 * 1000);
  const StridedView view = ViewOf(values, DType::kFloat64, {60, 1000});
  GraphRunner runner(R"(graph {
    %0: f64[60, 1000] = input 0
    %1: f64[1000] = view %0 axis[1] start[7, 0] step[1]
    %2: f64[60, 1000] = store %0, %1 axis[1] start[3, 0] step[1]
    %3: f64[1000, 20] = full 0.25
    %4: f64[60, 20] = matmul %2, %3
    %5: f64[60000] = reshape %2
    %6: f64[60000] = cumsum %5 axis[0] call 903
    return %4, %6
  })",
                     "cuda");
  ASSERT_TRUE(runner.status().ok()) << runner.status();
  SetLogSink([](absl::string_view) {});
  // More and more memory: a pool keeps what it once had, so the other way round none would fail.
  std::vector<double> sums;
  int failed = 0;
  for (int64_t bytes = 100'000; sums.empty() && bytes < 4'000'000; bytes += 100'000) {
    ConfigureSimulator(absl::StrCat("DYNACC_SIM_MEMORY=", bytes));
    VectorSink sink;
    const absl::Status status = runner.RunOnce({view}, sink).status();
    if (status.ok()) {
      sums = sink.Values<double>(1);
      continue;
    }
    ++failed;
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  }
  SetLogSink(nullptr);
  ConfigureSimulator("");
  EXPECT_GT(failed, 5);
  ASSERT_FALSE(sums.empty());
  EXPECT_NEAR(sums.back(),
              std::accumulate(values.begin(), values.end(), 0.0) +
                  std::accumulate(values.begin() + 7000, values.begin() + 8000, 0.0) -
                  std::accumulate(values.begin() + 3000, values.begin() + 4000, 0.0),
              1e-6);
}

TEST_F(DeviceRunTest, ThreadsShareAGraph) {
  GraphRunner runner(kSquares, "cuda");
  ASSERT_TRUE(runner.status().ok()) << runner.status();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        std::vector<double> values = Counting(1000);
        VectorSink sink;
        EXPECT_TRUE(runner.RunOnce({ViewOf(values, DType::kFloat64, {1000})}, sink).ok());
        EXPECT_EQ(sink.Values<double>(0)[999], values[999] * values[999]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(DeviceRunTest, AModuleThatDoesNotLoadIsAnError) {
  ConfigureSimulator("DYNACC_SIM_FAIL=cuModuleLoadData:1:200");
  GraphRunner runner(R"(graph {
    %0: f64[7] = input 0
    %1: f64[7] = add %0, %0
    %2: f64[7] = multiply %1, %0
    return %2
  })",
                     "cuda");
  EXPECT_EQ(runner.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(runner.status().message(), HasSubstr("CUDA_ERROR_INVALID_IMAGE"));
}

// The last test of the file: nothing runs on the device afterwards, in this process.
TEST_F(DeviceRunTest, ZAFaultNamesTheSegmentAndLaterRunsSayThatTheDeviceIsLost) {
  GraphRunner runner(kSquares, "cuda", "squares (prog.py:3)");
  ASSERT_TRUE(runner.status().ok()) << runner.status();
  ConfigureSimulator("DYNACC_SIM_FAIL=cuStreamSynchronize:1:719");
  const absl::Status status = RunSquares(runner);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("on the GPU, in squares (prog.py:3): "));
  EXPECT_THAT(status.message(), HasSubstr("CUDA_ERROR_LAUNCH_FAILED"));
  const absl::Status later = RunSquares(runner);
  EXPECT_EQ(later.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(later.message(), HasSubstr("is lost to this process since"));
}

}  // namespace
}  // namespace dynacc::cuda
