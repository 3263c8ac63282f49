#include "frontend/capture/graph_text_calls.h"

#include <memory>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/compile/graph_report.h"
#include "codegen/ir/graph_text.h"
#include "codegen/ir/specialize.h"
#include "codegen/ir/verifier.h"
#include "frontend/capture/runnable_graph.h"
#include "frontend/cpython/ref.h"
#include "runtime/base/options.h"
#include "runtime/base/status_macros.h"

namespace dynacc::capture {
namespace {

PyObject* Raise(const absl::Status& status) {
  PyObject* type = absl::IsInvalidArgument(status) ? PyExc_ValueError : PyExc_RuntimeError;
  PyErr_SetString(type, std::string(status.message()).c_str());
  return nullptr;
}

PyObject* Text(absl::string_view text) {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

// What does not verify is as much the giver's error as what does not parse.
absl::StatusOr<std::unique_ptr<ir::Graph>> LegalGraph(absl::string_view text) {
  DYNACC_ASSIGN_OR_RETURN(std::unique_ptr<ir::Graph> graph, ir::ParseGraph(text));
  const absl::Status status = ir::VerifyGraph(*graph);
  if (!status.ok()) return absl::InvalidArgumentError(status.message());
  return graph;
}

bool ConstantShape(const ir::Graph& graph, const ir::Node& node, std::vector<int64_t>& shape) {
  for (const ScalarId size : node.shape) {
    int64_t value = 0;
    if (!graph.scalars().IsIntConst(size, &value)) return false;
    shape.push_back(value);
  }
  return true;
}

Ref ShapeObject(const ir::Graph& graph, const ir::Node& node) {
  std::vector<int64_t> shape;
  if (!ConstantShape(graph, node, shape)) return Ref::New(Py_None);
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  for (size_t i = 0; tuple && i < shape.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(shape[i]));
  }
  return tuple;
}

// False with an exception set.
bool Append(const Ref& list, Ref item) {
  return list && item && PyList_Append(list.get(), item.get()) == 0;
}

Ref DescribeInputs(const ir::Graph& graph) {
  Ref inputs = Ref::Steal(PyList_New(0));
  for (const ir::Node* input : graph.inputs()) {
    Ref shape = ShapeObject(graph, *input);
    if (!shape) return {};
    const absl::string_view dtype = Info(input->dtype).text;
    Ref row = Ref::Steal(Py_BuildValue("(NO)", Text(dtype), shape.get()));
    if (!Append(inputs, std::move(row))) return {};
  }
  return inputs;
}

Ref ScalarTypes(const ScalarProgram& program) {
  Ref types = Ref::Steal(PyList_New(0));
  for (ScalarId id = 0; id < program.size(); ++id) {
    const ScalarExpr& expr = program.expr(id);
    if (expr.op != ScalarOp::kInput) continue;
    if (!Append(types, Ref::Steal(Text(ScalarTypeName(expr.type))))) return {};
  }
  return types;
}

// The types of the program's inputs, by index.
std::vector<ScalarType> InputTypes(const ScalarProgram& program) {
  std::vector<ScalarType> types(program.num_inputs());
  for (ScalarId id = 0; id < program.size(); ++id) {
    const ScalarExpr& expr = program.expr(id);
    if (expr.op == ScalarOp::kInput) types[expr.value.i] = expr.type;
  }
  return types;
}

// False with an exception set.
bool ReadNumbers(const ScalarProgram& program, PyObject* numbers, std::vector<ScalarValue>& out) {
  Ref items = Ref::Steal(PySequence_Fast(numbers, "the numbers must be a sequence"));
  if (!items) return false;
  const std::vector<ScalarType> types = InputTypes(program);
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(items.get());
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(items.get(), i);
    ScalarValue value = {0};
    if (i < static_cast<Py_ssize_t>(types.size()) && types[i] == ScalarType::kFloat) {
      value.f = PyFloat_AsDouble(item);
    } else {
      value.i = PyLong_AsLongLong(item);
    }
    if (PyErr_Occurred() != nullptr) return false;
    out.push_back(value);
  }
  return true;
}

absl::Status CheckReplayable(const ir::Graph& graph) {
  if (graph.scalars().num_inputs() > 0) {
    return absl::InvalidArgumentError("the graph takes numbers: specialize it first");
  }
  if (absl::c_any_of(graph.nodes(), [](const ir::Node* n) { return ir::MakesCall(*n); })) {
    return absl::InvalidArgumentError("the graph calls functions of the program that it came from");
  }
  return absl::OkStatus();
}

absl::StatusOr<Ref> Run(std::shared_ptr<const ir::Graph> graph, const std::string& target,
                        PyObject* items) {
  DYNACC_RETURN_IF_ERROR(CheckReplayable(*graph));
  DYNACC_ASSIGN_OR_RETURN(const std::shared_ptr<const RunnableGraph> runnable,
                          RunnableGraph::Compile(std::move(graph), target));
  const Ref no_numbers = Ref::Steal(PyTuple_New(0));
  DYNACC_ASSIGN_OR_RETURN(const RunnableGraph::Results results,
                          runnable->Run(items, no_numbers.get()));
  Ref outputs = Ref::Steal(PyList_New(0));
  for (const Ref& output : results.outputs) {
    if (!Append(outputs, output)) return absl::ResourceExhaustedError("no memory");
  }
  return outputs;
}

}  // namespace

