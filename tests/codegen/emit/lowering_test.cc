#include "codegen/emit/lowering.h"

#include "codegen/ir/graph_text.h"
#include "gtest/gtest.h"
#include "runtime/kernel/kernel_text.h"
#include "runtime/kernel/kernel_verifier.h"

namespace dynacc::emit {
namespace {

struct Lowered {
  std::unique_ptr<ir::Graph> graph;
  LoweredKernel kernel;
};

// The kernel of the graph's first group.
Lowered LowerFirst(const std::string& text) {
  Lowered result;
  result.graph = *ir::ParseGraph(text);
  const schedule::Schedule schedule = schedule::MakeSchedule(*result.graph, "");
  result.kernel = LowerGroup(schedule.groups[0], "k0", false);
  EXPECT_TRUE(kernel::VerifyKernel(result.kernel.kernel).ok())
      << kernel::VerifyKernel(result.kernel.kernel);
  return result;
}

TEST(LoweringTest, NumbersInputsThenSteps) {
  const Lowered lowered = LowerFirst(R"(graph {
    %0: f64[9] = input 0
    %1: f64[] = scalar 2.5
    %2: f64[9] = view %1 axis[-1] start[] step[0]
    %3: f64[9] = multiply %0, %2
    %4: f64[9] = exp %3
    %5: bool[9] = less %4, %0
    return %4, %5
  })");
  EXPECT_EQ(kernel::KernelText(lowered.kernel.kernel),
            "kernel k0(v0: f64, v1: f64) -> (v3, v4)\n"
            "  v2: f64 = multiply(v0, v1)\n"
            "  v3: f64 = exp(v2) library\n"
            "  v4: bool = less(v3, v0)\n");
  EXPECT_TRUE(lowered.kernel.may_raise_flags);
  ASSERT_EQ(lowered.kernel.inputs.size(), 2u);
  EXPECT_EQ(lowered.kernel.inputs[1]->op, Op::kView);
}

TEST(LoweringTest, ComparisonsRaiseNoFlags) {
  const Lowered lowered = LowerFirst(R"(graph {
    %0: f64[9] = input 0
    %1: bool[9] = isnan %0
    return %1
  })");
  EXPECT_FALSE(lowered.kernel.may_raise_flags);
}

TEST(LoweringTest, AReductionOfMemoryHasNoSteps) {
  const Lowered lowered = LowerFirst(R"(graph {
    %0: f64[9] = input 0
    %1: f64[] = reduce_sum %0 axes[0]
    return %1
  })");
  EXPECT_TRUE(lowered.kernel.kernel.steps.empty());
}

TEST(LoweringTest, LogicalReductionsCastToBool) {
  const Lowered lowered = LowerFirst(R"(graph {
    %0: f64[9] = input 0
    %1: bool[] = reduce_any %0 axes[0]
    return %1
  })");
  EXPECT_EQ(kernel::KernelText(lowered.kernel.kernel),
            "kernel k0(v0: f64) -> (v1)\n  v1: bool = cast(v0)\n");
}

TEST(LoweringTest, TheTableSaysWhatIsEmitted) {
  EXPECT_TRUE(IsEmitted(Op::kAdd, DType::kFloat64));
  EXPECT_TRUE(IsEmitted(Op::kSqrt, DType::kFloat32));
  EXPECT_FALSE(IsEmitted(Op::kSqrt, DType::kInt32));
  EXPECT_TRUE(IsEmitted(Op::kInvert, DType::kBool));
  EXPECT_FALSE(IsEmitted(Op::kInvert, DType::kFloat64));
  EXPECT_FALSE(IsEmitted(Op::kExp, DType::kFloat64));
}

}  // namespace
}  // namespace dynacc::emit
