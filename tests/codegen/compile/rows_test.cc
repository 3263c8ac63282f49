// Groups that run block of rows by block of rows give what each row gives by itself.
#include <cstdlib>

#include "gtest/gtest.h"
#include "tests/codegen/graph_runner.h"
#include "tests/codegen/mimic_loops.h"

namespace dynacc::compile {
namespace {

using testing::GraphRunner;
using testing::VectorSink;
using testing::ViewOf;

// More threads than this machine may have cores: read at the first use of the pool.
const int kThreadsSet = setenv("DYNACC_THREADS", "4", 1);

// %4 is local to the rows, %5 and %8 are results too.
constexpr char kNormalize[] = R"(graph {
    scalars: s0 = input int, s1 = input int
    %0: f64[s0, s1] = input 0
    %1: f64[s0, 1] = reduce_max %0 axes[1] keepdims
    %2: f64[s0, s1] = view %1 axis[0, -1] start[0, 0] step[1, 0]
    %3: f64[s0, s1] = subtract %0, %2
    %4: f64[s0, s1] = exp %3
    %5: f64[s0] = reduce_sum %4 axes[1]
    %6: f64[s0, s1] = view %5 axis[0, -1] start[0] step[1, 0]
    %7: f64[s0, s1] = divide %4, %6
    %8: f64[s0] = sqrt %5
    return %7, %5, %8
  })";

class RowsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { testing::RegisterMimicLoops(); }

  // All rows at once, whose strides may be turned around, and one after the other.
  static void Check(int64_t rows, int64_t columns, bool backwards = false) {
    std::vector<double> elements;
    for (int64_t i = 0; i < rows * columns; ++i) elements.push_back(std::sin(1.3 * i) * 5);
    GraphRunner runner(kNormalize);
    ASSERT_TRUE(runner.status().ok()) << runner.status();
    StridedView input = ViewOf(elements, DType::kFloat64, {rows, columns});
    if (backwards) {
      input.data += (rows - 1) * input.strides[0];
      input.strides[0] = -input.strides[0];
    }
    VectorSink all;
    ASSERT_TRUE(runner.Run({input}, all, {{.i = rows}, {.i = columns}}).ok());
    for (int64_t row = 0; row < rows; row += 17) {
      StridedView one = input;
      one.data += row * input.strides[0];
      one.shape[0] = 1;
      VectorSink alone;
      ASSERT_TRUE(runner.Run({one}, alone, {{.i = 1}, {.i = columns}}).ok());
      const std::vector<double> wanted = alone.Values<double>(0);
      const std::vector<double> got = all.Values<double>(0);
      ASSERT_EQ(std::vector<double>(got.begin() + row * columns, got.begin() + (row + 1) * columns),
                wanted)
          << "row " << row;
      ASSERT_EQ(all.Values<double>(1)[row], alone.Values<double>(1)[0]);
      ASSERT_EQ(all.Values<double>(2)[row], alone.Values<double>(2)[0]);
    }
  }
};

TEST_F(RowsTest, BlocksGiveWhatRowsGive) {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{1000, 129},
                                      {700, 64},
                                      {257, 1024},
                                      {3, 20000},
                                      {40000, 1},
                                      {2, 300000}}) {
    Check(rows, columns);
    Check(rows, columns, true);
  }
}

TEST_F(RowsTest, EmptyArraysAreNoRows) {
  GraphRunner runner(kNormalize);
  std::vector<double> elements(1);
  VectorSink sink;
  ASSERT_TRUE(
      runner.Run({ViewOf(elements, DType::kFloat64, {0, 9})}, sink, {{.i = 0}, {.i = 9}}).ok());
  EXPECT_EQ(sink.view(0).size(), 0);
  EXPECT_FALSE(
      runner.Run({ViewOf(elements, DType::kFloat64, {100000, 0})}, sink, {{.i = 100000}, {.i = 0}})
          .ok());
}

TEST_F(RowsTest, ReportsWhatOneRowRaises) {
  std::vector<double> elements(2000 * 50, 1.0);
  elements[1999 * 50 + 7] = 1e308;
  const char* squares = R"(graph {
    %0: f64[2000, 50] = input 0
    %1: f64[2000] = reduce_sum %0 axes[1]
    %2: f64[2000, 50] = view %1 axis[0, -1] start[0] step[1, 0]
    %3: f64[2000, 50] = multiply %0, %2
    %4: f64[2000] = reduce_max %3 axes[1]
    return %3, %4
  })";
  GraphRunner runner(squares);
  VectorSink sink;
  const auto flags = runner.Run({ViewOf(elements, DType::kFloat64, {2000, 50})}, sink);
  ASSERT_TRUE(flags.ok());
  EXPECT_EQ(*flags, kFpOverflow);
  elements[1999 * 50 + 7] = 1;
  EXPECT_EQ(*runner.Run({ViewOf(elements, DType::kFloat64, {2000, 50})}, sink), 0u);
}

// The first of the steps, a maximum, reports no flags; it must not lose those of rows before.
TEST_F(RowsTest, ReportsWhatAnyPartRaises) {
  ASSERT_EQ(kThreadsSet, 0);
  constexpr int64_t kRows = 20000, kColumns = 100;
  const char* squares = R"(graph {
    %0: f64[20000, 100] = input 0
    %1: f64[20000] = reduce_max %0 axes[1]
    %2: f64[20000, 100] = view %1 axis[0, -1] start[0] step[1, 0]
    %3: f64[20000, 100] = multiply %0, %2
    %4: f64[20000] = reduce_sum %3 axes[1]
    return %3, %4
  })";
  GraphRunner runner(squares);
  for (int i = 0; i < 20; ++i) {
    std::vector<double> elements(kRows * kColumns, 1.0);
    elements[i * 1000 * kColumns + 7] = 1e300;
    VectorSink sink;
    const auto flags = runner.Run({ViewOf(elements, DType::kFloat64, {kRows, kColumns})}, sink);
    ASSERT_TRUE(flags.ok());
    ASSERT_EQ(*flags, kFpOverflow) << i;
  }
}

}  // namespace
}  // namespace dynacc::compile
