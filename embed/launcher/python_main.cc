#include "embed/launcher/python_main.h"

#include <cstdio>
#include <cstring>

#include "embed/interpreter/exit_callback.h"
#include "embed/interpreter/package.h"
#include "frontend/cpython/program_watch.h"

extern char** environ;

namespace dynacc {
namespace {

const Launch* g_launch = nullptr;
const Core* g_core = nullptr;  // set once the core has started
Core::When g_when = Core::When::kAtStart;

void Report(const char* problem) {
  std::fprintf(stderr, "dynacc: warning: running as plain python3: %s\n", problem);
}

// Null if the core cannot be loaded, which is said once.
const Core* StartedCore() {
  static bool tried = false;
  if (tried) return g_core;
  tried = true;
  const Core* core = g_launch->load_core();
  if (core == nullptr) {
    Report(g_launch->load_error());
    return nullptr;
  }
  g_core = core;
  core->start(g_when);
  return core;
}

// One interpreter a process: subinterpreters are left alone.
bool InMainInterpreter() { return PyInterpreterState_Get() == PyInterpreterState_Main(); }

// The array library, or a module of it.
bool IsArrayLibrary(PyObject* name) {
  const char* text = name != nullptr && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
  if (text == nullptr) {
    PyErr_Clear();
    return false;
  }
#define DYNACC_ARRAY_NAMESPACE(room, name, module, folder)                   \
  if (std::strncmp(text, module, sizeof(module) - 1) == 0 &&                 \
      (text[sizeof(module) - 1] == '\0' || text[sizeof(module) - 1] == '.')) \
    return true;
#include "frontend/capture/array_libraries.def"
#undef DYNACC_ARRAY_NAMESPACE
  return false;
}

// The main body comes next: one that imports the library itself may have loops with arrays, for
// which it must be entered with the core in place.
bool NamesArrayLibrary(PyCodeObject* code) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_names); ++i) {
    if (IsArrayLibrary(PyTuple_GET_ITEM(code->co_names, i))) return true;
  }
  return false;
}

void StartBeforeMain() {
  g_when = Core::When::kBeforeMain;
  StartedCore();
  g_when = Core::When::kInTheMiddle;
}

bool IsArrayExtension(PyObject* name) { return IsArrayLibrary(name) && InMainInterpreter(); }

void StartAtExtension() { StartedCore(); }

PyObject* InitModule() {
  const Core* core = StartedCore();
  if (core != nullptr) return core->init_module();
  PyErr_SetString(PyExc_ImportError, g_launch->load_error());
  return nullptr;
}

void StopCore() {
  if (g_core != nullptr) g_core->stop();
}

// A program whose main body names no array library may still come by one. Null, or what went wrong.
const char* AwaitArrayLibrary() {
  if (!CallAtExit(StopCore)) return "atexit.register failed";
  if (!WatchForExtension(IsArrayExtension, StartAtExtension))
    return "extension modules cannot be watched";
  g_when = Core::When::kInTheMiddle;
  WatchForMain(NamesArrayLibrary, StartBeforeMain);
  return nullptr;
}

bool AnyOptionSet() {
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, "DYNACC_", 7) == 0) return true;
  }
  return false;
}

// By a sitecustomize or a .pth file.
bool ArrayLibraryLoaded() {
#define DYNACC_ARRAY_NAMESPACE(room, name, module, folder) \
  if (PyDict_GetItemString(PyImport_GetModuleDict(), module) != nullptr) return true;
#include "frontend/capture/array_libraries.def"
#undef DYNACC_ARRAY_NAMESPACE
  return false;
}

PyStatus Initialize(int argc, char** argv) {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  PyStatus status = PyConfig_SetBytesArgv(&config, argc, argv);
  if (!PyStatus_Exception(status) && g_launch->environment_python != nullptr)
    status = PyConfig_SetBytesString(&config, &config.executable, g_launch->environment_python);
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  return status;
}

// CPython found the environment through its python; from here on sys.executable is the launcher.
void NameExecutable() {
  PyObject* path = PyUnicode_DecodeFSDefault(g_launch->launcher);
  if (path == nullptr || PySys_SetObject("executable", path) < 0) PyErr_Clear();
  Py_XDECREF(path);
}

// An option of the launcher's own, which stands alone.
bool IsOwnOption(int argc, char** argv) {
  return argc == 2 && std::strncmp(argv[1], "--dynacc-", sizeof("--dynacc-") - 1) == 0;
}

int AnswerOption(const char* option) {
  const Core* core = g_launch->load_core();
  if (core == nullptr) {
    Report(g_launch->load_error());
    return 1;
  }
  if (core->answer(option, stdout)) return 0;
  std::fprintf(stderr,
               "dynacc-python: there is no option %s, but --dynacc-version, --dynacc-help and "
               "--dynacc-info\n",
               option);
  return 2;
}

}  // namespace

int RunPython(int argc, char** argv, const Launch& launch) {
  g_launch = &launch;
  if (IsOwnOption(argc, argv)) return AnswerOption(argv[1]);
  const char* problem = RegisterPackage(InitModule);
  const PyStatus status = Initialize(argc, argv);
  if (PyStatus_Exception(status)) Py_ExitStatusException(status);
  if (launch.environment_python != nullptr) NameExecutable();
  const bool at_once = AnyOptionSet() || ArrayLibraryLoaded();
  if (problem == nullptr && !at_once) problem = AwaitArrayLibrary();
  if (problem != nullptr) {
    Report(problem);
  } else if (at_once) {
    StartedCore();
  }
  return Py_RunMain();
}

}  // namespace dynacc
