// The same for sources that see CPython, whose header wants to be the first.
#include <Python.h>
//
#include "runtime/precompiled.h"
