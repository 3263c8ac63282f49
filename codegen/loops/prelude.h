// The head of printed loop programs: what loop_objects.h and loop_math.h, which follow it, need of
// the standard library. Compiled by Clang inside DynaCC; includes nothing.

using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;

#define DBL_MAX 1.7976931348623157e+308
#define INT64_MIN (-9223372036854775807L - 1)

// The C library's own, by names that LLVM knows nothing of: it would compute some cases itself.
extern "C" double DynaccLoopFmod(double a, double b);
extern "C" double DynaccLoopPow(double a, double b);
extern "C" bool DynaccLoopCall(const void* callee, double a, double b, bool binary, double* result);
namespace dynacc::loops {
struct LoopHost;
union LoopSlot;
}  // namespace dynacc::loops
extern "C" bool DynaccLoopSlice1d(const void* callee, const dynacc::loops::LoopHost* host,
                                  dynacc::loops::LoopSlot* registers, int d, int a, int b);
extern "C" char* DynaccLoopScratch(const dynacc::loops::LoopHost* host, int block, int64_t bytes);

namespace std {
inline double fabs(double a) { return __builtin_fabs(a); }
inline double sqrt(double a) { return __builtin_sqrt(a); }
inline double floor(double a) { return __builtin_floor(a); }
inline double ceil(double a) { return __builtin_ceil(a); }
inline double rint(double a) { return __builtin_rint(a); }
inline double copysign(double a, double b) { return __builtin_copysign(a, b); }
inline double fmod(double a, double b) { return DynaccLoopFmod(a, b); }
inline double pow(double a, double b) { return DynaccLoopPow(a, b); }
inline bool isnan(double a) { return a != a; }
}  // namespace std

template <typename T>
inline T LoadElement(const char* place) {
  T value;
  __builtin_memcpy(&value, place, sizeof(T));
  return value;
}
// Memory may hold any byte, if it is a view of something else's.
template <>
inline bool LoadElement<bool>(const char* place) {
  return *place != 0;
}
template <typename T>
inline void StoreElement(char* place, T value) {
  __builtin_memcpy(place, &value, sizeof(T));
}

template <typename T>
inline bool IsSame(T one, T other) {
  return __builtin_memcmp(&one, &other, sizeof(T)) == 0;
}

namespace dynacc::loops {

// The bytes in which the elements of an array lie.
struct Bytes {
  int64_t first;
  int64_t end;
};

// Of a StridedView that has these fields there.
template <int kRank, int kShape, int kStrides>
inline Bytes BytesOf(const char* view, int64_t item_size) {
  Bytes bytes = {LoadElement<int64_t>(view), LoadElement<int64_t>(view) + item_size};
  const int rank = LoadElement<int>(view + kRank);
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t size = LoadElement<int64_t>(view + kShape + axis * int64_t{sizeof(int64_t)});
    const int64_t way =
        (size - 1) * LoadElement<int64_t>(view + kStrides + axis * int64_t{sizeof(int64_t)});
    if (size == 0) return {0, 0};
    (way < 0 ? bytes.first : bytes.end) += way;
  }
  return bytes;
}
inline bool LieApart(Bytes one, Bytes other) {
  return one.end <= other.first || other.end <= one.first;
}

// Of a vector stretch that stores to `rounds` elements of `size` bytes, side by side: whether an
// element that lies `ahead` bytes from the first of them, in the stretch's direction, is none of
// them.
inline bool LiesApart(int64_t ahead, int64_t size, int64_t rounds) {
  return ahead <= -size || ahead >= size * rounds;
}
// Whether no round reads or overwrites what another one stores, where it accesses another element
// of the array, too: `ahead` bytes from that to which it stores. It may be one to which a later
// round stores if it is read before.
inline bool RoundsAreApart(int64_t ahead, int64_t size, int64_t rounds, bool is_read_first) {
  const int64_t all = size * rounds;
  return ahead == 0 || ahead <= -all || ahead >= all || (is_read_first && ahead > 0);
}

// The function whose address lies at `place`.
template <typename Function>
inline Function FunctionAt(const char* place) {
  Function function;
  __builtin_memcpy(&function, place, sizeof function);
  return function;
}

// How many rounds a run has done. They are counted down to the next time that it is asked whether
// there may be more, and whether another thread waits.
struct RoundCount {
  static constexpr int64_t kMostCredit = 64;

  __attribute__((always_inline)) RoundCount(const uint8_t* poll, int64_t most)
      : poll(poll), most(most) {
    Grant();
  }
  __attribute__((always_inline)) int64_t Done() const { return before + granted - credit; }
  __attribute__((always_inline)) int64_t Left() const { return most - Done(); }
  // Where no credit is left.
  __attribute__((always_inline)) bool AreOver() {
    before = Done();
    Grant();
    return before >= most || __atomic_load_n(poll, __ATOMIC_RELAXED) != 0;
  }
  __attribute__((always_inline)) void Grant() {
    const int64_t left = most - before;
    granted = left > kMostCredit ? kMostCredit : left > 1 ? left : 1;
    credit = granted;
  }

  const uint8_t* const poll;
  const int64_t most;
  int64_t before = 0;  // until then
  int64_t granted;
  int64_t credit;  // rounds until it is asked again; below 0 after a stretch of more
};

// Whether a loop's guard is worth its time: a loop may be entered often for a few rounds.
struct GuardWorth {
  static constexpr int kMostMisses = 8;  // in a row; then it is not tried again in that run

  // When `done` rounds are done, for a guard that costs what so many rounds save.
  __attribute__((always_inline)) bool IsTried(int64_t done, int64_t cost) {
    if (misses >= kMostMisses) return false;
    misses = done - last < cost ? misses + 1 : 0;
    last = done;
    return true;
  }

  int misses = 0;
  int64_t last = 0;
};

}  // namespace dynacc::loops
