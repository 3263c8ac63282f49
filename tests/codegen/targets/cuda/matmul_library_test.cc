// Matrix products by cuBLASLt's stand-in (tests/cuda_sim/cublaslt.cc): which products are the
// library's and how they lie, results, runs that are given again, and what goes wrong.
#include "runtime/cuda/matmul_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/log.h"
#include "runtime/base/stats.h"
#include "tests/codegen/targets/cuda/simulated_device.h"

namespace dynacc::cuda {
namespace {

using testing::ConfigureSimulator;
using ::testing::HasSubstr;
using testing::KeepingSink;
using testing::OnDevice;
using testing::ResidentGraph;
using testing::ToDevice;
using testing::ToHost;
using testing::UsedOnDevice;

class MatmulLibraryTest : public testing::SimulatedDeviceTest {
 protected:
  void SetUp() override {
    ProcessOptions().cublaslt = DYNACC_CUDA_SIM;
    SimulatedDeviceTest::SetUp();
    testing::Register(Op::kMatmul, DType::kFloat32, testing::MatmulLoop<float>);
    testing::Register(Op::kMatmul, DType::kComplex128, testing::MatmulLoop<std::complex<double>>);
    ASSERT_TRUE(ProcessCublasLt().ok()) << ProcessCublasLt().status();
  }
};

StridedView Seen(char* data, DType dtype, std::vector<int64_t> shape,
                 std::vector<int64_t> strides) {
  StridedView view;
  view.data = data;
  view.dtype = dtype;
  view.rank = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), view.shape);
  std::copy(strides.begin(), strides.end(), view.strides);
  return view;
}

StridedView Dense(std::vector<int64_t> shape, DType dtype = DType::kFloat32,
                  uint64_t address = 4096) {
  StridedView view = Seen(reinterpret_cast<char*>(address), dtype, shape, shape);
  SetContiguousStrides(view);
  return view;
}

TEST(MatmulShapeTest, RowMajorProductsAreTheirTransposes) {
  const auto call =
      AsCublasLtCall(Dense({5, 7}), Dense({7, 3}, DType::kFloat32, 4096 + 4), Dense({5, 3}));
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->shape.rows, 3);
  EXPECT_EQ(call->shape.columns, 5);
  EXPECT_EQ(call->shape.depth, 7);
  EXPECT_EQ(call->first, reinterpret_cast<char*>(4096 + 4));
  EXPECT_EQ(call->shape.first.alignment, 4);
  EXPECT_EQ(call->shape.second.alignment, 16);
  EXPECT_FALSE(call->shape.first.is_turned);
  EXPECT_EQ(call->shape.first.leading, 3);
  EXPECT_EQ(call->shape.second.leading, 7);
}

TEST(MatmulShapeTest, ABatchByOneMatrixIsOneProduct) {
  const auto call = AsCublasLtCall(Dense({4, 5, 7}), Dense({7, 3}), Dense({4, 5, 3}));
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->shape.batch, 1);
  EXPECT_EQ(call->shape.columns, 20);
  const auto other = AsCublasLtCall(Dense({5, 7}), Dense({4, 7, 3}), Dense({4, 5, 3}));
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->shape.batch, 4);
  EXPECT_EQ(other->shape.second.step, 0);
  EXPECT_EQ(other->shape.first.step, 21);
}

TEST(MatmulShapeTest, WhatTheLibraryHasNoProductsOf) {
  EXPECT_FALSE(AsCublasLtCall(Dense({5, 7}, DType::kInt32), Dense({7, 3}, DType::kInt32),
                              Dense({5, 3}, DType::kInt32)));
  EXPECT_FALSE(AsCublasLtCall(Dense({5, 0}), Dense({0, 3}), Dense({5, 3})));
  EXPECT_FALSE(AsCublasLtCall(Dense({0, 5}), Dense({5, 3}), Dense({0, 3})));
  char* const data = reinterpret_cast<char*>(4096);
  const StridedView b = Dense({7, 3}), out = Dense({5, 3});
  // Every other element; backwards; all rows the same.
  EXPECT_FALSE(AsCublasLtCall(Seen(data, DType::kFloat32, {5, 7}, {56, 8}), b, out));
  EXPECT_FALSE(AsCublasLtCall(Seen(data, DType::kFloat32, {5, 7}, {-28, 4}), b, out));
  EXPECT_FALSE(AsCublasLtCall(Seen(data, DType::kFloat32, {5, 7}, {0, 4}), b, out));
  // Leading axes that are not one.
  EXPECT_FALSE(AsCublasLtCall(Dense({2, 1, 5, 7}), Dense({1, 3, 7, 3}), Dense({2, 3, 5, 3})));
}

