#include "serve/generation/generator.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace dynacc::generation {

using model::Clock;
using protocol::FinishReason;
using protocol::Tensor;

absl::StatusOr<std::shared_ptr<Generator>> Generator::Start(
    const std::shared_ptr<const model::Model>& model, const model::Settings& settings,
    metrics::ModelMetrics& metrics, const std::shared_ptr<queue::ThreadCount>& threads) {
  DYNACC_ASSIGN_OR_RETURN(std::unique_ptr<StepModel> steps,
                          StepModel::Make(model, *settings.generate), "generate");
  const std::shared_ptr<Generator> generator(new Generator(std::move(steps), settings, metrics));
  threads->Start([generator] { generator->Work(); });
  return generator;
}

absl::Status Generator::Submit(SequenceJob& job) {
  const auto size = static_cast<int64_t>(job.prompt.size());
  if (size == 0) return absl::InvalidArgumentError("there are no 'tokens' to begin with");
  if (size >= generation_.max_length) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the prompt has ", size, " tokens; the model has room for ", generation_.max_length - 1));
  }
  for (const int64_t token : job.prompt) {
    if (token < 0 || token >= steps_->vocabulary()) {
      return absl::InvalidArgumentError(
          absl::StrCat(token, " is no token; the model has those below ", steps_->vocabulary()));
    }
  }
  const std::lock_guard lock(mutex_);
  if (is_closed_) return absl::AbortedError("the model is being unloaded");
  if (static_cast<int64_t>(waiting_.size()) >= settings_.queue_size) {
    metrics_.CountRefusal();
    return absl::ResourceExhaustedError(
        absl::StrCat(waiting_.size(), " requests wait for the model already"));
  }
  waiting_.push_back(std::move(job));
  metrics_.SetQueueLength(static_cast<int64_t>(waiting_.size()));
  work_.notify_one();
  return absl::OkStatus();
}

void Generator::Close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  work_.notify_all();
}

int64_t Generator::reading() const {
  return !sequences_.empty() && sequences_.back()->is_reading() ? 1 : 0;
}

std::vector<SequenceJob> Generator::TakeExpired() {
  std::vector<SequenceJob> expired;
  const auto now = Clock::now();
  for (auto job = waiting_.begin(); job != waiting_.end();) {
    if (job->deadline > now) {
      ++job;
      continue;
    }
    expired.push_back(std::move(*job));
    job = waiting_.erase(job);
  }
  return expired;
}

void Generator::Admit() {
  if (waiting_.empty() || reading() > 0 ||
      static_cast<int64_t>(sequences_.size()) >= generation_.slots) {
    return;
  }
  sequences_.push_back(std::make_unique<Sequence>(std::move(waiting_.front())));
  waiting_.pop_front();
}

void Generator::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [&] { return is_closed_ || !waiting_.empty() || !sequences_.empty(); });
    if (waiting_.empty() && sequences_.empty()) return;
    const std::vector<SequenceJob> expired = TakeExpired();
    Admit();
    metrics_.SetQueueLength(static_cast<int64_t>(waiting_.size()));
    lock.unlock();
    for (const SequenceJob& job : expired) {
      metrics_.CountExpired();
      job.on_end(absl::DeadlineExceededError("its time was over before the model could run"));
    }
    EndThoseWithoutTime();
    RemoveEnded();
    ReadPrompt();
    RemoveEnded();
    Step();
    RemoveEnded();
    lock.lock();
  }
}

void Generator::EndThoseWithoutTime() {
  const auto now = Clock::now();
  for (const auto& sequence : sequences_) {
    if (sequence->job.deadline <= now) {
      sequence->end = absl::DeadlineExceededError("its time is over");
    }
  }
}

absl::StatusOr<Tensor> Generator::Run(int64_t first, int64_t count,
                                      absl::Span<const int64_t> tokens) {
  std::vector<int64_t> lengths;
  auto deadline = Clock::time_point::min();
  for (int64_t slot = first; slot < first + count; ++slot) {
    lengths.push_back(sequences_[slot]->length);
    deadline = std::max(deadline, sequences_[slot]->job.deadline);
  }
  const auto start = Clock::now();
  absl::StatusOr<Tensor> logits;
  try {  // memory, most likely: a request must not end the server
    logits = steps_->Run(first, lengths, tokens, deadline);
  } catch (const std::bad_alloc&) {
    logits = absl::ResourceExhaustedError("no memory for the run");
  } catch (const std::exception& error) {
    logits = absl::InternalError(error.what());
  }
  metrics_.CountRun(count, std::chrono::duration<double>(Clock::now() - start).count());
  return logits;
}

