// NameError and UnboundLocalError as CPython's loop raises them.
#pragma once

#include "frontend/fallback/step.h"

namespace dynacc::fallback {

// "name '...' is not defined", with the exception's `name` set for suggestions.
StepOutcome RaiseUndefinedName(BorrowedRef name);

// An unbound local: UnboundLocalError.
StepOutcome RaiseUnboundLocal(const Step& step, int index);

// An empty cell: UnboundLocalError if it is the function's own, NameError if it is free.
StepOutcome RaiseUnboundCell(const Step& step, int index);

}  // namespace dynacc::fallback
