#include "codegen/ir/control_flow.h"

#include "absl/strings/str_replace.h"
#include "codegen/ir/editable_graph.h"
#include "codegen/ir/graph_text.h"
#include "codegen/ir/specialize.h"
#include "codegen/ir/subgraph.h"
#include "codegen/ir/verifier.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynacc::ir {
namespace {

using testing::HasSubstr;

constexpr char kText[] = R"(graph {
  scalars: s0 = input int
  %0: f64[s0] = input 0
  %1: bool[] = input 1
  %2: f64[s0] = cond %1, %0 numbers[s0, s0] graphs 2    # prog.py:3
    graph {
      scalars: s0 = input int
      %0: f64[s0] = input 0
      %1: f64[s0] = exp %0    # prog.py:4
      return %1
    }
    graph {
      scalars: s0 = input int
      %0: f64[s0] = input 0
      return %0
    }
  %3: f64[] = loop %2, %0 constants 0 carries 0 slices 2 length[s0] reverse graphs 1
    graph {
      %0: f64[] = input 0
      %1: f64[] = input 1
      %2: f64[] = multiply %0, %1
      return %2
    }
  return %2
}
)";

// The loop gives an array of slices: with no carry its first result is one.
std::string LegalText() {
  return absl::StrReplaceAll(kText, {{"%3: f64[] = loop", "%3: f64[s0] = loop"}});
}

TEST(ControlFlow, TextRoundTrips) {
  const auto graph = ParseGraph(LegalText());
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(PrintGraph(**graph), LegalText());
  EXPECT_TRUE(VerifyGraph(**graph).ok()) << VerifyGraph(**graph);
  const Node& cond = *(*graph)->nodes()[2];
  EXPECT_EQ(cond.attrs.subgraphs.size(), 2u);
  EXPECT_EQ(NumbersFor(cond, 1).size(), 1u);
  EXPECT_EQ(NumResults(*(*graph)->nodes()[3]), 2);
}

TEST(ControlFlow, EditedAndSpecializedGraphsKeepTheirSubgraphs) {
  const auto graph = ParseGraph(LegalText());
  ASSERT_TRUE(graph.ok());
  const auto edited = EditableGraph(**graph).Build();
  ASSERT_TRUE(edited.ok()) << edited.status();
  EXPECT_EQ(PrintGraph(**edited), LegalText());
  const auto special = SpecializeGraph(**graph, {{ScalarValue{.i = 4}}});
  ASSERT_TRUE(special.ok()) << special.status();
  EXPECT_THAT(PrintGraph(**special), HasSubstr("numbers[4, 4] graphs 2"));
}

// The verifier's message for the text with one thing replaced.
std::string Problem(const std::string& text, const char* from, const char* to) {
  const auto graph = ParseGraph(absl::StrReplaceAll(text, {{from, to}}));
  if (!graph.ok()) return std::string(graph.status().message());
  return std::string(VerifyGraph(**graph).message());
}

TEST(ControlFlow, WhatDoesNotFitIsNamed) {
  const std::string text = LegalText();
  EXPECT_THAT(Problem(kText, "no such text", ""), HasSubstr("the result is f64[s0]"));
  EXPECT_THAT(Problem(text, "%1: bool[] = input 1", "%1: bool[2] = input 1"),
              HasSubstr("one bool"));
  EXPECT_THAT(Problem(text, "numbers[s0, s0]", "numbers[s0]"), HasSubstr("2 numbers, not 1"));
  EXPECT_THAT(Problem(text, "      return %0\n", "      return %0, %0\n"),
              HasSubstr("as many results"));
  EXPECT_THAT(Problem(text, "cond %1, %0", "cond %1, %0, %0"), HasSubstr("takes 1 arrays, not 2"));
  EXPECT_THAT(Problem(text, " slices 2", " slices 1"), HasSubstr("takes 1 operands, not 2"));
  EXPECT_THAT(Problem(text, " length[s0]", ""), HasSubstr("neither a length nor a condition"));
  EXPECT_THAT(Problem(text, "%0: f64[] = input 0\n", "%0: f64[2] = input 0\n"),
              HasSubstr("differs"));
  EXPECT_THAT(Problem(text, "graphs 1", "graphs 2"), HasSubstr("in a graph below"));
  EXPECT_THAT(Problem(text, "exp %0", "unknown %0"), HasSubstr("in a graph below: line 4"));
  for (const char* number : {"-1", "-9223372036854775808", "9223372036854775807"}) {
    EXPECT_THAT(Problem(LegalText(), "constants 0", absl::StrCat("constants ", number).c_str()),
                HasSubstr("a loop has no such numbers"));
  }
}

