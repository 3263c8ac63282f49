#include "runtime/cpu/tiles/tile_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/kernel/kernel_builder.h"

namespace dynacc::cpu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(TilePlan, PutsEmittedStepsIntoOneLoop) {
  kernel::KernelBuilder b("k");
  const int x = b.Input(DType::kFloat64), y = b.Input(DType::kFloat64);
  const int sum = b.Step(Op::kAdd, x, y);
  const TilePlan plan = MakeTilePlan(b.Build({b.Step(Op::kMultiply, sum, y)}));
  ASSERT_EQ(plan.phases.size(), 1u);
  EXPECT_THAT(plan.phases[0].calls, IsEmpty());
  EXPECT_THAT(plan.phases[0].emitted, ElementsAre(0, 1));
  EXPECT_THAT(plan.buffered, ElementsAre(false, false, false, false));
  EXPECT_THAT(plan.stored_last, ElementsAre(true));
}

TEST(TilePlan, NeedsAsFewPhasesAsTheDependencesAllow) {
  kernel::KernelBuilder b("k");
  const int x = b.Input(DType::kFloat64), y = b.Input(DType::kFloat64);
  const int exp_x = b.Library(Op::kExp, x);      // phase 1
  const int twice = b.Step(Op::kAdd, y, y);      // phase 0, although it comes later
  const int log = b.Library(Op::kLog, twice);    // phase 1
  const int sum = b.Step(Op::kAdd, exp_x, log);  // phase 1
  const TilePlan plan = MakeTilePlan(b.Build({sum}));
  ASSERT_EQ(plan.phases.size(), 2u);
  EXPECT_THAT(plan.phases[0].emitted, ElementsAre(1));
  EXPECT_THAT(plan.phases[1].calls, ElementsAre(0, 2));
  EXPECT_THAT(plan.phases[1].emitted, ElementsAre(3));
  EXPECT_THAT(plan.buffered, ElementsAre(false, false, true, true, true, false));
  EXPECT_THAT(plan.loaded, ElementsAre(false, true)) << "only the library reads x";
}

TEST(TilePlan, StoresALibraryResultStraightIntoItsOutput) {
  kernel::KernelBuilder b("k");
  const int x = b.Input(DType::kFloat64);
  const int result = b.Library(Op::kExp, x);
  const TilePlan plan = MakeTilePlan(b.Build({result}));
  EXPECT_EQ(plan.output[result], 0);
  EXPECT_FALSE(plan.buffered[result]);
  EXPECT_THAT(plan.stored_last, ElementsAre(false));
}

// The output may be the same memory as x, which the last loop still reads.
TEST(TilePlan, KeepsAnOutputBackWhileAnInputIsStillRead) {
  kernel::KernelBuilder b("k");
  const int x = b.Input(DType::kFloat64);
  const int result = b.Library(Op::kExp, x);
  const int sum = b.Step(Op::kAdd, result, x);
  const TilePlan plan = MakeTilePlan(b.Build({result, sum}));
  EXPECT_EQ(plan.output[result], -1);
  EXPECT_TRUE(plan.buffered[result]);
  EXPECT_THAT(plan.stored_last, ElementsAre(true, true));
}

TEST(TilePlan, ShrinksTheTileWhenThereAreManyBuffers) {
  kernel::KernelBuilder b("k");
  std::vector<int> outputs, inputs;
  for (int i = 0; i < 20; ++i) inputs.push_back(b.Input(DType::kFloat64));
  for (const int input : inputs)
    outputs.push_back(b.Library(Op::kExp, b.Step(Op::kNegative, input)));
  const TilePlan plan = MakeTilePlan(b.Build(outputs));
  EXPECT_LT(plan.tile, 1024);
  EXPECT_EQ(plan.tile % 16, 0);
  EXPECT_GE(plan.tile, 128);
}

}  // namespace
}  // namespace dynacc::cpu
