#include "embed/module/module.h"

#include <optional>
#include <string>

#include "codegen/compile/compiler.h"
#include "embed/graph/graph_objects.h"
#include "embed/module/compiled_function.h"
#include "embed/module/derivatives.h"
#include "embed/module/info.h"
#include "embed/module/start.h"
#include "frontend/capture/array_libraries.h"
#include "frontend/capture/capture.h"
#include "frontend/capture/explanation.h"
#include "frontend/capture/graph_replay.h"
#include "frontend/cpython/ref.h"
#include "frontend/tensor/arrays_module.h"
#include "nlohmann/json.hpp"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/base/stats.h"

namespace dynacc {
namespace {

PyObject* Disable(PyObject*, PyObject* function) {
  if (!capture::MarkDisabled(function)) return nullptr;
  return Py_NewRef(function);
}

PyObject* Explain(PyObject*, PyObject* function) { return capture::ExplainFunction(function); }

PyObject* Prepare(PyObject*, PyObject* function) {
  if (!capture::PrepareExplain(function)) return nullptr;
  Py_RETURN_NONE;
}

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

PyObject* Arrays(PyObject*, PyObject*) { return tensor::ArraysModule().Release(); }

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

// ValueError (set) for a name that is no topic's: then nothing has changed.
PyObject* SetLogs(PyObject*, PyObject* topics) {
  const std::optional<std::string> text = TextOf(topics);
  if (!text) return nullptr;
  const absl::Status status = ConfigureLogs(*text);
  if (status.ok()) Py_RETURN_NONE;
  PyErr_SetString(PyExc_ValueError, std::string(status.message()).c_str());
  return nullptr;
}

PyMethodDef functions[] = {
    {"arrays", Arrays, METH_NOARGS, "The module that the array namespace is written with."},
    {"check_target", CheckTarget, METH_O, "RuntimeError if a target cannot be used here."},
    {"disable", Disable, METH_O, "Marks a function to be left alone; returns it."},
    {"explain", Explain, METH_O, "What is known of a function's segments, as a dict."},
    {"prepare_explain", Prepare, METH_O, "Makes explain see the next call from its beginning."},
    {"describe_graph", Describe, METH_O, "What a graph, a text, takes and gives."},
    {"schedule_graph", Schedule, METH_O, "A graph after the passes, and its fusion groups."},
    {"specialize_graph", Specialize, METH_VARARGS, "A graph for one choice of its numbers."},
    {"run_graph", RunGraph, METH_VARARGS, "Runs a graph by a target on arrays."},
    {"info", Info, METH_NOARGS, "Versions, machine, compiler, cache and options, as a dict."},
    {"log_topics", LogTopics, METH_NOARGS, "The log topics, each with what it prints."},
    {"set_logs", SetLogs, METH_O, "Switches on the log topics of a value of DYNACC_LOGS."},
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
  Ref type = MakeCompiledFunctionType(module);
  if (!type) return -1;
  if (PyModule_AddObjectRef(module, "CompiledFunction", type.get()) < 0) return -1;
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
