// Cost ledger: what running some code by segments has saved and cost beside CPython's loop.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dynacc::frame {

// All in nanoseconds.
class CostLedger {
 public:
  // Losses beyond the savings after which the code is left alone. Also what every piece of code
  // that is not worth it costs a program.
  static constexpr int64_t kMostLost = 100'000;

  void Add(int64_t saving) {
    (saving >= 0 ? saved_ : lost_) += saving >= 0 ? saving : -saving;
    // What was long ago counts less and less.
    if (std::min(saved_, lost_) > kWindow) {
      saved_ /= 2;
      lost_ /= 2;
    }
  }
  bool IsLoss() const { return lost_ > saved_; }
  bool IsGreatLoss() const { return lost_ > saved_ + kMostLost; }

 private:
  static constexpr int64_t kWindow = 10'000'000;
  int64_t saved_ = 0;
  int64_t lost_ = 0;
};

}  // namespace dynacc::frame
