// Listening to CPython's audit events, as long as somebody wants them and no longer.
//
// While any hook is there CPython makes a tuple of each event's arguments, and of each .pyc file
// that it reads a copy: importing NumPy takes 1 ms longer. PySys_AddAuditHook is for good, and an
// event that a program's hooks see and may refuse. Ours stands in the runtime's list only while
// there are listeners, and coming and going makes no event.
//
// All under the GIL.
#pragma once

#include <Python.h>

namespace dynacc {

// Cannot refuse an event, but may begin or stop listening.
using AuditListener = void (*)(const char* event, PyObject* args);

// `listener` is called for each event until StopListening. No-ops if that is so already.
void ListenToAudit(AuditListener listener);
void StopListening(AuditListener listener);

// The runtime has ended: nobody listens.
void ForgetAuditHook();

}  // namespace dynacc
