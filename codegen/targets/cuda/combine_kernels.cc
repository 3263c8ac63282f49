#include "codegen/targets/cuda/combine_kernels.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "codegen/emit/emitter.h"
#include "codegen/targets/cuda/cuda_dialect.h"
#include "codegen/targets/cuda/cuda_modules.h"
#include "codegen/targets/cuda/placed_launch.h"
#include "runtime/base/status_macros.h"
#include "runtime/cuda/kept_kernels.h"

namespace dynacc::cuda {
namespace {

// The ops, and the atomic operation on integers that does the same, with their own signedness or as
// unsigned ones.
struct CombineRow {
  Op op;
  const char* atomic;  // null: none
  bool keeps_sign;
};
constexpr CombineRow kRows[] = {
    {Op::kAdd, "atomicAdd", false},      {Op::kSubtract, nullptr, false},
    {Op::kMultiply, nullptr, false},     {Op::kMaximum, "atomicMax", true},
    {Op::kMinimum, "atomicMin", true},   {Op::kBitwiseAnd, "atomicAnd", false},
    {Op::kBitwiseOr, "atomicOr", false}, {Op::kBitwiseXor, "atomicXor", false},
};

const CombineRow* RowOf(Op op) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [op](const CombineRow& one) { return one.op == op; });
  return row == std::end(kRows) ? nullptr : row;
}

// Devices have atomics of 4 and 8 bytes.
bool IsAtomic(Op op, DType dtype) {
  return IsInteger(dtype) && ItemSize(dtype) >= 4 && RowOf(op)->atomic != nullptr;
}

// As in prelude/combine.h.
constexpr int64_t kSortTile = 512;
constexpr int64_t kMaxKeyPart = std::numeric_limits<uint32_t>::max();
struct SortOperands {
  cuda::DevicePointer keys;
  int64_t count;
  int64_t run;
  int64_t distance;
};
struct SortedOperands {
  char* target;
  char* values;
  cuda::DevicePointer keys;
  alignas(16) char number[16];
  int64_t count;
  int64_t width;
  int64_t index_shape[kMaxRank], value_steps[kMaxRank];
  int64_t whole_shape[kMaxRank], whole_strides[kMaxRank][2];
  int64_t sizes[kMaxRank], steps[kMaxRank];
  int index_axes, whole_axes, indexed;
};
constexpr uint16_t kSortPointers[] = {offsetof(SortOperands, keys)};
constexpr uint16_t kSortedPointers[] = {offsetof(SortedOperands, target),
                                        offsetof(SortedOperands, values),
                                        offsetof(SortedOperands, keys)};

struct CombineKernels {
  std::shared_ptr<const CudaKernelModule> module;
  CudaKernel combine;                                            // in any order
  CudaKernel place_keys, sort_step, sort_tiles, combine_sorted;  // in the values' order
};

absl::StatusOr<CombineKernels> MakeKernels(CudaDevice& device, Op op, DType dtype, int indices) {
  CombineKernels made;
  const int count = IsAtomic(op, dtype) ? 1 : 4;
  DYNACC_ASSIGN_OR_RETURN(made.module,
                          GetCudaModule(device, CombineSource(op, dtype, indices), count, false));
  const CudaModule& module = *made.module->module;
  if (count == 1) {
    DYNACC_ASSIGN_OR_RETURN(made.combine, FindCudaKernel(module, "combine"));
    return made;
  }
  DYNACC_ASSIGN_OR_RETURN(made.place_keys, FindCudaKernel(module, "place_keys"));
  DYNACC_ASSIGN_OR_RETURN(made.sort_step, FindCudaKernel(module, "sort_step"));
  DYNACC_ASSIGN_OR_RETURN(made.sort_tiles, FindCudaKernel(module, "sort_tiles"));
  DYNACC_ASSIGN_OR_RETURN(made.combine_sorted, FindCudaKernel(module, "combine_sorted"));
  return made;
}

absl::StatusOr<const CombineKernels*> KernelsFor(CudaDevice& device, Op op, DType dtype,
                                                 int indices) {
  static auto& kept = *new KeptKernels<CombineKernels, Op, DType, int>;
  return kept.Get(device, op, dtype, indices,
                  [&] { return MakeKernels(device, op, dtype, indices); });
}

