#include "serve/queue/model_queue.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace dynacc::queue {

using model::Clock;
using model::kNever;

ModelQueue::ModelQueue(std::shared_ptr<const model::Model> model, const model::Settings& settings,
                       const Padding& padding, metrics::ModelMetrics& metrics)
    : model_(std::move(model)),
      settings_(settings),
      padding_(padding),
      max_batch_(CanBatch(model_->signature(), settings.batch_axis) ? settings.max_batch : 1),
      metrics_(metrics) {}

std::shared_ptr<ModelQueue> ModelQueue::Start(std::shared_ptr<const model::Model> model,
                                              const model::Settings& settings,
                                              const Padding& padding,
                                              metrics::ModelMetrics& metrics,
                                              const std::shared_ptr<ThreadCount>& threads) {
  const std::shared_ptr<ModelQueue> queue(
      new ModelQueue(std::move(model), settings, padding, metrics));
  for (int i = 0; i < settings.instances; ++i) threads->Start([queue] { queue->Work(); });
  threads->Start([queue] { queue->Expire(); });
  return queue;
}

void ModelQueue::CountWaiting(int64_t change) {
  waiting_ += change;
  metrics_.SetQueueLength(waiting_);
}

absl::Status ModelQueue::Submit(Job& job) {
  if (batches() && padding_.Allows(job.inputs)) {
    job.rows = RowsOf(job.inputs, settings_.batch_axis);
  }
  job.queued = Clock::now();
  const std::lock_guard lock(mutex_);
  if (is_closed_) return absl::AbortedError("the model is being unloaded");
  if (waiting_ >= settings_.queue_size) {
    metrics_.CountRefusal();
    return absl::ResourceExhaustedError(
        absl::StrCat(waiting_, " requests wait for the model already"));
  }
  if (job.deadline < next_expiry_) {
    next_expiry_ = job.deadline;
    expiry_.notify_one();
  }
  std::list<Job>& jobs = jobs_[job.priority];
  jobs.push_back(std::move(job));
  CountWaiting(1);
  (is_forming_ ? arrival_ : work_).notify_one();
  return absl::OkStatus();
}

void ModelQueue::Close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  work_.notify_all();
  arrival_.notify_all();
  expiry_.notify_all();
}

std::vector<Job> ModelQueue::TakeExpired(Clock::time_point now) {
  std::vector<Job> expired;
  next_expiry_ = kNever;
  for (auto& [priority, jobs] : jobs_) {
    for (auto job = jobs.begin(); job != jobs.end();) {
      if (job->deadline <= now) {
        expired.push_back(std::move(*job));
        job = jobs.erase(job);
      } else {
        next_expiry_ = std::min(next_expiry_, job->deadline);
        ++job;
      }
    }
  }
  std::erase_if(jobs_, [](const auto& entry) { return entry.second.empty(); });
  CountWaiting(-static_cast<int64_t>(expired.size()));
  return expired;
}

// The thread that answers requests whose time is over while all others are busy.
void ModelQueue::Expire() {
  std::unique_lock lock(mutex_);
  while (!is_closed_ || waiting_ > 0) {
    if (next_expiry_ == kNever) {
      expiry_.wait(lock);
    } else {
      expiry_.wait_until(lock, next_expiry_);
    }
    std::vector<Job> expired = TakeExpired(Clock::now());
    if (!expired.empty()) {
      lock.unlock();
      for (Job& job : expired) {
        metrics_.CountExpired();
        job.done(absl::DeadlineExceededError("its time was over before the model could run"));
      }
      expired.clear();
      lock.lock();
    }
  }
}

void ModelQueue::TakeThoseThatShare(std::vector<Job>& batch, int64_t& rows) {
  const size_t before = batch.size();
  for (auto& [priority, jobs] : jobs_) {
    for (auto job = jobs.begin(); job != jobs.end() && rows < max_batch_;) {
      if (job->rows >= 0 && rows + job->rows <= max_batch_ &&
          CanShare(batch[0].inputs, job->inputs, settings_.batch_axis, padding_)) {
        rows += job->rows;
        batch.push_back(std::move(*job));
        job = jobs.erase(job);
      } else {
        ++job;
      }
    }
  }
  std::erase_if(jobs_, [](const auto& entry) { return entry.second.empty(); });
  CountWaiting(-static_cast<int64_t>(batch.size() - before));
}

