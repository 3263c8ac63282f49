#include "frontend/capture/python_backend.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/compile/option_names.h"
#include "codegen/ir/graph_text.h"
#include "codegen/ir/verifier.h"
#include "frontend/cache/compilation.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/copy_step.h"

namespace dynacc::capture {

namespace {

GraphDescriptor::Output OutputOf(const ir::Graph& graph, size_t index) {
  const ir::Node* const node = graph.outputs()[index];
  const ir::Node* const target = graph.targets()[index];
  return {node->dtype,
          {node->shape.begin(), node->shape.end()},
          target == nullptr ? -1 : static_cast<int>(target->attrs.ints[0])};
}

bool IsAlike(const ir::Node* a, const ir::Node* b) {
  return a->dtype == b->dtype && a->rank() == b->rank();
}

bool IsAlike(const GraphDescriptor::Output& a, const GraphDescriptor::Output& b) {
  return a.dtype == b.dtype && a.shape.size() == b.shape.size() && a.target == b.target;
}

template <typename Items>
std::string Compare(const char* what, const Items& own, const Items& other) {
  if (own.size() != other.size()) return absl::StrCat("it has ", own.size(), " ", what, "s");
  for (size_t i = 0; i < own.size(); ++i) {
    if (!IsAlike(own[i], other[i]))
      return absl::StrCat("its ", what, " ", i, " is of another type");
  }
  return "";
}

}  // namespace

GraphDescriptor::GraphDescriptor(const ir::Graph& graph)
    : inputs(graph.inputs().begin(), graph.inputs().end()) {
  for (size_t i = 0; i < graph.outputs().size(); ++i) outputs.push_back(OutputOf(graph, i));
  const ScalarProgram& program = graph.scalars();
  numbers.resize(program.num_inputs());
  number_types.resize(program.num_inputs());
  for (ScalarId id = 0; id < program.size(); ++id) {
    const ScalarExpr& expr = program.expr(id);
    if (expr.op != ScalarOp::kInput) continue;
    numbers[expr.value.i] = id;
    number_types[expr.value.i] = expr.type;
  }
}

std::vector<ScalarValue> GraphDescriptor::NumbersOf(absl::Span<const ScalarValue> values) const {
  std::vector<ScalarValue> result;
  for (const ScalarId id : numbers) result.push_back(values[id]);
  return result;
}

std::string GraphDescriptor::DifferenceFrom(const GraphDescriptor& other) const {
  if (number_types != other.number_types) return "it takes other numbers";
  const std::string of_inputs = Compare("input", inputs, other.inputs);
  return of_inputs.empty() ? Compare("output", outputs, other.outputs) : of_inputs;
}

namespace {

// The sizes of an output where the program's expressions have these values.
std::vector<int64_t> SizesOf(const GraphDescriptor::Output& output,
                             absl::Span<const ScalarValue> values) {
  std::vector<int64_t> sizes;
  for (const ScalarId id : output.shape) sizes.push_back(values[id].i);
  return sizes;
}

// A graph that was compiled in the place of another one, with a ScalarProgram of its own.
class ReplacedGraph : public executor::CompiledGraph {
 public:
  ReplacedGraph(const ir::Graph& replaced, std::unique_ptr<const ir::Graph> graph,
                std::shared_ptr<const executor::CompiledGraph> compiled)
      : before_(replaced), now_(*graph), graph_(std::move(graph)), compiled_(std::move(compiled)) {}

  absl::StatusOr<uint32_t> Run(const executor::RunArguments& arguments) const override {
    std::vector<ScalarValue> values(graph_->scalars().size());
    const std::vector<ScalarValue> numbers = before_.NumbersOf(arguments.scalars);
    if (!graph_->scalars().Evaluate(numbers, absl::MakeSpan(values)) ||
        !Holds(arguments.scalars, values)) {
      return absl::AbortedError("a backend's graph has no result of the right sizes");
    }
    executor::RunArguments own = arguments;
    own.scalars = values;
    own.late = {};
    return compiled_->Run(own);
  }

  std::string Describe() const override {
    return absl::StrCat("a backend's graph:\n", ir::PrintGraph(*graph_), compiled_->Describe());
  }

 private:
  // Whether the conditions hold and the outputs have the sizes that they had before.
  bool Holds(absl::Span<const ScalarValue> before, absl::Span<const ScalarValue> now) const {
    for (const ScalarId condition : graph_->conditions()) {
      if (now[condition].i == 0) return false;
    }
    for (size_t i = 0; i < now_.outputs.size(); ++i) {
      if (SizesOf(now_.outputs[i], now) != SizesOf(before_.outputs[i], before)) return false;
    }
    return true;
  }

