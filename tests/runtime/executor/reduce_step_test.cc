#include "runtime/executor/reduce_step.h"

#include <map>

#include "gtest/gtest.h"
#include "runtime/executor/graph_executor.h"
#include "tests/runtime/executor/golden_file.h"
#include "tests/runtime/executor/numpy_like_loops.h"

namespace dynacc::executor {
namespace {

using testing::Numbers;

constexpr int64_t kElements = 1 << 18;

template <typename T>
const std::vector<T>& Elements() {
  static const std::vector<T>& elements = *[] {
    auto* made = new std::vector<T>;
    for (int64_t i = 0; i < kElements; ++i) made->push_back(testing::Element<T>(i));
    return made;
  }();
  return elements;
}

template <typename T>
kernel::LibraryLoopFn LoopNamed(const std::string& ufunc) {
  if (ufunc == "add") return testing::AddLoop<T>;
  if (ufunc == "multiply") return testing::BinaryLoop<T, [](T a, T b) { return a * b; }>;
  return testing::BinaryLoop<T, [](T a, T b) { return a >= b ? a : b; }>;
}

struct Case {
  std::string line, ufunc;
  bool is_double, keepdims;
  std::vector<int64_t> shape, strides, axes, result_strides;
  int64_t offset;
  uint64_t hash;
};

Case ParseCase(const std::string& line) {
  const std::vector<std::string> fields = absl::StrSplit(line, '|');
  const std::vector<std::string> head = absl::StrSplit(fields[0], ' ');
  Case c;
  c.line = line;
  c.ufunc = head[0];
  c.is_double = head[1] == "f64";
  c.keepdims = head[2] == "1";
  c.shape = Numbers(fields[1]);
  c.strides = Numbers(fields[2]);
  c.offset = Numbers(fields[3])[0];
  c.axes = Numbers(fields[4]);
  c.result_strides = Numbers(fields[5]);
  c.hash = std::stoull(fields[6], nullptr, 16);
  return c;
}

// Copies its input: the simplest producer.
class IdentityKernel : public kernel::CompiledKernel {
 public:
  explicit IdentityKernel(int item_size) : item_size_(item_size) {}
  void Run(char* const* pointers, const int64_t* strides, int64_t n) const override {
    for (int64_t i = 0; i < n; ++i) {
      std::memcpy(pointers[1] + i * strides[1], pointers[0] + i * strides[0], item_size_);
    }
  }
  const std::string& source() const override { return source_; }

 private:
  int item_size_;
  std::string source_ = "identity";
};

class KeepSink : public OutputSink {
 public:
  absl::Status Allocate(int, StridedView& given) override {
    memory.assign(std::max<int64_t>(1, given.size() * ItemSize(given.dtype)), '\x55');
    given.data = memory.data();
    view = given;
    return absl::OkStatus();
  }
  std::vector<char> memory;
  StridedView view;
};

class ReduceStepTest : public ::testing::TestWithParam<bool> {
 protected:
  // The sizes of shapes are constants: scalar i is the number i-th used.
  ScalarId Size(int64_t size) {
    scalars_.push_back(ScalarValue{.i = size});
    return static_cast<ScalarId>(scalars_.size()) - 1;
  }

  ShapePlan Shape(const std::vector<int64_t>& shape) {
    ShapePlan plan;
    for (const int64_t size : shape) plan.sizes[plan.rank++] = Size(size);
    return plan;
  }

  std::vector<int64_t> ResultShape(const Case& c) const {
    std::vector<int64_t> shape;
    for (int64_t i = 0; i < static_cast<int64_t>(c.shape.size()); ++i) {
      const bool reduced = std::find(c.axes.begin(), c.axes.end(), i) != c.axes.end();
      if (!reduced || c.keepdims) shape.push_back(reduced ? 1 : c.shape[i]);
    }
    return shape;
  }

