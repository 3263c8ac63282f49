// Products by oneDNN with epilogues: every step of epilogue.def against plain loops in double.
#include "runtime/cpu/onednn/fused_matmul.h"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/cpu/onednn/library.h"

namespace dynacc::cpu {
namespace {

constexpr int kNumKinds = 0
#define DYNACC_EPILOGUE(name, text, form, exactness, algorithm) +1
#include "runtime/cpu/onednn/epilogue.def"
#undef DYNACC_EPILOGUE
    ;

double Apply(const FusedMatmulStep& step, double x, double operand) {
  const double alpha = step.alpha, beta = step.beta;
  switch (step.kind) {
    case EpilogueKind::kAdd:
      return x + operand;
    case EpilogueKind::kSubtract:
      return x - operand;
    case EpilogueKind::kMultiply:
      return x * operand;
    case EpilogueKind::kRelu:
      return x > 0 ? x : alpha * x;
    case EpilogueKind::kAbsolute:
      return std::fabs(x);
    case EpilogueKind::kLinear:
      return alpha * x + beta;
    case EpilogueKind::kClip:
      return std::min(std::max(x, alpha), beta);
    case EpilogueKind::kSquare:
      return x * x;
    case EpilogueKind::kTanh:
      return std::tanh(x);
    case EpilogueKind::kLogistic:
      return 1 / (1 + std::exp(-x));
    case EpilogueKind::kSwish:
      return x / (1 + std::exp(-alpha * x));
    case EpilogueKind::kGelu:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  }
  return NAN;
}

struct Sizes {
  int64_t stack, rows, inner, columns;
};
// Of one part and several, with last parts that are smaller; stacks; single rows and columns.
constexpr Sizes kSizes[] = {{1, 5, 7, 9},    {1, 128, 64, 96}, {1, 300, 33, 65},
                            {1, 1, 500, 70}, {1, 70, 500, 1},  {1, 4, 1, 4},
                            {3, 20, 30, 40}, {7, 129, 16, 17}, {1, 700, 90, 110}};

class FusedMatmulTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!OneDnnStatus().ok()) GTEST_SKIP() << OneDnnStatus();
  }

  std::vector<float> Draw(int64_t n) {
    std::uniform_real_distribution<float> numbers(-1, 1);
    std::vector<float> result(n);
    for (float& x : result) x = numbers(engine_);
    return result;
  }

  // Operands in C order, or each matrix transposed.
  void Make(const Sizes& s, bool transposed) {
    a_ = Draw(s.stack * s.rows * s.inner);
    b_ = Draw(s.stack * s.inner * s.columns);
    c_.assign(s.stack * s.rows * s.columns, NAN);
    product_ = {};
    product_.stack = s.stack;
    product_.rows = s.rows;
    product_.inner = s.inner;
    product_.columns = s.columns;
    product_.a = Stack(a_, s.rows, s.inner, transposed);
    product_.b = Stack(b_, s.inner, s.columns, transposed);
    product_.c = reinterpret_cast<char*>(c_.data());
  }

  static MatrixStack Stack(const std::vector<float>& data, int64_t rows, int64_t columns,
                           bool transposed) {
    return {reinterpret_cast<const char*>(data.data()), rows * columns, transposed ? 1 : columns,
            transposed ? rows : 1};
  }

  FusedMatmulStep Step(EpilogueKind kind, const std::vector<float>* array, bool is_row) {
    const char* data = array == nullptr ? nullptr : reinterpret_cast<const char*>(array->data());
    return {kind, kind == EpilogueKind::kSwish ? 1.0F : -0.25F, 0.5F, data, is_row};
  }

  // The upper halves of the numbers, which lose the lower ones.
  static std::vector<uint16_t> Narrow(std::vector<float>& numbers) {
    std::vector<uint16_t> result;
    for (float& x : numbers) {
      uint32_t bits;
      std::memcpy(&bits, &x, sizeof bits);
      bits &= 0xFFFF0000U;
      std::memcpy(&x, &bits, sizeof bits);
      result.push_back(static_cast<uint16_t>(bits >> 16));
    }
    return result;
  }

  double Element(int64_t i, int64_t row, int64_t column) const {
    const FusedMatmul& p = product_;
    double sum = 0;
    for (int64_t k = 0; k < p.inner; ++k) {
      sum += double{a_[i * p.a.stride + row * p.a.row + k * p.a.column]} *
             double{b_[i * p.b.stride + k * p.b.row + column * p.b.column]};
    }
    const int64_t place = (i * p.rows + row) * p.columns + column;
    for (const FusedMatmulStep& step : p.epilogue) {
      const auto* array = reinterpret_cast<const float*>(step.data);
      const double operand = array == nullptr ? 0 : array[step.is_row ? column : place];
      sum = Apply(step, sum, operand);
    }
    return sum;
  }

  void ExpectClose(const char* what) {
    ASSERT_EQ(MultiplyFused(product_), absl::OkStatus()) << what;
    const FusedMatmul& p = product_;
    double worst = 0;
    for (int64_t i = 0; i < p.stack; ++i) {
      for (int64_t row = 0; row < p.rows; ++row) {
        for (int64_t column = 0; column < p.columns; ++column) {
          const double wanted = Element(i, row, column);
          const double found = c_[(i * p.rows + row) * p.columns + column];
          const double off = std::fabs(found - wanted) / (1 + std::fabs(wanted));
          worst = std::isnan(off) ? INFINITY : std::max(worst, off);
        }
      }
    }
    EXPECT_LT(worst, 3e-5) << what << " of " << p.stack << " x " << p.rows << " x " << p.inner
                           << " x " << p.columns;
  }

  std::mt19937 engine_{1};
  std::vector<float> a_, b_, c_;
  FusedMatmul product_;
};

