// The CUDA prelude, part 7: row kernels. A team of threads, a warp, a block, or a column of a block,
// takes one row through all passes of several groups; what a later pass needs again is kept in
// registers or in memory. Thread t of a team of T has elements [i, i + kLanes) of the row, for
// i = (j * T + t) * kLanes, in every pass, so that nobody reads what another thread has kept.

// A value from another lane of the warp.
template <typename T>
DYNACC_INLINE T ShuffleFrom(const T& value, int lane) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  uint32_t words[kWords] = {};
  memcpy(words, &value, sizeof(T));
  for (int i = 0; i < kWords; ++i) words[i] = __shfl_sync(0xffffffffu, words[i], lane);
  T result;
  memcpy(&result, words, sizeof(T));
  return result;
}

// As ReduceBlock, in all threads.
template <typename Reduction, typename T>
DYNACC_INLINE T ReduceBlockToAll(T value) {
  value = ReduceWarp<Reduction>(value);
  const int warps = static_cast<int>(blockDim.x) / 32;
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
  if (lane < warps) {
    DYNACC_SHARED_ACCESS(&of_warp[lane], sizeof(T), false);
    value = of_warp[lane];
  }
  return ShuffleFrom(ReduceWarp<Reduction>(value), 0);
}

// Inputs and, last, results, with strides along the axes of the rows (the first is the fastest) and
// along a row: one, or two where a row is made of runs, as of an array with a number for each channel.
template <int kCount>
struct RowOperands {
  char* pointers[kCount];  // null: a number, in `numbers`
  Number numbers[kCount];
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank][kCount];
  int64_t along[kCount];  // strides along a run of a row
  int64_t outer[kCount];  // from one run to the next
  int axes;
  int64_t rows;    // the product of `shape`
  int64_t length;  // elements of a row
  int64_t run;     // elements of a run; `length`: there is one
  char* scratch;   // of RowInScratch: scratch_bytes for each block
  int64_t scratch_bytes;

  DYNACC_MEMBER Offsets<kCount> RowAt(int64_t row) const {
    Offsets<kCount> offsets = {};
    AddOffsets(shape, strides, 0, axes, static_cast<uint64_t>(row), offsets);
    return offsets;
  }

  // Elements i to i + kLanes of the n of a row of operand k, as far as there are so many.
  template <typename T, int kLanes>
  DYNACC_MEMBER Vector<T, kLanes> Load(int k, const Offsets<kCount>& row, int64_t i,
                                       int64_t n) const {
    Vector<T, kLanes> vector = {};
    if (pointers[k] == nullptr || (along[k] == 0 && outer[k] == 0)) {
      const T number = LoadNumber<T>(k, row);
      for (int lane = 0; lane < kLanes; ++lane) vector[lane] = number;
      return vector;
    }
    const char* const from = pointers[k] + row.of[k];
    const char* const first = from + Along(k, i);
    if (IsWhole<T, kLanes>(k, first, i, n)) return ReadGlobal<Vector<T, kLanes>>(first);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (i + lane < n) vector[lane] = ReadGlobal<T>(from + Along(k, i + lane));
    }
    return vector;
  }
  template <typename T, int kLanes>
  DYNACC_MEMBER void Store(int k, const Offsets<kCount>& row, int64_t i, int64_t n,
                           const Vector<T, kLanes>& vector) const {
    char* const to = pointers[k] + row.of[k];
    char* const first = to + Along(k, i);
    if (IsWhole<T, kLanes>(k, first, i, n)) return WriteGlobal(first, vector);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (i + lane < n) WriteGlobal(to + Along(k, i + lane), vector[lane]);
    }
  }

  // The one element that operand k has in a row.
  template <typename T>
  DYNACC_MEMBER T LoadNumber(int k, const Offsets<kCount>& row) const {
    return pointers[k] == nullptr ? numbers[k].template As<T>()
                                  : ReadGlobal<T>(pointers[k] + row.of[k]);
  }
  template <typename T>
  DYNACC_MEMBER void StoreNumber(int k, const Offsets<kCount>& row, const T& value) const {
    WriteGlobal(pointers[k] + row.of[k], value);
  }

 private:
  // From a row's first element to element i.
  DYNACC_MEMBER int64_t Along(int k, int64_t i) const {
    return run == length ? i * along[k] : i / run * outer[k] + i % run * along[k];
  }
  template <typename T, int kLanes>
  DYNACC_MEMBER bool IsWhole(int k, const char* at, int64_t i, int64_t n) const {
    return along[k] == sizeof(T) && i + kLanes <= n && (run == length || i % run + kLanes <= run) &&
           reinterpret_cast<uint64_t>(at) % sizeof(Vector<T, kLanes>) == 0;
  }
};

