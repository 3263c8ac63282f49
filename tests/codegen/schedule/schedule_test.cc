#include "codegen/schedule/schedule.h"

#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "codegen/ir/graph_text.h"
#include "codegen/schedule/row_kernels.h"
#include "gtest/gtest.h"

namespace dynacc::schedule {
namespace {

std::string ScheduleOf(const std::string& text, const char* disabled = "") {
  auto graph = ir::ParseGraph(text);
  if (!graph.ok()) return std::string(graph.status().message());
  return ScheduleText(**graph, MakeSchedule(**graph, disabled));
}

TEST(ScheduleTest, FusesAChainIntoOneKernel) {
  const char* graph = R"(graph {
    %0: f64[9] = input 0
    %1: f64[9] = exp %0
    %2: f64[9] = add %1, %0
    return %2
  })";
  EXPECT_EQ(ScheduleOf(graph), R"(group 0 elementwise
  %1 = exp(%0)
  %2 = add(%1, %0) -> output 0
note: fused %1 exp into %2 add
)");
  EXPECT_EQ(ScheduleOf(graph, "fuse-producer,fuse-sibling,fuse-rows"), R"(group 0 elementwise
  %1 = exp(%0) stored
group 1 elementwise
  %2 = add(%1, %0) -> output 0
)");
}

TEST(ScheduleTest, FusesOnlyWhatReportsTheSameErrors) {
  ir::Graph graph;
  const ScalarId size = graph.scalars().Int(9);
  const ir::Node* const x = graph.AddInput(DType::kFloat64, {&size, 1});
  graph.SetReported(kFpOverflow);
  const ir::Node* const quotient = graph.Binary(Op::kDivide, x, x);
  const ir::Node* const unused = graph.Unary(Op::kLog, x);
  graph.SetReported(0);
  const ir::Node* const sum = graph.Binary(Op::kAdd, quotient, x);
  graph.Unary(Op::kSqrt, x);  // whose errors nobody asks for
  graph.AddOutput(graph.Unary(Op::kNegative, sum));
  EXPECT_EQ(graph.ReportedBy(unused), kFpOverflow);
  EXPECT_EQ(graph.Unary(Op::kLog, x), unused);
  EXPECT_EQ(graph.ReportedBy(unused), kFpOverflow);
  EXPECT_EQ(ScheduleText(graph, MakeSchedule(graph, "fuse-rows")), R"(group 0 elementwise
  %1 = divide(%0, %0) stored
  %2 = log(%0) stored
group 1 elementwise
  %3 = add(%1, %0)
  %5 = negative(%3) -> output 0
note: not fused %1 divide into %3 add: other floating-point errors are reported
note: fused %3 add into %5 negative
note: fused %2 log beside %1 divide
)");
  graph.RestrictReported(kFpInvalid);
  EXPECT_EQ(graph.ReportedBy(quotient), 0u);
}

TEST(ScheduleTest, DoesNotRecomputeOverABroadcast) {
  EXPECT_EQ(ScheduleOf(R"(graph {
    %0: f64[4, 9] = input 0
    %1: f64[9] = input 1
    %2: f64[9] = exp %1
    %3: f64[4, 9] = view %2 axis[-1, 0] start[0] step[0, 1]
    %4: f64[4, 9] = multiply %0, %3
    return %4
  })"),
            R"(group 0 elementwise
  %2 = exp(%1) stored
group 1 elementwise
  %4 = multiply(%0, %3) -> output 0
)");
}

TEST(ScheduleTest, DoesNotFuseAcrossAStepThatMustRunBetween) {
  EXPECT_EQ(ScheduleOf(R"(graph {
    %0: f64[9] = input 0
    %1: f64[9] = exp %0
    %2: f64[] = reduce_sum %1 axes[0]
    %3: f64[9] = view %2 axis[-1] start[] step[0]
    %4: f64[9] = divide %1, %3
    return %4
  })"),
            R"(group 0 elementwise
  %1 = exp(%0) stored
group 1 reduction
  %2 = reduce_sum(%1) stored
group 2 elementwise
  %4 = divide(%1, %3) -> output 0
note: not fused %1 exp into %4 divide: another step must run between them
note: not fused %1 exp into %2 reduce_sum: its values are used elsewhere too
)");
}

