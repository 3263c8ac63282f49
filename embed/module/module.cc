#include "embed/module/module.h"

#include <optional>
#include <string>
#include <vector>

#include "codegen/compile/option_names.h"
#include "embed/graph/graph_objects.h"
#include "embed/module/compiled_function.h"
#include "embed/module/derivatives.h"
#include "embed/module/info.h"
#include "embed/module/option_values.h"
#include "embed/module/start.h"
#include "frontend/cache/size_marks.h"
#include "frontend/capture/array_libraries.h"
#include "frontend/capture/capture.h"
#include "frontend/capture/explanation.h"
#include "frontend/capture/graph_text_calls.h"
#include "frontend/capture/stance.h"
#include "frontend/cpython/ref.h"
#include "frontend/tensor/arrays_module.h"
#include "nlohmann/json.hpp"
#include "runtime/base/log.h"
#include "runtime/base/nearest_name.h"
#include "runtime/base/stats.h"

namespace dynacc {
namespace {

// Adds name: value to `dict`; value is stolen and may be null with an exception set.
bool SetItem(PyObject* dict, const std::string& name, PyObject* value) {
  Ref owned = Ref::Steal(value);
  return owned && PyDict_SetItemString(dict, name.c_str(), owned.get()) == 0;
}

Ref BreaksDict() {
  Ref dict = Ref::Steal(PyDict_New());
  if (!dict) return dict;
  for (const auto& [reason, count] : BreakCounts()) {
    if (!SetItem(dict.get(), reason, PyLong_FromUnsignedLongLong(count))) return Ref();
  }
  return dict;
}

PyObject* StatsDict(PyObject*, PyObject*) {
  Ref dict = Ref::Steal(PyDict_New());
  if (!dict) return nullptr;
  for (const auto& [name, value] : CounterValues()) {
    if (!SetItem(dict.get(), name, PyLong_FromUnsignedLongLong(value))) return nullptr;
  }
  const double seconds = ProcessStats().compile_nanoseconds * 1e-9;
  if (!SetItem(dict.get(), "compile_seconds", PyFloat_FromDouble(seconds))) return nullptr;
  if (!SetItem(dict.get(), "graph_breaks", BreaksDict().Release())) return nullptr;
  return dict.Release();
}

PyObject* Reset(PyObject*, PyObject*) {
  capture::ForgetCaptured();
  Py_RETURN_NONE;
}

PyObject* List(PyObject*, PyObject*) { return ListOptions(); }

PyObject* Set(PyObject*, PyObject* args) {
  const char* name;
  PyObject* value;
  if (!PyArg_ParseTuple(args, "sO:set_option", &name, &value)) return nullptr;
  if (!SetProcessOption(name, value)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* TakeStance(PyObject*, PyObject* name) {
  const char* const text = PyUnicode_AsUTF8(name);
  if (text == nullptr) return nullptr;
  if (capture::SetStance(text)) Py_RETURN_NONE;
  return PyErr_Format(PyExc_ValueError, "dynacc.set_stance: there is no stance %R", name);
}

// (array, axis, dynamic, min, max); max -1: no bound.
PyObject* MarkSize(PyObject*, PyObject* args) {
  PyObject* array;
  int axis, dynamic;
  long long min, max;
  if (!PyArg_ParseTuple(args, "OipLL:mark_size", &array, &axis, &dynamic, &min, &max))
    return nullptr;
  cache::SetSizeMark(array, axis, {dynamic != 0, min, max < 0 ? INT64_MAX : max});
  Py_RETURN_NONE;
}

PyObject* UnmarkSizes(PyObject*, PyObject* address) {
  const void* const array = PyLong_AsVoidPtr(address);
  if (array == nullptr && PyErr_Occurred() != nullptr) return nullptr;
  cache::DropSizeMarks(array);
  Py_RETURN_NONE;
}

PyObject* Nearest(PyObject*, PyObject* args) {
  const char* name;
  PyObject* names;
  if (!PyArg_ParseTuple(args, "sO!:nearest_name", &name, &PyTuple_Type, &names)) return nullptr;
  std::vector<std::string> known;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    const char* const text = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
    if (text == nullptr) return nullptr;
    known.emplace_back(text);
  }
  return PyUnicode_FromString(NearestName(name, known).c_str());
}

PyObject* Arrays(PyObject*, PyObject*) { return tensor::ArraysModule().Release(); }

PyObject* Targets(PyObject*, PyObject*) {
  const std::vector<compile::TargetInfo>& infos = compile::TargetInfos();
  Ref names = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(infos.size())));
  for (size_t i = 0; names && i < infos.size(); ++i) {
    PyObject* const name = PyUnicode_FromString(infos[i].name);
    if (name == nullptr) return nullptr;
    PyTuple_SET_ITEM(names.get(), static_cast<Py_ssize_t>(i), name);
  }
  return names.Release();
}

// RuntimeError (set), with the reason, if the target of that name cannot be used on this machine.
PyObject* CheckTarget(PyObject*, PyObject* name) {
  const char* text = PyUnicode_AsUTF8(name);
  if (text == nullptr) return nullptr;
  const absl::Status status = compile::CheckTargetAvailable(text);
  if (status.ok()) Py_RETURN_NONE;
  PyErr_Format(PyExc_RuntimeError, "dynacc: %s", std::string(status.message()).c_str());
  return nullptr;
}

// The text of a str argument; nothing, with an exception set, for another object.
std::optional<std::string> TextOf(PyObject* object) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) return std::nullopt;
  return std::string(text, static_cast<size_t>(size));
}

