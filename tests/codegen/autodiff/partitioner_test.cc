// Runs the sections of tests/codegen/autodiff/partitions/*.txt: a graph in; its forward graph, its
// backward graph and what is saved out (golden_sections.h).
//
// A section's line "passes:" says how: "split inputs 0 1 outputs 0 budget 0.5 numbers 7 9".
#include "codegen/autodiff/partitioner.h"

#include "absl/strings/str_cat.h"
#include "codegen/autodiff/joint_graph.h"
#include "codegen/ir/graph_text.h"
#include "codegen/ir/verifier.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/codegen/passes/golden_sections.h"

namespace dynacc::autodiff {
namespace {

using ::testing::HasSubstr;

const char kFolder[] = DYNACC_SOURCE_DIR "/tests/codegen/autodiff/partitions";

struct Request {
  DerivativeOptions derivative;
  PartitionOptions partition;
};

Request ReadRequest(const std::string& words) {
  Request request;
  std::string list;
  for (const absl::string_view piece : absl::StrSplit(words, ' ')) {
    const std::string word(piece);
    if (!std::isdigit(static_cast<unsigned char>(word[0]))) {
      list = word;
    } else if (list == "inputs") {
      request.derivative.inputs.push_back(std::stoi(word));
    } else if (list == "outputs") {
      request.derivative.outputs.push_back(std::stoi(word));
    } else if (list == "budget") {
      request.partition.budget = std::stod(word);
    } else {
      request.partition.numbers.push_back({.i = std::stoi(word)});
    }
  }
  return request;
}

absl::StatusOr<Partition> Split(const std::string& words, const std::string& text) {
  const Request request = ReadRequest(words);
  auto graph = ir::ParseGraph(text);
  if (!graph.ok()) return graph.status();
  if (const absl::Status status = ir::VerifyGraph(**graph); !status.ok()) return status;
  auto joint = BuildJointGraph(**graph, request.derivative);
  if (!joint.ok()) return joint.status();
  return SplitJointGraph(**joint, **graph, request.partition);
}

absl::StatusOr<std::string> SplitText(const std::string& words, const std::string& text) {
  const absl::StatusOr<Partition> partition = Split(words, text);
  if (!partition.ok()) return partition.status();
  for (const ir::Graph* half : {partition->forward.get(), partition->backward.get()}) {
    if (const absl::Status status = ir::VerifyGraph(*half); !status.ok()) return status;
  }
  return absl::StrCat(ir::PrintGraph(*partition->forward), ir::PrintGraph(*partition->backward),
                      partition->Describe());
}

TEST(Partitions, AgreeWithTheGoldenFiles) {
  passes::CheckGoldenFolder(kFolder, [](const passes::GoldenSection& section) {
    return SplitText(section.passes[0], section.input);
  });
}

// Layers of a network: each product is worth keeping, and each has its price.
std::string Layers(int count) {
  std::string text = "graph {\n  %0: f64[64, 64] = input 0\n  %1: f64[64, 64] = input 1\n";
  int last = 0;
  for (int layer = 0; layer < count; ++layer) {
    const int id = 2 + 2 * layer;
    absl::StrAppend(&text, "  %", id, ": f64[64, 64] = matmul %", last, ", %1\n  %", id + 1,
                    ": f64[64, 64] = tanh %", id, "\n");
    last = id + 1;
  }
  return absl::StrCat(text, "  return %", last, "\n}\n");
}

TEST(Partitions, SaveNoMoreThanTheBudgetAllows) {
  const std::string graph = Layers(12);
  const auto bytes = [&](double budget) {
    const auto partition = Split(absl::StrCat("split inputs 1 outputs 0 budget ", budget), graph);
    EXPECT_TRUE(partition.ok()) << partition.status();
    return partition->saved_bytes;
  };
  const int64_t least = bytes(0);
  const int64_t most = bytes(1);
  constexpr int64_t kArray = int64_t{64} * 64 * 8;
  EXPECT_EQ(least, 4 * kArray);  // the inputs, and what three segments of four layers start from
  EXPECT_EQ(most, 14 * kArray);  // the inputs and what each layer gives
  const auto share = [&](double part) {
    return static_cast<double>(least) + part * static_cast<double>(most - least);
  };
  for (const double budget : {0.1, 0.25, 0.5, 0.75, 0.9}) {
    EXPECT_LE(bytes(budget), share(budget));
    EXPECT_GE(bytes(budget), share(budget - 0.1)) << "equals are given up one by one";
  }
}

// Blocks of a network with values of their own: with budget 0 what goes from one to the next is
// saved, and not what is smaller inside of them.
TEST(Partitions, CutWhereLeastLives) {
  std::string text = "graph {\n  %0: f64[64, 64] = input 0\n  %1: f64[64, 64] = input 1\n";
  int last = 0;
  for (int block = 0; block < 16; ++block) {
    const int id = 2 + 4 * block;
    absl::StrAppend(&text, "  %", id, ": f64[64, 64] = matmul %", last, ", %1\n  %", id + 1,
                    ": f64[64, 64] = tanh %", id, "\n  %", id + 2, ": f64[64, 64] = matmul %",
                    id + 1, ", %1\n  %", id + 3, ": f64[64, 64] = add %", id + 2, ", %", last,
                    "\n");
    last = id + 3;
  }
  absl::StrAppend(&text, "  return %", last, "\n}\n");
  const auto partition = Split("split inputs 0 1 outputs 0 budget 0", text);
  ASSERT_TRUE(partition.ok()) << partition.status();
  constexpr int64_t kArray = int64_t{64} * 64 * 8;
  EXPECT_GE(partition->saved_bytes, 4 * kArray);
  EXPECT_LE(partition->saved_bytes, 8 * kArray);
  for (const PartitionedNode& node : partition->saved) {
    EXPECT_THAT(node.text, ::testing::AnyOf(HasSubstr("input"), HasSubstr("add")));
  }
}

TEST(Partitions, TakeInputsThatStay) {
  const char kText[] = R"(graph {
    %0: f64[9] = input 0
    %1: f64[9] = input 1
    %2: f64[9] = add %0, %1
    %3: f64[9] = multiply %2, %1
    %4: f64[9] = multiply %3, %0
    return %4
  })";
  auto graph = ir::ParseGraph(kText);
  ASSERT_TRUE(graph.ok());
  auto joint = BuildJointGraph(**graph, {.inputs = {0, 1}, .outputs = {0}});
  ASSERT_TRUE(joint.ok());
  const auto partition = SplitJointGraph(**joint, **graph, {.inputs_stay = true});
  ASSERT_TRUE(partition.ok()) << partition.status();
  EXPECT_THAT(partition->given, ::testing::ElementsAre(0, 1));
  EXPECT_EQ(partition->forward->outputs().size(), 1);
  EXPECT_EQ(partition->backward->inputs().size(), 3);
  EXPECT_EQ(partition->saved_bytes, 0);
}