CudaLaunch LaunchOf(const CudaKernel& kernel, int64_t threads) {
  CudaLaunch launch;
  launch.function = kernel.function;
  launch.name = kernel.name.c_str();
  launch.block_x = kCudaBlockThreads;
  const int64_t blocks = (threads + kCudaBlockThreads - 1) / kCudaBlockThreads;
  launch.grid_x = static_cast<unsigned>(std::min(blocks, kernel.max_blocks));
  return launch;
}

// `count`: a power of two, kSortTile at least.
absl::Status SortKeys(CudaRun& run, const CombineKernels& kernels, cuda::DevicePointer keys,
                      int64_t count) {
  const CudaLaunch step = LaunchOf(kernels.sort_step, count / 2);
  const CudaLaunch tiles = LaunchOf(kernels.sort_tiles, count / 2);
  for (int64_t sorted = kSortTile; sorted <= count; sorted *= 2) {
    SortOperands operands = {keys, count, sorted, sorted / 2};
    const LaunchParameters parameters = {&operands, sizeof(operands), kSortPointers};
    for (; operands.distance >= kSortTile; operands.distance /= 2) {
      DYNACC_RETURN_IF_ERROR(run.Launch(step, parameters));
    }
    DYNACC_RETURN_IF_ERROR(run.Launch(tiles, parameters));
  }
  return absl::OkStatus();
}

// The values' axes: those of the indices, and the others, which the target has too.
void SetAxes(const DevicePlaces& places, const StridedView& values, SortedOperands& operands) {
  const StridedView seen = WithoutIndices(places, values);
  operands.width = 1;
  for (int axis = values.rank - 1; axis >= 0; --axis) {
    const bool is_indexs = axis >= places.place && axis < places.place + places.index_rank;
    if (is_indexs) {
      operands.index_shape[operands.index_axes] = values.shape[axis];
      operands.value_steps[operands.index_axes++] = values.strides[axis];
      continue;
    }
    operands.whole_shape[operands.whole_axes] = values.shape[axis];
    operands.whole_strides[operands.whole_axes][0] = seen.strides[axis];
    operands.whole_strides[operands.whole_axes++][1] = values.strides[axis];
    operands.width *= values.shape[axis];
  }
  for (auto index = places.indices.rbegin(); index != places.indices.rend(); ++index) {
    operands.sizes[operands.indexed] = places.target.shape[index->axis];
    operands.steps[operands.indexed++] = places.target.strides[index->axis];
  }
}

// By keys, of which there are `count`.
absl::Status CombineInOrder(CudaRun& run, const CombineKernels& kernels, const DevicePlaces& places,
                            const DeviceOperand& values, int64_t count) {
  const int64_t padded =
      std::max(kSortTile, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(count))));
  DYNACC_ASSIGN_OR_RETURN(const cuda::DevicePointer keys, run.AllocateScratch(8 * padded));
  const absl::Cleanup free = [&] { run.FreeScratch(keys); };
  DevicePlaces only = places;
  only.place = 0;
  executor::LoopNest nest;
  FillNest(only, IndexShape(places, values.view), nest);
  DYNACC_RETURN_IF_ERROR(
      LaunchPlaced(run, kernels.place_keys, nest, AxesOf(places), keys, &padded));
  DYNACC_RETURN_IF_ERROR(SortKeys(run, kernels, keys, padded));
  SortedOperands operands = {};
  operands.target = places.target.data;
  operands.values = values.view.data;
  operands.keys = keys;
  std::memcpy(operands.number, values.number.bytes, ItemSize(values.view.dtype));
  operands.count = count;
  SetAxes(places, values.view, operands);
  return run.Launch(LaunchOf(kernels.combine_sorted, count * operands.width),
                    {&operands, sizeof(operands), kSortedPointers});
}

absl::Status CombineInAnyOrder(CudaRun& run, const CombineKernels& kernels,
                               const DevicePlaces& places, const DeviceOperand& values) {
  StridedView from = values.view;
  cuda::DevicePointer number = 0;
  const absl::Cleanup free = [&] {
    if (number != 0) run.FreeScratch(number);
  };
  if (from.data == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(number, run.AllocateScratch(sizeof(values.number.bytes)));
    DYNACC_RETURN_IF_ERROR(run.Upload(number, values.number.bytes, ItemSize(from.dtype)));
    from.data = reinterpret_cast<char*>(number);
  }
  executor::LoopNest nest;
  FillNest(places, from, nest);
  return LaunchPlaced(run, kernels.combine, nest, AxesOf(places), 0);
}