  const GraphDescriptor before_;
  const GraphDescriptor now_;
  const std::unique_ptr<const ir::Graph> graph_;
  const std::shared_ptr<const executor::CompiledGraph> compiled_;
};

// False with an exception set.
bool Append(const Ref& list, const Ref& item) {
  return list && item && PyList_Append(list.get(), item.get()) == 0;
}

Ref NumberObject(ScalarType type, ScalarValue value) {
  if (type == ScalarType::kFloat) return Ref::Steal(PyFloat_FromDouble(value.f));
  if (type == ScalarType::kBool) return Ref::Steal(PyBool_FromLong(value.i != 0));
  return Ref::Steal(PyLong_FromLongLong(value.i));
}

// A graph that a Python function runs: run(arrays, numbers) gives a sequence of arrays, one for
// each output. It gets copies, as it may keep what it gets. Its entry makes library calls (Entry),
// and so keeps the GIL.
class PythonGraph : public executor::CompiledGraph {
 public:
  PythonGraph(const ir::Graph& graph, Ref run, const arrays::ArrayNamespace& arrays)
      : descriptor_(graph), run_(std::move(run)), arrays_(arrays) {}

  absl::StatusOr<uint32_t> Run(const executor::RunArguments& arguments) const override {
    const Ref inputs = CopiesOf(arguments.inputs);
    const Ref numbers = NumberObjects(arguments.scalars);
    if (!inputs || !numbers) return NoMemory();
    const cache::CompilationScope none(nullptr);  // the function is not part of what it runs
    const Ref given =
        Ref::Steal(PyObject_CallFunctionObjArgs(run_.get(), inputs.get(), numbers.get(), nullptr));
    const Ref results = Ref::Steal(
        given ? PySequence_Fast(given.get(), "a backend's function gives a sequence") : nullptr);
    if (!results) return Failed();
    DYNACC_ASSIGN_OR_RETURN(const std::vector<StridedView> views,
                            ReadResults(results, arguments.scalars));
    return WriteResults(views, arguments);
  }

  std::string Describe() const override { return "run by a backend's own function\n"; }

 private:
  static absl::Status NoMemory() {
    PyErr_Clear();
    return absl::ResourceExhaustedError("no memory for what a backend's function takes");
  }

  // What the function raised is told as of a callback; CPython runs the stretch.
  absl::Status Failed() const {
    if (PyErr_Occurred() != nullptr) PyErr_WriteUnraisable(run_.get());
    return absl::AbortedError("a backend's function did not run the graph");
  }

  // Null if there is no memory, or no array of that dtype.
  Ref CopiesOf(absl::Span<const StridedView> views) const {
    Ref list = Ref::Steal(PyList_New(0));
    for (const StridedView& view : views) {
      StridedView copy = view;
      SetContiguousStrides(copy);
      const Ref array = Ref::Steal(arrays_.NewArray(copy, false, false));
      if (!Append(list, array)) return {};
      executor::CopyElements(view, copy);
    }
    return list;
  }

  Ref NumberObjects(absl::Span<const ScalarValue> values) const {
    Ref list = Ref::Steal(PyList_New(0));
    const std::vector<ScalarValue> numbers = descriptor_.NumbersOf(values);
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (!Append(list, NumberObject(descriptor_.number_types[i], numbers[i]))) return {};
    }
    return list;
  }

  // The memory of the results, which `results` keeps alive.
  absl::StatusOr<std::vector<StridedView>> ReadResults(const Ref& results,
                                                       absl::Span<const ScalarValue> values) const {
    if (PySequence_Fast_GET_SIZE(results.get()) !=
        static_cast<Py_ssize_t>(descriptor_.outputs.size())) {
      PyErr_Format(PyExc_ValueError, "a backend's function gave %zd arrays, not %zu",
                   PySequence_Fast_GET_SIZE(results.get()), descriptor_.outputs.size());
      return Failed();
    }
    std::vector<StridedView> views(descriptor_.outputs.size());
    for (size_t i = 0; i < views.size(); ++i) {
      PyObject* const item = PySequence_Fast_GET_ITEM(results.get(), static_cast<Py_ssize_t>(i));
      if (!IsResult(item, descriptor_.outputs[i], values, views[i])) {
        PyErr_Format(PyExc_TypeError,
                     "a backend's function gave an output %zu of another dtype or shape", i);
        return Failed();
      }
    }
    return views;
  }

  bool IsResult(PyObject* item, const GraphDescriptor::Output& output,
                absl::Span<const ScalarValue> values, StridedView& view) const {
    if (!arrays_.IsArray(item) || PyObject_CheckBuffer(item) == 0) return false;
    char storage[16];
    arrays_.Read(item, &view, storage);
    return view.data != storage && view.dtype == output.dtype &&
           absl::c_equal(SizesOf(output, values), absl::MakeSpan(view.shape, view.rank));
  }

