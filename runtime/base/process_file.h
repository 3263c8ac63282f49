// Files that each process of a program gets of its own.
#pragma once

#include <string>

namespace dynacc {

// The file that `path`, an option's value, means for this process: with a / at its end it is a
// folder, which has a file "PID.json" of each process; else that file itself.
std::string FileOfProcess(const std::string& path);

}  // namespace dynacc
