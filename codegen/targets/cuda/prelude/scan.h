// The CUDA prelude, part 10: scans (a cumulative sum or product) of rows of `length` elements that
// lie `inner` elements apart, in C order throughout. What is combined with what depends on sizes
// alone. Only modules of scans ask for it.
#if defined(DYNACC_SCAN)

struct ScanOperands {
  const char* in;
  char* out;
  char* partials;  // of each row, the totals of its parts
  int64_t rows, length, inner;
  int64_t parts;  // that a row is cut into

  DYNACC_MEMBER int64_t Begin(int64_t part) const {
    const int64_t more = length % parts;
    return length / parts * part + (part < more ? part : more);
  }
};

constexpr int kScanOwn = 4;  // neighbouring elements of a thread

// The combination of a warp's values up to and with each lane's.
template <typename Reduction, typename T>
DYNACC_INLINE T ScanWarp(T value) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const T before = ShuffleFrom(value, lane < distance ? lane : lane - distance);
    if (lane >= distance) value = Reduction::Combine(before, value);
  }
  return value;
}

// The first stage: the total of each part but the last.
template <typename Reduction, typename T>
DYNACC_INLINE void ScanTotals(const ScanOperands& operands) {
  using A = Accumulator<T>;
  const int64_t part = blockIdx.y, end = operands.Begin(part + 1);
  for (int64_t row = blockIdx.x; row < operands.rows; row += gridDim.x) {
    const T* const in = reinterpret_cast<const T*>(operands.in) + row * operands.length;
    A value = Reduction::template First<A>();
    for (int64_t i = operands.Begin(part) + threadIdx.x; i < end; i += blockDim.x) {
      value = Reduction::Combine(value, static_cast<A>(ReadGlobal<T>(in + i)));
    }
    value = ReduceBlock<Reduction>(value);
    if (threadIdx.x == 0) {
      WriteGlobal(reinterpret_cast<A*>(operands.partials) + row * operands.parts + part, value);
    }
  }
}

// Elements [first, end) of a row, as many as the block takes at a time; what comes before them is
// in `carry`, and then they are, too.
template <typename Reduction, typename T, typename A>
DYNACC_INLINE void ScanStretch(const T* in, T* out, int64_t first, int64_t end, A& carry) {
  __shared__ Number memory[2 * sizeof(A)];  // 32 values of A
  A* const of_warp = reinterpret_cast<A*>(memory);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int warps = static_cast<int>(blockDim.x) / 32;
  const int64_t i = first + static_cast<int64_t>(threadIdx.x) * kScanOwn;
  A own[kScanOwn];
  for (int k = 0; k < kScanOwn; ++k) {
    own[k] = i + k < end ? static_cast<A>(ReadGlobal<T>(in + i + k))
                         : Reduction::template First<A>();
    if (k > 0) own[k] = Reduction::Combine(own[k - 1], own[k]);
  }
  const A inclusive = ScanWarp<Reduction>(own[kScanOwn - 1]);
  __syncthreads();  // the stretch before may still be read
  if (lane == 31) {
    DYNACC_SHARED_ACCESS(&of_warp[warp], sizeof(A), true);
    of_warp[warp] = inclusive;
  }
  __syncthreads();
  A before = carry;
  for (int w = 0; w < warps; ++w) {
    DYNACC_SHARED_ACCESS(&of_warp[w], sizeof(A), false);
    if (w == warp) before = carry;
    carry = Reduction::Combine(carry, of_warp[w]);
  }
  const A of_lanes = ShuffleFrom(inclusive, lane == 0 ? 0 : lane - 1);
  if (lane > 0) before = Reduction::Combine(before, of_lanes);
  for (int k = 0; k < kScanOwn; ++k) {
    if (i + k < end) WriteGlobal(out + i + k, static_cast<T>(Reduction::Combine(before, own[k])));
  }
}

// The second stage, or the only one: a block a part of a row (inner 1).
template <typename Reduction, typename T>
DYNACC_INLINE void ScanRows(const ScanOperands& operands) {
  using A = Accumulator<T>;
  const int64_t part = blockIdx.y, end = operands.Begin(part + 1);
  for (int64_t row = blockIdx.x; row < operands.rows; row += gridDim.x) {
    A carry = Reduction::template First<A>();
    if (part > 0) {
      const A* const partials = reinterpret_cast<const A*>(operands.partials) + row * operands.parts;
      for (int64_t p = threadIdx.x; p < part; p += blockDim.x) {
        carry = Reduction::Combine(carry, ReadGlobal<A>(partials + p));
      }
      carry = ReduceBlockToAll<Reduction>(carry);
    }
    const int64_t at = row * operands.length;
    for (int64_t i = operands.Begin(part); i < end;
         i += static_cast<int64_t>(blockDim.x) * kScanOwn) {
      ScanStretch<Reduction, T>(reinterpret_cast<const T*>(operands.in) + at,
                                reinterpret_cast<T*>(operands.out) + at, i, end, carry);
    }
  }
}

// A thread a row, for rows whose elements are apart: neighbouring rows lie side by side.
template <typename Reduction, typename T>
DYNACC_INLINE void ScanColumns(const ScanOperands& operands) {
  using A = Accumulator<T>;
  for (int64_t row = FirstElement(); row < operands.rows; row += ElementStride()) {
    const int64_t at = row / operands.inner * operands.length * operands.inner +
                       row % operands.inner;
    A value = Reduction::template First<A>();
    for (int64_t i = 0; i < operands.length; ++i) {
      const int64_t k = at + i * operands.inner;
      value = Reduction::Combine(
          value, static_cast<A>(ReadGlobal<T>(reinterpret_cast<const T*>(operands.in) + k)));
      WriteGlobal(reinterpret_cast<T*>(operands.out) + k, static_cast<T>(value));
    }
  }
}

#endif  // DYNACC_SCAN
