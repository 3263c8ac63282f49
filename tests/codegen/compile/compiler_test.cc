#include "codegen/compile/compiler.h"

#include <cfenv>
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/log.h"
#include "tests/codegen/graph_runner.h"
#include "tests/codegen/mimic_loops.h"

namespace dynacc::compile {
namespace {

using testing::GraphRunner;
using testing::VectorSink;
using testing::ViewOf;

class CompilerTest : public ::testing::Test {
 protected:
  void SetUp() override { testing::RegisterMimicLoops(); }
};

TEST_F(CompilerTest, AddsTwoArrays) {
  GraphRunner runner(R"(graph {
    scalars: s0 = input int
    %0: f64[s0] = input 0
    %1: f64[s0] = input 1
    %2: f64[s0] = add %0, %1
    %3: f64[s0] = multiply %2, %0
    return %3
  })");
  ASSERT_TRUE(runner.status().ok()) << runner.status();
  std::vector<double> a = {1, 2, 3}, b = {4, 5, 6};
  VectorSink sink;
  auto flags = runner.Run({ViewOf(a, DType::kFloat64, {3}), ViewOf(b, DType::kFloat64, {3})}, sink,
                          {ScalarValue{.i = 3}});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(*flags, 0u);
  EXPECT_EQ(sink.Values<double>(0), (std::vector<double>{5, 14, 27}));
}

// Runs a graph whose inputs are f64 vectors of one shape.
uint32_t RunOnVectors(const std::string& text, std::vector<std::vector<double>> inputs,
                      VectorSink& sink) {
  GraphRunner runner(text);
  EXPECT_TRUE(runner.status().ok()) << runner.status();
  std::vector<StridedView> views;
  for (auto& input : inputs) {
    views.push_back(ViewOf(input, DType::kFloat64, {static_cast<int64_t>(input.size())}));
  }
  auto flags = runner.Run(views, sink);
  EXPECT_TRUE(flags.ok()) << flags.status();
  return flags.value_or(~0u);
}

TEST_F(CompilerTest, ReportsFlagsOfArithmeticEvenIfUnused) {
  VectorSink sink;
  const char* text = R"(graph {
    %0: f64[2] = input 0
    %1: f64[2] = input 1
    %2: f64[2] = divide %0, %1
    %3: bool[2] = less %0, %1
    return %3
  })";
  EXPECT_EQ(RunOnVectors(text, {{1, 2}, {3, 4}}, sink), 0u);
  EXPECT_EQ(RunOnVectors(text, {{1, 2}, {0, 4}}, sink), uint32_t{kFpDivide});
  EXPECT_EQ(RunOnVectors(text, {{0, 2}, {0, 4}}, sink), uint32_t{kFpInvalid});
  EXPECT_EQ(sink.Values<bool>(0), (std::vector<bool>{false, true}));
}

// A loop that raises a flag that is not its own business, as vector compares do on NaN.
void NoisyLess(char** args, const intptr_t* n, const intptr_t* steps, void*) {
  testing::BinaryLoop<double, [](double a, double b) { return a < b; }, bool>(args, n, steps,
                                                                              nullptr);
  std::feraiseexcept(FE_INVALID);
}

// A loop that clears every flag, as NumPy's comparisons do.
void ClearingLess(char** args, const intptr_t* n, const intptr_t* steps, void*) {
  testing::BinaryLoop<double, [](double a, double b) { return a < b; }, bool>(args, n, steps,
                                                                              nullptr);
  std::feclearexcept(FE_ALL_EXCEPT);
}

TEST_F(CompilerTest, FlagsOfComparisonsAreNobodysBusiness) {
  const char* alone = R"(graph {
    %0: f64[2] = input 0
    %1: bool[2] = less %0, %0
    return %1
  })";
  const char* beside_division = R"(graph {
    %0: f64[2] = input 0
    %1: f64[2] = input 1
    %2: f64[2] = divide %0, %1
    %3: bool[2] = less %2, %1
    return %2, %3
  })";
  VectorSink sink;
  testing::Register(Op::kLess, DType::kFloat64, NoisyLess);
  EXPECT_EQ(RunOnVectors(alone, {{1, 2}}, sink), 0u);
  EXPECT_EQ(RunOnVectors(beside_division, {{1, 2}, {1, 2}}, sink), 0u);
  testing::Register(Op::kLess, DType::kFloat64, ClearingLess);
  EXPECT_EQ(RunOnVectors(beside_division, {{1, 2}, {0, 2}}, sink), uint32_t{kFpDivide});
}

TEST_F(CompilerTest, LeavesTheCallersFlagsAlone) {
  VectorSink sink;
  const char* text = R"(graph {
    %0: f64[1] = input 0
    %1: f64[1] = divide %0, %0
    return %1
  })";
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_OVERFLOW);
  EXPECT_EQ(RunOnVectors(text, {{0}}, sink), uint32_t{kFpInvalid});
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT), FE_OVERFLOW);
  std::feclearexcept(FE_ALL_EXCEPT);
}

