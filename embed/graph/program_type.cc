// Programs in Python: what dynacc.program needs of the core.
#include "embed/graph/program_type.h"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codegen/compile/export_program.h"
#include "embed/graph/graph_objects.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/capture/make_graph.h"
#include "frontend/cpython/thread_end.h"
#include "frontend/guards/array_checks.h"
#include "runtime/base/status_macros.h"
#include "runtime/program/program.h"
#include "runtime/program/program_file.h"
#include "runtime/program/safetensors.h"

namespace dynacc {
namespace {

struct ProgramObject {
  PyObject_HEAD std::shared_ptr<const program::Program>* program;  // owned
};

PyTypeObject* program_type = nullptr;
PyObject* program_error = nullptr;

PyObject* Raise(const absl::Status& status) {
  if (PyErr_Occurred() != nullptr) return nullptr;
  PyObject* const type = absl::IsNotFound(status)            ? PyExc_FileNotFoundError
                         : absl::IsPermissionDenied(status)  ? PyExc_PermissionError
                         : absl::IsResourceExhausted(status) ? PyExc_MemoryError
                                                             : program_error;
  PyErr_SetString(type, std::string(status.message()).c_str());
  return nullptr;
}

// --- Export.

// Nothing with an exception set.
std::optional<std::vector<std::string>> TextsOf(PyObject* list) {
  const Ref items = Ref::Steal(PySequence_Fast(list, "not a sequence"));
  if (!items) return std::nullopt;
  std::vector<std::string> texts;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    const char* const text = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(items.get(), i));
    if (text == nullptr) return std::nullopt;
    texts.emplace_back(text);
  }
  return texts;
}

absl::StatusOr<StridedView> ReadArray(PyObject* object, char* storage) {
  arrays::ArrayNamespace* const library = arrays::LoadedArrayNamespace();
  if (library == nullptr) return absl::FailedPreconditionError("numpy is not imported");
  if (!library->IsArray(object) || guards::RegisteredArrayChecks().device_of(object) != 0) {
    return absl::InvalidArgumentError("not an array of the host of a dtype that kernels take");
  }
  StridedView view;
  library->Read(object, &view, storage);
  return view;
}

// `rows`: (path, contiguous array or None, whether the array is outside) for each input of the
// graph.
absl::Status AddInputs(const ir::Graph& graph, PyObject* rows, program::ProgramContents& contents,
                       std::vector<std::array<char, 16>>& storage,
                       std::vector<program::NamedArray>& outside) {
  storage.reserve(graph.inputs().size());
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const char* path;
    PyObject* array;
    int is_outside;
    PyObject* const row = PyList_GetItem(rows, static_cast<Py_ssize_t>(i));
    if (row == nullptr || !PyArg_ParseTuple(row, "sOp", &path, &array, &is_outside)) {
      return absl::InvalidArgumentError("the rows of inputs do not fit the graph");
    }
    const ir::Node& node = *graph.inputs()[i];
    program::InputSpec spec = {path, node.dtype, {node.shape.begin(), node.shape.end()}};
    if (array != Py_None) {
      DYNACC_ASSIGN_OR_RETURN(const StridedView view,
                              ReadArray(array, storage.emplace_back().data()));
      spec.constant = static_cast<int>(contents.constants.size());
      contents.constants.push_back(
          {view.dtype,
           {view.shape, view.shape + view.rank},
           {view.data, static_cast<size_t>(view.size() * ItemSize(view.dtype))}});
      program::ConstantSpec& constant = contents.constants.back();
      if (is_outside != 0 && program::SafeName(constant.dtype) != nullptr) {
        contents.weights.push_back({spec.constant, path, cache::HashParts({constant.bytes})});
        outside.push_back({path, constant.dtype, constant.shape, constant.bytes});
        constant.bytes = {};
      }
    }
    contents.signature.inputs.push_back(std::move(spec));
  }
  return absl::OkStatus();
}

