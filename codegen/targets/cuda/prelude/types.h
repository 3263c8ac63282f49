// The prelude of emitted CUDA kernels, part 1: types and operands. Compiled by NVRTC, which has no
// standard headers. What the host fills in is declared there too: runtime/cuda/kernel_parameters.h.
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

// Every access to memory goes through these two, where the simulated device (tests/cuda_sim) looks.
#if !defined(DYNACC_ACCESS)
#define DYNACC_ACCESS(pointer, bytes, alignment, writes) (pointer)
#define DYNACC_SHARED_ACCESS(pointer, bytes, writes)
// Of what many threads may touch at once, by atomics or by writing the same.
#define DYNACC_COMMON_ACCESS(pointer, bytes) (pointer)
// The shared memory that a launch asks for, as an array of Numbers.
#define DYNACC_LAUNCH_SHARED(name) extern __shared__ Number name[]
#endif

template <typename T>
DYNACC_INLINE T ReadGlobal(const void* pointer) {
  return *reinterpret_cast<const T*>(DYNACC_ACCESS(pointer, sizeof(T), alignof(T), false));
}
template <typename T>
DYNACC_INLINE void WriteGlobal(void* pointer, const T& value) {
  *reinterpret_cast<T*>(DYNACC_ACCESS(pointer, sizeof(T), alignof(T), true)) = value;
}

// kLanes neighbouring elements, moved by one instruction of up to 128 bits.
template <typename T, int kLanes>
struct alignas(sizeof(T) * kLanes) Vector {
  T lanes[kLanes];
  DYNACC_MEMBER T& operator[](int lane) { return lanes[lane]; }
  DYNACC_MEMBER const T& operator[](int lane) const { return lanes[lane]; }
};

// One number, whatever its type, as a kernel's parameter.
struct alignas(16) Number {
  char bytes[16];

  template <typename T>
  DYNACC_MEMBER T As() const {
    return *reinterpret_cast<const T*>(bytes);
  }
};

// Where a kernel's operands are, inputs then outputs, all of n elements in the same order without
// gaps, or one number: in memory (stride 0), or in `numbers` (stride 0 and no pointer).
template <int kCount>
struct Operands {
  char* pointers[kCount];
  int64_t strides[kCount];  // the item size or 0
  Number numbers[kCount];

  // Elements i to i + kLanes of operand k, as far as there are so many.
  template <typename T, int kLanes>
  DYNACC_MEMBER Vector<T, kLanes> Load(int k, int64_t i, int64_t n) const {
    Vector<T, kLanes> vector = {};
    if (strides[k] == 0) {
      const T number = pointers[k] == nullptr ? numbers[k].template As<T>()
                                              : ReadGlobal<T>(pointers[k]);
      for (int lane = 0; lane < kLanes; ++lane) vector[lane] = number;
      return vector;
    }
    const T* const from = reinterpret_cast<const T*>(pointers[k]) + i;
    if (IsWhole<T, kLanes>(from, i, n)) return ReadGlobal<Vector<T, kLanes>>(from);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (i + lane < n) vector[lane] = ReadGlobal<T>(from + lane);
    }
    return vector;
  }
  template <typename T, int kLanes>
  DYNACC_MEMBER void Store(int k, int64_t i, int64_t n, const Vector<T, kLanes>& vector) const {
    T* const to = reinterpret_cast<T*>(pointers[k]) + i;
    if (IsWhole<T, kLanes>(to, i, n)) return WriteGlobal(to, vector);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (i + lane < n) WriteGlobal(to + lane, vector[lane]);
    }
  }

 private:
  template <typename T, int kLanes>
  static DYNACC_MEMBER bool IsWhole(const T* at, int64_t i, int64_t n) {
    return i + kLanes <= n && reinterpret_cast<uint64_t>(at) % sizeof(Vector<T, kLanes>) == 0;
  }
};

constexpr int kMaxRank = 8;

// Byte offsets of one element in each of a kernel's operands.
template <int kCount>
struct Offsets {
  int64_t of[kCount];
};

// Adds the offsets of element `index` of the axes [from, to), the first of which is the fastest.
template <typename Index, int kCount>
DYNACC_INLINE void AddOffsets(const int64_t* shape, const int64_t (*strides)[kCount], int from,
                              int to, Index index, Offsets<kCount>& offsets) {
  for (int axis = from; axis < to; ++axis) {
    const Index size = static_cast<Index>(shape[axis]);
    const Index at = axis + 1 == to ? index : index % size;
    index = index / size;
    for (int k = 0; k < kCount; ++k) offsets.of[k] += static_cast<int64_t>(at) * strides[axis][k];
  }
}

// Operands with strides of their own along up to kMaxRank axes, axis 0 the fastest.
template <int kCount>
struct NdOperands {
  char* pointers[kCount];  // null: a number, in `numbers`
  Number numbers[kCount];
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank][kCount];
  int rank;

  DYNACC_MEMBER Offsets<kCount> At(int64_t i, int64_t n) const {
    Offsets<kCount> offsets = {};
    if (n <= 0x7fffffff) {
      AddOffsets(shape, strides, 0, rank, static_cast<uint32_t>(i), offsets);
    } else {
      AddOffsets(shape, strides, 0, rank, static_cast<uint64_t>(i), offsets);
    }
    return offsets;
  }
  template <typename T>
  DYNACC_MEMBER T Load(int k, const Offsets<kCount>& at) const {
    return pointers[k] == nullptr ? numbers[k].template As<T>()
                                  : ReadGlobal<T>(pointers[k] + at.of[k]);
  }
  template <typename T>
  DYNACC_MEMBER void Store(int k, const Offsets<kCount>& at, const T& value) const {
    WriteGlobal(pointers[k] + at.of[k], value);
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
