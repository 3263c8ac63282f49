// Capture: the front end's face to embed/: start, stop, mark functions, explain.
//
// All functions need the GIL.
#pragma once

#include <Python.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "frontend/cache/function_options.h"

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

// Marks the Python function `function` to be captured from its next call, whatever the policy.
// TypeError (set) and false if it has no code object.
bool MarkCompiled(PyObject* function, const cache::FunctionOptions& options);

// Forgets what was captured and compiled, but for what is running: the next calls trace again.
// Entries keep the functions and modules that they were made for, where the garbage collector
// cannot see it; a module that was loaded anew would stay for ever. Needs the GIL.
void ForgetCaptured();

// Marks it to be left alone, with everything that it calls in the same frame.
bool MarkDisabled(PyObject* function);

// Makes dynacc.explain see the next call of `function` from its beginning: marks it as compiled,
// with the options that it had and at_once, and forgets its segments and breaks. TypeError and
// false as above.
bool PrepareExplain(PyObject* function);

// Calls a marked function with the evaluator on: tp_call of dynacc.compile's wrapper. A
// RuntimeWarning, once, if the program's NumPy is of a version that cannot be captured;
// RuntimeError under fullgraph.
PyObject* CallCompiled(PyObject* function, PyObject* const* args, size_t nargsf, PyObject* kwnames);

// Everything known of a function's segments, as a new dict (explanation.h).
PyObject* ExplainFunction(PyObject* function);

}  // namespace dynacc::capture