TEST(ScheduleTest, AReductionTakesItsProducerIn) {
  const char* graph = R"(graph {
    %0: f64[4, 9] = input 0
    %1: f64[4, 9] = multiply %0, %0
    %2: f64[4] = reduce_sum %1 axes[1]
    return %2
  })";
  EXPECT_EQ(ScheduleOf(graph), R"(group 0 reduction
  %1 = multiply(%0, %0)
  %2 = reduce_sum(%1) -> output 0
note: fused %1 multiply into %2 reduce_sum
note: %2 reduce_sum is added up where its terms are computed
)");
  EXPECT_EQ(ScheduleOf(graph, "add-inside"), R"(group 0 reduction
  %1 = multiply(%0, %0)
  %2 = reduce_sum(%1) -> output 0
note: fused %1 multiply into %2 reduce_sum
)");
  EXPECT_EQ(ScheduleOf(graph, "fuse-reduction-producer"), R"(group 0 elementwise
  %1 = multiply(%0, %0) stored
group 1 reduction
  %2 = reduce_sum(%1) -> output 0
groups 0 to 1 by rows of 1 axis
)");
}

// What a kernel cannot add up goes through memory.
TEST(ScheduleTest, AddsUpSumsOfFloatsAndIntegersWhereTheirTermsAreComputed) {
  for (const char* sum : {"f64[4] = reduce_max", "f64[4] = reduce_prod"}) {
    const std::string graph =
        absl::StrCat("graph {\n%0: f64[4, 9] = input 0\n%1: f64[4, 9] = multiply %0, %0\n%2: ", sum,
                     " %1 axes[1]\nreturn %2\n}");
    EXPECT_THAT(ScheduleOf(graph.c_str()), ::testing::Not(::testing::HasSubstr("added up")));
  }
  for (const char* terms :
       {"%1: f64[4, 9] = negative %0\n%2: f64[4]", "%1: i64[4, 9] = cast %0\n%2: i64[4]"}) {
    const std::string graph = absl::StrCat("graph {\n%0: f64[4, 9] = input 0\n", terms,
                                           " = reduce_sum %1 axes[1]\nreturn %2\n}");
    EXPECT_THAT(ScheduleOf(graph.c_str()), ::testing::HasSubstr("added up"));
  }
}

// "c = x - mean" is read by the sum of squares and by the quotient after it.
const char* const kNorm = R"(graph {
    %0: f64[4, 9] = input 0
    %1: f64[4, 1] = reduce_sum %0 axes[1] keepdims
    %2: f64[4, 9] = view %1 axis[0, -1] start[0, 0] step[1, 0]
    %3: f64[4, 9] = subtract %0, %2
    %4: f64[4, 9] = multiply %3, %3
    %5: f64[4, 1] = reduce_sum %4 axes[1] keepdims
    %6: f64[4, 9] = view %5 axis[0, -1] start[0, 0] step[1, 0]
    %7: f64[4, 9] = divide %3, %6
    return )";

TEST(ScheduleTest, ComputesAgainWhatIsCheap) {
  const std::string norm = absl::StrCat(kNorm, "%7\n}");
  EXPECT_EQ(ScheduleOf(norm, "fuse-rows"), R"(group 0 reduction
  %1 = reduce_sum(%0) stored
group 1 reduction
  %3 = subtract(%0, %2)
  %4 = multiply(%3, %3)
  %5 = reduce_sum(%4) stored
group 2 elementwise
  %3 = subtract(%0, %2)
  %7 = divide(%3, %6) -> output 0
note: fused %3 subtract into %4 multiply
note: not fused %3 subtract into %7 divide: another step must run between them
note: copied %3 subtract into %7 divide
note: fused %4 multiply into %5 reduce_sum
note: %5 reduce_sum is added up where its terms are computed
)");
  EXPECT_EQ(ScheduleOf(norm, "copy-cheap,fuse-rows"), R"(group 0 reduction
  %1 = reduce_sum(%0) stored
group 1 elementwise
  %3 = subtract(%0, %2) stored
  %4 = multiply(%3, %3) stored
group 2 reduction
  %5 = reduce_sum(%4) stored
group 3 elementwise
  %7 = divide(%3, %6) -> output 0
note: fused %3 subtract into %4 multiply
note: not fused %3 subtract into %7 divide: another step must run between them
note: not fused %4 multiply into %5 reduce_sum: its values are used elsewhere too
)");
}

