// The trace file (DYNACC_TRACE=FILE): what DynaCC does, as events in Chrome's format, for
// ui.perfetto.dev and chrome://tracing.
//
//   TraceSpan span("compile");
//   if (span) span.Begin(label);
//
// The format is the "JSON Array Format" of Google's document "Trace Event Format". The file is one
// complete array after every event, so it can be read while the program runs and after it was
// killed; the kernel has what was written. An event costs one write of some hundred bytes; without
// a file TraceSpan is one load and a test. Thread-safe. A forked child writes nothing: the file is
// its parent's.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/base/json_text.h"

namespace dynacc {

enum class TraceLevel : int {
  kOff = 0,
  kWork = 1,  // traces, compiles, loads, breaks
  kRuns = 2,  // also every run of a segment
};

namespace trace_internal {
extern std::atomic<int> level;
}

inline bool Tracing(TraceLevel level = TraceLevel::kWork) {
  return trace_internal::level.load(std::memory_order_relaxed) >= static_cast<int>(level);
}

inline constexpr int64_t kDefaultTraceBytes = int64_t{1} << 30;

// Makes the file, replacing one that is there, and begins. UNAVAILABLE and the like if it cannot be
// written. With a file open already: ends that one first. The event that would make it larger than
// `most_bytes` ends tracing, which is said on stderr.
absl::Status OpenTrace(const std::string& path, TraceLevel level,
                       int64_t most_bytes = kDefaultTraceBytes);

// Ends tracing. The file is complete already.
void CloseTrace();

// Something that happened at one moment. `arguments`: a JSON object that says more.
void TraceMoment(absl::string_view category, absl::string_view name);
void TraceMoment(absl::string_view category, absl::string_view name, const Json& arguments);

// One thing that takes time on this thread, from Begin to the destructor. Spans of a thread nest.
class TraceSpan {
 public:
  // `category` is a literal. The span is false if nothing of that level is traced: then there is no
  // need for a name.
  explicit TraceSpan(const char* category, TraceLevel level = TraceLevel::kWork)
      : category_(Tracing(level) ? category : nullptr) {}
  ~TraceSpan() {
    if (begun_) End();
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;
  explicit operator bool() const { return category_ != nullptr; }

  // Written at once, so that a crash shows what was going on. Call at most once.
  void Begin(absl::string_view name);
  // What became of it, as in TraceMoment; shown with the end. No effect before Begin.
  void SetArguments(const Json& arguments);

 private:
  void End();

  const char* category_;
  bool begun_ = false;
  std::string name_;
  std::shared_ptr<const Json> arguments_;  // null: none
};

}  // namespace dynacc
