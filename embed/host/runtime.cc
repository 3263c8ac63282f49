// Runtime of dynacc/runtime.h.
#include "embed/include/dynacc/runtime.h"

#include <Python.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "embed/host/async_calls.h"
#include "embed/host/call_gate.h"
#include "embed/host/errors.h"
#include "embed/host/host_function.h"
#include "embed/host/interpreter.h"
#include "embed/host/object_handle.h"
#include "embed/host/python_scope.h"
#include "embed/host/python_services.h"
#include "embed/host/runtime_options.h"
#include "embed/module/start.h"
#include "frontend/capture/capture.h"
#include "runtime/base/log.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/trace_file.h"
#include "runtime/platform/core_load.h"

namespace dynacc {
namespace {

// Starting and ending take turns.
absl::Mutex& StartLock() {
  static absl::Mutex& mutex = *new absl::Mutex;
  return mutex;
}

bool g_running = false;  // under StartLock

// The names in sys.modules of the files that this session ran. Under the GIL.
std::vector<std::string>& LoadedFiles() {
  static auto& names = *new std::vector<std::string>;
  return names;
}

// Weak references to the loaders of the modules that this session made of each file, by its path:
// a loader lives as long as its module's names. Under the GIL.
std::map<std::string, std::vector<Ref>>& Loaders() {
  static auto& loaders = *new std::map<std::string, std::vector<Ref>>;
  return loaders;
}

bool IsAlive(const Ref& weak_reference) {
  return PyWeakref_GetObject(weak_reference.get()) != Py_None;
}

// Lets the modules that this file was before `module` die, with all that only they hold, once the
// host has let go of them. Code of other files goes on with what was compiled for it, unless an
// older module than the last one is still there: then that may be what holds it.
void ForgetVersionsBefore(const std::string& path, BorrowedRef module) {
  std::vector<Ref>& versions = Loaders()[path];
  std::erase_if(versions, [](const Ref& version) { return !IsAlive(version); });
  const Ref loader = Ref::Steal(PyObject_GetAttrString(module, "__loader__"));
  Ref latest = loader ? Ref::Steal(PyWeakref_NewRef(loader.get(), nullptr)) : Ref();
  PyErr_Clear();
  if (!versions.empty()) {
    capture::ForgetCapturedOf(path);
    PyGC_Collect();
    if (std::any_of(versions.begin(), versions.end() - 1, IsAlive)) {
      capture::ForgetCaptured();
      PyGC_Collect();
    }
  }
  if (latest) versions.push_back(std::move(latest));
}

absl::Status StartSession(const RuntimeOptions& options) {
  DYNACC_RETURN_IF_ERROR(ApplyOptions(options));
  DYNACC_RETURN_IF_ERROR(EnsureInterpreter(options));
  SetLogSink(options.log_sink);
  GilScope gil;
  DYNACC_RETURN_IF_ERROR(SetPaths(options));
  HostDuties duties;
  duties.main_body_is_next = true;
  return StartFromEnvironment(capture::Policy::kHot, duties);
}

void ForgetFiles() {
  PyObject* modules = PyImport_GetModuleDict();
  for (const std::string& name : LoadedFiles()) {
    if (PyDict_DelItemString(modules, name.c_str()) < 0) PyErr_Clear();
  }
  LoadedFiles().clear();
  Loaders().clear();
}

// importlib's way to run a file as a module: a spec, a module from it, its execution.
absl::StatusOr<Ref> NewModule(const std::string& name, const std::string& path, Ref* loader) {
  Ref util = Ref::Steal(PyImport_ImportModule("importlib.util"));
  if (!util) return TakeException();
  Ref spec = Ref::Steal(
      PyObject_CallMethod(util.get(), "spec_from_file_location", "ss", name.c_str(), path.c_str()));
  if (!spec) return TakeException();
  if (spec.get() == Py_None) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is not a Python file"));
  }
  Ref module = Ref::Steal(PyObject_CallMethod(util.get(), "module_from_spec", "O", spec.get()));
  if (!module) return TakeException();
  *loader = Ref::Steal(PyObject_GetAttrString(spec.get(), "loader"));
  if (!*loader) return TakeException();
  return module;
}

// Runs the module's body as its file says it now: importlib would take the bytecode that it keeps
// beside the file, if that is of a text of the same length and second.
Ref Execute(BorrowedRef loader, BorrowedRef module, const std::string& path) {
  if (PyObject_HasAttrString(loader, "source_to_code") == 0) {
    return Ref::Steal(PyObject_CallMethod(loader, "exec_module", "O", module));
  }
  Ref text = Ref::Steal(PyObject_CallMethod(loader, "get_data", "s", path.c_str()));
  if (!text) return {};
  Ref code =
      Ref::Steal(PyObject_CallMethod(loader, "source_to_code", "Os", text.get(), path.c_str()));
  if (!code) return {};
  PyObject* const globals = PyModule_GetDict(module);
  if (PyDict_SetItemString(globals, "__builtins__", PyEval_GetBuiltins()) < 0) return {};
  return Ref::Steal(PyEval_EvalCode(code.get(), globals, globals));
}

// `module` as sys.modules[name], once `execute` has run its body; as it was before if that raises.
absl::StatusOr<Ref> Install(const std::string& name, Ref module, absl::FunctionRef<Ref()> execute) {
  PyObject* modules = PyImport_GetModuleDict();
  Ref before = Ref::New(PyDict_GetItemString(modules, name.c_str()));
  if (PyDict_SetItemString(modules, name.c_str(), module.get()) < 0) return TakeException();
  if (Ref done = execute()) {
    LoadedFiles().push_back(name);
    return module;
  }
  absl::Status failure = TakeException();
  const int restored = before ? PyDict_SetItemString(modules, name.c_str(), before.get())
                              : PyDict_DelItemString(modules, name.c_str());
  if (restored < 0) PyErr_Clear();
  return failure;
}

absl::StatusOr<Ref> RunFile(const std::string& path) {
  const std::string name = std::filesystem::path(path).stem().string();
  Ref loader;
  DYNACC_ASSIGN_OR_RETURN(Ref module, NewModule(name, path, &loader));
  PyObject* const body = module.get();
  return Install(name, std::move(module), [&] { return Execute(loader.get(), body, path); });
}

absl::StatusOr<Ref> RunSource(const std::string& name, const std::string& source) {
  DYNACC_ASSIGN_OR_RETURN(const Ref made, CallService("module_of_source", {name, source}));
  Ref module = Ref::New(PyTuple_GET_ITEM(made.get(), 0));
  PyObject* const code = PyTuple_GET_ITEM(made.get(), 1);
  PyObject* const globals = PyModule_GetDict(module.get());
  if (PyDict_SetItemString(globals, "__builtins__", PyEval_GetBuiltins()) < 0) {
    return TakeException();
  }
  return Install(name, std::move(module),
                 [&] { return Ref::Steal(PyEval_EvalCode(code, globals, globals)); });
}

}  // namespace

