// WarmUp: how long some code has run before a trace of it is worth its time.
//
// To trace a function takes some tenths of a millisecond, which many runs of small arrays do not
// bring back, and programs have hundreds of functions that are called a few times. So code is
// traced when its frames, with what they called, have taken kNeeded: a program then loses about as
// much by each piece of code as it has spent there, however little that comes to. What tracing may
// take in all is TraceBudget's business.
#pragma once

#include <cstdint>

namespace dynacc {

class WarmUp {
 public:
  // Nanoseconds; DYNACC_CAPTURE_AFTER says otherwise.
  static constexpr int64_t kNeeded = 1'000'000;

  // Whether nothing waits for it: DYNACC_CAPTURE_AFTER=0.
  static bool IsWaived() { return Needed() == 0; }

  bool IsOver() const { return nanoseconds_ >= Needed(); }
  // Whether it is over if the code has run for another `nanoseconds` meanwhile.
  bool IsOverAfter(int64_t nanoseconds) const { return nanoseconds_ + nanoseconds >= Needed(); }
  void Add(int64_t nanoseconds) { nanoseconds_ += nanoseconds; }

 private:
  static int64_t Needed();

  int64_t nanoseconds_ = 0;
};

// Measures a run of some code, without the time that tracing took in it.
class WarmUpClock {
 public:
  WarmUpClock();
  int64_t Elapsed() const;

 private:
  int64_t start_;
  int64_t spent_before_;
};

}  // namespace dynacc
