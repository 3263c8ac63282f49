#include "runtime/cuda/kernel_parameters.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/algorithm/container.h"
#include "runtime/base/check.h"

namespace dynacc::cuda {
namespace {

struct alignas(16) Number {
  char bytes[16];
};

}  // namespace

template <typename T>
T* KernelParameters::Add(size_t count) {
  size_ = (size_ + alignof(T) - 1) / alignof(T) * alignof(T);
  T* const at = reinterpret_cast<T*>(bytes_ + size_);
  size_ += count * sizeof(T);
  DYNACC_CHECK(size_ <= sizeof(bytes_));
  return at;
}

void KernelParameters::AddPointers(const executor::LoopNest& nest) {
  for (int k = 0; k < nest.num_operands; ++k) {
    AddPointer(reinterpret_cast<cuda::DevicePointer>(nest.pointers[k]));
  }
}

void KernelParameters::AddPointer(cuda::DevicePointer pointer) {
  auto* const at = Add<cuda::DevicePointer>(1);
  *at = pointer;
  DYNACC_CHECK(num_pointers_ < std::size(pointers_));
  pointers_[num_pointers_++] = static_cast<uint16_t>(reinterpret_cast<char*>(at) - bytes_);
}

void KernelParameters::AddNumbers(absl::Span<const DeviceOperand> operands) {
  Number* numbers = Add<Number>(operands.size());
  for (const DeviceOperand& operand : operands) {
    std::memcpy(numbers++->bytes, operand.number.bytes, sizeof(Number::bytes));
  }
}

void KernelParameters::AddAxes(const executor::LoopNest& nest) {
  std::copy_n(nest.shape, nest.rank, Add<int64_t>(kMaxRank));
  int64_t* const strides = Add<int64_t>(kMaxRank * nest.num_operands);
  for (int axis = 0; axis < nest.rank; ++axis) {
    std::copy_n(nest.strides[axis], nest.num_operands, strides + axis * nest.num_operands);
  }
}

void KernelParameters::SetFlat(const executor::LoopNest& nest,
                               absl::Span<const DeviceOperand> operands) {
  Start();
  AddPointers(nest);
  int64_t* const strides = Add<int64_t>(nest.num_operands);
  for (int k = 0; k < nest.num_operands; ++k) strides[k] = nest.rank == 0 ? 0 : nest.strides[0][k];
  AddNumbers(operands);
}

void KernelParameters::SetStrided(const executor::LoopNest& nest,
                                  absl::Span<const DeviceOperand> operands) {
  Start();
  AddPointers(nest);
  AddNumbers(operands);
  AddAxes(nest);
  *Add<int>(1) = nest.rank;
}

void KernelParameters::SetReduction(const executor::LoopNest& nest,
                                    absl::Span<const DeviceOperand> operands,
                                    const Reduction& reduction) {
  Start();
  AddPointers(nest);
  AddNumbers(operands);
  AddAxes(nest);
  *Add<int>(1) = reduction.kept_axes;
  *Add<int>(1) = nest.rank;
  *Add<int64_t>(1) = reduction.rows;
  *Add<int64_t>(1) = reduction.length;
  *Add<int64_t>(1) = reduction.parts;
  AddPointer(reduction.partials);
}

void KernelParameters::SetTiled(const executor::LoopNest& nest,
                                absl::Span<const DeviceOperand> operands,
                                absl::Span<const int> turned, int64_t tiles) {
  SetStrided(nest, operands);
  absl::c_copy(turned, Add<int>(turned.size()));
  *Add<int64_t>(1) = tiles;
}

void KernelParameters::SetRolled(const executor::LoopNest& nest,
                                 absl::Span<const DeviceOperand> operands,
                                 const int64_t (*shifts)[executor::kMaxOperands]) {
  Start();
  AddPointers(nest);
  AddNumbers(operands);
  AddAxes(nest);
  int64_t* const to = Add<int64_t>(kMaxRank * nest.num_operands);
  for (int axis = 0; axis < nest.rank; ++axis) {
    std::copy_n(shifts[axis], nest.num_operands, to + axis * nest.num_operands);
  }
  *Add<int>(1) = nest.rank;
}

namespace {

// As prelude/gather.h has it.
int IndexKind(DType dtype) {
  constexpr int kSignedIndex = 4;
  const int size = std::countr_zero(static_cast<unsigned>(ItemSize(dtype)));
  return size | (Info(dtype).kind == DTypeKind::kSigned ? kSignedIndex : 0);
}

}  // namespace

void KernelParameters::SetPlaced(const executor::LoopNest& nest, absl::Span<const IndexedAxis> axes,
                                 const Places& places) {
  Start();
  AddPointers(nest);
  AddAxes(nest);
  for (const auto member : {&IndexedAxis::size, &IndexedAxis::step, &IndexedAxis::slot}) {
    for (const IndexedAxis& axis : axes) *Add<int64_t>(1) = axis.*member;
  }
  AddPointer(places.claims);
  AddPointer(reinterpret_cast<cuda::DevicePointer>(places.beyond));
  *Add<int64_t>(1) = nest.size();
  for (const IndexedAxis& axis : axes) *Add<int>(1) = IndexKind(axis.dtype);
  *Add<int>(1) = nest.rank;
}

void KernelParameters::SetRows(const executor::LoopNest& nest,
                               absl::Span<const DeviceOperand> operands,
                               absl::Span<const int64_t> along, absl::Span<const int64_t> outer,
                               const Rows& rows) {
  Start();
  AddPointers(nest);
  AddNumbers(operands);
  AddAxes(nest);
  absl::c_copy(along, Add<int64_t>(along.size()));
  absl::c_copy(outer, Add<int64_t>(outer.size()));
  *Add<int>(1) = nest.rank;
  *Add<int64_t>(1) = rows.rows;
  *Add<int64_t>(1) = rows.length;
  *Add<int64_t>(1) = rows.run;
  AddPointer(rows.scratch);
  *Add<int64_t>(1) = rows.scratch_bytes;
}

}  // namespace dynacc::cuda
