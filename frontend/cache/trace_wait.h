// TraceWait: code that is due for a trace while tracing has had its share of the time.
//
// CPython runs such code until the budget (trace_budget.h) allows traces again: nothing is known
// against it. To ask costs a function next to nothing, but a loop that is waiting is trapped in
// each round (osr_frame.h); so a loop waits only while that takes a small share of its time.
#pragma once

#include <cstdint>

namespace dynacc {

class TraceWait {
 public:
  // What it takes to trap a round of a loop and to give it back to CPython, in nanoseconds: 240
  // were measured, of rounds of 72.
  static constexpr int64_t kRound = 300;
  static constexpr int64_t kShareOfTime = 25;     // a 25th of the loop's: 4 %
  static constexpr int64_t kMostSpent = 100'000;  // beyond that share, in nanoseconds

  void Begin();
  // Whether it still waits. The budget is asked.
  bool IsOn();
  // After a round of a loop that waits: whether it can go on waiting.
  bool AffordsRound();

 private:
  bool waits_ = false;
  int64_t last_round_ = 0;
  int64_t spent_ = 0;
};

}  // namespace dynacc
