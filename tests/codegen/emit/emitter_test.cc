// Emitted source against golden files in golden/. After a change that is meant:
//   tools/update_goldens.py
#include "codegen/emit/emitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "codegen/targets/cpu/cpu_dialect.h"
#include "tests/runtime/kernel/kernel_builder.h"

namespace dynacc::emit {
namespace {

using testing::HasSubstr;
using testing::Not;

void ExpectGolden(const std::string& name, const kernel::Kernel& kernel) {
  const auto source = EmitModule({kernel}, cpu::CpuDialect());
  ASSERT_TRUE(source.ok()) << source.status();
  const std::string path =
      absl::StrCat(DYNACC_SOURCE_DIR, "/tests/codegen/emit/golden/", name, ".txt");
  if (std::getenv("DYNACC_UPDATE_GOLDENS") != nullptr) std::ofstream(path) << *source;
  std::ifstream file(path);
  EXPECT_EQ(*source, std::string(std::istreambuf_iterator<char>(file), {})) << path;
}

TEST(Emitter, Arithmetic) {
  kernel::KernelBuilder b("axpy");
  const int a = b.Input(DType::kFloat32), x = b.Input(DType::kFloat32);
  const int y = b.Input(DType::kFloat32);
  const int product = b.At("prog.py", 12).Step(Op::kMultiply, a, x);
  ExpectGolden("arithmetic", b.Build({b.At("prog.py", 13).Step(Op::kAdd, product, y)}));
}

TEST(Emitter, MasksCastsAndWhere) {
  kernel::KernelBuilder b("select");
  const int x = b.Input(DType::kFloat64), i = b.Input(DType::kInt8);
  const int condition = b.Step(Op::kLess, x, b.Cast(i, DType::kFloat64));
  const int negated = b.Step(Op::kLogicalNot, condition);
  ExpectGolden("masks_casts_and_where",
               b.Build({b.Step(Op::kWhere, negated, x, b.Step(Op::kSquare, x)), condition}));
}

TEST(Emitter, LibrarySteps) {
  kernel::KernelBuilder b("sigmoid_and_log");
  const int x = b.Input(DType::kFloat64), one = b.Input(DType::kFloat64);
  const int exp = b.At("f.py", 3).Library(Op::kExp, b.Step(Op::kNegative, x));
  const int sigmoid = b.Step(Op::kDivide, one, b.Step(Op::kAdd, one, exp));
  ExpectGolden("library_steps", b.Build({sigmoid, b.Library(Op::kLog, sigmoid)}));
}

TEST(Emitter, AnInputAsOutput) {
  kernel::KernelBuilder b("copy");
  const int x = b.Input(DType::kInt16);
  ExpectGolden("an_input_as_output", b.Build({x, x}));
}

// The last loop twice: past the cache or not, as the run says.
TEST(Emitter, ResultsThatMayGoPastTheCache) {
  kernel::KernelBuilder b("softmax");
  const int x = b.Input(DType::kFloat32), most = b.Input(DType::kFloat32);
  const int exp = b.Library(Op::kExp, b.Step(Op::kSubtract, x, most));
  kernel::Kernel kernel = b.Build({b.Step(Op::kMultiply, exp, exp)});
  kernel.non_temporal = true;
  ExpectGolden("past_the_cache", kernel);
}

// Two functions, of which one adds up what the other stores.
TEST(Emitter, SumsInsideAKernel) {
  kernel::KernelBuilder b("squares");
  const int x = b.Input(DType::kFloat32), mean = b.Input(DType::kFloat32);
  const int centred = b.At("prog.py", 3).Step(Op::kSubtract, x, mean);
  kernel::Kernel kernel = b.Build({b.At("prog.py", 4).Step(Op::kMultiply, centred, centred)});
  kernel.folds = true;
  ExpectGolden("sums_inside", kernel);
}

// What a library computes lies in memory anyway.
TEST(Emitter, DoesNotAddUpWhatALibraryComputes) {
  kernel::KernelBuilder b("exp");
  kernel::Kernel kernel = b.Build({b.Library(Op::kExp, b.Input(DType::kFloat32))});
  kernel.folds = true;
  const auto source = EmitModule({kernel}, cpu::CpuDialect());
  ASSERT_TRUE(source.ok());
  EXPECT_THAT(*source, Not(HasSubstr("_fold")));
}

TEST(Emitter, KeepsAFileNameInItsComment) {
  kernel::KernelBuilder b("k");
  const int x = b.Input(DType::kFloat64);
  const auto source =
      EmitModule({b.Build({b.At("evil\nint x;\\", 1).Step(Op::kNegative, x)})}, cpu::CpuDialect());
  ASSERT_TRUE(source.ok());
  EXPECT_THAT(*source, HasSubstr("// negative, evil?int x;?:1\n"));
}

TEST(Emitter, RefusesAValueBeforeItsDefinition) {
  kernel::KernelBuilder b("k");
  const int x = b.Input(DType::kFloat64);
  EXPECT_EQ(EmitModule({b.Build({b.Step(Op::kAdd, x, x + 5)})}, cpu::CpuDialect()).status().code(),
            absl::StatusCode::kInternal);
}

TEST(Emitter, RefusesAnOpWithoutAnExpression) {
  kernel::KernelBuilder b("k");
  const int x = b.Input(DType::kFloat64);
  EXPECT_THAT(EmitModule({b.Build({b.Step(Op::kExp, x)})}, cpu::CpuDialect()).status().message(),
              HasSubstr("no expression for exp"));
}

TEST(WithoutComments, LeavesWhatIsCompiled) {
  EXPECT_EQ(WithoutComments("// k0\n\nint a;  // a, f.py:1\n  int b;\n"), "int a;\nint b;\n");
}

}  // namespace
}  // namespace dynacc::emit
