#include "embed/module/core.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "embed/module/heap_policy.h"
#include "embed/module/info.h"
#include "embed/module/module.h"
#include "embed/module/start.h"
#include "runtime/base/log.h"
#include "runtime/base/memory_reserve.h"
#include "runtime/base/options.h"

namespace dynacc {
namespace {

void Start(Core::When when) {
  HostDuties host;
  host.stops = when != Core::When::kAtStart;
  host.main_body_is_next = when != Core::When::kInTheMiddle;
  if (!ProcessOptions().disable) {
    KeepFreedMemory();
    HoldMemoryReserve();
  }
  const absl::Status status = StartFromEnvironment(capture::Policy::kHot, host);
  if (!status.ok()) WarnOnce("start", absl::StrCat("running as plain python3: ", status.message()));
}

bool Answer(const char* option, std::FILE* file) {
  const std::optional<std::string> text = AnswerTo(option);
  if (text) std::fputs(text->c_str(), file);
  return text.has_value();
}

constexpr Core kCore = {Start, capture::StopCapture, PyInit__dynacc, Answer};

}  // namespace
}  // namespace dynacc

const dynacc::Core* DynaccCore() { return &dynacc::kCore; }
