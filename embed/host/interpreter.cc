#include "embed/host/interpreter.h"

#include <Python.h>
#include <link.h>

#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "embed/host/errors.h"
#include "embed/interpreter/package.h"
#include "embed/module/module.h"
#include "frontend/cpython/ref.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

namespace fs = std::filesystem;

constexpr char kPython[] = DYNACC_PYTHON;  // whose sys.prefix is the default

// What cannot change while the interpreter lives.
using Identity = std::tuple<std::string, std::string, bool, bool>;
Identity IdentityOf(const RuntimeOptions& options) {
  return {options.home, options.venv, options.isolated, options.handle_signals};
}
const Identity* g_identity = nullptr;  // of our interpreter; under Runtime's start lock
PyObject* g_paths_added = nullptr;     // a list of what we put into sys.path; under the GIL

bool Exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string LibraryFolder() {
  return absl::StrFormat("lib/python%d.%d", PY_MAJOR_VERSION, PY_MINOR_VERSION);
}

// dl_iterate_phdr's callback: collects the loaded files that are a libpython.
int CollectPython(dl_phdr_info* info, size_t, void* result) {
  const std::string name = fs::path(info->dlpi_name).filename().string();
  if (name.starts_with("libpython") && name != "libpython3.so.1.0") {
    static_cast<std::vector<std::string>*>(result)->push_back(info->dlpi_name);
  }
  return 0;
}

// Two libpythons in one process share symbol names: neither can be trusted.
absl::Status CheckOnePython() {
  std::vector<std::string> loaded;
  dl_iterate_phdr(CollectPython, &loaded);
  if (loaded.size() > 1) {
    return absl::FailedPreconditionError(
        absl::StrCat("this process has loaded two Pythons: ", loaded[0], " and ", loaded[1]));
  }
  const std::string version = absl::StrCat(PY_MAJOR_VERSION, ".", PY_MINOR_VERSION, ".");
  if (!std::string(Py_GetVersion()).starts_with(version)) {
    return absl::FailedPreconditionError(absl::StrCat("this process has Python ", Py_GetVersion(),
                                                      "; DynaCC is built for ", PY_VERSION));
  }
  return absl::OkStatus();
}

absl::Status CheckPlaces(const RuntimeOptions& options) {
  if (!options.home.empty() && !Exists(fs::path(options.home) / LibraryFolder() / "os.py")) {
    return absl::NotFoundError(
        absl::StrCat("home: ", options.home, " has no ", LibraryFolder(), "/os.py"));
  }
  if (options.venv.empty()) return absl::OkStatus();
  if (!Exists(fs::path(options.venv) / "pyvenv.cfg")) {
    return absl::NotFoundError(absl::StrCat("venv: ", options.venv, " has no pyvenv.cfg"));
  }
  if (!Exists(fs::path(options.venv) / LibraryFolder())) {
    return absl::NotFoundError(absl::StrCat("venv: ", options.venv, " is not one of Python ",
                                            PY_MAJOR_VERSION, ".", PY_MINOR_VERSION));
  }
  return absl::OkStatus();
}

absl::Status StatusOf(const PyStatus& status) {
  if (!PyStatus_Exception(status)) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("CPython did not start: ", status.err_msg ? status.err_msg : "no reason given"));
}

// The locale and the environment are the host's: UTF-8 whatever they say, and neither is changed.
absl::Status Preinitialize(const RuntimeOptions& options) {
  PyPreConfig config;
  PyPreConfig_InitPythonConfig(&config);
  config.isolated = options.isolated;
  config.use_environment = !options.isolated;
  config.parse_argv = 0;
  config.configure_locale = 0;
  config.coerce_c_locale = 0;
  config.utf8_mode = 1;
  return StatusOf(Py_PreInitialize(&config));
}

absl::Status SetText(PyConfig& config, wchar_t** field, const std::string& text) {
  return text.empty() ? absl::OkStatus()
                      : StatusOf(PyConfig_SetBytesString(&config, field, text.c_str()));
}

absl::Status Configure(PyConfig& config, const RuntimeOptions& options) {
  config.isolated = options.isolated;
  config.use_environment = !options.isolated;
  config.user_site_directory = !options.isolated;
  config.install_signal_handlers = options.handle_signals;
  config.parse_argv = 0;
  config.configure_c_stdio = 0;
  const std::string venv_python = options.venv.empty() ? "" : options.venv + "/bin/python";
  DYNACC_RETURN_IF_ERROR(SetText(config, &config.program_name, kPython));
  DYNACC_RETURN_IF_ERROR(SetText(config, &config.executable, venv_python));
  DYNACC_RETURN_IF_ERROR(SetText(config, &config.home, options.home));
  return absl::OkStatus();
}

absl::Status Initialize(const RuntimeOptions& options) {
  DYNACC_RETURN_IF_ERROR(Preinitialize(options));
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  absl::Status status = Configure(config, options);
  if (status.ok()) status = StatusOf(Py_InitializeFromConfig(&config));
  PyConfig_Clear(&config);
  return status;
}

