// dynacc-python: a python3 with DynaCC's frame evaluator installed.
//
// Everything but --dynacc-info is CPython's own doing: options, scripts, -c, -m, stdin, the prompt,
// exit codes and signals. sys.executable is this program on purpose, so that the children of
// multiprocessing and subprocess.run([sys.executable, ...]) are accelerated as well.
#include <Python.h>

#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include "embed/interpreter/package.h"
#include "embed/launcher/info.h"
#include "embed/launcher/virtual_env.h"
#include "embed/module/start.h"
#include "frontend/cpython/ref.h"
#include "runtime/base/log.h"

namespace dynacc {
namespace {

PyStatus Initialize(int argc, char** argv, const std::optional<std::string>& environment_python) {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  PyStatus status = PyConfig_SetBytesArgv(&config, argc, argv);
  if (!PyStatus_Exception(status) && environment_python.has_value()) {
    status = PyConfig_SetBytesString(&config, &config.executable, environment_python->c_str());
  }
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  return status;
}

// CPython found the environment through its python; from here on sys.executable is the launcher.
void NameExecutable() {
  Ref path = Ref::Steal(PyUnicode_DecodeFSDefault(OwnPath().c_str()));
  if (!path || PySys_SetObject("executable", path.get()) < 0) PyErr_Clear();
}

void Report(const absl::Status& status) {
  if (!status.ok()) WarnOnce("start", absl::StrCat("running as plain python3: ", status.message()));
}

int RunPython(int argc, char** argv) {
  const absl::Status registered = RegisterPackage();
  const std::optional<std::string> environment_python = ActivePython(argv[0]);
  const PyStatus status = Initialize(argc, argv, environment_python);
  if (PyStatus_Exception(status)) Py_ExitStatusException(status);
  if (environment_python.has_value()) NameExecutable();
  Report(registered.ok() ? StartFromEnvironment(Policy::kHot) : registered);
  return Py_RunMain();
}

}  // namespace
}  // namespace dynacc

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--dynacc-info") == 0) {
    std::fputs(dynacc::InfoText().c_str(), stdout);
    return 0;
  }
  return dynacc::RunPython(argc, argv);
}