// The numbers that no array's size gives, with the names.
absl::Status AddNumbers(const ir::Graph& graph, const std::vector<std::string>& names,
                        program::Signature& signature) {
  const ScalarProgram& scalars = graph.scalars();
  std::vector<ScalarType> types(scalars.num_inputs());
  std::vector<bool> is_size(scalars.num_inputs(), false);
  for (ScalarId id = 0; id < scalars.size(); ++id) {
    const ScalarExpr& expr = scalars.expr(id);
    if (expr.op == ScalarOp::kInput) types[expr.value.i] = expr.type;
  }
  for (const ir::Node* input : graph.inputs()) {
    for (const ScalarId size : input->shape) {
      const ScalarExpr& expr = scalars.expr(size);
      if (expr.op == ScalarOp::kInput) is_size[expr.value.i] = true;
    }
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (is_size[i]) continue;
    const size_t number = signature.numbers.size();
    if (number >= names.size()) return absl::InvalidArgumentError("a number without a name");
    signature.numbers.push_back({names[number], types[i]});
  }
  return absl::OkStatus();
}

struct ExportArguments {
  PyObject *graph, *inputs;
  const char *function, *python;
  std::vector<std::string> numbers, outputs, levels;
  const char* lapack = "";
  bool fast_math = false, are_pinned = false;
};

// The first item of each row of inputs.
std::vector<std::string> NamesOf(PyObject* rows) {
  std::vector<std::string> names;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(rows); ++i) {
    PyObject* const row = PyList_GET_ITEM(rows, i);
    const bool has_name = PyTuple_Check(row) && PyTuple_GET_SIZE(row) > 0;
    const char* const name = has_name ? PyUnicode_AsUTF8(PyTuple_GET_ITEM(row, 0)) : nullptr;
    if (name == nullptr) PyErr_Clear();
    names.emplace_back(name == nullptr ? "?" : name);
  }
  return names;
}

// The files of a program and of its weights; the latter is empty if none are outside.
struct ExportedFiles {
  std::string program, weights;
};

absl::StatusOr<ExportedFiles> Export(const ExportArguments& arguments) {
  DYNACC_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Graph> graph,
                          GraphOf(arguments.graph).Build(/*to_run=*/true));
  // The library's loops are known when its namespace is.
  if (arrays::LoadedArrayNamespace() == nullptr) {
    return absl::FailedPreconditionError("numpy is not imported");
  }
  const compile::ExportOptions options = {
      arguments.fast_math, arguments.levels,
      arguments.function,  &arrays::LoadedArrayNamespace()->library_calls(),
      arguments.lapack,    NamesOf(arguments.inputs),
  };
  DYNACC_ASSIGN_OR_RETURN(program::ProgramContents contents, compile::ExportGraph(*graph, options));
  program::Signature& signature = contents.signature;
  signature.function = arguments.function;
  signature.python = arguments.python;
  signature.conditions.assign(graph->conditions().begin(), graph->conditions().end());
  std::vector<std::array<char, 16>> storage;
  std::vector<program::NamedArray> outside;
  DYNACC_RETURN_IF_ERROR(AddInputs(*graph, arguments.inputs, contents, storage, outside));
  for (program::WeightSpec& weight : contents.weights) {
    if (!arguments.are_pinned) weight.hash.reset();
  }
  DYNACC_RETURN_IF_ERROR(AddNumbers(*graph, arguments.numbers, signature));
  for (size_t i = 0; i < graph->outputs().size(); ++i) {
    const ir::Node& node = *graph->outputs()[i];
    const std::string name = i < arguments.outputs.size() ? arguments.outputs[i] : "";
    signature.outputs.push_back({name, node.dtype, {node.shape.begin(), node.shape.end()}});
  }
  return ExportedFiles{program::WriteProgram(contents),
                       outside.empty() ? "" : program::WriteSafeTensors(outside)};
}

PyObject* BytesOf(const std::string& bytes) {
  return PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size()));
}