TEST(ControlFlow, EqualSubgraphsMakeEqualNodes) {
  const auto branch = [](Op op) {
    auto graph = std::make_shared<Graph>();
    graph->AddOutput(graph->Unary(op, graph->AddInput(DType::kFloat64, {})));
    return graph;
  };
  const auto exp = branch(Op::kExp), again = branch(Op::kExp), log = branch(Op::kLog);
  Graph graph;
  const Node* const condition = graph.AddInput(DType::kBool, {});
  const Node* const x = graph.AddInput(DType::kFloat64, {});
  const auto make = [&](const Graph* a, const Graph* b) {
    const Graph* const graphs[] = {a, b};
    return MakeControlFlow(graph, Op::kCond, {condition, x}, {.subgraphs = graphs});
  };
  EXPECT_EQ(make(exp.get(), log.get()), make(again.get(), log.get()));
  EXPECT_NE(make(exp.get(), log.get()), make(log.get(), exp.get()));
  EXPECT_EQ(ResultOf(graph, make(exp.get(), log.get()), 0), make(exp.get(), log.get()));
}

TEST(Subgraphs, ARegionIsLiftedAndDropped) {
  Graph graph;
  const Node* const x = graph.AddInput(DType::kFloat64, {});
  const Node* const outer = graph.Unary(Op::kExp, x);
  graph.BeginRegion();
  const Node* const parameter = graph.AddParameter(DType::kFloat64, {});
  const Node* const sum = graph.Binary(Op::kAdd, parameter, outer);
  const Node* const two = graph.Scalar(DType::kFloat64, graph.scalars().Float(2));
  const Node* const result = graph.Binary(Op::kMultiply, sum, two);
  const Region region = {&graph, graph.open_regions(), {parameter}, {result}};
  graph.EndRegion();
  std::vector<const Node*> lifted;
  FindLifted(region, lifted);
  EXPECT_EQ(lifted, std::vector<const Node*>{outer});
  std::vector<ScalarId> numbers;
  const auto made = MakeSubgraph(region, {outer, parameter}, numbers);
  EXPECT_TRUE(VerifyGraph(*made).ok()) << VerifyGraph(*made);
  EXPECT_EQ(made->inputs().size(), 2u);
  EXPECT_TRUE(numbers.empty());
  graph.Unary(Op::kExp, result);  // after the region: of a parameter, so that it has no value
  const std::vector<const Node*> inlined = InlineGraph(*made, graph, {outer, x}, {});
  graph.AddOutput(inlined[0]);
  graph.DropRegions();
  EXPECT_TRUE(VerifyGraph(graph).ok()) << VerifyGraph(graph);
  EXPECT_THAT(PrintGraph(graph), HasSubstr("add %0, %1"));
  EXPECT_EQ(graph.inputs().size(), 1u);
}

TEST(Subgraphs, WhatTwoRegionsMakeStaysInside) {
  Graph graph;
  const Node* const x = graph.AddInput(DType::kFloat64, {});
  std::vector<const Node*> logs;
  for (int i = 0; i < 2; ++i) {
    graph.BeginRegion();
    logs.push_back(graph.Unary(Op::kLog, x));
    const Region region = {&graph, graph.open_regions(), {}, {logs.back()}};
    graph.EndRegion();
    std::vector<const Node*> lifted;
    FindLifted(region, lifted);
    EXPECT_EQ(lifted, std::vector<const Node*>{x});  // outside, it would run whatever is decided
  }
  EXPECT_EQ(logs[0], logs[1]);
}

}  // namespace
}  // namespace dynacc::ir