  absl::StatusOr<uint32_t> WriteResults(const std::vector<StridedView>& views,
                                        const executor::RunArguments& arguments) const {
    for (size_t i = 0; i < views.size(); ++i) {
      if (descriptor_.outputs[i].target >= 0) continue;
      StridedView fresh = views[i];
      SetContiguousStrides(fresh);
      DYNACC_RETURN_IF_ERROR(arguments.sink->Allocate(static_cast<int>(i), fresh));
      executor::CopyElements(views[i], fresh);
    }
    if (!arguments.sink->MayWriteBack(0)) return 0;
    for (size_t i = 0; i < views.size(); ++i) {
      const int target = descriptor_.outputs[i].target;
      if (target >= 0) executor::CopyElements(views[i], arguments.inputs[target]);
    }
    return 0;
  }

  const GraphDescriptor descriptor_;
  const Ref run_;
  const arrays::ArrayNamespace& arrays_;
};

bool Raise(PyObject* type, absl::string_view message) {
  PyErr_Format(type, "dynacc.compile: %s", std::string(message).c_str());
  return false;
}

// Null with an exception set.
std::unique_ptr<ir::Graph> ParseReplacement(const char* text, const ir::Graph& graph) {
  absl::StatusOr<std::unique_ptr<ir::Graph>> parsed = ir::ParseGraph(text);
  const absl::Status status = parsed.ok() ? ir::VerifyGraph(**parsed) : parsed.status();
  if (!status.ok()) {
    Raise(PyExc_ValueError, absl::StrCat("a backend's graph: ", status.message()));
    return nullptr;
  }
  const std::string difference = GraphDescriptor(**parsed).DifferenceFrom(GraphDescriptor(graph));
  if (!difference.empty()) {
    Raise(PyExc_ValueError, absl::StrCat("a backend's graph: ", difference));
    return nullptr;
  }
  return std::move(*parsed);
}

bool Compile(const ir::Graph& graph, const compile::CompileOptions& options,
             std::shared_ptr<const executor::CompiledGraph>& compiled) {
  absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> made =
      compile::CompileGraph(graph, options);
  if (!made.ok()) return Raise(PyExc_RuntimeError, made.status().message());
  compiled = *std::move(made);
  return true;
}

}  // namespace

namespace {

Ref& TheProcessBackend() {
  static auto& backend = *new Ref;  // outlives the interpreter, which empties it before
  return backend;
}

}  // namespace

void SetProcessBackend(Ref backend) { TheProcessBackend() = std::move(backend); }

BorrowedRef ProcessBackend() { return TheProcessBackend().get(); }

namespace {

// What the answer comes to, but for None; false with an exception set.
bool CompileAnswer(BorrowedRef answer, const ir::Graph& graph, compile::CompileOptions options,
                   const arrays::ArrayNamespace& arrays,
                   std::shared_ptr<const executor::CompiledGraph>& compiled) {
  const char* target;
  const char* text;
  PyObject* run;
  if (!PyArg_ParseTuple(answer, "ssO:backend", &target, &text, &run)) return false;
  const bool replaces = *text != '\0' || run != Py_None;
  if (replaces && graph.scalars().num_data_dependent() > 0) {
    return Raise(PyExc_RuntimeError,
                 "a graph with sizes that values decide can only be left to a target");
  }
  if (run != Py_None) {
    compiled = std::make_shared<PythonGraph>(graph, Ref::New(run), arrays);
    return true;
  }
  if (*target != '\0') {
    const absl::Status known = compile::CheckTargetName(target);
    if (!known.ok()) return Raise(PyExc_ValueError, known.message());
    options.target = target;
  }
  if (*text == '\0') return *target == '\0' || Compile(graph, options, compiled);
  std::unique_ptr<ir::Graph> other = ParseReplacement(text, graph);
  if (other == nullptr || !Compile(*other, options, compiled)) return false;
  compiled = std::make_shared<ReplacedGraph>(graph, std::move(other), std::move(compiled));
  return true;
}

}  // namespace

BackendAnswer CompileByBackend(BorrowedRef backend, const ir::Graph& graph, BorrowedRef examples,
                               compile::CompileOptions options,
                               const arrays::ArrayNamespace& arrays,
                               std::shared_ptr<const executor::CompiledGraph>& compiled) {
  const Ref answer = Ref::Steal(PyObject_CallFunction(backend, "ssO", ir::PrintGraph(graph).c_str(),
                                                      options.label.c_str(), examples));
  if (answer.get() == Py_None) return BackendAnswer::kFallback;
  if (!answer || !CompileAnswer(answer.get(), graph, std::move(options), arrays, compiled)) {
    return BackendAnswer::kRaised;
  }
  return compiled == nullptr ? BackendAnswer::kNothing : BackendAnswer::kCompiled;
}

}  // namespace dynacc::capture
