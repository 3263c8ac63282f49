// TraceBudget: how much of a program's time tracing may take.
//
// The policy cannot know which code will bring back what its trace costs; a program of many small
// functions (a solver of a library, a data frame's methods) may have hundreds that do not. So all
// tracing together is held to a share of the processor time that the program has used, and of what
// entries were measured to save. What finds the budget spent runs plainly and is asked again later.
// Code that dynacc.compile names, and all code under DYNACC_POLICY=always, is traced regardless.
#pragma once

#include <cstdint>

namespace dynacc {

class TraceBudget {
 public:
  // All in nanoseconds. What importing NumPy takes counts as used, so that a program has some 3 ms
  // beyond kAtStart from the beginning.
  static constexpr int64_t kAtStart = 1'000'000;
  static constexpr int64_t kShareOfTime = 33;    // a 33rd: 3 %
  static constexpr int64_t kShareOfSavings = 4;  // a quarter

  // Whether a trace may start. Under the GIL, as all of this.
  bool Allows() { return spent_ < allowed_ || Refill(); }
  void Spend(int64_t nanoseconds) { spent_ += nanoseconds; }
  void Earn(int64_t nanoseconds) { saved_ += nanoseconds; }
  int64_t spent() const { return spent_; }

 private:
  bool Refill();

  int64_t spent_ = 0;
  int64_t saved_ = 0;
  int64_t allowed_ = kAtStart;
  int64_t next_refill_ = 0;  // not before: to ask for the processor time is a system call
};

TraceBudget& TheTraceBudget();

}  // namespace dynacc
