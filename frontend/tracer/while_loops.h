// `while` on an array's value where the trace has to be one graph: the loop becomes a node of it.
//
// A loop that is left by one conditional jump alone (bytecode::FindWhileLoop) has a state where
// that jump stands: the locals that the loop writes, and whether it goes on. One round, from there
// to there again, is traced as a subgraph with that state as its inputs, and gives the next state
// (ArrayNamespace::Loop). So a state consists of arrays, NumPy's scalars and Python's numbers, and
// a round changes no dtype, shape or type of them. CPython tests the condition of a `while` once
// before the loop and once at its end: the first test is a branch, one side of which begins with
// the first round (both_sides.h). Of a condition with `and` the last part's jump counts.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontend/bytecode/decoded_code.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// Executes the loop that the conditional jump ends, or is an earlier part of the end of, from that
// jump on. Its operand is popped already and is `condition`: it is taken if that is `wanted`. The
// frame then stands behind the loop. False: there is no such loop, and nothing was done.
absl::StatusOr<bool> TraceWhile(Tracer& tracer, const bytecode::Instruction& jump,
                                symbolic::TensorValue* condition, bool wanted);

// Whether the conditional jump leads out of the loop one of whose rounds is being traced.
bool LeavesRound(const Tracer& tracer, const bytecode::Instruction& jump);

// Executes such a jump: what comes of the rest of the loop's condition is asked where this part of
// it lets the loop go on. The frame then stands before the loop's own jump.
absl::Status TraceFurtherCondition(Tracer& tracer, const bytecode::Instruction& jump,
                                   symbolic::TensorValue* condition, bool wanted);

}  // namespace dynacc::tracer
