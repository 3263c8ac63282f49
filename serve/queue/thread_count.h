// ThreadCount: how many threads are still at work, for a server that ends.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "serve/model/model.h"

namespace dynacc::queue {

class ThreadCount : public std::enable_shared_from_this<ThreadCount> {
 public:
  // Runs `body` on a thread of its own, which nobody joins: a model that never returns must not
  // keep others waiting.
  void Start(std::function<void()> body);
  // Whether all threads ended by then.
  bool WaitUntil(model::Clock::time_point deadline);

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  int count_ = 0;
};

}  // namespace dynacc::queue
