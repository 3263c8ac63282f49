#include "serve/queue/thread_count.h"

#include <thread>
#include <utility>

namespace dynacc::queue {

void ThreadCount::Start(std::function<void()> body) {
  {
    const std::lock_guard lock(mutex_);
    ++count_;
  }
  std::thread([self = shared_from_this(), body = std::move(body)]() mutable {
    body();
    body = nullptr;  // what it holds dies before the thread counts as ended
    const std::lock_guard lock(self->mutex_);
    --self->count_;
    self->ended_.notify_all();
  }).detach();
}

bool ThreadCount::WaitUntil(model::Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return ended_.wait_until(lock, deadline, [&] { return count_ == 0; });
}

}  // namespace dynacc::queue
