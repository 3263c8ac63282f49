// The hardware's sticky floating-point exception flags of the calling thread.
//
// The bits are those of <cfenv> (FE_INVALID, FE_DIVBYZERO, FE_OVERFLOW, FE_UNDERFLOW, FE_INEXACT).
// On x86-64 there are two sets: MXCSR, where arithmetic raises them, and the x87 status word, where
// glibc's feraiseexcept raises overflow and underflow (NumPy's loops call it). Reading looks at
// both; clearing touches the slow x87 one only if something is set there.
#pragma once

#include <cfenv>
#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace dynacc::platform {

#if defined(__x86_64__)

inline constexpr uint32_t kMxcsrFlags = 0x3f;

inline uint32_t X87Flags() {
  uint16_t status;
  __asm__ volatile("fnstsw %0" : "=a"(status));
  return status & kMxcsrFlags;
}

inline uint32_t HardwareFlags() { return (_mm_getcsr() & kMxcsrFlags) | X87Flags(); }

inline void ClearHardwareFlags() {
  const uint32_t csr = _mm_getcsr();
  if (csr & kMxcsrFlags) _mm_setcsr(csr & ~kMxcsrFlags);
  if (__builtin_expect(X87Flags() != 0, 0)) std::feclearexcept(FE_ALL_EXCEPT);
}

// Sets `flags` without an operation that would trap.
inline void RaiseHardwareFlags(uint32_t flags) {
  if (flags != 0) _mm_setcsr(_mm_getcsr() | flags);
}

#else

inline uint32_t HardwareFlags() { return std::fetestexcept(FE_ALL_EXCEPT); }
inline void ClearHardwareFlags() { std::feclearexcept(FE_ALL_EXCEPT); }
inline void RaiseHardwareFlags(uint32_t flags) { std::feraiseexcept(static_cast<int>(flags)); }

#endif

// Those that NumPy reports. Nearly all arithmetic is inexact: a flag that is always set says
// nothing, and clearing it again and again takes longer than a small kernel.
inline constexpr uint32_t kErrorFlags = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW;
inline uint32_t ErrorFlags() { return HardwareFlags() & kErrorFlags; }

// Runs a stretch with error flags of its own: clear at construction; at destruction the thread has
// again the flags it had, whatever was raised in between.
class ScopedFpFlags {
 public:
  ScopedFpFlags() : saved_(HardwareFlags()) {
    if ((saved_ & kErrorFlags) != 0) ClearHardwareFlags();
  }
  ~ScopedFpFlags() {
    if ((present_ == kNotLookedAt ? HardwareFlags() : present_) == saved_) return;
    ClearHardwareFlags();
    RaiseHardwareFlags(saved_);
  }
  ScopedFpFlags(const ScopedFpFlags&) = delete;
  ScopedFpFlags& operator=(const ScopedFpFlags&) = delete;

  // The error flags raised since the beginning or the last call; cleared. After the last call
  // nothing may be raised any more: the flags are not looked at again (that takes 10 ns).
  uint32_t Collect() {
    present_ = HardwareFlags();
    const uint32_t raised = present_ & kErrorFlags;
    if (raised != 0) {
      ClearHardwareFlags();
      present_ = 0;
    }
    return raised;
  }

 private:
  static constexpr uint32_t kNotLookedAt = ~uint32_t{0};

  uint32_t saved_;
  uint32_t present_ = kNotLookedAt;
};

}  // namespace dynacc::platform
