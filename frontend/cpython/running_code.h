// Which code the frames of all threads are running.
#pragma once

#include <Python.h>

namespace dynacc {

// Whether a linked frame of any thread of the current interpreter runs `code`. The frame that an
// evaluator was just called for is not linked yet. Needs the GIL; takes as long as all stacks are
// deep.
bool AnyFrameRuns(const PyCodeObject* code);

}  // namespace dynacc
