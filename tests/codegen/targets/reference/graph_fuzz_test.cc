// Random graphs: they print and parse, verify, and the passes change no byte of their results and
// drop no flag.
#include <limits>
#include <set>

#include "codegen/ir/graph_text.h"
#include "codegen/ir/verifier.h"
#include "codegen/passes/pass_runner.h"
#include "codegen/targets/reference/reference_graph.h"
#include "gtest/gtest.h"
#include "tests/codegen/targets/reference/random_graph.h"
#include "tests/fuzz_seeds.h"

namespace dynacc::reference {
namespace {

constexpr int64_t kRows = 3;
constexpr int64_t kColumns = 5;

class BytesSink : public executor::OutputSink {
 public:
  absl::Status Allocate(int index, StridedView& view) override {
    if (index >= static_cast<int>(outputs.size())) outputs.resize(index + 1);
    outputs[index].resize(view.size() * ItemSize(view.dtype));
    view.data = outputs[index].data();
    return absl::OkStatus();
  }
  std::vector<std::string> outputs;
};

struct Results {
  std::vector<std::string> outputs;
  uint32_t flags = 0;
};

// Runs `text` on inputs drawn from `seed`.
Results Interpret(std::unique_ptr<ir::Graph> graph, uint64_t seed) {
  std::mt19937_64 random(seed);
  // Odd seeds keep to the first few values, so that few flags are raised and one more is seen.
  static constexpr double kValues[] = {-0.0,
                                       1.0,
                                       2.5,
                                       0.0,
                                       -1.0,
                                       -7.0,
                                       100.0,
                                       255.0,
                                       1e30,
                                       std::numeric_limits<double>::infinity(),
                                       std::numeric_limits<double>::quiet_NaN()};
  std::vector<std::vector<char>> memory;
  std::vector<StridedView> inputs;
  for (const ir::Node* input : graph->inputs()) {
    StridedView view;
    view.dtype = input->dtype;
    view.rank = 2;
    view.shape[0] = kRows;
    view.shape[1] = kColumns;
    SetContiguousStrides(view);
    memory.emplace_back(view.size() * ItemSize(view.dtype));
    view.data = memory.back().data();
    for (int64_t i = 0; i < view.size(); ++i) {
      const double value = kValues[random() % (seed % 2 != 0 ? 3 : std::size(kValues))];
      FindCastFn(DType::kFloat64, view.dtype)(&value, view.data + i * ItemSize(view.dtype));
    }
    inputs.push_back(view);
  }
  std::vector<ScalarValue> scalars(graph->scalars().size());
  const ScalarValue sizes[] = {{.i = kRows}, {.i = kColumns}};
  EXPECT_TRUE(graph->scalars().Evaluate(sizes, absl::MakeSpan(scalars)));
  BytesSink sink;
  const auto flags = MakeReferenceGraph(std::move(graph))
                         ->Run({.inputs = inputs, .scalars = scalars, .sink = &sink});
  EXPECT_TRUE(flags.ok()) << flags.status();
  return {sink.outputs, flags.value_or(0)};
}

void Check(uint64_t seed) {
  const std::unique_ptr<ir::Graph> graph = RandomGraph(seed).Make(seed % 3 == 0 ? 60 : 12);
  const std::string text = ir::PrintGraph(*graph);
  SCOPED_TRACE(text);
  ASSERT_EQ(ir::VerifyGraph(*graph), absl::OkStatus());
  auto parsed = ir::ParseGraph(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_EQ(ir::PrintGraph(**parsed), text);

  const Results before = Interpret(*ir::ParseGraph(text), seed);
  auto optimised = passes::RunPasses(**parsed, {});
  ASSERT_TRUE(optimised.ok()) << optimised.status();
  SCOPED_TRACE("after the passes:\n" + ir::PrintGraph(**optimised));
  const Results after = Interpret(*std::move(optimised), seed);
  EXPECT_EQ(after.outputs, before.outputs);
  EXPECT_EQ(after.flags, before.flags);
}

// The random graphs have the ops that a library call may compute, but for those that define sizes.
TEST(GraphFuzz, GraphsHaveOpsWithCalls) {
  std::set<Op> made;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const std::unique_ptr<ir::Graph> graph = RandomGraph(seed).Make(60);
    for (const ir::Node* node : graph->nodes()) made.insert(node->op);
  }
  for (const Op op : {Op::kCumsum, Op::kCumprod, Op::kArgMax, Op::kArgMin, Op::kMean, Op::kGather,
                      Op::kScatter, Op::kIntOperator}) {
    EXPECT_TRUE(made.contains(op)) << Info(op).text;
  }
}

TEST(GraphFuzz, PassesChangeNoByte) { testing::ForEachSeed(1, 3000, Check); }

}  // namespace
}  // namespace dynacc::reference
