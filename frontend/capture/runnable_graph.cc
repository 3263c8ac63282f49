#include "frontend/capture/runnable_graph.h"

#include <array>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/compile/compiler.h"
#include "codegen/compile/option_names.h"
#include "codegen/ir/graph_text.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/arrays/run_scope.h"
#include "frontend/guards/array_checks.h"
#include "runtime/base/status_macros.h"
#include "runtime/tensor/memory_overlap.h"

namespace dynacc::capture {
namespace {

// Fresh arrays for the outputs.
class ListSink : public executor::OutputSink {
 public:
  ListSink(const arrays::ArrayNamespace& arrays, size_t outputs)
      : arrays_(arrays), objects_(outputs) {}

  absl::Status Allocate(int index, StridedView& view) override {
    objects_[index] = Ref::Steal(arrays_.NewArray(view, false, false));
    if (objects_[index]) return absl::OkStatus();
    PyErr_Clear();
    return absl::ResourceExhaustedError("no memory for a result");
  }

  std::vector<Ref> Take() { return std::move(objects_); }

 private:
  const arrays::ArrayNamespace& arrays_;
  std::vector<Ref> objects_;
};

struct InputArrays {
  std::vector<StridedView> views;
  std::vector<std::array<char, 16>> storage;
};

absl::StatusOr<InputArrays> ReadArrays(const ir::Graph& graph, const arrays::ArrayNamespace& arrays,
                                       PyObject* items) {
  InputArrays inputs;
  const size_t count = graph.inputs().size();
  if (static_cast<size_t>(PySequence_Fast_GET_SIZE(items)) != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("the graph takes ", count, " arrays, not ", PySequence_Fast_GET_SIZE(items)));
  }
  inputs.views.resize(count);
  inputs.storage.resize(count);
  for (size_t i = 0; i < count; ++i) {
    PyObject* const item = PySequence_Fast_GET_ITEM(items, static_cast<Py_ssize_t>(i));
    if (!arrays.IsArray(item)) return absl::InvalidArgumentError("an input is not an array");
    if (guards::RegisteredArrayChecks().device_of(item) != 0) {
      return absl::InvalidArgumentError("an input is on a device: graphs take arrays of the host");
    }
    arrays.Read(item, &inputs.views[i], inputs.storage[i].data());
  }
  return inputs;
}

absl::Status DoesNotFit(const ir::Graph& graph, const ir::Node& input) {
  return absl::InvalidArgumentError(
      absl::StrCat("an array does not fit ", ir::PrintNode(graph, input)));
}

// What is written into shares memory with no other input, nor with itself.
absl::Status CheckTargets(const ir::Graph& graph, absl::Span<const StridedView> views) {
  for (const ir::Node* target : graph.targets()) {
    if (target == nullptr) continue;
    const auto written = static_cast<size_t>(target->attrs.ints[0]);
    bool apart = !MayRepeatElements(views[written]);
    for (size_t i = 0; i < views.size(); ++i) {
      apart = apart && (i == written || !MayOverlap(views[written], views[i]));
    }
    if (!apart) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the array for input ", written, " is written into, and shares memory with another one"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

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

absl::StatusOr<std::vector<ScalarValue>> RunnableGraph::Scalars(absl::Span<const StridedView> views,
                                                                PyObject* numbers) const {
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
  std::vector<ScalarValue> values(graph_->scalars().size());
  if (!graph_->scalars().Evaluate(given, absl::MakeSpan(values))) {
    return absl::InvalidArgumentError("an expression of these sizes and numbers has no value");
  }
  return values;
}

absl::Status RunnableGraph::CheckInputs(absl::Span<const StridedView> views,
                                        absl::Span<const ScalarValue> scalars) const {
  for (size_t i = 0; i < views.size(); ++i) {
    const ir::Node& input = *graph_->inputs()[i];
    bool fits = views[i].dtype == input.dtype && views[i].rank == input.rank();
    for (int axis = 0; fits && axis < input.rank(); ++axis) {
      fits = views[i].shape[axis] == scalars[input.shape[axis]].i;
    }
    if (!fits) return DoesNotFit(*graph_, input);
  }
  for (const ScalarId condition : graph_->conditions()) {
    if (graph_->scalars().Level(condition) == 0 && scalars[condition].i == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("the graph requires that ", graph_->scalars().ToString(condition)));
    }
  }
  return CheckTargets(*graph_, views);
}

absl::StatusOr<RunnableGraph::Results> RunnableGraph::Run(PyObject* arrays,
                                                          PyObject* numbers) const {
  arrays::ArrayNamespace* const library = arrays::LoadedArrayNamespace();
  if (library == nullptr) return absl::FailedPreconditionError("numpy is not imported");
  const Ref items = Ref::Steal(PySequence_Fast(arrays, "the arrays must be a sequence"));
  const Ref given = Ref::Steal(PySequence_Fast(numbers, "the numbers must be a sequence"));
  if (!items || !given) return absl::InvalidArgumentError("no sequence");
  DYNACC_ASSIGN_OR_RETURN(const InputArrays inputs, ReadArrays(*graph_, *library, items.get()));
  Results results;
  DYNACC_ASSIGN_OR_RETURN(results.scalars, Scalars(inputs.views, given.get()));
  DYNACC_RETURN_IF_ERROR(CheckInputs(inputs.views, results.scalars));
  ListSink sink(*library, graph_->outputs().size());
  arrays::RunScope scope({});
  executor::RunArguments run;
  run.inputs = inputs.views;
  run.scalars = results.scalars;
  run.late = absl::MakeSpan(results.scalars);
  run.sink = &sink;
  run.library_calls = &library->library_calls();
  run.has_free_orders = true;
  DYNACC_RETURN_IF_ERROR(compiled_->Run(run).status());
  scope.Keep();
  results.outputs = sink.Take();
  for (size_t i = 0; i < results.outputs.size(); ++i) {
    const ir::Node* const written = graph_->targets()[i];
    if (written == nullptr) continue;
    results.outputs[i] = Ref::New(PySequence_Fast_GET_ITEM(items.get(), written->attrs.ints[0]));
  }
  return results;
}

}  // namespace dynacc::capture
