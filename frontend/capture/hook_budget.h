// HookBudget: the duty cycle that keeps the evaluator's cost on uninteresting programs near zero.
//
// A frame that passes through uncompiled costs a unit, an entry that runs earns kEntryGain. Spent,
// the hook rests, and a native thread wakes it a little later with a fresh but small budget: while
// the hook is on, CPython's specialised calls miss, and after some 50 misses a call site loses its
// specialisation. Rests get longer while nothing is earned. The thread starts at the first rest,
// touches no Python object, does not survive a fork (the child's first rest starts another), and is
// stopped by Stop.
#pragma once

namespace dynacc::capture {

// At the start, and the most that can be saved up. Imports run with the hook off and cost nothing
// of it; what a program does before it computes, such as reading its arguments, should fit.
constexpr int kFullBudget = 4000;
constexpr int kWakeBudget = 200;  // after a rest
constexpr int kEntryGain = 200;
constexpr int kRestMilliseconds = 10;
constexpr int kLongestRestMilliseconds = 80;
// Tracers and debuggers stay longer than that, and want no hook in their way.
constexpr int kTracingRestMilliseconds = 1000;

class HookBudget {
 public:
  // Under the GIL.
  void Start();  // a full budget
  void Spend() {
    if (--units_ < 0) RestAWhile();
  }
  void Earn() {
    units_ = units_ > kFullBudget - kEntryGain ? kFullBudget : units_ + kEntryGain;
    rest_milliseconds_ = kRestMilliseconds;
  }
  // The hook rests for a while. Does nothing while it is forced on.
  void Rest(int milliseconds);
  // Waits for the thread to end. It never takes the GIL, so this needs no release of it.
  void Stop();

 private:
  void RestAWhile();

  int units_ = kFullBudget;
  int rest_milliseconds_ = kRestMilliseconds;
};

HookBudget& TheHookBudget();

}  // namespace dynacc::capture
