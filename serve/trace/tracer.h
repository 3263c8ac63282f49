// Tracer: says which requests are traced, and hands their spans on, from a thread of its own.
//
// Requests never wait for a collector: spans wait in a list of bounded length, beyond which they
// are dropped and counted.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "serve/trace/span.h"

namespace dynacc::trace {

// Takes spans somewhere, on the tracer's thread.
using Send = std::function<absl::Status(const std::vector<Span>& spans)>;

class Tracer {
 public:
  // `percent`: of the requests that come without a trace of the client's; those with one are traced
  // if it says so.
  Tracer(int percent, Send send);
  // Sends what is there.
  ~Tracer();

  // A span that begins now, for a request with that header (empty: none); nothing if it is not
  // traced.
  std::optional<Span> Begin(std::string name, absl::string_view traceparent) const;

  void Finish(std::vector<Span> spans);

 private:
  void Work();

  const int percent_;
  const Send send_;
  std::mutex mutex_;
  std::condition_variable arrival_;
  std::vector<Span> waiting_;
  uint64_t dropped_ = 0;
  bool is_stopped_ = false;
  std::thread thread_;
};

// A moment of a steady clock as nanoseconds since 1970.
int64_t UnixNanoseconds(std::chrono::steady_clock::time_point moment);

}  // namespace dynacc::trace