std::vector<Job> ModelQueue::TakeBatch(std::unique_lock<std::mutex>& lock) {
  std::vector<Job> batch;
  std::list<Job>& first = jobs_.begin()->second;
  batch.push_back(std::move(first.front()));
  first.pop_front();
  if (first.empty()) jobs_.erase(jobs_.begin());
  CountWaiting(-1);
  int64_t rows = batch[0].rows;
  if (!batches() || rows < 0 || rows >= max_batch_) return batch;
  TakeThoseThatShare(batch, rows);
  const auto window = std::chrono::microseconds(settings_.batch_window_us);
  const auto end = std::min(batch[0].queued + window, batch[0].deadline);
  is_forming_ = true;
  while (rows < max_batch_ && !is_closed_ && Clock::now() < end) {
    arrival_.wait_until(lock, end);
    TakeThoseThatShare(batch, rows);
  }
  is_forming_ = false;
  return batch;
}

void ModelQueue::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock,
               [&] { return (waiting_ > 0 && !is_forming_) || (is_closed_ && waiting_ == 0); });
    if (waiting_ == 0) break;
    std::vector<Job> batch = TakeBatch(lock);
    if (waiting_ > 0) work_.notify_one();  // Submit told only the thread that formed the batch
    if (is_closed_ && waiting_ == 0) work_.notify_all();
    lock.unlock();
    RunBatch(std::move(batch));
    lock.lock();
  }
  // The last request may have gone by Expire, after one thread alone was told of it.
  work_.notify_all();
  expiry_.notify_all();
}

absl::StatusOr<Tensors> ModelQueue::Run(const Tensors& inputs, Clock::time_point deadline,
                                        absl::Span<const Job> jobs) const {
  const auto start = Clock::now();
  absl::StatusOr<Tensors> outputs;
  try {  // memory, most likely: a request must not end the server
    outputs = model_->Run(inputs, deadline);
  } catch (const std::bad_alloc&) {
    outputs = absl::ResourceExhaustedError("no memory for the run");
  } catch (const std::exception& error) {
    outputs = absl::InternalError(error.what());
  }
  const auto end = Clock::now();
  const auto requests = static_cast<int64_t>(jobs.size());
  metrics_.CountRun(requests, std::chrono::duration<double>(end - start).count());
  for (const Job& job : jobs) {
    if (job.times) *job.times = {start, end, requests};
  }
  return outputs;
}

void ModelQueue::RunAlone(Job& job) {
  if (job.deadline <= Clock::now()) {
    metrics_.CountExpired();
    job.done(absl::DeadlineExceededError("its time was over before the model could run"));
    return;
  }
  job.done(Run(job.inputs, job.deadline, {&job, 1}));
}

absl::StatusOr<std::vector<Tensors>> ModelQueue::RunJoined(absl::Span<const Job> batch) const {
  std::vector<const Tensors*> requests;
  std::vector<int64_t> rows;
  auto deadline = Clock::time_point::min();
  for (const Job& job : batch) {
    requests.push_back(&job.inputs);
    rows.push_back(job.rows);
    deadline = std::max(deadline, job.deadline);
  }
  try {
    DYNACC_ASSIGN_OR_RETURN(const std::vector<Tensors> padded, padding_.Pad(requests));
    for (size_t i = 0; i < padded.size(); ++i) requests[i] = &padded[i];
    DYNACC_ASSIGN_OR_RETURN(const Tensors inputs, Join(requests, settings_.batch_axis));
    DYNACC_ASSIGN_OR_RETURN(const Tensors outputs, Run(inputs, deadline, batch));
    DYNACC_ASSIGN_OR_RETURN(std::vector<Tensors> parts, Split(outputs, rows, settings_.batch_axis));
    for (size_t i = 0; i < parts.size(); ++i) {
      DYNACC_RETURN_IF_ERROR(padding_.Cut(batch[i].inputs, padded[i], parts[i]));
    }
    return parts;
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("no memory for a batch");
  }
}

void ModelQueue::RunBatch(std::vector<Job> batch) {
  const auto now = Clock::now();
  const auto late = std::stable_partition(batch.begin(), batch.end(),
                                          [&](const Job& job) { return job.deadline > now; });
  for (auto job = late; job != batch.end(); ++job) RunAlone(*job);  // which answers that
  batch.erase(late, batch.end());
  if (batch.size() > 1) {
    absl::StatusOr<std::vector<Tensors>> results = RunJoined(batch);
    if (results.ok()) {
      for (size_t i = 0; i < batch.size(); ++i) batch[i].done(std::move((*results)[i]));
      return;
    }
  }
  for (Job& job : batch) RunAlone(job);
}

}  // namespace dynacc::queue
