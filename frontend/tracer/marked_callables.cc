#include "frontend/tracer/marked_callables.h"

namespace dynacc::tracer {
namespace {

CallableMarkFunction g_function = nullptr;  // under the GIL

}  // namespace

void SetCallableMarks(CallableMarkFunction function) { g_function = function; }

CallableMark MarkOfCallable(BorrowedRef object) {
  return g_function == nullptr ? CallableMark::kNone : g_function(object);
}

}  // namespace dynacc::tracer