void Generator::ReadPrompt() {
  if (reading() == 0) return;
  const auto slot = static_cast<int64_t>(sequences_.size()) - 1;
  Sequence& sequence = *sequences_[slot];
  const std::vector<int64_t>& prompt = sequence.job.prompt;
  const auto rest = absl::MakeConstSpan(prompt).subspan(sequence.length, generation_.prefill);
  const absl::StatusOr<Tensor> logits = Run(slot, 1, rest);
  if (!logits.ok()) {
    sequence.end = logits.status();
    return;
  }
  sequence.length += static_cast<int64_t>(rest.size());
  if (sequence.is_reading()) return;
  TakeToken(sequence, {reinterpret_cast<const float*>(logits->bytes.data()),
                       static_cast<size_t>(steps_->vocabulary())});
}

void Generator::Step() {
  const int64_t count = static_cast<int64_t>(sequences_.size()) - reading();
  if (count > 0) StepOf(0, count);
}

// If the run of several fails they are run one by one: nobody fails for what another one sent.
void Generator::StepOf(int64_t first, int64_t count) {
  std::vector<int64_t> tokens;
  for (int64_t slot = first; slot < first + count; ++slot) {
    tokens.push_back(sequences_[slot]->last);
  }
  const absl::StatusOr<Tensor> logits = Run(first, count, tokens);
  if (!logits.ok() && count > 1) {
    for (int64_t slot = first; slot < first + count; ++slot) StepOf(slot, 1);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    Sequence& sequence = *sequences_[first + i];
    if (!logits.ok()) {
      sequence.end = logits.status();
      continue;
    }
    ++sequence.length;
    const auto size = static_cast<size_t>(steps_->vocabulary());
    TakeToken(sequence, {reinterpret_cast<const float*>(logits->bytes.data()) + i * size, size});
  }
}

bool Generator::IsStop(const Sequence& sequence, int64_t token) const {
  const std::vector<int64_t>& stops = sequence.job.stop_tokens;
  return token == generation_.end_token ||
         std::find(stops.begin(), stops.end(), token) != stops.end();
}

void Generator::TakeToken(Sequence& sequence, absl::Span<const float> logits) {
  const absl::StatusOr<int64_t> token = sequence.sampler.Next(logits);
  if (!token.ok()) {
    sequence.end = token.status();
    return;
  }
  if (IsStop(sequence, *token)) {
    sequence.end = FinishReason::kStop;
    return;
  }
  sequence.last = *token;
  ++sequence.made;
  metrics_.CountTokens(1);
  if (!sequence.job.on_token(*token)) {
    sequence.end = absl::CancelledError("nobody listens");
  } else if (sequence.made == sequence.job.max_tokens ||
             sequence.length + 1 == generation_.max_length) {
    sequence.end = FinishReason::kLength;
  }
}

void Generator::RemoveEnded() {
  for (auto slot = static_cast<int64_t>(sequences_.size()); slot-- > 0;) {
    if (sequences_[slot]->end) Remove(slot);
  }
}

void Generator::Remove(int64_t slot) {
  const std::unique_ptr<Sequence> ended = std::move(sequences_[slot]);
  // The last sequence takes its place; behind it one that still reads its prompt.
  const int64_t last = static_cast<int64_t>(sequences_.size()) - 1;
  const bool has_reader = slot != last && sequences_[last]->is_reading();
  const int64_t last_writer = has_reader ? last - 1 : last;
  if (slot != last_writer && slot != last) {
    steps_->Move(last_writer, slot);
    sequences_[slot] = std::move(sequences_[last_writer]);
  }
  if (has_reader) {
    steps_->Move(last, last_writer);
    sequences_[last_writer] = std::move(sequences_[last]);
  }
  steps_->Clear(last);
  sequences_.pop_back();
  ended->job.on_end(*std::move(ended->end));
}

}  // namespace dynacc::generation
