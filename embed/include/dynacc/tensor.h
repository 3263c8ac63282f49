// Arrays that cross between the host and Python, neither way with a copy.
//
//   TensorView   the host's memory, lent for a call
//   Tensor       memory with an owner: an array that Python returned, or a buffer that the host
//                gives away together with the function that frees it
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "dynacc/export.h"

namespace dynacc {

// Of the library itself.
class TensorAccess;

inline namespace v0 {

// Element types. The names are NumPy's; the numbers are part of the ABI (dynacc.h has the same).
enum class ElementType : int32_t {
  kBool = 0,
  kInt8 = 1,
  kUint8 = 2,
  kInt16 = 3,
  kUint16 = 4,
  kInt32 = 5,
  kUint32 = 6,
  kInt64 = 7,
  kUint64 = 8,
  kFloat16 = 9,
  kFloat32 = 10,
  kFloat64 = 11,
  kComplex64 = 12,
  kComplex128 = 13,
  kBfloat16 = 14,  // this and the next ones NumPy lacks: Python sees a dynacc.Tensor
  kFloat8E4m3fn = 15,
  kFloat8E5m2 = 16,
};

// Bytes of one element; 0 for a number that names no type.
DYNACC_EXPORT int64_t ElementSize(ElementType type);

// A strided block of memory. As an argument it is the host's memory, which Python sees without a
// copy as a NumPy array, or as a dynacc.Tensor if it is in a GPU's memory or NumPy lacks its
// elements: it must stay valid until the call returns, and longer if Python code keeps the array
// (then use Tensor::Adopt).
//
// Memory of a GPU: the host's own work that writes it must be done before the call, and all work of
// the call on it is done when the call returns.
struct DYNACC_EXPORT TensorView {
  void* data = nullptr;  // the element with every index 0; may be null if there is no element
  ElementType type = ElementType::kFloat64;
  std::vector<int64_t> shape;    // elements along each axis, none negative; empty: one element
  std::vector<int64_t> strides;  // bytes from one element to the next along each axis, negative
                                 // ones too; empty: contiguous, the last axis fastest
  bool writable = true;          // false: Python code that writes to it gets a ValueError
  int device = 0;                // 0: host memory; n: `data` is an address of CUDA device n - 1

  // Contiguous host memory of that shape, from `data` on; read-only if `data` is const.
  static TensorView Of(float* data, std::vector<int64_t> shape) {
    return {data, ElementType::kFloat32, std::move(shape), {}, true};
  }
  static TensorView Of(double* data, std::vector<int64_t> shape) {
    return {data, ElementType::kFloat64, std::move(shape), {}, true};
  }
  static TensorView Of(const float* data, std::vector<int64_t> shape) {
    return {const_cast<float*>(data), ElementType::kFloat32, std::move(shape), {}, false};
  }
  static TensorView Of(const double* data, std::vector<int64_t> shape) {
    return {const_cast<double*>(data), ElementType::kFloat64, std::move(shape), {}, false};
  }
};

// Memory with an owner. Copies share it; the last one to go, here or in Python, releases it, from
// whichever thread that is. `strides()` is always filled in.
class DYNACC_EXPORT Tensor {
 public:
  Tensor() = default;  // no memory: the host makes real ones by Adopt

  // Makes a Tensor of the host's buffer: `release` is called once, when neither the host nor Python
  // refers to it any more. It may be called on any thread, with or without the GIL held, and must
  // not call into this library.
  static Tensor Adopt(TensorView view, std::function<void()> release);

  void* data() const { return view_.data; }
  ElementType type() const { return view_.type; }
  const std::vector<int64_t>& shape() const { return view_.shape; }
  const std::vector<int64_t>& strides() const { return view_.strides; }  // in bytes
  bool writable() const { return view_.writable; }
  int device() const { return view_.device; }  // 0: host memory; n: CUDA device n - 1
  const TensorView& view() const { return view_; }

 private:
  friend class dynacc::TensorAccess;
  TensorView view_;
  std::shared_ptr<void> owner_;
};

}  // namespace v0
}  // namespace dynacc