// What a thread keeps of a row in registers: kChunks times kLanes elements.
template <typename T, int kLanes, int kChunks>
struct KeptInRegisters {
  template <typename Team>
  DYNACC_MEMBER KeptInRegisters(const Team&, int64_t, int) {}
  DYNACC_MEMBER void Put(int j, const Vector<T, kLanes>& vector) { chunks[j] = vector; }
  DYNACC_MEMBER const Vector<T, kLanes>& Get(int j) const { return chunks[j]; }
  Vector<T, kLanes> chunks[kChunks];
};

// Of teams with one row at a time: `first` is it.
struct OneRow {
  template <int kCount>
  DYNACC_MEMBER int64_t Length(const RowOperands<kCount>& operands, int64_t) const {
    return operands.length;
  }
  template <int kCount>
  DYNACC_MEMBER Offsets<kCount> Place(const RowOperands<kCount>& operands, int64_t first) const {
    return operands.RowAt(first);
  }
};

// A warp a row: short rows.
template <int kLanesOf, int kChunksOf>
struct RowInWarp : OneRow {
  static constexpr int kLanes = kLanesOf, kChunks = kChunksOf;
  static constexpr bool kReads = false;  // inputs again in each pass, instead of keeping them
  template <typename T>
  using Kept = KeptInRegisters<T, kLanes, kChunks>;

  template <int kCount>
  DYNACC_MEMBER explicit RowInWarp(const RowOperands<kCount>&) {}
  DYNACC_MEMBER int64_t FirstRow() const { return FirstElement() / 32; }
  DYNACC_MEMBER int64_t RowStride() const { return ElementStride() / 32; }
  DYNACC_MEMBER int Thread() const { return static_cast<int>(threadIdx.x) % 32; }
  DYNACC_MEMBER int Chunks(int64_t) const { return kChunks; }
  DYNACC_MEMBER int64_t Index(int j) const { return (j * 32 + Thread()) * kLanes; }
  template <typename Reduction, typename T>
  DYNACC_MEMBER T Reduce(const T& value) const {
    return ShuffleFrom(ReduceWarp<Reduction>(value), 0);
  }
};

// What teams that are blocks have in common.
struct RowInBlock : OneRow {
  DYNACC_MEMBER int64_t FirstRow() const { return blockIdx.x; }
  DYNACC_MEMBER int64_t RowStride() const { return gridDim.x; }
  DYNACC_MEMBER int Thread() const { return static_cast<int>(threadIdx.x); }
  template <typename Reduction, typename T>
  DYNACC_MEMBER T Reduce(const T& value) const {
    return ReduceBlockToAll<Reduction>(value);
  }
};

// A block a row, kept in registers.
template <int kLanesOf, int kChunksOf>
struct RowInRegisters : RowInBlock {
  static constexpr int kLanes = kLanesOf, kChunks = kChunksOf;
  static constexpr bool kReads = false;
  template <typename T>
  using Kept = KeptInRegisters<T, kLanes, kChunks>;

  template <int kCount>
  DYNACC_MEMBER explicit RowInRegisters(const RowOperands<kCount>&) {}
  DYNACC_MEMBER int Chunks(int64_t) const { return kChunks; }
  DYNACC_MEMBER int64_t Index(int j) const {
    return (static_cast<int64_t>(j) * blockDim.x + threadIdx.x) * kLanes;
  }
};

// What a thread keeps in memory, which has one place after the other for each of a row's values.
template <typename T, int kLanes, bool kShared>
struct KeptInMemory {
  template <typename Team>
  DYNACC_MEMBER KeptInMemory(const Team& team, int64_t length, int bytes_before)
      : places(team.memory + bytes_before * team.Places(length) * kLanes) {}
  DYNACC_MEMBER void Put(int j, const Vector<T, kLanes>& vector) {
    char* const place = Place(j);
    if constexpr (kShared) {
      DYNACC_SHARED_ACCESS(place, sizeof(vector), true);
      *reinterpret_cast<Vector<T, kLanes>*>(place) = vector;
    } else {
      WriteGlobal(place, vector);
    }
  }
  DYNACC_MEMBER Vector<T, kLanes> Get(int j) const {
    char* const place = Place(j);
    if constexpr (kShared) {
      DYNACC_SHARED_ACCESS(place, sizeof(Vector<T, kLanes>), false);
      return *reinterpret_cast<const Vector<T, kLanes>*>(place);
    } else {
      return ReadGlobal<Vector<T, kLanes>>(place);
    }
  }
  DYNACC_MEMBER char* Place(int j) const {
    return places + (static_cast<int64_t>(j) * blockDim.x + threadIdx.x) * sizeof(Vector<T, kLanes>);
  }
  char* places;
};

