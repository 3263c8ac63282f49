// PackedWeights: the right factor of products in the order in which oneDNN reads it quickest.
//
// Of a tensor that may change, rows of the weights are copied into that order in each product,
// which for few rows takes longer than the product. Of constant memory
// (runtime/tensor/constant_memory.h) it is done once, at the first product, and kept beside it.
//
// ORDER. oneDNN says itself which it wants, when it may choose. Measured with 2.6 on a Zen 5 core:
// with AVX-512 it is blocks of 16 rows by 64 columns (of bfloat16 in pairs of rows) for all numbers
// of rows that are multiplied by it, so there is one form of a matrix. The bits are those of a
// product with the matrix as it was. Without AVX-512 there is no other order, and nothing is kept.
//
// MEMORY. As much as the matrix, rounded up to whole blocks, beside the matrix itself, which
// everything else reads. What would be more than twice as large is not kept.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/cpu/onednn/library.h"
#include "runtime/cpu/onednn/memory_description.h"
#include "runtime/executor/run_frame.h"
#include "runtime/tensor/constant_memory.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::cpu {

class PackedWeights : public ConstantForm {
 public:
  int64_t bytes() const override { return bytes_; }
  const char* data() const { return memory_.data(); }

#ifdef DYNACC_HAS_ONEDNN
  // `b`: one matrix, of a dtype that oneDNN multiplies. RESOURCE_EXHAUSTED if it takes more than
  // `room` bytes or there is no memory; UNAVAILABLE if it would be no quicker.
  static absl::StatusOr<std::shared_ptr<const PackedWeights>> Make(const OneDnn& library,
                                                                   const StridedView& b,
                                                                   int64_t room);

  const MemoryDescription& order() const { return order_; }
#endif

 private:
#ifdef DYNACC_HAS_ONEDNN
  absl::Status Fill(const OneDnn& library, const StridedView& b);

  MemoryDescription order_;
#endif
  int64_t bytes_ = 0;
  executor::ScratchBlock memory_;
};

// Whether `b` is a single matrix in constant memory.
bool AreConstantWeights(const StridedView& b);

// Such a matrix's form, made now if this is its first product; null if it is none, or is better
// read as it lies. OneDnnStatus() must be OK. Thread-safe.
std::shared_ptr<const PackedWeights> FindPackedWeights(const StridedView& b);

}  // namespace dynacc::cpu