// Small whole numbers, so that sums are exact in any order.
template <typename T>
T Value(int64_t i) {
  return static_cast<T>(i % 7 - 3);
}
template <>
std::complex<double> Value(int64_t i) {
  return {static_cast<double>(i % 7 - 3), static_cast<double>(i % 5 - 2)};
}

// How an operand lies: its rows, its columns, and whether neighbours of a column lie side by side.
struct Case {
  int64_t m, k, n;
  bool turn_a, turn_b;
};

// The graph of a product whose operands are inputs or seen turned, and what it is.
template <typename T>
void CheckProduct(const Case& row, const char* dtype_text, DType dtype, int64_t batch) {
  const std::string text = absl::StrReplaceAll(
      R"(graph {
      %0: D[B, AR, AC] = input 0
      %1: D[BR, BC] = input 1
      %2: D[B, M, K] = VIEW_A
      %3: D[K, N] = VIEW_B
      %4: D[B, M, N] = matmul %2, %3
      return %4
    })",
      {{"VIEW_A", row.turn_a ? "view %0 axis[0, 2, 1] start[0, 0, 0] step[1, 1, 1]"
                             : "view %0 axis[0, 1, 2] start[0, 0, 0] step[1, 1, 1]"},
       {"VIEW_B", row.turn_b ? "view %1 axis[1, 0] start[0, 0] step[1, 1]"
                             : "view %1 axis[0, 1] start[0, 0] step[1, 1]"},
       {"AR", absl::StrCat(row.turn_a ? row.k : row.m)},
       {"AC", absl::StrCat(row.turn_a ? row.m : row.k)},
       {"BR", absl::StrCat(row.turn_b ? row.n : row.k)},
       {"BC", absl::StrCat(row.turn_b ? row.k : row.n)},
       {"B,", absl::StrCat(batch, ",")},
       {"M,", absl::StrCat(row.m, ",")},
       {"K]", absl::StrCat(row.k, "]")},
       {"K,", absl::StrCat(row.k, ",")},
       {"N]", absl::StrCat(row.n, "]")},
       {"D[", absl::StrCat(dtype_text, "[")}});
  const ResidentGraph graph(text, {true});
  std::vector<T> a(batch * row.m * row.k), b(row.k * row.n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = Value<T>(static_cast<int64_t>(i));
  for (size_t i = 0; i < b.size(); ++i) b[i] = Value<T>(static_cast<int64_t>(3 * i + 1));
  const OnDevice in_a = row.turn_a ? ToDevice(a, dtype, {batch, row.k, row.m})
                                   : ToDevice(a, dtype, {batch, row.m, row.k});
  const OnDevice in_b =
      row.turn_b ? ToDevice(b, dtype, {row.n, row.k}) : ToDevice(b, dtype, {row.k, row.n});
  KeepingSink sink;
  const uint64_t launches = ProcessStats().device_launches;
  ASSERT_TRUE(graph.Run({in_a.view, in_b.view}, sink).ok()) << text;
  EXPECT_EQ(ProcessStats().device_launches - launches, 1) << text;
  const std::vector<T> product = ToHost<T>(sink.results[0]->view);
  for (int64_t p = 0; p < batch; ++p) {
    for (int64_t i = 0; i < row.m; ++i) {
      for (int64_t j = 0; j < row.n; ++j) {
        T expected = {};
        for (int64_t k = 0; k < row.k; ++k) {
          expected += a[p * row.m * row.k + (row.turn_a ? k * row.m + i : i * row.k + k)] *
                      b[row.turn_b ? j * row.k + k : k * row.n + j];
        }
        ASSERT_EQ(product[(p * row.m + i) * row.n + j], expected) << text << i << " " << j;
      }
    }
  }
}

TEST_F(MatmulLibraryTest, ProductsOfAllFormsAndTypes) {
  std::vector<std::string> lines;
  SetLogSink([&](absl::string_view line) { lines.emplace_back(line); });
  ASSERT_TRUE(ConfigureLogs("+device").ok());
  for (const bool turn_a : {false, true}) {
    for (const bool turn_b : {false, true}) {
      CheckProduct<double>({9, 20, 14, turn_a, turn_b}, "f64", DType::kFloat64, 1);
      CheckProduct<double>({3, 130, 5, turn_a, turn_b}, "f64", DType::kFloat64, 4);
      CheckProduct<float>({5, 17, 31, turn_a, turn_b}, "f32", DType::kFloat32, 3);
      CheckProduct<std::complex<double>>({4, 6, 5, turn_a, turn_b}, "c128", DType::kComplex128, 2);
    }
  }
  ASSERT_TRUE(ConfigureLogs("").ok());
  SetLogSink(nullptr);
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const std::string& line) {
                            return line.find("kernel cublasLtMatmul took") != std::string::npos;
                          }),
            16);
}

