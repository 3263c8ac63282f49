#include "runtime/cpu/onednn/primitive.h"

#include "absl/synchronization/mutex.h"
#include "runtime/cpu/onednn/execution.h"
#include "runtime/cpu/onednn/packed_weights.h"

#ifdef DYNACC_HAS_ONEDNN

#include <array>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_map.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/run_frame.h"

namespace dynacc::cpu {

namespace {

// Shapes whose code is kept; with more of them all is made anew, which a program of so many shapes
// does not feel beside its products.
constexpr size_t kMostPrimitives = 512;

struct DTypeRow {
  DType dtype;
  dnnl_data_type_t data_type;
};
constexpr DTypeRow kDTypes[] = {{DType::kFloat32, dnnl_f32}, {DType::kBFloat16, dnnl_bf16}};

// Describes matrices as oneDNN wants them: of rank 2, or 3 for a stack.
class Describer {
 public:
  Describer(const OneDnn& library, const FusedMatmul& product)
      : library_(library),
        operand_type_(OneDnnType(product.operands)),
        type_(OneDnnType(product.dtype)),
        rank_(product.stack == 1 ? 2 : 3),
        product_(product) {}

  absl::StatusOr<MemoryDescription> Operand(int64_t rows, int64_t columns,
                                            const MatrixStack& m) const {
    if (m.packed != nullptr) return m.packed->order();
    const int64_t stack = m.stride == 0 ? 1 : product_.stack;
    // The stride of one matrix for all counts in oneDNN's choice of code.
    const int64_t dense = rows * columns;
    return Describe({stack, rows, columns}, {stack == 1 ? dense : m.stride, m.row, m.column},
                    operand_type_);
  }

  absl::StatusOr<MemoryDescription> Result() const {
    return Describe({product_.stack, product_.rows, product_.columns}, DenseStrides(), type_);
  }

  absl::StatusOr<MemoryDescription> Row() const {
    const int64_t n = product_.columns;
    return Describe({1, 1, n}, {n, n, 1}, type_);
  }

 private:
  using Triple = std::array<dnnl_dim_t, 3>;

  Triple DenseStrides() const { return {product_.rows * product_.columns, product_.columns, 1}; }

  absl::StatusOr<MemoryDescription> Describe(const Triple& sizes, const Triple& strides,
                                             dnnl_data_type_t type) const {
    const int skipped = 3 - rank_;
    return MemoryDescription::OfStrides(library_, absl::MakeConstSpan(sizes).subspan(skipped), type,
                                        absl::MakeConstSpan(strides).subspan(skipped));
  }

