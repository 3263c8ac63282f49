// Our declarations of cuBLASLt's interface against cublasLt.h, and against the library if it is
// here.
#include <cublasLt.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "runtime/cuda/cublaslt.h"

namespace dynacc::cuda {
namespace {

using namespace cublaslt;  // NOLINT: its numbers beside the header's

TEST(CublasLtTypes, NumbersAreTheLibrarys) {
  EXPECT_EQ(cublaslt::kSuccess, CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(kAllocationFailed, CUBLAS_STATUS_ALLOC_FAILED);
  EXPECT_EQ(kInvalidValue, CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(kExecutionFailed, CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(cublaslt::kNotSupported, CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(kReal16, CUDA_R_16F);
  EXPECT_EQ(kReal32, CUDA_R_32F);
  EXPECT_EQ(kReal64, CUDA_R_64F);
  EXPECT_EQ(kComplex32, CUDA_C_32F);
  EXPECT_EQ(kComplex64, CUDA_C_64F);
  EXPECT_EQ(kCompute32, CUBLAS_COMPUTE_32F);
  EXPECT_EQ(kCompute64, CUBLAS_COMPUTE_64F);
  EXPECT_EQ(kAsItIs, CUBLAS_OP_N);
  EXPECT_EQ(kTransposed, CUBLAS_OP_T);
  EXPECT_EQ(kTransposeA, CUBLASLT_MATMUL_DESC_TRANSA);
  EXPECT_EQ(kTransposeB, CUBLASLT_MATMUL_DESC_TRANSB);
  EXPECT_EQ(kBatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
  EXPECT_EQ(kBatchStride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
  EXPECT_EQ(kMaxWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  EXPECT_EQ(kAlignmentA, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
  EXPECT_EQ(kAlignmentB, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
  EXPECT_EQ(kAlignmentC, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
  EXPECT_EQ(kAlignmentD, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
}

TEST(CublasLtTypes, LayoutsAreTheLibrarys) {
  EXPECT_EQ(sizeof(Algorithm), sizeof(cublasLtMatmulAlgo_t));
  EXPECT_EQ(sizeof(Heuristic), sizeof(cublasLtMatmulHeuristicResult_t));
  EXPECT_EQ(offsetof(Heuristic, workspace_bytes),
            offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
  EXPECT_EQ(offsetof(Heuristic, state), offsetof(cublasLtMatmulHeuristicResult_t, state));
  EXPECT_EQ(offsetof(Heuristic, waves), offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));
}

// The bytes of a function's result and of its parameters.
template <typename Type, typename... Parameters>
std::vector<size_t> SizesOf(Type (*)(Parameters...)) {
  return {sizeof(Type), sizeof(Parameters)...};
}

TEST(CublasLtTypes, FunctionsAreTheLibrarys) {
#define DYNACC_CUBLASLT_FUNCTION(type, name, parameters) \
  EXPECT_EQ(SizesOf(CublasLt().name), SizesOf(static_cast<decltype(&::name)>(nullptr))) << #name;
#include "runtime/cuda/cublaslt_functions.def"
#undef DYNACC_CUBLASLT_FUNCTION
}

TEST(CublasLtTypes, TheLibraryHasAllFunctions) {
  const auto opened = CublasLt::Open(DYNACC_CUBLASLT_LIBRARY);
  if (!opened.ok()) GTEST_SKIP() << opened.status();
  EXPECT_GE(opened->cublasLtGetVersion(), 120000u);
  EXPECT_STREQ(opened->cublasLtGetStatusName(cublaslt::kNotSupported),
               "CUBLAS_STATUS_NOT_SUPPORTED");
}

}  // namespace
}  // namespace dynacc::cuda
