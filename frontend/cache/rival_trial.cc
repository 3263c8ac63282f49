#include "frontend/cache/rival_trial.h"

#include <algorithm>

#include "codegen/tuning/tuner.h"

namespace dynacc::cache {

void RivalTrial::Note(bool is_rivals, int64_t nanoseconds) {
  if (is_over_ || is_rivals != IsRivalsTurn()) return;
  nanoseconds = std::max<int64_t>(nanoseconds, 1);
  if (!has_first_) {
    first_ = nanoseconds;
    has_first_ = true;
    return;
  }
  const double ratio = static_cast<double>(nanoseconds) / static_cast<double>(first_);
  ratios_.push_back(is_rivals ? ratio : 1 / ratio);
  has_first_ = false;
  lot_ =
      lot_ * 1664525 + 1013904223;  // Numerical Recipes' generator, of which the high bits are good
  rival_is_first_ = (lot_ >> 31) != 0;
  Judge();
}

double RivalTrial::Ratio() const {
  std::vector<double> ratios = ratios_;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

void RivalTrial::Judge() {
  const auto pairs = static_cast<int>(ratios_.size());
  if (pairs != kFirstPairs && pairs != kPairs) return;
  const double ratio = Ratio();
  is_over_ = pairs == kPairs || ratio > kMuchSlower;
  const auto faster =
      std::count_if(ratios_.begin(), ratios_.end(), [](double each) { return each < 1; });
  rival_is_better_ = pairs == kPairs && ratio < 1 - tuning::kMargin && 4 * faster >= 3 * pairs;
}

}  // namespace dynacc::cache