PyObject* DescribeGraph(absl::string_view text) {
  const absl::StatusOr<std::unique_ptr<ir::Graph>> graph = LegalGraph(text);
  if (!graph.ok()) return Raise(graph.status());
  const auto library_calls =
      absl::c_count_if((*graph)->nodes(), [](const ir::Node* n) { return ir::MakesCall(*n); });
  Ref inputs = DescribeInputs(**graph);
  Ref scalars = ScalarTypes((*graph)->scalars());
  if (!inputs || !scalars) return nullptr;
  return Py_BuildValue("{s:O, s:n, s:O, s:n}", "scalars", scalars.get(), "library_calls",
                       static_cast<Py_ssize_t>(library_calls), "inputs", inputs.get(), "outputs",
                       static_cast<Py_ssize_t>((*graph)->outputs().size()));
}

PyObject* SpecializeGraphText(absl::string_view text, PyObject* numbers) {
  const absl::StatusOr<std::unique_ptr<ir::Graph>> graph = LegalGraph(text);
  if (!graph.ok()) return Raise(graph.status());
  std::vector<ScalarValue> values;
  if (!ReadNumbers((*graph)->scalars(), numbers, values)) return nullptr;
  const absl::StatusOr<std::unique_ptr<ir::Graph>> special = ir::SpecializeGraph(**graph, values);
  if (!special.ok()) return Raise(absl::InvalidArgumentError(special.status().message()));
  return Text(ir::PrintGraph(**special));
}

PyObject* RunGraphText(absl::string_view text, const std::string& target, PyObject* arrays) {
  absl::StatusOr<std::unique_ptr<ir::Graph>> graph = LegalGraph(text);
  if (!graph.ok()) return Raise(graph.status());
  absl::StatusOr<Ref> results = Run(*std::move(graph), target, arrays);
  if (results.ok()) return results->Release();
  return PyErr_Occurred() != nullptr ? nullptr : Raise(results.status());
}

PyObject* ScheduleOfGraph(absl::string_view text) {
  const absl::StatusOr<std::unique_ptr<ir::Graph>> graph = LegalGraph(text);
  if (!graph.ok()) return Raise(graph.status());
  const absl::StatusOr<compile::GraphReport> report =
      compile::ReportGraph(**graph, ProcessOptions().disable_passes);
  if (!report.ok()) return Raise(report.status());
  Ref groups = Ref::Steal(PyList_New(0));
  for (const compile::GraphReport::Group& group : report->groups) {
    Ref nodes = Ref::Steal(PyList_New(0));
    for (const int node : group.nodes) {
      if (!Append(nodes, Ref::Steal(PyLong_FromLong(node)))) return nullptr;
    }
    if (!Append(groups, Ref::Steal(Py_BuildValue("(sO)", group.kind, nodes.get())))) return nullptr;
  }
  return Py_BuildValue("(NO)", Text(report->optimized), groups.get());
}

}  // namespace dynacc::capture
