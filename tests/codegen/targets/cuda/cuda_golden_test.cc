// Graphs in, emitted CUDA C++ out: each file of golden/ has a graph, a line "---" and the source.
// What is emitted is then compiled to PTX, where there is an NVRTC; every_kernel_test.py makes
// machine code of what real programs give. After a change that is meant:
//   tools/update_goldens.py
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "codegen/ir/graph_text.h"
#include "codegen/passes/memory_order.h"
#include "codegen/passes/pass_runner.h"
#include "codegen/schedule/row_kernels.h"
#include "codegen/targets/cuda/cuda_source.h"
#include "codegen/targets/cuda/nvrtc_compiler.h"

namespace dynacc::cuda {
namespace {

constexpr char kSeparator[] = "---\n";

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(
           DYNACC_SOURCE_DIR "/tests/codegen/targets/cuda/golden")) {
    names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// `rows`: which groups are row kernels.
absl::StatusOr<std::string> SourceOf(const std::string& text, std::string& rows) {
  auto graph = ir::ParseGraph(text);
  if (!graph.ok()) return graph.status();
  const schedule::Schedule schedule = schedule::MakeSchedule(**graph, "");
  std::vector<emit::LoweredKernel> lowered;
  for (const schedule::Group& group : schedule.groups) {
    lowered.push_back(emit::LowerGroup(group, absl::StrCat("k", lowered.size()), false));
  }
  const std::vector<CudaGroup> groups = CudaGroupsOf(schedule.groups, lowered);
  rows = schedule::RowKernelsText(schedule);
  return EmitCudaModule(groups, CudaRowGroupsOf(schedule, lowered, groups));
}

class CudaGoldenTest : public testing::TestWithParam<std::string> {};

TEST_P(CudaGoldenTest, IsEmittedAndCompiles) {
  const std::string path =
      absl::StrCat(DYNACC_SOURCE_DIR, "/tests/codegen/targets/cuda/golden/", GetParam(), ".txt");
  std::ifstream file(path);
  const std::string content(std::istreambuf_iterator<char>(file), {});
  const std::vector<std::string> parts =
      absl::StrSplit(content, absl::MaxSplits(absl::string_view(kSeparator), 1));
  ASSERT_FALSE(parts.empty());
  std::string rows;
  const auto source = SourceOf(parts[0], rows);
  ASSERT_TRUE(source.ok()) << source.status();
  if (std::getenv("DYNACC_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(path) << parts[0] << kSeparator << rows << *source;
  } else {
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(rows + *source, parts[1]) << path;
  }
  if (!NvrtcStatus().ok()) GTEST_SKIP() << NvrtcStatus();
  // What a thread keeps is in registers: an array that is not has a place in local memory.
  const auto ptx = CompileCubin("kernels.cu", *source, {999, false});
  ASSERT_TRUE(ptx.ok()) << ptx.status();
  EXPECT_THAT(*ptx, testing::Not(testing::HasSubstr(".local")));
}

INSTANTIATE_TEST_SUITE_P(Kernels, CudaGoldenTest, testing::ValuesIn(Names()));

}  // namespace
}  // namespace dynacc::cuda