bool HasCopies(const std::string& text) {
  return ScheduleOf(text).find("copied ") != std::string::npos;
}

TEST(ScheduleTest, DoesNotComputeAgainWhatIsStoredAnyway) {
  EXPECT_FALSE(HasCopies(absl::StrCat(kNorm, "%7, %3\n}")));
}

// Two arrays to read instead of one; what another node of the group makes; a division.
TEST(ScheduleTest, DoesNotComputeAgainWhatIsDear) {
  const auto norm_of = [](const std::string& centered) {
    return absl::StrCat(R"(graph {
    %0: f64[4, 9] = input 0
    %1: f64[4, 9] = input 1
    %2: f64[4, 9] = exp %0
    %3: f64[4, 9] = )",
                        centered, R"(
    %4: f64[4, 9] = multiply %3, %3
    %5: f64[4, 1] = reduce_sum %4 axes[1] keepdims
    %6: f64[4, 9] = view %5 axis[0, -1] start[0, 0] step[1, 0]
    %7: f64[4, 9] = divide %3, %6
    return %7
  })");
  };
  EXPECT_TRUE(HasCopies(norm_of("subtract %0, %0")));
  EXPECT_FALSE(HasCopies(norm_of("subtract %0, %1")));
  EXPECT_FALSE(HasCopies(norm_of("negative %2")));
  EXPECT_FALSE(HasCopies(norm_of("divide %0, %0")));
}

// The line of the schedule that says which groups go by rows; "" if there is none.
std::string RowsOf(const std::string& text, const char* disabled = "") {
  const std::string schedule = ScheduleOf(text, disabled);
  const size_t at = schedule.find("groups ");
  return at == std::string::npos ? "" : schedule.substr(at, schedule.find('\n', at) - at);
}

std::string RowKernelsOf(const std::string& text, const char* disabled = "") {
  auto graph = ir::ParseGraph(text);
  if (!graph.ok()) return std::string(graph.status().message());
  return RowKernelsText(MakeSchedule(**graph, disabled));
}

TEST(ScheduleTest, GroupsOfWholeRowsAreOneKernelOnADevice) {
  const std::string softmax = R"(graph {
    %0: f64[4, 5, 9] = input 0
    %1: f64[4, 5] = reduce_max %0 axes[2]
    %2: f64[4, 5, 9] = view %1 axis[0, 1, -1] start[0, 0] step[1, 1, 0]
    %3: f64[4, 5, 9] = subtract %0, %2
    %4: f64[4, 5, 9] = exp %3
    %5: f64[4, 5] = reduce_sum %4 axes[2]
    %6: f64[4, 5, 9] = view %5 axis[0, 1, -1] start[0, 0] step[1, 1, 0]
    %7: f64[4, 5, 9] = divide %4, %6
    %8: f64[4, 5] = negative %1
    return %7, %8
  })";
  EXPECT_EQ(RowKernelsOf(softmax), "groups 0 to 4, rows along axis 2, store %7 %8\n");
  EXPECT_EQ(RowKernelsOf(softmax, "fuse-row-kernel"), "");
}

