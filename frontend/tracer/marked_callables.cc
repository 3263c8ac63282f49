#include "frontend/tracer/marked_callables.h"

namespace dynacc::tracer {
namespace {

MarkedCallableReason g_reason = nullptr;  // under the GIL

}  // namespace

void SetMarkedCallables(MarkedCallableReason reason) { g_reason = reason; }

absl::string_view ReasonOfMarked(BorrowedRef object) {
  return g_reason == nullptr ? absl::string_view() : g_reason(object);
}

}  // namespace dynacc::tracer
