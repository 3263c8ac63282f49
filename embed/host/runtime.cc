// Runtime, Module and Function of embed.h.
#include <Python.h>

#include <atomic>

#include "absl/strings/str_cat.h"
#include "embed/host/python_values.h"
#include "embed/include/dynacc/embed.h"
#include "embed/interpreter/package.h"
#include "embed/module/module.h"
#include "embed/module/start.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

std::atomic<bool> was_started = false;

PyObject* Object(const std::shared_ptr<void>& shared) {
  return static_cast<PyObject*>(shared.get());
}

absl::Status Initialize(const RuntimeOptions& options) {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = options.handle_signals;
  config.parse_argv = 0;
  PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, "/usr/bin/python3.11");
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (!PyStatus_Exception(status)) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("CPython did not start: ", status.err_msg));
}

absl::Status AddSearchPaths(const std::vector<std::string>& paths) {
  PyObject* list = PySys_GetObject("path");
  for (size_t i = 0; i < paths.size(); ++i) {
    Ref path = Ref::Steal(PyUnicode_DecodeFSDefault(paths[i].c_str()));
    if (!path || PyList_Insert(list, static_cast<Py_ssize_t>(i), path.get()) < 0)
      return TakeException();
  }
  return absl::OkStatus();
}

absl::StatusOr<Ref> TupleOf(const std::vector<Value>& arguments) {
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(arguments.size())));
  if (!tuple) return TakeException();
  for (size_t i = 0; i < arguments.size(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(Ref item, ToPython(arguments[i]), "an argument");
    PyTuple_SET_ITEM(tuple.get(), i, item.Release());
  }
  return tuple;
}

// importlib's way to run a file as a module: a spec, a module from it, its execution.
absl::StatusOr<Ref> RunFile(const std::string& path) {
  Ref util = Ref::Steal(PyImport_ImportModule("importlib.util"));
  if (!util) return TakeException();
  const size_t name_start = path.find_last_of('/') + 1;
  const std::string name = path.substr(name_start, path.find_last_of('.') - name_start);
  Ref spec = Ref::Steal(
      PyObject_CallMethod(util.get(), "spec_from_file_location", "ss", name.c_str(), path.c_str()));
  if (!spec) return TakeException();
  if (spec.get() == Py_None)
    return absl::InvalidArgumentError(absl::StrCat(path, " is not a Python file"));
  Ref module = Ref::Steal(PyObject_CallMethod(util.get(), "module_from_spec", "O", spec.get()));
  if (!module) return TakeException();
  PyDict_SetItemString(PyImport_GetModuleDict(), name.c_str(), module.get());
  Ref loader = Ref::Steal(PyObject_GetAttrString(spec.get(), "loader"));
  Ref done = loader
                 ? Ref::Steal(PyObject_CallMethod(loader.get(), "exec_module", "O", module.get()))
                 : Ref();
  if (done) return module;
  absl::Status failure = TakeException();
  if (PyDict_DelItemString(PyImport_GetModuleDict(), name.c_str()) < 0) PyErr_Clear();
  return failure;
}

}  // namespace

struct Runtime::State {
  PyThreadState* main_thread = nullptr;
};

Runtime::Runtime(std::unique_ptr<State> state) : state_(std::move(state)) {}

absl::StatusOr<std::unique_ptr<Runtime>> Runtime::Start(const RuntimeOptions& options) {
  DYNACC_ASSIGN_OR_RETURN(const Policy policy, ParsePolicy(options.policy));
  if (Py_IsInitialized() || was_started.exchange(true)) {
    return absl::FailedPreconditionError("this process has, or had, a Python interpreter already");
  }
  if (const char* problem = RegisterPackage(PyInit__dynacc))
    return absl::FailedPreconditionError(problem);
  DYNACC_RETURN_IF_ERROR(Initialize(options));
  absl::Status status = AddSearchPaths(options.search_paths);
  HostDuties duties;
  duties.main_body_is_next = true;
  if (status.ok()) status = StartFromEnvironment(policy, duties);
  if (!status.ok()) {
    Py_FinalizeEx();
    return status;
  }
  auto state = std::make_unique<State>();
  state->main_thread = PyEval_SaveThread();
  return std::unique_ptr<Runtime>(new Runtime(std::move(state)));
}

Runtime::~Runtime() {
  PyEval_RestoreThread(state_->main_thread);
  Py_FinalizeEx();
}

absl::StatusOr<Module> Runtime::ImportModule(const std::string& name) {
  GilScope gil;
  Ref object = Ref::Steal(PyImport_ImportModule(name.c_str()));
  if (!object) return TakeException();
  Module module;
  module.object_ = Share(std::move(object));
  return module;
}

absl::StatusOr<Module> Runtime::LoadFile(const std::string& path) {
  GilScope gil;
  DYNACC_ASSIGN_OR_RETURN(Ref object, RunFile(path));
  Module module;
  module.object_ = Share(std::move(object));
  return module;
}

absl::StatusOr<Function> Module::Get(const std::string& name) const {
  GilScope gil;
  Ref object = Ref::Steal(PyObject_GetAttrString(Object(object_), name.c_str()));
  if (!object) PyErr_Clear();
  if (!object || !PyCallable_Check(object.get())) {
    return absl::NotFoundError(absl::StrCat("the module has no callable ", name));
  }
  Function function;
  function.object_ = Share(std::move(object));
  return function;
}

absl::StatusOr<Value> Function::Call(const std::vector<Value>& arguments) const {
  GilScope gil;
  DYNACC_ASSIGN_OR_RETURN(Ref tuple, TupleOf(arguments));
  Ref result = Ref::Steal(PyObject_CallObject(Object(object_), tuple.get()));
  if (!result) return TakeException();
  return FromPython(result.get());
}

}  // namespace dynacc
