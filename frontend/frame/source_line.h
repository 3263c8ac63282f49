// Lines of the user's program, for logs and errors.
#pragma once

#include <Python.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace dynacc::frame {

// Line `line` (from 1) of the file, without blanks around it; "" if there is none. Reads the file;
// the cells of a notebook are no files, and come from the module linecache where a program has
// imported it. Needs the GIL, and that no exception is set.
std::string SourceLine(const std::string& path, int line);

// "f (prog.py:12)".
std::string CodeLabel(PyCodeObject* code, int line);

// A line that a function was at.
struct CodePlace {
  std::string file;
  std::string function;  // its qualified name
  int line = 0;

  bool operator==(const CodePlace&) const = default;
};

// Lines under a message about `places`, the innermost first, then those that called it: the
// innermost line's text, and "in f, called by g (prog.py:12), by h (prog.py:30)" if there are
// calls. Each line begins with `indent`; "" if there is nothing to say.
std::string DescribePlaces(absl::Span<const CodePlace> places, absl::string_view indent);

}  // namespace dynacc::frame
