// Every elementwise op, on the dtypes for which it has a meaning, through NVRTC; a sample of them,
// another each day, to machine code (DYNACC_TEST_SEED=N draws N's, DYNACC_TEST_ALL=1 takes all).
// Needs libnvrtc and no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "codegen/emit/emitter.h"
#include "codegen/emit/grid_loop.h"
#include "codegen/targets/cuda/combine_kernels.h"
#include "codegen/targets/cuda/cuda_dialect.h"
#include "codegen/targets/cuda/cuda_source.h"
#include "codegen/targets/cuda/gather_kernels.h"
#include "codegen/targets/cuda/matmul_kernels.h"
#include "codegen/targets/cuda/nvrtc_compiler.h"
#include "codegen/targets/cuda/scan_kernels.h"
#include "runtime/ops/element_functions.h"
#include "tests/runtime/kernel/kernel_builder.h"

namespace dynacc::cuda {
namespace {

constexpr char kElfMagic[] = "\177ELF";
constexpr DType kDTypes[] = {DType::kInt8,    DType::kUInt32,    DType::kFloat32,   DType::kFloat64,
                             DType::kFloat16, DType::kComplex64, DType::kComplex128};

// Whether the op means something on elements of that dtype.
bool IsDefined(Op op, DType dtype) {
  return FindUnaryElementFn(op, dtype) != nullptr || FindBinaryElementFn(op, dtype) != nullptr;
}

constexpr int kSecondsOfADay = 24 * 60 * 60;

class NvrtcTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!NvrtcStatus().ok()) GTEST_SKIP() << NvrtcStatus();
  }

  void ExpectCubin(const std::vector<kernel::Kernel>& kernels, bool fast_math) {
    const auto source = emit::EmitModule(kernels, CudaDialect());
    ASSERT_TRUE(source.ok()) << source.status();
    ExpectCubinOf(*source, kernels, "", fast_math);
  }

  // The kernels' strided functions only, in which each step's code is there once: all of them
  // compile, and the sample is made into machine code.
  void ExpectStrided(const std::vector<kernel::Kernel>& kernels) {
    const auto checked = CompileCubin("kernels.cu", Strided(kernels), {GetParam(), false, true});
    ASSERT_TRUE(checked.ok()) << checked.status();
    for (const kernel::Kernel& kernel : kernels) {
      EXPECT_THAT(*checked, testing::HasSubstr(kernel.name + "_nd")) << "a kernel is missing";
    }
    const std::vector<kernel::Kernel> sample = Sample(kernels);
    ExpectCubinOf(Strided(sample), sample, "_nd", false);
  }

  static std::string Strided(const std::vector<kernel::Kernel>& kernels) {
    std::string source = emit::ModuleHead(kernels, CudaDialect());
    for (const kernel::Kernel& kernel : kernels) {
      const auto functions = emit::EmitKernelAs(kernel, CudaDialect(), [&](std::string& out) {
        emit::EmitStridedGridFunction(kernel, CudaDialect(), out);
      });
      EXPECT_TRUE(functions.ok()) << functions.status();
      if (functions.ok()) source += *functions;
    }
    return source;
  }

  // One item in `share` of them, as the seed draws them.
  template <typename T>
  static std::vector<T> Sample(std::vector<T> items, size_t share = 24) {
    const char* const given = std::getenv("DYNACC_TEST_SEED");
    const auto seed = static_cast<unsigned>(given != nullptr ? std::atoi(given)
                                                             : std::time(nullptr) / kSecondsOfADay);
    std::printf("DYNACC_TEST_SEED=%u\n", seed);
    if (std::getenv("DYNACC_TEST_ALL") != nullptr) return items;
    std::shuffle(items.begin(), items.end(), std::mt19937(seed));
    items.erase(items.begin() + static_cast<ptrdiff_t>((items.size() + share - 1) / share),
                items.end());
    return items;
  }

  void ExpectCubinOf(const std::string& source, const std::vector<kernel::Kernel>& kernels,
                     const std::string& suffix, bool fast_math) {
    const auto cubin = CompileCubin("kernels.cu", source, {GetParam(), fast_math});
    ASSERT_TRUE(cubin.ok()) << cubin.status() << "\n" << source;
    EXPECT_TRUE(absl::StartsWith(*cubin, kElfMagic));
    for (const kernel::Kernel& kernel : kernels) {
      EXPECT_THAT(*cubin, testing::HasSubstr(kernel.name + suffix)) << "a kernel is missing";
    }
  }
};

