// How an array lies in memory, as oneDNN describes it, and what is made of such descriptions.
//
// The C interfaces of oneDNN 2 and 3 differ here alone. A description is a struct in 2 and an
// object behind a pointer in 3. A primitive is described in two steps in 2 and in one in 3. The
// rest of this folder does not know the version.
#pragma once

#include <memory>
#include <type_traits>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/cpu/onednn/library.h"

namespace dynacc::cpu {

#ifdef DYNACC_HAS_ONEDNN

// A value: copies describe the same. The default describes nothing, of 0 bytes.
class MemoryDescription {
 public:
  // Sizes and strides of each axis, in elements.
  static absl::StatusOr<MemoryDescription> OfStrides(const OneDnn& library,
                                                     absl::Span<const dnnl_dim_t> sizes,
                                                     dnnl_data_type_t type,
                                                     absl::Span<const dnnl_dim_t> strides);
  // In the order that `tag` names; dnnl_format_tag_any leaves the order to oneDNN.
  static absl::StatusOr<MemoryDescription> OfTag(const OneDnn& library,
                                                 absl::Span<const dnnl_dim_t> sizes,
                                                 dnnl_data_type_t type, dnnl_format_tag_t tag);
  // An operand of a described primitive: dnnl_query_src_md, dnnl_query_scratchpad_md and so on.
  static absl::StatusOr<MemoryDescription> OfOperand(const OneDnn& library,
                                                     dnnl_primitive_desc_t primitive,
                                                     dnnl_query_t operand);

  // As oneDNN's functions take it; valid while this object is.
#if DNNL_VERSION_MAJOR == 2
  const dnnl_memory_desc_t* get() const { return &value_; }
#else
  const_dnnl_memory_desc_t get() const { return value_.get(); }
#endif

 private:
#if DNNL_VERSION_MAJOR == 2
  dnnl_memory_desc_t value_ = {};
#else
  static MemoryDescription Own(const OneDnn& library, dnnl_memory_desc_t made);

  std::shared_ptr<std::remove_pointer_t<dnnl_memory_desc_t> > value_;
#endif
};

int64_t BytesOf(const OneDnn& library, const MemoryDescription& description);
bool AreEqual(const OneDnn& library, const MemoryDescription& a, const MemoryDescription& b);
// Whether the elements lie in blocks, rather than at one stride along each axis.
bool IsBlocked(const OneDnn& library, const MemoryDescription& description);

// c = a @ b with `attributes`, which may be null. The caller destroys the result by
// primitive_desc_destroy. UNAVAILABLE if oneDNN has no code for it.
absl::StatusOr<dnnl_primitive_desc_t> DescribeMatmul(const OneDnn& library,
                                                     const MemoryDescription& a,
                                                     const MemoryDescription& b,
                                                     const MemoryDescription& c,
                                                     dnnl_primitive_attr_t attributes);

struct DescribedConvolution {
  const MemoryDescription& images;
  const MemoryDescription& filters;
  const MemoryDescription& result;
  const dnnl_dim_t* steps;  // of each axis of space
  const dnnl_dim_t* gaps;   // between a filter's elements: its dilation less one
};

// A convolution without padding; as DescribeMatmul.
absl::StatusOr<dnnl_primitive_desc_t> DescribeConvolution(const OneDnn& library,
                                                          const DescribedConvolution& convolution,
                                                          dnnl_primitive_attr_t attributes);

// Appends a function of each element to an epilogue.
absl::Status AppendFunction(const OneDnn& library, dnnl_post_ops_t epilogue,
                            dnnl_alg_kind_t function, float alpha, float beta);

#endif  // DYNACC_HAS_ONEDNN

}  // namespace dynacc::cpu
