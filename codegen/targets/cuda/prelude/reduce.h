// The CUDA prelude, part 6: reductions. The order in which elements are combined depends on sizes
// alone, so that a program gives the same bits on every device and in every run.

// The least and the greatest element, which maximum and minimum start with.
template <typename T>
DYNACC_INLINE T Lowest() {
  if constexpr (kIsComplex<T>) return T(Lowest<decltype(T::re)>(), Lowest<decltype(T::re)>());
  else if constexpr (Traits<T>::kIsFloat) return T(-__int_as_float(0x7f800000));
  else if constexpr (Traits<T>::kIsSigned) return static_cast<T>(1ull << (8 * sizeof(T) - 1));
  else return T(0);
}
template <typename T>
DYNACC_INLINE T Highest() {
  if constexpr (kIsComplex<T>) return T(Highest<decltype(T::re)>(), Highest<decltype(T::re)>());
  else if constexpr (Traits<T>::kIsFloat) return T(__int_as_float(0x7f800000));
  else if constexpr (kSameType<T, bool>) return true;
  else return static_cast<T>(~Lowest<T>());
}

#define DYNACC_REDUCTION(Name, first, combination)                             \
  struct Name {                                                                \
    template <typename T>                                                      \
    static DYNACC_MEMBER T First() { return first; }                           \
    template <typename T>                                                      \
    static DYNACC_MEMBER T Combine(const T& a, const T& b) { return combination; } \
  };
DYNACC_REDUCTION(ReduceSum, T(0), Add(a, b))
DYNACC_REDUCTION(ReduceProd, T(1), Multiply(a, b))
DYNACC_REDUCTION(ReduceMax, Lowest<T>(), Maximum(a, b))
DYNACC_REDUCTION(ReduceMin, Highest<T>(), Minimum(a, b))
DYNACC_REDUCTION(ReduceAny, T(0), a | b)
DYNACC_REDUCTION(ReduceAll, T(1), a & b)

// What a reduction computes with: halves are combined as floats.
template <typename T>
struct AccumulatorOf { using Type = T; };
#if defined(DYNACC_HALF)
template <>
struct AccumulatorOf<Half> { using Type = float; };
#endif
template <typename T>
using Accumulator = typename AccumulatorOf<T>::Type;

// A value of any type from the lane `distance` further up; lanes at the end keep their own.
template <typename T>
DYNACC_INLINE T ShuffleDown(const T& value, int distance) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  uint32_t words[kWords] = {};
  memcpy(words, &value, sizeof(T));
  for (int i = 0; i < kWords; ++i) words[i] = __shfl_down_sync(0xffffffffu, words[i], distance);
  T result;
  memcpy(&result, words, sizeof(T));
  return result;
}

// The combination of a warp's values, in lane 0.
template <typename Reduction, typename T>
DYNACC_INLINE T ReduceWarp(T value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value = Reduction::Combine(value, ShuffleDown(value, distance));
  }
  return value;
}

// The combination of a block's values, in thread 0. The block's size is a multiple of 32.
template <typename Reduction, typename T>
DYNACC_INLINE T ReduceBlock(T value) {
  value = ReduceWarp<Reduction>(value);
  const int warps = static_cast<int>(blockDim.x) / 32;
  if (warps == 1) return value;
  __shared__ Number memory[2 * sizeof(T)];  // 32 values of T
  T* const of_warp = reinterpret_cast<T*>(memory);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  __syncthreads();  // the block's reduction before may still be read
  if (lane == 0) {
    DYNACC_SHARED_ACCESS(&of_warp[warp], sizeof(T), true);
    of_warp[warp] = value;
  }
  __syncthreads();
  value = Reduction::template First<T>();
  if (warp == 0) {
    if (lane < warps) {
      DYNACC_SHARED_ACCESS(&of_warp[lane], sizeof(T), false);
      value = of_warp[lane];
    }
    value = ReduceWarp<Reduction>(value);
  }
  return value;
}

