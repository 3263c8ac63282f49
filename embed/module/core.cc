#include "embed/module/core.h"

#include "absl/strings/str_cat.h"
#include "embed/module/info.h"
#include "embed/module/module.h"
#include "embed/module/start.h"
#include "frontend/cpython/audit.h"
#include "runtime/base/log.h"

namespace dynacc {
namespace {

void Start(bool deferred) {
  if (deferred) LetHostPassAuditEvents();
  const absl::Status status = StartFromEnvironment(Policy::kHot, /*host_stops=*/deferred);
  if (!status.ok()) WarnOnce("start", absl::StrCat("running as plain python3: ", status.message()));
}

void PrintInfo(std::FILE* file) { std::fputs(InfoText().c_str(), file); }

constexpr Core kCore = {Start, StopCapture, PassAuditEvent, PyInit__dynacc, PrintInfo};

}  // namespace
}  // namespace dynacc

const dynacc::Core* DynaccCore() { return &dynacc::kCore; }
