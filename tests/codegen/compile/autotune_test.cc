// What autotuning may choose: no value of a knob changes a bit, and each does something.
#include "codegen/compile/autotune.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "codegen/compile/compile_queue.h"
#include "codegen/ir/graph_text.h"
#include "codegen/tuning/choice.h"
#include "runtime/base/stats.h"
#include "runtime/executor/measure.h"
#include "runtime/platform/thread_pool.h"
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
    return NumbersOf(sink);
  }

  static std::vector<double> NumbersOf(const VectorSink& sink) {
    std::vector<double> all;
    for (int i = 0; sink.Has(i); ++i) {
      const std::vector<double> values = sink.Values<double>(i);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }
};

// Each value of each knob for all groups, and all values of all kernels' knobs in turn, by group.
std::vector<tuning::Choice> AllChoices() {
  std::vector<tuning::Choice> choices(1);
  tuning::Choice mixed;
  for (size_t i = 0; i < tuning::Knobs().size(); ++i) {
    const auto knob = static_cast<tuning::Knob>(i);
    const tuning::KnobInfo& info = tuning::Knobs()[i];
    for (const int value : info.values) choices.emplace_back().Set(knob, value);
    for (size_t group = 0; !info.is_rule && group < 8; ++group) {
      mixed.SetOf(static_cast<int>(group), knob, info.values[(group + i) % info.values.size()]);
    }
  }
  choices.push_back(mixed);
  return choices;
}

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
      for (const tuning::Choice& choice : AllChoices()) {
        options.tuning = choice;
        const auto compiled = CompileGraph(*graph, options);
        ASSERT_TRUE(compiled.ok()) << compiled.status();
        EXPECT_EQ(Run(*graph, **compiled), expected) << choice.ToText() << " of " << text;
      }
    }
  }
}

// Two groups, as the rule that would make them one is left out, each with its own tile.
TEST_F(AutotuneTest, GroupsHaveTheirOwnChoices) {
  const std::unique_ptr<ir::Graph> graph = *ir::ParseGraph(kGraphs[3]);
  CompileOptions options;
  options.tuning.Set(tuning::Knob::kFuseSiblings, 0);
  options.tuning.SetOf(0, tuning::Knob::kTile, 256);
  options.tuning.SetOf(1, tuning::Knob::kTile, 512);
  const auto compiled = CompileGraph(*graph, options);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const std::string described = (*compiled)->Describe();
  const size_t first = described.find(" tile 256\n"), second = described.find(" tile 512\n");
  EXPECT_LT(first, second) << described;
  EXPECT_NE(second, std::string::npos) << described;
}

TEST_F(AutotuneTest, StepsAreMeasuredOneByOne) {
  for (const char* text : kGraphs) {
    const std::unique_ptr<ir::Graph> graph = *ir::ParseGraph(text);
    const std::vector<ScalarValue> scalars = ScalarsOf(*graph);
    const auto compiled = CompileGraph(*graph, {});
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    const std::vector<executor::GroupRange> groups = (*compiled)->Groups();
    ASSERT_FALSE(groups.empty());
    executor::StepMeter meter(groups.size());
    for (int run = 1; run <= 3; ++run) {
      const std::vector<double> expected = Run(*graph, **compiled);  // later by a shorter way
      VectorSink sink;
      executor::RunArguments arguments;
      arguments.inputs = absl::MakeConstSpan(&input_, 1);
      arguments.scalars = scalars;
      arguments.sink = &sink;
      ASSERT_TRUE((*compiled)->RunMeasured(arguments, meter).ok());
      EXPECT_EQ(NumbersOf(sink), expected);
      int last = -1;
      for (size_t step = 0; step < groups.size(); ++step) {
        EXPECT_EQ(meter.Of(step).runs, run);
        if (groups[step].first < 0) continue;
        EXPECT_GE(groups[step].first, last) << (*compiled)->Describe();
        EXPECT_GE(groups[step].last, groups[step].first);
        last = groups[step].last;
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

// The arrays, and the graph, may go at once.
TEST_F(AutotuneTest, InTheBackground) {
  std::unique_ptr<ir::Graph> graph = *ir::ParseGraph(kGraphs[2]);
  const std::vector<ScalarValue> scalars = ScalarsOf(*graph);
  CompileOptions options;
  options.label = "of a test in the background";
  std::vector<double> numbers = Numbers();
  const StridedView input = ViewOf(numbers, DType::kFloat64, {60, 70});
  const auto job = AutotuneLater(*graph, options, absl::MakeConstSpan(&input, 1), scalars);
  ASSERT_NE(job, nullptr);
  if (!job->done()) {
    EXPECT_EQ(AutotuneLater(*graph, options, absl::MakeConstSpan(&input, 1), scalars), nullptr);
  }
  graph.reset();
  numbers.assign(numbers.size(), 1e300);
  for (int i = 0; i < 120'000 && !job->done(); ++i) absl::SleepFor(absl::Milliseconds(1));
  ASSERT_TRUE(job->done());
  ASSERT_TRUE(job->result().ok()) << job->result().status();
  graph = *ir::ParseGraph(kGraphs[2]);
  const std::vector<double> expected = Run(*graph, **CompileGraph(*graph, options));
  if (platform::ThreadCount() > 1) EXPECT_FALSE(job->result()->empty());
  for (const Rival& rival : *job->result()) {
    EXPECT_EQ(Run(*graph, *rival.graph), expected) << rival.choice;
    EXPECT_EQ(rival.graph->Describe().find(absl::StrCat("autotune: ", rival.choice)), 0u);
  }
}

// It ends long before it would by itself, and what is half known is not kept.
TEST_F(AutotuneTest, StoppedInTheBackground) {
  std::string text = kGraphs[0];
  for (size_t at; (at = text.find("60, 70")) != std::string::npos;)
    text.replace(at, 6, "2000, 1000");
  const std::unique_ptr<ir::Graph> graph = *ir::ParseGraph(text);
  const std::vector<ScalarValue> scalars = ScalarsOf(*graph);
  std::vector<double> numbers(2'000'000, 0.5);
  const StridedView input = ViewOf(numbers, DType::kFloat64, {2000, 1000});
  const uint64_t before = ProcessStats().graphs_autotuned;
  for (int time = 0; time < 2; ++time) {
    const auto job = AutotuneLater(*graph, {}, absl::MakeConstSpan(&input, 1), scalars);
    ASSERT_NE(job, nullptr);
    absl::SleepFor(absl::Milliseconds(20 * time));
    StopCompiling();
    EXPECT_TRUE(!job->done() || absl::IsCancelled(job->result().status()));
  }
  EXPECT_EQ(ProcessStats().graphs_autotuned, before);
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
