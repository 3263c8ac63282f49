#include "runtime/platform/fp_flags.h"

#include "gtest/gtest.h"

namespace dynacc::platform {
namespace {

TEST(FpFlagsTest, SeesArithmeticAndFeraiseexcept) {
  ClearHardwareFlags();
  EXPECT_EQ(HardwareFlags(), 0u);
  volatile double zero = 0;
  volatile double result = 1 / zero;
  (void)result;
  EXPECT_EQ(HardwareFlags(), uint32_t{FE_DIVBYZERO});
  // glibc raises overflow in the x87 status word.
  std::feraiseexcept(FE_OVERFLOW);
  EXPECT_TRUE(HardwareFlags() & FE_OVERFLOW);
  ClearHardwareFlags();
  EXPECT_EQ(HardwareFlags(), 0u);
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
}

TEST(FpFlagsTest, AScopeRestoresTheCallersFlags) {
  ClearHardwareFlags();
  RaiseHardwareFlags(FE_UNDERFLOW);
  {
    const ScopedFpFlags scope;
    EXPECT_EQ(ErrorFlags(), 0u);
    std::feraiseexcept(FE_INVALID | FE_OVERFLOW);
  }
  EXPECT_EQ(HardwareFlags(), uint32_t{FE_UNDERFLOW});
  ClearHardwareFlags();
}

}  // namespace
}  // namespace dynacc::platform