kernel::Kernel OneStep(Op op, DType dtype) {
  kernel::KernelBuilder b(absl::StrCat(Info(op).text, "_", Info(dtype).text));
  const int x = b.Input(dtype);
  const int y = Info(op).category == OpCategory::kBinary ? b.Input(dtype) : -1;
  return b.Build({b.Step(op, x, y)});
}

std::vector<kernel::Kernel> EveryElementwiseOp() {
  std::vector<kernel::Kernel> kernels;
  for (int i = 0; i < NumOps(); ++i) {
    const Op op = static_cast<Op>(i);
    if (!IsElementwise(op)) continue;
    for (const DType dtype : kDTypes) {
      if (IsDefined(op, dtype)) kernels.push_back(OneStep(op, dtype));
    }
  }
  for (const Op op : {Op::kAdd, Op::kMultiply, Op::kMaximum, Op::kLogicalNot, Op::kInvert,
                      Op::kBitwiseAnd, Op::kLess}) {
    kernels.push_back(OneStep(op, DType::kBool));
  }
  return kernels;
}

std::vector<kernel::Kernel> EveryCastAndWhere() {
  std::vector<kernel::Kernel> kernels;
  for (int from = 0; from < kNumDTypes; ++from) {
    kernel::KernelBuilder b(absl::StrCat("cast_", Info(static_cast<DType>(from)).text));
    const int x = b.Input(static_cast<DType>(from)), condition = b.Input(DType::kBool);
    std::vector<int> outputs = {b.Step(Op::kWhere, condition, x, x)};
    for (int to = 0; to < kNumDTypes; ++to) outputs.push_back(b.Cast(x, static_cast<DType>(to)));
    kernels.push_back(b.Build(outputs));
  }
  return kernels;
}

// Once: the architectures share NVRTC's front end, and other tests compile real programs for all.
TEST_P(NvrtcTest, CompilesEveryElementwiseOp) {
  if (GetParam() != 90) GTEST_SKIP() << "compiled for sm_90";
  ExpectStrided(EveryElementwiseOp());
}

// Every reduction, of what another kernel computes.
TEST_P(NvrtcTest, CompilesEveryReduction) {
  std::vector<CudaGroup> groups;
  std::vector<kernel::Kernel> kernels;
  for (const Op op : {Op::kReduceSum, Op::kReduceProd, Op::kReduceMax, Op::kReduceMin,
                      Op::kReduceAny, Op::kReduceAll}) {
    const bool logical = op == Op::kReduceAny || op == Op::kReduceAll;
    for (const DType dtype :
         {DType::kBool, DType::kInt8, DType::kFloat16, DType::kFloat32, DType::kComplex128}) {
      if (logical != (dtype == DType::kBool)) continue;
      const bool is_plain = op == Op::kReduceSum && dtype == DType::kFloat32;
      if (GetParam() != 90 && !is_plain) continue;
      kernel::KernelBuilder b(absl::StrCat(Info(op).text, "_", Info(dtype).text));
      const int x = b.Input(dtype), y = b.Input(dtype);
      CudaGroup group;
      group.kernel = b.Build({b.Step(logical ? Op::kLogicalOr : Op::kMaximum, x, y)});
      group.is_reduction = true;
      group.reduction = op;
      kernels.push_back(group.kernel);
      groups.push_back(std::move(group));
    }
  }
  const auto all = EmitCudaModule(groups);
  ASSERT_TRUE(all.ok()) << all.status();
  const auto checked = CompileCubin("kernels.cu", *all, {GetParam(), false, true});
  ASSERT_TRUE(checked.ok()) << checked.status();
  for (const kernel::Kernel& kernel : kernels) {
    EXPECT_THAT(*checked, testing::HasSubstr(kernel.name + "_rows")) << "a kernel is missing";
  }
  constexpr size_t kShare = 8;
  groups = Sample(groups, kShare);
  kernels.clear();
  for (const CudaGroup& group : groups) kernels.push_back(group.kernel);
  const auto source = EmitCudaModule(groups);
  ASSERT_TRUE(source.ok()) << source.status();
  ExpectCubinOf(*source, kernels, "_rows", false);
}

