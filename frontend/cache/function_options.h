// FunctionOptions: how a compilation captures and compiles.
#pragma once

#include <string>

#include "frontend/cpython/ref.h"
#include "runtime/base/options.h"

namespace dynacc::cache {

// What dynacc.compile takes.
struct FunctionOptions {
  bool fullgraph = false;     // a graph break is an error
  bool disabled = false;      // nothing is captured
  int dynamic = -1;           // 1: sizes dynamic from the start; 0: never; -1: after a change
  bool at_once = false;       // compiled by the target at the first run, not after tier_up
  OptionOverrides overrides;  // of the process's options

  // Callables, or null.
  Ref backend;         // asked about each graph (frontend/capture/python_backend.h)
  Ref on_graph_break;  // called with code, line and reason of each graph break
  Ref on_recompile;    // ... and of each trace that is made because no entry fits
  Ref guard_filter;    // called with the texts of a trace's guards; which of them shall be kept

  // Whether results may differ from the array library's: by a backend's choice or the user's.
  bool MayChangeResults() const {
    const std::string* const fast_math = overrides.Find("fast_math");
    return backend || (fast_math != nullptr && *fast_math == "1") ||
           overrides.Find("target") != nullptr;
  }
  // Every option's value.
  Options Settings() const { return overrides.Over(ProcessOptions()); }
  // One option's: a field of Options that is a text.
  const std::string& Setting(const char* name, const std::string& process) const {
    const std::string* const own = overrides.Find(name);
    return own == nullptr ? process : *own;
  }
};

}  // namespace dynacc::cache
