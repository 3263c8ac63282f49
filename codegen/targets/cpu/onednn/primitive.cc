#include "codegen/targets/cpu/onednn/primitive.h"

#ifdef DYNACC_HAS_ONEDNN

#include <cstring>
#include <mutex>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_map.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/run_frame.h"

namespace dynacc {
namespace {

// Shapes whose code is kept; with more of them all is made anew, which a program of so many shapes
// does not feel beside its products.
constexpr size_t kMostPrimitives = 512;

struct DTypeRow {
  DType dtype;
  dnnl_data_type_t data_type;
};
constexpr DTypeRow kDTypes[] = {{DType::kFloat32, dnnl_f32}, {DType::kBFloat16, dnnl_bf16}};

struct StepRow {
  EpilogueKind kind;
  dnnl_alg_kind_t algorithm;
};
constexpr StepRow kSteps[] = {
#define DYNACC_EPILOGUE(name, text, form, exactness, algorithm) {EpilogueKind::k##name, algorithm},
#include "codegen/schedule/epilogue.def"
#undef DYNACC_EPILOGUE
};

#define ONEDNN_RETURN_IF_ERROR(call, name) DYNACC_RETURN_IF_ERROR(OneDnnError(call, name))

dnnl_data_type_t DataType(DType dtype) {
  for (const DTypeRow& row : kDTypes) {
    if (row.dtype == dtype) return row.data_type;
  }
  return dnnl_data_type_undef;
}

// Describes matrices as oneDNN wants them: of rank 2, or 3 for a stack.
class Describer {
 public:
  Describer(const OneDnn& library, const FusedProduct& product)
      : library_(library),
        operand_type_(DataType(product.operands)),
        type_(DataType(product.dtype)),
        rank_(product.stack == 1 ? 2 : 3),
        product_(product) {}

  absl::Status Operand(int64_t rows, int64_t columns, const MatrixStack& m,
                       dnnl_memory_desc_t& result) const {
    const int64_t stack = m.stride == 0 ? 1 : product_.stack;
    // The stride of one matrix for all counts in oneDNN's choice of code.
    const int64_t dense = rows * columns;
    return Describe({stack, rows, columns}, {stack == 1 ? dense : m.stride, m.row, m.column},
                    operand_type_, result);
  }

  absl::Status Result(dnnl_memory_desc_t& result) const {
    return Describe({product_.stack, product_.rows, product_.columns}, DenseStrides(), type_,
                    result);
  }

  absl::Status Row(dnnl_memory_desc_t& result) const {
    const int64_t n = product_.columns;
    return Describe({1, 1, n}, {n, n, 1}, type_, result);
  }

 private:
  struct Triple {
    dnnl_dim_t values[3];
  };

  Triple DenseStrides() const { return {product_.rows * product_.columns, product_.columns, 1}; }

  absl::Status Describe(Triple sizes, Triple strides, dnnl_data_type_t type,
                        dnnl_memory_desc_t& result) const {
    const int skipped = 3 - rank_;
    return OneDnnError(library_.memory_desc_init_by_strides(&result, rank_, sizes.values + skipped,
                                                            type, strides.values + skipped),
                       "memory_desc_init_by_strides");
  }