// A call may draw random numbers: two would be two draws.
TEST(Partitions, NeverMakeALibraryCallAgain) {
  const char kText[] = R"(graph {
    %0: f64[9] = input 0
    %1: f64[9] = checkpoint %0
    %2: f64[9] = stop_gradient %1
    %3: f64[9] = library_call 7 %2
    %4: f64[9] = multiply %3, %1
    %5: f64[9] = end_checkpoint %4
    return %5
  })";
  for (const char* budget : {"0", "0.5", "1"}) {
    const auto partition = Split(absl::StrCat("split inputs 0 outputs 0 budget ", budget), kText);
    ASSERT_TRUE(partition.ok()) << partition.status();
    EXPECT_THAT(ir::PrintGraph(*partition->forward), HasSubstr("library_call"));
    EXPECT_THAT(ir::PrintGraph(*partition->backward), ::testing::Not(HasSubstr("library_call")));
  }
}

TEST(Partitions, RefuseWhatTheyCannotSplit) {
  const char kText[] = R"(graph {
    scalars: s0 = input int
    %0: f64[s0] = input 0
    %1: f64[s0] = tanh %0
    return %1
  })";
  const auto error = [&](const char* words) { return Split(words, kText).status().ToString(); };
  EXPECT_THAT(error("split inputs 0 outputs 0 budget 2"), HasSubstr("from 0 to 1"));
  EXPECT_THAT(error("split inputs 0 outputs 0 numbers 3 4"), HasSubstr("takes 1 numbers"));
  EXPECT_EQ(error("split inputs 0 outputs 0"), "OK");
  const char kLate[] = R"(graph {
    scalars: s0 = late
    %0: f64[9] = input 0
    %1: bool[9] = input 1
    %2: f64[s0] = compress %0, %1 defines s0
    return %2
  })";
  EXPECT_THAT(Split("split inputs 0 outputs 0", kLate).status().ToString(),
              HasSubstr("only the run tells"));
}

}  // namespace
}  // namespace dynacc::autodiff
