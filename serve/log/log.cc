#include "serve/log/log.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <string>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "runtime/base/file_descriptor.h"

namespace dynacc::log {
namespace {

constexpr const char* kNames[] = {"debug", "info", "warning", "error"};
std::atomic<Level> threshold = Level::kInfo;

}  // namespace

std::optional<Level> ParseLevel(absl::string_view name) {
  const auto found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<Level>(found - std::begin(kNames));
}

void SetLevel(Level level) { threshold = level; }

bool IsOn(Level level) { return level >= threshold.load(std::memory_order_relaxed); }

void Write(Level level, absl::string_view event, const Json& fields) {
  if (!IsOn(level)) return;
  Json line;
  line["time"] = absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", absl::Now(), absl::UTCTimeZone());
  line["level"] = kNames[static_cast<int>(level)];
  line["event"] = std::string(event);
  line.update(fields);
  // One write, so that lines of several threads do not mix. A log that cannot be written is no
  // reason to stop.
  WriteAll(STDERR_FILENO, JsonText(line) + "\n");
}

}  // namespace dynacc::log
