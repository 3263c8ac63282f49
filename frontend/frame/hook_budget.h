// HookBudget: the duty cycle that keeps the evaluator's cost on uninteresting programs near zero.
//
// A frame that passes through uncompiled costs a unit, an entry that runs earns kEntryGain. Spent,
// the hook rests, and a native thread wakes it a little later with a fresh budget: a program with
// nothing to compile pays for kFullBudget frames (about 9 ns each) every kRestMilliseconds, under
// half a percent. The thread starts at the first rest, touches no Python object, does not survive
// a fork (the child's first rest starts another), and is stopped by Stop.
#pragma once

namespace dynacc {

constexpr int kFullBudget = 4000;
constexpr int kEntryGain = 200;
constexpr int kRestMilliseconds = 10;
// Tracers and debuggers stay longer than that, and want no hook in their way.
constexpr int kTracingRestMilliseconds = 1000;

class HookBudget {
 public:
  // Under the GIL.
  void Start();  // a full budget
  void Spend() {
    if (--units_ < 0) Rest(kRestMilliseconds);
  }
  void Earn() { units_ = units_ > kFullBudget - kEntryGain ? kFullBudget : units_ + kEntryGain; }
  // The hook rests for a while. Does nothing while it is forced on.
  void Rest(int milliseconds);
  // Waits for the thread to end. It never takes the GIL, so this needs no release of it.
  void Stop();

 private:
  int units_ = kFullBudget;
};

HookBudget& TheHookBudget();

}  // namespace dynacc
