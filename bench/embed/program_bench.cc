// A program beside what it is made of: its load, and a call beside the kernel that it calls.
//
// "kernel" is the loaded kernel's own function on the same memory: what a call takes beyond it is
// reading arrays, guards, and the executor. "made" is a call whose result the library allocates.
#include <benchmark/benchmark.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/compile/export_program.h"
#include "codegen/ir/graph_text.h"
#include "embed/include/dynacc/program.h"
#include "runtime/base/check.h"
#include "runtime/program/kernel_loader.h"
#include "tests/runtime/base/scratch_directory.h"

namespace {

using dynacc::Program;
using dynacc::ProgramArray;

constexpr char kGraph[] = R"(graph {
  scalars: s0 = input int
  %0: f64[s0] = input 0
  %1: f64[s0] = input 1
  %2: f64[s0] = multiply %0, %1
  %3: f64[s0] = add %2, %0
  %4: f64[s0] = sqrt %3
  return %4
}
)";

dynacc::program::ProgramContents Contents() {
  auto graph = dynacc::ir::ParseGraph(kGraph);
  DYNACC_CHECK(graph.ok()) << graph.status();
  auto contents = dynacc::compile::ExportGraph(**graph, {false, {"x86-64-v3", "x86-64-v4"}, "f"});
  DYNACC_CHECK(contents.ok()) << contents.status();
  for (const auto* input : (*graph)->inputs()) {
    contents->signature.inputs.push_back({absl::StrCat("x", contents->signature.inputs.size()),
                                          input->dtype,
                                          {input->shape.begin(), input->shape.end()}});
  }
  const auto* output = (*graph)->outputs()[0];
  contents->signature.outputs = {
      {"result", output->dtype, {output->shape.begin(), output->shape.end()}}};
  return *std::move(contents);
}

const std::string& FileOfProgram() {
  static const dynacc::ScratchDirectory& folder = *new dynacc::ScratchDirectory;
  static const std::string& path = *[] {
    auto* const made = new std::string(folder.path() + "/f.dynacc");
    const std::string bytes = dynacc::program::WriteProgram(Contents());
    std::ofstream(*made, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
    return made;
  }();
  return path;
}

void BM_Load(benchmark::State& state) {
  for (auto _ : state) {
    const auto program = Program::Load(FileOfProgram());
    DYNACC_CHECK(program.ok()) << program.status().message;
  }
}
BENCHMARK(BM_Load)->Unit(benchmark::kMicrosecond);

void BM_Call(benchmark::State& state) {
  const auto program = Program::Load(FileOfProgram());
  const int64_t n = state.range(0);
  std::vector<double> a(n, 2.0), b(n, 3.0), c(n);
  std::vector<ProgramArray> inputs, results;
  inputs.push_back(ProgramArray::Of(a.data(), {n}));
  inputs.push_back(ProgramArray::Of(b.data(), {n}));
  results.push_back(ProgramArray::Of(c.data(), {n}));
  for (auto _ : state) {
    const auto status = program->Run(inputs, results);
    DYNACC_CHECK(status.ok()) << status.message;
  }
}
BENCHMARK(BM_Call)->Arg(8)->Arg(1000)->Arg(100'000);
BENCHMARK(BM_Call)->Name("BM_CallOnThreads")->Arg(1000)->Threads(1)->Threads(2)->UseRealTime();

void BM_CallMade(benchmark::State& state) {
  const auto program = Program::Load(FileOfProgram());
  const int64_t n = state.range(0);
  std::vector<double> a(n, 2.0), b(n, 3.0);
  std::vector<ProgramArray> inputs;
  inputs.push_back(ProgramArray::Of(a.data(), {n}));
  inputs.push_back(ProgramArray::Of(b.data(), {n}));
  for (auto _ : state) {
    std::vector<ProgramArray> results(1);
    const auto status = program->Run(inputs, results);
    DYNACC_CHECK(status.ok()) << status.message;
  }
}
BENCHMARK(BM_CallMade)->Arg(8)->Arg(1000);

void BM_Kernel(benchmark::State& state) {
  const auto loaded = dynacc::program::LoadKernels(Contents());
  DYNACC_CHECK(loaded.ok()) << loaded.status();
  const int64_t n = state.range(0);
  std::vector<double> a(n, 2.0), b(n, 3.0), c(n);
  char* const pointers[] = {reinterpret_cast<char*>(a.data()), reinterpret_cast<char*>(b.data()),
                            reinterpret_cast<char*>(c.data())};
  const int64_t strides[] = {8, 8, 8};
  for (auto _ : state) loaded->kernels[0].compiled->Run(pointers, strides, n);
}
BENCHMARK(BM_Kernel)->Arg(8)->Arg(1000)->Arg(100'000);

}  // namespace

BENCHMARK_MAIN();
