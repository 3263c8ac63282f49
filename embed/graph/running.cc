// Graphs made of functions, and graphs compiled: the rest of what dynacc.graph needs of the core.
#include <optional>
#include <tuple>

#include "embed/graph/graph_objects.h"
#include "embed/graph/program_type.h"
#include "frontend/capture/break_reports.h"
#include "frontend/capture/make_graph.h"
#include "frontend/capture/python_backend.h"
#include "frontend/capture/runnable_graph.h"
#include "frontend/numpy/trace/bit_exactness.h"

namespace dynacc {
namespace {

struct CompiledObject {
  PyObject_HEAD std::shared_ptr<const capture::RunnableGraph>* graph;  // owned
};

struct ResultTreeObject {
  PyObject_HEAD capture::ResultTree* tree;  // owned
};

template <typename Pointer>
void* Slot(Pointer pointer) {
  return reinterpret_cast<void*>(pointer);
}

// --- CompiledGraph
// ---------------------------------------------------------------------------------

const capture::RunnableGraph& RunnableOf(PyObject* self) {
  return **reinterpret_cast<CompiledObject*>(self)->graph;
}

void DeallocCompiled(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  delete reinterpret_cast<CompiledObject*>(self)->graph;
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* RaiseRun(const absl::Status& status) {
  if (PyErr_Occurred() != nullptr) return nullptr;
  if (absl::IsInvalidArgument(status)) return RaiseGraphError(status);
  PyErr_SetString(absl::IsResourceExhausted(status) ? PyExc_MemoryError : PyExc_RuntimeError,
                  std::string(status.message()).c_str());
  return nullptr;
}

// run(arrays, numbers, tree): a list of the outputs, or what the tree makes of them.
PyObject* Run(PyObject* self, PyObject* args) {
  PyObject *arrays, *numbers, *tree;
  if (!PyArg_ParseTuple(args, "OOO:run", &arrays, &numbers, &tree)) return nullptr;
  const auto results = RunnableOf(self).Run(arrays, numbers);
  if (!results.ok()) return RaiseRun(results.status());
  if (tree != Py_None) {
    const capture::ResultTree* const found = ResultTreeOf(tree);
    if (found == nullptr) return PyErr_Format(PyExc_TypeError, "not a tree: %R", tree);
    return capture::BuildResult(*found, results->outputs, RunnableOf(self).graph().scalars(),
                                results->scalars)
        .Release();
  }
  Ref list = Ref::Steal(PyList_New(0));
  for (const Ref& output : results->outputs) {
    if (!list || PyList_Append(list.get(), output.get()) < 0) return nullptr;
  }
  return list.Release();
}

PyObject* NumberTypes(PyObject* self, void*) {
  Ref list = Ref::Steal(PyList_New(0));
  for (const ScalarType type : RunnableOf(self).NumberTypes()) {
    const Ref text = Ref::Steal(PyUnicode_FromString(ScalarTypeName(type)));
    if (!list || !text || PyList_Append(list.get(), text.get()) < 0) return nullptr;
  }
  return list.Release();
}

PyObject* Describe(PyObject* self, PyObject*) {
  const std::string text = RunnableOf(self).Describe();
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

PyMethodDef compiled_methods[] = {
    {"run", Run, METH_VARARGS, nullptr},
    {"describe", Describe, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef compiled_properties[] = {
    {"number_types", NumberTypes, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot compiled_slots[] = {
    {Py_tp_dealloc, Slot(DeallocCompiled)},
    {Py_tp_methods, compiled_methods},
    {Py_tp_getset, compiled_properties},
    {0, nullptr},
};

PyType_Spec compiled_spec = {"_dynacc.RunnableGraph", sizeof(CompiledObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             compiled_slots};

PyObject* CompileGraphObject(PyObject*, PyObject* args) {
  PyObject* graph;
  const char* target;
  auto* const type = reinterpret_cast<PyTypeObject*>(TheGraphTypes().graph);
  if (!PyArg_ParseTuple(args, "O!s:compile_graph", type, &graph, &target)) return nullptr;
  absl::StatusOr<std::unique_ptr<ir::Graph>> built = GraphOf(graph).Build(/*to_run=*/true);
  if (!built.ok()) return RaiseGraphError(built.status());
  auto runnable = capture::RunnableGraph::Compile(*std::move(built), target);
  if (!runnable.ok()) return RaiseRun(runnable.status());
  auto* const compiled = reinterpret_cast<PyTypeObject*>(TheGraphTypes().compiled);
  PyObject* const self = compiled->tp_alloc(compiled, 0);
  if (self != nullptr) {
    reinterpret_cast<CompiledObject*>(self)->graph =
        new std::shared_ptr<const capture::RunnableGraph>(*std::move(runnable));
  }
  return self;
}

// --- What a function returns
// -----------------------------------------------------------------------

void DeallocTree(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  delete reinterpret_cast<ResultTreeObject*>(self)->tree;
  type->tp_free(self);
  Py_DECREF(type);
}

PyType_Slot tree_slots[] = {{Py_tp_dealloc, Slot(DeallocTree)}, {0, nullptr}};

PyType_Spec tree_spec = {"_dynacc.ResultTree", sizeof(ResultTreeObject), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, tree_slots};

Ref TreeHandle(capture::ResultTree tree) {
  auto* const type = reinterpret_cast<PyTypeObject*>(TheGraphTypes().result_tree);
  PyObject* const self = type->tp_alloc(type, 0);
  if (self != nullptr) {
    reinterpret_cast<ResultTreeObject*>(self)->tree = new capture::ResultTree(std::move(tree));
  }
  return Ref::Steal(self);
}

// --- make_graph
// ------------------------------------------------------------------------------------

// [(path, is argument, object)].
Ref InputRows(const std::vector<capture::GraphInput>& inputs) {
  Ref rows = Ref::Steal(PyList_New(0));
  for (const capture::GraphInput& input : inputs) {
    PyObject* const is_argument = input.is_argument ? Py_True : Py_False;
    PyObject* const row =
        Py_BuildValue("(sOO)", input.path.c_str(), is_argument, input.object.get());
    if (!Append(rows, row)) return {};
  }
  return rows;
}

// The paths of the numbers that no array's size gives.
Ref NumberRows(const std::vector<capture::GraphNumber>& numbers) {
  Ref rows = Ref::Steal(PyList_New(0));
  for (const capture::GraphNumber& number : numbers) {
    if (number.input >= 0) continue;
    if (!Append(rows, PyUnicode_FromString(number.path.c_str()))) return {};
  }
  return rows;
}

// [(path, axis)]. False with an exception set.
bool ReadAxes(PyObject* list, std::vector<std::pair<std::string, int>>& axes) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    const char* path;
    int axis;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "si", &path, &axis)) return false;
    axes.emplace_back(path, axis);
  }
  return true;
}

// make_graph(type, function, args, kwargs, dynamic, axes, decompositions or None): (graph of that
// type, input rows, number rows, tree). `axes`: [(path, axis)] that are dynamic.
PyObject* MakeGraphObject(PyObject*, PyObject* arguments) {
  PyObject *type, *function, *args, *kwargs, *axes, *decompositions;
  int dynamic;
  if (!PyArg_ParseTuple(arguments, "OOO!O!pO!O:make_graph", &type, &function, &PyTuple_Type, &args,
                        &PyDict_Type, &kwargs, &dynamic, &PyList_Type, &axes, &decompositions)) {
    return nullptr;
  }
  capture::MakeGraphOptions options = {
      .dynamic = dynamic != 0,
      .decompositions = PyDict_Check(decompositions) ? decompositions : nullptr,
      .scalars_vary = true};
  if (!ReadAxes(axes, options.dynamic_axes)) return nullptr;
  absl::StatusOr<capture::MadeGraph> made = capture::MakeGraph(function, args, kwargs, options);
  if (!made.ok()) {
    if (PyErr_Occurred() != nullptr) return nullptr;
    const GraphTypes& types = TheGraphTypes();
    PyErr_SetString(absl::IsInvalidArgument(made.status()) ? PyExc_TypeError
                    : absl::IsUnimplemented(made.status()) ? types.graph_break
                                                           : types.error,
                    std::string(made.status().message()).c_str());
    return nullptr;
  }
  const Ref graph = Ref::Steal(PyObject_CallNoArgs(type));
  auto* const base = reinterpret_cast<PyTypeObject*>(TheGraphTypes().graph);
  if (!graph || PyObject_TypeCheck(graph.get(), base) == 0) return nullptr;
  auto* const object = reinterpret_cast<GraphObject*>(graph.get());
  delete std::exchange(object->graph, new ir::EditableGraph(*made->graph));
  const Ref inputs = InputRows(made->inputs);
  const Ref numbers = NumberRows(made->numbers);
  const Ref tree = TreeHandle(std::move(made->result));
  if (!inputs || !numbers || !tree) return nullptr;
  return PyTuple_Pack(4, graph.get(), inputs.get(), numbers.get(), tree.get());
}

// The columns of each op's row that Python needs: {op: (category, NumPy's ufunc or "", whether it
// is commutative)}.
PyObject* OpTable(PyObject*, PyObject*) {
  static constexpr const char* kCategories[] = {"leaf",   "structural", "unary",
                                                "binary", "reduction",  "library_call"};
  Ref table = Ref::Steal(PyDict_New());
  for (int i = 0; table && i < NumOps(); ++i) {
    const OpInfo& info = Info(static_cast<Op>(i));
    const Ref row =
        Ref::Steal(Py_BuildValue("(ssO)", kCategories[static_cast<int>(info.category)], info.numpy,
                                 HasTrait(static_cast<Op>(i), kCommutative) ? Py_True : Py_False));
    if (!row || PyDict_SetItemString(table.get(), info.text, row.get()) < 0) return nullptr;
  }
  return table.Release();
}

// The ufunc that computes the op of the name on the dtype with its bits though ops.def names none:
// products of complex numbers, of which NumPy 2 has one form. "" if there is none.
PyObject* UfuncWithBits(PyObject*, PyObject* args) {
  const char* op = nullptr;
  const char* dtype_name = nullptr;
  if (PyArg_ParseTuple(args, "ss", &op, &dtype_name) == 0) return nullptr;
  const std::optional<DType> dtype = ParseDType(dtype_name);
  const bool is_product = absl::string_view(op) == Info(Op::kMultiplyFused).text;
  const bool has_bits = is_product && dtype && numpy::ProductsAreFused(*dtype);
  return PyUnicode_FromString(has_bits ? Info(Op::kMultiply).numpy : "");
}

// None: no backend.
PyObject* SetBackend(PyObject*, PyObject* backend) {
  capture::SetProcessBackend(backend == Py_None ? Ref() : Ref::New(backend));
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"compile_graph", CompileGraphObject, METH_VARARGS, "A graph compiled for a target."},
    {"make_graph", MakeGraphObject, METH_VARARGS, "A function made a graph."},
    {"set_process_backend", SetBackend, METH_O, "What is asked about every graph; None: nothing."},
    {"op_table", OpTable, METH_NOARGS, "Each op's category and ufunc."},
    {"ufunc_with_bits", UfuncWithBits, METH_VARARGS, "An op's ufunc in the NumPy that runs."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

const capture::ResultTree* ResultTreeOf(PyObject* object) {
  auto* const type = reinterpret_cast<PyTypeObject*>(TheGraphTypes().result_tree);
  if (Py_TYPE(object) != type) return nullptr;
  return reinterpret_cast<ResultTreeObject*>(object)->tree;
}

GraphTypes& TheGraphTypes() {
  static auto& types = *new GraphTypes;
  return types;
}

int AddGraphTypes(BorrowedRef module) {
  const auto make = [module](PyType_Spec& spec) {
    return Ref::Steal(PyType_FromModuleAndSpec(module, &spec, nullptr));
  };
  Ref error = Ref::Steal(PyErr_NewExceptionWithDoc(
      "dynacc.graph.GraphError",
      "What a graph cannot be: the message names the node, or the place in the program.",
      PyExc_ValueError, nullptr));
  const Ref bases = Ref::Steal(error ? PyTuple_Pack(2, error.get(), PyExc_RuntimeError) : nullptr);
  Ref graph_break = Ref::Steal(
      bases ? PyErr_NewExceptionWithDoc("dynacc.graph.GraphBreak",
                                        "Code that a graph cannot hold: the message names each "
                                        "place with file, line and reason.",
                                        bases.get(), nullptr)
            : nullptr);
  if (graph_break) capture::SetGraphBreakType(graph_break.get());
  GraphTypes& types = TheGraphTypes();
  const std::tuple<const char*, Ref, PyObject**> added[] = {
      {"Graph", MakeGraphType(module), &types.graph},
      {"Node", MakeNodeType(module), &types.node},
      {"Size", MakeSizeType(module), &types.size},
      {"NodeCopier", MakeCopierType(module), &types.copier},
      {"RunnableGraph", make(compiled_spec), &types.compiled},
      {"ResultTree", make(tree_spec), &types.result_tree},
      {"GraphError", std::move(error), &types.error},
      {"GraphBreak", std::move(graph_break), &types.graph_break}};
  for (const auto& [name, object, kept] : added) {
    if (!object || PyModule_AddObjectRef(module, name, object.get()) < 0) return -1;
    *kept = object.get();
  }
  if (AddProgramType(module) < 0) return -1;
  return PyModule_AddFunctions(module, functions);
}

}  // namespace dynacc
