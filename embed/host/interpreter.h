// The one CPython of a host process: started by the first Runtime, kept until the process ends.
#pragma once

#include "absl/status/status.h"
#include "embed/include/dynacc/runtime.h"

namespace dynacc {

// Starts CPython, or checks that the running one, if it is ours, has the same home, venv, isolated
// and handle_signals. On success the GIL is not held. Errors as Runtime::Start documents.
absl::Status EnsureInterpreter(const RuntimeOptions& options);

// Sets sys.argv and puts `search_paths` before sys.path, without what an earlier session put there.
// Needs the GIL.
absl::Status SetPaths(const RuntimeOptions& options);

// The end of a session, as far as it is Python's: joins the non-daemon threads, runs the functions
// of atexit, flushes sys.stdout and sys.stderr. What goes wrong is printed to stderr, as at
// Python's own end. Needs the GIL.
void EndPythonSession();

}  // namespace dynacc