  const OneDnn& library_;
  const dnnl_data_type_t operand_type_;
  const dnnl_data_type_t type_;
  const int rank_;
  const FusedMatmul& product_;
};

// Packed weights of one size and dtype are in one order.
void AddStrides(const MatrixStack& m, std::vector<int64_t>& key) {
  constexpr int64_t kPacked = -1;
  if (m.packed != nullptr) {
    key.insert(key.end(), {kPacked, kPacked, kPacked});
  } else {
    key.insert(key.end(), {m.stride, m.row, m.column});
  }
}

using Found = absl::StatusOr<std::shared_ptr<const Primitive>>;

struct PrimitiveCache {
  absl::Mutex mutex;
  absl::flat_hash_map<std::vector<int64_t>, Found> primitives;  // or why there is none
  int64_t made = 0;
};

PrimitiveCache& Cache() {
  static auto& cache = *new PrimitiveCache;
  return cache;
}

}  // namespace

dnnl_data_type_t OneDnnType(DType dtype) {
  for (const DTypeRow& row : kDTypes) {
    if (row.dtype == dtype) return row.data_type;
  }
  return dnnl_data_type_undef;
}

std::vector<int64_t> ShapeKey(const FusedMatmul& p) {
  std::vector<int64_t> key = {static_cast<int64_t>(p.dtype),
                              static_cast<int64_t>(p.operands),
                              p.stack,
                              p.rows,
                              p.inner,
                              p.columns};
  AddStrides(p.a, key);
  AddStrides(p.b, key);
  AddToKey(p.epilogue, key);
  return key;
}

absl::StatusOr<std::unique_ptr<const Primitive>> Primitive::Make(const OneDnn& library,
                                                                 const FusedMatmul& product) {
  std::unique_ptr<Primitive> made(new Primitive(library));
  DYNACC_RETURN_IF_ERROR(made->Prepare(product));
  return made;
}

Primitive::~Primitive() {
  if (primitive_ != nullptr) library_.primitive_destroy(primitive_);
}

absl::Status Primitive::Prepare(const FusedMatmul& p) {
  const Describer describe(library_, p);
  DYNACC_ASSIGN_OR_RETURN(a_, describe.Operand(p.rows, p.inner, p.a));
  DYNACC_ASSIGN_OR_RETURN(b_, describe.Operand(p.inner, p.columns, p.b));
  DYNACC_ASSIGN_OR_RETURN(c_, describe.Result());
  Attributes attributes(library_);
  for (const FusedMatmulStep& step : p.epilogue) {
    arrays_.push_back(c_);
    if (step.is_row) {
      DYNACC_ASSIGN_OR_RETURN(arrays_.back(), describe.Row());
    }
    DYNACC_RETURN_IF_ERROR(attributes.Append(step, arrays_.back()));
  }
  DYNACC_RETURN_IF_ERROR(attributes.Finish());

  DYNACC_ASSIGN_OR_RETURN(const dnnl_primitive_desc_t description,
                          DescribeMatmul(library_, a_, b_, c_, attributes.get()));
  const absl::Cleanup destroy_description = [&] { library_.primitive_desc_destroy(description); };
  DYNACC_RETURN_IF_ERROR(RequireFastCode(library_, description));
  DYNACC_ASSIGN_OR_RETURN(
      scratch_, MemoryDescription::OfOperand(library_, description, dnnl_query_scratchpad_md));
  return OneDnnError(library_.primitive_create(&primitive_, description), "primitive_create");
}

absl::Status Primitive::Run(const FusedMatmul& p) const {
  const OneThread alone(library_);
  executor::ScratchBlock scratch;
  const int64_t scratch_bytes = BytesOf(library_, scratch_);
  if (scratch_bytes != 0 && !scratch.Allocate(scratch_bytes)) {
    return absl::ResourceExhaustedError("no memory for a matrix product's scratch");
  }
  Arguments arguments(library_);
  DYNACC_RETURN_IF_ERROR(arguments.Add(DNNL_ARG_SRC, a_, p.a.data));
  DYNACC_RETURN_IF_ERROR(arguments.Add(DNNL_ARG_WEIGHTS, b_, p.b.data));
  DYNACC_RETURN_IF_ERROR(arguments.Add(DNNL_ARG_DST, c_, p.c));
  if (scratch_bytes != 0) {
    DYNACC_RETURN_IF_ERROR(arguments.Add(DNNL_ARG_SCRATCHPAD, scratch_, scratch.data()));
  }
  DYNACC_RETURN_IF_ERROR(arguments.AddSteps(p.epilogue, arrays_));
  return arguments.Execute(primitive_);
}

absl::StatusOr<std::shared_ptr<const Primitive>> FindPrimitive(const FusedMatmul& product) {
  PrimitiveCache& cache = Cache();
  const std::vector<int64_t> key = ShapeKey(product);
  {
    const absl::MutexLock lock(&cache.mutex);
    const auto it = cache.primitives.find(key);
    if (it != cache.primitives.end()) return it->second;
  }
  const OneDnn* const library = TheOneDnn();
  if (library == nullptr) return OneDnnStatus();
  const OneThread alone(*library);
  Found made = Primitive::Make(*library, product);
  if (!made.ok() && !absl::IsUnavailable(made.status())) return made;
  const absl::MutexLock lock(&cache.mutex);
  if (cache.primitives.size() >= kMostPrimitives) cache.primitives.clear();
  cache.made += made.ok() ? 1 : 0;
  return cache.primitives.emplace(key, std::move(made)).first->second;
}

int64_t FusedMatmulsPrepared() {
  const absl::MutexLock lock(&Cache().mutex);
  return Cache().made;
}

}  // namespace dynacc::cpu

#endif  // DYNACC_HAS_ONEDNN