// Products of every dtype that has them, for one of the architectures; those of floats for all.
TEST_P(NvrtcTest, CompilesMatrixProducts) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    const bool is_plain = dtype == DType::kFloat32 || dtype == DType::kFloat64;
    if (!HasMatmulKernel(dtype) || (GetParam() != 90 && !is_plain)) continue;
    const NvrtcOptions options = {GetParam(), false, !is_plain};
    const auto code = CompileCubin("matmul.cu", MatmulSource(dtype), options);
    ASSERT_TRUE(code.ok()) << code.status();
    EXPECT_THAT(*code, testing::HasSubstr(absl::StrCat("matmul_", Info(dtype).text)));
  }
  const auto ptx = CompileCubin("matmul.cu", MatmulSource(DType::kFloat32), {999, false});
  ASSERT_TRUE(ptx.ok()) << ptx.status();
  EXPECT_THAT(*ptx, testing::HasSubstr("fma.rn.f32"));
  EXPECT_THAT(*ptx, testing::Not(testing::HasSubstr(".local")));  // sums are in registers
}

TEST_P(NvrtcTest, CompilesGathersAndScatters) {
  for (const int bytes : {1, 2, 4, 8, 16}) {
    for (int indices = 1; indices <= kMaxRank; indices += GetParam() == 90 ? 1 : 3) {
      const bool checks_only = bytes + indices != 5 && bytes + indices != 18;
      const auto code =
          CompileCubin("gather.cu", GatherSource(bytes, indices), {GetParam(), false, checks_only});
      ASSERT_TRUE(code.ok()) << code.status();
      for (const char* const name : {"gather", "claim", "scatter"}) {
        EXPECT_THAT(*code, testing::HasSubstr(name));
      }
    }
  }
}

// Updates in any order and in the values' order, of every dtype and op that has them.
TEST_P(NvrtcTest, CompilesUpdatesThroughIndices) {
  for (const Op op : {Op::kAdd, Op::kSubtract, Op::kMultiply, Op::kMaximum, Op::kMinimum,
                      Op::kBitwiseAnd, Op::kBitwiseOr, Op::kBitwiseXor}) {
    for (int i = 0; i < kNumDTypes; ++i) {
      const auto dtype = static_cast<DType>(i);
      const bool is_plain = op == Op::kAdd && (dtype == DType::kFloat32 || dtype == DType::kInt32);
      if (!HasCombineKernels(op, dtype) || (GetParam() != 90 && !is_plain)) continue;
      const auto code = CompileCubin("combine.cu", CombineSource(op, dtype, is_plain ? 3 : 1),
                                     {GetParam(), false, !is_plain});
      ASSERT_TRUE(code.ok()) << code.status();
      EXPECT_THAT(*code, testing::HasSubstr("combine")) << Info(op).text << Info(dtype).text;
    }
  }
}

TEST_P(NvrtcTest, CompilesScans) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    const bool is_plain = dtype == DType::kFloat32;
    if (!HasScanKernel(Op::kReduceSum, dtype) || (GetParam() != 90 && !is_plain)) continue;
    for (const Op reduction : {Op::kReduceSum, Op::kReduceProd}) {
      const auto code =
          CompileCubin("scan.cu", ScanSource(reduction, dtype), {GetParam(), false, !is_plain});
      ASSERT_TRUE(code.ok()) << code.status();
      EXPECT_THAT(*code, testing::HasSubstr("scan_totals"));
    }
  }
}

TEST_P(NvrtcTest, CompilesUnderFastMath) {
  ExpectCubin({OneStep(Op::kExp, DType::kFloat32), OneStep(Op::kPower, DType::kFloat32),
               OneStep(Op::kTanh, DType::kFloat64)},
              true);
}

