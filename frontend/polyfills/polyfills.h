// Python functions that are traced in place of C functions of the standard library (polyfills.def,
// functions.py). A C function's effects and calls cannot be followed; what it is documented to do
// can, once it is said in Python.
#pragma once

#include "frontend/cpython/ref.h"

namespace dynacc::polyfills {

// The function that stands for `callable`, the genuine one; null if none does. Makes the functions
// when it is the first that is found.
BorrowedRef PolyfillFor(BorrowedRef callable);

// A function of functions.py, by its name there.
BorrowedRef Polyfill(const char* name);

// What `name` means in functions.py if `globals` is its namespace, else null. It never changes.
BorrowedRef NameInPolyfills(BorrowedRef globals, BorrowedRef name);

// Loops in polyfills are unrolled up to this many iterations.
inline constexpr int kMaxPolyfillUnroll = 256;
bool IsPolyfillNamespace(BorrowedRef globals);

// A function of functions.py that is called to give up: its caller's caller then calls the C
// function itself.
inline constexpr char kLeave[] = "leave";

}  // namespace dynacc::polyfills
