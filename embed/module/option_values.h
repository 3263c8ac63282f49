// Values of options (runtime/base/options.def) as Python objects.
//
// A Flag is a bool, a Count an int, a Text and a Path a str; None of a Count means its default.
// Every pass and fusion rule is a Flag, too, by its name with "_" for "-": whether it is on.
#pragma once

#include <Python.h>

#include "runtime/base/options.h"

namespace dynacc {

// Adds the value of an option of one compilation. False with an exception set: TypeError for a
// value of another type; ValueError for a name that there is not, with the nearest one, and for a
// value that means nothing.
bool ParseOption(const char* name, PyObject* value, OptionOverrides& overrides);

// A list of (name, kind, scope, variable, documentation, value) of the process's options, passes
// and fusion rules; the variable of the latter two is "", a scope "start", "process" or
// "compilation". A new reference, or null with an exception set.
PyObject* ListOptions();

// Sets an option of the process; as ParseOption, and ValueError for one that the start fixes.
bool SetProcessOption(const char* name, PyObject* value);

}  // namespace dynacc
