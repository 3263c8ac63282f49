#include "runtime/cuda/matmul_library.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/log.h"
#include "runtime/base/status_macros.h"
#include "runtime/cuda/kept_kernels.h"

namespace dynacc::cuda {
namespace {

constexpr size_t kMostProducts = 512;

// What NVIDIA recommends: devices from Hopper on have algorithms that want more.
uint64_t MostWorkspace(const CudaDevice& device) {
  return uint64_t{device.architecture() >= 90 ? 32u : 4u} << 20;
}

// How the library computes with a dtype: its elements, and the numbers that sums are made of and
// scaled in. Of float32 these are float32, never TF32; of float16 they are float32, too.
struct Arithmetic {
  int elements, compute, scale;
  const void *one, *zero;
};
constexpr float kOnes32[2] = {1, 0};
constexpr double kOnes64[2] = {1, 0};
constexpr double kZeros[2] = {};

Arithmetic ArithmeticOf(DType dtype) {
  using namespace cublaslt;  // NOLINT: a table of its numbers
  switch (dtype) {
    case DType::kFloat16:
      return {kReal16, kCompute32, kReal32, kOnes32, kZeros};
    case DType::kFloat64:
      return {kReal64, kCompute64, kReal64, kOnes64, kZeros};
    case DType::kComplex64:
      return {kComplex32, kCompute32, kComplex32, kOnes32, kZeros};
    case DType::kComplex128:
      return {kComplex64, kCompute64, kComplex64, kOnes64, kZeros};
    default:
      return {kReal32, kCompute32, kReal32, kOnes32, kZeros};
  }
}

// The matrix as it lies, of `rows` by `columns` after it has been turned.
absl::Status MakeLayout(const CublasLt& library, cublaslt::Layout& layout, int type,
                        const MatmulShape::Matrix& matrix, int64_t rows, int64_t columns,
                        int64_t batch) {
  if (matrix.is_turned) std::swap(rows, columns);
  DYNACC_RETURN_IF_ERROR(library.Check(
      library.cublasLtMatrixLayoutCreate(&layout, type, rows, columns, matrix.leading),
      "describing a matrix"));
  if (batch == 1) return absl::OkStatus();
  const auto count = static_cast<int32_t>(batch);
  DYNACC_RETURN_IF_ERROR(library.Check(library.cublasLtMatrixLayoutSetAttribute(
                                           layout, cublaslt::kBatchCount, &count, sizeof(count)),
                                       "describing a batch"));
  return library.Check(library.cublasLtMatrixLayoutSetAttribute(layout, cublaslt::kBatchStride,
                                                                &matrix.step, sizeof(matrix.step)),
                       "describing a batch");
}

}  // namespace

LibraryMatmul::~LibraryMatmul() {
  const CublasLt& library = library_.functions_;
  for (const cublaslt::Layout layout : {first_, second_, out_}) {
    if (layout != nullptr) library.cublasLtMatrixLayoutDestroy(layout);
  }
  if (operation_ != nullptr) library.cublasLtMatmulDescDestroy(operation_);
}

absl::Status LibraryMatmul::Describe(const MatmulShape& shape) {
  const CublasLt& library = library_.functions_;
  const Arithmetic arithmetic = ArithmeticOf(shape.dtype);
  one_ = arithmetic.one;
  zero_ = arithmetic.zero;
  DYNACC_RETURN_IF_ERROR(library.Check(
      library.cublasLtMatmulDescCreate(&operation_, arithmetic.compute, arithmetic.scale),
      "describing a product"));
  for (const auto& [attribute, matrix] :
       {std::pair(cublaslt::kTransposeA, &shape.first), {cublaslt::kTransposeB, &shape.second}}) {
    const int32_t how = matrix->is_turned ? cublaslt::kTransposed : cublaslt::kAsItIs;
    DYNACC_RETURN_IF_ERROR(library.Check(
        library.cublasLtMatmulDescSetAttribute(operation_, attribute, &how, sizeof(how)),
        "describing a product"));
  }
  const int type = arithmetic.elements;
  DYNACC_RETURN_IF_ERROR(
      MakeLayout(library, first_, type, shape.first, shape.rows, shape.depth, shape.batch));
  DYNACC_RETURN_IF_ERROR(
      MakeLayout(library, second_, type, shape.second, shape.depth, shape.columns, shape.batch));
  return MakeLayout(library, out_, type, shape.out, shape.rows, shape.columns, shape.batch);
}

absl::Status LibraryMatmul::Choose(const MatmulShape& shape, uint64_t most_workspace,
                                   bool& has_algorithm) {
  const CublasLt& library = library_.functions_;
  cublaslt::Preference preference = nullptr;
  DYNACC_RETURN_IF_ERROR(
      library.Check(library.cublasLtMatmulPreferenceCreate(&preference), "a preference"));
  const absl::Cleanup destroy = [&] { library.cublasLtMatmulPreferenceDestroy(preference); };
  const auto set = [&](int attribute, const auto& value) {
    return library.Check(
        library.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(value)),
        "a preference");
  };
  DYNACC_RETURN_IF_ERROR(set(cublaslt::kMaxWorkspaceBytes, most_workspace));
  for (const auto& [attribute, matrix] : {std::pair(cublaslt::kAlignmentA, &shape.first),
                                          {cublaslt::kAlignmentB, &shape.second},
                                          {cublaslt::kAlignmentC, &shape.out},
                                          {cublaslt::kAlignmentD, &shape.out}}) {
    DYNACC_RETURN_IF_ERROR(set(attribute, static_cast<uint32_t>(matrix->alignment)));
  }
  cublaslt::Heuristic chosen = {};
  int found = 0;
  const cublaslt::Status status = library.cublasLtMatmulAlgoGetHeuristic(
      library_.handle_, operation_, first_, second_, out_, out_, preference, 1, &chosen, &found);
  has_algorithm = status == cublaslt::kSuccess && found > 0 && chosen.state == cublaslt::kSuccess;
  algorithm_ = chosen.algorithm;
  workspace_bytes_ = chosen.workspace_bytes;
  if (status == cublaslt::kNotSupported) return absl::OkStatus();
  return library.Check(status, "choosing an algorithm");
}