// The struct Combination: how a value is combined, or by what atomic operation.
std::string CombinationText(Op op, DType dtype) {
  const char* const type = CudaDialect().type_name(dtype);
  if (!IsAtomic(op, dtype)) {
    kernel::KernelStep step;
    step.op = op;
    return absl::StrCat("struct Combination {\n  static DYNACC_MEMBER ", type, " Combine(", type,
                        " a, ", type, " b) { return ", emit::Spelling(step, CudaDialect(), false),
                        "; }\n};\n");
  }
  const CombineRow& row = *RowOf(op);
  const std::string word =
      row.keeps_sign ? std::string(type) : absl::StrCat("uint", 8 * ItemSize(dtype), "_t");
  return absl::StrCat("struct Combination {\n  static DYNACC_MEMBER void Atomic(", type, "* at, ",
                      type, " value) {\n    ", row.atomic, "(reinterpret_cast<", word,
                      "*>(at), static_cast<", word, ">(value));\n  }\n};\n");
}

}  // namespace

bool HasCombineKernels(Op op, DType dtype) {
  if (RowOf(op) == nullptr || dtype == DType::kBool || IsLowPrecision(dtype)) return false;
  const bool is_ordered = op == Op::kMaximum || op == Op::kMinimum;
  const bool is_bitwise = RowOf(op)->atomic != nullptr && op != Op::kAdd && !is_ordered;
  return is_bitwise ? IsInteger(dtype) : !(is_ordered && IsComplex(dtype));
}

absl::StatusOr<bool> CombineOnDevice(CudaRun& run, Op op, const DevicePlaces& places,
                                     const DeviceOperand& values) {
  if (values.view.size() == 0) return true;
  if (places.indices.empty()) return false;
  const auto axes = AxesOf(places);
  const int64_t slots = axes.front().slot * axes.front().size;
  const int64_t count = IndexShape(places, values.view).size();
  if (slots == 0) return absl::AbortedError("an index beyond the array");
  if (slots >= kMaxKeyPart || count >= kMaxKeyPart) return false;
  const DType dtype = values.view.dtype;
  DYNACC_ASSIGN_OR_RETURN(const CombineKernels* const kernels,
                          KernelsFor(run.device(), op, dtype, static_cast<int>(axes.size())));
  DYNACC_RETURN_IF_ERROR(IsAtomic(op, dtype)
                             ? CombineInAnyOrder(run, *kernels, places, values)
                             : CombineInOrder(run, *kernels, places, values, count));
  return true;
}

std::string CombineSource(Op op, DType dtype, int indices) {
  kernel::Kernel types;  // that the prelude's parts are asked for by
  types.inputs = {dtype};
  std::string source =
      absl::StrCat("#define DYNACC_GATHER\n#define DYNACC_COMBINE\n",
                   emit::ModuleHead({types}, CudaDialect()), "\n", CombinationText(op, dtype));
  const std::string placed = absl::StrCat("PlacedOperands<", indices, ">");
  const std::string element = absl::StrCat("<Combination, ", CudaDialect().type_name(dtype));
  const auto add = [&source](absl::string_view name, absl::string_view parameters,
                             absl::string_view call) {
    absl::StrAppend(&source, "\nextern \"C\" __global__ void ", name, "(const ", parameters,
                    ") {\n  ", call, ";\n}\n");
  };
  if (IsAtomic(op, dtype)) {
    add("combine", placed + " operands",
        absl::StrCat("CombineElements", element, ", ", indices, ">(operands)"));
    return source;
  }
  add("place_keys", placed + " operands, int64_t padded", "PlaceKeys(operands, padded)");
  add("sort_step", "SortOperands operands", "SortStep(operands)");
  add("sort_tiles", "SortOperands operands", "SortTiles(operands)");
  add("combine_sorted", "SortedOperands operands",
      absl::StrCat("CombineSorted", element, ">(operands)"));
  return source;
}

}  // namespace dynacc::cuda
