// The text of a graph: printed in logs and golden tests, and parsed back.
//
//   graph {
//     scalars: s0 = input int, s1 = (s0 - 2)
//     %0: f64[3, s0] = input 0
//     %1: f64[3, s1] = view %0 axis[0, 1] start[0, 1] step[1, 1]    # prog.py:12
//     %2: f64[] = scalar 2.5
//     %3: f64[3, s1] = view %2 axis[-1, -1] start[] step[0, 0]
//     %4: f64[3, s1] = multiply %1, %3
//     %5: f64[3] = reduce_sum %4 axes[1]
//     %6: f64[3, s0] = store %0, %4 axis[0, 1] start[0, 1] step[1, 1]
//     return %5, %6 -> %0
//   }
//
// A call of the array library reads as its text (runtime/executor/library_call_text.h) with the
// call's number, "numpy.sum(%0, axis=1) call 3", and " of %0, %2" behind it if the text does not
// show each operand once, in order; one without a text as "library_call 3 %0, %2". "s2 = late" is a
// data-dependent number; a node "library_call 3 defines s2 %0" makes it known, and a line "requires
// s4, s5" before the last says what must hold (Graph::AddCondition). Scalars: each expression of
// the ScalarProgram that is not a constant, in order; constants are literals where they are used.
// A node that runs graphs (graph.h, CONTROL FLOW) says how many; they follow on the next lines,
// each as a text like this one:
//
//     %2: f64[3] = cond %1, %0 graphs 2
//       graph {
//         ...
//
// What follows # at a node is its location. PrintGraph of a parsed graph gives the printed text
// back; the ids of constants in the ScalarProgram may differ. Which errors are reported
// (Graph::ReportedBy) is not in the text: of a parsed graph, all.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "codegen/ir/graph.h"

namespace dynacc::ir {

std::string PrintGraph(const Graph& graph);

// One node's line, without indent and location: "%5: f64[3] = reduce_sum %4 axes[1]".
std::string PrintNode(const Graph& graph, const Node& node);
std::string PrintNode(const ScalarProgram& scalars, const Node& node);

// The op and what it takes, "add(%1, %2)"; a library call by the call's own text where that is
// known, "numpy.sinc(%4)".
std::string PrintCall(const Node& node);

// "f64[3, s0]".
std::string PrintType(const ScalarProgram& scalars, DType dtype, absl::Span<const ScalarId> shape);

// Errors: INVALID_ARGUMENT with the line and what is wrong there. What parses is well-formed text;
// whether it is a legal graph is VerifyGraph's to say.
absl::StatusOr<std::unique_ptr<Graph>> ParseGraph(absl::string_view text);

}  // namespace dynacc::ir
