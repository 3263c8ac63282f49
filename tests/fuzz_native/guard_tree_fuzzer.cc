// The guard tree against a plain evaluation of its guards
// (tests/frontend/guards/guard_tree_fuzzing.h).
//
// A round has a random world of objects, entries captured from it, changes to everything that can
// be reached, and walks in between, with and without a read-set cache. The input is only a seed for
// all that: what Python's objects do is out of a coverage tool's sight, so feedback would not pay.
#include "tests/frontend/guards/guard_tree_fuzzing.h"
#include "tests/fuzz_native/fuzz_target.h"

namespace dynacc {

std::vector<std::string> StartInputs() { return {}; }

}  // namespace dynacc

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dynacc;
  static auto& fuzzing = *[] {
    guards::StartIsolatedPython();
    return new guards::GuardTreeFuzzing;
  }();
  uint64_t seed = 14695981039346656037u;  // FNV-1a
  for (size_t i = 0; i < size; ++i) seed = (seed ^ data[i]) * 1099511628211u;
  const std::string difference = fuzzing.RunRound(seed >> 1);
  FUZZ_REQUIRE_SAYING(difference.empty(), difference);
  return 0;
}
