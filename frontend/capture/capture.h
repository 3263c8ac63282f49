// Capture: the front end's face to embed/: start, stop, mark functions, explain.
//
// All functions need the GIL.
#pragma once

#include <Python.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "frontend/cache/compilation.h"

namespace dynacc::capture {

enum class Policy {
  kAlways,    // every function frame, from its first call
  kHot,       // frames that touch arrays and are worth it
  kExplicit,  // only what dynacc.compile names
};

absl::StatusOr<Policy> ParsePolicy(absl::string_view text);

// Installs the evaluator in the current interpreter. Chains to an evaluator that is already there.
// `main_body_is_next`: the program's main body has not been entered yet, and will be soon.
absl::Status StartCapture(Policy policy, bool main_body_is_next);

// Puts the previous evaluator back and drops every compiled entry. Safe to call at exit.
void StopCapture();

// Forgets what was captured and compiled, but for what is running: the next calls trace again.
// Entries keep the functions and modules that they were made for, where the garbage collector
// cannot see it; a module that was loaded anew would stay for ever. Needs the GIL.
void ForgetCaptured();
// The same of the code of one file, by its co_filename.
void ForgetCapturedOf(absl::string_view file);

// Calls a Python function in a compilation, with the evaluator on: its frame is captured whatever
// the policy. A RuntimeWarning, once, if the program's NumPy is of a version that cannot be
// captured; RuntimeError under fullgraph.
PyObject* CallCompiled(PyObject* function, cache::Compilation& compilation, PyObject* const* args,
                       size_t nargsf, PyObject* kwnames);

// What the entries of a compilation that are there have done.
struct EntryCounts {
  uint64_t entries = 0;
  uint64_t hits = 0;
};
EntryCounts CountEntries(const cache::Compilation& compilation);

// Calls any callable with capture off: nothing that it runs is captured, but for what is called in
// a compilation of its own.
PyObject* CallPlainly(PyObject* function, PyObject* const* args, size_t nargsf, PyObject* kwnames);

// Everything known of a Python function's segments in a compilation (null: by the default policy),
// as a new dict (explanation.h).
PyObject* ExplainFunction(PyObject* function, cache::Compilation* compilation);

}  // namespace dynacc::capture
