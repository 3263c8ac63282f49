// Memory that is kept for when there is none.
//
// An allocation that fails inside a container leaves it broken (Abseil's hash tables), so that to
// catch std::bad_alloc later is too late. Therefore operator new lets go of a block of this reserve
// and tries again. So work that has begun can end, and no trace begins until the reserve is whole.
#pragma once

namespace dynacc {

// Allocates the reserve, and has operator new of the library that this is linked into use it. For
// libraries with an operator new of their own; a handler that a program has set stays.
void HoldMemoryReserve();

// Allocates what has been let go, if there is memory now. Before work that may need it; an atomic
// load if nothing is missing. Any thread may call these, at any time.
void RefillMemoryReserve();

// Whether something of it is missing: no time to begin anything that can be left undone.
bool MemoryIsShort();

}  // namespace dynacc
