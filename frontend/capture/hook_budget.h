// HookBudget: the duty cycle that keeps the evaluator's cost on uninteresting programs near zero.
// A frame that passes through uncompiled costs a unit. An entry that runs earns as many as cost
// two thirds of what it saves, up to kEntryGain, and more where it saves much: what saves a
// millisecond shall not be missed for the sake of some hundred frames between its runs. Spent, the
// hook rests, and a native thread wakes it a little later with a fresh but small budget: while the
// hook is on, CPython's specialised calls miss, and after some 50 misses a call site loses its
// specialisation. Rests get longer while nothing is earned, unless some entry has saved much, and
// vary, so that none keeps in step with a program's rounds and meets the same frames each time. A
// rest that begins in the middle of a long call, whose loop makes small calls, would mostly end in
// the middle of the next one: there the budget is extended now and then, so that the next call is
// seen. The thread starts at the first rest, touches no Python object, does not survive a fork (the
// child's first rest starts another), and is stopped by Stop.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dynacc::capture {

// At the start, and the most that can be saved up by small entries. Imports run with the hook off
// and cost nothing of it; what a program does before it computes, such as reading its arguments,
// should fit.
constexpr int kFullBudget = 4000;
constexpr int kWakeBudget = 200;  // after a rest
constexpr int kEntryGain = 200;
constexpr int64_t kNanosecondsOfUnit = 100;  // what a frame costs
constexpr int64_t kSavingOfEntryUnit = 3 * kNanosecondsOfUnit / 2;
// Beyond kEntryGain, nanoseconds saved that pay for a frame: 2 % are spent at most ...
constexpr int64_t kSavingOfUnit = 5'000;
constexpr int kMostUnits = 40'000;  // ... and some milliseconds, when a program has moved on
constexpr int kRestMilliseconds = 10;
constexpr int kLongestRestMilliseconds = 80;
// An entry that has saved so many nanoseconds at once: to miss it costs more than short rests do.
constexpr int64_t kMuchSaved = 1'000'000;
// Frames of an extension, which double as long as nothing is earned, and how many times as long as
// it takes the next one has to wait: 2 % again.
constexpr int kExtension = 20'000;
constexpr int kLongestExtension = 160'000;
constexpr int kExtensionShare = 50;
// Tracers and debuggers stay longer than that, and want no hook in their way.
constexpr int kTracingRestMilliseconds = 1000;

class HookBudget {
 public:
  // Under the GIL.
  void Start();  // a full budget
  void Spend() {
    if (--units_ < 0) RestAWhile();
  }
  // Whether the next frame begins a rest, unless the budget is extended.
  bool IsSpent() const { return units_ <= 0; }
  // For what may be worth it: whether it has been, as the last time is long ago.
  bool Extend();
  // An entry has run, and saved so many nanoseconds; less than 0 is a loss.
  void Earn(int64_t saving) {
    if (saving <= 0) return;
    const auto gain = std::min<int64_t>(saving / kSavingOfEntryUnit, kEntryGain);
    units_ = std::max(units_, std::min(units_ + static_cast<int>(gain), kFullBudget));
    if (saving >= kSavingOfUnit) {
      units_ = static_cast<int>(std::min<int64_t>(units_ + saving / kSavingOfUnit, kMostUnits));
    }
    rest_milliseconds_ = kRestMilliseconds;
    extension_ = kExtension;
    if (saving >= kMuchSaved) longest_rest_milliseconds_ = kRestMilliseconds;
  }
  // The hook rests for a while. Does nothing while it is forced on.
  void Rest(int milliseconds);
  // Waits for the thread to end. It never takes the GIL, so this needs no release of it.
  void Stop();

 private:
  void RestAWhile();

  int units_ = kFullBudget;
  int rest_milliseconds_ = kRestMilliseconds;
  int longest_rest_milliseconds_ = kLongestRestMilliseconds;
  int extension_ = kExtension;
  int64_t extends_after_ = 0;  // nanoseconds of the monotonic clock
  uint32_t random_ = 1;
};

HookBudget& TheHookBudget();

}  // namespace dynacc::capture
