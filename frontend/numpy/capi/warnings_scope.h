// WarningsAs: what becomes of Python's warnings while it lives.
#pragma once

#include "frontend/cpython/ref.h"

namespace dynacc::numpy {

// A filter before all of the program's. With "error", a function that warns raises, and is left to
// the program; with "ignore" nothing comes of a warning.
class WarningsAs {
 public:
  explicit WarningsAs(const char* action);
  ~WarningsAs();
  WarningsAs(const WarningsAs&) = delete;
  WarningsAs& operator=(const WarningsAs&) = delete;

 private:
  Ref filters_;  // null if the module is not there
  Ref filter_;
};

}  // namespace dynacc::numpy
