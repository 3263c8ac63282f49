// The system's clocks, in nanoseconds.
#pragma once

#include <cstdint>
#include <ctime>

namespace dynacc {

// Since a start that is the clock's own. CLOCK_PROCESS_CPUTIME_ID and CLOCK_THREAD_CPUTIME_ID cost
// a system call, CLOCK_MONOTONIC some 30 ns.
inline int64_t ClockNanoseconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

inline int64_t NowNanoseconds() { return ClockNanoseconds(CLOCK_MONOTONIC); }

// Processor time of the calling thread, for what is charged to a program or decides about it: what
// else the machine does must not matter.
inline int64_t ThreadNanoseconds() { return ClockNanoseconds(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace dynacc
