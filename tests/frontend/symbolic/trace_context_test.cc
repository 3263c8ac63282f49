#include "frontend/symbolic/trace_context.h"

#include <set>

#include "gmock/gmock.h"
#include "tests/frontend/python_environment.h"

namespace dynacc::symbolic {
namespace {

using testing::ElementsAre;
using From = ScalarInput::From;

class FakeMarks : public DynamicMarks {
 public:
  bool IsDynamic(const sources::Source& source, From from, int axis) const override {
    return marked.count({&source, from, axis}) != 0;
  }
  std::set<std::tuple<const sources::Source*, From, int>> marked;
};

class TraceContextTest : public PythonTest {
 protected:
  TraceContextTest()
      : x_(sources_.Intern(sources::SourceKind::kLocal, nullptr, 0, Eval("'x'").get())) {}

  ScalarProgram& scalars() { return trace_.graph().scalars(); }
  std::vector<std::string> GuardTexts() const {
    std::vector<std::string> texts;
    for (const guards::Guard& guard : trace_.guards()) texts.push_back(guard.ToString());
    return texts;
  }
  NumberValue* DynamicInt(const char* expression) {
    marks_.marked.insert({x_, From::kInt, 0});
    return As<NumberValue>(trace_.Number(x_, Eval(expression).get()));
  }

