// GraphCall: one run of a compiled graph on Python's arrays and numbers.
//
// What it makes sure of is the same whoever runs a graph: arrays of the host that fit, numbers for
// which the graph's conditions hold, and memory of its own for each array that is written into.
// Results are fresh arrays; an output with a target is written into that input.
//
// Needs the GIL.
#pragma once

#include <Python.h>

#include <array>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/ir/graph.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/cpython/ref.h"
#include "runtime/executor/compiled_graph.h"

namespace dynacc::capture {

// What a run leaves behind besides its results.
struct RunEffects {
  // Whether random generators stay as the run's draws leave them. Otherwise they get back the
  // state that they had before, for a run that draws the same numbers.
  bool keeps_draws = true;
  // With an error that would be reported nothing is written into an input (has_written() is false),
  // and nothing has been drawn: Python is to run the code in its place.
  bool only_without_errors = false;
};

class GraphCall {
 public:
  // `graph` must live as long as the call; `arrays` is a sequence. INVALID_ARGUMENT if it has not
  // one array of the host for each input of the graph.
  static absl::StatusOr<GraphCall> Read(const ir::Graph& graph, PyObject* arrays);

  const std::vector<StridedView>& views() const { return views_; }

  // `inputs`: of the graph's scalar program, all of them. INVALID_ARGUMENT if an expression of
  // these has no value, if an array does not fit, if a condition of the graph does not hold, or if
  // an array that is written into shares memory with another one.
  absl::Status SetNumbers(absl::Span<const ScalarValue> inputs);

  // After SetNumbers, with `compiled` made of the graph. The floating-point errors that the array
  // library would report. Otherwise CompiledGraph::Run's errors, after which the random generators
  // are what they were before; it may be called again.
  absl::StatusOr<uint32_t> Run(const executor::CompiledGraph& compiled, const RunEffects& effects,
                               bool (*stop)() = nullptr);  // RunArguments'; null: never

  // After Run. One for each output of the graph.
  std::vector<Ref> TakeOutputs() { return std::move(outputs_); }
  // Of the scalar program, with what only the run tells.
  std::vector<ScalarValue> TakeScalars() { return std::move(scalars_); }
  bool has_written() const { return has_written_; }

 private:
  GraphCall(const ir::Graph& graph, arrays::ArrayNamespace& library, Ref items)
      : graph_(&graph), library_(&library), items_(std::move(items)) {}

  absl::Status CheckTargets() const;
  BorrowedRef item(size_t i) const {
    return PySequence_Fast_GET_ITEM(items_.get(), static_cast<Py_ssize_t>(i));
  }

  const ir::Graph* graph_;
  arrays::ArrayNamespace* library_;
  Ref items_;
  std::vector<StridedView> views_;
  std::vector<std::array<char, 16>> storage_;  // of scalar objects among them
  std::vector<ScalarValue> scalars_;
  std::vector<Ref> outputs_;
  bool has_written_ = true;
};

// INVALID_ARGUMENT: the array given for the input is of another dtype or shape.
absl::Status DoesNotFit(const ir::Graph& graph, const ir::Node& input);

}  // namespace dynacc::capture