absl::StatusOr<std::unique_ptr<Runtime>> Runtime::Start(const RuntimeOptions& options) {
  absl::MutexLock lock(&StartLock());
  if (TheCallGate().forked()) return TheCallGate().Enter();
  if (g_running) return absl::FailedPreconditionError("this process has a dynacc::Runtime already");
  if (absl::Status status = StartSession(options); !status.ok()) {
    SetLogSink({});
    return status;
  }
  const int usual = std::max(2, platform::UsableCores());
  TheCallGate().Open(options.most_calls > 0 ? options.most_calls : usual);
  StartAsyncCalls(options.executor);
  g_running = true;
  return std::unique_ptr<Runtime>(new Runtime);
}

Runtime::~Runtime() {
  if (TheCallGate().forked()) return;  // the parent's
  TheCallGate().Close();
  EndAsyncCalls();
  absl::MutexLock lock(&StartLock());
  {
    GilScope gil;
    EndPythonSession();
    EndInProcess();
    ForgetFiles();
    PyGC_Collect();
  }
  SetLogSink({});
  g_running = false;
}

absl::StatusOr<Module> Runtime::ImportModule(const std::string& name) {
  PythonScope python;
  DYNACC_RETURN_IF_ERROR(python.status());
  Ref object = Ref::Steal(PyImport_ImportModule(name.c_str()));
  if (!object) return TakeException();
  return ObjectAccess::Make<Module>(std::move(object));
}

absl::StatusOr<Module> Runtime::LoadFile(const std::string& path) {
  PythonScope python;
  DYNACC_RETURN_IF_ERROR(python.status());
  DYNACC_ASSIGN_OR_RETURN(Ref object, RunFile(path));
  ForgetVersionsBefore(path, object.get());
  return ObjectAccess::Make<Module>(std::move(object));
}

absl::StatusOr<Module> Runtime::LoadSource(const std::string& name, const std::string& source) {
  PythonScope python;
  DYNACC_RETURN_IF_ERROR(python.status());
  if (name.empty()) return absl::InvalidArgumentError("a module without a name");
  DYNACC_ASSIGN_OR_RETURN(Ref object, RunSource(name, source));
  ForgetVersionsBefore(absl::StrCat("<", name, ">"), object.get());
  return ObjectAccess::Make<Module>(std::move(object));
}

absl::StatusOr<Function> Runtime::MakeFunction(const std::string& name, HostFunction function) {
  PythonScope python;
  DYNACC_RETURN_IF_ERROR(python.status());
  DYNACC_ASSIGN_OR_RETURN(Ref object, MakeHostFunction(name, std::move(function)));
  return ObjectAccess::MakeFunction(std::move(object));
}

absl::Status Runtime::RegisterOp(const std::string& name, const std::string& shapes,
                                 const Function& body) {
  DYNACC_ASSIGN_OR_RETURN(const Module operators, ImportModule("dynacc.operators"));
  DYNACC_ASSIGN_OR_RETURN(const Function declare, operators.Get("declare"));
  return declare.Call({name, shapes, body}).status();
}

absl::Status Runtime::SetLogs(const std::string& topics) { return ConfigureLogs(topics); }

absl::Status Runtime::SetTrace(const std::string& path, bool runs) {
  if (!path.empty()) return OpenTrace(path, runs ? TraceLevel::kRuns : TraceLevel::kWork);
  CloseTrace();
  return absl::OkStatus();
}

std::map<std::string, uint64_t> Runtime::Stats() {
  const auto values = CounterValues();
  return {values.begin(), values.end()};
}

const char* v0::Version() { return DYNACC_VERSION; }

}  // namespace dynacc
