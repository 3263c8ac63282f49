#include "codegen/targets/reference/reference_graph.h"

#include <cfenv>

#include "codegen/ir/graph_text.h"
#include "codegen/targets/reference/reference_tensor.h"
#include "gtest/gtest.h"

namespace dynacc::reference {
namespace {

TEST(ReferenceTarget, EvaluatesEveryOp) {
  for (int i = 0; i < NumOps(); ++i) {
    EXPECT_NE(EvaluationOf(static_cast<Op>(i)), nullptr) << Info(static_cast<Op>(i)).text;
  }
}

class DoublesSink : public executor::OutputSink {
 public:
  absl::Status Allocate(int, StridedView& view) override {
    values.resize(view.size());
    view.data = reinterpret_cast<char*>(values.data());
    return absl::OkStatus();
  }
  std::vector<double> values;
};

// The f64 result of a graph on one f64[2, 3] input 1..6.
std::vector<double> Interpret(const std::string& lines, uint32_t* flags = nullptr) {
  auto graph = ir::ParseGraph("graph {\n  %x: f64[2, 3] = input 0\n" + lines + "\n}\n");
  EXPECT_TRUE(graph.ok()) << graph.status();
  double data[] = {1, 2, 3, 4, 5, 6};
  StridedView view;
  view.data = reinterpret_cast<char*>(data);
  view.rank = 2;
  view.shape[0] = 2;
  view.shape[1] = 3;
  SetContiguousStrides(view);
  std::vector<ScalarValue> scalars((*graph)->scalars().size());
  EXPECT_TRUE((*graph)->scalars().Evaluate({}, absl::MakeSpan(scalars)));
  DoublesSink sink;
  const auto raised = MakeReferenceGraph(*std::move(graph))
                          ->Run({.inputs = {&view, 1}, .scalars = scalars, .sink = &sink});
  EXPECT_TRUE(raised.ok()) << raised.status();
  if (flags != nullptr) *flags = raised.value_or(0);
  return sink.values;
}

using Values = std::vector<double>;

TEST(ReferenceTarget, ViewsReductionsAndProducts) {
  EXPECT_EQ(Interpret("%1: f64[3, 2] = view %x axis[1, 0] start[0, 0] step[1, 1]\nreturn %1"),
            (Values{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(Interpret("%1: f64[2, 3] = view %x axis[0, 1] start[1, 2] step[-1, -1]\nreturn %1"),
            (Values{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(Interpret("%1: f64[3] = reduce_sum %x axes[0]\nreturn %1"), (Values{5, 7, 9}));
  EXPECT_EQ(Interpret("%1: f64[2] = reduce_max %x axes[1]\nreturn %1"), (Values{3, 6}));
  EXPECT_EQ(Interpret("%1: f64[3, 2] = reshape %x\n%2: f64[2, 2] = matmul %x, %1\nreturn %2"),
            (Values{22, 28, 49, 64}));
  EXPECT_EQ(Interpret("%1: f64[3] = full 2.0\n%2: f64[2] = matmul %x, %1\nreturn %2"),
            (Values{12, 30}));
  EXPECT_EQ(Interpret("%1: f64[2] = full 2.0\n%2: f64[3] = matmul %1, %x\nreturn %2"),
            (Values{10, 14, 18}));
}

TEST(ReferenceTarget, ReportsFlagsAndLeavesTheEnvironment) {
  std::feclearexcept(FE_ALL_EXCEPT);
  uint32_t flags = 0;
  Interpret("%1: f64[2, 3] = full 0.0\n%2: f64[2, 3] = divide %x, %1\nreturn %2", &flags);
  EXPECT_EQ(flags, static_cast<uint32_t>(kFpDivide));
  EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO), 0);
}

}  // namespace
}  // namespace dynacc::reference
