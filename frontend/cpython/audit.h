// Listening to CPython's audit events.
//
// Adding a hook is itself an event that a program's hooks see, and may refuse. A host that added
// one before the interpreter started can pass its events on instead, and nothing shows.
#pragma once

#include <Python.h>

#include "absl/status/status.h"

namespace dynacc {

// A listener returns 0, or -1 with an exception set to refuse the event.
using AuditListener = int (*)(const char* event, PyObject* args, void* ignored);

// Calls `listener` for each event until the runtime ends. PERMISSION_DENIED if a hook refuses.
absl::Status ListenToAudit(AuditListener listener);

// From now on ListenToAudit adds no hook: the host calls PassAuditEvent for each event.
void LetHostPassAuditEvents();
// Calls all listeners; -1 as soon as one refuses. A listener that is added meanwhile is called,
// too.
int PassAuditEvent(const char* event, PyObject* args);

}  // namespace dynacc