// export_program(graph, function, inputs, numbers, outputs, python, fast_math, levels, are_pinned,
// lapack): the bytes of the program and of the file of its weights.
PyObject* ExportProgram(PyObject*, PyObject* args) {
  ExportArguments arguments;
  PyObject *numbers, *outputs, *levels;
  int fast_math, are_pinned;
  auto* const type = reinterpret_cast<PyTypeObject*>(TheGraphTypes().graph);
  if (!PyArg_ParseTuple(args, "O!sO!OOspOps:export_program", type, &arguments.graph,
                        &arguments.function, &PyList_Type, &arguments.inputs, &numbers, &outputs,
                        &arguments.python, &fast_math, &levels, &are_pinned, &arguments.lapack)) {
    return nullptr;
  }
  auto number_names = TextsOf(numbers), output_names = TextsOf(outputs),
       level_names = TextsOf(levels);
  if (!number_names || !output_names || !level_names) return nullptr;
  arguments.numbers = *std::move(number_names);
  arguments.outputs = *std::move(output_names);
  arguments.levels = *std::move(level_names);
  arguments.fast_math = fast_math != 0;
  arguments.are_pinned = are_pinned != 0;
  const absl::StatusOr<ExportedFiles> files = Export(arguments);
  if (!files.ok()) return Raise(files.status());
  const Ref program = Ref::Steal(BytesOf(files->program));
  const Ref weights = Ref::Steal(BytesOf(files->weights));
  return program && weights ? PyTuple_Pack(2, program.get(), weights.get()) : nullptr;
}

// write_program(path, bytes)
PyObject* WriteProgramFile(PyObject*, PyObject* args) {
  PyObject* path;
  PyObject* bytes;
  if (!PyArg_ParseTuple(args, "O&S:write_program", PyUnicode_FSConverter, &path, &bytes)) {
    return nullptr;
  }
  const Ref owned = Ref::Steal(path);
  const absl::Status status = program::WriteFileAtomically(
      PyBytes_AS_STRING(path),
      {PyBytes_AS_STRING(bytes), static_cast<size_t>(PyBytes_GET_SIZE(bytes))});
  if (!status.ok()) {
    PyErr_SetString(PyExc_OSError, std::string(status.message()).c_str());
    return nullptr;
  }
  Py_RETURN_NONE;
}

// --- A result's tree as lists and constants: ["array", 0], ["dict", [[key, value], ...]].

Ref TreeRows(const capture::ResultTree& tree) {
  using Kind = capture::ResultTree::Kind;
  // In the order of Kind.
  static constexpr const char* kNames[] = {"array", "scalar",   "item", "number", "constant",
                                           "tuple", "subclass", "list", "dict"};
  const char* const name = kNames[static_cast<int>(tree.kind)];
  if (tree.kind <= Kind::kNumber) return Ref::Steal(Py_BuildValue("[si]", name, tree.index));
  if (tree.kind == Kind::kConstant) {
    return Ref::Steal(Py_BuildValue("[sO]", name, tree.object.get()));
  }
  const Ref items = Ref::Steal(PyList_New(0));
  for (const capture::ResultTree& item : tree.items) {
    const Ref row = TreeRows(item);
    if (!items || !row || PyList_Append(items.get(), row.get()) < 0) return {};
  }
  return Ref::Steal(Py_BuildValue("[sO]", name, items.get()));
}

PyObject* TreeRowsOf(PyObject*, PyObject* tree) {
  const capture::ResultTree* const found = ResultTreeOf(tree);
  if (found == nullptr) return PyErr_Format(PyExc_TypeError, "not a tree: %R", tree);
  return TreeRows(*found).Release();
}

// --- Program.

const program::Program& ProgramOf(PyObject* self) {
  return **reinterpret_cast<ProgramObject*>(self)->program;
}

void Dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  delete reinterpret_cast<ProgramObject*>(self)->program;
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* ProgramHandle(const absl::StatusOr<std::shared_ptr<const program::Program>>& program) {
  if (!program.ok()) return Raise(program.status());
  PyObject* const self = program_type->tp_alloc(program_type, 0);
  if (self != nullptr) {
    reinterpret_cast<ProgramObject*>(self)->program =
        new std::shared_ptr<const program::Program>(*program);
  }
  return self;
}