TEST_F(CompilerTest, NamesTheOpThatHasNoLibraryLoop) {
  GraphRunner runner(R"(graph {
    %0: i16[2] = input 0
    %1: i16[2] = gcd %0, %0
    return %1
  })");
  EXPECT_EQ(runner.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(runner.status().message()), ::testing::HasSubstr("gcd on i16"));
}

// The reductions are given a large array: their producers run in chunks, on several threads.
TEST_F(CompilerTest, ReducesWhatAKernelMakes) {
  const int64_t rows = 300, columns = 777;
  GraphRunner runner(R"(graph {
    %0: f64[300, 777] = input 0
    %1: f64[300, 777] = multiply %0, %0
    %2: f64[] = reduce_sum %1 axes[0, 1]
    %3: f64[300, 777] = negative %0
    %4: f64[300] = reduce_sum %3 axes[1]
    %5: f64[300, 777] = exp %0
    %6: f64[777] = reduce_max %5 axes[0]
    return %2, %4, %6
  })");
  ASSERT_TRUE(runner.status().ok()) << runner.status();
  std::vector<double> x(rows * columns), squares(x.size()), negatives(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = std::sin(static_cast<double>(i)) * static_cast<double>(i % 17);
    squares[i] = x[i] * x[i];
    negatives[i] = -x[i];
  }
  VectorSink sink;
  ASSERT_TRUE(runner.Run({ViewOf(x, DType::kFloat64, {rows, columns})}, sink).ok());

  double total = 0;
  for (size_t i = 0; i < squares.size(); i += 8192) {
    const auto n = static_cast<intptr_t>(std::min<size_t>(8192, squares.size() - i));
    total += testing::PairwiseSum<double>(reinterpret_cast<char*>(&squares[i]), n, 8);
  }
  EXPECT_EQ(sink.Values<double>(0)[0], total);
  for (int64_t row = 0; row < rows; ++row) {
    const char* data = reinterpret_cast<char*>(&negatives[row * columns]);
    ASSERT_EQ(sink.Values<double>(1)[row], testing::PairwiseSum<double>(data, columns, 8) + 0.0);
  }
  for (int64_t column = 0; column < columns; ++column) {
    double largest = std::exp(x[column]);
    for (int64_t row = 1; row < rows; ++row) {
      largest = std::max(largest, std::exp(x[row * columns + column]));
    }
    ASSERT_EQ(sink.Values<double>(2)[column], largest);
  }
}

TEST_F(CompilerTest, AnyOfNumbersLooksWhetherTheyAreZero) {
  VectorSink sink;
  const char* text = R"(graph {
    %0: f64[3] = input 0
    %1: bool[] = reduce_any %0 axes[0]
    return %1
  })";
  RunOnVectors(text, {{0, -0.0, 0.25}}, sink);
  EXPECT_TRUE(sink.Values<bool>(0)[0]);
  RunOnVectors(text, {{0, -0.0, 0}}, sink);
  EXPECT_FALSE(sink.Values<bool>(0)[0]);
}

TEST_F(CompilerTest, CastsChoosesAndFills) {
  VectorSink sink;
  RunOnVectors(R"(graph {
    %0: f64[4] = input 0
    %1: i8[4] = cast %0
    %2: f64[4] = full 2.5
    %3: bool[4] = less %0, %2
    %4: f64[4] = where %3, %0, %2
    return %1, %4, %2, %4
  })",
               {{1.9, -1.9, 300, 2.5}}, sink);
  EXPECT_EQ(sink.Values<int8_t>(0), (std::vector<int8_t>{1, -1, 44, 2}));
  const std::vector<double> clipped = {1.9, -1.9, 2.5, 2.5};
  EXPECT_EQ(sink.Values<double>(1), clipped);
  EXPECT_EQ(sink.Values<double>(2), std::vector<double>(4, 2.5));
  EXPECT_EQ(sink.Values<double>(3), clipped);
}

TEST_F(CompilerTest, MultipliesMatricesAndBatches) {
  GraphRunner runner(R"(graph {
    %0: f64[2, 3, 4] = input 0
    %1: f64[4, 5] = input 1
    %2: f64[2, 3, 5] = matmul %0, %1
    %3: f64[2, 15] = reshape %2
    %4: f64[2, 15] = negative %3
    return %4, %3
  })");
  ASSERT_TRUE(runner.status().ok()) << runner.status();
  std::vector<double> a(24), b(20), expected(30);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i) - 7;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i * i % 11);
  for (int row = 0; row < 6; ++row) {
    for (int column = 0; column < 5; ++column) {
      for (int k = 0; k < 4; ++k) expected[row * 5 + column] += a[row * 4 + k] * b[k * 5 + column];
    }
  }
  VectorSink sink;
  ASSERT_TRUE(
      runner.Run({ViewOf(a, DType::kFloat64, {2, 3, 4}), ViewOf(b, DType::kFloat64, {4, 5})}, sink)
          .ok());
  EXPECT_EQ(sink.Values<double>(1), expected);
  for (double& value : expected) value = -value;
  EXPECT_EQ(sink.Values<double>(0), expected);
}

