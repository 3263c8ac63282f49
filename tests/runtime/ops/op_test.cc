#include "runtime/ops/op.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "runtime/ops/element_functions.h"

namespace dynacc {
namespace {

constexpr uint32_t kNativeEmitted = kEmitted | kEmittedInt | kEmittedFloat;
constexpr uint32_t kAnyEmitted = kNativeEmitted | kEmittedHalf | kEmittedComplex;

class EveryOp : public testing::TestWithParam<int> {
 protected:
  Op op() const { return static_cast<Op>(GetParam()); }
  const OpInfo& info() const { return Info(op()); }
};

TEST_P(EveryOp, ParsesBackFromItsText) { EXPECT_EQ(ParseOp(info().text), op()); }

TEST_P(EveryOp, HasAnExpressionExactlyIfElementwiseAndEmitted) {
  if (!IsElementwise(op())) {
    EXPECT_STREQ(info().c_expr, "");
    return;
  }
  EXPECT_EQ((info().traits & kAnyEmitted) != 0, info().c_expr[0] != '\0');
}

TEST_P(EveryOp, IsEmittedInOneWay) {
  const uint32_t emitted = info().traits & kNativeEmitted;
  EXPECT_EQ(emitted & (emitted - 1), 0u) << "more than one of the emitted traits";
}

TEST_P(EveryOp, UsesOnlyOperandsThatItHas) {
  const std::string expression = info().c_expr;
  const auto mentions = [&](char name) {
    for (size_t i = 0; i < expression.size(); ++i) {
      const bool starts = i == 0 || !isalnum(expression[i - 1]);
      const bool ends = i + 1 == expression.size() || !isalnum(expression[i + 1]);
      if (expression[i] == name && starts && ends) return true;
    }
    return false;
  };
  if (expression.empty()) return;
  EXPECT_TRUE(mentions('a'));
  EXPECT_EQ(mentions('b'), info().category == OpCategory::kBinary);
}

TEST_P(EveryOp, NamesAUfuncIfALibraryMustRunIt) {
  const bool only_complex = (info().traits & kAnyEmitted) == kEmittedComplex;
  const bool always_emitted = (info().traits & kEmittedAll) == kEmittedAll;
  if ((IsElementwise(op()) && !only_complex && !always_emitted) ||
      info().category == OpCategory::kReduction) {
    EXPECT_STRNE(info().numpy, "");
  }
}

TEST_P(EveryOp, HasTraitsThatFitItsCategory) {
  if (info().category != OpCategory::kBinary) {
    EXPECT_EQ(info().traits & (kCommutative | kIdempotent), 0u);
  }
}

TEST_P(EveryOp, HasAnElementFunctionIfElementwise) {
  bool unary = false;
  bool binary = false;
  for (int i = 0; i < kNumDTypes; ++i) {
    unary |= FindUnaryElementFn(op(), static_cast<DType>(i)) != nullptr;
    binary |= FindBinaryElementFn(op(), static_cast<DType>(i)) != nullptr;
  }
  EXPECT_EQ(unary, info().category == OpCategory::kUnary);
  EXPECT_EQ(binary, info().category == OpCategory::kBinary);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryOp, testing::Range(0, NumOps()), [](const auto& param) {
  return std::string(Info(static_cast<Op>(param.param)).text);
});

TEST(OpTable, HasDistinctTexts) {
  std::set<std::string> texts;
  for (int i = 0; i < NumOps(); ++i) {
    EXPECT_TRUE(texts.insert(Info(static_cast<Op>(i)).text).second);
  }
}

TEST(OpTable, DoesNotParseOtherTexts) {
  EXPECT_EQ(ParseOp("frobnicate"), std::nullopt);
  EXPECT_EQ(ParseOp(""), std::nullopt);
  EXPECT_EQ(ParseOp("Add"), std::nullopt);
}

}  // namespace
}  // namespace dynacc
