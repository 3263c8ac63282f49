#include "runtime/cpu/own/own_loops.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/cpu/own/own_exponentials.h"
#include "runtime/cpu/own/samples.h"
#include "tests/runtime/executor/numpy_like_loops.h"

namespace dynacc::cpu {
namespace {

template <typename T>
T Reduced(Op op, DType dtype, T start, std::vector<T> data, intptr_t gap = 1) {
  const kernel::LibraryLoop loop = OwnLoop(op, dtype);
  T acc = start;
  char* args[] = {reinterpret_cast<char*>(&acc), reinterpret_cast<char*>(data.data()),
                  reinterpret_cast<char*>(&acc)};
  const intptr_t count = (static_cast<intptr_t>(data.size()) + gap - 1) / gap;
  const intptr_t steps[] = {0, gap * static_cast<intptr_t>(sizeof(T)), 0};
  loop.fn(args, &count, steps, loop.data);
  return acc;
}

TEST(OwnLoopsTest, ThereIsOneForWhatKernelsCall) {
  for (int i = 0; i < NumOps(); ++i) {
    const Op op = static_cast<Op>(i);
    if (!IsElementwise(op) || Info(op).numpy[0] == '\0') continue;
    const bool real = OwnLoop(op, DType::kFloat64) || OwnLoop(op, DType::kInt64) ||
                      OwnLoop(op, DType::kBool) || OwnLoop(op, DType::kComplex128);
    EXPECT_TRUE(real) << Info(op).text;
  }
  EXPECT_FALSE(OwnLoop(Op::kView, DType::kFloat64));
  EXPECT_FALSE(OwnLoop(Op::kReduceSum, DType::kFloat16));
  EXPECT_FALSE(OwnLoop(Op::kReduceSum, DType::kComplex128));
  EXPECT_FALSE(OwnLoop(Op::kMatmul, DType::kComplex64));
}

TEST(OwnLoopsTest, SumsArePairwise) {
  // 1 and 128 numbers that vanish beside it one by one.
  std::vector<double> data(1024, 0x1p-53);
  data[0] = 1;
  EXPECT_GT(Reduced(Op::kReduceSum, DType::kFloat64, 0.0, data), 1.0);
  for (const intptr_t gap : {1, 3}) {
    std::vector<float> floats;
    for (int i = 0; i < 3000; ++i) floats.push_back(std::sin(static_cast<float>(i)) * 100);
    float expected = 1.5f;
    const intptr_t count = (3000 + gap - 1) / gap, steps[] = {0, gap * 4, 0};
    char* args[] = {reinterpret_cast<char*>(&expected), reinterpret_cast<char*>(floats.data()),
                    reinterpret_cast<char*>(&expected)};
    testing::AddLoop<float>(args, &count, steps, nullptr);
    EXPECT_EQ(Reduced(Op::kReduceSum, DType::kFloat32, 1.5f, floats, gap), expected);
  }
  EXPECT_EQ(
      Reduced<int64_t>(Op::kReduceSum, DType::kInt64, 2, {std::numeric_limits<int64_t>::max(), 1}),
      std::numeric_limits<int64_t>::min() + 2);
}

TEST(OwnLoopsTest, ExtremesOfZerosAndNans) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Reduced<double>(Op::kReduceMax, DType::kFloat64, -5, {1, 7, 3}), 7);
  EXPECT_EQ(Reduced<double>(Op::kReduceMin, DType::kFloat64, 5, {1, -7, 3}), -7);
  EXPECT_TRUE(std::isnan(Reduced<double>(Op::kReduceMax, DType::kFloat64, 0, {1, kNan, 3})));
  EXPECT_TRUE(std::isnan(Reduced<double>(Op::kReduceMin, DType::kFloat64, kNan, {1, 2})));
  EXPECT_TRUE(std::signbit(Reduced<double>(Op::kReduceMax, DType::kFloat64, 0.0, {-0.0})));
  EXPECT_FALSE(std::signbit(Reduced<double>(Op::kReduceMax, DType::kFloat64, -0.0, {0.0})));
}

