#include "frontend/cpython/audit.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "frontend/cpython/layout.h"
#include "runtime/base/check.h"

namespace dynacc {
namespace {

std::array<AuditListener, 4> g_listeners = {};
size_t g_count = 0;

// In the runtime's list, if g_linked. CPython reads its `next` after the call, so it is never freed
// by us; what is still in the list when the runtime ends is freed by CPython as
// PySys_AddAuditHook's own are, so it comes from the same allocator.
_Py_AuditHookEntry* g_entry = nullptr;
bool g_linked = false;

int PassEvent(const char* event, PyObject* args, void*) {
  const std::array<AuditListener, 4> listeners = g_listeners;
  const size_t count = g_count;
  for (size_t i = 0; i < count; ++i) listeners[i](event, args);
  return 0;
}

void Link() {
  if (g_entry == nullptr)
    g_entry = static_cast<_Py_AuditHookEntry*>(PyMem_RawMalloc(sizeof(_Py_AuditHookEntry)));
  DYNACC_CHECK(g_entry != nullptr) << "no memory for an audit hook";
  *g_entry = {*AuditHooks(), PassEvent, nullptr};
  *AuditHooks() = g_entry;
  g_linked = true;
}

void Unlink() {
  _Py_AuditHookEntry** place = AuditHooks();
  while (*place != nullptr && *place != g_entry) place = &(*place)->next;
  if (*place != nullptr) *place = g_entry->next;
  g_linked = false;
}

}  // namespace

void ListenToAudit(AuditListener listener) {
  AuditListener* const end = g_listeners.data() + g_count;
  if (std::find(g_listeners.data(), end, listener) != end) return;
  DYNACC_CHECK(g_count < g_listeners.size()) << "too many listeners";
  g_listeners[g_count++] = listener;
  if (!g_linked) Link();
}

void StopListening(AuditListener listener) {
  AuditListener* const end = g_listeners.data() + g_count;
  AuditListener* const place = std::find(g_listeners.data(), end, listener);
  if (place == end) return;
  *place = *(end - 1);
  if (--g_count == 0 && g_linked) Unlink();
}

void ForgetAuditHook() {
  g_entry = nullptr;
  g_linked = false;
  g_count = 0;
}

}  // namespace dynacc