// Along leading axes, and ones in the middle; numbers of a row with their axes kept, and without.
TEST(ScheduleTest, RowsMayGoAlongAnyNeighbouringAxes) {
  EXPECT_EQ(RowKernelsOf(R"(graph {
    %0: f64[4, 5, 9] = input 0
    %1: f64[9] = reduce_max %0 axes[0, 1]
    %2: f64[4, 5, 9] = view %1 axis[-1, -1, 0] start[0] step[0, 0, 1]
    %3: f64[4, 5, 9] = subtract %0, %2
    %4: f64[1, 1, 9] = reduce_sum %3 axes[0, 1] keepdims
    %5: f64[1, 1, 9] = sqrt %4
    %6: f64[4, 5, 9] = view %5 axis[-1, -1, 2] start[0, 0, 0] step[0, 0, 1]
    %7: f64[4, 5, 9] = divide %3, %6
    return %7
  })"),
            "groups 0 to 3, rows along axes 0 to 1, store %7\n");
  EXPECT_EQ(RowKernelsOf(R"(graph {
    %0: f64[5, 4, 5] = input 0
    %1: f64[5, 5] = reduce_sum %0 axes[1]
    %2: f64[5, 4, 5] = view %1 axis[0, -1, 1] start[0, 0] step[1, 0, 1]
    %3: f64[5, 4, 5] = divide %0, %2
    %4: f64[5, 4, 5] = view %1 axis[1, -1, 0] start[0, 0] step[1, 0, 1]
    %5: f64[5, 4, 5] = divide %3, %4
    return %3, %5
  })"),
            "");
  EXPECT_EQ(RowKernelsOf(R"(graph {
    %0: f64[4, 5, 9] = input 0
    %1: f64[5] = reduce_max %0 axes[0, 2]
    %2: f64[4, 5, 9] = view %1 axis[-1, 0, -1] start[0] step[0, 1, 0]
    %3: f64[4, 5, 9] = subtract %0, %2
    return %3
  })"),
            "");
}

// A row that is read turned round, with either axis reduced, and a sum over everything.
TEST(ScheduleTest, RowKernelsEndWhereARowIsNotEnough) {
  EXPECT_EQ(RowKernelsOf(R"(graph {
    %0: f64[9, 9] = input 0
    %1: f64[9] = reduce_max %0 axes[1]
    %2: f64[9, 9] = view %1 axis[-1, 0] start[0] step[0, 1]
    %3: f64[9, 9] = subtract %0, %2
    return %3
  })"),
            "");
  EXPECT_EQ(RowKernelsOf(R"(graph {
    %0: f64[9, 9] = input 0
    %1: f64[9] = reduce_max %0 axes[0]
    %2: f64[9, 9] = view %1 axis[0, -1] start[0] step[1, 0]
    %3: f64[9, 9] = subtract %0, %2
    return %3
  })"),
            "");
  EXPECT_EQ(RowKernelsOf(R"(graph {
    %0: f64[8, 9] = input 0
    %1: f64[8, 9] = exp %0
    %2: f64[8] = reduce_sum %1 axes[1]
    %3: f64[8, 9] = view %1 axis[0, 1] start[0, 8] step[1, -1]
    %4: f64[8, 9] = multiply %3, %0
    return %4, %2
  })"),
            "groups 0 to 1, rows along axis 1, store %1 %2\n");
  EXPECT_EQ(RowKernelsOf(R"(graph {
    %0: f64[9, 9] = input 0
    %1: f64[] = reduce_sum %0 axes[0, 1]
    %2: f64[9, 9] = view %1 axis[-1, -1] start[] step[0, 0]
    %3: f64[9, 9] = subtract %0, %2
    return %3
  })"),
            "");
}

// What a later group computes again is made by the group that stores it all the same.
TEST(ScheduleTest, RowKernelsReadWhatOthersComputeAgain) {
  EXPECT_EQ(RowKernelsOf(R"(graph {
    %0: f64[1, 64] = input 0
    %1: f64[64, 1] = view %0 axis[1, 0] start[0, 0] step[1, 1]
    %2: f64[1, 1] = matmul %0, %1
    %3: f64[1, 8] = input 1
    %4: f64[1, 8] = matmul %2, %3
    %5: f64[1, 130] = input 2
    %6: f64[1, 130] = matmul %2, %5
    %7: f64[1, 1] = reduce_max %4 axes[1] keepdims
    %8: f64[1, 8] = view %7 axis[0, -1] start[0, 0] step[1, 0]
    %9: f64[1, 8] = subtract %4, %8
    %10: f64[1, 8] = exp %9
    %11: f64[1, 1] = reduce_sum %10 axes[1] keepdims
    %12: f64[1, 8] = view %11 axis[0, -1] start[0, 0] step[1, 0]
    %13: f64[1, 8] = divide %10, %12
    %14: f64[1, 130] = multiply %6, %6
    %15: f64[1, 1] = reduce_min %6 axes[1] keepdims
    %16: f64[1, 130] = view %15 axis[0, -1] start[0, 0] step[1, 0]
    %17: f64[1, 130] = subtract %6, %16
    %18: f64[8, 16] = input 3
    %19: f64[1, 16] = matmul %13, %18
    %20: f64[1, 1] = reduce_max %17 axes[1] keepdims
    %21: f64[1, 130] = view %20 axis[0, -1] start[0, 0] step[1, 0]
    %22: f64[1, 130] = subtract %17, %21
    %23: f64[1, 130] = add %22, %5
    %24: f64[1] = reduce_sum %23 axes[1]
    return %22, %24
  })",
                         "fuse-rows"),
            "groups 3 to 6, rows along axis 1, store %13\n"
            "groups 7 to 8, rows along axis 1, store %15 %17\n"
            "groups 10 to 12, rows along axis 1, store %22 %24\n");
}

