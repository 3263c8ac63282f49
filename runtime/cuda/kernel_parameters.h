// The parameters of emitted kernels, as bytes laid out like the structs of prelude/types.h
// (Operands, NdOperands), prelude/reduce.h (ReduceOperands) prelude/rows.h (RowOperands),
// prelude/tiles.h (TileOperands, RolledOperands) and prelude/gather.h (PlacedOperands).
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "runtime/cuda/driver_types.h"
#include "runtime/executor/loop_nest.h"
#include "runtime/executor/run_frame.h"

namespace dynacc::cuda {

// What a kernel reads or writes: memory of the device, or one number (address 0, strides 0).
struct DeviceOperand {
  StridedView view;  // its data is the device's address
  executor::ElementCell number;
};

// The bytes of a kernel's first parameter, and where in them addresses are (null ones among them).
struct LaunchParameters {
  const void* bytes = nullptr;
  size_t size = 0;
  absl::Span<const uint16_t> pointers;
};

class KernelParameters {
 public:
  // The nest's operands are `operands`, in this order.
  void SetFlat(const executor::LoopNest& nest, absl::Span<const DeviceOperand> operands);
  void SetStrided(const executor::LoopNest& nest, absl::Span<const DeviceOperand> operands);

  // `nest`: the kept axes, then the reduced ones.
  struct Reduction {
    int kept_axes = 0;
    int64_t rows = 1, length = 1, parts = 1;
    cuda::DevicePointer partials = 0;
  };
  void SetReduction(const executor::LoopNest& nest, absl::Span<const DeviceOperand> operands,
                    const Reduction& reduction);

  // `nest`: the axes of the rows; `along`, `outer`: each operand's strides along a run of a row,
  // and from one run to the next.
  struct Rows {
    int64_t rows = 1, length = 1, run = 1;
    cuda::DevicePointer scratch = 0;
    int64_t scratch_bytes = 0;
  };
  void SetRows(const executor::LoopNest& nest, absl::Span<const DeviceOperand> operands,
               absl::Span<const int64_t> along, absl::Span<const int64_t> outer, const Rows& rows);

  // `nest`: axis 0, and axis 1, along which the turned operands' neighbours lie; `turned`: of each
  // operand, where in shared memory its tile is, or -1.
  void SetTiled(const executor::LoopNest& nest, absl::Span<const DeviceOperand> operands,
                absl::Span<const int> turned, int64_t tiles);

  // `shifts`: of each axis of the nest, each operand's.
  void SetRolled(const executor::LoopNest& nest, absl::Span<const DeviceOperand> operands,
                 const int64_t (*shifts)[executor::kMaxOperands]);

  // `nest`: the array with the indexed axes, the one without them, the claims, then the indices,
  // one for each of `axes`.
  struct IndexedAxis {
    int64_t size = 0, step = 0, slot = 0;
    DType dtype = DType::kInt64;  // of the index
  };
  struct Places {
    cuda::DevicePointer claims = 0;
    char* beyond = nullptr;
  };
  void SetPlaced(const executor::LoopNest& nest, absl::Span<const IndexedAxis> axes,
                 const Places& places);

  LaunchParameters all() const { return {bytes_, size_, {pointers_, num_pointers_}}; }

 private:
  template <typename T>
  T* Add(size_t count);
  void Start() { size_ = num_pointers_ = 0; }
  void AddPointer(cuda::DevicePointer pointer);
  void AddPointers(const executor::LoopNest& nest);
  void AddNumbers(absl::Span<const DeviceOperand> operands);
  void AddAxes(const executor::LoopNest& nest);

  // More than kMaxOperands operands of kMaxRank axes take; a kernel may have 4096.
  alignas(16) char bytes_[4096];
  size_t size_ = 0;
  uint16_t pointers_[executor::kMaxOperands + 2];
  size_t num_pointers_ = 0;
};

}  // namespace dynacc::cuda
