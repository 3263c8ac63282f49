// The life of a kernel: emit, compile, find in the cache, load, run.
//
//   build/release/codegen_bench --benchmark_filter=Run
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/emit/emitter.h"
#include "codegen/targets/cpu/cpu_dialect.h"
#include "codegen/targets/cpu/cpu_target.h"
#include "codegen/targets/cpu/plugin_loader.h"
#include "runtime/cpu/loader/object_loader.h"
#include "tests/runtime/base/scratch_directory.h"
#include "tests/runtime/kernel/kernel_builder.h"

namespace dynacc {
namespace {

// x * 2 + y - x ..., `length` steps long.
kernel::Kernel Chain(int length, DType dtype, const std::string& name = "chain") {
  kernel::KernelBuilder b(name);
  const int x = b.Input(dtype), y = b.Input(dtype);
  int value = x;
  for (int i = 0; i < length; ++i) {
    value = b.Step(i % 3 == 0 ? Op::kMultiply : (i % 3 == 1 ? Op::kAdd : Op::kSubtract), value,
                   i % 2 ? x : y);
  }
  return b.Build({value});
}

void BM_Emit(benchmark::State& state) {
  const kernel::Kernel kernel = Chain(static_cast<int>(state.range(0)), DType::kFloat64);
  for (auto _ : state) benchmark::DoNotOptimize(emit::EmitModule({kernel}, cpu::CpuDialect()));
}
BENCHMARK(BM_Emit)->Arg(2)->Arg(20)->Arg(60);

// The compiler alone, already loaded.
void BM_Compile(benchmark::State& state) {
  std::vector<kernel::Kernel> kernels;
  kernels.reserve(state.range(1));
  for (int i = 0; i < state.range(1); ++i) {
    kernels.push_back(
        Chain(static_cast<int>(state.range(0)), DType::kFloat64, absl::StrCat("k", i)));
  }
  const std::string source = *emit::EmitModule(kernels, cpu::CpuDialect());
  for (auto _ : state) benchmark::DoNotOptimize(cpu::CompileObject("bench.cc", source));
}
BENCHMARK(BM_Compile)
    ->ArgNames({"steps", "kernels"})
    ->Args({2, 1})
    ->Args({20, 1})
    ->Args({60, 1})
    ->Args({2, 10})
    ->Unit(benchmark::kMillisecond);

void BM_LoadObject(benchmark::State& state) {
  const std::string object = *cpu::CompileObject(
      "bench.cc", *emit::EmitModule({Chain(20, DType::kFloat64)}, cpu::CpuDialect()));
  for (auto _ : state) benchmark::DoNotOptimize(cpu::LoadObject(object));
}
BENCHMARK(BM_LoadObject)->Unit(benchmark::kMicrosecond);

// CompileKernels on a kernel that is on disk (0) or in memory (1).
void BM_Cached(benchmark::State& state) {
  const ScratchDirectory scratch;
  cache::KernelCache cache(scratch.path());
  const std::unique_ptr<targets::Target> target = cpu::MakeCpuTarget(cache);
  const std::vector<kernel::Kernel> kernels = {Chain(20, DType::kFloat64)};
  benchmark::DoNotOptimize(target->CompileKernels(kernels));
  for (auto _ : state) {
    if (state.range(0) == 0) cache.ClearMemory();
    benchmark::DoNotOptimize(target->CompileKernels(kernels));
  }
}
BENCHMARK(BM_Cached)->ArgName("memory")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

// Two inputs, one output, n elements; item_step 1 is contiguous.
template <typename T>
void RunChain(benchmark::State& state, DType dtype, int64_t item_step) {
  static cache::KernelCache& cache = *new cache::KernelCache("");
  const int64_t n = state.range(0);
  const auto kernel =
      cpu::MakeCpuTarget(cache)->CompileKernels({Chain(static_cast<int>(state.range(1)), dtype)});
  std::vector<T> x(n * item_step, T(1.5)), y(n * item_step, T(0.5)), z(n);
  char* pointers[] = {reinterpret_cast<char*>(x.data()), reinterpret_cast<char*>(y.data()),
                      reinterpret_cast<char*>(z.data())};
  const int64_t strides[] = {static_cast<int64_t>(item_step * sizeof(T)),
                             static_cast<int64_t>(item_step * sizeof(T)), sizeof(T)};
  for (auto _ : state) {
    kernel->front()->Run(pointers, strides, n);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * 3 * static_cast<int64_t>(sizeof(T)));
}

void BM_RunFloat64(benchmark::State& state) { RunChain<double>(state, DType::kFloat64, 1); }
void BM_RunFloat32(benchmark::State& state) { RunChain<float>(state, DType::kFloat32, 1); }
void BM_RunStrided(benchmark::State& state) { RunChain<double>(state, DType::kFloat64, 2); }
#define DYNACC_RUN_SIZES   \
  ArgNames({"n", "steps"}) \
      ->Args({1, 2})       \
      ->Args({16, 2})      \
      ->Args({17, 2})      \
      ->Args({1000, 2})    \
      ->Args({16384, 2})   \
      ->Args({16384, 20})  \
      ->Args({4 << 20, 2})
BENCHMARK(BM_RunFloat64)->DYNACC_RUN_SIZES;
BENCHMARK(BM_RunFloat32)->DYNACC_RUN_SIZES;
BENCHMARK(BM_RunStrided)->DYNACC_RUN_SIZES;

// The bound: memcpy that reads and writes as many bytes as a chain over n float64 does.
void BM_Memcpy(benchmark::State& state) {
  const int64_t bytes = state.range(0) * 3 * 8;
  std::vector<char> from(bytes / 2, 1), to(bytes / 2);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * bytes);
}
BENCHMARK(BM_Memcpy)->ArgName("n")->Arg(1000)->Arg(16384)->Arg(4 << 20);

}  // namespace
}  // namespace dynacc
