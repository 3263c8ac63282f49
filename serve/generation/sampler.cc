#include "serve/generation/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/status/status.h"

namespace dynacc::generation {

absl::StatusOr<int64_t> Sampler::Next(absl::Span<const float> logits) {
  size_t best = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i])) return absl::InternalError("the model gave a logit that is NaN");
    if (logits[i] > logits[best]) best = i;
  }
  if (logits.empty() || !std::isfinite(logits[best])) {
    return absl::InternalError("the model gave no logit that is finite");
  }
  if (sampling_.temperature <= 0) return static_cast<int64_t>(best);
  return Draw(logits, logits[best]);
}

int64_t Sampler::Draw(absl::Span<const float> logits, float most) {
  candidates_.resize(logits.size());
  std::iota(candidates_.begin(), candidates_.end(), 0);
  if (sampling_.top_k > 0 && sampling_.top_k < static_cast<int64_t>(logits.size())) {
    const auto last = candidates_.begin() + sampling_.top_k;
    std::partial_sort(candidates_.begin(), last, candidates_.end(), [&](int64_t a, int64_t b) {
      return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
    });
    candidates_.erase(last, candidates_.end());
  }
  weights_.clear();
  double sum = 0;
  for (const int64_t candidate : candidates_) {
    sum += std::exp((static_cast<double>(logits[candidate]) - most) / sampling_.temperature);
    weights_.push_back(sum);
  }
  // The library's distributions differ between libraries.
  const double place = static_cast<double>(random_() >> 11) * 0x1p-53 * sum;
  const auto found = std::upper_bound(weights_.begin(), weights_.end() - 1, place);
  return candidates_[found - weights_.begin()];
}

}  // namespace dynacc::generation
