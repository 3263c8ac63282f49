// Runs the sections of tests/codegen/passes/golden/*.txt. With DYNACC_UPDATE_GOLDENS=1 the expected
// parts are rewritten instead (tools/update_goldens.py).
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "codegen/ir/graph_text.h"
#include "codegen/passes/pass_runner.h"
#include "gtest/gtest.h"
#include "tests/codegen/passes/golden_sections.h"

namespace dynacc::passes {
namespace {

const char kFolder[] = DYNACC_SOURCE_DIR "/tests/codegen/passes/golden";

std::string ReadFile(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

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
  const bool update = std::getenv("DYNACC_UPDATE_GOLDENS") != nullptr;
  std::set<std::string> covered;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    std::vector<GoldenSection> sections = ParseGoldenSections(ReadFile(entry.path()));
    ASSERT_FALSE(sections.empty()) << entry.path();
    for (GoldenSection& section : sections) {
      SCOPED_TRACE(entry.path().filename().string() + ": " + section.title);
      covered.insert(section.passes.begin(), section.passes.end());
      const absl::StatusOr<std::string> actual = Transform(section);
      ASSERT_TRUE(actual.ok()) << actual.status();
      if (!update) EXPECT_EQ(*actual, section.expected);
      section.expected = *actual;
    }
    if (update) std::ofstream(entry.path()) << PrintGoldenSections(sections);
  }
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

TEST(PassRunner, RefusesAGraphThatDoesNotVerify) {
  auto graph =
      ir::ParseGraph("graph {\n  %0: f64[2] = input 0\n  %1: f64[3] = negative %0\n  return\n}");
  const absl::Status status = RunPasses(**graph, {}).status();
  EXPECT_EQ(status.message().find("before the passes: "), 0u) << status;
}

}  // namespace
}  // namespace dynacc::passes
