#include "embed/launcher/python_fit.h"

#include <dlfcn.h>
#include <patchlevel.h>

#include <cstdio>

namespace dynacc {
namespace {

constexpr unsigned long VersionOf(unsigned long major, unsigned long minor) {
  return major << 8 | minor;
}
constexpr unsigned long kBuiltFor = VersionOf(PY_MAJOR_VERSION, PY_MINOR_VERSION);

std::string Text(unsigned long version) {
  // Not std::to_string, whose table of digits would be exported.
  char text[32];
  std::snprintf(text, sizeof(text), "%u.%u", static_cast<unsigned>(version >> 8),
                static_cast<unsigned>(version & 0xff));
  return text;
}

std::string Supported() {
  std::string text;
#define DYNACC_CPYTHON(major, minor) \
  text += (text.empty() ? "" : ", ") + Text(VersionOf(major, minor));
#include "frontend/cpython/versions.def"
#undef DYNACC_CPYTHON
  return text;
}

bool IsThere(const char* symbol) { return dlsym(RTLD_DEFAULT, symbol) != nullptr; }

std::string Misfit(const std::string& what) {
  return "this is " + what + "; DynaCC supports CPython " + Supported() +
         " with the GIL and without Py_DEBUG, and this is its build for " + Text(kBuiltFor);
}

}  // namespace

std::string PythonMisfit() {
  const auto* version = static_cast<const unsigned long*>(dlsym(RTLD_DEFAULT, "Py_Version"));
  if (version == nullptr) return Misfit("no CPython of 3.11 or later");
  const unsigned long running = *version >> 16;
  if (running != kBuiltFor) return Misfit("CPython " + Text(running));
  // Functions that only such builds have.
  if (IsThere("_Py_MergeZeroLocalRefcount")) return Misfit("a free-threaded build of CPython");
  if (IsThere("_Py_NegativeRefcount")) return Misfit("a debug build of CPython");
  return "";
}

}  // namespace dynacc
