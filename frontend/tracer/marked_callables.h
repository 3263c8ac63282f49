// Callables that dynacc.compile and dynacc.disable have made, as the tracer meets them in a
// program.
//
// What is called so runs by rules of its own, so no trace goes through it: the segment ends there.
#pragma once

#include <cstdint>

#include "frontend/cpython/ref.h"

namespace dynacc::tracer {

enum class CallableMark : uint8_t { kNone, kCompiled, kDisabled };
using CallableMarkFunction = CallableMark (*)(BorrowedRef object);

// Under the GIL. Who makes such callables says how they are known, before the first of them.
void SetCallableMarks(CallableMarkFunction function);
CallableMark MarkOfCallable(BorrowedRef object);

}  // namespace dynacc::tracer
