// The CUDA prelude, part 9: elementwise kernels for operands whose neighbours lie along different
// axes (a transpose), and for rolled ones.

constexpr int kTileSide = 32;
constexpr int kTileLines = 8;  // of 32 threads

// Where a block's tile of 32 by 32 elements is: byte offsets of its first element, and how many
// elements of it there are along axes 0 and 1.
template <int kCount>
struct TilePlace {
  Offsets<kCount> at;
  int across, down;
};

// As NdOperands. Axis 0 is that of neighbours for most operands, axis 1 for those that are turned:
// these are read along axis 1 into the launch's shared memory and from there along axis 0. A line
// of a tile has 33 places there, so that neither way meets a bank twice.
template <int kCount>
struct TileOperands {
  char* pointers[kCount];  // null: a number, in `numbers`
  Number numbers[kCount];
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank][kCount];
  int rank;
  int turned[kCount];  // where in shared memory the tile of a turned operand is; otherwise -1
  int64_t tiles;

  DYNACC_MEMBER TilePlace<kCount> TileAt(int64_t tile) const {
    const int64_t across = (shape[0] + kTileSide - 1) / kTileSide;
    const int64_t down = (shape[1] + kTileSide - 1) / kTileSide;
    const int64_t first = tile % across * kTileSide, line = tile / across % down * kTileSide;
    TilePlace<kCount> place = {};
    AddOffsets(shape, strides, 2, rank, static_cast<uint64_t>(tile / (across * down)), place.at);
    for (int k = 0; k < kCount; ++k) {
      place.at.of[k] += first * strides[0][k] + line * strides[1][k];
    }
    place.across = static_cast<int>(Lesser(kTileSide, shape[0] - first));
    place.down = static_cast<int>(Lesser(kTileSide, shape[1] - line));
    return place;
  }

  // Puts the tile of operand k into shared memory, if it is turned. A barrier follows.
  template <typename T>
  DYNACC_MEMBER void Turn(int k, const TilePlace<kCount>& place) const {
    if (turned[k] < 0) return;
    const int line = Lane();  // along axis 1
    for (int i = Line(); i < place.across && line < place.down; i += kTileLines) {
      T* const to = TileOf<T>(k) + line * (kTileSide + 1) + i;
      DYNACC_SHARED_ACCESS(to, sizeof(T), true);
      *to = ReadGlobal<T>(pointers[k] + place.at.of[k] + i * strides[0][k] + line * strides[1][k]);
    }
  }

  // This thread's element of a line of the tile.
  DYNACC_MEMBER bool HasElement(const TilePlace<kCount>& place) const {
    return Lane() < place.across;
  }
  template <typename T>
  DYNACC_MEMBER T Load(int k, const TilePlace<kCount>& place, int line) const {
    if (pointers[k] == nullptr) return numbers[k].template As<T>();
    if (turned[k] < 0) return ReadGlobal<T>(Address(k, place, line));
    const T* const from = TileOf<T>(k) + line * (kTileSide + 1) + Lane();
    DYNACC_SHARED_ACCESS(from, sizeof(T), false);
    return *from;
  }
  template <typename T>
  DYNACC_MEMBER void Store(int k, const TilePlace<kCount>& place, int line, const T& value) const {
    WriteGlobal(Address(k, place, line), value);
  }
  DYNACC_MEMBER int Line() const { return static_cast<int>(threadIdx.x) / kTileSide; }

 private:
  DYNACC_MEMBER int Lane() const { return static_cast<int>(threadIdx.x) % kTileSide; }
  DYNACC_MEMBER char* Address(int k, const TilePlace<kCount>& place, int line) const {
    return pointers[k] + place.at.of[k] + Lane() * strides[0][k] + line * strides[1][k];
  }
  template <typename T>
  DYNACC_MEMBER T* TileOf(int k) const {
    DYNACC_LAUNCH_SHARED(of_launch);
    return reinterpret_cast<T*>(reinterpret_cast<char*>(of_launch) + turned[k]);
  }
  static DYNACC_MEMBER int64_t Lesser(int64_t a, int64_t b) { return a < b ? a : b; }
};

// As NdOperands, some of them rolled: element i of operand k is at (i - shift) mod size along each
// axis, shifts from 0 to the size.
template <int kCount>
struct RolledOperands {
  char* pointers[kCount];  // null: a number, in `numbers`
  Number numbers[kCount];
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank][kCount];
  int64_t shifts[kMaxRank][kCount];
  int rank;

  DYNACC_MEMBER Offsets<kCount> At(int64_t i, int64_t n) const {
    return n <= 0x7fffffff ? OffsetsOf(static_cast<uint32_t>(i))
                           : OffsetsOf(static_cast<uint64_t>(i));
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

 private:
  template <typename Index>
  DYNACC_MEMBER Offsets<kCount> OffsetsOf(Index index) const {
    Offsets<kCount> offsets = {};
    for (int axis = 0; axis < rank; ++axis) {
      const Index size = static_cast<Index>(shape[axis]);
      const auto at = static_cast<int64_t>(axis + 1 == rank ? index : index % size);
      index = index / size;
      for (int k = 0; k < kCount; ++k) {
        const int64_t unrolled = at - shifts[axis][k];
        offsets.of[k] += (unrolled < 0 ? unrolled + shape[axis] : unrolled) * strides[axis][k];
      }
    }
    return offsets;
  }
};
