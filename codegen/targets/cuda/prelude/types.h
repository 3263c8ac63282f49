// The prelude of emitted CUDA kernels, part 1: types and operands. Compiled by NVRTC, which has no
// standard headers.
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;

#define DYNACC_INLINE static __device__ __forceinline__
#define DYNACC_MEMBER __device__ __forceinline__

// Pointers and byte strides of a kernel's operands, inputs then outputs; passed by value.
template <int kCount>
struct Operands {
  char* pointers[kCount];
  int64_t strides[kCount];

  template <typename T>
  __device__ __forceinline__ T Load(int k, int64_t i) const {
    return *reinterpret_cast<const T*>(pointers[k] + i * strides[k]);
  }
  template <typename T>
  __device__ __forceinline__ void Store(int k, int64_t i, T value) const {
    *reinterpret_cast<T*>(pointers[k] + i * strides[k]) = value;
  }
};

DYNACC_INLINE int64_t FirstElement() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
DYNACC_INLINE int64_t ElementStride() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

// Of an element type: its kind, and the unsigned integer in which its arithmetic wraps around
// without undefined behaviour (at least 32 bits, so that products of short types fit).
template <typename T>
struct Traits;
#define DYNACC_ELEMENT(T, is_float, is_signed, wide)    \
  template <>                                           \
  struct Traits<T> {                                    \
    static constexpr bool kIsFloat = is_float;          \
    static constexpr bool kIsSigned = is_signed;        \
    using Wide = wide;                                  \
  };
DYNACC_ELEMENT(bool, false, false, uint32_t)
DYNACC_ELEMENT(int8_t, false, true, uint32_t)
DYNACC_ELEMENT(int16_t, false, true, uint32_t)
DYNACC_ELEMENT(int32_t, false, true, uint32_t)
DYNACC_ELEMENT(int64_t, false, true, uint64_t)
DYNACC_ELEMENT(uint8_t, false, false, uint32_t)
DYNACC_ELEMENT(uint16_t, false, false, uint32_t)
DYNACC_ELEMENT(uint32_t, false, false, uint32_t)
DYNACC_ELEMENT(uint64_t, false, false, uint64_t)
DYNACC_ELEMENT(float, true, true, float)
DYNACC_ELEMENT(double, true, true, double)

template <typename T>
constexpr bool kIsComplex = false;
template <typename A, typename B>
constexpr bool kSameType = false;
template <typename A>
constexpr bool kSameType<A, A> = true;
