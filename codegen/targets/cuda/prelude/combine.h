// The CUDA prelude, part 12: elements of an array at places that indices name, combined with values
// (np.add.at). Only modules of such kernels ask for it. A Combination is like those of
// prelude/reduce.h, or, where the order in which values come does not matter, has Atomic(at, value).
#if defined(DYNACC_COMBINE)

// In whatever order: integers, of which each combination is one atomic.
template <typename Combination, typename T, int kIndices>
DYNACC_INLINE void CombineElements(const PlacedOperands<kIndices>& operands) {
  for (int64_t i = FirstElement(); i < operands.count; i += ElementStride()) {
    Offsets<PlacedOperands<kIndices>::kIndex + kIndices> at = {};
    int64_t slot = 0;
    if (!operands.Find(i, at, slot)) continue;
    const T value = ReadGlobal<T>(operands.pointers[1] + at.of[1]);
    char* const element = operands.pointers[0] + at.of[0];
    Combination::Atomic(reinterpret_cast<T*>(DYNACC_COMMON_ACCESS(element, sizeof(T))), value);
  }
}

// In the values' order: sorted by place, and by number where the place is the same.
//
// A key is the slot of a place and the number of the indices that name it, which are below 2^32 - 1.
constexpr uint64_t kNoPlace = ~0ull;

// The keys of all places, in `claims`, and kNoPlace for indices beyond their axes and behind the last
// one, up to `padded` keys.
template <int kIndices>
DYNACC_INLINE void PlaceKeys(const PlacedOperands<kIndices>& operands, int64_t padded) {
  for (int64_t i = FirstElement(); i < padded; i += ElementStride()) {
    Offsets<PlacedOperands<kIndices>::kIndex + kIndices> at = {};
    int64_t slot = 0;
    uint64_t key = kNoPlace;
    if (i < operands.count && operands.Find(i, at, slot)) {
      key = static_cast<uint64_t>(slot) << 32 | static_cast<uint64_t>(at.of[2]);
    }
    WriteGlobal(operands.claims + 8 * i, key);
  }
}

// Bitonic sorting (K. Batcher, "Sorting networks and their applications", 1968) of a power of two of
// keys, kSortTile at least: steps that compare neighbours up to kSortTile / 2 away are done in shared
// memory, a tile a block.
constexpr int kSortTile = 512;

struct SortOperands {
  char* keys;
  int64_t count;
  int64_t run;       // the steps make sorted runs of so many keys
  int64_t distance;  // of SortStep: between keys that are compared
};

// The two keys in order: ascending in every other run.
DYNACC_INLINE void CompareKeys(uint64_t& a, uint64_t& b, bool is_descending) {
  if ((a > b) == is_descending) return;
  const uint64_t kept = a;
  a = b;
  b = kept;
}

// The first of the t-th two keys at this distance.
DYNACC_INLINE int64_t FirstOfPair(int64_t t, int64_t distance) {
  return 2 * t - (t & (distance - 1));
}

DYNACC_INLINE void SortStep(const SortOperands& operands) {
  for (int64_t t = FirstElement(); t < operands.count / 2; t += ElementStride()) {
    const int64_t i = FirstOfPair(t, operands.distance);
    char* const first = operands.keys + 8 * i;
    char* const second = first + 8 * operands.distance;
    uint64_t a = ReadGlobal<uint64_t>(first), b = ReadGlobal<uint64_t>(second);
    CompareKeys(a, b, (i & operands.run) != 0);
    WriteGlobal(first, a);
    WriteGlobal(second, b);
  }
}

// All runs up to `run` where that is a tile, else the last steps of runs of `run` keys.
DYNACC_INLINE void SortTiles(const SortOperands& operands) {
  __shared__ uint64_t tile[kSortTile];
  const int thread = static_cast<int>(threadIdx.x);
  for (int64_t base = static_cast<int64_t>(blockIdx.x) * kSortTile; base < operands.count;
       base += static_cast<int64_t>(gridDim.x) * kSortTile) {
    for (int i = thread; i < kSortTile; i += static_cast<int>(blockDim.x)) {
      DYNACC_SHARED_ACCESS(&tile[i], 8, true);
      tile[i] = ReadGlobal<uint64_t>(operands.keys + 8 * (base + i));
    }
    for (int64_t run = operands.run == kSortTile ? 2 : operands.run; run <= operands.run; run *= 2) {
      for (int64_t distance = (run < kSortTile ? run : kSortTile) / 2; distance > 0; distance /= 2) {
        __syncthreads();
        const int64_t i = FirstOfPair(thread, distance);
        DYNACC_SHARED_ACCESS(&tile[i], 8, true);
        DYNACC_SHARED_ACCESS(&tile[i + distance], 8, true);
        CompareKeys(tile[i], tile[i + distance], ((base + i) & run) != 0);
      }
    }
    __syncthreads();
    for (int i = thread; i < kSortTile; i += static_cast<int>(blockDim.x)) {
      DYNACC_SHARED_ACCESS(&tile[i], 8, false);
      WriteGlobal(operands.keys + 8 * (base + i), tile[i]);
    }
    __syncthreads();
  }
}

// Of axes, the first is the fastest.
struct SortedOperands {
  char* target;      // of the first place
  char* values;      // null: `number`
  const char* keys;  // sorted
  Number number;
  int64_t count;  // keys
  int64_t width;  // elements of a place: the product of whole_shape
  int64_t index_shape[kMaxRank], value_steps[kMaxRank];  // the axes that the indices have
  int64_t whole_shape[kMaxRank], whole_strides[kMaxRank][2];  // the target's others, and the values'
  int64_t sizes[kMaxRank], steps[kMaxRank];  // of the indexed axes, as a slot counts them
  int index_axes, whole_axes, indexed;

  DYNACC_MEMBER uint64_t Key(int64_t i) const { return ReadGlobal<uint64_t>(keys + 8 * i); }

  static DYNACC_MEMBER int64_t Along(const int64_t* shape, const int64_t* strides, int axes,
                                     int64_t index) {
    int64_t offset = 0;
    for (int axis = 0; axis < axes; ++axis) {
      offset += index % shape[axis] * strides[axis];
      index /= shape[axis];
    }
    return offset;
  }
};

// Each place's values, one after the other, by the thread that finds its first key.
template <typename Combination, typename T>
DYNACC_INLINE void CombineSorted(const SortedOperands& operands) {
  for (int64_t t = FirstElement(); t < operands.count * operands.width; t += ElementStride()) {
    int64_t i = t / operands.width;
    const uint64_t key = operands.Key(i), slot = key >> 32;
    if (key == kNoPlace || (i > 0 && operands.Key(i - 1) >> 32 == slot)) continue;
    Offsets<2> whole = {};
    AddOffsets(operands.whole_shape, operands.whole_strides, 0, operands.whole_axes,
               t % operands.width, whole);
    char* const to = operands.target + whole.of[0] +
                     operands.Along(operands.sizes, operands.steps, operands.indexed,
                                    static_cast<int64_t>(slot));
    T result = ReadGlobal<T>(to), value = operands.number.template As<T>();
    for (; i < operands.count; ++i) {
      const uint64_t next = operands.Key(i);
      if (next >> 32 != slot) break;
      if (operands.values != nullptr) {
        value = ReadGlobal<T>(operands.values + whole.of[1] +
                              operands.Along(operands.index_shape, operands.value_steps,
                                             operands.index_axes,
                                             static_cast<int64_t>(next & 0xffffffffu)));
      }
      result = Combination::Combine(result, value);
    }
    WriteGlobal(to, result);
  }
}

#endif  // DYNACC_COMBINE
