#include "frontend/cpython/audit.h"

#include <array>
#include <cstddef>

#include "runtime/base/check.h"

namespace dynacc {
namespace {

bool g_host_passes = false;
std::array<AuditListener, 4> g_listeners = {};
size_t g_count = 0;

}  // namespace

absl::Status ListenToAudit(AuditListener listener) {
  if (g_host_passes) {
    DYNACC_CHECK(g_count < g_listeners.size()) << "too many listeners";
    g_listeners[g_count++] = listener;
    return absl::OkStatus();
  }
  if (PySys_AddAuditHook(listener, nullptr) >= 0) return absl::OkStatus();
  PyErr_Clear();
  return absl::PermissionDeniedError("an audit hook refuses DynaCC's");
}

void LetHostPassAuditEvents() { g_host_passes = true; }

int PassAuditEvent(const char* event, PyObject* args) {
  for (size_t i = 0; i < g_count; ++i) {
    if (g_listeners[i](event, args, nullptr) < 0) return -1;
  }
  return 0;
}

}  // namespace dynacc
