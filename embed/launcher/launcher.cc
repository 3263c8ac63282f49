// dynacc-python: replaces itself by the stock python3 with libdynacc_start.so in it
// (hosted_main.cc). The process stays the same; no other is started.
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "embed/launcher/hosted_variables.h"
#include "embed/launcher/virtual_env.h"

namespace dynacc {
namespace {

constexpr char kPythonName[] = "python" DYNACC_PYTHON_VERSION;

// Where the library is, seen from the launcher: a build folder, an installation, a wheel's (in a
// virtual environment, and below Debian's /usr/local).
constexpr const char* kFolders[] = {
    "/",
    "/../" DYNACC_LIBRARY_FOLDER "/",
    "/../lib/python" DYNACC_PYTHON_VERSION "/site-packages/dynacc/",
    "/../lib/python" DYNACC_PYTHON_VERSION "/dist-packages/dynacc/",
};

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

// "" if it is in none of these. The loader takes a blank or a colon in LD_PRELOAD for the end of a
// name.
std::string StartLibrary(const std::string& launcher) {
  for (const char* below : kFolders) {
    const std::string path = FolderOf(launcher) + below + DYNACC_START_FILE;
    if (access(path.c_str(), R_OK) == 0 && path.find_first_of(" :") == std::string::npos)
      return path;
  }
  return "";
}

// An executable that is no script: the library must not be loaded into the shell of one.
bool IsProgram(const std::string& path) {
  if (access(path.c_str(), X_OK) != 0) return false;
  char start[4] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof start);
  return std::memcmp(start,
                     "\x7f"
                     "ELF",
                     sizeof start) == 0;
}

// The interpreter that the launcher becomes. A wheel lies beside the one that it was installed for,
// which need not be the one that it was built for: a virtual environment's, pyenv's, conda's. One
// that was installed for a user alone has none beside it.
std::string Python(const std::string& launcher) {
  const std::string beside = FolderOf(launcher) + "/" + kPythonName;
  if (IsProgram(beside)) return beside;
  if (IsProgram(DYNACC_PYTHON)) return DYNACC_PYTHON;
  const char* search = std::getenv("PATH");
  std::istringstream folders(search == nullptr ? "" : search);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string found = folder + "/" + kPythonName;
    if (IsProgram(found)) return found;
  }
  return DYNACC_PYTHON;  // whose absence is reported
}

void PutIntoEnvironment(const std::string& library, const char* argv0) {
  std::string preload = library;
  if (const char* users = std::getenv("LD_PRELOAD")) {
    setenv(kUsersPreload, users, 1);
    preload += std::string(":") + users;
  }
  setenv("LD_PRELOAD", preload.c_str(), 1);
  setenv(kLauncherPath, OwnPath().c_str(), 1);
  if (const std::optional<std::string> python = ActivePython(argv0))
    setenv(kEnvironmentPython, python->c_str(), 1);
}

int Launch(char** argv) {
  const std::string library = StartLibrary(OwnPath());
  // The loader preloads nothing for a program that has others' rights.
  const bool is_secure = getauxval(AT_SECURE) != 0;
  if (is_secure) {
    std::fprintf(stderr,
                 "dynacc: warning: running as plain python3: the launcher is a setuid file\n");
  } else if (library.empty()) {
    std::fprintf(stderr, "dynacc: warning: running as plain python3: no %s beside %s\n",
                 DYNACC_START_FILE, OwnPath().c_str());
  } else {
    PutIntoEnvironment(library, argv[0]);
  }
  const std::string python = Python(OwnPath());
  execv(python.c_str(), argv);
  std::fprintf(stderr, "dynacc: cannot run %s: %s\n", python.c_str(), std::strerror(errno));
  return 127;
}

}  // namespace
}  // namespace dynacc

int main(int, char** argv) { return dynacc::Launch(argv); }
