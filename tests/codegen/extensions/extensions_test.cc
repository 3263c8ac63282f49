// Extensions without a library: patterns in graphs, rules and vetoes in schedules.
#include "codegen/extensions/extensions.h"

#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "codegen/ir/graph_text.h"
#include "codegen/passes/passes.h"
#include "codegen/schedule/schedule.h"
#include "gtest/gtest.h"

namespace dynacc::extensions {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Extensions Added(void (*extend)(extension::Registry&)) {
  Extensions extensions;
  const absl::Status status = AddExtensions(extend, extensions);
  EXPECT_TRUE(status.ok()) << status;
  return extensions;
}

// A graph of a and b, f32[4, 3], after the rewrite and without what it left unused.
std::string Rewritten(const char* pattern, const char* replacement, const std::string& nodes) {
  const auto graph = ir::ParseGraph(absl::StrCat(
      "graph {\n  %0: f32[4, 3] = input 0\n  %1: f32[4, 3] = input 1\n", nodes, "\n}\n"));
  if (!graph.ok()) return std::string(graph.status().message());
  const ExtensionRewrite rewrite = {"test", *Rewrite::Parse(pattern, replacement), nullptr};
  return ir::PrintGraph(*passes::EliminateDeadCode(*passes::ApplyRewrite(**graph, rewrite)));
}

TEST(RewriteTest, NestedOperationsAndNumbers) {
  const char* const nodes = R"(
    %2: f32[] = scalar 1
    %3: f32[4, 3] = view %2 axis[-1, -1] start[] step[0, 0]
    %4: f32[4, 3] = multiply %0, %1
    %5: f32[4, 3] = add %4, %3
    return %5)";
  const std::string found =
      Rewritten("add(multiply(?a, ?b), 1)", "subtract(?b, multiply(?a, 2.5))", nodes);
  EXPECT_THAT(found, HasSubstr("scalar 2.5"));
  EXPECT_THAT(found, HasSubstr("multiply %0, "));
  EXPECT_THAT(found, HasSubstr("subtract %1, "));
  EXPECT_THAT(found, Not(HasSubstr("add")));
  // Another number; operands in another order.
  EXPECT_THAT(Rewritten("add(multiply(?a, ?b), 2)", "?a", nodes), HasSubstr("add"));
  EXPECT_THAT(Rewritten("add(1, multiply(?a, ?b))", "?a", nodes), HasSubstr("add"));
}

TEST(RewriteTest, ZerosHaveSigns) {
  const char* const nodes = R"(
    %2: f32[] = scalar 0.0
    %3: f32[4, 3] = view %2 axis[-1, -1] start[] step[0, 0]
    %4: f32[4, 3] = add %0, %3
    return %4)";
  EXPECT_THAT(Rewritten("add(?x, 0)", "?x", nodes), HasSubstr("return %0"));
  EXPECT_THAT(Rewritten("add(?x, -0.0)", "?x", nodes), HasSubstr("add"));
}

TEST(RewriteTest, OneNameIsOneArray) {
  const char* const pattern = "subtract(?x, ?x)";
  EXPECT_THAT(Rewritten(pattern, "?x", "%2: f32[4, 3] = subtract %0, %1\n return %2"),
              HasSubstr("subtract"));
  EXPECT_THAT(Rewritten(pattern, "?x", "%2: f32[4, 3] = subtract %0, %0\n return %2"),
              HasSubstr("return %0"));
}

TEST(RewriteTest, ResultsKeepTheirType) {
  // A comparison gives bools.
  EXPECT_THAT(Rewritten("less(?x, ?y)", "?x", "%2: bool[4, 3] = less %0, %1\n return %2"),
              HasSubstr("less"));
  // An op of operands of two dtypes.
  EXPECT_THAT(
      Rewritten("negative(?x)", "add(?x, less(?x, ?x))", "%2: f32[4, 3] = negative %0\n return %2"),
      HasSubstr("negative"));
  EXPECT_THAT(Rewritten("absolute(?x)", "where(less(?x, 0), negative(?x), ?x)",
                        "%2: f32[4, 3] = absolute %0\n return %2"),
              HasSubstr("where"));
}

TEST(RewriteTest, WhatIsMadeCanBeFoundAgain) {
  EXPECT_THAT(Rewritten("negative(negative(?x))", "?x", R"(
    %2: f32[4, 3] = negative %0
    %3: f32[4, 3] = negative %2
    %4: f32[4, 3] = negative %3
    %5: f32[4, 3] = negative %4
    return %5)"),
              HasSubstr("return %0"));
}

TEST(RewriteTest, PatternsThatAreNone) {
  for (const char* text : {"", "?", "f(?x)", "add(?x,)", "add(?x, ?y", "add(?x, ?y))",
                           "where(?a, ?b)", "cast(?x)", "1.5.2", "?x", "1"}) {
    EXPECT_FALSE(Rewrite::Parse(text, "1").ok()) << text;
  }
  std::string deep = "?x";
  for (int i = 0; i < 200; ++i) deep = absl::StrCat("exp(", deep, ")");
  EXPECT_FALSE(Rewrite::Parse(deep, "?x").ok());
  EXPECT_FALSE(Rewrite::Parse("exp(?x)", "?y").ok());
  std::string many = "?x0";
  for (int i = 1; i < 20; ++i) many = absl::StrCat("add(", many, ", ?x", i, ")");
  EXPECT_FALSE(Rewrite::Parse(many, "?x1").ok());
}

std::string ScheduleWith(const Extensions& extensions, const std::string& text,
                         const char* disabled = "") {
  const auto graph = ir::ParseGraph(text);
  if (!graph.ok()) return std::string(graph.status().message());
  return schedule::ScheduleText(**graph, schedule::MakeSchedule(**graph, disabled, {}, extensions));
}

