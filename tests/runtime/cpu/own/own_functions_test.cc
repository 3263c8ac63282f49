#include "runtime/cpu/own/own_functions.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/cpu/own/number_functions.h"
#include "tests/runtime/tensor/view_of.h"

namespace dynacc::cpu {
namespace {

using testing::ViewOf;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kQuick = 0, kHeap = 1, kStable = 2;

std::vector<int64_t> PlacesOf(const OwnCall& call, std::vector<double> given) {
  std::vector<int64_t> places(given.size(), -1);
  const auto size = static_cast<int64_t>(given.size());
  const StridedView in = ViewOf(given, DType::kFloat64, {size});
  EXPECT_TRUE(RunOwn(call, {in}, ViewOf(places, DType::kInt64, {size})).ok());
  return places;
}

TEST(OwnFunctionsTest, NansComeLastAndZerosAreEqual) {
  const std::vector<double> given = {kNan, 0.0, -0.0, -1.0, kNan, 0.0};
  EXPECT_EQ(PlacesOf({"argsort", {-1, kStable}}, given), (std::vector<int64_t>{3, 1, 2, 5, 0, 4}));
}

TEST(OwnFunctionsTest, AllKindsSort) {
  std::vector<double> given;
  for (int i = 0; i < 999; ++i) given.push_back((i * 7919) % 1009);
  for (const int64_t kind : {kQuick, kHeap, kStable}) {
    const std::vector<int64_t> places = PlacesOf({"argsort", {0, kind}}, given);
    for (size_t i = 1; i < places.size(); ++i) EXPECT_LT(given[places[i - 1]], given[places[i]]);
  }
}

TEST(OwnFunctionsTest, SortsAlongAnyAxisOfAnyStrides) {
  std::vector<int32_t> given = {3, 1, 2, 9, 8, 7}, found(6);
  StridedView turned = ViewOf(given, DType::kInt32, {3, 2});  // columns of the 2 x 3 array
  turned.strides[0] = sizeof(int32_t);
  turned.strides[1] = 3 * sizeof(int32_t);
  ASSERT_TRUE(RunOwn({"sort", {0, kQuick}}, {turned}, ViewOf(found, DType::kInt32, {3, 2})).ok());
  EXPECT_EQ(found, (std::vector<int32_t>{1, 7, 2, 8, 3, 9}));
  ASSERT_TRUE(RunOwn({"sort", {kFlat, kQuick}}, {turned}, ViewOf(found, DType::kInt32, {6})).ok());
  EXPECT_EQ(found, (std::vector<int32_t>{1, 2, 3, 7, 8, 9}));
}

TEST(OwnFunctionsTest, ManyLinesOnSeveralThreads) {
  constexpr int64_t kRows = 300, kColumns = 301;
  std::vector<float> given(kRows * kColumns), found(kRows * kColumns);
  for (size_t i = 0; i < given.size(); ++i) given[i] = static_cast<float>((i * 31) % 1000);
  ASSERT_TRUE(RunOwn({"sort", {1, kQuick}}, {ViewOf(given, DType::kFloat32, {kRows, kColumns})},
                     ViewOf(found, DType::kFloat32, {kRows, kColumns}))
                  .ok());
  for (int64_t row = 0; row < kRows; ++row) {
    EXPECT_TRUE(std::is_sorted(&found[row * kColumns], &found[(row + 1) * kColumns])) << row;
  }
}

TEST(OwnFunctionsTest, MediansAndQuantiles) {
  std::vector<double> given = {4, 1, 3, 2, -0.0, -0.0, -0.0, kNan}, found(2);
  const StridedView in = ViewOf(given, DType::kFloat64, {2, 4});
  ASSERT_TRUE(RunOwn({"median", {1, 0}}, {in}, ViewOf(found, DType::kFloat64, {2})).ok());
  EXPECT_EQ(found[0], 2.5);
  EXPECT_TRUE(std::isnan(found[1]));
  const auto quarter = std::bit_cast<int64_t>(0.25);
  ASSERT_TRUE(
      RunOwn({"quantile", {1, quarter}}, {in}, ViewOf(found, DType::kFloat64, {2, 1})).ok());
  EXPECT_EQ(found[0], 1.75);
  given = {-0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0};
  for (const int64_t begins : {0, 1}) {
    ASSERT_TRUE(RunOwn({"median", {1, begins}}, {in}, ViewOf(found, DType::kFloat64, {2})).ok());
    EXPECT_EQ(std::signbit(found[0]), begins == 0);
  }
}

TEST(OwnFunctionsTest, SelectionsAreRightWhateverTheItems) {
  constexpr int64_t kSize = 2000;
  for (int pattern = 0; pattern < 4; ++pattern) {
    std::vector<double> given(kSize), found(kSize);
    for (int64_t i = 0; i < kSize; ++i) {
      const int64_t patterns[] = {i, kSize - i, i % 2 == 0 ? i / 2 : i / 2 + kSize / 2, i % 3};
      given[i] = static_cast<double>(patterns[pattern]);
    }
    ASSERT_TRUE(RunOwn({"partition", {0, 5, 1000, -1}}, {ViewOf(given, DType::kFloat64, {kSize})},
                       ViewOf(found, DType::kFloat64, {kSize}))
                    .ok());
    std::sort(given.begin(), given.end());
    for (const int64_t place : {int64_t{5}, int64_t{1000}, kSize - 1}) {
      EXPECT_EQ(found[place], given[place]) << pattern;
      for (int64_t i = 0; i < kSize; ++i) {
        EXPECT_TRUE(i < place ? found[i] <= found[place] : found[i] >= found[place]);
      }
    }
  }
}

TEST(OwnFunctionsTest, FailsWhereNumpyRaises) {
  std::vector<double> given(3), found(3);
  const StridedView in = ViewOf(given, DType::kFloat64, {3});
  const StridedView out = ViewOf(found, DType::kFloat64, {3});
  for (const int64_t place : {3, -4}) {
    EXPECT_EQ(RunOwn({"partition", {0, place}}, {in}, out).code(), absl::StatusCode::kAborted);
  }
  const StridedView none = ViewOf(given, DType::kFloat64, {0});
  EXPECT_EQ(RunOwn({"median", {kFlat, 1}}, {none}, ViewOf(found, DType::kFloat64, {})).code(),
            absl::StatusCode::kAborted);
  EXPECT_EQ(RunOwn({"sort", {0, kQuick}}, {in}, ViewOf(found, DType::kFloat64, {2})).code(),
            absl::StatusCode::kAborted);
}

TEST(OwnFunctionsTest, DigitizesByBinsThatRiseOrFall) {
  std::vector<double> values = {0.5, 1.0, 9.0, kNan}, rising = {0, 1, 2}, falling = {2, 1, 0};
  std::vector<double> mixed = {0, 2, 1};
  std::vector<int64_t> found(4);
  const StridedView in = ViewOf(values, DType::kFloat64, {4});
  const StridedView out = ViewOf(found, DType::kInt64, {4});
  const auto digitize = [&](int64_t right, std::vector<double>& bins) {
    const StridedView edges = ViewOf(bins, DType::kFloat64, {3});
    return RunOwn({"digitize", {right}}, {in, edges}, out);
  };
  ASSERT_TRUE(digitize(0, rising).ok());
  EXPECT_EQ(found, (std::vector<int64_t>{1, 2, 3, 3}));
  ASSERT_TRUE(digitize(1, rising).ok());
  EXPECT_EQ(found, (std::vector<int64_t>{1, 1, 3, 3}));
  ASSERT_TRUE(digitize(0, falling).ok());
  EXPECT_EQ(found, (std::vector<int64_t>{2, 1, 0, 0}));
  ASSERT_TRUE(digitize(1, falling).ok());
  EXPECT_EQ(found, (std::vector<int64_t>{2, 2, 0, 0}));
  EXPECT_EQ(digitize(0, mixed).code(), absl::StatusCode::kAborted);
}

// --- Single numbers.

constexpr auto kOperand = static_cast<int64_t>(NumberArgument::kOperand);
constexpr auto kInt = static_cast<int64_t>(NumberArgument::kInt);
constexpr auto kFloat = static_cast<int64_t>(NumberArgument::kFloat);

// Of one float64, perhaps with a constant behind it; NaN where it is an error.
double Number(const char* function, int64_t raises, double x, std::vector<int64_t> more = {}) {
  OwnCall call = {function, {raises, kOperand, 0}};
  call.numbers.insert(call.numbers.end(), more.begin(), more.end());
  std::vector<double> given = {x}, found = {0};
  const StridedView result = ViewOf(found, DType::kFloat64, {});
  EXPECT_EQ(WhyNotOwn(call, {{DType::kFloat64, 0}}, {DType::kFloat64, 0}), "") << function;
  const absl::Status status = RunOwn(call, {ViewOf(given, DType::kFloat64, {})}, result);
  EXPECT_TRUE(status.ok() || absl::IsAborted(status)) << status;
  return status.ok() ? found[0] : kNan;
}

TEST(OwnFunctionsTest, NumbersAsPythonComputesThem) {
  EXPECT_EQ(Number("math.sqrt", 1, 2), std::sqrt(2.0));
  EXPECT_EQ(Number("_operator.pow", 1, 2, {kInt, -1}), 0.5);
  EXPECT_EQ(Number("_operator.mod", 1, -1, {kInt, 3}), 2);
  EXPECT_EQ(Number("builtins.abs", 1, -1.5), 1.5);
  EXPECT_EQ(Number("builtins.max", 1, 2, {kFloat, std::bit_cast<int64_t>(3.5)}), 3.5);
  EXPECT_EQ(Number("builtins.min", 1, 2, {kFloat, std::bit_cast<int64_t>(3.5)}), 2);
}

TEST(OwnFunctionsTest, NumbersOfWhichPythonRaisesErrors) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(Number("math.sqrt", 1, -1)));
  EXPECT_TRUE(std::isnan(Number("math.log", 1, 0)));
  EXPECT_TRUE(std::isnan(Number("math.exp", 1, 1000)));
  EXPECT_TRUE(std::isnan(Number("_operator.truediv", 1, 1, {kInt, 0})));
  EXPECT_EQ(Number("math.exp", 1, kInfinity), kInfinity);
  EXPECT_EQ(Number("_operator.mul", 1, 1e308, {kInt, 10}), kInfinity);
  // NumPy's scalars only warn.
  EXPECT_EQ(Number("_operator.truediv", 0, 1, {kInt, 0}), kInfinity);
}