  const OneDnn& library_;
  const dnnl_data_type_t operand_type_;
  const dnnl_data_type_t type_;
  const int rank_;
  const FusedProduct& product_;
};

absl::Status AppendStep(const OneDnn& library, const FusedProductStep& step,
                        const dnnl_memory_desc_t& array, dnnl_post_ops_t steps) {
  const dnnl_alg_kind_t algorithm = kSteps[static_cast<int>(step.kind)].algorithm;
  if (Info(step.kind).form == EpilogueForm::kArray) {
    return OneDnnError(library.post_ops_append_binary(steps, algorithm, &array),
                       "post_ops_append_binary");
  }
  constexpr float kScale = 1;
  return OneDnnError(
      library.post_ops_append_eltwise(steps, kScale, algorithm, step.alpha, step.beta),
      "post_ops_append_eltwise");
}

bool IsPlainLoops(const char* implementation) {
  return std::strncmp(implementation, "ref", 3) == 0;
}

// Calls may be made on any thread, and a stream is of one.
absl::StatusOr<dnnl_stream_t> StreamOfThread(const OneDnn& library) {
  // As many as there are threads; kept with them, as the library may be gone before they end.
  static thread_local dnnl_stream_t stream = nullptr;
  if (stream == nullptr) {
    ONEDNN_RETURN_IF_ERROR(
        library.stream_create(&stream, library.engine, dnnl_stream_default_flags), "stream_create");
  }
  return stream;
}

// The memory objects of one call.
class Arguments {
 public:
  explicit Arguments(const OneDnn& library) : library_(library) {}
  ~Arguments() {
    for (const dnnl_exec_arg_t& argument : all_) library_.memory_destroy(argument.memory);
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  absl::Status Add(int role, const dnnl_memory_desc_t& what, const char* data) {
    dnnl_memory_t memory = nullptr;
    ONEDNN_RETURN_IF_ERROR(
        library_.memory_create(&memory, &what, library_.engine, const_cast<char*>(data)),
        "memory_create");
    all_.push_back({role, memory});
    return absl::OkStatus();
  }

  absl::Span<const dnnl_exec_arg_t> all() const { return all_; }

 private:
  const OneDnn& library_;
  std::vector<dnnl_exec_arg_t> all_;
};

void AddStrides(const MatrixStack& m, std::vector<int64_t>& key) {
  key.insert(key.end(), {m.stride, m.row, m.column});
}

struct PrimitiveCache {
  std::mutex mutex;
  absl::flat_hash_map<std::vector<int64_t>, std::shared_ptr<const Primitive>> primitives;
  int64_t made = 0;
};

PrimitiveCache& Cache() {
  static auto& cache = *new PrimitiveCache;
  return cache;
}

}  // namespace

std::vector<int64_t> ShapeKey(const FusedProduct& p) {
  std::vector<int64_t> key = {static_cast<int64_t>(p.dtype),
                              static_cast<int64_t>(p.operands),
                              p.stack,
                              p.rows,
                              p.inner,
                              p.columns};
  AddStrides(p.a, key);
  AddStrides(p.b, key);
  for (const FusedProductStep& step : p.epilogue) {
    uint32_t parameters[2];
    std::memcpy(&parameters[0], &step.alpha, sizeof(float));
    std::memcpy(&parameters[1], &step.beta, sizeof(float));
    key.insert(key.end(), {static_cast<int64_t>(step.kind), int64_t{step.is_row},
                           int64_t{parameters[0]}, int64_t{parameters[1]}});
  }
  return key;
}

absl::StatusOr<std::unique_ptr<const Primitive>> Primitive::Make(const OneDnn& library,
                                                                 const FusedProduct& product) {
  std::unique_ptr<Primitive> made(new Primitive(library));
  DYNACC_RETURN_IF_ERROR(made->Prepare(product));
  return made;
}

Primitive::~Primitive() {
  if (primitive_ != nullptr) library_.primitive_destroy(primitive_);
}

absl::Status Primitive::Prepare(const FusedProduct& p) {
  const Describer describe(library_, p);
  DYNACC_RETURN_IF_ERROR(describe.Operand(p.rows, p.inner, p.a, a_));
  DYNACC_RETURN_IF_ERROR(describe.Operand(p.inner, p.columns, p.b, b_));
  DYNACC_RETURN_IF_ERROR(describe.Result(c_));
  dnnl_post_ops_t steps = nullptr;
  ONEDNN_RETURN_IF_ERROR(library_.post_ops_create(&steps), "post_ops_create");
  const absl::Cleanup destroy_steps = [&] { library_.post_ops_destroy(steps); };
  for (const FusedProductStep& step : p.epilogue) {
    arrays_.push_back(c_);
    if (step.is_row) DYNACC_RETURN_IF_ERROR(describe.Row(arrays_.back()));
    DYNACC_RETURN_IF_ERROR(AppendStep(library_, step, arrays_.back(), steps));
  }
  dnnl_primitive_attr_t attributes = nullptr;
  ONEDNN_RETURN_IF_ERROR(library_.primitive_attr_create(&attributes), "primitive_attr_create");
  const absl::Cleanup destroy_attributes = [&] { library_.primitive_attr_destroy(attributes); };
  ONEDNN_RETURN_IF_ERROR(library_.primitive_attr_set_post_ops(attributes, steps), "set_post_ops");
  ONEDNN_RETURN_IF_ERROR(
      library_.primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user),
      "set_scratchpad_mode");

