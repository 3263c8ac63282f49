// Kernels under fast_math: the error bounds that prelude/fast_math.h states, and contraction.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "absl/strings/match.h"
#include "codegen/targets/cpu/cpu_target.h"
#include "runtime/platform/cpu_level.h"
#include "tests/runtime/kernel/kernel_builder.h"

namespace dynacc::cpu {
namespace {

std::shared_ptr<const kernel::CompiledKernel> Compile(Op op, DType dtype) {
  static cache::KernelCache& cache = *new cache::KernelCache("");
  kernel::KernelBuilder b("k");
  const int x = b.Input(dtype);
  kernel::Kernel kernel = b.Build({b.Library(op, x)});
  kernel.fast_math = true;
  const auto compiled = MakeCpuTarget(cache)->CompileKernels({kernel});
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return compiled.ok() ? compiled->front() : nullptr;
}

// |got - want| in units of the last place of T at `want`.
template <typename T>
double Ulps(T got, long double want) {
  const T rounded = static_cast<T>(want);
  if (std::isnan(rounded)) return std::isnan(got) ? 0 : 1e9;
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : 1e9;
  const T next = std::nextafter(std::fabs(rounded), std::numeric_limits<T>::infinity());
  const long double unit = static_cast<long double>(next) - std::fabs(rounded);
  return static_cast<double>(std::fabs(got - want) / unit);
}

template <typename T>
std::vector<T> Arguments(double low, double high) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(low, high), exponent(-300, 300);
  std::vector<T> values = {T(0),
                           T(-0.0),
                           std::numeric_limits<T>::infinity(),
                           -std::numeric_limits<T>::infinity(),
                           std::numeric_limits<T>::quiet_NaN(),
                           std::numeric_limits<T>::max(),
                           std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::denorm_min()};
  for (int i = 0; i < 200000; ++i) values.push_back(static_cast<T>(uniform(random)));
  for (int i = 0; i < 20000; ++i) {
    const double magnitude = std::exp2(exponent(random) * sizeof(T) / 4);
    values.push_back(static_cast<T>(random() % 2 ? magnitude : -magnitude));
  }
  return values;
}

template <typename T>
void ExpectWithin(double bound, Op op, long double (*function)(long double), double low,
                  double high) {
  const auto kernel = Compile(op, sizeof(T) == 4 ? DType::kFloat32 : DType::kFloat64);
  ASSERT_NE(kernel, nullptr);
  std::vector<T> x = Arguments<T>(low, high), y(x.size());
  char* pointers[] = {reinterpret_cast<char*>(x.data()), reinterpret_cast<char*>(y.data())};
  const int64_t strides[] = {sizeof(T), sizeof(T)};
  kernel->Run(pointers, strides, static_cast<int64_t>(x.size()));
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double ulps = Ulps<T>(y[i], function(static_cast<long double>(x[i])));
    EXPECT_LE(ulps, bound) << dynacc::Info(op).text << "(" << x[i] << ") = " << y[i];
    worst = std::max(worst, ulps);
    if (ulps > bound) break;
  }
  testing::Test::RecordProperty("worst_ulps", std::to_string(worst));
  std::printf("%s, %zu bytes: worst %.2f ULP\n", dynacc::Info(op).text, sizeof(T), worst);
}

TEST(FastMathTest, Exp) {
  ExpectWithin<float>(2, Op::kExp, std::exp, -105, 90);
  ExpectWithin<double>(2, Op::kExp, std::exp, -750, 712);
}

TEST(FastMathTest, Log) {
  ExpectWithin<float>(1, Op::kLog, std::log, -1, 3);
  ExpectWithin<double>(1, Op::kLog, std::log, -1, 3);
}

TEST(FastMathTest, Tanh) {
  ExpectWithin<float>(3, Op::kTanh, std::tanh, -12, 12);
  ExpectWithin<double>(3, Op::kTanh, std::tanh, -25, 25);
}

// x * y + z rounds once under fast_math and twice without.
TEST(FastMathTest, Contracts) {
  if (platform::KernelCpuLevel() == "x86-64-v2") GTEST_SKIP() << "a CPU without fused products";
  cache::KernelCache cache("");
  double x = 1 + 0x1p-30, y = 1 - 0x1p-30, z = -1, result[2];
  for (const bool fast : {false, true}) {
    kernel::KernelBuilder b("k");
    const int vx = b.Input(DType::kFloat64), vy = b.Input(DType::kFloat64);
    const int vz = b.Input(DType::kFloat64);
    kernel::Kernel kernel = b.Build({b.Step(Op::kAdd, b.Step(Op::kMultiply, vx, vy), vz)});
    kernel.fast_math = fast;
    const auto compiled = MakeCpuTarget(cache)->CompileKernels({kernel});
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    char* pointers[] = {reinterpret_cast<char*>(&x), reinterpret_cast<char*>(&y),
                        reinterpret_cast<char*>(&z), reinterpret_cast<char*>(&result[fast])};
    const int64_t strides[] = {8, 8, 8, 8};
    compiled->front()->Run(pointers, strides, 1);
  }
  EXPECT_EQ(result[false], 0);
  EXPECT_EQ(result[true], std::fma(x, y, z));
}

}  // namespace
}  // namespace dynacc::cpu
