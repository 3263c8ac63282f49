// When a trace is worth its time: what tracing may take in all (TraceBudget), when code has run for
// long enough (WarmUp), and what becomes of code that waits for the budget (TraceWait).
#pragma once

#include <cstdint>

namespace dynacc::cache {

// --- TraceBudget: how much of a program's time tracing may take.
//
// The policy cannot know which code will bring back what its trace costs; a program of many small
// functions (a solver of a library, a data frame's methods) may have hundreds that do not. So all
// tracing together is held to a share of the processor time that the program has used, and of what
// entries were measured to save. What finds the budget spent runs plainly and is asked again later.
// Code that dynacc.compile names, and all code under DYNACC_POLICY=always, is traced regardless.

class TraceBudget {
 public:
  // All in nanoseconds. What importing NumPy takes counts as used, so that a program has some 3 ms
  // beyond kAtStart from the beginning.
  static constexpr int64_t kAtStart = 1'000'000;
  static constexpr int64_t kShareOfTime = 33;    // a 33rd: 3 %
  static constexpr int64_t kShareOfSavings = 4;  // a quarter

  explicit TraceBudget(int64_t at_start = kAtStart) : allowed_(at_start), at_start_(at_start) {}

  // Whether a trace may start. Under the GIL, as all of this.
  bool Allows() { return spent_ < allowed_ || Refill(); }
  void Spend(int64_t nanoseconds) { spent_ += nanoseconds; }
  void Earn(int64_t nanoseconds) { saved_ += nanoseconds; }
  int64_t spent() const { return spent_; }

 private:
  bool Refill();

  int64_t spent_ = 0;
  int64_t saved_ = 0;
  int64_t allowed_;
  int64_t next_refill_ = 0;  // not before: to ask for the processor time is a system call
  const int64_t at_start_;
};

TraceBudget& TheTraceBudget();

// A budget of the same kind for code with loops that is called for the first time: it is decoded
// and executed step by step, as its loops may be long. Code that a program makes anew again and
// again, by `exec`, never brings that back. What finds this budget spent is looked at in its second
// call.
TraceBudget& TheFirstLookBudget();

// --- WarmUp: how long some code has run before a trace of it is worth its time.
//
// To trace a function takes some tenths of a millisecond, which many runs of small arrays do not
// bring back, and programs have hundreds of functions that are called a few times. So code is
// traced when its frames, with what they called, have taken kNeeded: a program then loses about as
// much by each piece of code as it has spent there, however little that comes to. What tracing may
// take in all is TraceBudget's business.

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

// --- TraceWait: code that is due for a trace while tracing has had its share of the time.
//
// CPython runs such code until the budget (TraceBudget) allows traces again: nothing is known
// against it. To ask costs a function next to nothing, but a loop that is waiting is trapped in
// each round (osr_frame.h); so a loop waits only while that takes a small share of its time.

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

}  // namespace dynacc::cache
