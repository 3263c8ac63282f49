#include "runtime/executor/flat_program.h"

#include <cfenv>
#include <numeric>

#include "gtest/gtest.h"
#include "runtime/executor/graph_executor.h"
#include "runtime/executor/launch_step.h"
#include "tests/runtime/executor/add_kernel.h"

namespace dynacc::executor {
namespace {

using testing::AddKernel;
using testing::VectorSink;

// out[s0] = x[s0] + y, where y is another array of s0 elements, or the number s1.
class FlatProgramTest : public ::testing::Test {
 protected:
  FlatProgramTest() {
    s0_ = scalars_.AddInput(ScalarType::kInt);
    s1_ = scalars_.AddInput(ScalarType::kInt);
    buffers_.resize(3);
    buffers_[0] = {BufferKind::kInput, DType::kFloat64, {1, {s0_}}, 0};
    buffers_[1] = {BufferKind::kInput, DType::kFloat64, {1, {s0_}}, 1};
    buffers_[2] = {BufferKind::kOutput, DType::kFloat64, {1, {s0_}}, 0};
    plan_.kernel = kernel_;
    plan_.shape = {1, {s0_}};
    plan_.inputs = {OperandPlan{0}, OperandPlan{1}};
    plan_.input_dtypes = {DType::kFloat64, DType::kFloat64};
    plan_.output_dtypes = {DType::kFloat64};
    std::iota(memory_.begin(), memory_.end(), 0.0);
  }

  const Step& MakeStep() {
    steps_.clear();
    steps_.push_back(std::make_unique<LaunchStep>(plan_, std::vector<int>{2}));
    return *steps_[0];
  }

  std::unique_ptr<const FlatProgram> Make() {
    MakeStep();
    return FlatProgram::Make(buffers_, steps_);
  }

  StridedView Array(int64_t size, int64_t stride = 8) {
    StridedView view;
    view.data = reinterpret_cast<char*>(memory_.data());
    view.rank = 1;
    view.shape[0] = size;
    view.strides[0] = stride;
    return view;
  }

  // The arguments of a run with x and y of these sizes.
  RunArguments Arguments(const StridedView& x, const StridedView& y) {
    inputs_ = {x, y};
    const ScalarValue sizes[] = {{x.shape[0]}, {y.shape[0]}};
    values_.resize(scalars_.size());
    EXPECT_TRUE(scalars_.Evaluate(sizes, absl::MakeSpan(values_)));
    RunArguments arguments;
    arguments.inputs = inputs_;
    arguments.scalars = values_;
    arguments.sink = &sink_;
    return arguments;
  }

  ScalarProgram scalars_;
  ScalarId s0_, s1_;
  std::vector<BufferPlan> buffers_;
  KernelPlan plan_;
  std::shared_ptr<AddKernel> kernel_ = std::make_shared<AddKernel>();
  std::vector<std::unique_ptr<const Step>> steps_;
  std::vector<double> memory_ = std::vector<double>(64);
  std::vector<StridedView> inputs_;
  std::vector<ScalarValue> values_;
  VectorSink sink_;
};

TEST_F(FlatProgramTest, RunsKernelsOverWholeArrays) {
  const auto program = Make();
  ASSERT_NE(program, nullptr);
  const RunArguments arguments = Arguments(Array(5), Array(5));
  ASSERT_TRUE(program->Fits(arguments));
  ASSERT_EQ(program->Run(arguments).value(), 0u);
  EXPECT_EQ(sink_.elements, (std::vector<double>{0, 2, 4, 6, 8}));
  EXPECT_TRUE(sink_.asked);
  EXPECT_EQ(kernel_->runs, 1);
}

TEST_F(FlatProgramTest, NumbersAreReadAgainForEachElement) {
  buffers_[1] = {BufferKind::kScalar, DType::kFloat64, {0, {}}, 0, s1_};
  const auto program = Make();
  ASSERT_NE(program, nullptr);
  RunArguments arguments = Arguments(Array(3), Array(7));
  arguments.inputs = arguments.inputs.subspan(0, 1);
  ASSERT_TRUE(program->Fits(arguments));
  ASSERT_TRUE(program->Run(arguments).ok());
  EXPECT_EQ(sink_.elements, (std::vector<double>{7, 8, 9}));
}

TEST_F(FlatProgramTest, LeavesToOthersWhatIsNotInCOrder) {
  const auto program = Make();
  EXPECT_FALSE(program->Fits(Arguments(Array(5, 16), Array(5)))) << "gaps";
  EXPECT_FALSE(program->Fits(Arguments(Array(5), Array(5, -8)))) << "backwards";
  EXPECT_FALSE(program->Fits(Arguments(Array(0), Array(0)))) << "nothing to do";
  EXPECT_FALSE(program->Fits(Arguments(Array(1 << 20), Array(1 << 20)))) << "work to split";
}

TEST_F(FlatProgramTest, OtherStepsAreNotFlat) {
  plan_.inputs[1].views.resize(1);
  EXPECT_EQ(Make(), nullptr) << "a view";
  plan_.inputs[1].views.clear();
  buffers_[1].shape = {1, {s1_}};
  EXPECT_EQ(Make(), nullptr) << "of another size";
  buffers_[1].shape = {1, {s0_}};
  plan_.inputs[1].shifts = {s0_};
  EXPECT_EQ(Make(), nullptr) << "rolled";
  plan_.inputs[1].shifts.clear();
  EXPECT_NE(Make(), nullptr);
  buffers_.push_back({BufferKind::kTemporary, DType::kFloat64, {1, {s0_}}});
  EXPECT_EQ(Make(), nullptr) << "a temporary";
}

TEST_F(FlatProgramTest, ReportsFlagsAndLeavesTheThreadsOwn) {
  kernel_->divides = true;
  const auto program = Make();
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_OVERFLOW);
  EXPECT_EQ(program->Run(Arguments(Array(5), Array(5))).value(), kFpDivide);
  EXPECT_EQ(sink_.raised, kFpDivide);
  EXPECT_EQ(std::fetestexcept(FE_OVERFLOW | FE_DIVBYZERO), FE_OVERFLOW);
  std::feclearexcept(FE_ALL_EXCEPT);
}

TEST_F(FlatProgramTest, EndsWithoutMemoryAndWhenToldToStop) {
  const auto program = Make();
  sink_.is_full = true;
  RunArguments arguments = Arguments(Array(5), Array(5));
  EXPECT_TRUE(absl::IsResourceExhausted(program->Run(arguments).status()));
  arguments.stop = [] { return true; };
  EXPECT_TRUE(absl::IsCancelled(program->Run(arguments).status()));
  EXPECT_FALSE(sink_.asked);
  EXPECT_EQ(kernel_->runs, 0);
}

TEST_F(FlatProgramTest, AnExecutorGivesTheSameEitherWay) {
  MakeStep();
  const GraphExecutor executor(buffers_, std::move(steps_), {}, scalars_, "");
  for (const int64_t stride : {8, 16}) {
    ASSERT_TRUE(executor.Run(Arguments(Array(4, stride), Array(4, stride))).ok());
    const double step = static_cast<double>(stride) / 4;
    EXPECT_EQ(sink_.elements, (std::vector<double>{0, step, 2 * step, 3 * step}));
  }
}

}  // namespace
}  // namespace dynacc::executor
