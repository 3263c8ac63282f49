// Soundness of the guard tree (guard_tree_fuzzing.h), over a thousand rounds.
#include "gtest/gtest.h"
#include "tests/frontend/guards/guard_tree_fuzzing.h"
#include "tests/frontend/python_environment.h"
#include "tests/fuzz_seeds.h"

namespace dynacc::guards {
namespace {

TEST(GuardTreeFuzz, AgreesWithPlainEvaluation) {
  GuardTreeFuzzing fuzzing;
  const auto rounds = static_cast<int64_t>(
      testing::ForEachSeed(1, 1000, [&](uint64_t seed) { ASSERT_EQ(fuzzing.RunRound(seed), ""); }));
  // The run must have seen both answers often, or it has shown nothing.
  EXPECT_GT(fuzzing.hits(), 10 * rounds);
  EXPECT_GT(fuzzing.misses(), 10 * rounds);
  RecordProperty("hits", std::to_string(fuzzing.hits()));
  RecordProperty("misses", std::to_string(fuzzing.misses()));
}

}  // namespace
}  // namespace dynacc::guards
