// Branches on values that only the run tells, both sides of which become part of the graph: the
// sides are traced one after the other, each as a subgraph, up to where they meet again, and what
// they leave in the frame's locals and on its stack are results of one node
// (ArrayNamespace::Branch).
//
// Where the trace has to be one graph (TraceRoot::inlines_compiled), that is each branch. Elsewhere
// a segment ends at such a branch, and CPython decides, unless it is known to be met often
// (TraceRoot::wants_both_sides): then both sides are traced if they are small and the program
// cannot tell the difference. Both sides must leave arrays that are alike, and otherwise the same;
// what they do to anything outside is a graph break.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontend/bytecode/decoded_code.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// What a branch on `value` by the jump that starts at `jump` asks of the run, where both of its
// sides are to be traced; else null.
absl::StatusOr<symbolic::TensorValue*> DataDependentCondition(Tracer& tracer,
                                                              symbolic::Value* value, int jump);

// Executes the conditional jump, whose operand is popped already and is `condition`: it is taken if
// that is `wanted`. The frame then stands where the sides meet, or has returned.
absl::Status TraceBothSides(Tracer& tracer, const bytecode::Instruction& jump,
                            symbolic::TensorValue* condition, bool wanted);

// A branch at the jump whose sides, traced from `before` on in a subgraph that is open, meet there.
Tracer::OpenBranch OpenAt(const Tracer& tracer, const bytecode::Instruction& jump, int meeting,
                          const Tracer::Place& before);

}  // namespace dynacc::tracer