TEST(OwnFunctionsTest, WholeNumbersOf64Bits) {
  std::vector<int64_t> found = {0};
  const auto floor = [&](double x) {
    std::vector<double> given = {x};
    return RunOwn({"math.floor", {1, kOperand, 0}}, {ViewOf(given, DType::kFloat64, {})},
                  ViewOf(found, DType::kInt64, {}));
  };
  ASSERT_TRUE(floor(-1.5).ok());
  EXPECT_EQ(found[0], -2);
  ASSERT_TRUE(floor(-0x1p63).ok());
  EXPECT_EQ(found[0], INT64_MIN);
  for (const double x : {0x1p63, kNan}) {
    EXPECT_EQ(floor(x).code(), absl::StatusCode::kAborted);
  }
}

TEST(OwnFunctionsTest, ComparesNumbersWithTheLibrary) {
  const OwnCall call = {"math.sqrt", {1, kOperand, 0}};
  const OperandType number = {DType::kFloat64, 0};
  const auto ours = [&](absl::Span<const StridedView> operands, const StridedView& result) {
    return RunOwn(call, operands, result).ok();
  };
  EXPECT_TRUE(HasBitsOf(ours, call, {number}, number));
  // Another that has no errors is not the same.
  const auto lenient = [&](absl::Span<const StridedView> operands, const StridedView& result) {
    return RunOwn({"math.sqrt", {0, kOperand, 0}}, operands, result).ok();
  };
  EXPECT_FALSE(HasBitsOf(lenient, call, {number}, number));
}

