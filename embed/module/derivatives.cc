#include "embed/module/derivatives.h"

#include <memory>
#include <new>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/autodiff/joint_graph.h"
#include "codegen/autodiff/partitioner.h"
#include "codegen/batching/batch_graph.h"
#include "codegen/compile/compiler.h"
#include "codegen/ir/graph_text.h"
#include "codegen/ir/verifier.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/capture/graph_call.h"
#include "frontend/capture/make_graph.h"
#include "frontend/cpython/evaluator.h"
#include "runtime/base/options.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

PyObject* Raise(const absl::Status& status) {
  if (absl::IsUnknown(status) && PyErr_Occurred() != nullptr) return nullptr;
  PyObject* const type = absl::IsUnimplemented(status)       ? PyExc_NotImplementedError
                         : absl::IsInvalidArgument(status)   ? PyExc_ValueError
                         : absl::IsResourceExhausted(status) ? PyExc_MemoryError
                                                             : PyExc_RuntimeError;
  PyErr_SetString(type, std::string(status.message()).c_str());
  return nullptr;
}

Ref Text(absl::string_view text) {
  return Ref::Steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

// False with an exception set.
bool Append(const Ref& list, const Ref& item) {
  return list && item && PyList_Append(list.get(), item.get()) == 0;
}

// --- GraphProgram ------------------------------------------------------------------------------

// A graph and what it has been compiled to.
struct Program {
  std::shared_ptr<const ir::Graph> graph;
  std::shared_ptr<const executor::CompiledGraph> compiled = nullptr;
  bool is_final = false;
  int runs = 0;
};

struct GraphProgram {
  PyObject_HEAD Program* program;
};

Program& ProgramOf(PyObject* self) { return *reinterpret_cast<GraphProgram*>(self)->program; }

PyTypeObject* program_type = nullptr;  // owned by the module, which stays until the process ends

PyObject* NewProgram(std::shared_ptr<const ir::Graph> graph) {
  PyObject* const self = program_type->tp_alloc(program_type, 0);
  if (self == nullptr) return nullptr;
  reinterpret_cast<GraphProgram*>(self)->program = new Program{.graph = std::move(graph)};
  return self;
}

void DeallocProgram(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  delete reinterpret_cast<GraphProgram*>(self)->program;
  type->tp_free(self);
  Py_DECREF(type);
}

absl::Status Compile(Program& program) {
  compile::CompileOptions options;
  options.target = ProcessOptions().target;
  options.label = "dynacc.grad (graph:0)";
  constexpr int kRunsBeforeCompiler = 2;
  if (program.compiled == nullptr) {
    absl::StatusOr<compile::BaselineGraph> made = compile::CompileBaseline(*program.graph, options);
    if (!made.ok()) return made.status();
    program.compiled = made->graph;
    program.is_final = made->is_final;
  } else if (!program.is_final && program.runs >= kRunsBeforeCompiler) {
    absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> made =
        compile::CompileGraph(*program.graph, options);
    if (!made.ok()) return made.status();
    program.compiled = *std::move(made);
    program.is_final = true;
  }
  ++program.runs;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ScalarValue>> NumbersOf(const ScalarProgram& program,
                                                   PyObject* numbers) {
  std::vector<ScalarValue> values(program.num_inputs());
  if (PySequence_Fast_GET_SIZE(numbers) != program.num_inputs()) {
    return absl::InvalidArgumentError(absl::StrCat("the graph takes ", program.num_inputs(),
                                                   " numbers, not ",
                                                   PySequence_Fast_GET_SIZE(numbers)));
  }
  for (ScalarId id = 0; id < program.size(); ++id) {
    const ScalarExpr& expr = program.expr(id);
    if (expr.op != ScalarOp::kInput) continue;
    PyObject* const item = PySequence_Fast_GET_ITEM(numbers, expr.value.i);
    if (expr.type == ScalarType::kFloat) {
      values[expr.value.i].f = PyFloat_AsDouble(item);
    } else {
      values[expr.value.i].i = PyLong_AsLongLong(item);
    }
    if (PyErr_Occurred() != nullptr)
      return absl::UnknownError(absl::StrCat("number ", expr.value.i, " is not an int or float"));
  }
  return values;
}

// The outputs and the flags, or the error; what Python raised is set with UNKNOWN.
absl::StatusOr<Ref> RunProgram(Program& program, PyObject* items, PyObject* numbers,
                               bool keeps_draws) {
  const ir::Graph& graph = *program.graph;
  DYNACC_ASSIGN_OR_RETURN(const std::vector<ScalarValue> inputs,
                          NumbersOf(graph.scalars(), numbers));
  DYNACC_ASSIGN_OR_RETURN(capture::GraphCall call, capture::GraphCall::Read(graph, items));
  DYNACC_RETURN_IF_ERROR(call.SetNumbers(inputs));
  DYNACC_RETURN_IF_ERROR(Compile(program));
  const std::shared_ptr<const executor::CompiledGraph> compiled = program.compiled;
  const capture::RunEffects effects = {.keeps_draws = keeps_draws, .only_without_errors = true};
  absl::StatusOr<uint32_t> flags = call.Run(*compiled, effects, SignalsWait);
  while (absl::IsCancelled(flags.status())) {
    if (PyErr_CheckSignals() != 0) return absl::UnknownError("interrupted");
    flags = call.Run(*compiled, effects, SignalsWait);
  }
  if (!flags.ok()) return flags.status();
  const bool writes =
      absl::c_any_of(graph.targets(), [](const ir::Node* t) { return t != nullptr; });
  const Ref list = writes && !call.has_written() ? Ref::New(Py_None) : Ref::Steal(PyList_New(0));
  if (list.get() != Py_None) {
    for (const Ref& output : call.TakeOutputs()) {
      if (!Append(list, output)) return absl::UnknownError("no memory for the list");
    }
  }
  return Ref::Steal(Py_BuildValue("(OI)", list.get(), *flags));
}

PyObject* Run(PyObject* self, PyObject* args) {
  PyObject *arrays, *numbers;
  int keeps_draws = 1;
  if (!PyArg_ParseTuple(args, "OO|p:run", &arrays, &numbers, &keeps_draws)) return nullptr;
  const Ref items = Ref::Steal(PySequence_Fast(arrays, "the arrays must be a sequence"));
  const Ref values = Ref::Steal(PySequence_Fast(numbers, "the numbers must be a sequence"));
  if (!items || !values) return nullptr;
  absl::StatusOr<Ref> results =
      RunProgram(ProgramOf(self), items.get(), values.get(), keeps_draws != 0);
  return results.ok() ? results->Release() : Raise(results.status());
}

// False with an exception set.
bool ReadIndices(PyObject* object, std::vector<int>& indices) {
  const Ref items = Ref::Steal(PySequence_Fast(object, "the indices must be a sequence"));
  if (!items) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    indices.push_back(static_cast<int>(PyLong_AsLong(PySequence_Fast_GET_ITEM(items.get(), i))));
  }
  return PyErr_Occurred() == nullptr;
}

PyObject* Derive(PyObject* self, PyObject* args) {
  const char* mode;
  PyObject *inputs, *outputs;
  int unit, with_values;
  if (!PyArg_ParseTuple(args, "sOOpp:derive", &mode, &inputs, &outputs, &unit, &with_values)) {
    return nullptr;
  }
  autodiff::DerivativeOptions options;
  options.unit_cotangents = unit != 0;
  options.with_values = with_values != 0;
  if (!ReadIndices(inputs, options.inputs) || !ReadIndices(outputs, options.outputs)) {
    return nullptr;
  }
  const ir::Graph& graph = *ProgramOf(self).graph;
  absl::StatusOr<std::unique_ptr<ir::Graph>> derived =
      absl::string_view(mode) == "tangent" ? autodiff::BuildTangentGraph(graph, options)
                                           : autodiff::BuildJointGraph(graph, options);
  if (derived.ok()) {
    const absl::Status status = ir::VerifyGraph(**derived);
    if (!status.ok()) derived = status;
  }
  return derived.ok() ? NewProgram(*std::move(derived)) : Raise(derived.status());
}

absl::StatusOr<autodiff::Partition> Split(const ir::Graph& graph,
                                          const autodiff::DerivativeOptions& derivative,
                                          const autodiff::PartitionOptions& options) {
  absl::StatusOr<std::unique_ptr<ir::Graph>> joint = autodiff::BuildJointGraph(graph, derivative);
  if (!joint.ok()) return joint.status();
  absl::StatusOr<autodiff::Partition> partition =
      autodiff::SplitJointGraph(**joint, graph, options);
  if (!partition.ok()) return partition;
  for (const ir::Graph* half : {partition->forward.get(), partition->backward.get()}) {
    if (absl::Status status = ir::VerifyGraph(*half); !status.ok()) return status;
  }
  return partition;
}

PyObject* SplitProgram(PyObject* self, PyObject* args) {
  PyObject *inputs, *outputs, *numbers;
  double budget;
  int inputs_stay = 0;
  if (!PyArg_ParseTuple(args, "OOdO|p:split", &inputs, &outputs, &budget, &numbers, &inputs_stay)) {
    return nullptr;
  }
  const ir::Graph& graph = *ProgramOf(self).graph;
  const bool writes =
      absl::c_any_of(graph.targets(), [](const ir::Node* t) { return t != nullptr; });
  if (graph.scalars().num_data_dependent() > 0) Py_RETURN_NONE;
  autodiff::DerivativeOptions derivative;
  if (!ReadIndices(inputs, derivative.inputs) || !ReadIndices(outputs, derivative.outputs)) {
    return nullptr;
  }
  autodiff::PartitionOptions options = {.budget = budget,
                                        .inputs_stay = inputs_stay != 0 && !writes};
  if (numbers != Py_None) {
    const Ref values = Ref::Steal(PySequence_Fast(numbers, "the numbers must be a sequence"));
    absl::StatusOr<std::vector<ScalarValue>> read =
        values ? NumbersOf(graph.scalars(), values.get()) : absl::UnknownError("no sequence");
    if (!read.ok()) return Raise(read.status());
    options.numbers = *std::move(read);
  }
  absl::StatusOr<autodiff::Partition> partition = Split(graph, derivative, options);
  if (!partition.ok()) return Raise(partition.status());
  const Ref text = Text(partition->Describe());
  const Ref forward = Ref::Steal(NewProgram(std::move(partition->forward)));
  const Ref backward = Ref::Steal(forward ? NewProgram(std::move(partition->backward)) : nullptr);
  const Ref given = Ref::Steal(PyList_New(0));
  for (const int input : partition->given) {
    if (!Append(given, Ref::Steal(PyLong_FromLong(input)))) return nullptr;
  }
  if (!text || !backward || !given) return nullptr;
  return Py_BuildValue("(OOOLO)", forward.get(), backward.get(), text.get(),
                       static_cast<long long>(partition->saved_bytes), given.get());
}

PyObject* WholeBytes(PyObject* self, PyObject* numbers) {
  const ir::Graph& graph = *ProgramOf(self).graph;
  const Ref values = Ref::Steal(PySequence_Fast(numbers, "the numbers must be a sequence"));
  const absl::StatusOr<std::vector<ScalarValue>> read =
      values ? NumbersOf(graph.scalars(), values.get()) : absl::UnknownError("no sequence");
  if (!read.ok()) return Raise(read.status());
  return PyLong_FromLongLong(autodiff::BytesOfWholeOps(graph, *read));
}

PyObject* BatchProgram(PyObject* self, PyObject* args) {
  PyObject* flags;
  long long size;
  if (!PyArg_ParseTuple(args, "OL:batch", &flags, &size)) return nullptr;
  std::vector<int> has_axis;
  if (!ReadIndices(flags, has_axis)) return nullptr;
  const ir::Graph& from = *ProgramOf(self).graph;
  if (has_axis.size() != from.inputs().size() || from.scalars().num_inputs() > 0) {
    return Raise(absl::InvalidArgumentError("a flag for each input, of a graph of known sizes"));
  }
  auto graph = std::make_unique<ir::Graph>();
  graph->scalars() = from.scalars();
  const ScalarId length = graph->scalars().Int(size);
  std::vector<batching::Batched> inputs;
  for (const ir::Node* input : from.inputs()) {
    std::vector<ScalarId> shape(input->shape.begin(), input->shape.end());
    const bool has = has_axis[inputs.size()] != 0;
    if (has) shape.insert(shape.begin(), length);
    inputs.push_back({graph->AddInput(input->dtype, shape), has});
  }
  const auto outputs = batching::BatchInto(from, *graph, inputs, {}, length);
  if (!outputs.ok()) return Raise(outputs.status());
  const Ref which = Ref::Steal(PyList_New(0));
  for (const batching::Batched& output : *outputs) {
    graph->AddOutput(output.node);
    if (!Append(which, Ref::New(output.has_axis ? Py_True : Py_False))) return nullptr;
  }
  if (absl::Status status = ir::VerifyGraph(*graph); !status.ok()) return Raise(status);
  const Ref program = Ref::Steal(NewProgram(std::move(graph)));
  return program ? PyTuple_Pack(2, program.get(), which.get()) : nullptr;
}

// What a marker of gradients hands on.
const ir::Node* BehindMarkers(const ir::Node* node) {
  while (ir::IsGradientMarker(node->op)) node = node->operands[0];
  return node;
}

// A copy of the graph without outputs, whose nodes report no errors; `made` has them by the old
// ones' ids.
std::unique_ptr<ir::Graph> CopyOfNodes(const ir::Graph& graph, std::vector<const ir::Node*>& made) {
  auto copy = std::make_unique<ir::Graph>();
  copy->scalars() = graph.scalars();
  for (const ScalarId condition : graph.conditions()) copy->AddCondition(condition);
  for (const ir::Node* node : graph.nodes()) {
    copy->SetReported(0);
    std::vector<const ir::Node*> operands;
    for (const ir::Node* operand : node->operands) operands.push_back(made[operand->id]);
    made.push_back(node->op == Op::kInput
                       ? copy->AddInput(node->dtype, node->shape)
                       : copy->Make(node->op, node->dtype, node->shape, operands, node->attrs));
  }
  return copy;
}

// A copy of the graph with one more output for each floating-point or complex value that it
// computes, which `place` tells of by the node's id: the output, or -1.
std::unique_ptr<ir::Graph> WithEveryValue(const ir::Graph& graph, std::vector<int>& place) {
  std::vector<const ir::Node*> made;
  std::unique_ptr<ir::Graph> copy = CopyOfNodes(graph, made);
  place.assign(graph.nodes().size(), -1);
  for (const ir::Node* output : graph.outputs()) {
    place[output->id] = copy->AddOutput(made[output->id]);
  }
  for (const ir::Node* node : graph.nodes()) {
    const ir::Node* const value = BehindMarkers(node);
    const bool is_computed = IsInexact(value->dtype) && value->op != Op::kInput;
    if (is_computed && place[node->id] < 0) place[node->id] = copy->AddOutput(made[value->id]);
  }
  return copy;
}

PyObject* EveryValue(PyObject* self, PyObject*) {
  const ir::Graph& graph = *ProgramOf(self).graph;
  std::vector<int> place;
  const Ref program = Ref::Steal(NewProgram(WithEveryValue(graph, place)));
  const Ref rows = Ref::Steal(PyList_New(0));
  for (const ir::Node* node : graph.nodes()) {
    const Ref operands = Ref::Steal(PyList_New(0));
    for (const ir::Node* operand : node->operands) {
      if (!Append(operands, Ref::Steal(PyLong_FromLong(operand->id)))) return nullptr;
    }
    const ir::Node* const value = BehindMarkers(node);
    const int input = value->op == Op::kInput ? static_cast<int>(value->attrs.ints[0]) : -1;
    const ir::SourceLocation at = node->location;
    const Ref row =
        Ref::Steal(Py_BuildValue("(ssiOii)", ir::PrintNode(graph, *node).c_str(), at.file, at.line,
                                 operands.get(), input, place[node->id]));
    if (!Append(rows, row)) return nullptr;
  }
  return program ? PyTuple_Pack(2, program.get(), rows.get()) : nullptr;
}

PyObject* ProgramHasCheckpoints(PyObject* self, void*) {
  return PyBool_FromLong(autodiff::HasCheckpoints(*ProgramOf(self).graph));
}
PyObject* ProgramText(PyObject* self, void*) {
  return Text(ir::PrintGraph(*ProgramOf(self).graph)).Release();
}
PyObject* ProgramInputCount(PyObject* self, void*) {
  return PyLong_FromSize_t(ProgramOf(self).graph->inputs().size());
}
PyObject* ProgramOutputCount(PyObject* self, void*) {
  return PyLong_FromSize_t(ProgramOf(self).graph->outputs().size());
}

// A text of a graph, for tests and tools.
PyObject* ParseProgram(PyTypeObject*, PyObject* args, PyObject*) {
  const char* text;
  if (!PyArg_ParseTuple(args, "s:GraphProgram", &text)) return nullptr;
  absl::StatusOr<std::unique_ptr<ir::Graph>> graph = ir::ParseGraph(text);
  absl::Status status = graph.ok() ? ir::VerifyGraph(**graph) : graph.status();
  if (!status.ok()) return Raise(absl::InvalidArgumentError(status.message()));
  return NewProgram(*std::move(graph));
}

PyMethodDef program_methods[] = {
    {"run", Run, METH_VARARGS, "Runs the graph: (outputs, floating-point errors)."},
    {"derive", Derive, METH_VARARGS, "The graph of derivatives."},
    {"batch", BatchProgram, METH_VARARGS, "The graph of many examples at once."},
    {"every_value", EveryValue, METH_NOARGS,
     "The graph with all values as outputs, and its nodes."},
    {"split", SplitProgram, METH_VARARGS,
     "Forward, backward, what is saved, its bytes, where from."},
    {"whole_bytes", WholeBytes, METH_O,
     "The bytes of what products, reductions and the like give."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef program_properties[] = {
    {"text", ProgramText, nullptr, "The graph's text.", nullptr},
    {"inputs", ProgramInputCount, nullptr, "How many arrays it takes.", nullptr},
    {"outputs", ProgramOutputCount, nullptr, "How many arrays it gives.", nullptr},
    {"has_checkpoints", ProgramHasCheckpoints, nullptr, "Whether dynacc.checkpoint is in it.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

template <typename Pointer>
void* Slot(Pointer* pointer) {
  return reinterpret_cast<void*>(pointer);
}

PyType_Slot program_slots[] = {
    {Py_tp_new, Slot(ParseProgram)},
    {Py_tp_dealloc, Slot(DeallocProgram)},
    {Py_tp_methods, program_methods},
    {Py_tp_getset, program_properties},
    {0, nullptr},
};

PyType_Spec program_spec = {"_dynacc.GraphProgram", sizeof(GraphProgram), 0, Py_TPFLAGS_DEFAULT,
                            program_slots};

// --- TracedCall --------------------------------------------------------------------------------

struct TracedCall {
  PyObject_HEAD capture::MadeGraph* made;
  PyObject* program;  // owned
};

const capture::MadeGraph& MadeOf(PyObject* self) {
  return *reinterpret_cast<TracedCall*>(self)->made;
}

PyObject* TraceCall(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *function, *arguments, *keywords, *rules = nullptr;
  int dynamic;
  if (!PyArg_ParseTuple(args, "OO!O!p|O!:TracedCall", &function, &PyTuple_Type, &arguments,
                        &PyDict_Type, &keywords, &dynamic, &PyDict_Type, &rules)) {
    return nullptr;
  }
  const capture::MakeGraphOptions options = {
      .dynamic = dynamic != 0, .gradient_rules = rules, .decides_branches = true, .may_draw = true};
  absl::StatusOr<capture::MadeGraph> made =
      capture::MakeGraph(function, arguments, keywords, options);
  if (absl::IsInvalidArgument(made.status())) {
    PyErr_SetString(PyExc_TypeError, std::string(made.status().message()).c_str());
    return nullptr;
  }
  if (absl::IsUnimplemented(made.status()))
    made = absl::FailedPreconditionError(made.status().message());
  if (!made.ok()) return Raise(made.status());
  const Ref program = Ref::Steal(NewProgram(made->graph));
  PyObject* const self = program ? type->tp_alloc(type, 0) : nullptr;
  if (self == nullptr) return nullptr;
  reinterpret_cast<TracedCall*>(self)->made = new capture::MadeGraph(*std::move(made));
  reinterpret_cast<TracedCall*>(self)->program = Py_NewRef(program.get());
  return self;
}

void DeallocCall(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  delete reinterpret_cast<TracedCall*>(self)->made;
  Py_XDECREF(reinterpret_cast<TracedCall*>(self)->program);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* CallProgram(PyObject* self, void*) {
  return Py_NewRef(reinterpret_cast<TracedCall*>(self)->program);
}

PyObject* CallInputList(PyObject* self, void*) {
  const Ref list = Ref::Steal(PyList_New(0));
  for (const capture::GraphInput& input : MadeOf(self).inputs) {
    const Ref path = Text(input.path);
    const Ref object = input.object ? input.object : Ref::New(Py_None);
    const Ref row = Ref::Steal(path ? PyTuple_Pack(2, path.get(), object.get()) : nullptr);
    if (!Append(list, row)) return nullptr;
  }
  return Ref(list).Release();
}

void FindScalars(const capture::ResultTree& tree, std::vector<bool>& is_scalar) {
  if (tree.kind == capture::ResultTree::Kind::kScalar) is_scalar[tree.index] = true;
  for (const capture::ResultTree& item : tree.items) FindScalars(item, is_scalar);
}

PyObject* CallOutputList(PyObject* self, void*) {
  const capture::MadeGraph& made = MadeOf(self);
  std::vector<bool> is_scalar(made.graph->outputs().size());
  FindScalars(made.result, is_scalar);
  const Ref list = Ref::Steal(PyList_New(0));
  for (size_t i = 0; i < is_scalar.size(); ++i) {
    const ir::Node& node = *made.graph->outputs()[i];
    const Ref dtype = Text(Info(node.dtype).text);
    const Ref row = Ref::Steal(
        Py_BuildValue("(Oii)", dtype.get(), node.rank(), static_cast<int>(is_scalar[i])));
    if (!dtype || !Append(list, row)) return nullptr;
  }
  return Ref(list).Release();
}

// Whether numbers that are inputs, or computed of them, are among what the call returns.
bool ReturnsNumbers(const capture::MadeGraph& made, const capture::ResultTree& tree) {
  if (tree.kind == capture::ResultTree::Kind::kNumber) {
    return made.graph->scalars().expr(tree.index).op != ScalarOp::kConst;
  }
  return absl::c_any_of(
      tree.items, [&](const capture::ResultTree& item) { return ReturnsNumbers(made, item); });
}

PyObject* CallResult(PyObject* self, PyObject* items) {
  const capture::MadeGraph& made = MadeOf(self);
  const Ref sequence = Ref::Steal(PySequence_Fast(items, "the items must be a sequence"));
  if (!sequence) return nullptr;
  std::vector<Ref> outputs;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.get()); ++i) {
    outputs.push_back(Ref::New(PySequence_Fast_GET_ITEM(sequence.get(), i)));
  }
  if (outputs.size() != made.graph->outputs().size()) {
    PyErr_SetString(PyExc_ValueError, "the graph has another number of outputs");
    return nullptr;
  }
  if (ReturnsNumbers(made, made.result)) {
    PyErr_SetString(PyExc_ValueError, "numbers of the result differ from call to call");
    return nullptr;
  }
  const ScalarProgram& program = made.graph->scalars();
  std::vector<ScalarValue> values(program.size());
  for (ScalarId id = 0; id < program.size(); ++id) {
    if (program.expr(id).op == ScalarOp::kConst) values[id] = program.expr(id).value;
  }
  return capture::BuildResult(made.result, outputs, program, values).Release();
}

PyObject* CallDecisions(PyObject* self, void*) {
  const std::vector<bool>& decisions = MadeOf(self).decisions;
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(decisions.size())));
  for (size_t i = 0; tuple && i < decisions.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i),
                     PyBool_FromLong(static_cast<int64_t>(decisions[i])));
  }
  return tuple.Release();
}