  dnnl_matmul_desc_t matmul;
  ONEDNN_RETURN_IF_ERROR(library_.matmul_desc_init(&matmul, &a_, &b_, nullptr, &c_),
                         "matmul_desc_init");
  dnnl_primitive_desc_t description = nullptr;
  ONEDNN_RETURN_IF_ERROR(
      library_.primitive_desc_create(&description, &matmul, attributes, library_.engine, nullptr),
      "primitive_desc_create");
  const absl::Cleanup destroy_description = [&] { library_.primitive_desc_destroy(description); };
  const char* implementation = nullptr;
  ONEDNN_RETURN_IF_ERROR(
      library_.primitive_desc_query(description, dnnl_query_impl_info_str, 0, &implementation),
      "primitive_desc_query");
  if (IsPlainLoops(implementation)) {
    return absl::UnavailableError("oneDNN has only plain loops for a product");
  }
  scratch_ = *library_.primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
  return OneDnnError(library_.primitive_create(&primitive_, description), "primitive_create");
}

absl::Status Primitive::Run(const FusedProduct& p) const {
  const OneThread alone(library_);
  DYNACC_ASSIGN_OR_RETURN(dnnl_stream_t stream, StreamOfThread(library_));
  ScratchBlock scratch;
  const size_t scratch_bytes = library_.memory_desc_get_size(&scratch_);
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
  for (size_t i = 0; i < p.epilogue.size(); ++i) {
    if (p.epilogue[i].data == nullptr) continue;
    const int role = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i)) | DNNL_ARG_SRC_1;
    DYNACC_RETURN_IF_ERROR(arguments.Add(role, arrays_[i], p.epilogue[i].data));
  }
  return OneDnnError(
      library_.primitive_execute(primitive_, stream, static_cast<int>(arguments.all().size()),
                                 arguments.all().data()),
      "primitive_execute");
}

absl::StatusOr<std::shared_ptr<const Primitive>> FindPrimitive(const FusedProduct& product) {
  PrimitiveCache& cache = Cache();
  const std::vector<int64_t> key = ShapeKey(product);
  {
    const std::lock_guard lock(cache.mutex);
    const auto it = cache.primitives.find(key);
    if (it != cache.primitives.end()) return it->second;
  }
  const OneDnn* const library = TheOneDnn();
  if (library == nullptr) return OneDnnStatus();
  const OneThread alone(*library);
  DYNACC_ASSIGN_OR_RETURN(std::shared_ptr<const Primitive> made,
                          Primitive::Make(*library, product));
  const std::lock_guard lock(cache.mutex);
  if (cache.primitives.size() >= kMostPrimitives) cache.primitives.clear();
  ++cache.made;
  return cache.primitives.emplace(key, std::move(made)).first->second;
}

int64_t FusedProductsPrepared() {
  const std::lock_guard lock(Cache().mutex);
  return Cache().made;
}

}  // namespace dynacc

#endif  // DYNACC_HAS_ONEDNN