  ReducePlan Plan(const Case& c, bool with_producer) {
    ReducePlan plan;
    plan.dtype = c.is_double ? DType::kFloat64 : DType::kFloat32;
    plan.loop = {c.is_double ? LoopNamed<double>(c.ufunc) : LoopNamed<float>(c.ufunc), nullptr};
    plan.axes.assign(c.axes.begin(), c.axes.end());
    plan.keepdims = c.keepdims;
    if (c.ufunc == "add") plan.identity = 0;
    if (c.ufunc == "multiply") plan.identity = 1;
    plan.separable = c.ufunc == "add";
    plan.op = c.ufunc == "add"        ? Op::kReduceSum
              : c.ufunc == "multiply" ? Op::kReduceProd
                                      : Op::kReduceMax;
    FindQuickRuns(plan);
    plan.output = 1;
    plan.source_layout = 0;
    if (with_producer) {
      plan.producer.kernel = std::make_shared<IdentityKernel>(ItemSize(plan.dtype));
      plan.producer.shape = Shape(c.shape);
      plan.producer.inputs = {OperandPlan{}};
      plan.producer.input_dtypes = {plan.dtype};
      plan.producer.output_dtypes = {plan.dtype};
      plan.producer.cost = 100;  // so that threads are used
    }
    return plan;
  }

  void Check(const Case& c) {
    std::vector<BufferPlan> buffers(2);
    const DType dtype = c.is_double ? DType::kFloat64 : DType::kFloat32;
    buffers[0] = {BufferKind::kInput, dtype, Shape(c.shape), 0};
    buffers[1] = {BufferKind::kOutput, dtype, Shape(ResultShape(c)), 0};
    std::vector<std::unique_ptr<const Step>> steps;
    steps.push_back(std::make_unique<ReduceStep>(Plan(c, GetParam())));
    buffers[1].layout = 1;
    LayoutStep source;
    source.rule = LayoutRule::kInput;
    LayoutStep result;
    result.rule = LayoutRule::kReduce;
    result.dtype = dtype;
    result.shape = buffers[1].shape;
    result.operands = {0};
    for (const int64_t axis : c.axes) result.reduced_axes |= 1u << axis;
    result.keepdims = c.keepdims;
    const GraphExecutor executor(buffers, std::move(steps), {}, ScalarProgram(), "",
                                 LayoutProgram({source, result}));

    StridedView input;
    const char* base = c.is_double ? reinterpret_cast<const char*>(Elements<double>().data())
                                   : reinterpret_cast<const char*>(Elements<float>().data());
    input.data = const_cast<char*>(base) + c.offset * ItemSize(dtype);
    input.dtype = dtype;
    input.rank = static_cast<int>(c.shape.size());
    std::copy(c.shape.begin(), c.shape.end(), input.shape);
    std::copy(c.strides.begin(), c.strides.end(), input.strides);
    KeepSink sink;
    RunArguments arguments;
    arguments.inputs = {&input, 1};
    arguments.scalars = scalars_;
    arguments.sink = &sink;
    ASSERT_TRUE(executor.Run(arguments).ok());
    EXPECT_EQ(std::vector<int64_t>(sink.view.strides, sink.view.strides + sink.view.rank),
              c.result_strides)
        << c.line;
    uint64_t hash = testing::Fnv1a(nullptr, 0);
    testing::VisitInCOrder(sink.view, [&](const char* element) {
      hash = testing::Fnv1a(element, ItemSize(dtype), hash);
    });
    EXPECT_EQ(hash, c.hash) << c.line;
  }

  std::vector<ScalarValue> scalars_;
};

// Values and strides as NumPy's own reduce gave them, for memory and through a producer (which
// sees the same memory order, but makes a fresh array of it: so only operands without broadcast
// axes have the same order).
TEST_P(ReduceStepTest, GivesNumPysBytes) {
  int cases = 0;
  for (const std::string& line : testing::GoldenLines("reductions.txt")) {
    const Case c = ParseCase(line);
    const bool broadcast = std::count(c.strides.begin(), c.strides.end(), 0) > 0;
    if (GetParam() && broadcast) continue;
    Check(c);
    ++cases;
  }
  EXPECT_GT(cases, 250);
}

INSTANTIATE_TEST_SUITE_P(Sources, ReduceStepTest, ::testing::Values(false, true),
                         [](const auto& info) { return info.param ? "Producer" : "Memory"; });

}  // namespace
}  // namespace dynacc::executor