absl::Status LibraryMatmul::Give(CudaStream& stream, const ProductOperands& operands) const {
  const CublasLt& library = library_.functions_;
  if (library_.has_failed_.load(std::memory_order_relaxed)) {
    return absl::UnavailableError("cuBLASLt has failed before");
  }
  const auto at = [](cuda::DevicePointer pointer) { return reinterpret_cast<void*>(pointer); };
  const cublaslt::Status status = library.cublasLtMatmul(
      library_.handle_, operation_, one_, at(operands.first), first_, at(operands.second), second_,
      zero_, at(operands.out), out_, at(operands.out), out_, &algorithm_, at(operands.workspace),
      workspace_bytes_, stream.handle());
  if (status == cublaslt::kSuccess) return absl::OkStatus();
  return library_.Fail(library.Check(status, "cublasLtMatmul"));
}

MatmulLibrary* MatmulLibrary::Of(CudaDevice& device) {
  if (!ProcessCublasLt().ok()) return nullptr;
  static auto& kept = *new KeptKernels<std::unique_ptr<MatmulLibrary>>;
  const auto made = kept.Get(device, [&]() -> absl::StatusOr<std::unique_ptr<MatmulLibrary>> {
    std::unique_ptr<MatmulLibrary> library(new MatmulLibrary(device, *ProcessCublasLt()));
    const CublasLt& functions = library->functions_;
    const absl::Status status =
        functions.Check(functions.cublasLtCreate(&library->handle_), "cublasLtCreate");
    if (!status.ok()) library->Fail(status).IgnoreError();
    return library;
  });
  return made.ok() ? (*made)->get() : nullptr;
}

absl::Status MatmulLibrary::Fail(const absl::Status& status) {
  has_failed_.store(true, std::memory_order_relaxed);
  WarnOnce(absl::StrCat("cublaslt ", device_.ordinal()),
           absl::StrCat("cuBLASLt on CUDA device ", device_.ordinal(), " failed: ",
                        status.message(), "; matrix products go on with emitted kernels"));
  return absl::UnavailableError(status.message());
}

absl::StatusOr<std::shared_ptr<const LibraryMatmul>> MatmulLibrary::Make(const MatmulShape& shape) {
  std::shared_ptr<LibraryMatmul> product(new LibraryMatmul(*this));
  DYNACC_RETURN_IF_ERROR(product->Describe(shape));
  bool has_algorithm = false;
  DYNACC_RETURN_IF_ERROR(product->Choose(shape, MostWorkspace(device_), has_algorithm));
  return has_algorithm ? product : nullptr;
}

std::shared_ptr<const LibraryMatmul> MatmulLibrary::Find(const MatmulShape& shape) {
  if (has_failed_.load(std::memory_order_relaxed)) return nullptr;
  absl::MutexLock lock(&mutex_);
  const auto it = products_.find(shape);
  if (it != products_.end()) return it->second;
  auto made = Make(shape);
  if (!made.ok()) {
    Fail(made.status()).IgnoreError();
    return nullptr;
  }
  if (products_.size() >= kMostProducts) products_.clear();
  return products_.emplace(shape, *std::move(made)).first->second;
}

}  // namespace dynacc::cuda
