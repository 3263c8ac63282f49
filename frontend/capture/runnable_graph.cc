#include "frontend/capture/runnable_graph.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/compile/compiler.h"
#include "codegen/compile/option_names.h"
#include "frontend/arrays/array_namespace.h"
#include "runtime/base/status_macros.h"

namespace dynacc::capture {
RunnableGraph::RunnableGraph(std::shared_ptr<const ir::Graph> graph,
                             std::shared_ptr<const executor::CompiledGraph> compiled)
    : graph_(std::move(graph)), compiled_(std::move(compiled)) {
  const ScalarProgram& program = graph_->scalars();
  bindings_.resize(program.num_inputs());
  for (ScalarId id = 0; id < program.size(); ++id) {
    const ScalarExpr& expr = program.expr(id);
    if (expr.op == ScalarOp::kInput) bindings_[expr.value.i].type = expr.type;
  }
  for (size_t i = 0; i < graph_->inputs().size(); ++i) {
    const ir::Node& input = *graph_->inputs()[i];
    for (int axis = 0; axis < input.rank(); ++axis) {
      const ScalarExpr& expr = program.expr(input.shape[axis]);
      if (expr.op != ScalarOp::kInput || bindings_[expr.value.i].array >= 0) continue;
      bindings_[expr.value.i].array = static_cast<int>(i);
      bindings_[expr.value.i].axis = axis;
    }
  }
}

absl::StatusOr<std::shared_ptr<const RunnableGraph>> RunnableGraph::Compile(
    std::shared_ptr<const ir::Graph> graph, const std::string& target) {
  DYNACC_RETURN_IF_ERROR(compile::CheckTargetName(target));
  // The library's loops are known when its namespace is.
  if (arrays::LoadedArrayNamespace() == nullptr) {
    return absl::FailedPreconditionError("numpy is not imported");
  }
  compile::CompileOptions options;
  options.target = target;
  options.label = "dynacc.graph (graph:0)";
  DYNACC_ASSIGN_OR_RETURN(std::shared_ptr<const executor::CompiledGraph> compiled,
                          compile::CompileGraph(*graph, options));
  return std::shared_ptr<const RunnableGraph>(
      new RunnableGraph(std::move(graph), std::move(compiled)));
}

std::vector<ScalarType> RunnableGraph::NumberTypes() const {
  std::vector<ScalarType> types;
  for (const Binding& binding : bindings_) {
    if (binding.array < 0) types.push_back(binding.type);
  }
  return types;
}

absl::StatusOr<std::vector<ScalarValue>> RunnableGraph::NumbersOf(
    absl::Span<const StridedView> views, PyObject* numbers) const {
  const size_t want = NumberTypes().size();
  if (static_cast<size_t>(PySequence_Fast_GET_SIZE(numbers)) != want) {
    return absl::InvalidArgumentError(absl::StrCat("the graph takes ", want, " numbers, not ",
                                                   PySequence_Fast_GET_SIZE(numbers)));
  }
  std::vector<ScalarValue> given(bindings_.size());
  Py_ssize_t next = 0;
  for (size_t i = 0; i < bindings_.size(); ++i) {
    const Binding& binding = bindings_[i];
    if (binding.array >= 0) {
      if (binding.axis >= views[binding.array].rank) {
        return DoesNotFit(*graph_, *graph_->inputs()[binding.array]);
      }
      given[i].i = views[binding.array].shape[binding.axis];
      continue;
    }
    PyObject* const number = PySequence_Fast_GET_ITEM(numbers, next++);
    if (binding.type == ScalarType::kFloat) {
      given[i].f = PyFloat_AsDouble(number);
    } else {
      given[i].i = PyLong_AsLongLong(number);
    }
    if (PyErr_Occurred() != nullptr) {
      return absl::InvalidArgumentError("a number is not of the type that the graph takes");
    }
  }
  return given;
}

absl::StatusOr<RunnableGraph::Results> RunnableGraph::Run(PyObject* arrays, PyObject* numbers,
                                                          const RunEffects& effects) const {
  const Ref given = Ref::Steal(PySequence_Fast(numbers, "the numbers must be a sequence"));
  if (!given) return absl::InvalidArgumentError("no sequence");
  DYNACC_ASSIGN_OR_RETURN(GraphCall call, GraphCall::Read(*graph_, arrays));
  DYNACC_ASSIGN_OR_RETURN(const std::vector<ScalarValue> inputs,
                          NumbersOf(call.views(), given.get()));
  DYNACC_RETURN_IF_ERROR(call.SetNumbers(inputs));
  DYNACC_RETURN_IF_ERROR(call.Run(*compiled_, effects).status());
  return Results{call.TakeOutputs(), call.TakeScalars()};
}

}  // namespace dynacc::capture
