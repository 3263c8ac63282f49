// Which products are given to a library, and what they take in.
#include "codegen/schedule/epilogue_matcher.h"

#include "absl/strings/str_cat.h"
#include "codegen/ir/graph_text.h"
#include "codegen/schedule/schedule.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynacc::schedule {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const absl::Status& Available() {
  static const auto& status = *new absl::Status();
  return status;
}

const absl::Status& Missing() {
  static const auto& status = *new absl::Status(absl::UnavailableError("no such library"));
  return status;
}

constexpr MatmulPolicy kAnyOrder = {true, &Available};

std::string ScheduleOf(const std::string& text, const MatmulPolicy& policy = kAnyOrder,
                       const char* disabled = "fuse-rows") {
  auto graph = ir::ParseGraph(text);
  if (!graph.ok()) return std::string(graph.status().message());
  return ScheduleText(**graph, MakeSchedule(**graph, disabled, policy));
}

// A product of inputs 0 and 1, %2, of rows x 200, and then `rest`.
std::string AfterProduct(const std::string& rest, int rows = 100) {
  return absl::StrCat("graph {\n%0: f32[", rows, ", 100] = input 0\n",
                      "%1: f32[100, 200] = input 1\n%2: f32[", rows, ", 200] = matmul %0, %1\n",
                      rest, "}");
}

constexpr char kBiasAndRelu[] = R"(
    %3: f32[200] = input 2
    %4: f32[100, 200] = view %3 axis[-1, 0] start[0] step[0, 1]
    %5: f32[100, 200] = add %2, %4
    %6: f32[100, 200] = full 0
    %7: f32[100, 200] = maximum %6, %5
    return %7
)";

TEST(EpilogueTest, BiasAndActivationJoinTheProduct) {
  EXPECT_EQ(ScheduleOf(AfterProduct(kBiasAndRelu)), R"(group 0 matmul by library
  %2 = matmul(%0, %1)
  %5 = add(%2, %4)
  %7 = maximum(%6, %5) -> output 0
note: fused %5 add into %2 matmul as add
note: fused %7 maximum into %2 matmul as relu
)");
}

TEST(EpilogueTest, RulesCanBeSwitchedOff) {
  EXPECT_THAT(ScheduleOf(AfterProduct(kBiasAndRelu), kAnyOrder, "fuse-epilogue,fuse-rows"),
              HasSubstr("group 0 matmul by library\n  %2 = matmul(%0, %1) stored\ngroup 1"));
  EXPECT_THAT(ScheduleOf(AfterProduct(kBiasAndRelu), kAnyOrder, "library-matmul,fuse-rows"),
              Not(HasSubstr("library")));
}

TEST(EpilogueTest, OnlyProductsOfFreeOrderThatAreWorthIt) {
  EXPECT_THAT(ScheduleOf(AfterProduct(kBiasAndRelu), {}), Not(HasSubstr("library")));
  EXPECT_THAT(ScheduleOf(AfterProduct(kBiasAndRelu), {true, nullptr}),
              HasSubstr("%2 matmul is not the library's: the target has no library"));
  EXPECT_THAT(ScheduleOf(AfterProduct(kBiasAndRelu), {true, &Missing}),
              HasSubstr("%2 matmul is not the library's: no such library"));
  EXPECT_THAT(ScheduleOf(AfterProduct("return %2\n", 9)),
              HasSubstr("%2 matmul is not the library's: it is small"));
  EXPECT_THAT(ScheduleOf(R"(graph {
    %0: f64[100, 200] = input 0
    %1: f64[200, 100] = input 1
    %2: f64[100, 100] = matmul %0, %1
    return %2
  })"),
              HasSubstr("%2 matmul is not the library's: a product of f64"));
}

TEST(EpilogueTest, ProductsOfTensorsTakeInWhatKeepsItsBits) {
  const std::string product = R"(graph {
    %0: f32[100, 100] = input 0
    %1: f32[100, 200] = input 1
    %2: f32[100, 200] = matmul %0, %1 any_order
    %3: f32[100, 200] = input 2
    %4: f32[100, 200] = add %2, %3
    %5: f32[100, 200] = tanh %4
    return %5
  })";
  const std::string text = ScheduleOf(product, {false, &Available});
  EXPECT_THAT(text, HasSubstr("by library\n  %2 = matmul(%0, %1)\n  %4 = add(%2, %3) stored\n"));
  EXPECT_THAT(text, HasSubstr("group 1 elementwise\n  %5 = tanh"));
  EXPECT_THAT(ScheduleOf(product), HasSubstr("fused %5 tanh into %2 matmul as tanh"));
}

