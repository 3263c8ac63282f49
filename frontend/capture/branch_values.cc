#include "frontend/capture/branch_values.h"

#include <memory>
#include <string>

#include "codegen/ir/specialize.h"
#include "frontend/capture/input_values.h"
#include "frontend/capture/runnable_graph.h"
#include "runtime/base/status_macros.h"

namespace dynacc::capture {
namespace {

// What a break says; why the value is not known is of no use to the program's author.
absl::Status Unknown() { return symbolic::GraphBreak("branch on an array's value"); }

Ref Tuple(size_t size) { return Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(size))); }

}  // namespace

absl::StatusOr<bool> BranchValues::Decide(symbolic::TraceContext& trace,
                                          const ir::Node* condition) {
  // A run here has no objects to hand to calls.
  if (!trace.object_inputs().empty()) {
    return symbolic::GraphBreak("a branch after a draw from a random generator");
  }
  std::vector<ScalarValue> numbers;
  for (const symbolic::ScalarInput& input : trace.scalar_inputs()) {
    numbers.emplace_back();
    if (!ReadNumber(input, roots_, arrays_, numbers.back())) return Unknown();
  }
  const Ref arrays = Tuple(trace.array_inputs().size());
  const Ref nothing = Tuple(0);
  if (!arrays || !nothing) return Unknown();
  for (size_t i = 0; i < trace.array_inputs().size(); ++i) {
    BorrowedRef array = sources::ResolveSource(*trace.array_inputs()[i], roots_);
    if (array == nullptr) return Unknown();
    PyTuple_SET_ITEM(arrays.get(), static_cast<Py_ssize_t>(i), Py_NewRef(array));
  }
  const ir::Node* const truth = trace.graph().Cast(DType::kBool, condition);
  // In the body of a loop or branch it may be another in each round, and the node does not stay.
  if (trace.graph().RegionsAround(truth) > 0) return Unknown();
  absl::StatusOr<std::unique_ptr<ir::Graph>> graph =
      ir::SpecializeNode(trace.graph(), truth, numbers);
  if (!graph.ok()) return Unknown();
  const auto runnable = RunnableGraph::Compile(*std::move(graph), "tile");
  if (!runnable.ok()) return Unknown();
  const absl::StatusOr<RunnableGraph::Results> results =
      (*runnable)->Run(arrays.get(), nothing.get(), {.keeps_draws = false});
  if (!results.ok()) {
    PyErr_Clear();
    return Unknown();
  }
  const bool outcome = PyObject_IsTrue(results->outputs[0].get()) == 1;
  decisions_.emplace_back(truth, outcome);
  return outcome;
}

}  // namespace dynacc::capture