TEST(ScheduleTest, GroupsThatNeedTheSameRowsGoByRows) {
  const std::string softmax = R"(graph {
    %0: f64[4, 5, 9] = input 0
    %1: f64[4, 5, 1] = reduce_max %0 axes[2] keepdims
    %2: f64[4, 5, 9] = view %1 axis[0, 1, -1] start[0, 0, 0] step[1, 1, 0]
    %3: f64[4, 5, 9] = subtract %0, %2
    %4: f64[4, 5, 9] = exp %3
    %5: f64[4, 5, 1] = reduce_sum %4 axes[2] keepdims
    %6: f64[4, 5, 9] = view %5 axis[0, 1, -1] start[0, 0, 0] step[1, 1, 0]
    %7: f64[4, 5, 9] = divide %4, %6
    return %7
  })";
  EXPECT_EQ(RowsOf(softmax), "groups 0 to 3 by rows of 2 axes");
  EXPECT_EQ(RowsOf(softmax, "fuse-rows"), "");
}

// Nothing waits for the sum over all rows: what goes by rows before it and after it stays together.
TEST(ScheduleTest, ASumOfAllStandsBehindWhatGoesByRows) {
  const std::string graph = R"(graph {
    %0: f64[40, 9] = input 0
    %1: f64[40, 9] = exp %0
    %2: f64[] = reduce_sum %1 axes[0, 1]
    %3: f64[40] = reduce_max %1 axes[1]
    %4: f64[40] = sqrt %3
    )";
  EXPECT_EQ(RowsOf(absl::StrCat(graph, "return %2, %4\n}")), "groups 0 to 2 by rows of 1 axis");
  // %6 needs the sum, which stands before it.
  EXPECT_EQ(RowsOf(absl::StrCat(graph, R"(%5: f64[40] = view %2 axis[-1] start[] step[0]
    %6: f64[40] = divide %4, %5
    return %6
  })")),
            "groups 0 to 1 by rows of 1 axis");
}

TEST(ScheduleTest, WhatReadsAcrossRowsDoesNotGoByThem) {
  // %3 reads the sums in another order, %6 a sum over all rows.
  EXPECT_EQ(RowsOf(R"(graph {
    %0: f64[9, 9] = input 0
    %1: f64[9] = reduce_sum %0 axes[1]
    %2: f64[9, 9] = view %1 axis[-1, 0] start[0] step[0, 1]
    %3: f64[9, 9] = subtract %0, %2
    return %3
  })"),
            "");
  EXPECT_EQ(RowsOf(R"(graph {
    %0: f64[9, 9] = input 0
    %1: f64[9] = reduce_sum %0 axes[1]
    %2: f64[9] = view %1 axis[0] start[8] step[-1]
    %3: f64[9] = exp %2
    return %3
  })"),
            "");
  EXPECT_EQ(RowsOf(R"(graph {
    %0: f64[9, 7] = input 0
    %1: f64[7] = reduce_sum %0 axes[0]
    %2: f64[9, 7] = view %1 axis[-1, 0] start[0] step[0, 1]
    %3: f64[9, 7] = subtract %0, %2
    return %3
  })"),
            "");
}