// load_program(path, weights): `weights` is a path, or None.
PyObject* LoadProgramFile(PyObject*, PyObject* args) {
  PyObject *path, *weights = nullptr, *given;
  if (!PyArg_ParseTuple(args, "O&O:load_program", PyUnicode_FSConverter, &path, &given)) {
    return nullptr;
  }
  const Ref owned = Ref::Steal(path);
  if (given != Py_None && PyUnicode_FSConverter(given, &weights) == 0) return nullptr;
  const Ref owned_weights = Ref::Steal(weights);
  return ProgramHandle(program::Program::Load(
      PyBytes_AS_STRING(path), weights == nullptr ? "" : PyBytes_AS_STRING(weights)));
}

// The bytes that a bytes object has, which lives as long; none of an empty one.
program::OwnedBytes OwnedBytesOf(PyObject* bytes) {
  const auto size = static_cast<size_t>(PyBytes_GET_SIZE(bytes));
  if (size == 0) return {};
  auto owned = std::make_shared<const std::string>(PyBytes_AS_STRING(bytes), size);
  return {*owned, owned};
}

// load_program_bytes(program, weights)
PyObject* LoadProgramBytes(PyObject*, PyObject* args) {
  PyObject *program, *weights;
  if (!PyArg_ParseTuple(args, "SS:load_program_bytes", &program, &weights)) return nullptr;
  return ProgramHandle(
      program::Program::FromBytes(OwnedBytesOf(program), {.weights = OwnedBytesOf(weights)}));
}

// Fresh NumPy arrays. A run has let go of the GIL.
class ArraySink : public executor::OutputSink {
 public:
  explicit ArraySink(size_t outputs) : objects_(outputs) {}

  absl::Status Allocate(int index, StridedView& view) override {
    TakeBack();
    objects_[index] = Ref::Steal(arrays::LoadedArrayNamespace()->NewArray(view, false, false));
    const bool is_made = static_cast<bool>(objects_[index]);
    if (!is_made) PyErr_Clear();
    LetGo();
    return is_made ? absl::OkStatus() : absl::ResourceExhaustedError("no memory for a result");
  }

  // Between the two the calling thread has no GIL.
  void LetGo() { thread_ = PyEval_SaveThread(); }
  void TakeBack() {
    UpToThreadEnd([this] { PyEval_RestoreThread(thread_); });
  }

  const std::vector<Ref>& objects() const { return objects_; }

 private:
  PyThreadState* thread_ = nullptr;
  std::vector<Ref> objects_;
};

// The text of str(object), or what it cannot be.
std::string TextOf(PyObject* object) {
  const Ref text = Ref::Steal(object == nullptr ? nullptr : PyObject_Str(object));
  const char* const utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  PyErr_Clear();
  return utf8 == nullptr ? "?" : std::string(utf8).substr(0, 100);
}

// What is said of argument `number`, which is no array that programs take.
absl::Status NoArray(const program::Program& program, size_t number, PyObject* given) {
  std::string name = absl::StrCat("array ", number), wanted;
  size_t arguments = 0;
  for (const program::InputSpec& input : program.signature().inputs) {
    if (input.constant >= 0 || arguments++ != number) continue;
    name = absl::StrCat("input ", input.name);
    wanted = absl::StrCat("; the program takes ", program.TypeText(input.dtype, input.shape));
  }
  if (absl::string_view(Py_TYPE(given)->tp_name) != "numpy.ndarray") {
    return absl::InvalidArgumentError(absl::StrCat(name, " is a ", Py_TYPE(given)->tp_name, wanted,
                                                   ": make an array of it by np.asarray"));
  }
  const Ref flags = Ref::Steal(PyObject_GetAttrString(given, "flags"));
  const Ref aligned = Ref::Steal(flags ? PyObject_GetAttrString(flags.get(), "aligned") : nullptr);
  const Ref dtype = Ref::Steal(PyObject_GetAttrString(given, "dtype"));
  if (aligned.get() == Py_False) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " has elements at addresses that are no multiples of their size", wanted,
                     ": copy it"));
  }
  return absl::InvalidArgumentError(absl::StrCat(name, " is an array of ", TextOf(dtype.get()),
                                                 wanted, ": convert it with astype"));
}