TEST_P(NvrtcTest, CompilesEveryCastAndWhere) { ExpectStrided(EveryCastAndWhere()); }

TEST_P(NvrtcTest, GivesPtxForADeviceThatItDoesNotKnow) {
  const auto ptx = CompileCubin("k.cu", "extern \"C\" __global__ void k() {}", {999, false});
  ASSERT_TRUE(ptx.ok()) << ptx.status();
  EXPECT_THAT(*ptx, testing::HasSubstr(".visible .entry k("));
  EXPECT_EQ(CompileCubin("k.cu", "", {10, false}).status().code(), absl::StatusCode::kUnavailable);
}

// Neighbouring elements are moved 128 bits at a time and stay in registers.
TEST_P(NvrtcTest, MovesVectors) {
  const std::pair<DType, const char*> rows[] = {{DType::kFloat32, "ld.global.v4.f32"},
                                                {DType::kFloat64, "ld.global.v2.f64"},
                                                {DType::kInt32, "ld.global.v4.u32"}};
  for (const auto& [dtype, load] : rows) {
    const auto source = emit::EmitModule({OneStep(Op::kAdd, dtype)}, CudaDialect());
    const auto ptx = CompileCubin("k.cu", *source, {999, false});
    ASSERT_TRUE(ptx.ok()) << ptx.status();
    EXPECT_THAT(*ptx, testing::HasSubstr(load));
    EXPECT_THAT(*ptx, testing::Not(testing::HasSubstr(".local")));
  }
}

TEST_P(NvrtcTest, GivesTheLogOfWhatDoesNotCompile) {
  const auto cubin = CompileCubin("bad.cu", "int f( {", {GetParam(), false});
  EXPECT_EQ(cubin.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(cubin.status().message(), testing::HasSubstr("bad.cu(1)"));
  EXPECT_THAT(cubin.status().message(), testing::HasSubstr("int f( {")) << "the line itself";
}

INSTANTIATE_TEST_SUITE_P(Architectures, NvrtcTest, testing::Values(80, 90, 100),
                         testing::PrintToStringParamName());

// In the order of the header's contract: loads, steps, stores.
TEST(CudaDialect, EmitsAGridStrideLoop) {
  kernel::KernelBuilder b("exp_add");
  const int x = b.Input(DType::kFloat32), y = b.Input(DType::kFloat32);
  const int exp = b.At("m.py", 4).Library(Op::kExp, x);
  const auto source = emit::EmitModule({b.Build({b.Step(Op::kAdd, exp, y)})}, CudaDialect());
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(*source, R"(#include "dynacc_cuda_prelude.h"

// exp_add(v0: f32, v1: f32) -> (v3: f32)
static __device__ __forceinline__ void exp_add_element(float v0, float v1, float& y0) {
  const float v2 = exp(v0);  // exp, m.py:4
  const float v3 = Add(v2, v1);  // add, m.py:4
  y0 = v3;
}
extern "C" __global__ void exp_add(const Operands<3> operands, int64_t n) {
  for (int64_t i = 4 * FirstElement(); i < n; i += 4 * ElementStride()) {
    const auto x0 = operands.Load<float, 4>(0, i, n);
    const auto x1 = operands.Load<float, 4>(1, i, n);
    Vector<float, 4> y0;
    for (int lane = 0; lane < 4; ++lane) {
      exp_add_element(x0[lane], x1[lane], y0[lane]);
    }
    operands.Store(2, i, n, y0);
  }
}
extern "C" __global__ void exp_add_nd(const NdOperands<3> operands, int64_t n) {
  for (int64_t i = FirstElement(); i < n; i += ElementStride()) {
    const auto at = operands.At(i, n);
    float y0;
    const auto x0 = operands.Load<float>(0, at);
    const auto x1 = operands.Load<float>(1, at);
    exp_add_element(x0, x1, y0);
    operands.Store(2, at, y0);
  }
}
)");
}

}  // namespace
}  // namespace dynacc::cuda
