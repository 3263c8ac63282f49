// Lines of the user's program, for logs.
#pragma once

#include <Python.h>

#include <string>

namespace dynacc::frame {

// Line `line` (from 1) of the file, without blanks around it; "" if there is none. Reads the file.
std::string SourceLine(const std::string& path, int line);

// "f (prog.py:12)".
std::string CodeLabel(PyCodeObject* code, int line);

}  // namespace dynacc::frame