TEST(OwnFunctionsTest, SaysWhatIsWrongWithACall) {
  const OperandType doubles = {DType::kFloat64, 2}, places = {DType::kInt64, 2};
  EXPECT_EQ(WhyNotOwn({"sort", {1, kQuick}}, {doubles}, doubles), "");
  const struct {
    OwnCall call;
    std::vector<OperandType> operands;
    OperandType result;
  } kWrong[] = {
      {{"fft", {}}, {doubles}, doubles},
      {{"sort", {}}, {doubles}, doubles},
      {{"sort", {1}}, {doubles}, doubles},
      {{"sort", {1, 3}}, {doubles}, doubles},
      {{"sort", {2, kQuick}}, {doubles}, doubles},
      {{"sort", {-3, kQuick}}, {doubles}, doubles},
      {{"sort", {1, kQuick}}, {}, doubles},
      {{"sort", {1, kQuick}}, {doubles}, places},
      {{"sort", {kFlat, kQuick}}, {doubles}, doubles},
      {{"sort", {0, kQuick}}, {{DType::kBFloat16, 1}}, {DType::kBFloat16, 1}},
      {{"argsort", {1, kQuick}}, {doubles}, doubles},
      {{"median", {0, 2}}, {doubles}, {DType::kFloat64, 1}},
      {{"median", {0, 1}}, {doubles}, {DType::kFloat64, 3}},
      {{"median", {0, 1}}, {{DType::kComplex128, 1}}, {DType::kFloat64, 0}},
      {{"quantile", {0, std::bit_cast<int64_t>(1.5)}}, {doubles}, {DType::kFloat64, 1}},
      {{"quantile", {0, std::bit_cast<int64_t>(kNan)}}, {doubles}, {DType::kFloat64, 1}},
      {{"searchsorted", {0}}, {{DType::kFloat64, 1}, {DType::kFloat32, 1}}, {DType::kInt64, 1}},
      {{"searchsorted", {0}}, {doubles, doubles}, places},
      {{"searchsorted", {2}}, {{DType::kFloat64, 1}, doubles}, places},
      {{"digitize", {0}}, {{DType::kFloat64, 1}, doubles}, {DType::kInt64, 1}},
      {{"digitize", {0}}, {{DType::kComplex64, 1}, {DType::kComplex64, 1}}, {DType::kInt64, 1}},
      {{"math.sqrt", {}}, {{DType::kFloat64, 0}}, {DType::kFloat64, 0}},
      {{"math.sqrt", {1, 0}}, {{DType::kFloat64, 0}}, {DType::kFloat64, 0}},
      {{"math.sqrt", {1, 3, 0}}, {}, {DType::kFloat64, 0}},
      {{"math.sqrt", {1, -1, 0}}, {}, {DType::kFloat64, 0}},
      {{"math.sqrt", {1, 0, 0}}, {}, {DType::kFloat64, 0}},
      {{"math.sqrt", {1, 0, 0}}, {doubles}, {DType::kFloat64, 0}},
      {{"math.sqrt", {1, 0, 0}}, {{DType::kComplex64, 0}}, {DType::kFloat64, 0}},
      {{"math.sqrt", {1, 0, 0}}, {{DType::kFloat64, 0}}, {DType::kFloat64, 1}},
      {{"math.sqrt", {1, 0, 0}}, {{DType::kFloat64, 0}}, {DType::kBool, 0}},
      {{"math.sqrt", {1, 0, 0, 2, 1}}, {{DType::kFloat64, 0}}, {DType::kFloat64, 0}},
      {{"math.floor", {1, 0, 0}}, {{DType::kFloat64, 0}}, {DType::kFloat32, 0}},
      {{"linalg.svd", {}}, {doubles}, doubles},
      {{"linalg.inv", {1}}, {doubles}, doubles},
      {{"linalg.inv", {}}, {places}, places},
      {{"linalg.inv", {}}, {{DType::kFloat64, 1}}, {DType::kFloat64, 1}},
      {{"linalg.det", {}}, {doubles}, doubles},
      {{"linalg.solve", {}}, {doubles}, doubles},
      {{"linalg.solve", {}}, {{DType::kFloat64, 3}, {DType::kFloat64, 1}}, {DType::kFloat64, 1}},
      {{"linalg.solve", {}}, {doubles, {DType::kFloat32, 2}}, doubles},
  };
  for (const auto& wrong : kWrong) {
    EXPECT_NE(WhyNotOwn(wrong.call, wrong.operands, wrong.result), "") << wrong.call.function;
  }
}

// A library whose sort differs in one element is found out, and so is one that never answers.
TEST(OwnFunctionsTest, ComparesWithTheLibrary) {
  const OwnCall call = {"argsort", {-1, kStable}};
  const OperandType doubles = {DType::kFloat64, 2}, places = {DType::kInt64, 2};
  const auto ours = [&](absl::Span<const StridedView> operands, const StridedView& result) {
    return RunOwn(call, operands, result).ok();
  };
  EXPECT_TRUE(HasBitsOf(ours, call, {doubles}, places));
  const auto unstable = [&](absl::Span<const StridedView> operands, const StridedView& result) {
    return RunOwn({"argsort", {-1, kHeap}}, operands, result).ok();
  };
  EXPECT_FALSE(HasBitsOf(unstable, call, {doubles}, places));
  const auto none = [](absl::Span<const StridedView>, const StridedView&) { return false; };
  EXPECT_FALSE(HasBitsOf(none, call, {doubles}, places));
}

}  // namespace
}  // namespace dynacc::cpu
