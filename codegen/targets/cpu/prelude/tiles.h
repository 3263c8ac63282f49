// The prelude, part 5: tiles. The function of a kernel does one tile, whose operands are vectors
// side by side or one number: runtime/cpu/tiles/tile_loop.h finds such places for them, and goes
// from tile to tile. What is the same for all kernels is there, and need not be compiled anew.

// Where a tile of an operand begins, and the bytes from element to element: of a number, which is
// one vector that is read again and again, 0. The layout is that of Tile in tile_loop.h.
struct Tile {
  char* data;
  int64_t step;
};

// A library's inner loop; the layout is that of LibraryLoop in runtime/kernel/library_loops.h.
struct DynaccLoop {
  void (*fn)(char** args, const int64_t* dimensions, const int64_t* steps, void* data);
  void* data;
};

// In tile_loop.cc; resolved by the object loader.
extern "C" void DynaccCallLoop(const DynaccLoop* loop, int64_t count, char** args,
                               const int64_t* steps, int reports);
extern "C" void DynaccPad(char* buffer, int64_t count, int64_t size, int64_t lanes);

// How vectors lie in memory, which need not be aligned.
template <typename T>
struct Vectors {
  typedef T Unaligned __attribute__((aligned(1), may_alias));
  DYNACC_INLINE T Load(const char* from) { return *reinterpret_cast<const Unaligned*>(from); }
  DYNACC_INLINE void Store(char* to, T value) { *reinterpret_cast<Unaligned*>(to) = value; }
  // Past the cache, to a multiple of 64 bytes.
  typedef T Lines __attribute__((aligned(64), may_alias));
  DYNACC_INLINE void StoreNonTemporal(char* to, T value) {
    __builtin_nontemporal_store(value, reinterpret_cast<Lines*>(to));
  }
};
template <>
struct Vectors<Bool> {
  DYNACC_INLINE Bool Load(const char* from) { return Bool(Vectors<U8>::Load(from)); }
  DYNACC_INLINE void Store(char* to, Bool value) { Vectors<U8>::Store(to, value.bits); }
};

// A tile of an input.
template <typename T>
struct Input {
  const char* data;
  int64_t step;
  [[gnu::always_inline]] T Load(int64_t i) const { return Vectors<T>::Load(data + i * step); }
};

// A tile of an output, or of a value that is kept for another loop.
template <typename T>
struct Output {
  char* data;
  static constexpr int64_t step = sizeof(typename Traits<T>::Element);
  [[gnu::always_inline]] T Load(int64_t i) const { return Vectors<T>::Load(data + i * step); }
  [[gnu::always_inline]] void Store(int64_t i, T value) const {
    Vectors<T>::Store(data + i * step, value);
  }
  [[gnu::always_inline]] void StoreNonTemporal(int64_t i, T value) const {
    Vectors<T>::StoreNonTemporal(data + i * step, value);
  }
  // Fills up the last vector after a library's loop wrote `count` elements.
  [[gnu::always_inline]] void Pad(int64_t count) const {
    if (count % kLanes != 0) DynaccPad(data, count, step, kLanes);
  }
};

// The memory of such a value, with a gap behind it: a library's loop takes another path, and gives
// other bits, where its operands' memory meets (kLoopGap in library_loops.h).
template <typename T, int64_t kElements>
struct Buffer {
  alignas(64) char bytes[kElements * Output<T>::step + 64];
};

template <bool kReports = true>
DYNACC_INLINE void Call(const DynaccLoop& loop, int64_t count, Tile a, Tile result) {
  char* args[] = {a.data, result.data};
  const int64_t steps[] = {a.step, result.step};
  DynaccCallLoop(&loop, count, args, steps, kReports);
}
template <bool kReports = true>
DYNACC_INLINE void Call(const DynaccLoop& loop, int64_t count, Tile a, Tile b, Tile result) {
  char* args[] = {a.data, b.data, result.data};
  const int64_t steps[] = {a.step, b.step, result.step};
  DynaccCallLoop(&loop, count, args, steps, kReports);
}
