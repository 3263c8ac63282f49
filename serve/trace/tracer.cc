#include "serve/trace/tracer.h"

#include <chrono>
#include <random>
#include <utility>

#include "serve/log/log.h"

namespace dynacc::trace {
namespace {

constexpr size_t kMostWaiting = 8192;
constexpr size_t kBatch = 512;
constexpr std::chrono::milliseconds kPause{500};

}  // namespace

int64_t UnixNanoseconds(std::chrono::steady_clock::time_point moment) {
  const auto ago = std::chrono::steady_clock::now() - moment;
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch() - ago)
      .count();
}

Tracer::Tracer(int percent, Send send)
    : percent_(percent), send_(std::move(send)), thread_([this] { Work(); }) {}

Tracer::~Tracer() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  arrival_.notify_one();
  thread_.join();
}

std::optional<Span> Tracer::Begin(std::string name, absl::string_view traceparent) const {
  const std::optional<Context> parent = ParseTraceparent(traceparent);
  if (parent) {
    if (!parent->is_sampled) return std::nullopt;
  } else {
    static thread_local std::minstd_rand random{std::random_device()()};
    constexpr int kAll = 100;
    if (std::uniform_int_distribution<int>(0, kAll - 1)(random) >= percent_) return std::nullopt;
  }
  Span span;
  span.name = std::move(name);
  span.is_server = true;
  span.context.trace = parent ? parent->trace : NewTraceId();
  span.context.span = NewSpanId();
  if (parent) span.parent = parent->span;
  span.start = UnixNanoseconds(std::chrono::steady_clock::now());
  return span;
}

void Tracer::Finish(std::vector<Span> spans) {
  const std::lock_guard lock(mutex_);
  for (Span& span : spans) {
    if (waiting_.size() < kMostWaiting) {
      waiting_.push_back(std::move(span));
    } else {
      ++dropped_;
    }
  }
  if (waiting_.size() >= kBatch) arrival_.notify_one();
}

void Tracer::Work() {
  std::unique_lock lock(mutex_);
  bool had_failed = false;
  while (!is_stopped_ || !waiting_.empty()) {
    if (!is_stopped_) {
      arrival_.wait_for(lock, kPause, [&] { return is_stopped_ || waiting_.size() >= kBatch; });
    }
    if (waiting_.empty()) continue;
    const std::vector<Span> spans = std::exchange(waiting_, {});
    const uint64_t dropped = std::exchange(dropped_, 0);
    lock.unlock();
    const absl::Status status = send_(spans);
    if (!status.ok() && !had_failed) {  // once, until it works again
      log::Write(log::Level::kWarning, "spans not sent",
                 {{"reason", std::string(status.message())}, {"spans", spans.size()}});
    }
    if (dropped > 0) log::Write(log::Level::kWarning, "spans dropped", {{"spans", dropped}});
    had_failed = !status.ok();
    lock.lock();
  }
}

}  // namespace dynacc::trace
