// dynacc-python: replaces itself by the stock python3.11 with libdynacc_start.so in it
// (hosted_main.cc). The process stays the same; no other is started.
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "embed/launcher/hosted_variables.h"
#include "embed/launcher/virtual_env.h"

namespace dynacc {
namespace {

// Where the library is, seen from the launcher: a build folder, an installation, a wheel's (in a
// virtual environment, and below Debian's /usr/local).
constexpr const char* kFolders[] = {
    "/",
    "/../" DYNACC_LIBRARY_FOLDER "/",
    "/../lib/python3.11/site-packages/dynacc/",
    "/../lib/python3.11/dist-packages/dynacc/",
};

// "" if it is in none of these. The loader takes a blank or a colon in LD_PRELOAD for the end of a
// name.
std::string StartLibrary(const std::string& launcher) {
  const std::string folder = launcher.substr(0, launcher.rfind('/'));
  for (const char* below : kFolders) {
    const std::string path = folder + below + DYNACC_START_FILE;
    if (access(path.c_str(), R_OK) == 0 && path.find_first_of(" :") == std::string::npos)
      return path;
  }
  return "";
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
  execv(DYNACC_PYTHON, argv);
  std::fprintf(stderr, "dynacc: cannot run %s: %s\n", DYNACC_PYTHON, std::strerror(errno));
  return 127;
}

}  // namespace
}  // namespace dynacc

int main(int, char** argv) { return dynacc::Launch(argv); }
