// Generator: the sequences that a model is asked for, and the thread that generates them.
//
// Batches are continuous: each step runs all sequences that are there, one token each, and a
// sequence joins or leaves between two steps. Prompts are read in parts, one part between two
// steps, so that a long one does not keep the others waiting. A sequence lies in the slot of its
// number; when one ends, the last takes its place, so that a step's sequences lie side by side.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "serve/generation/sampler.h"
#include "serve/generation/step_model.h"
#include "serve/metrics/metrics.h"
#include "serve/model/settings.h"
#include "serve/protocol/generation.h"
#include "serve/queue/thread_count.h"

namespace dynacc::generation {

struct SequenceJob {
  std::vector<int64_t> prompt;
  int64_t max_tokens = 1;
  Sampling sampling;
  std::vector<int64_t> stop_tokens;
  model::Clock::time_point deadline = model::kNever;
  // Both are called on the generator's thread, the first for each token. If that says false nobody
  // listens any more, and the sequence ends, as CANCELLED.
  std::function<bool(int64_t)> on_token;
  std::function<void(absl::StatusOr<protocol::FinishReason>)> on_end;  // once
};

class Generator : public std::enable_shared_from_this<Generator> {
 public:
  // `metrics` must outlive the thread, which `threads` counts. An error is StepModel::Make's.
  static absl::StatusOr<std::shared_ptr<Generator>> Start(
      const std::shared_ptr<const model::Model>& model, const model::Settings& settings,
      metrics::ModelMetrics& metrics, const std::shared_ptr<queue::ThreadCount>& threads);

  // INVALID_ARGUMENT for a prompt that the model cannot take, RESOURCE_EXHAUSTED if too many wait,
  // ABORTED if it is closed; then `job` is as it was.
  absl::Status Submit(SequenceJob& job);
  // No more sequences; those that were taken are finished, and the thread ends.
  void Close();

 private:
  struct Sequence {
    explicit Sequence(SequenceJob from) : job(std::move(from)), sampler(job.sampling) {}
    SequenceJob job;
    Sampler sampler;
    int64_t length = 0;  // tokens that are kept
    int64_t made = 0;
    int64_t last = 0;  // the newest token, which is not kept yet
    std::optional<absl::StatusOr<protocol::FinishReason>> end;

    bool is_reading() const { return length < static_cast<int64_t>(job.prompt.size()); }
  };

  Generator(std::unique_ptr<StepModel> steps, const model::Settings& settings,
            metrics::ModelMetrics& metrics)
      : steps_(std::move(steps)),
        settings_(settings),
        generation_(*settings.generate),
        metrics_(metrics) {}

  void Work();
  std::vector<SequenceJob> TakeExpired();
  void Admit();
  void ReadPrompt();
  void Step();
  void StepOf(int64_t first, int64_t count);
  absl::StatusOr<protocol::Tensor> Run(int64_t first, int64_t count,
                                       absl::Span<const int64_t> tokens);
  void TakeToken(Sequence& sequence, absl::Span<const float> logits);
  void EndThoseWithoutTime();
  void RemoveEnded();
  void Remove(int64_t slot);
  int64_t reading() const;
  bool IsStop(const Sequence& sequence, int64_t token) const;

  const std::unique_ptr<StepModel> steps_;  // the thread's, as the sequences
  const model::Settings settings_;
  const model::GenerationSettings generation_;
  metrics::ModelMetrics& metrics_;
  std::vector<std::unique_ptr<Sequence>> sequences_;  // by slot; one that reads its prompt is last

  std::mutex mutex_;
  std::condition_variable work_;
  std::list<SequenceJob> waiting_;
  bool is_closed_ = false;
};

}  // namespace dynacc::generation
