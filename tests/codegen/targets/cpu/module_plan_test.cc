// Which kernels are compiled, and how often.
#include "codegen/targets/cpu/module_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/targets/cpu/cpu_target.h"
#include "codegen/targets/cpu/plugin_loader.h"
#include "runtime/base/stats.h"
#include "tests/runtime/kernel/kernel_builder.h"

namespace dynacc::cpu {
namespace {

// a + b, then as often as `more` says + b.
kernel::Kernel Sum(int number, int more, DType dtype = DType::kFloat64) {
  kernel::KernelBuilder b(absl::StrCat("k", number));
  const int x = b.Input(dtype), y = b.Input(dtype);
  int value = b.At("f.py", number).Step(Op::kAdd, x, y);
  for (int i = 0; i < more; ++i) value = b.Step(Op::kAdd, value, y);
  return b.Build({value});
}

TEST(ModulePlan, CompilesEqualKernelsOnce) {
  std::vector<kernel::Kernel> kernels;
  for (int layer = 0; layer < 12; ++layer) {
    kernels.push_back(Sum(2 * layer, 0));
    kernels.push_back(Sum(2 * layer + 1, 1));
  }
  const ModulePlan plan = PlanModules(kernels);
  ASSERT_EQ(plan.modules.size(), 1);
  EXPECT_EQ(plan.modules[0].size(), 2);
  for (int i = 0; i < 24; ++i) EXPECT_EQ(plan.places[i].kernel, i % 2);
}

TEST(ModulePlan, TellsKernelsApart) {
  kernel::Kernel fast = Sum(0, 0);
  fast.fast_math = true;
  kernel::Kernel swapped = Sum(0, 0);
  std::swap(swapped.steps[0].a, swapped.steps[0].b);
  kernel::Kernel both = Sum(0, 1);
  both.outputs.push_back(2);
  const ModulePlan plan =
      PlanModules({Sum(0, 0), Sum(1, 0, DType::kFloat32), Sum(2, 1), fast, swapped, both});
  int distinct = 0;
  for (const auto& module : plan.modules) distinct += static_cast<int>(module.size());
  EXPECT_EQ(distinct, 6);
}

TEST(ModulePlan, FillsSeveralModules) {
  std::vector<kernel::Kernel> kernels;
  for (int i = 0; i < 10; ++i) kernels.push_back(Sum(i, i));
  const ModulePlan plan = PlanModules(kernels);
  EXPECT_GT(plan.modules.size(), 1);
  for (int i = 0; i < 10; ++i) {
    const ModulePlan::Place place = plan.places[i];
    EXPECT_EQ(plan.modules[place.module][place.kernel].steps.size(), i + 1);
  }
}

// Modules that are compiled on several threads: each kernel does what it should.
TEST(ModulePlan, KernelsOfSeveralModulesRun) {
  if (!FindCompilerPlugin().ok()) GTEST_SKIP() << "no compiler plug-in";
  cache::KernelCache cache("");
  std::vector<kernel::Kernel> kernels;
  for (int i = 0; i < 20; ++i) kernels.push_back(Sum(i, i % 10));
  const int64_t before = ProcessStats().kernels_compiled;
  const auto compiled = MakeCpuTarget(cache)->CompileKernels(kernels);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  EXPECT_EQ(ProcessStats().kernels_compiled - before, 10);
  for (int i = 0; i < 20; ++i) {
    std::vector<double> x(100, 0.5), y(100, 2), sums(100);
    char* pointers[] = {reinterpret_cast<char*>(x.data()), reinterpret_cast<char*>(y.data()),
                        reinterpret_cast<char*>(sums.data())};
    const int64_t strides[] = {8, 8, 8};
    (*compiled)[i]->Run(pointers, strides, 100);
    EXPECT_THAT(sums, testing::Each(0.5 + 2 * (i % 10 + 1)));
  }
}

}  // namespace
}  // namespace dynacc::cpu