// The scores of an attention, a softmax without its maximum, and the product.
std::string Attention(const std::string& width, const std::string& keys) {
  return absl::StrReplaceAll(R"(graph {
    %0: f64[4, 9, W] = input 0
    %1: f64[4, W, K] = input 1
    %2: f64[4, 9, K] = matmul %0, %1
    %3: f64[4, 9, K] = exp %2
    %4: f64[4, 9, 1] = reduce_sum %3 axes[2] keepdims
    %5: f64[4, 9, K] = view %4 axis[0, 1, -1] start[0, 0, 0] step[1, 1, 0]
    %6: f64[4, 9, K] = divide %3, %5
    %7: f64[4, K, W] = input 2
    %8: f64[4, 9, W] = matmul %6, %7
    return %8
  })",
                             {{"W", width}, {"K", keys}});
}

// FuseRowMatmuls.
TEST(ScheduleTest, LowPrecisionProductsGoByRows) {
  EXPECT_EQ(RowsOf(Attention("64", "3000")), "groups 0 to 4 by rows of 2 axes");
  EXPECT_EQ(RowsOf(Attention("3000", "64")), "groups 1 to 4 by rows of 2 axes");
  EXPECT_EQ(RowsOf(Attention("300", "3000")), "groups 1 to 3 by rows of 2 axes");
  EXPECT_EQ(RowsOf(Attention("64", "3000"), "fuse-row-matmuls"), "groups 1 to 3 by rows of 2 axes");
}

TEST(ScheduleTest, ProductsGoByRowsOnlyForANeighbour) {
  EXPECT_EQ(RowsOf(R"(graph {
    %0: f64[90, 8] = input 0
    %1: f64[8, 70] = input 1
    %2: f64[90, 70] = matmul %0, %1
    %3: f64[90, 8] = exp %0
    %4: f64[90, 70] = matmul %0, %1
    return %2, %3, %4
  })"),
            "");
}

// What the block makes is all of the right operand: only the leading axes are apart.
TEST(ScheduleTest, ARightOperandOfTheBlockIsNeededWhole) {
  const char* squares = R"(graph {
    %0: f64[5, 9, 9] = input 0
    %1: f64[5, 9, 9] = exp %0
    %2: f64[5, 9, 9] = matmul %1, %1
    %3: f64[5, 9, 9] = add %2, %0
    return %3
  })";
  EXPECT_EQ(RowsOf(squares), "groups 0 to 2 by rows of 1 axis");
  EXPECT_EQ(RowsOf(absl::StrReplaceAll(squares, {{"[5, 9, 9]", "[9, 9]"}})),
            "groups 1 to 2 by rows of 1 axis");
}

TEST(ScheduleTest, NeighboursWithNothingInCommonDoNotGoByRows) {
  EXPECT_EQ(RowsOf(R"(graph {
    %0: f64[9, 7] = input 0
    %1: f64[9, 7] = input 1
    %2: f64[9] = reduce_sum %0 axes[1]
    %3: f64[9] = reduce_max %1 axes[1]
    return %2, %3
  })"),
            "");
}

TEST(ScheduleTest, ReadersOfOneArrayShareAKernel) {
  EXPECT_EQ(ScheduleOf(R"(graph {
    %0: f64[9] = input 0
    %1: f64[9] = sin %0
    %2: f64[9] = cos %0
    return %1, %2
  })"),
            R"(group 0 elementwise
  %1 = sin(%0) -> output 0
  %2 = cos(%0) -> output 1
note: fused %2 cos beside %1 sin
)");
}

TEST(ScheduleTest, AReversedReaderNeedsTheMemory) {
  EXPECT_EQ(ScheduleOf(R"(graph {
    %0: f64[9] = input 0
    %1: f64[9] = exp %0
    %2: f64[9] = view %1 axis[0] start[8] step[-1]
    %3: f64[9] = add %1, %2
    return %3
  })"),
            R"(group 0 elementwise
  %1 = exp(%0) stored
group 1 elementwise
  %3 = add(%1, %2) -> output 0
note: not fused %1 exp into %3 add: also read through a view
)");
}

