// Compiled kernels call nothing of the prelude's: LLVM's pipeline inlines what is marked so and
// nothing else, and a constructor that was not made kernels with masks three times as slow.
#include <gtest/gtest.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/targets/cpu/cpu_target.h"
#include "runtime/cpu/loader/elf_reader.h"
#include "tests/runtime/kernel/kernel_builder.h"

namespace dynacc::cpu {
namespace {

// A kernel of all emitted ops on `dtype`, casts, and choices by what the ops compared.
kernel::Kernel AllOps(DType dtype, int number) {
  kernel::KernelBuilder b(absl::StrCat("k", number));
  const int x = b.Input(dtype), y = b.Input(dtype), truth = b.Input(DType::kBool);
  std::vector<int> results = {b.Step(Op::kWhere, truth, x, y)};
  for (int i = 0; i < NumOps(); ++i) {
    const Op op = static_cast<Op>(i);
    if (!IsElementwise(op) || !IsEmitted(op, dtype)) continue;
    // NumPy has no other ops on bools.
    const bool is_logic =
        dynacc::Info(op).dtype_rule == DTypeRule::kBool || HasTrait(op, kEmittedInt);
    if (dtype == DType::kBool && !is_logic) continue;
    results.push_back(dynacc::Info(op).category == OpCategory::kUnary ? b.Step(op, x)
                                                                      : b.Step(op, x, y));
  }
  return b.Build(results);
}

std::vector<std::string> FunctionsOf(absl::string_view object) {
  const auto reader = ElfReader::Open(object);
  EXPECT_TRUE(reader.ok()) << reader.status();
  std::vector<std::string> names;
  for (const Elf64_Sym& symbol : reader->symbols()) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
    names.push_back(std::string(*reader->Name(symbol)));
  }
  return names;
}

TEST(InliningTest, AKernelIsOneFunction) {
  setenv("DYNACC_DEBUG_DIR", testing::TempDir().c_str(), 1);  // objects are kept
  std::vector<kernel::Kernel> kernels;
  for (const DType dtype :
       {DType::kBool, DType::kInt8, DType::kUInt16, DType::kInt32, DType::kUInt64, DType::kFloat16,
        DType::kFloat32, DType::kFloat64, DType::kComplex64, DType::kComplex128}) {
    kernels.push_back(AllOps(dtype, static_cast<int>(kernels.size())));
  }
  cache::KernelCache cache("");
  const auto compiled = MakeCpuTarget(cache)->CompileKernels(kernels);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  for (size_t i = 0; i < kernels.size(); ++i) {
    const absl::string_view object = (*compiled)[i]->object();
    ASSERT_FALSE(object.empty());
    for (const std::string& name : FunctionsOf(object)) {
      EXPECT_EQ(name[0], 'k') << name << " beside " << kernels[i].name;
    }
  }
}

}  // namespace
}  // namespace dynacc::cpu
