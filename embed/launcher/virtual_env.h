// Which virtual environment the launcher runs in.
#pragma once

#include <optional>
#include <string>

namespace dynacc {

// The path of this process's own binary.
std::string OwnPath();

// The python of the environment that $VIRTUAL_ENV names, if the launcher must be told of it: the
// variable is set, the environment is one for this CPython version, and the launcher was not itself
// started from inside an environment (a link venv/bin/x to it finds its own pyvenv.cfg).
std::optional<std::string> ActivePython(const char* argv0);

}  // namespace dynacc
