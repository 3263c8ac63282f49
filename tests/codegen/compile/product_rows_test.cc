// Products that run block of rows by block of rows with what comes before and after them give what
// each row gives by itself.
#include <cmath>
#include <cstdlib>
#include <limits>

#include "gtest/gtest.h"
#include "runtime/base/stats.h"
#include "runtime/cpu/matmul/ordered_matmul.h"
#include "tests/codegen/graph_runner.h"
#include "tests/codegen/mimic_loops.h"

namespace dynacc::compile {
namespace {

using testing::GraphRunner;
using testing::VectorSink;
using testing::ViewOf;

// More threads than this machine may have cores: read at the first use of the pool.
const int kThreadsSet = setenv("DYNACC_THREADS", "3", 1);

// softmax(q @ k.T / 4) @ v, with s0 heads of s1 rows of 16, and s2 keys.
constexpr char kAttention[] = R"(graph {
    scalars: s0 = input int, s1 = input int, s2 = input int
    %0: f64[s0, s1, 16] = input 0
    %1: f64[s0, s2, 16] = input 1
    %2: f64[s0, 16, s2] = view %1 axis[0, 2, 1] start[0, 0, 0] step[1, 1, 1]
    %3: f64[s0, s1, s2] = matmul %0, %2
    %4: f64[s0, s1, s2] = full 0.25
    %6: f64[s0, s1, s2] = multiply %3, %4
    %7: f64[s0, s1, 1] = reduce_max %6 axes[2] keepdims
    %8: f64[s0, s1, s2] = view %7 axis[0, 1, -1] start[0, 0, 0] step[1, 1, 0]
    %9: f64[s0, s1, s2] = subtract %6, %8
    %10: f64[s0, s1, s2] = exp %9
    %11: f64[s0, s1, 1] = reduce_sum %10 axes[2] keepdims
    %12: f64[s0, s1, s2] = view %11 axis[0, 1, -1] start[0, 0, 0] step[1, 1, 0]
    %13: f64[s0, s1, s2] = divide %10, %12
    %14: f64[s0, s2, 16] = input 2
    %15: f64[s0, s1, 16] = matmul %13, %14
    return %15, %11
  })";

int64_t LibraryCalls() { return ThreadStats().library_calls.load(); }

// NumPy's loop for products of float64, in order, with our own in its place.
void RegisterProducts() {
  const kernel::LibraryLoop library = {testing::MatmulLoop<double>, nullptr};
  kernel::RegisterLibraryLoop(static_cast<int>(Op::kMatmul), DType::kFloat64,
                              cpu::OrderedMatmul(DType::kFloat64, library));
}

class ProductRowsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    testing::RegisterMimicLoops();
    RegisterProducts();
  }

  struct Operands {
    int64_t heads, rows, keys;
    std::vector<double> q, k, v;

    Operands(int64_t heads, int64_t rows, int64_t keys)
        : heads(heads),
          rows(rows),
          keys(keys),
          q(Numbers(rows)),
          k(Numbers(keys)),
          v(Numbers(keys)) {}

    std::vector<double> Numbers(int64_t length) const {
      std::vector<double> numbers;
      for (int64_t i = 0; i < heads * length * 16; ++i) numbers.push_back(std::sin(1.3 * i));
      return numbers;
    }

    // All rows of the heads, or one.
    std::vector<StridedView> Views(int64_t row = -1) {
      StridedView of_q = ViewOf(q, DType::kFloat64, {heads, rows, 16});
      if (row >= 0) {
        of_q.data += row * of_q.strides[1];
        of_q.shape[1] = 1;
      }
      return {of_q, ViewOf(k, DType::kFloat64, {heads, keys, 16}),
              ViewOf(v, DType::kFloat64, {heads, keys, 16})};
    }
  };

  // Whether the products were done by rows.
  static bool Check(Operands operands) {
    GraphRunner runner(kAttention);
    EXPECT_TRUE(runner.status().ok()) << runner.status();
    VectorSink all;
    const int64_t before = LibraryCalls();
    EXPECT_TRUE(runner
                    .Run(operands.Views(), all,
                         {{.i = operands.heads}, {.i = operands.rows}, {.i = operands.keys}})
                    .ok());
    const bool by_rows = LibraryCalls() == before;
    const std::vector<double> got = all.Values<double>(0);
    for (int64_t row = 0; row < operands.rows; row += 13) {
      VectorSink alone;
      EXPECT_TRUE(runner
                      .Run(operands.Views(row), alone,
                           {{.i = operands.heads}, {.i = 1}, {.i = operands.keys}})
                      .ok());
      const std::vector<double> wanted = alone.Values<double>(0);
      for (size_t i = 0; i < wanted.size(); ++i) {
        const size_t at = (i / 16 * operands.rows + row) * 16 + i % 16;
        const bool same = std::memcmp(&got[at], &wanted[i], sizeof(double)) == 0;
        if (!same) ADD_FAILURE() << "row " << row << ": " << got[at] << " for " << wanted[i];
        if (!same) return by_rows;
      }
    }
    return by_rows;
  }
};

