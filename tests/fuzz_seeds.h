// The seeds of a random test. The environment chooses them: DYNACC_FUZZ_SEED is the first and
// DYNACC_FUZZ_COUNT their number; without them the test's own are taken, the same in each run. A
// campaign (tests/fuzz/campaign.py) reads the line `executions: N` that ends a run of its choice.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "gtest/gtest.h"

namespace dynacc::testing {

// Calls `run` with each seed until one fails, and returns how many it did. The failure says its
// seed.
template <typename Run>
uint64_t ForEachSeed(uint64_t first, uint64_t count, Run run) {
  const char* chosen_first = std::getenv("DYNACC_FUZZ_SEED");
  const char* chosen_count = std::getenv("DYNACC_FUZZ_COUNT");
  if (chosen_first != nullptr) first = std::strtoull(chosen_first, nullptr, 10);
  if (chosen_count != nullptr) count = std::strtoull(chosen_count, nullptr, 10);
  uint64_t done = 0;
  while (done < count && !::testing::Test::HasFailure()) {
    SCOPED_TRACE(::testing::Message() << "DYNACC_FUZZ_SEED=" << first + done);
    run(first + done);
    ++done;
  }
  if (chosen_first != nullptr) std::printf("executions: %llu\n", (unsigned long long)done);
  return done;
}

}  // namespace dynacc::testing
