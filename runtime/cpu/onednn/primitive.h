// Primitive: oneDNN's code for one shape of product, and the cache of them.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/cpu/onednn/fused_matmul.h"
#include "runtime/cpu/onednn/library.h"
#include "runtime/cpu/onednn/memory_description.h"

namespace dynacc::cpu {

#ifdef DYNACC_HAS_ONEDNN

// dnnl_data_type_undef if there are no products of it.
dnnl_data_type_t OneDnnType(DType dtype);

// Everything about `product` but where its operands lie. Two that are equal run the same code.
std::vector<int64_t> ShapeKey(const FusedMatmul& product);

// Immutable once made; may run on several threads at once.
class Primitive {
 public:
  // Has oneDNN make the code. UNAVAILABLE if it has none but plain loops, thousands of times as
  // slow.
  static absl::StatusOr<std::unique_ptr<const Primitive>> Make(const OneDnn& library,
                                                               const FusedMatmul& product);
  ~Primitive();
  Primitive(const Primitive&) = delete;
  Primitive& operator=(const Primitive&) = delete;

  // Computes a product with the key of the one that it was made for, on the calling thread.
  absl::Status Run(const FusedMatmul& product) const;

 private:
  explicit Primitive(const OneDnn& library) : library_(library) {}
  absl::Status Prepare(const FusedMatmul& product);

  const OneDnn& library_;
  dnnl_primitive_t primitive_ = nullptr;
  MemoryDescription a_, b_, c_, scratch_;
  std::vector<MemoryDescription> arrays_;  // of each step; of functions unused
};

// The code for `product`; made, or found to be missing, at the first call for its key. Thread-safe.
absl::StatusOr<std::shared_ptr<const Primitive>> FindPrimitive(const FusedMatmul& product);

#endif  // DYNACC_HAS_ONEDNN

}  // namespace dynacc::cpu
