#include "runtime/executor/bound_program.h"

#include <cfenv>
#include <numeric>

#include "gtest/gtest.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/graph_executor.h"
#include "runtime/executor/launch_step.h"
#include "tests/runtime/executor/add_kernel.h"

namespace dynacc::executor {
namespace {

using testing::AddKernel;
using testing::VectorSink;

// out[s0] = (x[s1 : s1 + s0] + y) + y, by way of a temporary; x is written in place at the end:
// x[s1 : s1 + s0] = out, where `writes_`.
class BoundProgramTest : public ::testing::Test {
 protected:
  static constexpr int kX = 0, kY = 1, kTemporary = 2, kOut = 3;

  BoundProgramTest() {
    s0_ = scalars_.AddInput(ScalarType::kInt);
    s1_ = scalars_.AddInput(ScalarType::kInt);
    const ScalarId one = scalars_.Int(1), all = scalars_.Int(64);
    buffers_.resize(4);
    buffers_[kX] = {BufferKind::kInput, DType::kFloat64, {1, {all}}, 0};
    buffers_[kY] = {BufferKind::kInput, DType::kFloat64, {1, {s0_}}, 1};
    buffers_[kTemporary] = {BufferKind::kTemporary, DType::kFloat64, {1, {s0_}}, 0};
    buffers_[kOut] = {BufferKind::kOutput, DType::kFloat64, {1, {s0_}}, 0};
    part_ = {{1, {s0_}}, 1, {0}, {s1_}, {one}};
    AddLaunch({kX, {part_}, {}}, kTemporary, {});
    AddLaunch({kTemporary, {}, {}}, kOut, {kTemporary});
    std::iota(x_.begin(), x_.end(), 0.0);
  }

  void AddLaunch(OperandPlan operand, int output, std::vector<int> releases) {
    KernelPlan plan;
    plan.kernel = kernel_;
    plan.shape = {1, {s0_}};
    plan.inputs = {std::move(operand), OperandPlan{kY}};
    plan.input_dtypes = {DType::kFloat64, DType::kFloat64};
    plan.output_dtypes = {DType::kFloat64};
    auto step = std::make_unique<LaunchStep>(plan, std::vector<int>{output});
    step->releases = std::move(releases);
    steps_.push_back(std::move(step));
  }

  StridedView ViewOf(std::vector<double>& memory, int64_t size, int64_t stride) {
    StridedView view;
    view.data = reinterpret_cast<char*>(memory.data());
    view.rank = 1;
    view.shape[0] = size;
    view.strides[0] = stride;
    return view;
  }

  // `size` elements from `start` on; those of y are so many bytes apart.
  RunArguments Arguments(int64_t size, int64_t start, int64_t stride = 8) {
    inputs_ = {ViewOf(x_, 64, 8), ViewOf(y_, size, stride)};
    const ScalarValue numbers[] = {{size}, {start}};
    values_.resize(scalars_.size());
    EXPECT_TRUE(scalars_.Evaluate(numbers, absl::MakeSpan(values_)));
    RunArguments arguments;
    arguments.inputs = inputs_;
    arguments.scalars = values_;
    arguments.sink = &sink_;
    return arguments;
  }

  // Of a run that is done here; null: some step cannot be bound.
  std::unique_ptr<const BoundProgram> Bind(const RunArguments& arguments) {
    RunFrame frame(buffers_, arguments);
    for (const auto& step : steps_) EXPECT_TRUE(step->Run(frame).ok());
    Binder binder(buffers_, scalars_, arguments, scalars_.size(), frame);
    for (const auto& step : steps_) {
      if (!binder.BindStep(*step)) return nullptr;
    }
    if (writes_) EXPECT_TRUE(binder.BindWriteBack({OperandPlan{kOut}, kX, {part_}}));
    return binder.Finish();
  }

  std::vector<double> Expected(int64_t size, int64_t start, int64_t y_step = 1) {
    std::vector<double> expected;
    for (int64_t i = 0; i < size; ++i) expected.push_back(x_[start + i] + 2 * y_[i * y_step]);
    return expected;
  }