constexpr char kTwoArrays[] = R"(graph {
  %0: f64[9] = input 0
  %1: f64[9] = input 1
  %2: f64[9] = exp %0
  %3: f64[9] = exp %1
  return %2, %3
})";

void MergeEverything(extension::Fusion& fusion) {
  for (int into = 0; into < fusion.num_groups(); ++into) {
    for (int from = 0; from < fusion.num_groups(); ++from) fusion.Merge(from, into);
  }
}

TEST(RuleTest, MergesWhatBuiltInRulesDoNot) {
  const Extensions extensions =
      Added([](extension::Registry& registry) { registry.AddRule("all", MergeEverything); });
  EXPECT_THAT(ScheduleWith({}, kTwoArrays), HasSubstr("group 1"));
  const std::string merged = ScheduleWith(extensions, kTwoArrays);
  EXPECT_THAT(merged, Not(HasSubstr("group 1")));
  EXPECT_THAT(merged, HasSubstr("by all"));
  EXPECT_THAT(ScheduleWith(extensions, kTwoArrays, "all"), HasSubstr("group 1"));
  EXPECT_THAT(ScheduleWith(extensions, kTwoArrays, "extension-rules"), HasSubstr("group 1"));
}

TEST(RuleTest, IsRefusedWhatCannotBeOneKernel) {
  const Extensions extensions =
      Added([](extension::Registry& registry) { registry.AddRule("all", MergeEverything); });
  // A view of a result, another shape, a reduction whose operand others read, a product.
  const char* const graph = R"(graph {
    %0: f64[9] = input 0
    %1: f64[9] = exp %0
    %2: f64[9] = view %1 axis[0] start[8] step[-1]
    %3: f64[9] = sqrt %2
    %4: f64[9] = add %3, %1
    %5: f64[] = reduce_sum %4 axes[0]
    %6: f64[3] = input 1
    %7: f64[3] = sqrt %6
    %8: f64[9, 3] = input 2
    %9: f64[9] = matmul %8, %7
    return %4, %5, %9
  })";
  EXPECT_EQ(ScheduleWith(extensions, graph), ScheduleWith({}, graph));
}

TEST(RuleTest, SeesGroupsAndNodes) {
  static std::string seen;
  seen.clear();
  const Extensions extensions = Added([](extension::Registry& registry) {
    registry.AddRule("look", [](extension::Fusion& fusion) {
      for (int g = 0; g < fusion.num_groups(); ++g) {
        const extension::Group& group = fusion.group(g);
        for (int i = 0; i < group.num_nodes(); ++i) {
          const extension::Node& node = group.node(i);
          absl::StrAppend(&seen, group.kind(), " ", node.dtype(), " ", node.op(), " ", node.rank(),
                          " ", node.rank() == 0 ? 0 : node.size(0), " of ", node.operand(0).op(),
                          "; ");
          double number = 0;
          for (int k = 0; k < node.num_operands(); ++k) {
            if (node.operand(k).IsNumber(&number)) absl::StrAppend(&seen, number, "; ");
          }
        }
      }
      EXPECT_STREQ(fusion.Merge(0, 0), "no two groups");
      EXPECT_STREQ(fusion.Merge(0, 99), "no two groups");
      EXPECT_STREQ(fusion.Merge(-1, 0), "no two groups");
    });
  });
  ScheduleWith(extensions, R"(graph {
    scalars: s0 = input int
    %0: f32[s0] = input 0
    %1: f32[] = scalar 2.5
    %2: f32[s0] = view %1 axis[-1] start[] step[0]
    %3: f32[s0] = multiply %0, %2
    %4: f32[] = reduce_max %3 axes[0]
    return %4
  })");
  EXPECT_EQ(
      seen,
      "elementwise f32 multiply 1 -1 of input; 2.5; reduction f32 reduce_max 0 0 of multiply; ");
}

TEST(VetoTest, HoldsForEveryRule) {
  const Extensions extensions = Added([](extension::Registry& registry) {
    registry.AddRule("all", MergeEverything);
    registry.AddVeto("no", [](const extension::Group& a, const extension::Group&) -> const char* {
      return a.num_nodes() > 0 ? "not today" : nullptr;
    });
  });
  const char* const graph = R"(graph {
    %0: f64[9, 5] = input 0
    %1: f64[9, 5] = exp %0
    %2: f64[9, 5] = sqrt %1
    %3: f64[9, 5] = sqrt %0
    %4: f64[9] = reduce_sum %2 axes[1]
    return %3, %4
  })";
  const std::string schedule = ScheduleWith(extensions, graph);
  EXPECT_THAT(schedule, HasSubstr("group 3"));
  EXPECT_THAT(schedule, HasSubstr("no: not today"));
  EXPECT_THAT(ScheduleWith(extensions, graph, "fuse-sibling, no"), Not(HasSubstr("group 3")));
}

TEST(RegistryTest, NamesAreTakenOnce) {
  Extensions extensions;
  const absl::Status status = AddExtensions(
      [](extension::Registry& registry) {
        registry.AddRule("a", MergeEverything);
        registry.AddVeto("a", nullptr);
        registry.AddRule("", MergeEverything);
        registry.AddRule("a,b", MergeEverything);
      },
      extensions);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'a' is no name, or one that is taken"));
  EXPECT_TRUE(extensions.Has("a"));
  EXPECT_TRUE(extensions.vetoes.empty());
  EXPECT_EQ(extensions.rules.size(), 1);
}

}  // namespace
}  // namespace dynacc::extensions
