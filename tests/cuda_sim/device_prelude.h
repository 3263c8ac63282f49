// CUDA C++ on a CPU: what NVRTC has built in, for kernels that the simulator compiles with Clang.
// Put, as text, after sim_api.h and before the emitted source.
#define DYNACC_SIMULATED
#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __restrict__

extern "C" {
struct SimApi* dynacc_sim_api;
void dynacc_sim_start(struct SimApi* api) { dynacc_sim_api = api; }
}

#define threadIdx (dynacc_sim_api->thread)
#define blockIdx (dynacc_sim_api->block)
#define blockDim (dynacc_sim_api->block_dim)
#define gridDim (dynacc_sim_api->grid_dim)
#define warpSize 32
#define memcpy __builtin_memcpy

#define DYNACC_ACCESS(pointer, bytes, alignment, writes) \
  (dynacc_sim_api->access(pointer, bytes, alignment, writes))
#define DYNACC_COMMON_ACCESS(pointer, bytes) (dynacc_sim_api->common(pointer, bytes))
#define DYNACC_SHARED_ACCESS(pointer, bytes, writes) \
  (dynacc_sim_api->shared(pointer, bytes, writes))
#define DYNACC_LAUNCH_SHARED(name) \
  Number* const name = reinterpret_cast<Number*>(dynacc_sim_api->launch_shared)

#define SIM_INLINE static __forceinline__

SIM_INLINE void __syncthreads() { dynacc_sim_api->barrier(); }
SIM_INLINE unsigned __ballot_sync(unsigned mask, int predicate) {
  return dynacc_sim_api->ballot(mask, predicate != 0);
}
SIM_INLINE void __syncwarp(unsigned mask = 0xffffffffu) { __ballot_sync(mask, 0); }
SIM_INLINE int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
SIM_INLINE int __all_sync(unsigned mask, int predicate) {
  return (__ballot_sync(mask, predicate) & mask) == mask;
}
SIM_INLINE int SimLane() {
  return (int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32);
}
// Past the end of the warp a thread keeps its own value.
SIM_INLINE unsigned __shfl_down_sync(unsigned mask, unsigned value, unsigned delta) {
  const int source = SimLane() + (int)delta;
  return (unsigned)dynacc_sim_api->shuffle(mask, value, source > 31 ? SimLane() : source);
}
SIM_INLINE unsigned __shfl_xor_sync(unsigned mask, unsigned value, int lanes) {
  return (unsigned)dynacc_sim_api->shuffle(mask, value, SimLane() ^ lanes);
}
SIM_INLINE unsigned __shfl_sync(unsigned mask, unsigned value, int source) {
  return (unsigned)dynacc_sim_api->shuffle(mask, value, source & 31);
}

// One thread runs at a time.
template <typename T>
SIM_INLINE T SimExchange(T* at, T value) {
  const T before = *at;
  *at = value;
  return before;
}
#define SIM_ATOMICS(T)                                                                          \
  SIM_INLINE T atomicMax(T* at, T value) { return SimExchange(at, value > *at ? value : *at); } \
  SIM_INLINE T atomicMin(T* at, T value) { return SimExchange(at, value < *at ? value : *at); }
#define SIM_UNSIGNED_ATOMICS(T)                                                   \
  SIM_ATOMICS(T)                                                                  \
  SIM_INLINE T atomicAdd(T* at, T value) { return SimExchange(at, *at + value); } \
  SIM_INLINE T atomicAnd(T* at, T value) { return SimExchange(at, *at & value); } \
  SIM_INLINE T atomicOr(T* at, T value) { return SimExchange(at, *at | value); }  \
  SIM_INLINE T atomicXor(T* at, T value) { return SimExchange(at, *at ^ value); }
SIM_ATOMICS(int)
SIM_ATOMICS(long long)
SIM_UNSIGNED_ATOMICS(unsigned)
SIM_UNSIGNED_ATOMICS(unsigned long long)

#define SIM_DEFINE(name)                                                 \
  SIM_INLINE float name(float a) { return dynacc_sim_api->name##_f(a); } \
  SIM_INLINE double name(double a) { return dynacc_sim_api->name##_d(a); }
SIM_UNARY_MATH(SIM_DEFINE)
#undef SIM_DEFINE
#define SIM_DEFINE(name)                                                             \
  SIM_INLINE float name(float a, float b) { return dynacc_sim_api->name##_f(a, b); } \
  SIM_INLINE double name(double a, double b) { return dynacc_sim_api->name##_d(a, b); }
SIM_BINARY_MATH(SIM_DEFINE)
#undef SIM_DEFINE
SIM_INLINE float nextafterf(float a, float b) { return nextafter(a, b); }
SIM_INLINE float copysignf(float a, float b) { return copysign(a, b); }
SIM_INLINE float fma(float a, float b, float c) { return dynacc_sim_api->fma_f(a, b, c); }
SIM_INLINE double fma(double a, double b, double c) { return dynacc_sim_api->fma_d(a, b, c); }
SIM_INLINE float fmaf(float a, float b, float c) { return fma(a, b, c); }
SIM_INLINE bool isinf(float a) { return __builtin_isinf(a); }
SIM_INLINE bool isinf(double a) { return __builtin_isinf(a); }
SIM_INLINE bool isnan(float a) { return a != a; }
SIM_INLINE bool isnan(double a) { return a != a; }
SIM_INLINE bool isfinite(float a) { return __builtin_isfinite(a); }
SIM_INLINE bool isfinite(double a) { return __builtin_isfinite(a); }
SIM_INLINE bool signbit(float a) { return __builtin_signbit(a); }
SIM_INLINE bool signbit(double a) { return __builtin_signbit(a); }
SIM_INLINE float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
SIM_INLINE double __longlong_as_double(long long bits) { return __builtin_bit_cast(double, bits); }

SIM_INLINE unsigned short SimHalf(float value) { return dynacc_sim_api->half_of_float(value); }
SIM_INLINE unsigned short SimHalf(double value) { return dynacc_sim_api->half_of_double(value); }
SIM_INLINE float SimFloat(unsigned short bits) { return dynacc_sim_api->float_of_half(bits); }

// Calls a kernel with its parameters as cuLaunchKernel gets them: a pointer to each.
template <unsigned long... kIndices>
struct SimIndices {};
template <unsigned long kCount, unsigned long... kIndices>
struct SimCount : SimCount<kCount - 1, kCount - 1, kIndices...> {};
template <unsigned long... kIndices>
struct SimCount<0, kIndices...> {
  using Type = SimIndices<kIndices...>;
};
template <typename T>
struct SimPlain {
  using Type = T;
};
template <typename T>
struct SimPlain<const T> {
  using Type = T;
};

template <typename... Parameters, unsigned long... kIndices>
SIM_INLINE void SimCallWith(void (*kernel)(Parameters...), void** arguments,
                            SimIndices<kIndices...>) {
  kernel(*static_cast<typename SimPlain<Parameters>::Type*>(arguments[kIndices])...);
}
template <typename... Parameters>
SIM_INLINE void SimCall(void (*kernel)(Parameters...), void** arguments) {
  SimCallWith(kernel, arguments, typename SimCount<sizeof...(Parameters)>::Type());
}

// The sizes of a kernel's parameters; returns how many it has.
template <typename... Parameters>
SIM_INLINE unsigned long SimSizes(void (*)(Parameters...), unsigned long* sizes) {
  unsigned long count = 0;
  ((sizes[count++] = sizeof(Parameters)), ...);
  return count;
}