// A reduction's inputs and, last, its result, with strides along the kept axes, then the reduced
// ones; of each kind the first is the fastest. The reduced elements of a row may be cut into parts,
// whose results are put into `partials`, part by part.
template <int kCount>
struct ReduceOperands {
  char* pointers[kCount];  // null: a number, in `numbers`
  Number numbers[kCount];
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank][kCount];
  int kept_axes, axes;
  int64_t rows;    // results: the product of the kept axes
  int64_t length;  // elements of each: the product of the reduced axes
  int64_t parts;
  char* partials;

  template <typename T>
  DYNACC_MEMBER T Load(int k, const Offsets<kCount>& at) const {
    return pointers[k] == nullptr ? numbers[k].template As<T>()
                                  : ReadGlobal<T>(pointers[k] + at.of[k]);
  }
  DYNACC_MEMBER Offsets<kCount> RowAt(int64_t row) const {
    Offsets<kCount> offsets = {};
    AddOffsets(shape, strides, 0, kept_axes, static_cast<uint64_t>(row), offsets);
    return offsets;
  }
  DYNACC_MEMBER Offsets<kCount> At(const Offsets<kCount>& row, int64_t i) const {
    Offsets<kCount> offsets = row;
    if (axes == kept_axes + 1) {  // no division
      for (int k = 0; k < kCount; ++k) offsets.of[k] += i * strides[kept_axes][k];
    } else if (length <= 0x7fffffff) {
      AddOffsets(shape, strides, kept_axes, axes, static_cast<uint32_t>(i), offsets);
    } else {
      AddOffsets(shape, strides, kept_axes, axes, static_cast<uint64_t>(i), offsets);
    }
    return offsets;
  }
  DYNACC_MEMBER int64_t Begin(int64_t part) const { return length / parts * part + Lesser(part, length % parts); }

  template <typename T>
  DYNACC_MEMBER void Store(int64_t row, const Accumulator<T>& value) const {
    if (parts > 1) {
      using A = Accumulator<T>;
      WriteGlobal(reinterpret_cast<A*>(partials) + (blockIdx.y * rows + row), value);
    } else {
      WriteGlobal(pointers[kCount - 1] + RowAt(row).of[kCount - 1], static_cast<T>(value));
    }
  }

 private:
  static DYNACC_MEMBER int64_t Lesser(int64_t a, int64_t b) { return a < b ? a : b; }
};

// A block a row: for rows whose elements lie side by side. element(operands, offsets) gives one.
template <typename Reduction, typename T, int kCount, typename Element>
DYNACC_INLINE void ReduceRows(const ReduceOperands<kCount>& operands, Element element) {
  using A = Accumulator<T>;
  const int64_t end = operands.Begin(blockIdx.y + 1);
  for (int64_t row = blockIdx.x; row < operands.rows; row += gridDim.x) {
    const Offsets<kCount> at = operands.RowAt(row);
    A value = Reduction::template First<A>();
    for (int64_t i = operands.Begin(blockIdx.y) + threadIdx.x; i < end; i += blockDim.x) {
      value = Reduction::Combine(value, static_cast<A>(element(operands, operands.At(at, i))));
    }
    value = ReduceBlock<Reduction>(value);
    if (threadIdx.x == 0) operands.template Store<T>(row, value);
  }
}

// A thread a row: for rows that lie side by side.
template <typename Reduction, typename T, int kCount, typename Element>
DYNACC_INLINE void ReduceColumns(const ReduceOperands<kCount>& operands, Element element) {
  using A = Accumulator<T>;
  const int64_t end = operands.Begin(blockIdx.y + 1);
  for (int64_t row = FirstElement(); row < operands.rows; row += ElementStride()) {
    const Offsets<kCount> at = operands.RowAt(row);
    A value = Reduction::template First<A>();
    for (int64_t i = operands.Begin(blockIdx.y); i < end; ++i) {
      value = Reduction::Combine(value, static_cast<A>(element(operands, operands.At(at, i))));
    }
    operands.template Store<T>(row, value);
  }
}

// The second stage: a block a row combines the row's parts.
template <typename Reduction, typename T, int kCount>
DYNACC_INLINE void CombineParts(const ReduceOperands<kCount>& operands) {
  using A = Accumulator<T>;
  const A* const partials = reinterpret_cast<const A*>(operands.partials);
  for (int64_t row = blockIdx.x; row < operands.rows; row += gridDim.x) {
    A value = Reduction::template First<A>();
    for (int64_t part = threadIdx.x; part < operands.parts; part += blockDim.x) {
      value = Reduction::Combine(value, ReadGlobal<A>(partials + (part * operands.rows + row)));
    }
    value = ReduceBlock<Reduction>(value);
    if (threadIdx.x == 0) {
      WriteGlobal(operands.pointers[kCount - 1] + operands.RowAt(row).of[kCount - 1],
                  static_cast<T>(value));
    }
  }
}
