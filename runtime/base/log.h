// Logging by topic (log_topics.def), switched on by DYNACC_LOGS=graph,+kernels.
//
//   if (LogEnabled(LogTopic::kGraph)) Log(LogTopic::kGraph, absl::StrCat(...));
//
// A message is written to stderr in one piece with the prefix "dynacc[topic] " on each line.
// Thread-safe. When nothing is enabled LogEnabled is one load and a test.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace dynacc {

enum class LogTopic : uint8_t {
#define DYNACC_LOG_TOPIC(name, text, doc) k##name,
#include "runtime/base/log_topics.def"
#undef DYNACC_LOG_TOPIC
  kCount,
};

// Detail asked for a topic: 0 off, 1 on, 2 for "+topic".
int LogLevel(LogTopic topic);
inline bool LogEnabled(LogTopic topic, int level = 1) { return LogLevel(topic) >= level; }

// Sets the levels from a DYNACC_LOGS value; topics that it does not name are off. An unknown topic
// is named in the error, together with the known ones; the valid ones are set all the same.
absl::Status ConfigureLogs(absl::string_view spec);

void Log(LogTopic topic, absl::string_view message);

// A message that the user must see whatever the topics: a fallback, a damaged cache. Printed as
// "dynacc: warning: ...", once for each distinct `key` in the life of the process.
void WarnOnce(absl::string_view key, absl::string_view message);

// Where messages go instead of stderr; an empty function restores stderr. For hosts and tests.
void SetLogSink(std::function<void(absl::string_view line)> sink);
bool HasLogSink();

}  // namespace dynacc
