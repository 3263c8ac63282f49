// The core's face to a launcher that loads it only when a program needs it: a table of functions in
// `_dynacc.so`, found by name.
#pragma once

#include <Python.h>

#include <cstdio>

namespace dynacc {

struct Core {
  enum class When {
    kAtStart,      // no Python code of the program has run
    kBeforeMain,   // the next frame is the main body's; what led to it (runpy's code) runs already
    kInTheMiddle,  // of the program
  };
  // Obeys the environment (start.h) with the policy of the launcher, which, unless kAtStart, calls
  // `stop`. Prints what goes wrong; the program then runs plainly. Needs the GIL.
  void (*start)(When when);
  void (*stop)();
  PyObject* (*init_module)();
  // Prints what the launcher's options --dynacc-version, --dynacc-help and --dynacc-info ask for;
  // false if `option` is none of them. Needs no interpreter.
  bool (*answer)(const char* option, std::FILE* file);
};

}  // namespace dynacc

#define DYNACC_CORE_SYMBOL "DynaccCore"
extern "C" __attribute__((visibility("default"))) const dynacc::Core* DynaccCore();
