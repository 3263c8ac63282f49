// Memory that is kept for when there is none.
//
// A failed allocation in the middle of a container leaves it broken (Abseil's hash tables), so it is
// too late to catch std::bad_alloc there. operator new asks this reserve first: it lets go of a block
// and tries again. What then needs memory is a stretch of code away from places where it can be
// given up: a trace, a compile, a run.
#pragma once

namespace dynacc {

// Allocates the reserve, and has operator new of the library that this is linked into use it. For
// libraries with an operator new of their own; a handler that a program has set stays.
void HoldMemoryReserve();

// Allocates what has been let go, if there is memory now. Before work that may need it; an atomic
// load if nothing is missing.
void RefillMemoryReserve();

// Whether something of it is missing: no time to begin anything that can be left undone.
bool MemoryIsShort();

}  // namespace dynacc
