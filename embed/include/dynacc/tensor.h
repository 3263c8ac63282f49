// Arrays that cross between the host and Python, neither way with a copy.
//
//   TensorView   the host's memory, lent for a call
//   Tensor       memory with an owner: an array that Python returned, or a buffer that the host
//                gives away together with the function that frees it
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
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

// The C++ types that are elements: bool, integers (char and its like are none), float, double and
// std::complex of these. The other ElementTypes have no type in C++20.
template <typename T>
concept Element = std::same_as<T, bool> || std::same_as<T, float> || std::same_as<T, double> ||
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>> ||
    ((std::signed_integral<T> || std::unsigned_integral<T>)&&!std::same_as<T, char> &&
     !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> && !std::same_as<T, char16_t> &&
     !std::same_as<T, char32_t> && sizeof(T) <= 8);

// The ElementType of a C++ type, such as kElementTypeOf<int32_t>.
template <Element T>
inline constexpr ElementType kElementTypeOf = [] {
  if (std::same_as<T, bool>) return ElementType::kBool;
  if (std::same_as<T, float>) return ElementType::kFloat32;
  if (std::same_as<T, double>) return ElementType::kFloat64;
  if (std::same_as<T, std::complex<float>>) return ElementType::kComplex64;
  if (std::same_as<T, std::complex<double>>) return ElementType::kComplex128;
  if (sizeof(T) == 1) return std::is_signed_v<T> ? ElementType::kInt8 : ElementType::kUint8;
  if (sizeof(T) == 2) return std::is_signed_v<T> ? ElementType::kInt16 : ElementType::kUint16;
  if (sizeof(T) == 4) return std::is_signed_v<T> ? ElementType::kInt32 : ElementType::kUint32;
  return std::is_signed_v<T> ? ElementType::kInt64 : ElementType::kUint64;
}();

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
  template <typename T>
  requires Element<std::remove_const_t<T>>
  static TensorView Of(T* data, std::vector<int64_t> shape) {
    using Plain = std::remove_const_t<T>;
    return {
        const_cast<Plain*>(data), kElementTypeOf<Plain>, std::move(shape), {}, !std::is_const_v<T>};
  }
  // The same of elements that are named by their number: float16 and others without a C++ type.
  static TensorView Of(ElementType type, void* data, std::vector<int64_t> shape) {
    return {data, type, std::move(shape), {}, true};
  }
  static TensorView Of(ElementType type, const void* data, std::vector<int64_t> shape) {
    return {const_cast<void*>(data), type, std::move(shape), {}, false};
  }
  // Elements in a row: an array of one axis.
  template <typename T, size_t Extent>
  requires Element<std::remove_const_t<T>>
  static TensorView Of(std::span<T, Extent> elements) {
    return Of(elements.data(), {static_cast<int64_t>(elements.size())});
  }
  template <typename T>
  requires Element<std::remove_const_t<T>>
  static TensorView Of(absl::Span<T> elements) {
    return Of(elements.data(), {static_cast<int64_t>(elements.size())});
  }
};

// Memory with an owner. Copies share it; the last one to go, here or in Python, releases it, from
// whichever thread that is. `strides()` is always filled in.
class DYNACC_EXPORT Tensor {
 public:
  Tensor() = default;  // no memory: the host makes real ones by Adopt

  // Makes a Tensor of the host's buffer: `release` is called once, when neither the host nor Python
  // refers to it any more. It may be called on any thread, with or without the GIL held, and must
  // not call into this library. An empty `release` is none: the memory is the host's, and must be
  // valid for as long as anyone refers to it.
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
