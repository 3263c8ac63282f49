#include "runtime/kernel/kernel_text.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/kernel/kernel_verifier.h"

namespace dynacc::kernel {
namespace {

TEST(KernelTextTest, PrintsWhatItParses) {
  const char* text =
      "kernel k0(v0: f64, v1: f32, v2: bool) -> (v4, v6)\n"
      "  v3: f64 = cast(v1)\n"
      "  v4: f64 = exp(v3) library\n"
      "  v5: f64 = add(v0, v4)\n"
      "  v6: f64 = where(v2, v5, v0)\n";
  auto kernel = ParseKernel(text);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_EQ(KernelText(*kernel), text);
  EXPECT_EQ(kernel->steps[0].dtype, DType::kFloat32);
  EXPECT_EQ(kernel->steps[3].dtype, DType::kFloat64);
  EXPECT_TRUE(kernel->steps[1].library);
  EXPECT_EQ(kernel->steps[1].form, 0);
  EXPECT_FALSE(kernel->non_temporal);
}

TEST(KernelTextTest, SaysWhetherAKernelStoresNonTemporally) {
  const char* text = "kernel k0(v0: f64) -> (v1) non_temporal\n  v1: f64 = exp(v0) library\n";
  auto kernel = ParseKernel(text);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_TRUE(kernel->non_temporal);
  EXPECT_EQ(KernelText(*kernel), text);
}

TEST(KernelTextTest, SaysWhichFormALibrarysLoopHas) {
  const std::string header = "kernel k0(v0: f32) -> (v1)\n", step = "  v1: f32 = exp(v0) library";
  auto kernel = ParseKernel(absl::StrCat(header, step, " form 1\n"));
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_EQ(kernel->steps[0].form, 1);
  EXPECT_EQ(KernelText(*kernel), absl::StrCat(header, step, " form 1\n"));
  for (const char* form : {" form", " form one", " form 0", " form -1", " form 1 2"}) {
    EXPECT_FALSE(ParseKernel(absl::StrCat(header, step, form, "\n")).ok()) << form;
  }
}

TEST(KernelTextTest, SaysHowAKernelIsTuned) {
  for (const char* tuning : {" tile 256 unroll 4", " tile 256", " unroll 4", " folds tile 512"}) {
    const std::string text =
        absl::StrCat("kernel k0(v0: f64) -> (v1)", tuning, "\n  v1: f64 = exp(v0) library\n");
    auto kernel = ParseKernel(text);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    EXPECT_EQ(kernel->unroll, absl::StrContains(text, "unroll") ? 4 : 0);
    EXPECT_EQ(KernelText(*kernel), text);
  }
  for (const char* tuning : {" tile", " tile many", " unroll 4 tile 256"}) {
    EXPECT_FALSE(ParseKernel(absl::StrCat("kernel k0(v0: f64) -> (v1)", tuning, "\n")).ok());
  }
}

TEST(KernelTextTest, SaysWhetherAKernelFolds) {
  const char* text = "kernel k0(v0: f64) -> (v1) folds\n  v1: f64 = multiply(v0, v0)\n";
  auto kernel = ParseKernel(text);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_TRUE(kernel->folds);
  EXPECT_EQ(KernelText(*kernel), text);
}

TEST(KernelTextTest, RejectsWhatIsNoKernel) {
  struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"kernel k(v0: f64) -> (v1)\n  v1: f64 = fly(v0)\n", "line 2"},
      {"kernel k(v0: f64) -> (v1)\n  v2: f64 = exp(v0)\n", "line 2"},
      {"kernel k(v0: f99) -> (v1)\n", "line 1"},
      {"kernel k(v0: f64) -> (v1)\n  v1: f64 = add(v0)\n", "operand 1 is not an earlier value"},
      {"kernel k(v0: f64) -> (v1)\n  v1: f64 = exp(v0, v0)\n", "too many operands"},
      {"kernel k(v0: f64) -> (v1)\n  v1: f32 = exp(v0)\n", "result should be f64"},
      {"kernel k(v0: f64) -> (v0)\n", "an output must be the value of a step"},
      {"kernel k(v0: f64) -> (v1)\n  v1: f64 = reduce_sum(v0)\n", "cannot be in a kernel"},
      {"kernel k(v0: f64, v1: f32) -> (v2)\n  v2: f64 = add(v0, v1)\n", "operand 1 has dtype f32"},
      {"kernel k(v0: f64) -> (v1)\n  v1: f64 = where(v0, v0, v0)\n", "operand 0 has dtype f64"},
  };
  for (const auto& c : cases) {
    const auto kernel = ParseKernel(c.text);
    EXPECT_EQ(kernel.status().code(), absl::StatusCode::kInvalidArgument) << c.text;
    EXPECT_THAT(std::string(kernel.status().message()), ::testing::HasSubstr(c.message));
  }
}

}  // namespace
}  // namespace dynacc::kernel