TEST_F(FusedMatmulTest, EveryStepOnEveryShape) {
  for (const Sizes& sizes : kSizes) {
    for (const bool transposed : {false, true}) {
      Make(sizes, transposed);
      ExpectClose("no step");
      const std::vector<float> row = Draw(sizes.columns);
      const std::vector<float> whole = Draw(sizes.stack * sizes.rows * sizes.columns);
      for (int kind = 0; kind < kNumKinds; ++kind) {
        const auto k = static_cast<EpilogueKind>(kind);
        const bool has_array = Info(k).form == EpilogueForm::kArray;
        const FusedMatmulStep steps[] = {Step(EpilogueKind::kAdd, &row, true),
                                         Step(k, has_array ? &whole : nullptr, false),
                                         Step(EpilogueKind::kAdd, &whole, false)};
        product_.epilogue = steps;
        ExpectClose(Info(k).text);
      }
    }
  }
}

// The products of two bfloat16 are exact in float32.
TEST_F(FusedMatmulTest, OperandsOfBFloat16) {
  if (!HasFusedMatmuls(DType::kBFloat16)) GTEST_SKIP() << "this CPU has no AVX-512";
  for (const Sizes& sizes : kSizes) {
    for (const bool transposed : {false, true}) {
      Make(sizes, transposed);
      const std::vector<uint16_t> a = Narrow(a_), b = Narrow(b_);
      product_.operands = DType::kBFloat16;
      product_.a.data = reinterpret_cast<const char*>(a.data());
      product_.b.data = reinterpret_cast<const char*>(b.data());
      ExpectClose("bfloat16");
      const std::vector<float> row = Draw(sizes.columns);
      const FusedMatmulStep steps[] = {Step(EpilogueKind::kAdd, &row, true),
                                       Step(EpilogueKind::kRelu, nullptr, false)};
      product_.epilogue = steps;
      ExpectClose("bfloat16 with a bias and an activation");
    }
  }
}

TEST_F(FusedMatmulTest, OneRightOperandForAStack) {
  Make({3, 40, 20, 30}, false);
  product_.b.stride = 0;
  ExpectClose("one right operand");
}

TEST_F(FusedMatmulTest, ExactStepsHaveTheBitsOfSeparateOperations) {
  Make({1, 200, 64, 80}, false);
  ASSERT_EQ(MultiplyFused(product_), absl::OkStatus());
  const std::vector<float> plain = c_, row = Draw(80), whole = Draw(200 * 80);
  const FusedMatmulStep steps[] = {Step(EpilogueKind::kAdd, &row, true),
                                   Step(EpilogueKind::kMultiply, &whole, false),
                                   Step(EpilogueKind::kSubtract, &row, true),
                                   {EpilogueKind::kRelu}};
  product_.epilogue = steps;
  ASSERT_EQ(MultiplyFused(product_), absl::OkStatus());
  for (size_t i = 0; i < plain.size(); ++i) {
    const float wanted = std::max((plain[i] + row[i % 80]) * whole[i] - row[i % 80], 0.0F);
    ASSERT_EQ(c_[i], wanted) << i;
  }
}

TEST_F(FusedMatmulTest, AShapeIsPreparedOnce) {
  Make({1, 333, 44, 55}, false);
  ExpectClose("first");
  const int64_t prepared = FusedMatmulsPrepared();
  EXPECT_GT(prepared, 0);
  Make({1, 333, 44, 55}, false);
  ExpectClose("second");
  EXPECT_EQ(FusedMatmulsPrepared(), prepared);
  Make({1, 334, 44, 55}, false);
  ExpectClose("another shape");
  EXPECT_GT(FusedMatmulsPrepared(), prepared);
}

// Functions lose NaNs; the flag says so. Ordinary numbers raise none that NumPy reports.
TEST_F(FusedMatmulTest, FlagsOfNan) {
  for (int kind = 0; kind < kNumKinds; ++kind) {
    const auto k = static_cast<EpilogueKind>(kind);
    if (Info(k).form == EpilogueForm::kArray) continue;
    Make({1, 300, 40, 50}, false);
    const FusedMatmulStep steps[] = {Step(k, nullptr, false)};
    product_.epilogue = steps;
    std::feclearexcept(FE_ALL_EXCEPT);
    ASSERT_EQ(MultiplyFused(product_), absl::OkStatus());
    EXPECT_EQ(std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW), 0) << Info(k).text;
    a_[123 * 40 + 7] = NAN;
    ASSERT_EQ(MultiplyFused(product_), absl::OkStatus());
    const bool is_kept = std::isnan(c_[123 * 50]);
    EXPECT_TRUE(is_kept || std::fetestexcept(FE_INVALID) != 0) << Info(k).text;
  }
}

TEST(OneDnnLibraryTest, SaysWhatItIs) {
  const bool is_there = OneDnnStatus().ok();
  EXPECT_EQ(OneDnnSummary().find(".") == 1, is_there) << OneDnnSummary();
}

}  // namespace
}  // namespace dynacc::cpu
