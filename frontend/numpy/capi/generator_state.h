// The state of numpy.random's generators, kept so that draws can be undone.
#pragma once

#include "frontend/arrays/run_scope.h"

namespace dynacc::numpy {

// Notes in `scope` how `generator` (exactly a numpy.random.Generator or RandomState) gets back the
// state that it has now; nothing if that is noted already. False if the state cannot be kept, as
// while another thread draws: then nothing may be drawn. May leave an exception set.
bool KeepGeneratorState(BorrowedRef generator, arrays::RunScope& scope);

}  // namespace dynacc::numpy
