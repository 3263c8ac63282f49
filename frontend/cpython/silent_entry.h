// SilentEntry: entering CPython's loop with throwflag without a "call" event.
//
// For a throw into a generator the loop reports a call to trace and profile functions. A frame that
// we hand over with an exception has been running already: no call happens. While a SilentEntry
// lives, the thread's trace and profile functions are stand-ins that swallow that one event and put
// the real ones back.
#pragma once

#include <Python.h>

namespace dynacc {

class SilentEntry {
 public:
  explicit SilentEntry(PyThreadState* thread);
  ~SilentEntry();
  SilentEntry(const SilentEntry&) = delete;
  SilentEntry& operator=(const SilentEntry&) = delete;

 private:
  PyThreadState* thread_;
};

}  // namespace dynacc