// What the run finds constant the library computes from a quarter or a sixteenth of the size on.
TEST(EpilogueTest, ProductsOfTensorsMayHaveConstantWeights) {
  const auto product = [](int rows, const char* attributes) {
    return absl::StrCat("graph {\n%0: f32[", rows, ", 100] = input 0\n",
                        "%1: f32[100, 200] = input 1\n%2: f32[", rows, ", 200] = matmul %0, %1",
                        attributes, "\n%3: f32[", rows, ", 200] = input 2\n%4: f32[", rows,
                        ", 200] = add %2, %3\nreturn %4\n}");
  };
  const MatmulPolicy tensors = {false, &Available};
  const auto by_library =
      HasSubstr("by library\n  %2 = matmul(%0, %1) stored\ngroup 1 elementwise");
  EXPECT_THAT(ScheduleOf(product(14, " any_order"), tensors), by_library);
  EXPECT_THAT(ScheduleOf(product(4, " any_order low_precision"), tensors), by_library);
  EXPECT_THAT(ScheduleOf(product(14, " any_order windows"), tensors), HasSubstr("it is small"));
  EXPECT_THAT(ScheduleOf(product(13, " any_order"), tensors), HasSubstr("it is small"));
  EXPECT_THAT(ScheduleOf(product(3, " any_order low_precision"), tensors),
              HasSubstr("it is small"));
  EXPECT_THAT(ScheduleOf(product(14, "")), HasSubstr("it is small"));
  EXPECT_THAT(ScheduleOf(product(14, " any_order")), Not(HasSubstr("fused")));
}

// oneDNN would compute the second with the numbers of the first.
TEST(EpilogueTest, FunctionsOfOneKindWithOtherNumbersAreApart) {
  const auto twice = [](const char* second) {
    return AfterProduct(absl::StrCat(R"(
    %3: f32[100, 200] = full -1
    %4: f32[100, 200] = full 1
    %5: f32[100, 200] = maximum %2, %3
    %6: f32[100, 200] = minimum %5, %4
    %7: f32[100, 200] = input 2
    %8: f32[100, 200] = add %6, %7
    %9: f32[100, 200] = full )",
                                     second, R"(
    %10: f32[100, 200] = maximum %8, %3
    %11: f32[100, 200] = minimum %10, %9
    return %11
)"));
  };
  EXPECT_THAT(ScheduleOf(twice("1")), HasSubstr("fused %10 minimum into %2 matmul as clip"));
  const std::string other = ScheduleOf(twice("2"));
  EXPECT_THAT(other, HasSubstr("fused %8 add into %2 matmul as add"));
  EXPECT_THAT(other, HasSubstr("group 1 elementwise\n  %10 = maximum(%8, %3)"));
}

TEST(EpilogueTest, OfTwoProductsOneTakesInTheirProduct) {
  const char* const gated = R"(graph {
    %0: f32[100, 100] = input 0
    %1: f32[100, 200] = input 1
    %2: f32[100, 200] = matmul %0, %1 any_order
    %3: f32[100, 200] = input 2
    %4: f32[100, 200] = matmul %0, %3 any_order
    %5: f32[100, 200] = multiply %2, %4
    return %5
  })";
  EXPECT_EQ(ScheduleOf(gated, {false, &Available}), R"(group 0 matmul by library
  %4 = matmul(%0, %3) stored
group 1 matmul by library
  %2 = matmul(%0, %1)
  %5 = multiply(%2, %4) -> output 0
note: fused %5 multiply into %2 matmul as multiply
note: not fused %5 multiply into %4 matmul: it is part of another product
)");
}

TEST(EpilogueTest, TensorsOfBFloat16AreTakenAsTheyAre) {
  const auto product = [](const char* returned) {
    return absl::StrCat(R"(graph {
    %0: bf16[100, 100] = input 0
    %1: bf16[100, 200] = input 1
    %2: f32[100, 100] = cast %0
    %3: f32[100, 200] = cast %1
    %4: f32[100, 200] = empty 0
    %5: f32[100, 200] = store %4, %3 axis[0, 1] start[0, 0] step[1, 1]
    %6: f32[100, 200] = matmul %2, %5 apart any_order low_precision
    %7: bf16[100, 200] = cast %6
    return )",
                        returned, "\n}");
  };
  const MatmulPolicy narrow = {false, &Available, [] { return true; }};
  EXPECT_EQ(ScheduleOf(product("%7"), narrow), R"(group 0 matmul by library
  %6 = matmul(%2, %5) stored
group 1 elementwise
  %7 = cast(%6) -> output 0
note: %6 matmul takes %0 input of bfloat16
note: %6 matmul takes %1 input of bfloat16
)");
  // What others read is computed all the same.
  EXPECT_THAT(ScheduleOf(product("%7, %2"), narrow), HasSubstr("%2 = cast(%0) -> output 1"));
  EXPECT_THAT(ScheduleOf(product("%7"), {false, &Available, [] { return false; }}),
              HasSubstr("%2 = cast(%0)"));
}

