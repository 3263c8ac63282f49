#include "runtime/cpu/tiles/tile_kernel.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/kernel/kernel_text.h"
#include "tests/codegen/mimic_loops.h"

namespace dynacc::cpu {
namespace {

std::shared_ptr<const kernel::CompiledKernel> Compile(const char* text) {
  testing::RegisterMimicLoops();
  auto kernel = kernel::ParseKernel(text);
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  auto compiled = TileKernel::Make(*kernel);
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return *compiled;
}

constexpr char kChain[] =
    "kernel k(v0: f64, v1: f64) -> (v3, v5)\n"
    "  v2: f64 = add(v0, v1)\n"
    "  v3: f64 = exp(v2) library\n"
    "  v4: f64 = subtract(v3, v0)\n"
    "  v5: f64 = multiply(v4, v2)\n";

double First(double a, double b) { return std::exp(a + b); }
double Second(double a, double b) { return (First(a, b) - a) * (a + b); }

// Sizes around the tile's, strides with gaps, backwards and 0.
TEST(TileKernelTest, RunsAnySizeAndStride) {
  const auto kernel = Compile(kChain);
  for (const int64_t n : {0, 1, 2, 1023, 1024, 1025, 5000}) {
    std::vector<double> a(2 * n + 1), first(n + 1), second(3 * n + 1);
    for (size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<double>(i));
    const double b = 0.25;
    char* pointers[] = {
        reinterpret_cast<char*>(a.data() + 2 * n), reinterpret_cast<char*>(const_cast<double*>(&b)),
        reinterpret_cast<char*>(first.data()), reinterpret_cast<char*>(second.data())};
    const int64_t strides[] = {-16, 0, 8, 24};
    kernel->Run(pointers, strides, n);
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(first[i], First(a[2 * (n - i)], b)) << n << " " << i;
      ASSERT_EQ(second[3 * i], Second(a[2 * (n - i)], b)) << n << " " << i;
    }
  }
}

// An output may lie exactly over an input that later steps still read.
TEST(TileKernelTest, AnOutputMayLieOverAnInput) {
  const auto kernel = Compile(kChain);
  const int64_t n = 3000;
  std::vector<double> a(n), b(n), second(n);
  for (int64_t i = 0; i < n; ++i) {
    a[i] = std::cos(static_cast<double>(i));
    b[i] = 1.0 / static_cast<double>(i + 1);
  }
  std::vector<double> over = a;
  char* pointers[] = {reinterpret_cast<char*>(over.data()), reinterpret_cast<char*>(b.data()),
                      reinterpret_cast<char*>(over.data()), reinterpret_cast<char*>(second.data())};
  const int64_t strides[] = {8, 8, 8, 8};
  kernel->Run(pointers, strides, n);
  for (int64_t i = 0; i < n; ++i) {
    ASSERT_EQ(over[i], First(a[i], b[i])) << i;
    ASSERT_EQ(second[i], Second(a[i], b[i])) << i;
  }
}

TEST(TileKernelTest, OneValueMayBeTwoOutputs) {
  const auto kernel = Compile("kernel k(v0: f64) -> (v1, v1)\n  v1: f64 = negative(v0)\n");
  double x = 3, first = 0, second = 0;
  char* pointers[] = {reinterpret_cast<char*>(&x), reinterpret_cast<char*>(&first),
                      reinterpret_cast<char*>(&second)};
  const int64_t strides[] = {0, 0, 0};
  kernel->Run(pointers, strides, 1);
  EXPECT_EQ(first, -3);
  EXPECT_EQ(second, -3);
}

TEST(TileKernelTest, NamesAMissingLoop) {
  const auto kernel =
      kernel::ParseKernel("kernel k(v0: u8) -> (v1)\n  v1: u8 = gcd(v0, v0) library\n");
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  const auto compiled = TileKernel::Make(*kernel);
  EXPECT_EQ(compiled.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(std::string(compiled.status().message()), "no library loop for gcd on u8");
}

}  // namespace
}  // namespace dynacc::cpu