TEST(ScheduleTest, KeepsUnusedNodesThatMayRaiseFlagsOnly) {
  EXPECT_EQ(ScheduleOf(R"(graph {
    %0: f64[9] = input 0
    %1: f64[9] = divide %0, %0
    %2: bool[9] = less %0, %0
    %3: i64[9] = input 1
    %4: i64[9] = add %3, %3
    return %0, %0
  })"),
            R"(group 0 elementwise
  %1 = divide(%0, %0) stored
copy %0 -> output 0
copy %0 -> output 1
)");
}

TEST(ScheduleTest, LimitsTheArraysOfAKernel) {
  std::string text = "graph {\n";
  for (int i = 0; i < 40; ++i) text += absl::StrCat("  %", i, ": f64[9] = input ", i, "\n");
  text += "  %40: f64[9] = add %0, %1\n";
  for (int i = 41; i < 79; ++i) {
    text += absl::StrCat("  %", i, ": f64[9] = add %", i - 1, ", %", i - 39, "\n");
  }
  text += "  return %78\n}\n";
  auto graph = ir::ParseGraph(text);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const Schedule schedule = MakeSchedule(**graph, "");
  EXPECT_EQ(schedule.groups.size(), 2u);
  size_t nodes = 0;
  for (const Group& group : schedule.groups) {
    EXPECT_LE(ExternalOperands(group).size() + group.outputs.size(), kMaxGroupOperands);
    nodes += group.nodes.size();
  }
  EXPECT_EQ(nodes, 39u);
}

TEST(ScheduleTest, WritesBackOnlyWhatIsStored) {
  EXPECT_EQ(ScheduleOf(R"(graph {
    %0: f64[9] = input 0
    %1: f64[7] = view %0 axis[0] start[0] step[1]
    %2: f64[7] = view %0 axis[0] start[2] step[1]
    %3: f64[7] = add %1, %2
    %4: f64[9] = store %0, %3 axis[0] start[1] step[1]
    %5: f64[] = scalar 1
    %6: f64[9] = store %4, %5 axis[] start[0] step[]
    return %6 -> %0
  })"),
            R"(group 0 elementwise
  %3 = add(%1, %2) stored
write %3 -> %0 as by %4
write %5 -> %0 as by %6
)");
}

TEST(ScheduleTest, StoresWhatIsReadAgain) {
  EXPECT_EQ(ScheduleOf(R"(graph {
    %0: f64[9] = input 0
    %1: f64[8] = view %0 axis[0] start[0] step[1]
    %2: f64[8] = exp %1
    %3: f64[9] = store %0, %2 axis[0] start[1] step[1]
    %4: f64[] = reduce_sum %3 axes[0]
    return %4, %3 -> %0
  })"),
            R"(group 0 elementwise
  %2 = exp(%1) stored
group 1 store
  %3 = store(%0, %2) stored
group 2 reduction
  %4 = reduce_sum(%3) -> output 0
write %2 -> %0 as by %3
)");
}

// %5 and %6 must not be one kernel if %2 and %9 are: %5 needs %2, and %9 needs %6.
TEST(ScheduleTest, SeesPathsThroughMergedGroups) {
  const char* graph = R"(graph {
    %0: i64[9] = input 0
    %1: i64[9] = input 1
    %2: i64[9] = subtract %0, %1
    %3: i64[] = reduce_sum %2 axes[0]
    %4: i64[9] = view %3 axis[-1] start[] step[0]
    %5: i64[9] = subtract %1, %4
    %6: i64[9] = multiply %1, %1
    %7: i64[] = reduce_max %6 axes[0]
    %8: i64[9] = view %7 axis[-1] start[] step[0]
    %9: i64[9] = add %2, %8
    return %5, %9
  })";
  auto parsed = ir::ParseGraph(graph);
  ASSERT_TRUE(parsed.ok());
  const Schedule schedule = MakeSchedule(**parsed, "");
  size_t nodes = 0;
  for (const Group& group : schedule.groups) nodes += group.nodes.size();
  EXPECT_EQ(nodes, 6u) << ScheduleOf(graph);
}

}  // namespace
}  // namespace dynacc::schedule
