// A target that has bugs, for driver_test.py: the driver must find each of them.
//
// PLANTED in the environment chooses: none, requires, crashes, exits.
#include <csignal>

#include "tests/fuzz_native/fuzz_target.h"

namespace dynacc {

std::vector<std::string> StartInputs() { return {"the quick brown fox", "a 10 and a 200\n"}; }

}  // namespace dynacc

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const char* planted = std::getenv("PLANTED");
  const bool hit = size > 4 && data[0] == 't' && std::memchr(data, 0xff, size) != nullptr;
  if (planted == nullptr || !hit) return 0;
  FUZZ_REQUIRE_SAYING(std::string(planted) != "requires", "found it");
  if (std::string(planted) == "crashes") raise(SIGSEGV);
  if (std::string(planted) == "exits") std::exit(0);
  return 0;
}
