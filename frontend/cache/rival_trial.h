// RivalTrial: whether a graph is faster than the one in use, by runs of a program.
//
// Runs come in pairs, one of each graph, in an order that is drawn by lot: a program whose sizes
// change from run to run in a rhythm does not give one graph the small ones. The rival is better by
// the rule of autotuning (codegen/tuning/tuner.h): less time by its margin in the median of the
// pairs, and less in three quarters of them. One that is much slower in the first pairs goes then.
#pragma once

#include <cstdint>
#include <vector>

namespace dynacc::cache {

class RivalTrial {
 public:
  static constexpr int kPairs = 51;
  static constexpr int kFirstPairs = 7;
  static constexpr double kMuchSlower = 1.15;  // in the median of the first pairs

  // Whether the next run is the rival's.
  bool IsRivalsTurn() const { return has_first_ != rival_is_first_; }
  // A run of that graph. One that is not next (of another thread, say) does not count.
  void Note(bool is_rivals, int64_t nanoseconds);

  bool is_over() const { return is_over_; }
  // Once it is over.
  bool RivalIsBetter() const { return rival_is_better_; }
  // The rival's time by the other's in the median of the pairs so far, of which there is one.
  double Ratio() const;

 private:
  void Judge();

  std::vector<double> ratios_;
  uint32_t lot_ = 1;
  int64_t first_ = 0;  // nanoseconds of the first run of the pair under way
  bool has_first_ = false;
  bool rival_is_first_ = false;
  bool is_over_ = false;
  bool rival_is_better_ = false;
};

}  // namespace dynacc::cache
