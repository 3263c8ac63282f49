// Runs the sections of tests/codegen/autodiff/golden/*.txt (golden_sections.h).
//
// A section's line "passes:" says what is made of its graph: "joint inputs 0 1 outputs 0", "tangent
// ...", with "unit" and "without values" as they are wanted.
#include "codegen/autodiff/joint_graph.h"

#include "codegen/autodiff/gradient_rules.h"
#include "codegen/ir/graph_text.h"
#include "codegen/ir/verifier.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/codegen/passes/golden_sections.h"

namespace dynacc::autodiff {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const char kFolder[] = DYNACC_SOURCE_DIR "/tests/codegen/autodiff/golden";

DerivativeOptions ReadOptions(const std::vector<std::string>& words) {
  DerivativeOptions options;
  std::vector<int>* indices = nullptr;
  for (const std::string& word : words) {
    if (word == "inputs") indices = &options.inputs;
    if (word == "outputs") indices = &options.outputs;
    if (word == "unit") options.unit_cotangents = true;
    if (word == "without") options.with_values = false;
    if (std::isdigit(static_cast<unsigned char>(word[0]))) indices->push_back(std::stoi(word));
  }
  return options;
}

// The derivative that the words ask for; its text, or the error's.
absl::StatusOr<std::string> Derive(const std::string& words, const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(words, ' ');
  auto graph = ir::ParseGraph(text);
  if (!graph.ok()) return graph.status();
  if (const absl::Status status = ir::VerifyGraph(**graph); !status.ok()) return status;
  const DerivativeOptions options = ReadOptions(parts);
  auto derived = parts[0] == "tangent" ? BuildTangentGraph(**graph, options)
                                       : BuildJointGraph(**graph, options);
  if (!derived.ok()) return derived.status();
  if (const absl::Status status = ir::VerifyGraph(**derived); !status.ok()) return status;
  return ir::PrintGraph(**derived);
}

TEST(JointGraphs, AgreeWithTheGoldenFiles) {
  passes::CheckGoldenFolder(kFolder, [](const passes::GoldenSection& section) {
    std::string input = section.input;
    absl::StatusOr<std::string> actual = Derive(section.passes[0], input);
    for (size_t i = 1; actual.ok() && i < section.passes.size(); ++i) {
      input = *actual;
      actual = Derive(section.passes[i], input);
    }
    return actual;
  });
}

std::string ErrorOf(const std::string& words, const std::string& text) {
  const absl::StatusOr<std::string> derived = Derive(words, text);
  return derived.ok() ? "no error: " + *derived : derived.status().ToString();
}

TEST(JointGraphs, RefuseWhatHasNoRuleAndNameTheLine) {
  const char kText[] = R"(graph {
    %0: f64[3] = input 0
    %1: f64[3] = library_call 7 %0    # prog.py:12
    %2: f64[3] = multiply %1, %0
    return %2
  })";
  EXPECT_THAT(ErrorOf("joint inputs 0 outputs 0", kText),
              AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("library_call 7"),
                    HasSubstr("prog.py:12"), HasSubstr("stop_gradient")));
}

// A call on what does not depend on the inputs, and one whose result is an int, need no rule.
TEST(JointGraphs, TakeCallsThatNoCotangentReaches) {
  const char kText[] = R"(graph {
    %0: f64[3] = input 0
    %1: f64[3] = input 1
    %2: f64[3] = library_call 7 %1
    %3: i64[3] = library_call 8 %0
    %4: f64[3] = cast %3
    %5: f64[3] = multiply %2, %0
    %6: f64[3] = multiply %4, %5
    return %6
  })";
  EXPECT_THAT(ErrorOf("joint inputs 0 outputs 0", kText), HasSubstr("no error"));
  EXPECT_THAT(ErrorOf("joint inputs 1 outputs 0", kText), HasSubstr("library_call 7"));
}

TEST(JointGraphs, RefuseIndicesAndDTypes) {
  const char kText[] = R"(graph {
    %0: f64[3] = input 0
    %1: i64[3] = input 1
    %2: f64[3] = cast %1
    %3: f64[3] = multiply %2, %0
    %4: bool[3] = less %3, %0
    return %3, %4
  })";
  EXPECT_THAT(ErrorOf("joint inputs 1 outputs 0", kText),
              AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("input 1 is of i64")));
  EXPECT_THAT(ErrorOf("joint inputs 0 outputs 1", kText), HasSubstr("output 1 is of bool"));
  EXPECT_THAT(ErrorOf("joint inputs 2 outputs 0", kText), HasSubstr("no input 2"));
  EXPECT_THAT(ErrorOf("tangent inputs 0 outputs 5", kText), HasSubstr("no output 5"));
  EXPECT_THAT(ErrorOf("joint inputs 0 0 outputs 0", kText), HasSubstr("named twice"));
}

// What windows shift by must be known.
TEST(JointGraphs, RefuseWindowsWithAStepThatVaries) {
  const char kText[] = R"(graph {
    scalars: s0 = input int
    %0: f64[9] = input 0
    %1: f64[3, 3] = view %0 axis[0, 0] start[0] step[s0, 1]    # prog.py:3
    return %1
  })";
  EXPECT_THAT(ErrorOf("joint inputs 0 outputs 0", kText),
              AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("prog.py:3"), HasSubstr("windows")));
}

TEST(JointGraphs, KeepTheForwardNodesAndReportNoErrorsOfTheirOwn) {
  auto forward = ir::ParseGraph(R"(graph {
    %0: f64[3] = input 0
    %1: f64[3] = sqrt %0
    %2: f64[3] = divide %1, %0
    return %1
  })");
  auto joint = BuildJointGraph(**forward, {.inputs = {0}, .outputs = {0}});
  ASSERT_TRUE(joint.ok()) << joint.status();
  const size_t count = (*forward)->nodes().size();
  ASSERT_GT((*joint)->nodes().size(), count);
  for (const ir::Node* node : (*joint)->nodes()) {
    const bool is_forward = static_cast<size_t>(node->id) < count;
    EXPECT_EQ((*joint)->ReportedBy(node), is_forward ? kAllFpFlags : 0u) << node->id;
    EXPECT_EQ(node->origin, node->id);
    if (is_forward)
      EXPECT_EQ(ir::PrintNode(**joint, *node),
                ir::PrintNode(**forward, *(*forward)->nodes()[node->id]));
  }
}

// A row may be empty of words for nobody: the documentation shows them all.
TEST(GradientTable, HasWordsForEachOp) {
  for (int i = 0; i < NumOps(); ++i) {
    const GradientRow& row = GradientOf(static_cast<Op>(i));
    EXPECT_EQ(static_cast<int>(row.op), i);
    EXPECT_STRNE(row.words, "") << Info(row.op).text;
    const bool has_rule = row.kind != GradientKind::kZero && row.kind != GradientKind::kNone;
    EXPECT_EQ(row.pull != nullptr, has_rule) << Info(row.op).text;
  }
}

}  // namespace
}  // namespace dynacc::autodiff