// A block a row of any length, kept in the launch's shared memory, or, where it is longer, in a
// scratch that is likely to stay in the second-level cache; inputs are then read again.
template <int kLanesOf, bool kShared>
struct RowInMemory : RowInBlock {
  static constexpr int kLanes = kLanesOf, kChunks = 1;
  static constexpr bool kReads = !kShared;
  template <typename T>
  using Kept = KeptInMemory<T, kLanes, kShared>;

  template <int kCount>
  DYNACC_MEMBER explicit RowInMemory(const RowOperands<kCount>& operands) {
    DYNACC_LAUNCH_SHARED(of_block);
    memory = kShared ? reinterpret_cast<char*>(of_block)
                     : operands.scratch + blockIdx.x * operands.scratch_bytes;
  }
  DYNACC_MEMBER int Chunks(int64_t length) const {
    const int64_t each = static_cast<int64_t>(blockDim.x) * kLanes;
    return static_cast<int>((length + each - 1) / each);
  }
  DYNACC_MEMBER int64_t Places(int64_t length) const {
    return static_cast<int64_t>(Chunks(length)) * blockDim.x;
  }
  DYNACC_MEMBER int64_t Index(int j) const {
    return (static_cast<int64_t>(j) * blockDim.x + threadIdx.x) * kLanes;
  }
  char* memory;
};
template <int kLanes>
using RowInShared = RowInMemory<kLanes, true>;
template <int kLanes>
using RowInScratch = RowInMemory<kLanes, false>;

// Values that a block combines down its columns, in all threads. The block's height is a power of
// two, and it has kColumnBlockThreads threads at most.
constexpr int kColumnBlockThreads = 512;
template <typename Reduction, typename T>
DYNACC_INLINE T ReduceColumnToAll(T value) {
  __shared__ Number memory[kColumnBlockThreads * sizeof(T) / sizeof(Number)];
  T* const of_thread = reinterpret_cast<T*>(memory);
  const int width = static_cast<int>(blockDim.x), line = static_cast<int>(threadIdx.y);
  T* const mine = of_thread + (line * width + static_cast<int>(threadIdx.x));
  __syncthreads();  // the block's reduction before may still be read
  DYNACC_SHARED_ACCESS(mine, sizeof(T), true);
  *mine = value;
  for (int half = static_cast<int>(blockDim.y) / 2; half > 0; half /= 2) {
    __syncthreads();
    if (line >= half) continue;
    DYNACC_SHARED_ACCESS(mine + half * width, sizeof(T), false);
    value = Reduction::Combine(value, mine[half * width]);
    DYNACC_SHARED_ACCESS(mine, sizeof(T), true);
    *mine = value;
  }
  __syncthreads();
  DYNACC_SHARED_ACCESS(of_thread + threadIdx.x, sizeof(T), false);
  return of_thread[threadIdx.x];
}

// Rows that lie side by side: threadIdx.x is one, so that neighbouring threads read neighbouring
// elements; the threads under one another share it, and keep it in registers. A block has as many
// rows as it is wide; past the last row its threads have nothing of it.
template <int kLanesOf, int kChunksOf>
struct RowsSideBySide {
  static constexpr int kLanes = kLanesOf, kChunks = kChunksOf;
  static constexpr bool kReads = false;
  template <typename T>
  using Kept = KeptInRegisters<T, kLanes, kChunks>;

  template <int kCount>
  DYNACC_MEMBER explicit RowsSideBySide(const RowOperands<kCount>&) {}
  DYNACC_MEMBER int64_t FirstRow() const { return static_cast<int64_t>(blockIdx.x) * blockDim.x; }
  DYNACC_MEMBER int64_t RowStride() const { return static_cast<int64_t>(gridDim.x) * blockDim.x; }
  template <int kCount>
  DYNACC_MEMBER int64_t Length(const RowOperands<kCount>& operands, int64_t first) const {
    return first + threadIdx.x < operands.rows ? operands.length : 0;
  }
  template <int kCount>
  DYNACC_MEMBER Offsets<kCount> Place(const RowOperands<kCount>& operands, int64_t first) const {
    return operands.RowAt(Length(operands, first) > 0 ? first + threadIdx.x : first);
  }
  DYNACC_MEMBER int Thread() const { return static_cast<int>(threadIdx.y); }
  DYNACC_MEMBER int Chunks(int64_t) const { return kChunks; }
  DYNACC_MEMBER int64_t Index(int j) const {
    return (static_cast<int64_t>(j) * blockDim.y + threadIdx.y) * kLanes;
  }
  template <typename Reduction, typename T>
  DYNACC_MEMBER T Reduce(const T& value) const {
    return ReduceColumnToAll<Reduction>(value);
  }
};
