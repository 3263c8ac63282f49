// The loader of programs (runtime/program) on arbitrary files.
//
// Whatever a file holds, it is refused or it is a program that can say what it takes. The input is
// a whole file; its first byte says whether the header's size and hash are mended first, so that
// inputs get further than the hash. Nothing is run: that a file was made on purpose is not found.
#include "codegen/compile/export_program.h"
#include "codegen/ir/graph_text.h"
#include "runtime/cache/content_hash.h"
#include "runtime/cpu/own/own_loops.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/program/program.h"
#include "tests/codegen/compile/program_graphs.h"
#include "tests/fuzz_native/fuzz_target.h"

namespace dynacc {
namespace {

constexpr const char* kGraphs[] = {
    R"(graph {
  scalars: s0 = input int
  %0: f32[s0, 8] = input 0
  %1: f32[s0, 1] = reduce_max %0 axes[1] keepdims
  %2: f32[s0, 8] = view %1 axis[0, -1] start[0, 0] step[1, 0]
  %3: f32[s0, 8] = subtract %0, %2
  %4: f32[s0, 8] = exp %3
  %5: f32[s0, 1] = reduce_sum %4 axes[1] keepdims
  return %4, %5
}
)",
    compile::kControlFlowGraph,
    R"(graph {
  %0: f64[4, 6] = input 0
  %1: f64[6, 3] = input 1
  %2: f64[4, 3] = matmul %0, %1
  %3: f64[3, 4] = view %2 axis[1, 0] start[0, 0] step[1, 1]
  %4: f64[12] = reshape %3
  %5: f64[4, 6] = store %0, %0 axis[0, 1] start[0, 0] step[1, 1]
  return %4, %2, %5
}
)"};

// As program_file.cc writes them.
constexpr size_t kSizeAt = 16, kHashAt = 32, kHashEnd = 48, kHeaderSize = 64;

void Mend(std::string& file) {
  if (file.size() < kHeaderSize) return;
  const uint64_t size = file.size();
  std::memcpy(file.data() + kSizeAt, &size, sizeof size);
  const absl::string_view all = file;
  const cache::ContentHash hash = cache::HashParts({all.substr(0, kHashAt), all.substr(kHashEnd)});
  std::memcpy(file.data() + kHashAt, &hash.low, sizeof hash.low);
  std::memcpy(file.data() + kHashAt + sizeof hash.low, &hash.high, sizeof hash.high);
}

std::string FileOf(const char* text, const std::vector<std::string>& levels) {
  const auto graph = ir::ParseGraph(text);
  FUZZ_REQUIRE(graph.ok());
  auto contents = compile::ExportGraph(**graph, {false, levels, "f"});
  FUZZ_REQUIRE_SAYING(contents.ok(), std::string(contents.status().message()));
  for (const ir::Node* input : (*graph)->inputs()) {
    contents->signature.inputs.push_back(
        {"x", input->dtype, {input->shape.begin(), input->shape.end()}});
  }
  for (const ir::Node* output : (*graph)->outputs()) {
    contents->signature.outputs.push_back(
        {"result", output->dtype, {output->shape.begin(), output->shape.end()}});
  }
  return program::WriteProgram(*contents);
}

}  // namespace

std::vector<std::string> StartInputs() {
  for (const Op op : {Op::kReduceMax, Op::kReduceSum, Op::kExp, Op::kMatmul}) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      kernel::RegisterLibraryLoop(static_cast<int>(op), dtype, cpu::OwnLoop(op, dtype));
    }
  }
  std::vector<std::string> starts;
  for (const char* graph : kGraphs) {
    for (const std::vector<std::string>& levels :
         {std::vector<std::string>(), {"x86-64-v2", "x86-64-v4"}}) {
      for (const char mends : {'\0', '\1'}) starts.push_back(mends + FileOf(graph, levels));
    }
  }
  return starts;
}

}  // namespace dynacc

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dynacc;
  if (size == 0) return 0;
  auto file = std::make_shared<std::string>(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 1) Mend(*file);
  const auto program = program::Program::FromBytes({*file, file});
  FUZZ_REQUIRE(program.ok() || !program.status().message().empty());
  if (!program.ok()) return 0;
  for (const program::InputSpec& input : (*program)->signature().inputs) {
    FUZZ_REQUIRE(!(*program)->TypeText(input.dtype, input.shape).empty());
  }
  static_cast<void>((*program)->SizeTexts());
  return 0;
}
