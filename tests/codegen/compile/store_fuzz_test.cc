// Random programs of stores into arrays by the tile target (tests/codegen/store_fuzzer.h).
#include "gtest/gtest.h"
#include "tests/codegen/mimic_loops.h"
#include "tests/codegen/store_fuzzer.h"
#include "tests/fuzz_seeds.h"

namespace dynacc::compile {
namespace {

TEST(StoreFuzzTest, MatchesTheReference) {
  testing::RegisterMimicLoops();
  testing::ForEachSeed(0, 2000, [](uint64_t seed) { testing::StoreFuzzer(seed, "tile").Run(); });
}

}  // namespace
}  // namespace dynacc::compile
