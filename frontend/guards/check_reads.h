// What the checks of guards depend on, for ReadSets.
//
// Beside its GuardCheck a kind may have a row in the table of check_reads.cc; one that has none is
// checked at every call.
#pragma once

#include "frontend/cpython/read_set.h"
#include "frontend/guards/guard.h"

namespace dynacc::guards {

// Adds what the check of `guard` depends on besides which object `value` is (null: absent). False
// if it has to be done each time.
[[nodiscard]] bool ReadCheck(const Guard& guard, BorrowedRef value, ReadSet& reads);

}  // namespace dynacc::guards
