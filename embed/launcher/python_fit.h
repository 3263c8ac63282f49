// Whether the interpreter of a process is one that the launcher's libraries are compiled for.
#pragma once

#include <string>

namespace dynacc {

// Asks the loader alone, so that it may be called before the interpreter is initialised. Empty, or
// what the interpreter is and which versions are supported, as a clause: "this is CPython 3.12;
// ...".
std::string PythonMisfit();

}  // namespace dynacc