absl::StatusOr<std::vector<ScalarValue>> NumbersFrom(const program::Program& program,
                                                     PyObject* numbers) {
  std::vector<ScalarValue> values;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(numbers); ++i) {
    PyObject* const number = PySequence_Fast_GET_ITEM(numbers, i);
    const auto at = static_cast<size_t>(i);
    const bool is_float = at < program.signature().numbers.size() &&
                          program.signature().numbers[at].type == ScalarType::kFloat;
    ScalarValue& value = values.emplace_back();
    if (is_float) {
      value.f = PyFloat_AsDouble(number);
    } else {
      value.i = PyLong_AsLongLong(number);
    }
    if (PyErr_Occurred() == nullptr) continue;
    PyErr_Clear();
    const std::string name =
        at < program.signature().numbers.size() ? program.signature().numbers[at].name : "";
    return absl::InvalidArgumentError(absl::StrCat("number ", name, " is ", TextOf(number),
                                                   "; the program takes ",
                                                   is_float ? "a float" : "an int of 64 bits"));
  }
  return values;
}

// The values of those expressions, as a list of ints, floats and bools.
Ref ValuesOf(const program::Program& program, const std::vector<ScalarValue>& values,
             PyObject* wanted) {
  Ref list = Ref::Steal(PyList_New(0));
  for (Py_ssize_t i = 0; list && i < PySequence_Fast_GET_SIZE(wanted); ++i) {
    const long id = PyLong_AsLong(PySequence_Fast_GET_ITEM(wanted, i));
    if (id < 0 || id >= program.scalars().size()) {
      PyErr_SetString(program_error, "the program has no such number");
      return {};
    }
    const ScalarType type = program.scalars().expr(static_cast<ScalarId>(id)).type;
    const Ref value = Ref::Steal(type == ScalarType::kFloat  ? PyFloat_FromDouble(values[id].f)
                                 : type == ScalarType::kBool ? PyBool_FromLong(values[id].i != 0)
                                                             : PyLong_FromLongLong(values[id].i));
    if (!value || PyList_Append(list.get(), value.get()) < 0) return {};
  }
  return list;
}

// run(arrays, numbers, wanted): (outputs, values of the expressions `wanted`).
PyObject* RunProgram(PyObject* self, PyObject* args) {
  PyObject *given_arrays, *given_numbers, *wanted;
  if (!PyArg_ParseTuple(args, "OOO:run", &given_arrays, &given_numbers, &wanted)) return nullptr;
  const program::Program& program = ProgramOf(self);
  const Ref items = Ref::Steal(PySequence_Fast(given_arrays, "the arrays must be a sequence"));
  const Ref numbers = Ref::Steal(PySequence_Fast(given_numbers, "the numbers must be a sequence"));
  const Ref ids = Ref::Steal(PySequence_Fast(wanted, "the expressions must be a sequence"));
  if (!items || !numbers || !ids) return nullptr;
  const auto count = static_cast<size_t>(PySequence_Fast_GET_SIZE(items.get()));
  std::vector<StridedView> views;
  std::vector<std::array<char, 16>> storage(count);
  for (size_t i = 0; i < count; ++i) {
    PyObject* const item = PySequence_Fast_GET_ITEM(items.get(), static_cast<Py_ssize_t>(i));
    const auto view = ReadArray(item, storage[i].data());
    if (!view.ok()) return Raise(NoArray(program, i, item));
    views.push_back(*view);
  }
  const auto given = NumbersFrom(program, numbers.get());
  if (!given.ok()) return Raise(given.status());
  std::vector<ScalarValue> values;
  ArraySink sink(program.signature().outputs.size());
  sink.LetGo();
  const absl::Status status =
      program.Run({.inputs = views, .numbers = *given, .sink = &sink, .values = &values});
  sink.TakeBack();
  if (!status.ok()) return Raise(status);
  const Ref outputs = Ref::Steal(PyList_New(0));
  for (const Ref& output : sink.objects()) {
    if (!outputs || PyList_Append(outputs.get(), output.get()) < 0) return nullptr;
  }
  const Ref found = ValuesOf(program, values, ids.get());
  return outputs && found ? PyTuple_Pack(2, outputs.get(), found.get()) : nullptr;
}

