#include "codegen/targets/cuda/gather_kernels.h"

#include <algorithm>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "codegen/emit/emitter.h"
#include "codegen/targets/cuda/copy_kernels.h"
#include "codegen/targets/cuda/cuda_dialect.h"
#include "codegen/targets/cuda/cuda_modules.h"
#include "codegen/targets/cuda/placed_launch.h"
#include "runtime/base/status_macros.h"
#include "runtime/cuda/kept_kernels.h"

namespace dynacc::cuda {
namespace {

// As in prelude/gather.h.
constexpr int kTargetOperand = 0, kOtherOperand = 1;
constexpr int kMaxItem = 16;

struct GatherKernels {
  std::shared_ptr<const CudaKernelModule> module;
  CudaKernel gather, claim, scatter;
};

absl::StatusOr<GatherKernels> MakeKernels(CudaDevice& device, int bytes, int indices) {
  GatherKernels made;
  DYNACC_ASSIGN_OR_RETURN(made.module,
                          GetCudaModule(device, GatherSource(bytes, indices), 3, false));
  const CudaModule& module = *made.module->module;
  DYNACC_ASSIGN_OR_RETURN(made.gather, FindCudaKernel(module, "gather"));
  DYNACC_ASSIGN_OR_RETURN(made.claim, FindCudaKernel(module, "claim"));
  DYNACC_ASSIGN_OR_RETURN(made.scatter, FindCudaKernel(module, "scatter"));
  return made;
}

absl::StatusOr<const GatherKernels*> KernelsFor(CudaDevice& device, int bytes, int indices) {
  static auto& kept = *new KeptKernels<GatherKernels, int, int>;
  return kept.Get(device, bytes, indices, [&] { return MakeKernels(device, bytes, indices); });
}

int64_t IntegerOf(const DeviceOperand& operand) {
  const int shift = 64 - 8 * ItemSize(operand.view.dtype);
  uint64_t bits = 0;
  std::memcpy(&bits, operand.number.bytes, ItemSize(operand.view.dtype));
  if (Info(operand.view.dtype).kind != DTypeKind::kSigned) return static_cast<int64_t>(bits);
  return static_cast<int64_t>(bits << shift) >> shift;
}

// Whether the nest can go over elements of twice the size: runs of whole rows at even addresses.
bool CanWiden(const executor::LoopNest& nest, absl::Span<const KernelParameters::IndexedAxis> axes,
              int item) {
  if (item == kMaxItem || nest.shape[0] % 2 != 0) return false;
  for (int k = 0; k < nest.num_operands; ++k) {
    const bool moves = k == kTargetOperand || k == kOtherOperand;
    if (nest.strides[0][k] != (moves ? item : 0)) return false;
    if (moves && reinterpret_cast<uint64_t>(nest.pointers[k]) % (2 * item) != 0) return false;
    for (int axis = 1; axis < nest.rank && moves; ++axis) {
      if (nest.strides[axis][k] % (2 * item) != 0) return false;
    }
  }
  return std::all_of(axes.begin(), axes.end(),
                     [item](const auto& axis) { return axis.step % (2 * item) == 0; });
}

// The item size that the nest then goes by.
int Widen(executor::LoopNest& nest, absl::Span<const KernelParameters::IndexedAxis> axes,
          int item) {
  while (CanWiden(nest, axes, item)) {
    item *= 2;
    nest.shape[0] /= 2;
    nest.strides[0][kTargetOperand] = nest.strides[0][kOtherOperand] = item;
  }
  return item;
}

absl::Status ClaimAll(CudaRun& run, const CudaKernel& kernel, const DevicePlaces& places,
                      const StridedView& shape, cuda::DevicePointer claims) {
  DevicePlaces only = places;
  only.place = 0;
  executor::LoopNest nest;
  FillNest(only, IndexShape(places, shape), nest);
  return LaunchPlaced(run, kernel, nest, AxesOf(places), claims);
}

// Lets the places' index_shape be broadcast with the index's; false if they do not fit.
bool BroadcastIndex(const StridedView& index, DevicePlaces& places) {
  int64_t* const shape = places.index_shape + places.index_rank - index.rank;
  for (int i = 0; i < index.rank; ++i) {
    if (index.shape[i] == 1) continue;
    if (shape[i] != 1 && shape[i] != index.shape[i]) return false;
    shape[i] = index.shape[i];
  }
  return true;
}

// The number that is known to the host; nothing if it is not.
absl::StatusOr<std::optional<int64_t>> BoundOf(CudaRun& run, executor::RunFrame& frame,
                                               const executor::GatherPlan::Bound& bound) {
  if (bound.number.has_value()) return bound.number;
  DeviceOperand operand;
  DYNACC_RETURN_IF_ERROR(run.Read(frame, bound.operand, operand));
  if (operand.view.data != nullptr) return std::optional<int64_t>();
  return std::optional<int64_t>(IntegerOf(operand));
}

// One end of a slice of an axis of `size`, as Python counts: between -1 and size - 1 if steps are
// negative, else between 0 and size.
int64_t Clipped(int64_t bound, int64_t size, bool is_backwards) {
  const int64_t low = is_backwards ? -1 : 0, high = is_backwards ? size - 1 : size;
  return std::clamp(bound < 0 ? bound + size : bound, low, std::max(low, high));
}

// Lets `shown` have the part of the source's axis as its last one. False: a bound is on the device.
absl::StatusOr<bool> ShowPart(CudaRun& run, executor::RunFrame& frame,
                              const executor::GatherPlan::Part& part, int64_t size, int64_t stride,
                              StridedView& shown) {
  const bool is_backwards = part.step < 0;
  int64_t from = is_backwards ? size - 1 : 0, to = is_backwards ? -1 : size;
  for (auto [bound, end] : {std::pair(&part.from, &from), std::pair(&part.to, &to)}) {
    if (!bound->has_value()) continue;
    DYNACC_ASSIGN_OR_RETURN(const std::optional<int64_t> number, BoundOf(run, frame, **bound));
    if (!number.has_value()) return false;
    *end = Clipped(*number, size, is_backwards);
  }
  const int64_t distance = is_backwards ? from - to : to - from;
  const int64_t step = is_backwards ? -part.step : part.step;
  const int64_t length = distance <= 0 ? 0 : (distance - 1) / step + 1;
  if (length > 0) shown.data += from * stride;
  shown.shape[shown.rank] = length;
  shown.strides[shown.rank++] = length > 1 ? stride * part.step : 0;
  return true;
}

// The source as the plan's parts show it. False: that is not known to the host.
absl::StatusOr<bool> ShowParts(CudaRun& run, executor::RunFrame& frame,
                               const executor::GatherPlan& plan, const StridedView& source,
                               StridedView& shown) {
  shown = source;
  if (plan.parts.empty()) return true;
  shown.rank = 0;
  auto part = plan.parts.begin();
  for (int axis = 0; axis < source.rank || part != plan.parts.end();) {
    const bool is_part = part != plan.parts.end() && part->axis == shown.rank;
    if (is_part && part->is_new) {
      shown.shape[shown.rank] = 1;
      shown.strides[shown.rank++] = 0;
    } else if (is_part) {
      DYNACC_ASSIGN_OR_RETURN(const bool known, ShowPart(run, frame, *part, source.shape[axis],
                                                         source.strides[axis], shown));
      if (!known) return false;
      ++axis;
    } else {
      shown.shape[shown.rank] = source.shape[axis];
      shown.strides[shown.rank++] = source.strides[axis++];
    }
    if (is_part) ++part;
  }
  return true;
}

// The index `number` of the plan as an array on the device.
absl::StatusOr<StridedView> UploadNumbers(CudaRun& run, absl::Span<const int64_t> numbers,
                                          size_t number, DevicePlaces& places) {
  if (places.uploaded.size() <= number) places.uploaded.resize(number + 1);
  cuda::DevicePointer& block = places.uploaded[number];
  const auto bytes = static_cast<int64_t>(numbers.size() * sizeof(int64_t));
  if (block == 0) {
    DYNACC_ASSIGN_OR_RETURN(block, run.AllocateScratch(bytes));
    DYNACC_RETURN_IF_ERROR(run.Upload(block, numbers.data(), bytes));
  }
  StridedView view;
  view.dtype = DType::kInt64;
  view.data = reinterpret_cast<char*>(block);
  view.rank = 1;
  view.shape[0] = static_cast<int64_t>(numbers.size());
  view.strides[0] = sizeof(int64_t);
  return view;
}

}  // namespace

void LeavePlaces(CudaRun& run, DevicePlaces& places) {
  for (const cuda::DevicePointer block : places.uploaded) {
    if (block != 0) run.FreeScratch(block);
  }
  places.uploaded.clear();
}

StridedView DevicePlaces::shape() const {
  StridedView all;
  int64_t whole[kMaxRank];
  int count = 0;
  for (int axis = 0; axis < target.rank; ++axis) {
    if (is_whole[axis]) whole[count++] = target.shape[axis];
  }
  all.dtype = target.dtype;
  all.rank = count + index_rank;
  std::copy_n(whole, place, all.shape);
  std::copy_n(index_shape, index_rank, all.shape + place);
  std::copy_n(whole + place, count - place, all.shape + place + index_rank);
  return all;
}

std::string GatherSource(int bytes, int indices) {
  const std::string type =
      bytes == kMaxItem ? "Vector<uint64_t, 2>" : absl::StrCat("uint", 8 * bytes, "_t");
  std::string source =
      absl::StrCat("#define DYNACC_GATHER\n", emit::ModuleHead({kernel::Kernel()}, CudaDialect()));
  const std::string operands = absl::StrCat("PlacedOperands<", indices, ">");
  for (const auto& [name, call] :
       {std::pair("gather", absl::StrCat("GatherElements<", type, ", ", indices, ">")),
        std::pair("claim", absl::StrCat("ClaimPlaces<", indices, ">")),
        std::pair("scatter", absl::StrCat("ScatterElements<", type, ", ", indices, ">"))}) {
    absl::StrAppend(&source, "\nextern \"C\" __global__ void ", name, "(const ", operands,
                    " operands) {\n  ", call, "(operands);\n}\n");
  }
  return source;
}

absl::StatusOr<bool> FindPlaces(CudaRun& run, executor::RunFrame& frame,
                                const executor::GatherPlan& plan, const StridedView& source,
                                DevicePlaces& places) {
  DYNACC_ASSIGN_OR_RETURN(const bool known, ShowParts(run, frame, plan, source, places.target));
  if (!known) return false;
  places.place = plan.place;
  places.index_rank = plan.index_rank;
  places.is_along = plan.is_along;
  places.is_whole.assign(places.target.rank, true);
  places.indices.clear();
  std::fill_n(places.index_shape, kMaxRank, 1);
  for (size_t i = 0; i < plan.indices.size(); ++i) {
    const executor::GatherPlan::Index& index = plan.indices[i];
    places.is_whole[index.axis] = false;
    std::optional<int64_t> number = index.number;
    DeviceOperand operand;
    if (!number.has_value()) {
      if (index.numbers.empty()) {
        DYNACC_RETURN_IF_ERROR(run.Read(frame, index.operand, operand));
      } else {
        DYNACC_ASSIGN_OR_RETURN(operand.view, UploadNumbers(run, index.numbers, i, places));
      }
      if (!BroadcastIndex(operand.view, places)) return false;
      if (operand.view.data == nullptr) number = IntegerOf(operand);
    }
    if (!number.has_value()) {
      places.indices.push_back({index.axis, operand.view});
      continue;
    }
    const int64_t size = places.target.shape[index.axis];
    if (*number < -size || *number >= size) return false;
    places.target.data +=
        (*number < 0 ? *number + size : *number) * places.target.strides[index.axis];
  }
  return true;
}

absl::Status GatherOnDevice(CudaRun& run, const DevicePlaces& places, const StridedView& out) {
  if (out.size() == 0) return absl::OkStatus();
  if (places.indices.empty()) {
    DeviceOperand from;
    from.view = WithoutIndices(places, out);
    return CopyOnDevice(run, from, out);
  }
  const auto axes = AxesOf(places);
  executor::LoopNest nest;
  FillNest(places, out, nest);
  const int item = Widen(nest, axes, ItemSize(out.dtype));
  DYNACC_ASSIGN_OR_RETURN(const GatherKernels* const kernels,
                          KernelsFor(run.device(), item, static_cast<int>(axes.size())));
  return LaunchPlaced(run, kernels->gather, nest, axes, 0);
}

absl::Status ScatterOnDevice(CudaRun& run, const DevicePlaces& places,
                             const DeviceOperand& values) {
  if (values.view.size() == 0) return absl::OkStatus();
  if (places.indices.empty()) {
    return CopyOnDevice(run, values, WithoutIndices(places, values.view));
  }
  const auto axes = AxesOf(places);
  const int64_t slots = axes.front().slot * axes.front().size;
  if (slots == 0) return absl::AbortedError("an index beyond the array");
  DYNACC_ASSIGN_OR_RETURN(const cuda::DevicePointer claims,
                          run.AllocateScratch(8 * slots + kMaxItem));
  const absl::Cleanup free = [&] { run.FreeScratch(claims); };
  DYNACC_RETURN_IF_ERROR(run.ClearBytes(claims, 8 * slots));
  StridedView from = values.view;
  if (from.data == nullptr) {  // one number, which goes behind the claims
    const cuda::DevicePointer number = claims + 8 * slots;
    DYNACC_RETURN_IF_ERROR(run.Upload(number, values.number.bytes, ItemSize(from.dtype)));
    from.data = reinterpret_cast<char*>(number);
  }
  executor::LoopNest nest;
  FillNest(places, from, nest);
  const int item = Widen(nest, axes, ItemSize(from.dtype));
  DYNACC_ASSIGN_OR_RETURN(const GatherKernels* const kernels,
                          KernelsFor(run.device(), item, static_cast<int>(axes.size())));
  DYNACC_RETURN_IF_ERROR(ClaimAll(run, kernels->claim, places, from, claims));
  return LaunchPlaced(run, kernels->scatter, nest, axes, claims);
}

}  // namespace dynacc::cuda
