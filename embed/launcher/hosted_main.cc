// libdynacc_start.so: turns the stock python3, into which dynacc-python has the loader put this
// library, into dynacc-python.
//
// Debian's python3 is linked with link-time optimisation, which its libpython.a and libpython.so
// lack: those of 3.11 run pure Python 6 and 25 % slower. So dynacc-python brings no
// interpreter of its own. This library stands between the C library and the interpreter's main, and
// needs nothing but the C library and the interpreter.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "embed/launcher/hosted_variables.h"
#include "embed/launcher/python_fit.h"
#include "embed/launcher/python_main.h"

namespace dynacc {
namespace {

// Found through this library's own search path (DT_RUNPATH): beside it, or where it is installed.
const Core* LoadCore() {
  void* library = dlopen(DYNACC_CORE_FILE, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  const auto entry = reinterpret_cast<decltype(&DynaccCore)>(dlsym(library, DYNACC_CORE_SYMBOL));
  return entry == nullptr ? nullptr : entry();
}

const char* LoadError() {
  static const char* text = nullptr;
  const char* latest = dlerror();
  if (latest != nullptr) text = strdup(latest);
  return text == nullptr ? "the core cannot be loaded" : text;
}

// The value of a variable that only this process shall see; null if it is not set.
const char* Take(const char* variable) {
  const char* value = std::getenv(variable);
  const char* copy = value == nullptr ? nullptr : strdup(value);
  unsetenv(variable);
  return copy;
}

// The launcher put this library before what the user had set.
void RestorePreload() {
  const char* users = Take(kUsersPreload);
  if (users == nullptr) {
    unsetenv("LD_PRELOAD");
  } else {
    setenv("LD_PRELOAD", users, 1);
  }
}

using MainFunction = int (*)(int, char**, char**);

Launch g_launch;
MainFunction g_own_main = nullptr;  // of the interpreter

int Main(int argc, char** argv, char** environment) {
  RestorePreload();
  g_launch.launcher = Take(kLauncherPath);
  g_launch.environment_python = Take(kEnvironmentPython);
  if (const std::string misfit = PythonMisfit(); !misfit.empty()) {
    std::fprintf(stderr, "dynacc: warning: running as plain python3: %s\n", misfit.c_str());
    return g_own_main(argc, argv, environment);
  }
  g_launch.load_core = LoadCore;
  g_launch.load_error = LoadError;
  return RunPython(argc, argv, g_launch);
}

using StartMain = int (*)(MainFunction, int, char**, void (*)(), void (*)(), void (*)(), void*);

}  // namespace
}  // namespace dynacc

// Called by every program's entry point, with the program's main.
extern "C" __attribute__((visibility("default"))) int __libc_start_main(
    dynacc::MainFunction main, int argc, char** argv, void (*init)(), void (*fini)(),
    void (*rtld_fini)(), void* stack_end) {
  const auto next = reinterpret_cast<dynacc::StartMain>(dlsym(RTLD_NEXT, "__libc_start_main"));
  dynacc::g_own_main = main;
  const bool launched = std::getenv(dynacc::kLauncherPath) != nullptr;
  return next(launched ? dynacc::Main : main, argc, argv, init, fini, rtld_fini, stack_end);
}
