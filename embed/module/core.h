// The core's face to a launcher that loads it only when a program needs it: a table of functions in
// `_dynacc.so`, found by name.
#pragma once

#include <Python.h>

#include <cstdio>

namespace dynacc {

struct Core {
  // Obeys the environment (start.h) with the policy of the launcher. `deferred`: the program runs
  // already, and the launcher passes audit events and calls `stop`. Prints what goes wrong; the
  // program then runs plainly. Needs the GIL.
  void (*start)(bool deferred);
  void (*stop)();
  int (*audit)(const char* event, PyObject* args);
  PyObject* (*init_module)();
  // What --dynacc-info prints; needs no interpreter.
  void (*print_info)(std::FILE* file);
};

}  // namespace dynacc

#define DYNACC_CORE_SYMBOL "DynaccCore"
extern "C" __attribute__((visibility("default"))) const dynacc::Core* DynaccCore();
