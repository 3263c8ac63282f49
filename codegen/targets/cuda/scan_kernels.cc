#include "codegen/targets/cuda/scan_kernels.h"

#include <algorithm>
#include <cstddef>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "codegen/emit/emitter.h"
#include "codegen/emit/grid_loop.h"
#include "codegen/targets/cuda/cuda_dialect.h"
#include "codegen/targets/cuda/cuda_modules.h"
#include "codegen/targets/cuda/matmul_kernels.h"
#include "runtime/base/status_macros.h"
#include "runtime/cuda/kept_kernels.h"

namespace dynacc::cuda {
namespace {

// Blocks that are enough for the largest devices, and elements that each should have at least: how
// a row is cut depends on sizes alone.
constexpr int64_t kWantedBlocks = 512;
constexpr int64_t kPart = 8192;
constexpr int kThreads = 256;
constexpr int64_t kMaxGrid = int64_t{1} << 20;

// As in prelude/scan.h.
struct ScanOperands {
  char* in;
  char* out;
  cuda::DevicePointer partials;
  int64_t rows, length, inner;
  int64_t parts;
};

constexpr uint16_t kPointers[] = {offsetof(ScanOperands, in), offsetof(ScanOperands, out),
                                  offsetof(ScanOperands, partials)};

LaunchParameters ParametersOf(const ScanOperands& operands) {
  return {&operands, sizeof(operands), kPointers};
}

struct ScanKernels {
  std::shared_ptr<const CudaKernelModule> module;
  CudaKernel rows, totals, columns;
};

absl::StatusOr<ScanKernels> MakeKernels(CudaDevice& device, Op reduction, DType dtype) {
  ScanKernels made;
  DYNACC_ASSIGN_OR_RETURN(made.module,
                          GetCudaModule(device, ScanSource(reduction, dtype), 3, false));
  const CudaModule& module = *made.module->module;
  DYNACC_ASSIGN_OR_RETURN(made.rows, FindCudaKernel(module, "scan_rows"));
  DYNACC_ASSIGN_OR_RETURN(made.totals, FindCudaKernel(module, "scan_totals"));
  DYNACC_ASSIGN_OR_RETURN(made.columns, FindCudaKernel(module, "scan_columns"));
  return made;
}

absl::StatusOr<const ScanKernels*> KernelsFor(CudaDevice& device, Op reduction, DType dtype) {
  static auto& kept = *new KeptKernels<ScanKernels, Op, DType>;
  return kept.Get(device, reduction, dtype, [&] { return MakeKernels(device, reduction, dtype); });
}

CudaLaunch LaunchOf(const CudaKernel& kernel, int64_t grid_x, int64_t grid_y) {
  CudaLaunch launch;
  launch.function = kernel.function;
  launch.name = kernel.name.c_str();
  launch.block_x = kThreads;
  launch.grid_x = static_cast<unsigned>(std::min(grid_x, kMaxGrid));
  launch.grid_y = static_cast<unsigned>(grid_y);
  return launch;
}

absl::Status ScanRows(CudaRun& run, const ScanKernels& kernels, int item_size,
                      ScanOperands operands) {
  operands.parts = std::clamp<int64_t>(kWantedBlocks / operands.rows, 1,
                                       std::max<int64_t>(operands.length / kPart, 1));
  const absl::Cleanup free = [&] {
    if (operands.partials != 0) run.FreeScratch(operands.partials);
  };
  if (operands.parts > 1) {
    DYNACC_ASSIGN_OR_RETURN(operands.partials,
                            run.AllocateScratch(operands.rows * operands.parts * item_size));
    DYNACC_RETURN_IF_ERROR(run.Launch(LaunchOf(kernels.totals, operands.rows, operands.parts - 1),
                                      ParametersOf(operands)));
  }
  return run.Launch(LaunchOf(kernels.rows, operands.rows, operands.parts), ParametersOf(operands));
}

}  // namespace

bool HasScanKernel(Op reduction, DType dtype) {
  return HasMatmulKernel(dtype) && (reduction == Op::kReduceSum || reduction == Op::kReduceProd);
}

std::string ScanSource(Op reduction, DType dtype) {
  kernel::Kernel types;  // that the prelude's parts are asked for by
  types.inputs = {dtype};
  std::string source =
      absl::StrCat("#define DYNACC_SCAN\n", emit::ModuleHead({types}, CudaDialect()));
  for (const auto& [name, function] :
       {std::pair("rows", "ScanRows"), std::pair("totals", "ScanTotals"),
        std::pair("columns", "ScanColumns")}) {
    absl::StrAppend(&source, "\nextern \"C\" __global__ void scan_", name,
                    "(const ScanOperands operands) {\n  ", function, "<",
                    emit::ReductionName(reduction), ", ", CudaDialect().type_name(dtype),
                    ">(operands);\n}\n");
  }
  return source;
}

absl::Status ScanOnDevice(CudaRun& run, Op reduction, const StridedView& in, int axis,
                          const StridedView& out) {
  if (out.size() == 0) return absl::OkStatus();
  DYNACC_ASSIGN_OR_RETURN(const ScanKernels* const kernels,
                          KernelsFor(run.device(), reduction, in.dtype));
  ScanOperands operands = {in.data, out.data, 0, 1, in.shape[axis], 1, 1};
  for (int i = 0; i < in.rank; ++i) {
    if (i != axis) operands.rows *= in.shape[i];
    if (i > axis) operands.inner *= in.shape[i];
  }
  if (operands.inner == 1) {
    // Halves are added up as floats.
    return ScanRows(run, *kernels, std::max(ItemSize(in.dtype), 4), operands);
  }
  const int64_t blocks = (operands.rows + kThreads - 1) / kThreads;
  return run.Launch(LaunchOf(kernels->columns, std::min(blocks, kernels->columns.max_blocks), 1),
                    ParametersOf(operands));
}

}  // namespace dynacc::cuda