// Images of 40 x 40 with 16 channels, filters of 3 x 3.
std::string Convolved(const char* bits, const char* rest) {
  return absl::StrCat(R"(graph {
    %0: f32[2, 40, 40, 16] = input 0
    %1: f32[144, 32] = input 1
    %2: f32[2, 38, 38, 3, 3, 16] = view %0 axis[0, 1, 2, 1, 2, 3] start[0, 0, 0, 0] step[1, 1, 1, 1, 1, 1]
    %3: f32[2, 38, 38, 144] = reshape %2
    %4: f32[2, 38, 38, 32] = matmul %3, %1)",
                      bits, "\n", rest, "\n}");
}

TEST(EpilogueTest, WindowsJoinTheirProduct) {
  EXPECT_EQ(ScheduleOf(Convolved("", "return %4")), R"(group 0 matmul by library
  %4 = matmul(%3, %1) -> output 0
note: %4 matmul takes the windows %2 view
)");
  const MatmulPolicy tensors = {false, &Available};
  EXPECT_THAT(ScheduleOf(Convolved(" any_order windows", "return %4"), tensors),
              HasSubstr("takes the windows"));
  // The product of a tensor of windows has the bits that it has in eager code.
  EXPECT_THAT(ScheduleOf(Convolved(" any_order", "return %4"), tensors),
              HasSubstr("group 0 reshape"));
  EXPECT_THAT(ScheduleOf(Convolved("", "return %4, %3")), HasSubstr("%3 = reshape"));
  EXPECT_THAT(ScheduleOf(Convolved("", "return %4"), kAnyOrder, "fuse-windows"),
              HasSubstr("group 0 reshape"));
}

TEST(EpilogueTest, OurOwnProductsReadWindowsToo) {
  MatmulPolicy own;
  own.reads_windows = true;
  EXPECT_EQ(ScheduleOf(Convolved("", "return %4"), own), R"(group 0 matmul
  %4 = matmul(%3, %1) -> output 0
note: %4 matmul takes the windows %2 view
)");
  EXPECT_THAT(ScheduleOf(Convolved("", "return %4, %3"), own), HasSubstr("%3 = reshape"));
  EXPECT_THAT(ScheduleOf(Convolved("", "return %4"), MatmulPolicy()), HasSubstr("%3 = reshape"));
}