TEST_F(ProductRowsTest, BlocksGiveWhatRowsGive) {
  ASSERT_EQ(kThreadsSet, 0);
  EXPECT_TRUE(Check({2, 500, 300}));
  EXPECT_TRUE(Check({9, 65, 64}));
  EXPECT_TRUE(Check({1, 333, 1000}));
  EXPECT_TRUE(Check({200, 7, 31}));
}

TEST_F(ProductRowsTest, WhatFitsIntoTheCacheIsNotCut) { EXPECT_FALSE(Check({1, 30, 30})); }

// A block of 16 rows and more would not fit into a cache, and each would order all keys anew.
TEST_F(ProductRowsTest, RowsThatAreTooLongAreNotCut) { EXPECT_FALSE(Check({1, 40, 20'000})); }

// NaNs' signs are the library's own, which has to see whole products then.
TEST_F(ProductRowsTest, LeavesNansToTheLibrary) {
  Operands operands(2, 500, 300);
  operands.q[700 * 16 + 3] = -std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(Check(operands));
}

// What was made before the block and is read for the last time in it must be there when all is done
// again: %4 must not be written over %3.
TEST_F(ProductRowsTest, ANanFindsItsOperandsAsTheyWere) {
  GraphRunner runner(R"(graph {
    %0: f64[600, 300] = input 0
    %1: f64[300, 200] = input 1
    %2: f64[200, 16] = input 2
    %3: f64[600, 200] = matmul %0, %1
    %4: f64[600, 200] = multiply %3, %3
    %5: f64[600, 16] = matmul %4, %2
    return %4, %5
  })");
  ASSERT_TRUE(runner.status().ok()) << runner.status();
  std::vector<double> x(600 * 300), w(300 * 200), v(200 * 16, 1.0);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.7 * i);
  for (size_t i = 0; i < w.size(); ++i) w[i] = std::sin(1.7 * i);
  const auto squares = [&](int64_t library_calls) {
    VectorSink sink;
    const int64_t before = LibraryCalls();
    EXPECT_TRUE(
        runner
            .Run({ViewOf(x, DType::kFloat64, {600, 300}), ViewOf(w, DType::kFloat64, {300, 200}),
                  ViewOf(v, DType::kFloat64, {200, 16})},
                 sink)
            .ok());
    EXPECT_EQ(LibraryCalls() - before, library_calls * GraphRunner::kRuns);
    return sink.Values<double>(0);
  };
  const std::vector<double> wanted = squares(1);  // %3 alone
  v[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(squares(2), wanted);
}

TEST_F(ProductRowsTest, ReportsWhatOneRowRaises) {
  Operands operands(2, 500, 300);
  operands.q[700 * 16 + 3] = 1e308;
  operands.k[301 * 16 + 3] = 1e10;
  GraphRunner runner(kAttention);
  VectorSink sink;
  const auto flags = runner.Run(operands.Views(), sink, {{.i = 2}, {.i = 500}, {.i = 300}});
  ASSERT_TRUE(flags.ok());
  EXPECT_NE(*flags & kFpOverflow, 0u);
}

// The right operand is read by every block, so its memory must not be the result's, which is
// written by the first.
TEST_F(ProductRowsTest, TheRightOperandStaysWhole) {
  constexpr int64_t kRows = 600, kColumns = 16;
  GraphRunner runner(R"(graph {
    %0: f64[600, 600] = input 0
    %1: f64[600, 16] = input 1
    %2: f64[600, 16] = negative %1
    %3: f64[600, 600] = multiply %0, %0
    %4: f64[600, 16] = matmul %3, %2
    %5: f64[600, 16] = subtract %4, %2
    return %5
  })");
  ASSERT_TRUE(runner.status().ok()) << runner.status();
  std::vector<double> x, y;
  for (int64_t i = 0; i < kRows * kRows; ++i) x.push_back(std::sin(0.7 * i));
  for (int64_t i = 0; i < kRows * kColumns; ++i) y.push_back(std::sin(1.7 * i));
  VectorSink sink;
  const int64_t before = LibraryCalls();
  ASSERT_TRUE(runner
                  .Run({ViewOf(x, DType::kFloat64, {kRows, kRows}),
                        ViewOf(y, DType::kFloat64, {kRows, kColumns})},
                       sink)
                  .ok());
  EXPECT_EQ(LibraryCalls(), before);
  const std::vector<double> got = sink.Values<double>(0);
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    double sum = 0;
    for (int64_t k = 0; k < kRows; ++k) {
      const double factor = x[i / kColumns * kRows + k];
      sum += factor * factor * -y[k * kColumns + i % kColumns];
    }
    ASSERT_EQ(got[i], sum + y[i]) << i;
  }
}

// A library that adds in another order computes whole products; what lies between goes by rows.
TEST_F(ProductRowsTest, AnotherOrderIsTheLibrarys) {
  const kernel::LibraryLoop library = {testing::MatmulLoop<double>, nullptr};
  kernel::RegisterLibraryLoop(static_cast<int>(Op::kMatmul), DType::kFloat64, library);
  EXPECT_FALSE(Check({2, 500, 300}));
  RegisterProducts();
}

}  // namespace
}  // namespace dynacc::compile
