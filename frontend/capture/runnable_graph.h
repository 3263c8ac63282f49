// RunnableGraph: a graph compiled for one target, to be called with arrays.
//
// What dynacc.graphs and dynacc.graph run graphs with. Sizes that are inputs of the scalar program
// are read off the arrays; what else it takes are the caller's numbers. Results are fresh arrays;
// an output with a target is written into that input. Floating-point errors are not reported.
//
// Needs the GIL.
#pragma once

#include <Python.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/ir/graph.h"
#include "frontend/capture/graph_call.h"
#include "frontend/cpython/ref.h"
#include "runtime/executor/compiled_graph.h"

namespace dynacc::capture {

class RunnableGraph {
 public:
  // `graph` must verify. INVALID_ARGUMENT for an unknown target; otherwise CompileGraph's errors.
  static absl::StatusOr<std::shared_ptr<const RunnableGraph>> Compile(
      std::shared_ptr<const ir::Graph> graph, const std::string& target);

  struct Results {
    std::vector<Ref> outputs;          // one for each output of the graph
    std::vector<ScalarValue> scalars;  // of the scalar program
  };

  // `arrays` and `numbers` are sequences; the latter has what NumberTypes says. GraphCall's errors.
  // A Python exception may be set, which then says more.
  absl::StatusOr<Results> Run(PyObject* arrays, PyObject* numbers,
                              const RunEffects& effects = {}) const;

  // The types of the numbers that no array's size gives, in order.
  std::vector<ScalarType> NumberTypes() const;

  const ir::Graph& graph() const { return *graph_; }
  std::string Describe() const { return compiled_->Describe(); }

 private:
  RunnableGraph(std::shared_ptr<const ir::Graph> graph,
                std::shared_ptr<const executor::CompiledGraph> compiled);

  // Where an input of the scalar program comes from: a size, or (array < 0) the caller.
  struct Binding {
    int array = -1;
    int axis = 0;
    ScalarType type = ScalarType::kInt;
  };

  // The scalar program's inputs: sizes of the arrays, and the caller's numbers.
  absl::StatusOr<std::vector<ScalarValue>> NumbersOf(absl::Span<const StridedView> views,
                                                     PyObject* numbers) const;

  const std::shared_ptr<const ir::Graph> graph_;
  const std::shared_ptr<const executor::CompiledGraph> compiled_;
  std::vector<Binding> bindings_;  // of the scalar program's inputs
};

}  // namespace dynacc::capture
