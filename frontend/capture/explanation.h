// What is known of captured code, as data: for dynacc.explain and for reports.
#pragma once

#include <Python.h>

#include "frontend/cache/code_record.h"
#include "frontend/cache/segment.h"
#include "runtime/base/json_text.h"

namespace dynacc::capture {

// An object of these; places of instructions are in bytes, as those of the module dis.
//
//   name, file, line   of the function
//   compiled           whether the segments are of a compilation, not of the policy
//   left_alone         capture brought too little: CPython runs it
//   segments           start_line, start_offset, visits, entries: a list of
//     graph, optimized, groups ({kind, nodes}), guards (lines), kernels (CompiledGraph::Describe);
//     the second and third are codegen/compile/graph_report.h's
//     hits, misses, operations, is_final (the kernels are those of the target asked for)
//     covered          ranges [first, end) of instructions that the entry stands for
//     end              kind ("return", "break", "loop"), offset, line, reason
//     saving           nanoseconds a run beside CPython, about; null if nothing was measured
//     runs, nanoseconds, steps   what a report measures (runtime/executor/measure.h): steps is a
//                      list of {group, runs, nanoseconds, bytes_read, bytes_written}
//   breaks             file, line, function, callers ({file, line, function}), reason, hint
//   recompiles         line, reason
//   loops              loops over single elements: line, visits, translated
//
// `record` is of `code`, with the decoded bytecode; `set` is one of its segment sets. Needs the
// GIL.
Json ExplainCode(PyCodeObject* code, const cache::CodeRecord& record, cache::SegmentSet& set);

// The same as Python objects; null with an exception set.
PyObject* ObjectOfJson(const Json& json);

}  // namespace dynacc::capture
