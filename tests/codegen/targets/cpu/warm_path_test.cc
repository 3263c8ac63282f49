// What a process does that finds its kernels on disk. Each step runs in its own child, since the
// plug-in stays loaded once a process has compiled.
#include <gtest/gtest.h>

#include "codegen/targets/cpu/cpu_target.h"
#include "codegen/targets/cpu/plugin_loader.h"
#include "runtime/base/stats.h"
#include "tests/runtime/base/scratch_directory.h"
#include "tests/runtime/kernel/kernel_builder.h"

namespace dynacc::cpu {
namespace {

kernel::Kernel AddKernel(int line) {
  kernel::KernelBuilder b("add");
  const int x = b.Input(DType::kFloat64), y = b.Input(DType::kFloat64);
  return b.Build({b.At("f.py", line).Step(Op::kAdd, x, y)});
}

enum Outcome { kFromDisk, kCompiled, kFailed };

// Gets the kernel, runs it, and says where it came from.
Outcome GetAndRun(const std::string& directory, int line) {
  cache::KernelCache cache(directory);
  const auto kernels = MakeCpuTarget(cache)->CompileKernels({AddKernel(line)});
  if (!kernels.ok()) return kFailed;
  double x[3] = {1, 2, 3}, y[3] = {10, 20, 30}, sum[3] = {};
  char* pointers[] = {reinterpret_cast<char*>(x), reinterpret_cast<char*>(y),
                      reinterpret_cast<char*>(sum)};
  const int64_t strides[] = {8, 8, 8};
  kernels->front()->Run(pointers, strides, 3);
  if (sum[0] != 11 || sum[2] != 33) return kFailed;
  const bool compiled = ProcessStats().kernels_compiled > 0;
  if (compiled != IsCompilerLoaded()) return kFailed;
  return compiled ? kCompiled : kFromDisk;
}

TEST(WarmPathTest, LoadsFromDiskWithoutTheCompiler) {
  const ScratchDirectory scratch;
  EXPECT_EXIT(_exit(GetAndRun(scratch.path(), 1)), testing::ExitedWithCode(kCompiled), "");
  EXPECT_EXIT(_exit(GetAndRun(scratch.path(), 1)), testing::ExitedWithCode(kFromDisk), "");
}

TEST(WarmPathTest, DoesNotCareForTheUsersLineNumbers) {
  const ScratchDirectory scratch;
  EXPECT_EXIT(_exit(GetAndRun(scratch.path(), 1)), testing::ExitedWithCode(kCompiled), "");
  EXPECT_EXIT(_exit(GetAndRun(scratch.path(), 99)), testing::ExitedWithCode(kFromDisk), "");
}

}  // namespace
}  // namespace dynacc::cpu