  ScalarProgram scalars_;
  ScalarId s0_, s1_;
  ViewPlan part_;
  bool writes_ = false;
  std::vector<BufferPlan> buffers_;
  std::shared_ptr<AddKernel> kernel_ = std::make_shared<AddKernel>();
  std::vector<std::unique_ptr<const Step>> steps_;
  std::vector<double> x_ = std::vector<double>(64);
  std::vector<double> y_ = std::vector<double>(64, 0.25);
  std::vector<StridedView> inputs_;
  std::vector<ScalarValue> values_;
  VectorSink sink_;
};

TEST_F(BoundProgramTest, PlacesAreThisRunsOwn) {
  const auto program = Bind(Arguments(5, 3));
  ASSERT_NE(program, nullptr);
  for (const int64_t start : {3, 0, 59}) {
    std::vector<double> moved = x_;
    x_.swap(moved);
    for (double& y : y_) y += 1;
    const RunArguments arguments = Arguments(5, start);
    ASSERT_TRUE(program->Fits(arguments));
    ASSERT_EQ(program->Run(arguments).value(), 0u);
    EXPECT_EQ(sink_.elements, Expected(5, start));
    EXPECT_TRUE(sink_.asked);
  }
}

TEST_F(BoundProgramTest, IsForItsSizesStridesAndAlignment) {
  const auto program = Bind(Arguments(5, 3));
  EXPECT_TRUE(program->Fits(Arguments(5, 3)));
  EXPECT_FALSE(program->Fits(Arguments(6, 3))) << "another size";
  EXPECT_FALSE(program->Fits(Arguments(5, 3, 16))) << "gaps";
  EXPECT_FALSE(program->Fits(Arguments(5, 3, -8))) << "backwards";
  RunArguments arguments = Arguments(5, 3);
  inputs_[1].data += 1;
  EXPECT_FALSE(program->Fits(arguments)) << "unaligned";
}

TEST_F(BoundProgramTest, WritesInputsAtTheEnd) {
  writes_ = true;
  const auto program = Bind(Arguments(5, 3));
  const std::vector<double> expected = Expected(5, 20);
  ASSERT_TRUE(program->Run(Arguments(5, 20)).ok());
  EXPECT_EQ(std::vector<double>(x_.begin() + 20, x_.begin() + 25), expected);
  EXPECT_EQ(x_[19], 19.0);
  EXPECT_EQ(x_[25], 25.0);
}

TEST_F(BoundProgramTest, CopiesAreBoundToo) {
  steps_.pop_back();
  steps_.push_back(std::make_unique<CopyStep>(OperandPlan{kTemporary}, kOut));
  const auto program = Bind(Arguments(5, 3));
  ASSERT_NE(program, nullptr);
  ASSERT_TRUE(program->Run(Arguments(5, 7)).ok());
  EXPECT_EQ(sink_.elements, (std::vector<double>{7.25, 8.25, 9.25, 10.25, 11.25}));
}

TEST_F(BoundProgramTest, LongStepsAreNotBound) {
  x_.resize(1 << 20);
  y_.resize(1 << 20);
  EXPECT_EQ(Bind(Arguments(1 << 20, 0)), nullptr);
}

TEST_F(BoundProgramTest, ReportsFlagsAndLeavesTheThreadsOwn) {
  const auto program = Bind(Arguments(5, 3));
  kernel_->divides = true;
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_OVERFLOW);
  EXPECT_EQ(program->Run(Arguments(5, 3)).value(), kFpDivide);
  EXPECT_EQ(sink_.raised, kFpDivide);
  EXPECT_EQ(std::fetestexcept(FE_OVERFLOW | FE_DIVBYZERO), FE_OVERFLOW);
  std::feclearexcept(FE_ALL_EXCEPT);
}

TEST_F(BoundProgramTest, EndsWithoutMemoryAndWhenToldToStop) {
  const auto program = Bind(Arguments(5, 3));
  kernel_->runs = 0;
  sink_.is_full = true;
  RunArguments arguments = Arguments(5, 3);
  EXPECT_TRUE(absl::IsResourceExhausted(program->Run(arguments).status()));
  arguments.stop = [] { return true; };
  EXPECT_TRUE(absl::IsCancelled(program->Run(arguments).status()));
  EXPECT_FALSE(sink_.asked);
  EXPECT_EQ(kernel_->runs, 0);
}

// What an executor does by the way of a frame at first, and bound later.
TEST_F(BoundProgramTest, AnExecutorGivesTheSameInAllItsRuns) {
  const GraphExecutor executor(buffers_, std::move(steps_), {}, scalars_, "");
  for (int run = 0; run < 20; ++run) {
    const int64_t size = 1 + run / 2 % 7, stride = run % 3 == 0 ? 16 : 8;
    ASSERT_TRUE(executor.Run(Arguments(size, run, stride)).ok());
    EXPECT_EQ(sink_.elements, Expected(size, run, stride / 8)) << "run " << run;
    y_[run] += 1;
  }
}

TEST(BoundPrograms, RunsThatKeepChangingAreNotRecordedForEver) {
  BoundPrograms programs;
  std::vector<int> recorded;
  for (int run = 1; run < 5000; ++run) {
    if (programs.IsWorthBinding()) recorded.push_back(run);
  }
  EXPECT_EQ(recorded, (std::vector<int>{2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}));
}

}  // namespace
}  // namespace dynacc::executor
