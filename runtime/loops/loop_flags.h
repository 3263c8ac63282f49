// The floating-point flags of a library's loops that a loop program calls.
#pragma once

#include <cfenv>

namespace dynacc::loops {

// Overflow, division by zero and invalid. A loop does not run where underflow is reported.
inline constexpr int kReportedFlags = FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID;

// Clears the flags before a call. They are looked for first, as clearing takes longer.
inline void ForgetFlags() {
  if (std::fetestexcept(kReportedFlags) != 0) std::feclearexcept(kReportedFlags);
}

// Whether the call has raised one.
inline bool Raised() {
  if (__builtin_expect(static_cast<long>(std::fetestexcept(kReportedFlags) == 0), 1) != 0) {
    return false;
  }
  std::feclearexcept(kReportedFlags);
  return true;
}

}  // namespace dynacc::loops
