#include "runtime/cpu/onednn/memory_description.h"

#ifdef DYNACC_HAS_ONEDNN

#include "runtime/base/status_macros.h"

namespace dynacc::cpu {
namespace {

int RankOf(absl::Span<const dnnl_dim_t> sizes) { return static_cast<int>(sizes.size()); }

constexpr dnnl_dims_t kNoPadding = {};

}  // namespace

int64_t BytesOf(const OneDnn& library, const MemoryDescription& description) {
  return description.get() == nullptr
             ? 0
             : static_cast<int64_t>(library.memory_desc_get_size(description.get()));
}

bool AreEqual(const OneDnn& library, const MemoryDescription& a, const MemoryDescription& b) {
  return library.memory_desc_equal(a.get(), b.get()) != 0;
}

#if DNNL_VERSION_MAJOR == 2

absl::StatusOr<MemoryDescription> MemoryDescription::OfStrides(
    const OneDnn& library, absl::Span<const dnnl_dim_t> sizes, dnnl_data_type_t type,
    absl::Span<const dnnl_dim_t> strides) {
  MemoryDescription made;
  DYNACC_RETURN_IF_ERROR(
      OneDnnError(library.memory_desc_init_by_strides(&made.value_, RankOf(sizes), sizes.data(),
                                                      type, strides.data()),
                  "memory_desc_init_by_strides"));
  return made;
}

absl::StatusOr<MemoryDescription> MemoryDescription::OfTag(const OneDnn& library,
                                                           absl::Span<const dnnl_dim_t> sizes,
                                                           dnnl_data_type_t type,
                                                           dnnl_format_tag_t tag) {
  MemoryDescription made;
  DYNACC_RETURN_IF_ERROR(OneDnnError(
      library.memory_desc_init_by_tag(&made.value_, RankOf(sizes), sizes.data(), type, tag),
      "memory_desc_init_by_tag"));
  return made;
}

absl::StatusOr<MemoryDescription> MemoryDescription::OfOperand(const OneDnn& library,
                                                               dnnl_primitive_desc_t primitive,
                                                               dnnl_query_t operand) {
  MemoryDescription made;
  const dnnl_memory_desc_t* const found = library.primitive_desc_query_md(primitive, operand, 0);
  if (found != nullptr) made.value_ = *found;
  return made;
}

bool IsBlocked(const OneDnn&, const MemoryDescription& description) {
  const dnnl_memory_desc_t& value = *description.get();
  return value.format_kind == dnnl_blocked && value.format_desc.blocking.inner_nblks > 0;
}

namespace {

// The second step of version 2.
absl::StatusOr<dnnl_primitive_desc_t> Describe(const OneDnn& library, const_dnnl_op_desc_t op,
                                               dnnl_primitive_attr_t attributes) {
  dnnl_primitive_desc_t description = nullptr;
  DYNACC_RETURN_IF_ERROR(OneDnnError(
      library.primitive_desc_create(&description, op, attributes, library.engine, nullptr),
      "primitive_desc_create"));
  return description;
}

}  // namespace

absl::StatusOr<dnnl_primitive_desc_t> DescribeMatmul(const OneDnn& library,
                                                     const MemoryDescription& a,
                                                     const MemoryDescription& b,
                                                     const MemoryDescription& c,
                                                     dnnl_primitive_attr_t attributes) {
  dnnl_matmul_desc_t matmul;
  DYNACC_RETURN_IF_ERROR(OneDnnError(
      library.matmul_desc_init(&matmul, a.get(), b.get(), nullptr, c.get()), "matmul_desc_init"));
  return Describe(library, &matmul, attributes);
}

absl::StatusOr<dnnl_primitive_desc_t> DescribeConvolution(const OneDnn& library,
                                                          const DescribedConvolution& c,
                                                          dnnl_primitive_attr_t attributes) {
  dnnl_convolution_desc_t convolution;
  DYNACC_RETURN_IF_ERROR(OneDnnError(
      library.dilated_convolution_forward_desc_init(
          &convolution, dnnl_forward_inference, dnnl_convolution_direct, c.images.get(),
          c.filters.get(), nullptr, c.result.get(), c.steps, c.gaps, kNoPadding, kNoPadding),
      "dilated_convolution_forward_desc_init"));
  return Describe(library, &convolution, attributes);
}

absl::Status AppendFunction(const OneDnn& library, dnnl_post_ops_t epilogue,
                            dnnl_alg_kind_t function, float alpha, float beta) {
  constexpr float kScale = 1;
  return OneDnnError(library.post_ops_append_eltwise(epilogue, kScale, function, alpha, beta),
                     "post_ops_append_eltwise");
}

#else  // version 3

MemoryDescription MemoryDescription::Own(const OneDnn& library, dnnl_memory_desc_t made) {
  MemoryDescription description;
  description.value_ = {made, library.memory_desc_destroy};
  return description;
}

absl::StatusOr<MemoryDescription> MemoryDescription::OfStrides(
    const OneDnn& library, absl::Span<const dnnl_dim_t> sizes, dnnl_data_type_t type,
    absl::Span<const dnnl_dim_t> strides) {
  dnnl_memory_desc_t made = nullptr;
  DYNACC_RETURN_IF_ERROR(OneDnnError(library.memory_desc_create_with_strides(
                                         &made, RankOf(sizes), sizes.data(), type, strides.data()),
                                     "memory_desc_create_with_strides"));
  return Own(library, made);
}

absl::StatusOr<MemoryDescription> MemoryDescription::OfTag(const OneDnn& library,
                                                           absl::Span<const dnnl_dim_t> sizes,
                                                           dnnl_data_type_t type,
                                                           dnnl_format_tag_t tag) {
  dnnl_memory_desc_t made = nullptr;
  DYNACC_RETURN_IF_ERROR(OneDnnError(
      library.memory_desc_create_with_tag(&made, RankOf(sizes), sizes.data(), type, tag),
      "memory_desc_create_with_tag"));
  return Own(library, made);
}

// A copy: the original lives as long as `primitive` does.
absl::StatusOr<MemoryDescription> MemoryDescription::OfOperand(const OneDnn& library,
                                                               dnnl_primitive_desc_t primitive,
                                                               dnnl_query_t operand) {
  const const_dnnl_memory_desc_t found = library.primitive_desc_query_md(primitive, operand, 0);
  if (found == nullptr) return MemoryDescription();
  dnnl_memory_desc_t copy = nullptr;
  DYNACC_RETURN_IF_ERROR(OneDnnError(library.memory_desc_clone(&copy, found), "memory_desc_clone"));
  return Own(library, copy);
}

bool IsBlocked(const OneDnn& library, const MemoryDescription& description) {
  dnnl_format_kind_t kind = dnnl_format_kind_undef;
  int blocks = 0;
  return library.memory_desc_query(description.get(), dnnl_query_format_kind, &kind) ==
             dnnl_success &&
         kind == dnnl_blocked &&
         library.memory_desc_query(description.get(), dnnl_query_inner_nblks_s32, &blocks) ==
             dnnl_success &&
         blocks > 0;
}

absl::StatusOr<dnnl_primitive_desc_t> DescribeMatmul(const OneDnn& library,
                                                     const MemoryDescription& a,
                                                     const MemoryDescription& b,
                                                     const MemoryDescription& c,
                                                     dnnl_primitive_attr_t attributes) {
  dnnl_primitive_desc_t description = nullptr;
  DYNACC_RETURN_IF_ERROR(
      OneDnnError(library.matmul_primitive_desc_create(&description, library.engine, a.get(),
                                                       b.get(), nullptr, c.get(), attributes),
                  "matmul_primitive_desc_create"));
  return description;
}

absl::StatusOr<dnnl_primitive_desc_t> DescribeConvolution(const OneDnn& library,
                                                          const DescribedConvolution& c,
                                                          dnnl_primitive_attr_t attributes) {
  dnnl_primitive_desc_t description = nullptr;
  DYNACC_RETURN_IF_ERROR(
      OneDnnError(library.convolution_forward_primitive_desc_create(
                      &description, library.engine, dnnl_forward_inference, dnnl_convolution_direct,
                      c.images.get(), c.filters.get(), nullptr, c.result.get(), c.steps, c.gaps,
                      kNoPadding, kNoPadding, attributes),
                  "convolution_forward_primitive_desc_create"));
  return description;
}

absl::Status AppendFunction(const OneDnn& library, dnnl_post_ops_t epilogue,
                            dnnl_alg_kind_t function, float alpha, float beta) {
  return OneDnnError(library.post_ops_append_eltwise(epilogue, function, alpha, beta),
                     "post_ops_append_eltwise");
}

#endif

}  // namespace dynacc::cpu

#endif  // DYNACC_HAS_ONEDNN
