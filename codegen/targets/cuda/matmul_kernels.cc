#include "codegen/targets/cuda/matmul_kernels.h"

#include <cstddef>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "codegen/emit/emitter.h"
#include "codegen/targets/cuda/cuda_dialect.h"
#include "codegen/targets/cuda/cuda_modules.h"
#include "runtime/base/status_macros.h"
#include "runtime/cuda/kept_kernels.h"
#include "runtime/cuda/matmul_library.h"
#include "runtime/cuda/matmul_shape.h"

namespace dynacc::cuda {
namespace {

// As in prelude/matmul.h.
constexpr int kTile = 64;
constexpr int kThreads = 256;
struct MatmulOperands {
  char* a;
  char* b;
  char* out;
  int64_t m, n, k;
  int64_t a_strides[2], b_strides[2], out_strides[2];
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank][3];
  int axes;
  int64_t products;
};

constexpr uint16_t kPointers[] = {offsetof(MatmulOperands, a), offsetof(MatmulOperands, b),
                                  offsetof(MatmulOperands, out)};

struct MatmulKernel {
  std::shared_ptr<const CudaKernelModule> module;
  CudaKernel kernel;
};

// One of the two kernels of a dtype's module: "matmul" or "matvec".
absl::StatusOr<MatmulKernel> MakeKernel(CudaDevice& device, DType dtype, const char* kernel) {
  MatmulKernel made;
  DYNACC_ASSIGN_OR_RETURN(made.module, GetCudaModule(device, MatmulSource(dtype), 2, false));
  DYNACC_ASSIGN_OR_RETURN(made.kernel, FindCudaKernel(*made.module->module,
                                                      absl::StrCat(kernel, "_", Info(dtype).text)));
  return made;
}

absl::StatusOr<const CudaKernel*> KernelFor(CudaDevice& device, DType dtype, const char* kernel) {
  static auto& kept = *new KeptKernels<MatmulKernel, DType, std::string>;
  DYNACC_ASSIGN_OR_RETURN(const MatmulKernel* made, kept.Get(device, dtype, kernel, [&] {
    return MakeKernel(device, dtype, kernel);
  }));
  return &made->kernel;
}

// An operand's strides along the product's leading axes, the last of them first.
void AddLeading(const StridedView& operand, const StridedView& out, executor::LoopNest& nest) {
  const int leading = out.rank - 2;
  int64_t strides[kMaxRank] = {};
  for (int i = 0; i < leading; ++i) {
    const int axis = operand.rank - 3 - i;
    if (axis >= 0 && operand.shape[axis] != 1) strides[i] = operand.strides[axis];
  }
  executor::AddOperand(nest, operand.data, strides);
}

void LastStrides(const StridedView& view, int64_t* strides) {
  std::copy_n(view.strides + view.rank - 2, 2, strides);
}

// Whether a thread's neighbours read side by side when they go along the sum of one element: then
// they share the sum. Products of a few elements do so anyway, as no tile would be filled.
bool IsAlongSum(const MatmulOperands& product) {
  constexpr int64_t kFew = 8;
  if (product.m != 1 && product.n != 1) return false;
  if (product.m * product.n <= kFew) return true;
  const bool rows = product.n == 1;
  const int64_t along_sum = rows ? product.a_strides[1] : product.b_strides[0];
  const int64_t along_elements = rows ? product.a_strides[0] : product.b_strides[1];
  return std::abs(along_sum) < std::abs(along_elements);
}

// False: the library is not there, or does not do such a product, or there is no memory for it.
absl::StatusOr<bool> MultiplyByLibrary(CudaRun& run, const StridedView& a, const StridedView& b,
                                       const StridedView& out) {
  MatmulLibrary* const library = MatmulLibrary::Of(run.device());
  if (library == nullptr) return false;
  const std::optional<CublasLtCall> call = AsCublasLtCall(a, b, out);
  if (!call.has_value()) return false;
  const std::shared_ptr<const LibraryMatmul> product = library->Find(call->shape);
  if (product == nullptr) return false;
  const auto at = [](const char* p) { return reinterpret_cast<cuda::DevicePointer>(p); };
  ProductOperands operands = {at(call->first), at(call->second), at(call->out), 0};
  if (product->workspace_bytes() > 0) {
    const auto workspace = run.AllocateScratch(static_cast<int64_t>(product->workspace_bytes()));
    if (absl::IsResourceExhausted(workspace.status())) return false;
    DYNACC_ASSIGN_OR_RETURN(operands.workspace, workspace);
  }
  const absl::Status status = run.Multiply(product, operands);
  if (operands.workspace != 0) run.FreeScratch(operands.workspace);
  if (absl::IsUnavailable(status)) return false;
  if (!status.ok()) return status;
  return true;
}

}  // namespace