// Of the numbers of float32, every 4,093rd: as the correctly rounded exponential to three units.
TEST(OwnLoopsTest, ExponentialsOfFloat32) {
  const kernel::LibraryLoop loop = ExponentialLoop(QuotientRounding::kOnce);
  std::vector<float> x, y, strided;
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 4093) {
    float number;
    const auto low = static_cast<uint32_t>(bits);
    std::memcpy(&number, &low, sizeof number);
    x.push_back(number);
  }
  y.resize(x.size());
  strided.resize(2 * x.size());
  const auto count = static_cast<intptr_t>(x.size());
  char* args[] = {reinterpret_cast<char*>(x.data()), reinterpret_cast<char*>(y.data())};
  const intptr_t steps[] = {4, 4}, gaps[] = {4, 8};
  loop.fn(args, &count, steps, loop.data);
  args[1] = reinterpret_cast<char*>(strided.data());
  loop.fn(args, &count, gaps, loop.data);
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = std::exp(static_cast<double>(x[i]));
    const auto rounded = static_cast<float>(exact);
    ASSERT_TRUE(std::memcmp(&strided[2 * i], &y[i], 4) == 0) << x[i];
    if (std::isnan(x[i])) {
      ASSERT_TRUE(std::isnan(y[i]));
    } else if (!std::isfinite(rounded)) {
      ASSERT_FALSE(std::isfinite(y[i])) << x[i];
    } else {
      const double unit = std::max(0x1p-149, std::ldexp(static_cast<double>(rounded), -23));
      ASSERT_LE(std::abs(y[i] - exact), 3 * unit) << x[i];
    }
  }
}

// The way of machines without AVX-512 has the very bits of the vectors.
TEST(OwnLoopsTest, ExponentialsOneByOneHaveTheVectorsBits) {
  std::vector<float> numbers(std::begin(kRoundingSamples), std::end(kRoundingSamples));
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 4091) {
    numbers.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  for (const QuotientRounding rounding : {QuotientRounding::kOnce, QuotientRounding::kTwice}) {
    for (float x : numbers) {
      float vector = 0;
      char* args[] = {reinterpret_cast<char*>(&x), reinterpret_cast<char*>(&vector)};
      const intptr_t count = 1, steps[] = {4, 4};
      ExponentialLoop(rounding).fn(args, &count, steps, nullptr);
      const float single = ExponentialOneByOne(rounding, x);
      ASSERT_TRUE(AreSame(reinterpret_cast<const char*>(&single),
                          reinterpret_cast<const char*>(&vector), DType::kFloat32))
          << x << ": " << single << " and " << vector;
    }
  }
}

TEST(OwnLoopsTest, FindsTheFormOfExp) {
  const auto form = [](QuotientRounding rounding) {
    return FindForm(ExponentialLoop(rounding), Op::kExp, DType::kFloat32);
  };
  EXPECT_EQ(form(QuotientRounding::kOnce), 0);
  EXPECT_EQ(form(QuotientRounding::kTwice), 1);
  EXPECT_FALSE(OwnLoop(Op::kExp, DType::kFloat32, 2));
}

TEST(OwnLoopsTest, ProductsAreInOrder) {
  // (1e16 + 1) - 1e16 is 0 in this order.
  const std::vector<double> a = {1e16, 1, -1e16, 2, 3, 4}, b = {1, 1, 1};
  double c[2] = {};
  const kernel::LibraryLoop loop = OwnLoop(Op::kMatmul, DType::kFloat64);
  char* args[] = {reinterpret_cast<char*>(const_cast<double*>(a.data())),
                  reinterpret_cast<char*>(const_cast<double*>(b.data())),
                  reinterpret_cast<char*>(c)};
  const intptr_t sizes[] = {1, 2, 3, 1}, steps[] = {0, 0, 0, 24, 8, 8, 8, 8, 8};
  loop.fn(args, sizes, steps, loop.data);
  EXPECT_EQ(c[0], 0);
  EXPECT_EQ(c[1], 9);
  c[0] = c[1] = 7;
  const intptr_t empty[] = {1, 2, 0, 1};
  loop.fn(args, empty, steps, loop.data);
  EXPECT_EQ(c[0], 0);
}

// --- The comparison with a library's loops.

TEST(LoopComparisonTest, FindsOtherBits) {
  EXPECT_EQ(FindForm(OwnLoop(Op::kExp, DType::kFloat64), Op::kExp, DType::kFloat64), 0);
  EXPECT_EQ(FindForm({testing::AddLoop<double>, nullptr}, Op::kReduceSum, DType::kFloat64), 0);
  const auto nearly = testing::UnaryLoop<double, [](double a) {
    return std::exp(a) * (a > 3.9 && a < 4.0 ? 1 + 0x1p-52 : 1);
  }>;
  EXPECT_EQ(FindForm({nearly, nullptr}, Op::kExp, DType::kFloat64), std::nullopt);
  const auto one_by_one = testing::BinaryLoop<double, [](double a, double b) { return a + b; }>;
  EXPECT_EQ(FindForm({one_by_one, nullptr}, Op::kReduceSum, DType::kFloat64), std::nullopt);
  EXPECT_EQ(FindForm({}, Op::kExp, DType::kFloat64), std::nullopt);
  EXPECT_EQ(FindForm({one_by_one, nullptr}, Op::kReduceSum, DType::kComplex128), std::nullopt);
}

}  // namespace
}  // namespace dynacc::cpu