TEST_F(CompilerTest, ReshapesATransposedArrayByCopying) {
  GraphRunner runner(R"(graph {
    %0: f64[2, 3] = input 0
    %1: f64[3, 2] = view %0 axis[1, 0] start[0, 0] step[1, 1]
    %2: f64[6] = reshape %1
    %3: f64[6] = add %2, %2
    return %3, %1
  })");
  ASSERT_TRUE(runner.status().ok()) << runner.status();
  std::vector<double> x = {1, 2, 3, 4, 5, 6};
  VectorSink sink;
  ASSERT_TRUE(runner.Run({ViewOf(x, DType::kFloat64, {2, 3})}, sink).ok());
  EXPECT_EQ(sink.Values<double>(0), (std::vector<double>{2, 8, 4, 10, 6, 12}));
  EXPECT_EQ(sink.Values<double>(1), (std::vector<double>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(sink.view(1).strides[0], 8) << "a copy keeps the memory order";
}

TEST_F(CompilerTest, ResultsFollowTheMemoryOrderOfTheInputs) {
  GraphRunner runner(R"(graph {
    %0: f64[2, 3] = input 0
    %1: f64[2, 3] = add %0, %0
    %2: f64[3, 2] = view %1 axis[1, 0] start[0, 0] step[1, 1]
    %3: f64[3, 2] = negative %2
    return %1, %3
  })");
  ASSERT_TRUE(runner.status().ok()) << runner.status();
  std::vector<double> x = {1, 2, 3, 4, 5, 6};
  StridedView fortran = ViewOf(x, DType::kFloat64, {2, 3});
  fortran.strides[0] = 8;
  fortran.strides[1] = 16;
  VectorSink sink;
  ASSERT_TRUE(runner.Run({fortran}, sink).ok());
  EXPECT_EQ(sink.view(0).strides[0], 8);
  EXPECT_EQ(sink.view(0).strides[1], 16);
  EXPECT_EQ(sink.view(1).strides[0], 16);
  EXPECT_EQ(sink.view(1).strides[1], 8);
  EXPECT_EQ(sink.Values<double>(1), (std::vector<double>{-2, -4, -6, -8, -10, -12}));
}

TEST_F(CompilerTest, EmptyArraysGiveEmptyResultsAndIdentities) {
  GraphRunner runner(R"(graph {
    %0: f64[3, 0] = input 0
    %1: f64[3, 0] = exp %0
    %2: f64[3] = reduce_sum %1 axes[1]
    %3: f64[0] = reduce_max %0 axes[0]
    return %1, %2, %3
  })");
  ASSERT_TRUE(runner.status().ok()) << runner.status();
  std::vector<double> nothing(1);
  VectorSink sink;
  ASSERT_TRUE(runner.Run({ViewOf(nothing, DType::kFloat64, {3, 0})}, sink).ok());
  EXPECT_EQ(sink.Values<double>(0), std::vector<double>());
  EXPECT_EQ(sink.view(0).strides[0], 0);
  EXPECT_EQ(sink.Values<double>(1), std::vector<double>(3, 0.0));
  EXPECT_EQ(sink.Values<double>(2), std::vector<double>());
}

TEST_F(CompilerTest, AnUnknownTargetFallsBackToTile) {
  std::string warning;
  SetLogSink([&](absl::string_view line) { warning += std::string(line); });
  GraphRunner runner("graph {\n  %0: f64[2] = input 0\n  %1: f64[2] = exp %0\n  return %1\n}\n",
                     "abacus");
  SetLogSink(nullptr);
  EXPECT_TRUE(runner.status().ok()) << runner.status();
  EXPECT_THAT(warning, ::testing::HasSubstr("no target abacus"));
}

TEST_F(CompilerTest, DescribesScheduleAndKernels) {
  GraphRunner runner("graph {\n  %0: f64[2] = input 0\n  %1: f64[2] = exp %0\n  return %1\n}\n");
  EXPECT_THAT(runner.compiled().Describe(), ::testing::HasSubstr("group 0 elementwise"));
  EXPECT_THAT(runner.compiled().Describe(), ::testing::HasSubstr("v1: f64 = exp(v0) library"));
}

}  // namespace
}  // namespace dynacc::compile
