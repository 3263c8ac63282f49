// Runs the sections of tests/codegen/passes/golden/*.txt (golden_sections.h).
#include <set>

#include "codegen/ir/graph_text.h"
#include "codegen/passes/pass_runner.h"
#include "gtest/gtest.h"
#include "tests/codegen/passes/golden_sections.h"

namespace dynacc::passes {
namespace {

const char kFolder[] = DYNACC_SOURCE_DIR "/tests/codegen/passes/golden";

absl::StatusOr<std::string> Transform(const GoldenSection& section) {
  auto graph = ir::ParseGraph(section.input);
  for (const std::string& name : section.passes) {
    bool known = false;
    for (const Pass& pass : AllPasses()) {
      if (name != pass.name) continue;
      known = true;
      if (!graph.ok()) continue;
      absl::StatusOr<std::unique_ptr<ir::Graph>> result = RunPass(pass, **graph);
      if (!result.ok() || *result != nullptr) graph = std::move(result);
    }
    if (!known) return absl::NotFoundError("no pass " + name);
  }
  if (!graph.ok()) return graph.status();
  return ir::PrintGraph(**graph);
}

TEST(GraphPasses, AgreeWithTheGoldenFiles) {
  std::set<std::string> covered;
  CheckGoldenFolder(kFolder, [&](const GoldenSection& section) {
    covered.insert(section.passes.begin(), section.passes.end());
    return Transform(section);
  });
  for (const Pass& pass : AllPasses()) {
    EXPECT_TRUE(covered.count(pass.name)) << "no golden section runs the pass " << pass.name;
  }
}

TEST(PassRunner, LeavesDisabledPassesOut) {
  const char kText[] =
      "graph {\n  %0: f64[2] = input 0\n  %1: f64[2] = negative %0\n  return %0\n}\n";
  const auto run = [&](PassOptions options) {
    return ir::PrintGraph(**RunPasses(**ir::ParseGraph(kText), options));
  };
  EXPECT_EQ(run({.disabled = {"dead_code", "sink_views"}}), kText);
  EXPECT_NE(run({}), kText);
}

TEST(PassRunner, PadsProductsWhereItIsAskedFor) {
  const char kText[] =
      "graph {\n  %0: f32[100, 66] = input 0\n  %1: f32[66, 101] = input 1\n"
      "  %2: f32[100, 101] = matmul %0, %1\n  return %2\n}\n";
  const auto pads = [&](PassOptions options) {
    const std::string text = ir::PrintGraph(**RunPasses(**ir::ParseGraph(kText), options));
    return text.find("f32[100, 104] = matmul") != text.npos;
  };
  EXPECT_TRUE(pads({.fast_math = true, .has_good_sizes = true}));
  EXPECT_FALSE(pads({.fast_math = true}));
  EXPECT_FALSE(pads({.has_good_sizes = true}));
  EXPECT_FALSE(pads({.disabled = {"pad_products"}, .fast_math = true, .has_good_sizes = true}));
}

TEST(PassRunner, RefusesAGraphThatDoesNotVerify) {
  auto graph =
      ir::ParseGraph("graph {\n  %0: f64[2] = input 0\n  %1: f64[3] = negative %0\n  return\n}");
  const absl::Status status = RunPasses(**graph, {}).status();
  EXPECT_EQ(status.message().find("before the passes: "), 0u) << status;
}

}  // namespace
}  // namespace dynacc::passes
