#include "runtime/base/log.h"

#include <array>
#include <atomic>
#include <cstdio>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"

namespace dynacc {
namespace {

constexpr int kTopics = static_cast<int>(LogTopic::kCount);

constexpr const char* kNames[kTopics] = {
#define DYNACC_LOG_TOPIC(name, text, doc) text,
#include "runtime/base/log_topics.def"
#undef DYNACC_LOG_TOPIC
};

std::array<std::atomic<int>, kTopics> levels;

struct Sink {
  absl::Mutex mutex;
  std::function<void(absl::string_view)> write;
  absl::flat_hash_set<std::string> warned;
};

Sink& GlobalSink() {
  static Sink& sink = *new Sink;
  return sink;
}

void Write(Sink& sink, const std::string& text) {
  if (sink.write) {
    sink.write(text);
  } else {
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
}

}  // namespace

int LogLevel(LogTopic topic) {
  return levels[static_cast<int>(topic)].load(std::memory_order_relaxed);
}

absl::Status ConfigureLogs(absl::string_view spec) {
  std::string unknown;
  for (std::atomic<int>& level : levels) level = 0;
  for (absl::string_view word : absl::StrSplit(spec, ',', absl::SkipWhitespace())) {
    const int level = word[0] == '+' ? 2 : 1;
    if (level == 2) word.remove_prefix(1);
    bool found = false;
    for (int i = 0; i < kTopics; ++i) {
      if (word == kNames[i]) {
        levels[i] = level;
        found = true;
      }
    }
    if (!found) absl::StrAppend(&unknown, unknown.empty() ? "" : ", ", word);
  }
  if (unknown.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("DYNACC_LOGS: no topic named ", unknown,
                                                 "; there are ", absl::StrJoin(kNames, ", "),
                                                 "; ignored"));
}

void Log(LogTopic topic, absl::string_view message) {
  std::string text;
  for (absl::string_view line : absl::StrSplit(absl::StripSuffix(message, "\n"), '\n')) {
    absl::StrAppend(&text, "dynacc[", kNames[static_cast<int>(topic)], "] ", line, "\n");
  }
  Sink& sink = GlobalSink();
  absl::MutexLock lock(&sink.mutex);
  Write(sink, text);
}

void WarnOnce(absl::string_view key, absl::string_view message) {
  Sink& sink = GlobalSink();
  absl::MutexLock lock(&sink.mutex);
  if (!sink.warned.insert(std::string(key)).second) return;
  Write(sink, absl::StrCat("dynacc: warning: ", message, "\n"));
}

void SetLogSink(std::function<void(absl::string_view)> sink_function) {
  Sink& sink = GlobalSink();
  absl::MutexLock lock(&sink.mutex);
  sink.write = std::move(sink_function);
}

bool HasLogSink() {
  Sink& sink = GlobalSink();
  absl::MutexLock lock(&sink.mutex);
  return sink.write != nullptr;
}

}  // namespace dynacc
