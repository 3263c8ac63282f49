// Inlining: a call of a Python function becomes a frame of the trace.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// Binds the arguments as CPython would and enters the function's frame. GraphBreak for generators,
// recursion, arguments that do not fit (Python then raises) and functions that are left alone.
absl::Status InlineCall(Tracer& tracer, symbolic::FunctionValue* function,
                        std::vector<symbolic::Value*> positional, symbolic::Keywords keywords);

// The cell `index` of an existing function's closure (a tuple).
symbolic::CellValue* ClosureCell(Tracer& tracer, const sources::Source* function,
                                 BorrowedRef closure, int index);
// An existing cell, and the source of what it holds.
symbolic::CellValue* ExistingCell(Tracer& tracer, BorrowedRef cell, const sources::Source* source,
                                  const sources::Source* content_source);

}  // namespace dynacc::tracer
