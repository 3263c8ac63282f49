// Python functions that are traced in place of C functions of the standard library (stand_ins.def,
// functions.py). A C function's effects and calls cannot be followed; what it is documented to do
// can, once it is said in Python.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc {

// The function that stands for `callable`, the genuine one; null if none does. Makes the functions
// when it is the first that is found.
BorrowedRef StandInFor(BorrowedRef callable);

// A function of functions.py, by its name there.
BorrowedRef StandIn(const char* name);

// Calls a stand-in. A generator that it gives becomes an iterator about which no more is known.
absl::StatusOr<Value*> CallStandIn(Tracer& tracer, BorrowedRef function, std::vector<Value*> args,
                                   Keywords keywords = {});

// What `name` means in functions.py if `globals` is its namespace, else null. It never changes.
BorrowedRef NameInStandIns(BorrowedRef globals, BorrowedRef name);

// Loops in stand-ins are unrolled up to this many iterations.
inline constexpr int kMaxStandInUnroll = 256;
bool IsStandInNamespace(BorrowedRef globals);

}  // namespace dynacc
