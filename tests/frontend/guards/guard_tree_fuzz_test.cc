// Soundness of the guard tree (guard_tree_fuzzing.h), over a thousand rounds.
//
// DYNACC_FUZZ_SEED and DYNACC_FUZZ_ROUNDS choose the run; a failure prints its seed and step.
#include <cstdlib>

#include "gtest/gtest.h"
#include "tests/frontend/guards/guard_tree_fuzzing.h"
#include "tests/frontend/python_environment.h"

namespace dynacc {
namespace {

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

TEST(GuardTreeFuzz, AgreesWithPlainEvaluation) {
  const int64_t first = FromEnvironment("DYNACC_FUZZ_SEED", 1);
  const int64_t rounds = FromEnvironment("DYNACC_FUZZ_ROUNDS", 1000);
  GuardTreeFuzzing fuzzing;
  for (int64_t seed = first; seed < first + rounds; ++seed) {
    ASSERT_EQ(fuzzing.RunRound(static_cast<uint64_t>(seed)), "") << "DYNACC_FUZZ_SEED=" << seed;
  }
  // The run must have seen both answers often, or it has shown nothing.
  EXPECT_GT(fuzzing.hits(), 10 * rounds);
  EXPECT_GT(fuzzing.misses(), 10 * rounds);
  RecordProperty("hits", std::to_string(fuzzing.hits()));
  RecordProperty("misses", std::to_string(fuzzing.misses()));
}

}  // namespace
}  // namespace dynacc
