// What the code of a simulated kernel sees of the simulator. Included by the simulator and put, as
// text, before every kernel that it compiles: plain C++ without headers.

// CUDA's functions on float and double, by their names there.
// clang-format off
#define SIM_UNARY_MATH(M)                                                                         \
  M(sqrt) M(floor) M(ceil) M(trunc) M(rint) M(fabs) M(cbrt)                                       \
  M(exp) M(exp2) M(expm1) M(log) M(log2) M(log10) M(log1p)                                        \
  M(sin) M(cos) M(tan) M(asin) M(acos) M(atan)                                                    \
  M(sinh) M(cosh) M(tanh) M(asinh) M(acosh) M(atanh)
// clang-format on
#define SIM_BINARY_MATH(M) M(fmax) M(fmin) M(copysign) M(pow) M(atan2) M(hypot) M(nextafter) M(fmod)

struct SimIndex {
  unsigned x, y, z;
};

struct SimApi {
  // Of the thread that runs.
  SimIndex thread, block, block_dim, grid_dim;

  // Checks an access to global memory and says where the simulator keeps it. Does not return for
  // an access that is wrong: the kernel ends there.
  char* (*access)(const void* pointer, unsigned long bytes, unsigned long alignment, bool writes);
  // The same of what many threads may touch at once; also pinned memory of the host.
  char* (*common)(const void* pointer, unsigned long bytes);
  // Checks an access to shared memory for races.
  void (*shared)(const void* pointer, unsigned long bytes, bool writes);
  // The shared memory that the launch asked for, at a multiple of 16.
  char* launch_shared;
  // __syncthreads.
  void (*barrier)();
  // `value` of lane `source` of the warp, once all lanes of `mask` are here.
  unsigned long long (*shuffle)(unsigned mask, unsigned long long value, int source);
  // A bit for each lane of `mask` whose predicate holds.
  unsigned (*ballot)(unsigned mask, bool predicate);

  unsigned short (*half_of_float)(float);
  unsigned short (*half_of_double)(double);
  float (*float_of_half)(unsigned short);

#define SIM_MEMBER(name)    \
  float (*name##_f)(float); \
  double (*name##_d)(double);
  SIM_UNARY_MATH(SIM_MEMBER)
#undef SIM_MEMBER
#define SIM_MEMBER(name)           \
  float (*name##_f)(float, float); \
  double (*name##_d)(double, double);
  SIM_BINARY_MATH(SIM_MEMBER)
#undef SIM_MEMBER
  float (*fma_f)(float, float, float);
  double (*fma_d)(double, double, double);
};
