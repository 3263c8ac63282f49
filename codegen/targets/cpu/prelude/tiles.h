// The prelude, part 5: tiles. A kernel works on a tile of at most kTile elements at a time, which
// stays in cache, and reads and writes an operand in place where it is contiguous. Other operands
// go through a buffer on the stack. So does everything in a last tile of fewer than kLanes
// elements; its buffers are filled up with copies of a valid element, so that the lanes that are
// not wanted raise no floating-point flag that the others do not.

// A library's inner loop; the layout is that of LibraryLoop in runtime/kernel/library_loops.h.
struct DynaccLoop {
  void (*fn)(char** args, const int64_t* dimensions, const int64_t* steps, void* data);
  void* data;
};

// The elements of the next tile: full vectors, or what is left after the last full one.
DYNACC_INLINE int64_t NextTile(int64_t left, int64_t tile) {
  if (left < kLanes) return left;
  return (left < tile ? left : tile) & -kLanes;
}

// In tile_moves.cc; resolved by the object loader. Copies of elements of `size` bytes to and from
// a buffer, which Gather fills up to a full vector with copies of its first element.
#if DYNACC_LANES != 16
#define DynaccGather DynaccGatherWide
#define DynaccPad DynaccPadWide
#endif
extern "C" void DynaccGather(char* buffer, const char* from, int64_t stride, int64_t count,
                             int64_t size);
extern "C" void DynaccScatter(char* to, int64_t stride, const char* buffer, int64_t count,
                              int64_t size);
extern "C" void DynaccPad(char* buffer, int64_t count, int64_t size);

template <typename T>
struct Vectors {
  using Element = typename Traits<T>::Element;
  static constexpr int64_t kSize = sizeof(Element);

  DYNACC_INLINE T Load(const char* from) {
    T value;
    __builtin_memcpy(&value, from, kLanes * kSize);
    return value;
  }
  DYNACC_INLINE void Store(char* to, T value) { __builtin_memcpy(to, &value, kLanes * kSize); }
};

// Whether an operand of this stride is used where it is.
template <typename T>
DYNACC_INLINE bool IsDense(int64_t stride) { return stride == Vectors<T>::kSize; }
template <typename T>
DYNACC_INLINE bool IsDenseOrNumber(int64_t stride) { return stride == 0 || IsDense<T>(stride); }

// The memory of a tile on the stack, with a gap behind it: a library's loop takes another path, and
// gives other bits, where its operands' memory meets (kLoopGap in library_loops.h).
template <typename T, int64_t kElements>
struct Buffer {
  alignas(64) char bytes[kElements * Vectors<T>::kSize + 64];
};

// A tile of an input operand. A number (stride 0) is one vector, read again and again.
template <typename T>
struct Input {
  const char* data;
  int64_t step;  // bytes from element to element: the item size, or 0
  template <int64_t kElements>
  DYNACC_INLINE Input At(const char* first, int64_t stride, int64_t at, int64_t count,
                         Buffer<T, kElements>& buffer) {
    constexpr int64_t kSize = Vectors<T>::kSize;
    if (stride == kSize && count >= kLanes) return {first + at * kSize, kSize};
    DynaccGather(buffer.bytes, first + at * stride, stride, stride == 0 ? 1 : count, kSize);
    return {buffer.bytes, stride == 0 ? 0 : kSize};
  }
  [[gnu::always_inline]] T Load(int64_t i) const { return Vectors<T>::Load(data + i * step); }
};

// A tile of an output operand, or of a value that crosses a call of a library's loop.
template <typename T>
struct Output {
  char* data;
  static constexpr int64_t step = Vectors<T>::kSize;
  template <int64_t kElements>
  DYNACC_INLINE Output At(char* first, int64_t stride, int64_t at, int64_t count,
                          Buffer<T, kElements>& buffer) {
    return {stride == step && count >= kLanes ? first + at * step : buffer.bytes};
  }
  [[gnu::always_inline]] T Load(int64_t i) const { return Vectors<T>::Load(data + i * step); }
  [[gnu::always_inline]] void Store(int64_t i, T value) const {
    Vectors<T>::Store(data + i * step, value);
  }
  // Fills up the last vector after a library's loop wrote `count` elements.
  [[gnu::always_inline]] void Pad(int64_t count) const {
    if (count % kLanes != 0) DynaccPad(data, count, step);
  }
  // Puts the tile where it belongs, if it is not there already.
  [[gnu::always_inline]] void Flush(char* first, int64_t stride, int64_t at, int64_t count) const {
    if (stride == step && count >= kLanes) return;
    DynaccScatter(first + at * stride, stride, data, count, step);
  }
};

// An operand of a library's loop.
struct LoopOperand {
  const char* data;
  int64_t step;
};

// The floating-point flags raised so far, put back at the end: many of a library's loops clear them.
// They lie in MXCSR, and overflow and underflow in the x87 status word too, where a library's
// feraiseexcept may raise them.
#if defined(__x86_64__)
struct KeptFlags {
  uint32_t raised = Raised();
  ~KeptFlags() { Set(__builtin_ia32_stmxcsr() | raised); }
  // For a loop that raises flags that are not to be reported.
  void DropLater() const {
    Set(__builtin_ia32_stmxcsr() & ~0x3fu);
    if (StatusWord() & 0x3f) __asm__ volatile("fnclex" ::: "memory");
  }
  static uint16_t StatusWord() {
    uint16_t word;
    __asm__ volatile("fnstsw %0" : "=a"(word)::"memory");
    return word;
  }
  static uint32_t Raised() { return (__builtin_ia32_stmxcsr() | StatusWord()) & 0x3f; }
  static void Set(uint32_t csr) { __builtin_ia32_ldmxcsr(csr); }
};
#else
struct KeptFlags {
  void DropLater() const {}
};
#endif

[[gnu::noinline]] static void CallLoop(const DynaccLoop& loop, int64_t count, char** args,
                                       const int64_t* steps, bool reports) {
  const KeptFlags flags;
  loop.fn(args, &count, steps, loop.data);
  if (!reports) flags.DropLater();
}

template <bool kReports = true>
DYNACC_INLINE void Call(const DynaccLoop& loop, int64_t count, LoopOperand a, LoopOperand result) {
  char* args[] = {const_cast<char*>(a.data), const_cast<char*>(result.data)};
  const int64_t steps[] = {a.step, result.step};
  CallLoop(loop, count, args, steps, kReports);
}
template <bool kReports = true>
DYNACC_INLINE void Call(const DynaccLoop& loop, int64_t count, LoopOperand a, LoopOperand b,
                        LoopOperand result) {
  char* args[] = {const_cast<char*>(a.data), const_cast<char*>(b.data),
                  const_cast<char*>(result.data)};
  const int64_t steps[] = {a.step, b.step, result.step};
  CallLoop(loop, count, args, steps, kReports);
}
