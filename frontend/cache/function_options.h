// FunctionOptions: how one function is captured and compiled, apart from the process's options.
#pragma once

#include <string>

#include "frontend/cpython/ref.h"

namespace dynacc::cache {

// What dynacc.compile takes.
struct FunctionOptions {
  bool fullgraph = false;  // a graph break is an error
  int dynamic = -1;        // 1: sizes dynamic from the start; 0: never; -1: after a change
  int fast_math = -1;      // 1, 0, or -1: as DYNACC_FAST_MATH says
  std::string target;      // a row of targets.def; empty: as DYNACC_TARGET says
  bool at_once = false;    // compiled by that target at the first run, not after DYNACC_TIER_UP
  Ref backend;  // asked about each graph (frontend/capture/python_backend.h); may be null
};

}  // namespace dynacc::cache
