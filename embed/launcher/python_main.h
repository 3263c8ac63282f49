// The main program of dynacc-python inside an interpreter's process.
//
// Everything but options that begin with --dynacc- is CPython's own doing: options, scripts, -c,
// -m, stdin, the prompt, exit codes and signals. sys.executable is the launcher on purpose, so that
// the children of multiprocessing and subprocess.run([sys.executable, ...]) are accelerated as
// well.
//
// The core (codegen, frontend, Abseil) is loaded when the program imports an array library or
// dynacc, or when its main body starts if that names an array library; at once if a DYNACC_
// variable is set, whose value may need a warning, a log or a file. So a program without arrays
// starts as fast as under python3 and runs the same code.
#pragma once

#include "embed/module/core.h"

namespace dynacc {

struct Launch {
  const char* launcher = nullptr;  // the path of dynacc-python
  const char* environment_python =
      nullptr;                           // the python of the active virtual environment, or null
  const Core* (*load_core)() = nullptr;  // null, with the reason in load_error, if it cannot be
  const char* (*load_error)() = nullptr;
};

// Runs CPython with these arguments; the exit status. `launch` must live as long as the process.
int RunPython(int argc, char** argv, const Launch& launch);

}  // namespace dynacc
