// The parser of graphs' texts (codegen/ir/graph_text.h) on arbitrary text.
//
// It parses or refuses with a message. What parses is printed and parsed again, and gives the same
// text; the verifier takes it or refuses it. The start inputs are the graphs of the golden tests.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "codegen/ir/graph_text.h"
#include "codegen/ir/verifier.h"
#include "tests/fuzz_native/fuzz_target.h"

namespace dynacc {
namespace {

// A graph with the parts that no golden file has.
constexpr char kOthers[] = R"(graph {
  scalars: s0 = input int, s1 = (s0 - 2), s2 = late, s3 = (s2 == 3)
  %0: f64[3, s0] = input 0
  %1: f64[3, s1] = view %0 axis[0, 1] start[0, 1] step[1, 1]    # prog.py:12
  %2: f64[] = scalar 2.5
  %3: f64[3, s1] = view %2 axis[-1, -1] start[] step[0, 0]
  %4: f64[3, s1] = multiply %1, %3
  %5: f64[3] = reduce_sum %4 axes[1]
  %6: f64[3, s0] = store %0, %4 axis[0, 1] start[0, 1] step[1, 1]
  %7: f64[s2] = library_call 3 defines s2 %0
  requires s3
  return %5, %6 -> %0
}
)";

void AddGraphs(const std::filesystem::path& path, std::vector<std::string>& graphs) {
  std::ifstream file(path);
  std::string line, graph;
  while (std::getline(file, line)) {
    if (line.rfind("graph {", 0) == 0) graph.clear();
    graph += line + "\n";
    if (line == "}") graphs.push_back(graph);
  }
}

}  // namespace

std::vector<std::string> StartInputs() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(DYNACC_SOURCE_DIR "/tests/codegen/passes/golden")) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> graphs = {kOthers, kOthers, kOthers};
  for (const auto& file : files) AddGraphs(file, graphs);
  FUZZ_REQUIRE(graphs.size() > 50);
  return graphs;
}

}  // namespace dynacc

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dynacc;
  const auto graph = ir::ParseGraph({reinterpret_cast<const char*>(data), size});
  if (!graph.ok()) {
    FUZZ_REQUIRE(!graph.status().message().empty());
    return 0;
  }
  const std::string printed = ir::PrintGraph(**graph);
  const auto again = ir::ParseGraph(printed);
  FUZZ_REQUIRE_SAYING(again.ok(), again.status().ToString() + "\n" + printed);
  const std::string reprinted = ir::PrintGraph(**again);
  FUZZ_REQUIRE_SAYING(reprinted == printed, printed + "----\n" + reprinted);
  FUZZ_REQUIRE_SAYING(ir::VerifyGraph(**graph).ok() == ir::VerifyGraph(**again).ok(), printed);
  return 0;
}