// Of the outputs without a target the decisions are the last.
PyObject* CallDeciding(PyObject* self, void*) {
  const capture::MadeGraph& made = MadeOf(self);
  const ir::Graph& graph = *made.graph;
  const auto targets = graph.targets();
  const auto end = absl::c_find_if(targets, [](const ir::Node* target) { return target; });
  const auto last = static_cast<size_t>(end - targets.begin());
  std::vector<const ir::Node*> nodes;
  std::unique_ptr<ir::Graph> copy = CopyOfNodes(graph, nodes);
  for (size_t i = last - made.decisions.size(); i < last; ++i) {
    copy->AddOutput(nodes[graph.outputs()[i]->id]);
  }
  return NewProgram(std::move(copy));
}

PyObject* CallDraw(PyObject* self, void*) { return Text(MadeOf(self).draw).Release(); }

PyObject* CallReturnsNumbers(PyObject* self, void*) {
  return PyBool_FromLong(ReturnsNumbers(MadeOf(self), MadeOf(self).result));
}

PyObject* FindCall(PyObject* self, PyObject* args) {
  PyObject *function, *arguments, *keywords;
  if (!PyArg_ParseTuple(args, "OO!O!:find", &function, &PyTuple_Type, &arguments, &PyDict_Type,
                        &keywords)) {
    return nullptr;
  }
  const absl::StatusOr<capture::CallInputs> found =
      capture::InputsOfCall(MadeOf(self), function, arguments, keywords);
  if (absl::IsNotFound(found.status())) Py_RETURN_NONE;
  if (!found.ok()) return Raise(found.status());
  const Ref arrays = Ref::Steal(PyList_New(0));
  for (const Ref& array : found->arrays) {
    if (!Append(arrays, array ? array : Ref::New(Py_None))) return nullptr;
  }
  const Ref numbers = Ref::Steal(PyList_New(0));
  const ScalarProgram& program = MadeOf(self).graph->scalars();
  for (ScalarId id = 0; id < program.size(); ++id) {
    const ScalarExpr& expr = program.expr(id);
    if (expr.op != ScalarOp::kInput) continue;
    const ScalarValue value = found->numbers[expr.value.i];
    if (!Append(numbers,
                Ref::Steal(expr.type == ScalarType::kFloat ? PyFloat_FromDouble(value.f)
                                                           : PyLong_FromLongLong(value.i)))) {
      return nullptr;
    }
  }
  return PyTuple_Pack(2, arrays.get(), numbers.get());
}

