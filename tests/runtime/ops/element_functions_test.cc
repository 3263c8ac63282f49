// The corners of NumPy's arithmetic, with expectations as NumPy 1.24.2 on x86-64 gives them.
#include "runtime/ops/element_functions.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace dynacc {
namespace {

constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

template <typename T>
constexpr DType DTypeOf() {
#define DYNACC_DTYPE(name, text, type, kind, numpy) \
  if (std::is_same_v<T, type>) return DType::k##name;
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
}

template <typename T>
T Apply(Op op, T a, T b) {
  T result;
  FindBinaryElementFn(op, DTypeOf<T>())(&a, &b, &result);
  return result;
}

template <typename T>
T Apply(Op op, T a) {
  T result;
  FindUnaryElementFn(op, DTypeOf<T>())(&a, &result);
  return result;
}

template <typename To, typename From>
To Cast(From a) {
  To result;
  FindCastFn(DTypeOf<From>(), DTypeOf<To>())(&a, &result);
  return result;
}

TEST(ElementFunctions, IntegersWrap) {
  EXPECT_EQ(Apply<int8_t>(Op::kAdd, 127, 1), -128);
  EXPECT_EQ(Apply<uint16_t>(Op::kMultiply, 65535, 65535), 1);
  EXPECT_EQ(Apply<int64_t>(Op::kNegative, kMin64), kMin64);
  EXPECT_EQ(Apply<int64_t>(Op::kAbsolute, kMin64), kMin64);
  EXPECT_EQ(Apply<uint8_t>(Op::kNegative, 1), 255);
  EXPECT_EQ(Apply<int32_t>(Op::kPower, 3, 40), static_cast<int32_t>(12157665459056928801ull));
}

// Against the nearest of two neighbours, found by comparing distances.
TEST(ElementFunctions, BFloat16RoundsOnceToTheNearest) {
  const auto value_of = [](uint16_t bits) { return double{Cast<float>(BFloat16{bits})}; };
  for (uint16_t bits = 0; bits < 0x7f7f; ++bits) {
    const double low = value_of(bits), high = value_of(bits + 1), middle = (low + high) / 2;
    const uint16_t even = bits % 2 == 0 ? bits : bits + 1;
    EXPECT_EQ(Cast<BFloat16>(low).bits, bits);
    EXPECT_EQ(Cast<BFloat16>(middle).bits, even) << bits;
    EXPECT_EQ(Cast<BFloat16>(static_cast<float>(middle)).bits, even) << bits;
    EXPECT_EQ(Cast<BFloat16>(std::nextafter(middle, 0)).bits, bits) << bits;
    EXPECT_EQ(Cast<BFloat16>(-std::nextafter(middle, kInf)).bits, (bits + 1) | 0x8000) << bits;
  }
}

TEST(ElementFunctions, BFloat16HasInfinitiesAndQuietNans) {
  EXPECT_EQ(Cast<BFloat16>(1e39).bits, 0x7f80);
  EXPECT_EQ(Cast<BFloat16>(std::numeric_limits<float>::max()).bits, 0x7f80);
  EXPECT_EQ(Cast<BFloat16>(-kInf).bits, 0xff80);
  EXPECT_EQ(Cast<BFloat16>(-0.0).bits, 0x8000);
  EXPECT_EQ(Cast<BFloat16>(-1e-300).bits, 0x8000);
  EXPECT_EQ(Cast<BFloat16>(kNan).bits, 0x7fc0);
  EXPECT_EQ(Cast<BFloat16>(std::bit_cast<float>(0xff800001u)).bits, 0xffc0);
  EXPECT_EQ(Cast<BFloat16>(std::bit_cast<float>(0x7fbfffffu)).bits, 0x7fff);
  EXPECT_EQ(Cast<BFloat16>(int64_t{16777216 + 65536 + 1}).bits, 0x4b81);  // not by way of float32
  EXPECT_EQ(Cast<BFloat16>(true).bits, 0x3f80);
  EXPECT_EQ(Cast<int32_t>(BFloat16{0xc0e0}), -7);
  EXPECT_FALSE(Cast<bool>(BFloat16{0x8000}));
}

// The same of float8; tests/array_api/float8_test.py knows the formats by their definition.
template <typename T>
void ExpectNearest(uint8_t largest) {
  const auto value_of = [](int bits) { return double{Cast<float>(T{static_cast<uint8_t>(bits)})}; };
  for (int bits = 0; bits < largest; ++bits) {
    const double low = value_of(bits), high = value_of(bits + 1), middle = (low + high) / 2;
    EXPECT_LT(low, high);
    EXPECT_EQ(Cast<T>(low).bits, bits);
    EXPECT_EQ(Cast<T>(middle).bits, bits + bits % 2) << bits;
    EXPECT_EQ(Cast<T>(static_cast<float>(middle)).bits, bits + bits % 2) << bits;
    EXPECT_EQ(Cast<T>(std::nextafter(middle, 0)).bits, bits) << bits;
    EXPECT_EQ(Cast<T>(-std::nextafter(middle, kInf)).bits, (bits + 1) | 0x80) << bits;
  }
}

TEST(ElementFunctions, Float8RoundsOnceToTheNearest) {
  ExpectNearest<Float8E4M3FN>(0x7e);
  ExpectNearest<Float8E5M2>(0x7b);
}

TEST(ElementFunctions, Float8DoesNotSaturate) {
  EXPECT_EQ(Cast<float>(Float8E4M3FN{0x7e}), 448);
  EXPECT_EQ(Cast<Float8E4M3FN>(464.0).bits, 0x7e);
  EXPECT_EQ(Cast<Float8E4M3FN>(464.1f).bits, 0x7f);
  EXPECT_EQ(Cast<Float8E4M3FN>(-kInf).bits, 0xff);
  EXPECT_EQ(Cast<float>(Float8E5M2{0x7b}), 57344);
  EXPECT_EQ(Cast<Float8E5M2>(std::nextafter(61440.0, 0)).bits, 0x7b);
  EXPECT_EQ(Cast<Float8E5M2>(int64_t{61440}).bits, 0x7c);
  EXPECT_EQ(Cast<Float8E5M2>(-1e300).bits, 0xfc);
  EXPECT_EQ(Cast<Float8E5M2>(kNan).bits, 0x7e);
  EXPECT_EQ(Cast<Float8E5M2>(Float8E4M3FN{0xff}).bits, 0xfe);
  EXPECT_EQ(std::bit_cast<uint32_t>(Cast<float>(Float8E5M2{0xfd})), 0xffc00000u);
  EXPECT_EQ(Cast<Float8E4M3FN>(-1e-300).bits, 0x80);
}

TEST(ElementFunctions, FloorDivisionRoundsDown) {
  EXPECT_EQ(Apply<int32_t>(Op::kFloorDivide, -7, 2), -4);
  EXPECT_EQ(Apply<int32_t>(Op::kFloorDivide, 7, -2), -4);
  EXPECT_EQ(Apply<int32_t>(Op::kRemainder, -7, 2), 1);
  EXPECT_EQ(Apply<int32_t>(Op::kRemainder, 7, -2), -1);
  EXPECT_EQ(Apply<int32_t>(Op::kFmod, -7, 2), -1);
  EXPECT_EQ(Apply<int64_t>(Op::kFloorDivide, kMin64, -1), kMin64);
  EXPECT_EQ(Apply<int64_t>(Op::kRemainder, kMin64, -1), 0);
  EXPECT_EQ(Apply<double>(Op::kFloorDivide, -7.5, 2), -4);
  EXPECT_EQ(Apply<double>(Op::kRemainder, -7.5, 2), 0.5);
  EXPECT_TRUE(std::signbit(Apply<double>(Op::kRemainder, 4.0, -2.0)));
  EXPECT_EQ(Apply<double>(Op::kFloorDivide, 1.0, 0.0), kInf);
  EXPECT_TRUE(std::isnan(Apply<double>(Op::kRemainder, 1.0, 0.0)));
  EXPECT_EQ(Apply<double>(Op::kRemainder, -1.0, kInf), kInf);
}

TEST(ElementFunctions, IntegerDivisionByZeroGivesZeroAndAFlag) {
  for (const Op op : {Op::kFloorDivide, Op::kRemainder, Op::kFmod}) {
    std::feclearexcept(FE_ALL_EXCEPT);
    EXPECT_EQ(Apply<int16_t>(op, 7, 0), 0);
    EXPECT_NE(std::fetestexcept(FE_DIVBYZERO), 0);
  }
  std::feclearexcept(FE_ALL_EXCEPT);
}

TEST(ElementFunctions, ShiftsByTheWidthShiftEverythingOut) {
  EXPECT_EQ(Apply<int32_t>(Op::kLeftShift, 1, 31), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(Apply<int32_t>(Op::kLeftShift, 1, 32), 0);
  EXPECT_EQ(Apply<int32_t>(Op::kLeftShift, 1, -1), 0);
  EXPECT_EQ(Apply<int32_t>(Op::kRightShift, -8, 1), -4);
  EXPECT_EQ(Apply<int32_t>(Op::kRightShift, -8, 32), -1);
  EXPECT_EQ(Apply<uint8_t>(Op::kRightShift, 255, 8), 0);
}

TEST(ElementFunctions, ExtremaTreatNanAsTheyShould) {
  EXPECT_TRUE(std::isnan(Apply<double>(Op::kMaximum, 1, kNan)));
  EXPECT_TRUE(std::isnan(Apply<double>(Op::kMinimum, kNan, 1)));
  EXPECT_EQ(Apply<double>(Op::kFmax, 1, kNan), 1);
  EXPECT_EQ(Apply<double>(Op::kFmin, kNan, 1), 1);
}

TEST(ElementFunctions, BoolArithmeticIsLogic) {
  EXPECT_TRUE(Apply<bool>(Op::kAdd, true, true));
  EXPECT_FALSE(Apply<bool>(Op::kMultiply, true, false));
  EXPECT_TRUE(Apply<bool>(Op::kInvert, false));
  EXPECT_EQ(FindBinaryElementFn(Op::kSubtract, DType::kBool), nullptr);
}

TEST(ElementFunctions, OpsAreNullWhereNumPyCastsFirst) {
  EXPECT_EQ(FindUnaryElementFn(Op::kSin, DType::kInt64), nullptr);
  EXPECT_EQ(FindUnaryElementFn(Op::kInvert, DType::kFloat64), nullptr);
  EXPECT_EQ(FindBinaryElementFn(Op::kDivide, DType::kInt32), nullptr);
}

TEST(ElementFunctions, CastsOfUnfitFloatsAreThoseOfX86) {
  EXPECT_EQ(Cast<int64_t>(1e30), kMin64);
  EXPECT_EQ(Cast<int64_t>(kNan), kMin64);
  EXPECT_EQ(Cast<int32_t>(-1e30), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(Cast<int32_t>(-2147483648.5), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(Cast<uint8_t>(-1.0), 255);
  EXPECT_EQ(Cast<uint8_t>(300.7), 44);
  EXPECT_EQ(Cast<int8_t>(kInf), 0);
  EXPECT_EQ(Cast<uint32_t>(-1.0f), 4294967295u);
  EXPECT_EQ(Cast<uint64_t>(-1.0), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(Cast<uint64_t>(9.3e18), 9300000000000000000u);
  EXPECT_TRUE(Cast<bool>(kNan));
  EXPECT_EQ(Cast<int8_t>(int32_t{300}), 44);
  EXPECT_EQ(Cast<float>(1e300), std::numeric_limits<float>::infinity());
}

TEST(ElementFunctions, GcdAndLcmAreOfMagnitudes) {
  EXPECT_EQ(Apply<int32_t>(Op::kGcd, -12, 18), 6);
  EXPECT_EQ(Apply<int32_t>(Op::kGcd, 0, 0), 0);
  EXPECT_EQ(Apply<int32_t>(Op::kLcm, -4, 6), 12);
  EXPECT_EQ(Apply<int32_t>(Op::kLcm, 0, 6), 0);
}

TEST(ElementFunctions, LogaddexpOfEqualInfinitiesIsQuiet) {
  std::feclearexcept(FE_ALL_EXCEPT);
  EXPECT_EQ(Apply<double>(Op::kLogaddexp, kInf, kInf), kInf);
  EXPECT_EQ(Apply<double>(Op::kLogaddexp, -kInf, -kInf), -kInf);
  EXPECT_EQ(std::fetestexcept(FE_INVALID), 0);
}

}  // namespace
}  // namespace dynacc
