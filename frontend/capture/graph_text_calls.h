// Graphs as text, run on arrays: what dynacc.graphs (embed/python/dynacc/graphs.py) is made of.
//
// All functions need the GIL, and return a new reference, or null with an exception set: ValueError
// for a text that is no legal graph, RuntimeError for one that cannot be compiled or run.
#pragma once

#include <Python.h>

#include <string>

#include "absl/strings/string_view.h"

namespace dynacc::capture {

// {"scalars": ["int", "float", ...], "library_calls": int, "inputs": [(dtype character, shape)],
// "outputs": int}. A shape is None unless all its sizes are constants.
PyObject* DescribeGraph(absl::string_view text);

// The text of the graph for one choice of its numbers (codegen/ir/specialize.h), a sequence.
PyObject* SpecializeGraphText(absl::string_view text, PyObject* numbers);

// Compiles the graph, which takes no numbers and makes no library calls, by that target and runs it
// on `arrays`, a sequence of arrays of the inputs' dtypes and shapes. A list of its outputs: an
// output that is written into an input is that input.
PyObject* RunGraphText(absl::string_view text, const std::string& target, PyObject* arrays);

// The graph's text after the passes, and its fusion groups as a list of (kind, [node id]).
PyObject* ScheduleOfGraph(absl::string_view text);

}  // namespace dynacc::capture