absl::StatusOr<Ref> PathList(const std::vector<std::string>& paths) {
  Ref list = Ref::Steal(PyList_New(0));
  if (!list) return TakeException();
  for (const std::string& path : paths) {
    Ref text = Ref::Steal(PyUnicode_DecodeFSDefault(path.c_str()));
    if (!text || PyList_Append(list.get(), text.get()) < 0) return TakeException();
  }
  return list;
}

// Takes out of sys.path what an earlier session put there. The program may have moved it or taken
// it out itself.
void RemoveAddedPaths(PyObject* path) {
  for (Py_ssize_t i = 0; g_paths_added != nullptr && i < PyList_GET_SIZE(g_paths_added); ++i) {
    const Py_ssize_t at = PySequence_Index(path, PyList_GET_ITEM(g_paths_added, i));
    if (at < 0 || PySequence_DelItem(path, at) < 0) PyErr_Clear();
  }
  Py_CLEAR(g_paths_added);
}

void PrintException() {
  if (PyErr_Occurred()) PyErr_Print();
}

// Runs `module.name()` if the module is loaded.
void CallIfLoaded(const char* module, const char* name) {
  PyObject* loaded = PyDict_GetItemString(PyImport_GetModuleDict(), module);
  if (loaded == nullptr) return;
  Ref result = Ref::Steal(PyObject_CallMethod(loaded, name, nullptr));
  PrintException();
}

void JoinThread(PyObject* thread, PyObject* current) {
  Ref daemon = Ref::Steal(PyObject_GetAttrString(thread, "daemon"));
  const bool joins = thread != current && daemon && PyObject_IsTrue(daemon.get()) == 0;
  if (joins) Ref done = Ref::Steal(PyObject_CallMethod(thread, "join", nullptr));
  PrintException();
}

// threading._shutdown would also retire the main thread, which a later session needs.
void JoinThreads() {
  PyObject* threading = PyDict_GetItemString(PyImport_GetModuleDict(), "threading");
  if (threading == nullptr) return;
  Ref main = Ref::Steal(PyObject_CallMethod(threading, "main_thread", nullptr));
  Ref all = Ref::Steal(PyObject_CallMethod(threading, "enumerate", nullptr));
  Ref current = Ref::Steal(PyObject_CallMethod(threading, "current_thread", nullptr));
  PrintException();
  if (!main || !all || !current) return;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(all.get()); ++i) {
    PyObject* thread = PyList_GET_ITEM(all.get(), i);
    if (thread != main.get()) JoinThread(thread, current.get());
  }
}

void Flush(const char* stream) {
  PyObject* file = PySys_GetObject(stream);
  if (file == nullptr || file == Py_None) return;
  Ref done = Ref::Steal(PyObject_CallMethod(file, "flush", nullptr));
  if (!done) PyErr_Clear();  // a closed stream, as CPython's own end takes it
}

}  // namespace

absl::Status EnsureInterpreter(const RuntimeOptions& options) {
  DYNACC_RETURN_IF_ERROR(CheckOnePython());
  DYNACC_RETURN_IF_ERROR(CheckPlaces(options));
  if (g_identity != nullptr) {
    if (*g_identity == IdentityOf(options)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "home, venv, isolated and handle_signals must be those of the first Runtime: CPython stays "
        "in the process");
  }
  if (Py_IsInitialized()) {
    return absl::FailedPreconditionError("this process started CPython without a dynacc::Runtime");
  }
  if (const char* problem = RegisterPackage(PyInit__dynacc))
    return absl::FailedPreconditionError(problem);
  DYNACC_RETURN_IF_ERROR(Initialize(options));
  g_identity = new Identity(IdentityOf(options));
  PyEval_SaveThread();
  return absl::OkStatus();
}

absl::Status SetPaths(const RuntimeOptions& options) {
  const auto& arguments = options.arguments;
  DYNACC_ASSIGN_OR_RETURN(Ref argv,
                          PathList(arguments.empty() ? std::vector<std::string>{""} : arguments));
  if (PySys_SetObject("argv", argv.get()) < 0) return TakeException();
  PyObject* path = PySys_GetObject("path");
  if (path == nullptr || !PyList_Check(path)) {
    return absl::FailedPreconditionError("sys.path is no list any more");
  }
  RemoveAddedPaths(path);
  DYNACC_ASSIGN_OR_RETURN(Ref added, PathList(options.search_paths));
  if (PyList_SetSlice(path, 0, 0, added.get()) < 0) return TakeException();
  g_paths_added = added.Release();
  return absl::OkStatus();
}

void EndPythonSession() {
  JoinThreads();
  CallIfLoaded("atexit", "_run_exitfuncs");
  Flush("stdout");
  Flush("stderr");
}

}  // namespace dynacc
