// What users are told of graph breaks: log, counters, trace file, dynacc.explain, errors.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "frontend/bytecode/decoded_code.h"
#include "frontend/cache/segment.h"
#include "frontend/cpython/ref.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::capture {

// Counts, logs and keeps the break that a trace ended with, if it ended with one. The step of an
// ordinary loop is none. `set`: of the code that was traced.
void NoteBreak(cache::SegmentSet& set, const tracer::SegmentEnd& end);

// The class of the error below: a RuntimeError, which it is itself until this is called. Needs the
// GIL.
void SetGraphBreakType(BorrowedRef type);

// Sets the error of fullgraph=True for a trace of `code` that does not end in a return. Its
// attribute `description` is DescribeEnd's, for who says it in other words.
void RaiseFullgraph(const bytecode::DecodedCode& code, const tracer::SegmentEnd& end);

// "prog.py:12: reason (hint: ...)", then the line's text and the calls that lead there.
std::string DescribeEnd(const bytecode::DecodedCode& code, const tracer::SegmentEnd& end);

}  // namespace dynacc::capture
