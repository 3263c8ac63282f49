// What is kept of a graph's compile: found again by an equal compile alone, and refused when
// broken.
#include "codegen/compile/kept_plan.h"

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/base/options.h"
#include "tests/codegen/graph_runner.h"
#include "tests/codegen/mimic_loops.h"
#include "tests/runtime/base/scratch_directory.h"

namespace dynacc::compile {
namespace {

using testing::VectorSink;
using testing::ViewOf;
using Compiled = std::shared_ptr<const executor::CompiledGraph>;

// Rows that are centred, a sum, and a result that is written into an input.
constexpr const char* kGraph = R"(graph {
  scalars: s0 = input int
  %0: f64[s0, 6] = input 0    # prog.py:3
  %1: f64[s0] = reduce_max %0 axes[1]    # prog.py:3
  %2: f64[s0, 6] = view %1 axis[0, -1] start[0] step[1, 0]
  %3: f64[s0, 6] = subtract %0, %2    # prog.py:4
  %4: f64[s0, 6] = multiply %3, %3    # prog.py:5
  %5: f64[] = reduce_sum %4 axes[0, 1]
  %6: f64[s0, 6] = input 1
  %7: f64[s0, 6] = add %6, %3
  return %4, %5, %7 -> %6
})";

class KeptPlanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::RegisterMimicLoops();
    options_.target = "tile";
  }

  static std::unique_ptr<ir::Graph> Parse(const std::string& text) { return *ir::ParseGraph(text); }

  absl::StatusOr<Kernels> Make(absl::Span<const kernel::Kernel> kernels) const {
    return FindTarget("tile")->CompileKernels(kernels);
  }

  // Compiles `graph` and keeps it.
  Compiled Keep(const ir::Graph& graph, const CompileOptions& options) {
    RecordedKernels recorded;
    const auto make = [&](absl::Span<const kernel::Kernel> kernels) -> absl::StatusOr<Kernels> {
      auto made = Make(kernels);
      recorded.Record(kernels, *made);
      return made;
    };
    const Compiled compiled = *CompileGraphWith(graph, options, make);
    KeptPlan(graph, options, cache_).Keep(*compiled, recorded);
    return compiled;
  }

  absl::StatusOr<Compiled> Load(const ir::Graph& graph, const CompileOptions& options) {
    return KeptPlan(graph, options, cache_).Load([this](absl::Span<const kernel::Kernel> kernels) {
      return Make(kernels);
    });
  }

  // The results on a matrix of so many rows, and what the second input holds afterwards.
  static std::vector<double> Run(const ir::Graph& graph, const executor::CompiledGraph& compiled,
                                 int64_t rows) {
    std::vector<double> a(rows * 6), b(rows * 6, 2.0);
    for (size_t i = 0; i < a.size(); ++i) a[i] = 0.25 * static_cast<double>(i * i % 17);
    std::vector<ScalarValue> scalars(graph.scalars().size());
    EXPECT_TRUE(graph.scalars().Evaluate({{ScalarValue{.i = rows}}}, absl::MakeSpan(scalars)));
    const std::vector<StridedView> inputs = {ViewOf(a, DType::kFloat64, {rows, 6}),
                                             ViewOf(b, DType::kFloat64, {rows, 6})};
    VectorSink sink;
    executor::RunArguments arguments;
    arguments.inputs = inputs;
    arguments.scalars = scalars;
    arguments.sink = &sink;
    const auto flags = compiled.Run(arguments);
    EXPECT_TRUE(flags.ok()) << flags.status();
    std::vector<double> values = sink.Values<double>(0);
    for (const double value : sink.Values<double>(1)) values.push_back(value);
    values.insert(values.end(), b.begin(), b.end());
    return values;
  }

  ScratchDirectory folder_;
  cache::KernelCache cache_{folder_.path()};
  CompileOptions options_;
};

TEST_F(KeptPlanTest, RunsAsWhatWasKept) {
  const auto graph = Parse(kGraph);
  const Compiled kept = Keep(*graph, options_);
  const auto again = Parse(kGraph);
  const absl::StatusOr<Compiled> found = Load(*again, options_);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ((*found)->Describe(), kept->Describe());
  for (const int64_t rows : {1, 5, 40}) {
    EXPECT_EQ(Run(*again, **found, rows), Run(*graph, *kept, rows)) << rows;
  }
}

TEST_F(KeptPlanTest, WhatDecidesIsInTheKey) {
  const auto graph = Parse(kGraph);
  Keep(*graph, options_);
  std::vector<cache::ContentHash> keys = {KeptPlan(*graph, options_, cache_).key()};
  const auto add = [&](const ir::Graph& other, const CompileOptions& options) {
    const cache::ContentHash key = KeptPlan(other, options, cache_).key();
    for (const cache::ContentHash& known : keys) EXPECT_NE(key.Hex(), known.Hex());
    EXPECT_TRUE(absl::IsNotFound(Load(other, options).status()));
    keys.push_back(key);
  };
  CompileOptions other = options_;
  other.fast_math = true;
  add(*graph, other);
  other = options_;
  other.disabled_passes = "fuse-rows";
  add(*graph, other);
  other = options_;
  other.target = "cpu";
  add(*graph, other);
  other = options_;
  other.tuning.Set(tuning::Knob::kUnroll, 4);
  add(*graph, other);
  std::string text = kGraph;
  text.replace(text.find("reduce_max"), 10, "reduce_min");
  add(*Parse(text), options_);
  text = kGraph;
  text.replace(text.find("prog.py:4"), 9, "prog.py:9");
  add(*Parse(text), options_);
  const auto silent = Parse(kGraph);
  silent->RestrictReported(0);
  add(*silent, options_);
}

TEST_F(KeptPlanTest, SurvivesDamage) {
  const auto graph = Parse(kGraph);
  const Compiled kept = Keep(*graph, options_);
  const cache::ContentHash key = KeptPlan(*graph, options_, cache_).key();
  const std::string whole = *cache_.FindBytes(key);
  for (size_t size = 0; size < whole.size(); ++size) {
    cache_.KeepBytes(key, whole.substr(0, size));
    EXPECT_TRUE(absl::IsNotFound(Load(*graph, options_).status())) << size;
  }
  cache_.KeepBytes(key, whole + "x");
  EXPECT_TRUE(absl::IsNotFound(Load(*graph, options_).status()));
  // Any other bytes are refused, or a plan.
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = whole;
    for (uint32_t i = random() % 4; i < 4; ++i) bytes[random() % bytes.size()] ^= 1 << random() % 8;
    cache_.KeepBytes(key, bytes);
    Load(*graph, options_).IgnoreError();
  }
  cache_.KeepBytes(key, whole);
  const absl::StatusOr<Compiled> found = Load(*graph, options_);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(Run(*graph, **found, 3), Run(*graph, *kept, 3));
}

TEST_F(KeptPlanTest, IsNotForGraphsThatOthersHaveAPartIn) {
  const auto plain = Parse(kGraph);
  EXPECT_TRUE(KeptPlan::MayBeKept(*plain, options_));
  CompileOptions on_device = options_;
  on_device.placement.device = 1;
  EXPECT_FALSE(KeptPlan::MayBeKept(*plain, on_device));
  const auto product = Parse(R"(graph {
    %0: f32[70, 80] = input 0
    %1: f32[80, 90] = input 1
    %2: f32[70, 90] = matmul %0, %1 any_order
    return %2
  })");
  EXPECT_FALSE(KeptPlan::MayBeKept(*product, options_));
}

}  // namespace
}  // namespace dynacc::compile