// A graph around a product whose sums are long enough for a workspace, run again and again.
class RunsOfAProduct {
 public:
  RunsOfAProduct()
      : graph_(R"(graph {
        %0: f64[6, 200] = input 0
        %1: f64[200, 4] = input 1
        %2: f64[6, 200] = multiply %0, %0
        %3: f64[6, 4] = matmul %2, %1
        %4: f64[6, 4] = add %3, %3
        return %4
      })",
               {true}) {}

  void RunAndCheck(int seed) const {
    std::vector<double> x(6 * 200), y(200 * 4);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>((i + seed) % 9) - 4;
    for (size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>((i * 5 + seed) % 11);
    const OnDevice a = ToDevice(x, DType::kFloat64, {6, 200});
    const OnDevice b = ToDevice(y, DType::kFloat64, {200, 4});
    KeepingSink sink;
    ASSERT_TRUE(graph_.Run({a.view, b.view}, sink).ok());
    const std::vector<double> product = ToHost(sink.results[0]->view);
    for (int i = 0; i < 24; ++i) {
      double expected = 0;
      for (int k = 0; k < 200; ++k) {
        expected += x[i / 4 * 200 + k] * x[i / 4 * 200 + k] * y[k * 4 + i % 4];
      }
      ASSERT_EQ(product[i], 2 * expected) << seed << " " << i;
    }
  }

 private:
  ResidentGraph graph_;
};

TEST_F(MatmulLibraryTest, RunsAreGivenAgain) {
  const RunsOfAProduct runs;
  for (int seed = 0; seed < 4; ++seed) runs.RunAndCheck(seed);
  // The heuristic is asked once, and a run that is given again asks for nothing but its product.
  ConfigureSimulator(
      "DYNACC_SIM_FAIL=cublasLtMatmulAlgoGetHeuristic:*:7,cublasLtMatrixLayoutCreate:*:7");
  for (int seed = 4; seed < 8; ++seed) runs.RunAndCheck(seed);
}

TEST_F(MatmulLibraryTest, WithoutMemoryForAWorkspaceTheEmittedKernelMultiplies) {
  const RunsOfAProduct runs;
  const uint64_t before = UsedOnDevice();
  // The squares, the product and then its workspace, twice, as the pool is emptied in between.
  ConfigureSimulator("DYNACC_SIM_FAIL=cuMemAllocFromPoolAsync:5:2,cuMemAllocFromPoolAsync:6:2");
  runs.RunAndCheck(0);
  ConfigureSimulator("");
  runs.RunAndCheck(1);
  EXPECT_EQ(UsedOnDevice(), before);
}

TEST_F(MatmulLibraryTest, WithoutAnAlgorithmTheEmittedKernelMultiplies) {
  ConfigureSimulator("DYNACC_SIM_FAIL=cublasLtMatmulAlgoGetHeuristic:*:15");
  for (const int64_t m : {11, 12}) {
    CheckProduct<double>({m, 21, 15, false, true}, "f64", DType::kFloat64, 1);
  }
}

// The last test: afterwards this process asks the library no more.
TEST_F(MatmulLibraryTest, ZALibraryThatFailsIsLeft) {
  const RunsOfAProduct runs;
  for (int seed = 0; seed < 3; ++seed) runs.RunAndCheck(seed);
  const uint64_t before = UsedOnDevice();
  std::string heard;
  SetLogSink([&](absl::string_view line) { absl::StrAppend(&heard, line); });
  ConfigureSimulator("DYNACC_SIM_FAIL=cublasLtMatmul:1:13");
  for (int seed = 3; seed < 8; ++seed) runs.RunAndCheck(seed);
  SetLogSink(nullptr);
  EXPECT_THAT(heard, HasSubstr("cuBLASLt on CUDA device 0 failed: cublasLtMatmul: "
                               "CUBLAS_STATUS_EXECUTION_FAILED (13); matrix products go on with "
                               "emitted kernels"));
  EXPECT_EQ(UsedOnDevice(), before);
  CheckProduct<float>({5, 17, 31, false, false}, "f32", DType::kFloat32, 3);
}

TEST(CublasLtTest, AnotherLibraryIsNone) {
  EXPECT_THAT(CublasLt::Open("libnone.so").status().message(),
              HasSubstr("no cuBLASLt: libnone.so"));
  EXPECT_THAT(CublasLt::Open("libc.so.6").status().message(),
              HasSubstr("libc.so.6 has no cublasLtGetVersion"));
}

}  // namespace
}  // namespace dynacc::cuda
