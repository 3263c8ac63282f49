// GuardTreeFuzzing: the soundness of the guard tree, tried out.
//
// A round has a random world of objects, random entries captured from it, and random changes to
// everything that can be reached. After each the tree's answer, entry by entry and slot by slot, is
// compared with a plain re-evaluation of every guard through CPython's public API. For
// guard_tree_fuzz_test and the fuzzer of tests/fuzz_native.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <string>

namespace dynacc::guards {

// For programs without tests/frontend/python_environment.h.
void StartIsolatedPython();

class GuardTreeFuzzing {
 public:
  // In an interpreter that runs. Registers array checks of its own (fake_arrays.h).
  GuardTreeFuzzing();
  ~GuardTreeFuzzing();

  // What differed, with the step and the entry; "" if nothing did.
  std::string RunRound(uint64_t seed);

  // How many entries matched and did not, over all rounds.
  int64_t hits() const;
  int64_t misses() const;

 private:
  class World;
  std::unique_ptr<World> world_;
};

}  // namespace dynacc::guards