bool HasMatmulKernel(DType dtype) { return dtype != DType::kBool && !IsLowPrecision(dtype); }

std::string MatmulSource(DType dtype) {
  kernel::Kernel types;  // that the prelude's parts are asked for by
  types.inputs = {dtype};
  return absl::StrCat("#define DYNACC_MATMUL\n", emit::ModuleHead({types}, CudaDialect()),
                      "\nextern \"C\" __global__ void matmul_", Info(dtype).text,
                      "(const MatmulOperands operands) {\n  MultiplyMatrices<",
                      CudaDialect().type_name(dtype),
                      ">(operands);\n}\nextern \"C\" __global__ void matvec_", Info(dtype).text,
                      "(const MatmulOperands operands) {\n  MultiplyByVectors<",
                      CudaDialect().type_name(dtype), ">(operands);\n}\n");
}

absl::Status MultiplyOnDevice(CudaRun& run, const StridedView& a, const StridedView& b,
                              const StridedView& out) {
  if (out.size() == 0) return absl::OkStatus();
  int64_t shape[kMaxRank];
  for (int i = 0; i < out.rank - 2; ++i) shape[i] = out.shape[out.rank - 3 - i];
  executor::LoopNest nest;
  executor::StartNest(nest, out.rank - 2, shape);
  for (const StridedView* operand : {&a, &b, &out}) AddLeading(*operand, out, nest);
  MatmulOperands operands = {};
  operands.a = a.data;
  operands.b = b.data;
  operands.out = out.data;
  operands.m = out.shape[out.rank - 2];
  operands.n = out.shape[out.rank - 1];
  operands.k = a.shape[a.rank - 1];
  LastStrides(a, operands.a_strides);
  LastStrides(b, operands.b_strides);
  LastStrides(out, operands.out_strides);
  operands.axes = nest.rank;
  operands.products = nest.size();
  std::copy_n(nest.shape, nest.rank, operands.shape);
  for (int i = 0; i < nest.rank; ++i) std::copy_n(nest.strides[i], 3, operands.strides[i]);
  const bool along_sum = IsAlongSum(operands);
  if (!along_sum) {
    DYNACC_ASSIGN_OR_RETURN(const bool is_done, MultiplyByLibrary(run, a, b, out));
    if (is_done) return absl::OkStatus();
  }
  DYNACC_ASSIGN_OR_RETURN(const CudaKernel* const kernel,
                          KernelFor(run.device(), out.dtype, along_sum ? "matvec" : "matmul"));
  const int64_t blocks =
      along_sum ? operands.m * operands.n
                : ((operands.m + kTile - 1) / kTile) * ((operands.n + kTile - 1) / kTile);
  CudaLaunch launch;
  launch.function = kernel->function;
  launch.name = kernel->name.c_str();
  launch.block_x = kThreads;
  launch.grid_x = static_cast<unsigned>(std::min(blocks * operands.products, kernel->max_blocks));
  return run.Launch(launch, {&operands, sizeof(operands), kPointers});
}

}  // namespace dynacc::cuda