TEST(EpilogueTest, ConvolutionsTakeInBiasAndActivation) {
  const std::string text = ScheduleOf(Convolved("", R"(
    %5: f32[32] = input 2
    %6: f32[2, 38, 38, 32] = view %5 axis[-1, -1, -1, 0] start[0] step[0, 0, 0, 1]
    %7: f32[2, 38, 38, 32] = add %4, %6
    %8: f32[2, 38, 38, 32] = tanh %7
    %9: f32[2, 38, 38, 32] = input 3
    %10: f32[2, 38, 38, 32] = add %8, %9
    return %10)"));
  EXPECT_THAT(text, HasSubstr("fused %7 add into %4 matmul as add"));
  EXPECT_THAT(text, HasSubstr("fused %8 tanh into %4 matmul as tanh"));
  EXPECT_THAT(text, HasSubstr("group 1 elementwise\n  %10 = add(%8, %9) -> output 0"));
}

TEST(EpilogueTest, WhatIsReadElsewhereStays) {
  const std::string text = ScheduleOf(AfterProduct(R"(
    %3: f32[100, 200] = input 2
    %4: f32[100, 200] = add %2, %3
    %5: f32[100, 200] = tanh %4
    return %5, %4
  )"));
  EXPECT_THAT(text, HasSubstr("%4 = add(%2, %3) -> output 1\ngroup 1 elementwise"));
}

TEST(EpilogueTest, ColumnsAndStacksOfMasksStay) {
  EXPECT_THAT(ScheduleOf(AfterProduct(R"(
    %3: f32[100] = input 2
    %4: f32[100, 200] = view %3 axis[0, -1] start[0] step[1, 0]
    %5: f32[100, 200] = add %2, %4
    return %5
  )")),
              HasSubstr("group 1 elementwise\n  %5"));
}

TEST(EpilogueTest, WhatFollowsAnEpilogueIsAKernelOfItsOwn) {
  const std::string text = ScheduleOf(AfterProduct(R"(
    %3: f32[100, 200] = input 2
    %4: f32[100, 200] = exp %3
    %5: f32[100, 200] = add %2, %4
    %6: f32[100, 200] = sin %5
    %7: f32[100] = reduce_sum %6 axes[1]
    return %7
  )"));
  EXPECT_THAT(text, HasSubstr("group 0 elementwise\n  %4 = exp(%3) stored\n"));
  EXPECT_THAT(text, HasSubstr("group 1 matmul by library\n  %2 = matmul(%0, %1)\n"
                              "  %5 = add(%2, %4) stored\n"));
  EXPECT_THAT(text, HasSubstr("not fused %4 exp into %5 add: that is part of a product"));
}

// The functions of f32[] %0, one node a line, "x" for it.
std::string FunctionOf(const std::string& nodes) {
  auto graph = ir::ParseGraph(absl::StrCat("graph {\n%0: f32[8] = input 0\n", nodes, "}"));
  if (!graph.ok()) return std::string(graph.status().message());
  std::vector<const ir::Node*> found;
  const ir::Node* const value = (*graph)->nodes()[0];
  for (const ir::Node* node : (*graph)->nodes()) {
    if (IsFunctionNode(**graph, node, value, found)) found.push_back(node);
  }
  if (found.empty()) return "none";
  const auto step = MatchFunctionStep(**graph, value, found);
  if (!step.has_value()) return "unknown";
  return absl::StrCat(cpu::Info(step->kind).text, " ", step->alpha, " ", step->beta);
}

TEST(EpilogueTest, FunctionsAreKnownByWhatTheyCompute) {
  EXPECT_EQ(FunctionOf("%1: f32[8] = tanh %0\nreturn %1\n"), "tanh 0 0");
  EXPECT_EQ(FunctionOf("%1: f32[8] = multiply %0, %0\nreturn %1\n"), "square 0 0");
  EXPECT_EQ(FunctionOf("%1: f32[8] = full 3\n%2: f32[8] = multiply %0, %1\n"
                       "%3: f32[8] = subtract %2, %1\nreturn %3\n"),
            "linear 3 -3");
  EXPECT_EQ(FunctionOf("%1: f32[8] = full 6\n%2: f32[8] = full 0\n%3: f32[8] = minimum %1, %0\n"
                       "%4: f32[8] = maximum %3, %2\nreturn %4\n"),
            "clip 0 6");
  EXPECT_EQ(FunctionOf("%1: f32[8] = negative %0\n%2: f32[8] = exp %1\n%3: f32[8] = full 1\n"
                       "%4: f32[8] = add %2, %3\n%5: f32[8] = divide %0, %4\nreturn %5\n"),
            "swish 1 0");
  EXPECT_EQ(FunctionOf("%1: f32[8] = full 0\n%2: bool[8] = less %0, %1\n%3: f32[8] = full 0.5\n"
                       "%4: f32[8] = multiply %0, %3\n%5: f32[8] = where %2, %4, %0\nreturn %5\n"),
            "relu 0.5 0");
}

TEST(EpilogueTest, NearlyIsNotTheSame) {
  const auto gelu = [](const char* factor) {
    return FunctionOf(
        absl::StrCat("%1: f32[8] = full 3\n%2: f32[8] = power %0, %1\n%3: f32[8] = full ", factor,
                     "\n%4: f32[8] = multiply %2, %3\n%5: f32[8] = add %0, %4\n",
                     "%6: f32[8] = full 0.7978845608028654\n%7: f32[8] = multiply %5, %6\n",
                     "%8: f32[8] = tanh %7\n%9: f32[8] = full 1\n%10: f32[8] = add %8, %9\n",
                     "%11: f32[8] = full 0.5\n%12: f32[8] = multiply %0, %11\n",
                     "%13: f32[8] = multiply %12, %10\nreturn %13\n"));
  };
  EXPECT_EQ(gelu("0.044715"), "gelu 0 0");
  EXPECT_EQ(gelu("0.0447"), "unknown");
  EXPECT_EQ(FunctionOf("%1: f32[8] = full 0.001\n%2: f32[8] = maximum %0, %1\nreturn %2\n"),
            "unknown");
  EXPECT_EQ(FunctionOf("%1: f32[8] = sin %0\nreturn %1\n"), "none");
}

}  // namespace
}  // namespace dynacc::schedule