// --- What a program says of itself.

// info(): a dict.
PyObject* InfoOf(PyObject* self, PyObject*) {
  const program::Program& program = ProgramOf(self);
  const program::Signature& signature = program.signature();
  const Ref inputs = Ref::Steal(PyList_New(0)), outputs = Ref::Steal(PyList_New(0));
  const Ref numbers = Ref::Steal(PyList_New(0)), levels = Ref::Steal(PyList_New(0));
  for (const program::InputSpec& input : signature.inputs) {
    const std::string type = program.TypeText(input.dtype, input.shape);
    if (!Append(inputs, Py_BuildValue("(ssO)", input.name.c_str(), type.c_str(),
                                      input.constant < 0 ? Py_True : Py_False))) {
      return nullptr;
    }
  }
  for (const program::OutputSpec& output : signature.outputs) {
    const std::string type = program.TypeText(output.dtype, output.shape);
    if (!Append(outputs, Py_BuildValue("(ss)", output.name.c_str(), type.c_str()))) return nullptr;
  }
  for (const program::NumberSpec& number : signature.numbers) {
    if (!Append(numbers, Py_BuildValue("(ss)", number.name.c_str(), ScalarTypeName(number.type)))) {
      return nullptr;
    }
  }
  for (const program::CodeSet& set : program.contents().code) {
    if (!Append(levels, PyUnicode_FromString(set.level.c_str()))) return nullptr;
  }
  const Ref weights = Ref::Steal(PyList_New(0));
  for (const program::WeightSpec& weight : program.contents().weights) {
    const std::string type = program.WeightType(weight);
    if (!Append(weights, Py_BuildValue("(ss)", weight.name.c_str(), type.c_str()))) return nullptr;
  }
  return Py_BuildValue("{s:O, s:s, s:s, s:O, s:O, s:O, s:O, s:s, s:s, s:n, s:s}", "weights",
                       weights.get(), "producer", program.contents().producer.c_str(), "function",
                       signature.function.c_str(), "inputs", inputs.get(), "outputs", outputs.get(),
                       "numbers", numbers.get(), "levels", levels.get(), "level",
                       program.level().c_str(), "graph", program.contents().graph.c_str(), "size",
                       static_cast<Py_ssize_t>(program.size()), "python", signature.python.c_str());
}

PyMethodDef methods[] = {
    {"run", RunProgram, METH_VARARGS, nullptr},
    {"info", InfoOf, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
    {Py_tp_methods, methods},
    {0, nullptr},
};

PyType_Spec spec = {"_dynacc.Program", sizeof(ProgramObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

PyMethodDef functions[] = {
    {"export_program", ExportProgram, METH_VARARGS, "A graph as the bytes of a program's file."},
    {"write_program", WriteProgramFile, METH_VARARGS, "Writes a program's file atomically."},
    {"load_program", LoadProgramFile, METH_VARARGS, "The program of a file."},
    {"load_program_bytes", LoadProgramBytes, METH_VARARGS, "The program of a file's bytes."},
    {"result_tree_rows", TreeRowsOf, METH_O, "A ResultTree as lists."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int AddProgramType(BorrowedRef module) {
  Ref type = Ref::Steal(PyType_FromModuleAndSpec(module, &spec, nullptr));
  Ref error = Ref::Steal(PyErr_NewExceptionWithDoc(
      "dynacc.program.ProgramError",
      "What no program can be, a file that is none, or a call that a guard refuses.",
      PyExc_ValueError, nullptr));
  if (!type || !error || PyModule_AddObjectRef(module, "Program", type.get()) < 0 ||
      PyModule_AddObjectRef(module, "ProgramError", error.get()) < 0) {
    return -1;
  }
  program_type = reinterpret_cast<PyTypeObject*>(type.get());
  program_error = error.get();
  return PyModule_AddFunctions(module, functions);
}

}  // namespace dynacc