PyObject* Forget(PyObject* self, PyObject*) {
  for (capture::GraphInput& input : reinterpret_cast<TracedCall*>(self)->made->inputs)
    input.object = Ref();
  Py_RETURN_NONE;
}

PyMethodDef call_methods[] = {
    {"forget", Forget, METH_NOARGS, "Drops the examples: `inputs` has None from here on."},
    {"result", CallResult, METH_O, "What the call returns, of these outputs."},
    {"find", FindCall, METH_VARARGS, "The arrays and numbers of another call, or None."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef call_properties[] = {
    {"program", CallProgram, nullptr, "The graph.", nullptr},
    {"inputs", CallInputList, nullptr, "Where the graph's inputs are.", nullptr},
    {"decisions", CallDecisions, nullptr,
     "What the program's last outputs without a target must be: the branches that it took.",
     nullptr},
    {"deciding", CallDeciding, nullptr, "A new graph of the decisions alone.", nullptr},
    {"draw", CallDraw, nullptr, "Where it draws random numbers first.", nullptr},
    {"returns_numbers", CallReturnsNumbers, nullptr, "Whether `result` has no answer.", nullptr},
    {"outputs", CallOutputList, nullptr, "The dtype, rank and kind of each output.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot call_slots[] = {
    {Py_tp_new, Slot(TraceCall)},
    {Py_tp_dealloc, Slot(DeallocCall)},
    {Py_tp_methods, call_methods},
    {Py_tp_getset, call_properties},
    {0, nullptr},
};

PyType_Spec call_spec = {"_dynacc.TracedCall", sizeof(TracedCall), 0, Py_TPFLAGS_DEFAULT,
                         call_slots};

}  // namespace

bool AddDerivativeTypes(PyObject* module) {
  Ref program = Ref::Steal(PyType_FromModuleAndSpec(module, &program_spec, nullptr));
  Ref call = Ref::Steal(PyType_FromModuleAndSpec(module, &call_spec, nullptr));
  if (!program || !call) return false;
  if (PyModule_AddObjectRef(module, "TracedCall", call.get()) < 0) return false;
  if (PyModule_AddObjectRef(module, "GraphProgram", program.get()) < 0) return false;
  program_type = reinterpret_cast<PyTypeObject*>(program.Release());
  return true;
}

}  // namespace dynacc
