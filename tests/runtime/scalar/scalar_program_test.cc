#include "runtime/scalar/scalar_program.h"

#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "gtest/gtest.h"
#include "runtime/scalar/scalar_text.h"

namespace dynacc {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// The value of op(a, b) with both operands inputs, so that nothing is folded.
std::optional<ScalarValue> Evaluate(ScalarOp op, ScalarType type, ScalarValue a, ScalarValue b) {
  ScalarProgram program;
  const ScalarId x = program.AddInput(type);
  const ScalarId y = program.AddInput(type);
  const ScalarId id = program.Apply(op, x, Info(op).arity == 2 ? y : kNoScalar);
  std::vector<ScalarValue> values(program.size());
  const ScalarValue inputs[] = {a, b};
  if (!program.Evaluate(inputs, absl::MakeSpan(values))) return std::nullopt;
  return values[id];
}

std::optional<int64_t> Ints(ScalarOp op, int64_t a, int64_t b = 0) {
  const auto value = Evaluate(op, ScalarType::kInt, {.i = a}, {.i = b});
  if (!value) return std::nullopt;
  return value->i;
}

std::optional<double> Floats(ScalarOp op, double a, double b = 0) {
  const auto value = Evaluate(op, ScalarType::kFloat, {.f = a}, {.f = b});
  if (!value) return std::nullopt;
  return value->f;
}

// Python's integers, in 128 bits: the quotient is rounded towards minus infinity by definition.
__int128 FloorDivWide(__int128 a, __int128 b) {
  __int128 quotient = a / b;
  while (quotient * b > a && b > 0) --quotient;
  while (quotient * b < a && b < 0) --quotient;
  return quotient;
}

std::optional<int64_t> Narrow(__int128 value) {
  if (value < kMin || value > kMax) return std::nullopt;
  return static_cast<int64_t>(value);
}

TEST(ScalarProgram, IntArithmeticAgreesWithWideIntegers) {
  std::mt19937_64 random(20240611);
  const int64_t corners[] = {0, 1, -1, 2, -2, 7, -7, kMin, kMin + 1, kMax, kMax - 1};
  const auto draw = [&]() -> int64_t {
    const uint64_t bits = random();
    if (bits % 3 == 0) return corners[(bits >> 8) % std::size(corners)];
    return static_cast<int64_t>(bits) >> (random() % 64);
  };
  for (int i = 0; i < 20000; ++i) {
    const int64_t a = draw();
    const int64_t b = draw();
    const __int128 x = a;
    const __int128 y = b;
    SCOPED_TRACE(testing::Message() << a << ", " << b);
    EXPECT_EQ(Ints(ScalarOp::kAdd, a, b), Narrow(x + y));
    EXPECT_EQ(Ints(ScalarOp::kSub, a, b), Narrow(x - y));
    EXPECT_EQ(Ints(ScalarOp::kMul, a, b), Narrow(x * y));
    EXPECT_EQ(Ints(ScalarOp::kNeg, a), Narrow(-x));
    EXPECT_EQ(Ints(ScalarOp::kAbs, a), Narrow(x < 0 ? -x : x));
    EXPECT_EQ(Ints(ScalarOp::kMin, a, b), a < b ? a : b);
    EXPECT_EQ(Ints(ScalarOp::kLe, a, b), a <= b);
    if (b == 0) {
      EXPECT_EQ(Ints(ScalarOp::kFloorDiv, a, b), std::nullopt);
      EXPECT_EQ(Ints(ScalarOp::kMod, a, b), std::nullopt);
    } else {
      const __int128 quotient = FloorDivWide(x, y);
      EXPECT_EQ(Ints(ScalarOp::kFloorDiv, a, b), Narrow(quotient));
      EXPECT_EQ(Ints(ScalarOp::kMod, a, b), Narrow(x - quotient * y));
    }
  }
}

// Folding constants and evaluating inputs are two ways to the same value, for every op and type.
TEST(ScalarProgram, FoldingAgreesWithEvaluation) {
  std::mt19937_64 random(7);
  constexpr int kFirst = static_cast<int>(ScalarOp::kInput) + 1;
  const int64_t ints[] = {0, 1, -1, 5, -5, kMin, kMax, int64_t{1} << 53, (int64_t{1} << 53) + 1};
  const double floats[] = {0.0, -0.0, 1.5, -1.5, 3, -3, 1e308, -1e308, INFINITY, -INFINITY, NAN};
  for (int op_index = kFirst; op_index <= static_cast<int>(ScalarOp::kNot); ++op_index) {
    const ScalarOp op = static_cast<ScalarOp>(op_index);
    for (int i = 0; i < 200; ++i) {
      const bool is_float = random() % 2 != 0;
      const ScalarType type = is_float ? ScalarType::kFloat : ScalarType::kInt;
      const auto draw = [&]() -> ScalarValue {
        if (is_float) return {.f = floats[random() % std::size(floats)]};
        return {.i = ints[random() % std::size(ints)]};
      };
      const ScalarValue a = draw();
      const ScalarValue b = draw();
      ScalarProgram program;
      const auto constant = [&](ScalarValue v) {
        return is_float ? program.Float(v.f) : program.Int(v.i);
      };
      const ScalarId y = Info(op).arity == 2 ? constant(b) : kNoScalar;
      const ScalarId folded = program.Apply(op, constant(a), y);
      const auto expected = Evaluate(op, type, a, b);
      const ScalarExpr& e = program.expr(folded);
      ASSERT_EQ(e.op == ScalarOp::kConst, expected.has_value()) << program.ToString(folded);
      if (expected && !(e.type == ScalarType::kFloat && std::isnan(expected->f))) {
        EXPECT_EQ(e.value.i, expected->i) << program.ToString(folded);
      }
    }
  }
}

TEST(ScalarProgram, FloatDivisionHasPythonsSigns) {
  EXPECT_EQ(Floats(ScalarOp::kFloorDiv, -7.5, 2.0), -4.0);
  EXPECT_EQ(Floats(ScalarOp::kMod, -7.5, 2.0), 0.5);
  EXPECT_EQ(Floats(ScalarOp::kMod, 7.5, -2.0), -0.5);
  EXPECT_TRUE(std::signbit(*Floats(ScalarOp::kMod, 4.0, -2.0)));
  EXPECT_FALSE(std::signbit(*Floats(ScalarOp::kMod, -4.0, 2.0)));
  EXPECT_TRUE(std::signbit(*Floats(ScalarOp::kFloorDiv, -0.0, 2.0)));
  EXPECT_EQ(Floats(ScalarOp::kFloorDiv, -1e-300, 1e300), -1.0);
  EXPECT_EQ(Floats(ScalarOp::kMod, 1.0, INFINITY), 1.0);
  EXPECT_EQ(Floats(ScalarOp::kMod, -1.0, INFINITY), INFINITY);
  EXPECT_EQ(Floats(ScalarOp::kFloorDiv, 1.0, 0.0), std::nullopt);
  EXPECT_EQ(Floats(ScalarOp::kTrueDiv, 1.0, -0.0), std::nullopt);
}

TEST(ScalarProgram, IntsBeyondADoubleFail) {
  constexpr int64_t kExact = int64_t{1} << 53;
  EXPECT_TRUE(Evaluate(ScalarOp::kToFloat, ScalarType::kInt, {.i = kExact}, {.i = 0}));
  EXPECT_FALSE(Evaluate(ScalarOp::kToFloat, ScalarType::kInt, {.i = kExact + 1}, {.i = 0}));
  EXPECT_FALSE(Evaluate(ScalarOp::kTrueDiv, ScalarType::kInt, {.i = kExact + 1}, {.i = 2}));
  EXPECT_EQ(Evaluate(ScalarOp::kTrueDiv, ScalarType::kInt, {.i = 7}, {.i = 2})->f, 3.5);
}

TEST(ScalarProgram, EqualExpressionsHaveEqualIds) {
  ScalarProgram program;
  const ScalarId x = program.AddInput(ScalarType::kInt);
  const ScalarId y = program.AddInput(ScalarType::kInt);
  EXPECT_NE(x, y);
  EXPECT_EQ(program.Apply(ScalarOp::kMul, x, y), program.Apply(ScalarOp::kMul, y, x));
  EXPECT_NE(program.Apply(ScalarOp::kFloorDiv, x, y), program.Apply(ScalarOp::kFloorDiv, y, x));
  EXPECT_NE(program.Float(0.0), program.Float(-0.0));
  EXPECT_EQ(program.Float(NAN), program.Float(NAN));
  EXPECT_NE(program.Int(1), program.Bool(true));
  EXPECT_EQ(program.num_inputs(), 2);
}

TEST(ScalarProgram, Simplifies) {
  ScalarProgram p;
  const ScalarId x = p.AddInput(ScalarType::kInt);
  const auto add = [&](ScalarId a, ScalarId b) { return p.Apply(ScalarOp::kAdd, a, b); };
  const auto sub = [&](ScalarId a, ScalarId b) { return p.Apply(ScalarOp::kSub, a, b); };
  const auto mul = [&](ScalarId a, ScalarId b) { return p.Apply(ScalarOp::kMul, a, b); };
  EXPECT_EQ(add(x, p.Int(0)), x);
  EXPECT_EQ(mul(p.Int(1), x), x);
  EXPECT_EQ(mul(x, p.Int(0)), p.Int(0));
  EXPECT_EQ(add(x, mul(x, p.Int(-1))), p.Int(0));
  EXPECT_EQ(sub(x, x), p.Int(0));
  EXPECT_EQ(add(sub(x, p.Int(1)), p.Int(1)), x);
  EXPECT_EQ(p.ToString(sub(sub(x, p.Int(1)), p.Int(1))), "(s0 - 2)");
  EXPECT_EQ(sub(add(x, p.Int(5)), add(x, p.Int(2))), p.Int(3));
  EXPECT_EQ(p.Apply(ScalarOp::kLt, sub(x, p.Int(1)), x), p.Bool(true));
  EXPECT_EQ(p.Apply(ScalarOp::kFloorDiv, x, p.Int(1)), x);
  EXPECT_EQ(p.Apply(ScalarOp::kMin, x, x), x);
}

TEST(ScalarProgram, LeavesFloatsAlone) {
  ScalarProgram p;
  const ScalarId x = p.AddInput(ScalarType::kFloat);
  EXPECT_NE(p.Apply(ScalarOp::kAdd, x, p.Float(0.0)), x);
  EXPECT_EQ(p.expr(p.Apply(ScalarOp::kSub, x, x)).op, ScalarOp::kSub);
  EXPECT_EQ(p.expr(p.Apply(ScalarOp::kEq, x, x)).op, ScalarOp::kEq);
}

TEST(ScalarProgram, ASimplifiedOverflowStillFails) {
  ScalarProgram p;
  const ScalarId x = p.AddInput(ScalarType::kInt);
  const ScalarId next = p.Apply(ScalarOp::kAdd, x, p.Int(1));
  EXPECT_EQ(p.Apply(ScalarOp::kSub, next, p.Int(1)), x);
  std::vector<ScalarValue> values(p.size());
  EXPECT_FALSE(p.Evaluate({{.i = kMax}}, absl::MakeSpan(values)));
  EXPECT_TRUE(p.Evaluate({{.i = kMax - 1}}, absl::MakeSpan(values)));
}

TEST(ScalarProgram, EvaluateRestCompletesAGrownProgram) {
  ScalarProgram before;
  const ScalarId x = before.AddInput(ScalarType::kInt);
  ScalarProgram grown = before;
  const ScalarId triple = grown.Apply(ScalarOp::kMul, x, grown.Int(3));
  std::vector<ScalarValue> values(grown.size());
  ASSERT_TRUE(before.Evaluate({{.i = 5}}, absl::MakeSpan(values).subspan(0, before.size())));
  ASSERT_TRUE(grown.EvaluateRest(before.size(), absl::MakeSpan(values)));
  EXPECT_EQ(values[triple].i, 15);
}

TEST(ScalarProgram, DataDependentNumbersAreEvaluatedWhenTheyAreKnown) {
  ScalarProgram program;
  const ScalarId n = program.AddInput(ScalarType::kInt);
  const ScalarId first = program.AddDataDependent();
  const ScalarId second = program.AddDataDependent();
  const ScalarId ratio = program.Apply(ScalarOp::kFloorDiv, n, first);
  const ScalarId both = program.Apply(ScalarOp::kMul, ratio, second);
  EXPECT_EQ(program.Level(n), 0);
  EXPECT_EQ(program.Level(ratio), 1);
  EXPECT_EQ(program.Level(both), 2);
  EXPECT_EQ(program.num_data_dependent(), 2);
  EXPECT_NE(first, second);
  const ScalarValue input{.i = 12};
  std::vector<ScalarValue> values(program.size());
  // What is data-dependent is left out: a division by it does not fail yet.
  ASSERT_TRUE(program.Evaluate({&input, 1}, absl::MakeSpan(values)));
  values[first].i = 4;
  ASSERT_TRUE(program.EvaluateLevel(1, absl::MakeSpan(values)));
  EXPECT_EQ(values[ratio].i, 3);
  values[second].i = 5;
  ASSERT_TRUE(program.EvaluateLevel(2, absl::MakeSpan(values)));
  EXPECT_EQ(values[both].i, 15);
  values[first].i = 0;
  EXPECT_FALSE(program.EvaluateLevel(1, absl::MakeSpan(values)));
}

TEST(ScalarProgram, BoolsCountAsInts) {
  ScalarProgram p;
  const ScalarId b = p.AddInput(ScalarType::kBool);
  const ScalarId twice = p.Apply(ScalarOp::kAdd, b, b);
  EXPECT_EQ(p.expr(twice).type, ScalarType::kInt);
  EXPECT_EQ(p.expr(p.Apply(ScalarOp::kAdd, b, p.Int(0))).type, ScalarType::kInt);
  EXPECT_EQ(p.expr(p.Apply(ScalarOp::kMul, p.Int(1), b)).type, ScalarType::kInt);
  EXPECT_FALSE(p.Accepts(ScalarOp::kMin, b, twice));
  EXPECT_FALSE(p.Accepts(ScalarOp::kAdd, b, p.Float(1)));
}

TEST(ScalarProgram, DeepExpressionsPrintShort) {
  ScalarProgram p;
  ScalarId x = p.AddInput(ScalarType::kFloat);
  for (int i = 0; i < 60; ++i) x = p.Apply(ScalarOp::kAdd, x, x);
  EXPECT_LT(p.ToString(x).size(), 400u);
  EXPECT_EQ(p.Definition(x), "(s59 + s59)");
}

TEST(ScalarText, LiteralsKeepTheirBits) {
  const double values[] = {0.0, -0.0, 1.0, 0.1, -2.5e-308, 1e300, INFINITY, -INFINITY, NAN, -NAN};
  for (const double value : values) {
    const std::string text = PrintScalarLiteral(ScalarType::kFloat, {.f = value});
    const auto parsed = ParseScalarLiteral(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    EXPECT_EQ(parsed->type, ScalarType::kFloat) << text;
    EXPECT_EQ(parsed->value.i, (ScalarValue{.f = value}).i) << text;
  }
  EXPECT_FALSE(ParseScalarLiteral("12x").has_value());
  EXPECT_FALSE(ParseScalarLiteral("").has_value());
}

}  // namespace
}  // namespace dynacc
