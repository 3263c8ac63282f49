#include "embed/launcher/virtual_env.h"

#include <Python.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace dynacc {
namespace {

namespace fs = std::filesystem;

bool Exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// The file that the shell ran for `argv0`, links not resolved, as CPython's getpath.py finds it.
fs::path StartedFile(const char* argv0) {
  const std::string name = argv0 == nullptr ? "" : argv0;
  if (name.find('/') != std::string::npos) return name;
  const char* search = std::getenv("PATH");
  std::istringstream folders(search == nullptr ? "" : search);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return name;
}

bool InsideEnvironment(const fs::path& file) {
  const fs::path folder = fs::absolute(file).parent_path();
  return Exists(folder / "pyvenv.cfg") || Exists(folder.parent_path() / "pyvenv.cfg");
}

}  // namespace

// Without /proc, in some containers, the kernel still tells how the program was started.
std::string OwnPath() {
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  if (!error) return own.string();
  const auto* const started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return started == nullptr ? "" : fs::canonical(started, error).string();
}

std::optional<std::string> ActivePython(const char* argv0) {
  const char* variable = std::getenv("VIRTUAL_ENV");
  if (variable == nullptr || *variable == '\0') return std::nullopt;
  const fs::path environment = variable;
  const fs::path python = environment / "bin" / "python";
  const std::string version =
      "python" + std::to_string(PY_MAJOR_VERSION) + "." + std::to_string(PY_MINOR_VERSION);
  const bool usable =
      Exists(environment / "pyvenv.cfg") && Exists(python) && Exists(environment / "lib" / version);
  if (!usable || InsideEnvironment(StartedFile(argv0))) return std::nullopt;
  return python.string();
}

}  // namespace dynacc
