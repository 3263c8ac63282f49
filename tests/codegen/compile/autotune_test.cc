// What autotuning may choose: no value of a knob changes a bit, and each does something.
#include "codegen/compile/autotune.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "codegen/ir/graph_text.h"
#include "codegen/tuning/choice.h"
#include "runtime/base/stats.h"
#include "tests/codegen/graph_runner.h"
#include "tests/codegen/mimic_loops.h"

namespace dynacc::compile {
namespace {

using testing::VectorSink;
using testing::ViewOf;

// Each of a matrix of 60 x 70: a chain and its sum; rows; every other element, and a column's; a
// result that is used twice.
constexpr const char* kGraphs[] = {
    R"(graph {
      %0: f64[60, 70] = input 0
      %1: f64[60, 70] = multiply %0, %0
      %2: f64[60, 70] = add %1, %0
      %3: f64[60, 70] = sqrt %2
      %4: f64[] = reduce_sum %3 axes[0, 1]
      return %3, %4
    })",
    R"(graph {
      %0: f64[60, 70] = input 0
      %1: f64[60] = reduce_max %0 axes[1]
      %2: f64[60, 70] = view %1 axis[0, -1] start[0] step[1, 0]
      %3: f64[60, 70] = subtract %0, %2
      %4: f64[60, 70] = multiply %3, %3
      %5: f64[60] = reduce_sum %4 axes[1]
      %6: f64[60, 70] = view %5 axis[0, -1] start[0] step[1, 0]
      %7: f64[60, 70] = divide %4, %6
      return %7
    })",
    R"(graph {
      %0: f64[60, 70] = input 0
      %1: f64[60, 35] = view %0 axis[0, 1] start[0, 0] step[1, 2]
      %2: f64[60, 35] = view %0 axis[0, 1] start[0, 1] step[1, 2]
      %3: f64[60, 35] = multiply %1, %2
      %4: f64[60, 35] = add %3, %1
      %5: f64[35] = reduce_sum %4 axes[0]
      return %4, %5
    })",
    R"(graph {
      %0: f64[60, 70] = input 0
      %1: f64[60, 70] = add %0, %0
      %2: f64[60, 70] = multiply %1, %0
      %3: f64[60, 70] = subtract %1, %2
      %4: f64[70] = reduce_sum %1 axes[0]
      return %2, %3, %4
    })"};

std::vector<double> Numbers() {
  std::vector<double> numbers(60 * 70);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.1 + std::fmod(0.37 * i, 3.0);
  return numbers;
}

class AutotuneTest : public ::testing::Test {
 protected:
  void SetUp() override { testing::RegisterMimicLoops(); }

  std::vector<double> numbers_ = Numbers();
  StridedView input_ = ViewOf(numbers_, DType::kFloat64, {60, 70});

  static std::vector<ScalarValue> ScalarsOf(const ir::Graph& graph) {
    std::vector<ScalarValue> scalars(graph.scalars().size());
    EXPECT_TRUE(graph.scalars().Evaluate({}, absl::MakeSpan(scalars)));
    return scalars;
  }

  // The elements of all results.
  std::vector<double> Run(const ir::Graph& graph, const executor::CompiledGraph& compiled) {
    const std::vector<ScalarValue> scalars = ScalarsOf(graph);
    VectorSink sink;
    executor::RunArguments arguments;
    arguments.inputs = absl::MakeConstSpan(&input_, 1);
    arguments.scalars = scalars;
    arguments.sink = &sink;
    EXPECT_TRUE(compiled.Run(arguments).ok());
    std::vector<double> all;
    for (int i = 0; sink.Has(i); ++i) {
      const std::vector<double> values = sink.Values<double>(i);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }
};

TEST_F(AutotuneTest, NoValueChangesABit) {
  for (const char* target : {"cpu", "tile"}) {
    for (const char* text : kGraphs) {
      const std::unique_ptr<ir::Graph> graph = *ir::ParseGraph(text);
      CompileOptions options;
      options.target = target;
      const auto usual = CompileGraph(*graph, options);
      ASSERT_TRUE(usual.ok()) << usual.status();
      const std::vector<double> expected = Run(*graph, **usual);
      ASSERT_FALSE(expected.empty());
      for (size_t i = 0; i < tuning::Knobs().size(); ++i) {
        for (const int value : tuning::Knobs()[i].values) {
          options.tuning = tuning::Choice();
          options.tuning.Set(static_cast<tuning::Knob>(i), value);
          const auto compiled = CompileGraph(*graph, options);
          ASSERT_TRUE(compiled.ok()) << compiled.status();
          EXPECT_EQ(Run(*graph, **compiled), expected) << options.tuning.ToText() << " of " << text;
        }
      }
    }
  }
}

TEST_F(AutotuneTest, KnobsReachTheCode) {
  const std::unique_ptr<ir::Graph> graph = *ir::ParseGraph(kGraphs[0]);
  CompileOptions options;
  options.tuning.Set(tuning::Knob::kUnroll, 4);
  options.tuning.Set(tuning::Knob::kTile, 256);
  options.tuning_note = "a choice";
  const auto compiled = CompileGraph(*graph, options);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const std::string described = (*compiled)->Describe();
  EXPECT_EQ(described.find("autotune: a choice\n"), 0u);
  EXPECT_NE(described.find(" tile 256 unroll 4\n"), std::string::npos) << described;
  EXPECT_NE(described.find("unroll_count(4)"), std::string::npos) << described;
}

// The numbers that it is tried on stay, and whoever asks again is told at once.
TEST_F(AutotuneTest, TriesOnCopies) {
  const std::unique_ptr<ir::Graph> graph = *ir::ParseGraph(kGraphs[1]);
  const std::vector<ScalarValue> scalars = ScalarsOf(*graph);
  CompileOptions options;
  options.target = "tile";
  options.label = "of a test";
  ASSERT_TRUE(MayBeTuned(*graph, options));
  const uint64_t before = ProcessStats().graphs_autotuned;
  for (int time = 0; time < 2; ++time) {
    const CompileOptions chosen =
        Autotune(*graph, options, absl::MakeConstSpan(&input_, 1), scalars);
    const auto tuned = CompileGraph(*graph, chosen);
    ASSERT_TRUE(tuned.ok()) << tuned.status();
    EXPECT_EQ((*tuned)->Describe().find("autotune: "), 0u) << (*tuned)->Describe();
    EXPECT_EQ(Run(*graph, **tuned), Run(*graph, **CompileGraph(*graph, options)));
  }
  EXPECT_EQ(numbers_, Numbers());
  EXPECT_LE(ProcessStats().graphs_autotuned - before, 1u);
}

TEST_F(AutotuneTest, WhatIsNotTuned) {
  const std::unique_ptr<ir::Graph> graph = *ir::ParseGraph(kGraphs[1]);
  CompileOptions options;
  options.target = "reference";
  EXPECT_FALSE(MayBeTuned(*graph, options));
  options.target = "cpu";
  options.placement.device = 1;
  EXPECT_FALSE(MayBeTuned(*graph, options));
}

}  // namespace
}  // namespace dynacc::compile
