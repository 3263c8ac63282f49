// Random programs of stores into arrays by the tile target (tests/codegen/store_fuzzer.h). Failures
// print their seed.
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/codegen/mimic_loops.h"
#include "tests/codegen/store_fuzzer.h"

namespace dynacc {
namespace {

TEST(StoreFuzzTest, MatchesTheReference) {
  testing::RegisterMimicLoops();
  const char* first = std::getenv("DYNACC_FUZZ_SEED");
  const int begin = first == nullptr ? 0 : std::atoi(first);
  const char* count = std::getenv("DYNACC_FUZZ_COUNT");
  const int end = begin + (count == nullptr ? 2000 : std::atoi(count));
  for (int seed = begin; seed < end; ++seed) {
    SCOPED_TRACE(absl::StrCat("DYNACC_FUZZ_SEED=", seed));
    testing::StoreFuzzer(seed, "tile").Run();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace dynacc
