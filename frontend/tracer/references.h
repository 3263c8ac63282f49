// References: which values a value keeps alive, as the objects that they stand for do in Python.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "frontend/symbolic/value.h"
#include "frontend/tracer/symbolic_frame.h"

namespace dynacc::tracer {

// Calls `visit` with each value that the object behind `value` refers to itself. Of an object that
// existed before the segment these are only what the segment has put into it: what was there has a
// source. False if `value` is of a kind that does not tell all (an iterator that computes its
// items).
bool VisitReferences(const symbolic::Value& value, absl::FunctionRef<void(symbolic::Value*)> visit);

// Likewise of a frame: its locals, its stack and its closure.
void VisitReferences(const SymbolicFrame& frame, absl::FunctionRef<void(symbolic::Value*)> visit);

enum class Reached { kNo, kYes, kUnknown };

// Whether `target` is one of the roots, or what one refers to, directly or not. Unknown if there is
// a value on the way that does not tell, or very many of them.
Reached IsReached(const symbolic::Value* target, absl::Span<symbolic::Value* const> roots);

}  // namespace dynacc::tracer
