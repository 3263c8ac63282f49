// The CUDA prelude, part 11: elements of an array at places that indices name, read or written. Only
// modules of gathers and scatters ask for it.
#if defined(DYNACC_GATHER)

// Of an index: log2 of its bytes, and kSignedIndex. As NumPy, which wraps large unsigned ones around.
constexpr int kSignedIndex = 4;

DYNACC_INLINE int64_t ReadIndex(const char* at, int kind) {
  if (kind == 3 || kind == (3 | kSignedIndex)) return ReadGlobal<int64_t>(at);
  if (kind == (2 | kSignedIndex)) return ReadGlobal<int32_t>(at);
  if (kind == (1 | kSignedIndex)) return ReadGlobal<int16_t>(at);
  if (kind == kSignedIndex) return ReadGlobal<int8_t>(at);
  if (kind == 2) return ReadGlobal<uint32_t>(at);
  return kind == 1 ? ReadGlobal<uint16_t>(at) : ReadGlobal<uint8_t>(at);
}

// Walks over the elements that are moved, axis 0 the fastest.
template <int kIndices>
struct PlacedOperands {
  // The array with the indexed axes, at the first element of those; the array without them; the
  // claims (no memory, the strides count places); the indices.
  static constexpr int kIndex = 3;
  char* pointers[kIndex + kIndices];
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank][kIndex + kIndices];
  int64_t sizes[kIndices];   // of the indexed axes
  int64_t steps[kIndices];   // from one element along such an axis to the next
  int64_t slots[kIndices];   // the same of the table of claims
  char* claims;              // null: nobody asks
  char* beyond;              // a word that says that an index was beyond its axis
  int64_t count;             // elements
  int kinds[kIndices];       // of the indices
  int rank;

  // Byte offsets of element i, and the slot of its claim. False: an index is beyond its axis.
  DYNACC_MEMBER bool Find(int64_t i, Offsets<kIndex + kIndices>& at, int64_t& slot) const {
    if (count <= 0x7fffffff) {
      AddOffsets(shape, strides, 0, rank, static_cast<uint32_t>(i), at);
    } else {
      AddOffsets(shape, strides, 0, rank, static_cast<uint64_t>(i), at);
    }
    bool fits = true;
    for (int k = 0; k < kIndices; ++k) {
      int64_t index = ReadIndex(pointers[kIndex + k] + at.of[kIndex + k], kinds[k]);
      if (index < 0) index += sizes[k];
      fits = fits && index >= 0 && index < sizes[k];
      at.of[0] += index * steps[k];
      slot += index * slots[k];
    }
    if (!fits) *reinterpret_cast<volatile uint32_t*>(DYNACC_COMMON_ACCESS(beyond, 4)) = 1;
    return fits;
  }
};

// The elements themselves; zeros where an index is beyond its axis.
template <typename T, int kIndices>
DYNACC_INLINE void GatherElements(const PlacedOperands<kIndices>& operands) {
  for (int64_t i = FirstElement(); i < operands.count; i += ElementStride()) {
    Offsets<PlacedOperands<kIndices>::kIndex + kIndices> at = {};
    int64_t slot = 0;
    T element = {};
    if (operands.Find(i, at, slot)) element = ReadGlobal<T>(operands.pointers[0] + at.of[0]);
    WriteGlobal(operands.pointers[1] + at.of[1], element);
  }
}

// The first stage of a write: for each place the number, from 1, of the last element that goes
// there. Goes over the indices alone.
template <int kIndices>
DYNACC_INLINE void ClaimPlaces(const PlacedOperands<kIndices>& operands) {
  for (int64_t i = FirstElement(); i < operands.count; i += ElementStride()) {
    Offsets<PlacedOperands<kIndices>::kIndex + kIndices> at = {};
    int64_t slot = 0;
    if (!operands.Find(i, at, slot)) continue;
    char* const claim = operands.claims + 8 * slot;
    atomicMax(reinterpret_cast<unsigned long long*>(DYNACC_COMMON_ACCESS(claim, 8)),
              static_cast<unsigned long long>(at.of[2]) + 1);
  }
}

// The second stage: who has claimed a place writes there.
template <typename T, int kIndices>
DYNACC_INLINE void ScatterElements(const PlacedOperands<kIndices>& operands) {
  for (int64_t i = FirstElement(); i < operands.count; i += ElementStride()) {
    Offsets<PlacedOperands<kIndices>::kIndex + kIndices> at = {};
    int64_t slot = 0;
    if (!operands.Find(i, at, slot)) continue;
    if (ReadGlobal<int64_t>(operands.claims + 8 * slot) != at.of[2] + 1) continue;
    WriteGlobal(operands.pointers[0] + at.of[0], ReadGlobal<T>(operands.pointers[1] + at.of[1]));
  }
}

#endif  // DYNACC_GATHER
