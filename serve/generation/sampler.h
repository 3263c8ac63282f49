// Sampler: the next token of a sequence, from what a model says of each token.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace dynacc::generation {

struct Sampling {
  double temperature = 0;  // 0: the likeliest, and of several the first
  int64_t top_k = 0;       // draws from that many likeliest tokens; 0: from all
  uint64_t seed = 0;
};

class Sampler {
 public:
  explicit Sampler(const Sampling& sampling) : sampling_(sampling), random_(sampling.seed) {}

  // The same logits and seed give the same tokens on every machine, as far as exp does. INTERNAL if
  // a logit is NaN, or none is finite.
  absl::StatusOr<int64_t> Next(absl::Span<const float> logits);

 private:
  int64_t Draw(absl::Span<const float> logits, float most);

  const Sampling sampling_;
  std::mt19937_64 random_;
  std::vector<int64_t> candidates_;
  std::vector<double> weights_;
};

}  // namespace dynacc::generation
