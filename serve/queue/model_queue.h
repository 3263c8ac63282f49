// ModelQueue: the requests for one loaded model, and the threads that run it.
//
// Requests wait by priority and, within one, in the order of their arrival. A thread takes the
// first one. If the model runs batches, the thread waits until the batch is full or the window of
// its first request is over, and takes the requests that can share its run. One thread at a time
// forms a batch, so that threads do not take each other's requests. If the run of a batch fails,
// its requests are run one by one: nobody fails for what another one sent.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "serve/metrics/metrics.h"
#include "serve/model/model.h"
#include "serve/model/settings.h"
#include "serve/queue/batch.h"
#include "serve/queue/thread_count.h"

namespace dynacc::queue {

// When a request's run was, and how many requests shared it.
struct RunTimes {
  model::Clock::time_point start = {}, end = {};  // the same: it was not run
  int64_t requests = 0;
};

struct Job {
  Tensors inputs;
  model::Clock::time_point deadline = model::kNever;
  uint32_t priority = 1;
  // Called once, on a thread of the queue's.
  std::function<void(absl::StatusOr<Tensors>)> done;
  std::shared_ptr<RunTimes> times;  // is filled in before `done`; null: nobody asks

  model::Clock::time_point queued = {};
  int64_t rows = -1;  // along the batch axis; -1: it shares its run with nobody
};

class ModelQueue : public std::enable_shared_from_this<ModelQueue> {
 public:
  // `metrics` must outlive the threads, which `threads` counts.
  static std::shared_ptr<ModelQueue> Start(std::shared_ptr<const model::Model> model,
                                           const model::Settings& settings, const Padding& padding,
                                           metrics::ModelMetrics& metrics,
                                           const std::shared_ptr<ThreadCount>& threads);

  const model::Model& model() const { return *model_; }
  const model::Settings& settings() const { return settings_; }
  bool batches() const { return max_batch_ > 1; }

  // The inputs must be the model's (MatchInputs). RESOURCE_EXHAUSTED if the queue is full,
  // ABORTED if it is closed; then `job` is as it was.
  absl::Status Submit(Job& job);
  // No more requests; the threads answer those that are there, and end.
  void Close();

 private:
  ModelQueue(std::shared_ptr<const model::Model> model, const model::Settings& settings,
             const Padding& padding, metrics::ModelMetrics& metrics);

  void Work();
  void Expire();
  std::vector<Job> TakeBatch(std::unique_lock<std::mutex>& lock);
  void TakeThoseThatShare(std::vector<Job>& batch, int64_t& rows);
  std::vector<Job> TakeExpired(model::Clock::time_point now);
  void RunBatch(std::vector<Job> batch);
  void RunAlone(Job& job);
  absl::StatusOr<Tensors> Run(const Tensors& inputs, model::Clock::time_point deadline,
                              absl::Span<const Job> jobs) const;
  absl::StatusOr<std::vector<Tensors>> RunJoined(absl::Span<const Job> batch) const;
  void CountWaiting(int64_t change);

  const std::shared_ptr<const model::Model> model_;
  const model::Settings settings_;
  const Padding padding_;
  const int64_t max_batch_;
  metrics::ModelMetrics& metrics_;

  std::mutex mutex_;
  std::condition_variable work_;             // for threads without a request
  std::condition_variable arrival_;          // for the thread that forms a batch
  std::condition_variable expiry_;           // for the thread that looks at deadlines
  std::map<uint32_t, std::list<Job>> jobs_;  // by priority
  int64_t waiting_ = 0;
  bool is_forming_ = false;
  bool is_closed_ = false;
  model::Clock::time_point next_expiry_ = model::kNever;
};

}  // namespace dynacc::queue
