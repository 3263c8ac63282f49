// Backends that are Python callables: dynacc.compile(backend=function), and the process's own.
//
// The function is told each graph that is captured, as text (codegen/ir/graph_text.h), and says
// what shall become of it: a target compiles it, another graph is compiled in its place, or a
// function of its own runs it. embed/python/dynacc/backends.py, which stands between that function
// and here, checks its answer and has its documentation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/compile/compiler.h"
#include "codegen/ir/graph.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/cpython/ref.h"

namespace dynacc::capture {

struct GraphDescriptor {
  struct Output {
    DType dtype;
    std::vector<ScalarId> shape;
    int target;  // the input that it is written into; -1: none
  };

  explicit GraphDescriptor(const ir::Graph& graph);

  // The values of the program's inputs, among those of all its expressions.
  std::vector<ScalarValue> NumbersOf(absl::Span<const ScalarValue> values) const;

  // "": the graph takes and gives arrays of the same dtypes and ranks, and numbers of the same
  // types, as `other`; else what differs.
  std::string DifferenceFrom(const GraphDescriptor& other) const;

  std::vector<const ir::Node*> inputs;
  std::vector<Output> outputs;
  std::vector<ScalarType> number_types;  // of the program's inputs, in order
  std::vector<ScalarId> numbers;
};

enum class BackendAnswer {
  kCompiled,
  kNothing,   // to say about the graph
  kFallback,  // the stretch shall run as plain Python
  kRaised,
};

// Calls `backend(text, label, examples)`, the last a list of the graph's inputs; it gives (target,
// text, run): the name of a target or "", the text of a graph or "", a callable or None; or None in
// their place, for kFallback. The last of them that says something counts; a graph is compiled by
// the target. `compiled` is what runs the graph in its own place, with its inputs, its outputs and
// the values of its ScalarProgram.
//
// kRaised, with an exception set: what the backend raised; ValueError for a target that there is
// not, and for a text that is no legal graph or has other inputs and outputs; RuntimeError for what
// cannot be compiled.
BackendAnswer CompileByBackend(BorrowedRef backend, const ir::Graph& graph, BorrowedRef examples,
                               compile::CompileOptions options,
                               const arrays::ArrayNamespace& arrays,
                               std::shared_ptr<const executor::CompiledGraph>& compiled);

// The backend that is asked about the graphs of functions without one of their own; null: none is.
// dynacc.passes sets it. StopCapture drops it. Needs the GIL.
void SetProcessBackend(Ref backend);
BorrowedRef ProcessBackend();

}  // namespace dynacc::capture