PyObject* Describe(PyObject*, PyObject* text) {
  const std::optional<std::string> graph = TextOf(text);
  return graph ? capture::DescribeGraph(*graph) : nullptr;
}

PyObject* Schedule(PyObject*, PyObject* text) {
  const std::optional<std::string> graph = TextOf(text);
  return graph ? capture::ScheduleOfGraph(*graph) : nullptr;
}

PyObject* Specialize(PyObject*, PyObject* args) {
  const char* text;
  PyObject* numbers;
  if (!PyArg_ParseTuple(args, "sO:specialize_graph", &text, &numbers)) return nullptr;
  return capture::SpecializeGraphText(text, numbers);
}

PyObject* RunGraph(PyObject*, PyObject* args) {
  const char* text;
  const char* target;
  PyObject* arrays;
  if (!PyArg_ParseTuple(args, "ssO:run_graph", &text, &target, &arrays)) return nullptr;
  return capture::RunGraphText(text, target, arrays);
}

PyObject* Info(PyObject*, PyObject*) { return capture::ObjectOfJson(InfoData()); }

// A list of (name, what it prints).
PyObject* LogTopics(PyObject*, PyObject*) {
  Json rows = Json::array();
#define DYNACC_LOG_TOPIC(name, topic, doc) rows.push_back({topic, doc});
#include "runtime/base/log_topics.def"
#undef DYNACC_LOG_TOPIC
  return capture::ObjectOfJson(rows);
}

PyMethodDef functions[] = {
    {"arrays", Arrays, METH_NOARGS, "The module that the array namespace is written with."},
    {"targets", Targets, METH_NOARGS, "The names of the targets, as a tuple."},
    {"check_target", CheckTarget, METH_O, "RuntimeError if a target cannot be used here."},
    {"reset", Reset, METH_NOARGS, "Forgets what was captured and compiled, of all code."},
    {"list_options", List, METH_NOARGS, "Rows of all options, passes and fusion rules."},
    {"set_option", Set, METH_VARARGS, "Sets an option of the process."},
    {"set_stance", TakeStance, METH_O, "What calls do where compiled code may run or be made."},
    {"mark_size", MarkSize, METH_VARARGS, "Says that an array's size varies, or does not."},
    {"unmark_sizes", UnmarkSizes, METH_O, "Forgets marks, by the array's address."},
    {"nearest_name", Nearest, METH_VARARGS,
     "The one of some names that is nearly this one, or ''."},
    {"describe_graph", Describe, METH_O, "What a graph, a text, takes and gives."},
    {"schedule_graph", Schedule, METH_O, "A graph after the passes, and its fusion groups."},
    {"specialize_graph", Specialize, METH_VARARGS, "A graph for one choice of its numbers."},
    {"run_graph", RunGraph, METH_VARARGS, "Runs a graph by a target on arrays."},
    {"info", Info, METH_NOARGS, "Versions, machine, compiler, cache and options, as a dict."},
    {"log_topics", LogTopics, METH_NOARGS, "The log topics, each with what it prints."},
    {"stats", StatsDict, METH_NOARGS, "The counters of this process, as a dict."},
    {nullptr, nullptr, 0, nullptr},
};

// In a stock python3 the import starts capture, of named functions only; the launcher and
// libdynacc_embed started it before.
bool Start() {
  const absl::Status status = StartFromEnvironment(capture::Policy::kExplicit);
  if (!status.ok()) PyErr_SetString(PyExc_ImportError, std::string(status.message()).c_str());
  return status.ok();
}

int Fill(PyObject* module) {
  capture::RegisterArrayLibraries();
  if (!Start()) return -1;
  if (!AddFunctionTypes(module)) return -1;
  if (AddGraphTypes(module) < 0) return -1;
  if (!AddDerivativeTypes(module)) return -1;
  return PyModule_AddStringConstant(module, "version", DYNACC_VERSION);
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(Fill)},
    {0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "_dynacc",
    "The compiled half of the dynacc package.",
    0,
    functions,
    slots,
    nullptr,
    nullptr,
    nullptr,
};

}  // namespace
}  // namespace dynacc

PyMODINIT_FUNC PyInit__dynacc() { return PyModuleDef_Init(&dynacc::definition); }
