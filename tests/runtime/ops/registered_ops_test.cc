#include "runtime/ops/registered_ops.h"

#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/ops/element_functions.h"

namespace dynacc {
namespace {

OpDescription Unary(const std::string& text, const std::string& expression) {
  OpDescription description;
  description.text = text;
  description.category = OpCategory::kUnary;
  description.traits = kEmitted;
  description.c_expr = expression;
  return description;
}

TEST(RegisteredOps, HaveRowsBehindTheTable) {
  const Op op = *RegisterOp(Unary("test.half", "a * T(0.5)"));
  EXPECT_TRUE(IsRegistered(op));
  EXPECT_FALSE(IsRegistered(Op::kAdd));
  EXPECT_STREQ(Info(op).text, "test.half");
  EXPECT_STREQ(Info(op).c_expr, "a * T(0.5)");
  EXPECT_EQ(Info(op).category, OpCategory::kUnary);
  EXPECT_TRUE(IsElementwise(op) && IsEmitted(op, DType::kFloat64));
  EXPECT_EQ(ParseOp("test.half"), op);
  EXPECT_EQ(FindUnaryElementFn(op, DType::kFloat64), nullptr);
  EXPECT_EQ(FindBinaryElementFn(op, DType::kFloat64), nullptr);
}

TEST(RegisteredOps, AreOneForOneDescription) {
  const Op first = *RegisterOp(Unary("test.twice", "a + a"));
  EXPECT_EQ(*RegisterOp(Unary("test.twice", "a + a")), first);
  const Op other = *RegisterOp(Unary("test.twice", "a * T(2)"));
  EXPECT_NE(other, first);
  EXPECT_STREQ(Info(other).text, "test.twice.2");
  EXPECT_EQ(ParseOp("test.twice"), first);
  EXPECT_EQ(ParseOp("test.twice.2"), other);
  EXPECT_STREQ(Info(*RegisterOp(Unary("test.twice", "T(2) * a"))).text, "test.twice.3");
  EXPECT_STREQ(Info(*RegisterOp(Unary("exp", "Exp(a)"))).text, "exp.2");
}

TEST(RegisteredOps, RefuseWhatGraphsCannotPrint) {
  for (const char* text : {"", "two words", "a::b", "3a", "a(b)", "%0"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(RegisterOp(Unary(text, "a")).status())) << text;
  }
  OpDescription reduction = Unary("test.reduction", "a");
  reduction.category = OpCategory::kReduction;
  EXPECT_TRUE(absl::IsInvalidArgument(RegisterOp(reduction).status()));
}

// Last: it leaves no room.
TEST(RegisteredOps, FillTheTableOnSeveralThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 256; ++i) {
        const auto op = RegisterOp(Unary(absl::StrCat("test.many_", i), "a"));
        if (!op.ok()) EXPECT_TRUE(absl::IsResourceExhausted(op.status())) << op.status();
        if (op.ok()) EXPECT_EQ(Info(*op).text, absl::StrCat("test.many_", i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(NumOps() + NumRegisteredOps(), 256);
  EXPECT_EQ(*RegisterOp(Unary("test.half", "a * T(0.5)")), *ParseOp("test.half"));
}

}  // namespace
}  // namespace dynacc
