// A stand-in for cuBLASLt, by its exported names: products of matrices on a simulated device, each
// done by the stream when its turn comes. It refuses what the library refuses: descriptors that do
// not fit, addresses less aligned than was promised, another algorithm than its own, a workspace
// that is too small. DYNACC_SIM_FAIL fails any of its functions with a cublasStatus_t.
#include "runtime/cuda/cublaslt.h"

#include <cstring>

#include "runtime/tensor/element_types.h"
#include "tests/cuda_sim/faults.h"
#include "tests/cuda_sim/simulator.h"

#define SIM_EXPORT extern "C" __attribute__((visibility("default")))
#define SIM_ENTER(name) \
  if (const int fault = FaultOf(#name); fault != kSuccess) return fault

using namespace dynacc::cuda::cublaslt;  // NOLINT: the functions' signatures are written with its
                                         // names
using namespace dynacc::sim;             // NOLINT
using dynacc::Complex128;
using dynacc::Complex64;
using dynacc::Half;

namespace dynacc::cuda::cublaslt {

struct HandleOf {
  cuda::Context context = nullptr;
};

struct OperationOf {
  int compute = 0, scale = 0;
  int32_t transposed[2] = {kAsItIs, kAsItIs};
};

struct LayoutOf {
  int type = 0;
  int64_t rows = 0, columns = 0, leading = 0;
  int32_t batch = 1;
  int64_t step = 0;

  int64_t elements() const {  // from the first to the last
    return (batch - 1) * step + (columns - 1) * leading + rows;
  }
};

struct PreferenceOf {
  uint64_t workspace = 0;
  uint32_t alignment[4] = {256, 256, 256, 256};  // of A, B, C, D
};

}  // namespace dynacc::cuda::cublaslt

namespace {

constexpr uint64_t kOwnAlgorithm = 0x51c0de;
constexpr int64_t kLongSum = 100;  // from which on the algorithm wants a workspace
constexpr size_t kWorkspace = 1000;

// A sum of products; of halves in float32.
template <typename T>
struct Sum {
  T sum = {};
  void Add(T a, T b) { sum += a * b; }
  T Get() const { return sum; }
};
template <>
struct Sum<Half> {
  float sum = 0;
  void Add(Half a, Half b) { sum += ToFloat(a) * ToFloat(b); }
  Half Get() const { return dynacc::ToHalf(sum); }
};

template <typename T>
T At(const char* data, const LayoutOf& layout, bool transposed, int64_t row, int64_t column) {
  if (transposed) std::swap(row, column);
  T value;
  std::memcpy(&value, data + (column * layout.leading + row) * sizeof(T), sizeof(T));
  return value;
}

struct Product {
  OperationOf operation;
  LayoutOf a, b, d;
  uint64_t a_at, b_at, d_at;
};

template <typename T>
void MultiplyOne(const Product& product, const char* a, const char* b, char* d) {
  const bool turned_a = product.operation.transposed[0] == kTransposed;
  const bool turned_b = product.operation.transposed[1] == kTransposed;
  const int64_t depth = turned_a ? product.a.rows : product.a.columns;
  for (int64_t column = 0; column < product.d.columns; ++column) {
    for (int64_t row = 0; row < product.d.rows; ++row) {
      Sum<T> sum;
      for (int64_t k = 0; k < depth; ++k) {
        sum.Add(At<T>(a, product.a, turned_a, row, k), At<T>(b, product.b, turned_b, k, column));
      }
      const T value = sum.Get();
      std::memcpy(d + (column * product.d.leading + row) * sizeof(T), &value, sizeof(T));
    }
  }
}

template <typename T>
dynacc::cuda::Result Multiply(const Product& product) {
  Simulator& simulator = Simulator::Get();
  const auto find = [&](uint64_t at, const LayoutOf& layout) {
    return simulator.Find(at, layout.elements() * sizeof(T));
  };
  const char* const a = find(product.a_at, product.a);
  const char* const b = find(product.b_at, product.b);
  char* const d = find(product.d_at, product.d);
  if (a == nullptr || b == nullptr || d == nullptr) return dynacc::cuda::kIllegalAddress;
  for (int64_t i = 0; i < product.d.batch; ++i) {
    MultiplyOne<T>(product, a + i * product.a.step * sizeof(T), b + i * product.b.step * sizeof(T),
                   d + i * product.d.step * sizeof(T));
  }
  return dynacc::cuda::kSuccess;
}

dynacc::cuda::Result MultiplyAny(const Product& product) {
  switch (product.d.type) {
    case kReal16:
      return Multiply<Half>(product);
    case kReal32:
      return Multiply<float>(product);
    case kReal64:
      return Multiply<double>(product);
    case kComplex32:
      return Multiply<Complex64>(product);
    default:
      return Multiply<Complex128>(product);
  }
}

// The types that the library multiplies, and what it computes and scales each in.
bool AreTypesRight(const OperationOf& operation, int type) {
  constexpr int kRows[][3] = {{kReal16, kCompute32, kReal32},
                              {kReal32, kCompute32, kReal32},
                              {kReal64, kCompute64, kReal64},
                              {kComplex32, kCompute32, kComplex32},
                              {kComplex64, kCompute64, kComplex64}};
  for (const auto& [elements, compute, scale] : kRows) {
    if (type == elements) return operation.compute == compute && operation.scale == scale;
  }
  return false;
}

bool DoFit(const OperationOf& operation, const LayoutOf& a, const LayoutOf& b, const LayoutOf& d) {
  int64_t rows = a.rows, depth = a.columns, other_depth = b.rows, columns = b.columns;
  if (operation.transposed[0] == kTransposed) std::swap(rows, depth);
  if (operation.transposed[1] == kTransposed) std::swap(other_depth, columns);
  for (const LayoutOf* layout : {&a, &b, &d}) {
    if (layout->leading < layout->rows || layout->type != d.type || layout->batch != d.batch) {
      return false;
    }
  }
  return rows == d.rows && columns == d.columns && depth == other_depth && depth > 0;
}

bool IsAligned(const void* at, uint64_t alignment) {
  return reinterpret_cast<uint64_t>(at) % alignment == 0;
}

template <typename Value>
Status Set(Value& value, const void* from, size_t bytes) {
  if (bytes != sizeof(Value)) return kInvalidValue;
  std::memcpy(&value, from, bytes);
  return kSuccess;
}

}  // namespace

SIM_EXPORT size_t cublasLtGetVersion() { return 130000; }

SIM_EXPORT const char* cublasLtGetStatusName(Status status) {
  switch (status) {
    case kInvalidValue:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case kExecutionFailed:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case kNotSupported:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return nullptr;
  }
}

SIM_EXPORT Status cublasLtCreate(Handle* handle) {
  SIM_ENTER(cublasLtCreate);
  if (CurrentContext() == nullptr) return kInvalidValue;
  *handle = new HandleOf{CurrentContext()};
  return kSuccess;
}

SIM_EXPORT Status cublasLtDestroy(Handle handle) {
  SIM_ENTER(cublasLtDestroy);
  delete handle;
  return kSuccess;
}

SIM_EXPORT Status cublasLtMatmulDescCreate(Operation* operation, int compute, int scale) {
  SIM_ENTER(cublasLtMatmulDescCreate);
  *operation = new OperationOf{compute, scale};
  return kSuccess;
}

SIM_EXPORT Status cublasLtMatmulDescDestroy(Operation operation) {
  delete operation;
  return kSuccess;
}

SIM_EXPORT Status cublasLtMatmulDescSetAttribute(Operation operation, int attribute,
                                                 const void* value, size_t bytes) {
  SIM_ENTER(cublasLtMatmulDescSetAttribute);
  if (attribute != kTransposeA && attribute != kTransposeB) return kInvalidValue;
  return Set(operation->transposed[attribute - kTransposeA], value, bytes);
}

SIM_EXPORT Status cublasLtMatrixLayoutCreate(Layout* layout, int type, uint64_t rows,
                                             uint64_t columns, int64_t leading) {
  SIM_ENTER(cublasLtMatrixLayoutCreate);
  *layout = new LayoutOf{type, static_cast<int64_t>(rows), static_cast<int64_t>(columns), leading};
  return kSuccess;
}

SIM_EXPORT Status cublasLtMatrixLayoutDestroy(Layout layout) {
  delete layout;
  return kSuccess;
}

SIM_EXPORT Status cublasLtMatrixLayoutSetAttribute(Layout layout, int attribute, const void* value,
                                                   size_t bytes) {
  SIM_ENTER(cublasLtMatrixLayoutSetAttribute);
  if (attribute == kBatchCount) return Set(layout->batch, value, bytes);
  return attribute == kBatchStride ? Set(layout->step, value, bytes) : kInvalidValue;
}

SIM_EXPORT Status cublasLtMatmulPreferenceCreate(Preference* preference) {
  SIM_ENTER(cublasLtMatmulPreferenceCreate);
  *preference = new PreferenceOf;
  return kSuccess;
}

SIM_EXPORT Status cublasLtMatmulPreferenceDestroy(Preference preference) {
  delete preference;
  return kSuccess;
}

SIM_EXPORT Status cublasLtMatmulPreferenceSetAttribute(Preference preference, int attribute,
                                                       const void* value, size_t bytes) {
  SIM_ENTER(cublasLtMatmulPreferenceSetAttribute);
  if (attribute == kMaxWorkspaceBytes) return Set(preference->workspace, value, bytes);
  if (attribute < kAlignmentA || attribute > kAlignmentD) return kInvalidValue;
  return Set(preference->alignment[attribute - kAlignmentA], value, bytes);
}

// The algorithm remembers the alignments that it was chosen for, and its workspace.
SIM_EXPORT Status cublasLtMatmulAlgoGetHeuristic(Handle, Operation operation, Layout a, Layout b,
                                                 Layout c, Layout d, Preference preference,
                                                 int most, Heuristic* results, int* found) {
  SIM_ENTER(cublasLtMatmulAlgoGetHeuristic);
  *found = 0;
  if (most < 1 || !DoFit(*operation, *a, *b, *d) || c->leading != d->leading) return kInvalidValue;
  if (!AreTypesRight(*operation, d->type)) return kNotSupported;
  const int64_t depth = operation->transposed[0] == kTransposed ? a->rows : a->columns;
  Heuristic& chosen = results[0];
  chosen = {};
  chosen.workspace_bytes = depth >= kLongSum ? kWorkspace : 0;
  if (chosen.workspace_bytes > preference->workspace) return kNotSupported;
  chosen.algorithm.data[0] = kOwnAlgorithm;
  chosen.algorithm.data[1] = chosen.workspace_bytes;
  for (int i = 0; i < 4; ++i) chosen.algorithm.data[2 + i] = preference->alignment[i];
  *found = 1;
  return kSuccess;
}

SIM_EXPORT Status cublasLtMatmul(Handle handle, Operation operation, const void*, const void* a,
                                 Layout a_layout, const void* b, Layout b_layout, const void*,
                                 const void* c, Layout, void* d, Layout d_layout,
                                 const Algorithm* algorithm, void* workspace,
                                 size_t workspace_bytes, dynacc::cuda::Stream stream) {
  Simulator& simulator = Simulator::Get();
  const std::lock_guard lock(simulator.mutex);
  SIM_ENTER(cublasLtMatmul);
  if (!simulator.streams.contains(stream) || stream->context != handle->context)
    return kInvalidValue;
  if (handle->context->lost != dynacc::cuda::kSuccess) return kExecutionFailed;
  const uint64_t* const chosen = algorithm->data;
  if (chosen[0] != kOwnAlgorithm || workspace_bytes < chosen[1]) return kInvalidValue;
  if (!DoFit(*operation, *a_layout, *b_layout, *d_layout)) return kInvalidValue;
  if (!IsAligned(a, chosen[2]) || !IsAligned(b, chosen[3]) || !IsAligned(c, chosen[4]) ||
      !IsAligned(d, chosen[5]) || !IsAligned(workspace, 256)) {
    return kInvalidValue;
  }
  const auto address = [](const void* at) { return reinterpret_cast<uint64_t>(at); };
  const Product product = {*operation, *a_layout,  *b_layout, *d_layout,
                           address(a), address(b), address(d)};
  simulator.Push(stream, [&simulator, product, at = address(workspace), bytes = chosen[1]] {
    char* const scratch = bytes == 0 ? nullptr : simulator.Find(at, bytes);
    if (bytes > 0 && scratch == nullptr) return dynacc::cuda::kIllegalAddress;
    if (scratch != nullptr) std::memset(scratch, 0x5a, bytes);
    return MultiplyAny(product);
  });
  return kSuccess;
}