  sources::SourceTable sources_;
  FakeMarks marks_;
  TraceContext trace_{sources_, marks_};
  const sources::Source* x_;
};

TEST_F(TraceContextTest, AGraphBreakCarriesItsReason) {
  EXPECT_EQ(GraphBreak("call of print").message(), "call of print");
  EXPECT_TRUE(absl::IsUnimplemented(GraphBreak("call of print")));
}

TEST_F(TraceContextTest, AddsEachGuardOnce) {
  trace_.AddGuard(guards::GuardKind::kIntEquals, x_, nullptr, 3);
  trace_.AddGuard(guards::GuardKind::kIntEquals, x_, nullptr, 3);
  trace_.AddGuard(guards::GuardKind::kIntFits, x_);
  EXPECT_THAT(GuardTexts(), ElementsAre("x == 3", "type(x) is int, 64 bits"));
}

TEST_F(TraceContextTest, ASizeIsAGuardedConstantUntilItChanges) {
  const ScalarId size = trace_.Dim(x_, 1, 64);
  int64_t value = 0;
  EXPECT_TRUE(scalars().IsIntConst(size, &value));
  EXPECT_EQ(value, 64);
  EXPECT_THAT(GuardTexts(), ElementsAre("x.shape[1] == 64"));

  marks_.marked.insert({x_, From::kDim, 0});
  const ScalarId dynamic = trace_.Dim(x_, 0, 32);
  EXPECT_FALSE(scalars().IsIntConst(dynamic, &value));
  EXPECT_EQ(trace_.Dim(x_, 0, 32), dynamic);
  EXPECT_EQ(trace_.scalar_inputs().size(), 1u);
  EXPECT_EQ(trace_.guards().size(), 1u);
}

TEST_F(TraceContextTest, NumbersAreGuardedByValue) {
  for (const char* number : {"3", "2.5", "True", "2 ** 70"}) {
    const Ref object = Eval(number);
    const auto* constant = As<ConstantValue>(trace_.Number(x_, object.get()));
    ASSERT_NE(constant, nullptr);
    EXPECT_EQ(constant->object.get(), object.get());
    EXPECT_EQ(constant->source(), x_);
    EXPECT_TRUE(guards::CheckGuard(trace_.guards().back(), object.get()));
    EXPECT_FALSE(guards::CheckGuard(trace_.guards().back(), Eval("4").get()));
  }
  EXPECT_EQ(trace_.guards().size(), 4u);
}

TEST_F(TraceContextTest, MarkedNumbersAreInputs) {
  const NumberValue* integer = DynamicInt("3");
  ASSERT_NE(integer, nullptr);
  EXPECT_EQ(integer->type, ScalarType::kInt);
  EXPECT_EQ(integer->hint.i, 3);
  marks_.marked.insert({x_, From::kFloat, 0});
  const auto* real = As<NumberValue>(trace_.Number(x_, Eval("2.5").get()));
  ASSERT_NE(real, nullptr);
  EXPECT_EQ(real->hint.f, 2.5);
  EXPECT_THAT(GuardTexts(), ElementsAre("type(x) is int, 64 bits", "type(x) is float"));
  EXPECT_EQ(trace_.scalar_inputs().size(), 2u);
  // A bool or an int beyond 64 bits is a constant whatever the marks say.
  EXPECT_NE(As<ConstantValue>(trace_.Number(x_, Py_True)), nullptr);
  EXPECT_NE(As<ConstantValue>(trace_.Number(x_, Eval("2 ** 70").get())), nullptr);
}

TEST_F(TraceContextTest, SameSizeDecidesOnceForAllCalls) {
  const ScalarId three = scalars().Int(3), four = scalars().Int(4);
  const ScalarId s = scalars().AddInput(ScalarType::kInt);
  EXPECT_TRUE(trace_.SameSize(three, 3, three, 3));
  EXPECT_FALSE(trace_.SameSize(three, 3, four, 4));
  EXPECT_TRUE(trace_.SameSize(s, 3, s, 3));
  EXPECT_TRUE(trace_.conditions().empty());
  EXPECT_TRUE(trace_.SameSize(s, 3, three, 3));
  EXPECT_FALSE(trace_.SameSize(s, 3, four, 4));
  EXPECT_TRUE(trace_.SameSize(s, 3, three, 3));
  EXPECT_THAT(trace_.conditions(), ElementsAre(scalars().Apply(ScalarOp::kEq, s, three),
                                               scalars().Apply(ScalarOp::kNe, s, four)));
}

TEST_F(TraceContextTest, ConstantIntPinsADynamicNumber) {
  NumberValue* number = DynamicInt("7");
  const absl::StatusOr<int64_t> value = trace_.ConstantInt(number);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(*value, 7);
  EXPECT_THAT(trace_.conditions(),
              ElementsAre(scalars().Apply(ScalarOp::kEq, number->id, scalars().Int(7))));
}

TEST_F(TraceContextTest, ConstantIntPinsADynamicBool) {
  const ScalarId positive = scalars().Apply(ScalarOp::kLt, scalars().Int(0), DynamicInt("7")->id);
  NumberValue truth(positive, ScalarType::kBool, ScalarValue{.i = 1});
  const absl::StatusOr<int64_t> value = trace_.ConstantInt(&truth);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(*value, 1);
  ASSERT_EQ(trace_.conditions().size(), 1u);
  // The condition holds for a positive number only.
  std::vector<ScalarValue> values(scalars().size());
  for (int64_t x : {5, -5}) {
    const ScalarValue input{.i = x};
    ASSERT_TRUE(scalars().Evaluate({&input, 1}, absl::MakeSpan(values)));
    EXPECT_EQ(values[trace_.conditions()[0]].i, x > 0);
  }
}

TEST_F(TraceContextTest, ConstantIntBreaksOnAnythingElse) {
  EXPECT_EQ(*trace_.ConstantInt(trace_.New<ConstantValue>(Eval("True"))), 1);
  EXPECT_EQ(*trace_.ConstantInt(trace_.New<ConstantValue>(Eval("-2"))), -2);
  for (const char* other : {"1.0", "None", "'1'", "2 ** 70"}) {
    EXPECT_TRUE(
        absl::IsUnimplemented(trace_.ConstantInt(trace_.New<ConstantValue>(Eval(other))).status()))
        << other;
  }
  EXPECT_FALSE(trace_.ConstantInt(trace_.New<NullValue>()).ok());
  EXPECT_FALSE(trace_.ConstantInt(nullptr).ok());
  EXPECT_TRUE(trace_.conditions().empty());
}

TEST_F(TraceContextTest, ArrayInputsAreNumberedInOrder) {
  const sources::Source* y =
      sources_.Intern(sources::SourceKind::kLocal, nullptr, 1, Eval("'y'").get());
  const ScalarId three = scalars().Int(3);
  const ir::Node* a = trace_.ArrayInput(x_, DType::kFloat64, {three});
  const ir::Node* b = trace_.ArrayInput(y, DType::kFloat32, {});
  EXPECT_THAT(trace_.array_inputs(), ElementsAre(x_, y));
  EXPECT_THAT(trace_.graph().inputs(), ElementsAre(a, b));
}

}  // namespace
}  // namespace dynacc::symbolic
