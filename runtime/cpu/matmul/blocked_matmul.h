// BlockedMatmul: the loops of OrderedMatmulKernels, as a template over the width of the registers.
//
// The layout of the work is that of GotoBLAS (K. Goto and R. van de Geijn, "Anatomy of
// High-Performance Matrix Multiplication", ACM TOMS 34(3), 2008): blocks of both operands are
// copied to where they lie in the order in which a register tile of the result reads them. Sums
// that go on in the next block are stored and loaded in between, which rounds nothing.
//
// Included once by each file that is compiled for a level of instructions, and nowhere else: all
// names are local to that file, and nothing inline of a library is used, lest the linker keep a
// copy that other machines cannot run.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/cpu/matmul/ordered_matmul_kernels.h"
#include "runtime/cpu/matmul/product.h"

namespace dynacc::cpu {
namespace {

constexpr int64_t Least(int64_t x, int64_t y) { return x < y ? x : y; }

template <typename T>
inline const T& At(const char* p) {
  return *reinterpret_cast<const T*>(p);
}

template <typename T>
inline T& At(char* p) {
  return *reinterpret_cast<T*>(p);
}

// `kRegister`: bytes of a vector register. kRows x kVectors registers hold a tile of the result.
template <typename T, int kRegister, int kRows, int kVectors>
class BlockedMatmul {
 public:
  static void Multiply(const Product& product, char* scratch) {
    if (IsTiny(product)) return MultiplyTiny(product);
    BlockedMatmul(Oriented(product), scratch).Run();
  }

  static bool HasNan(const Product& p) {
    auto in_vectors = Vector{} != Vector{};
    bool found = false;
    for (int64_t i = 0; i < p.rows; ++i) {
      const char* row = p.c + i * p.c_row;
      int64_t j = 0;
      for (; p.c_column == kItem && j + kLanes <= p.columns; j += kLanes) {
        const Vector x = At<Vector>(row + j * kItem);
        in_vectors |= x != x;
      }
      for (; j < p.columns; ++j) found |= IsNan(At<T>(row + j * p.c_column));
    }
    for (int64_t lane = 0; lane < kLanes; ++lane) found |= in_vectors[lane] != 0;
    return found;
  }

 private:
  // A register as the compiler sees it. In memory it needs the alignment of an element only.
  typedef T Vector __attribute__((vector_size(kRegister), aligned(alignof(T)), may_alias));

  static constexpr int64_t kItem = sizeof(T);
  static constexpr int64_t kLanes = kRegister / kItem;
  static constexpr int64_t kColumns = kLanes * kVectors;

  // A panel of b, kBlockInner x kColumns, stays in the first-level cache; a block of a, kBlockRows
  // x kBlockInner, in the second-level one.
  static constexpr int64_t kBlockInner = 128;
  static_assert(kBlockInner >= kMostRun);
  static constexpr int64_t kBlockRows = 192 / kRows * kRows;
  static constexpr int64_t kBlockColumns = 1024;
  static_assert(kBlockColumns % kColumns == 0);
  static_assert((kBlockInner * kBlockColumns + kBlockRows * kBlockInner) * kItem <=
                static_cast<int64_t>(kProductScratchBytes));

  // Up to so many rows, a panel of b is read where it is: it is not worth a copy (measured with
  // matrices of 1 to 16 MB). Up to so many columns, rows of a are.
  static constexpr int64_t kFewRows = 6 * kRows;
  static constexpr int64_t kFewColumns = 4 * kColumns;
  // Up to so many columns, which fill less of a vector than is worth it, vectors lie along the
  // rows, if these are more.
  static constexpr int64_t kTooFewColumns = kLanes < 4 ? 1 : kLanes * 3 / 8;
  // A row of factors is copied across panels in pieces of a cache line.
  static constexpr int64_t kPackedAtOnce = 64 / kItem;

  static bool IsNan(T x) { return x != x; }

  BlockedMatmul(const Product& product, char* scratch)
      : p_(product),
        packed_b_(reinterpret_cast<T*>(scratch)),
        packed_a_(packed_b_ + kBlockInner * kBlockColumns) {}

  // Vectors lie along the columns: they should be many, and the result's neighbours.
  static Product Oriented(const Product& p) {
    if (p.HasRuns()) return p;
    const bool narrow = p.columns <= kTooFewColumns && p.rows > p.columns;
    const bool sideways = p.c_column != kItem && p.c_row == kItem && p.rows >= kLanes;
    return narrow || sideways ? Transposed(p) : p;
  }

  // Of `left` columns the next ones: `most`, or half as many lest the rest be less than a vector.
  static int64_t NextColumns(int64_t left, int64_t most) {
    if (left <= most) return left;
    return left < most + kLanes && most > kLanes ? most / 2 / kLanes * kLanes : most;
  }

  void Run() const {
    if (!p_.HasRuns()) {
      if (p_.rows <= kRowsTogether && p_.b_column == kItem) return MultiplyRows(p_);
      if (p_.rows == 1) return MultiplyRow(p_);
    }
    const int64_t most = p_.HasRuns() ? kBlockInner / p_.run * p_.run : kBlockInner;
    for (int64_t j = 0, columns = 0; j < p_.columns; j += columns) {
      columns = NextColumns(p_.columns - j, kBlockColumns);
      for (int64_t k = 0; k < p_.inner; k += most) {
        Product block = PartOf(p_, 0, p_.rows, j, columns);
        block.inner = Least(most, p_.inner - k);
        block.b += k * p_.b_inner;
        if (p_.HasRuns()) {
          block.a_runs += k / p_.run;
        } else {
          block.a += k * p_.a_inner;
        }
        MultiplyColumns(block, k == 0);
      }
    }
  }

  // Adds what a block of factors gives to a block of columns; `first`: to zeros.
  void MultiplyColumns(const Product& p, bool first) const {
    PackB(p);
    for (int64_t i = 0; i < p.rows; i += kBlockRows) {
      const Product block = PartOf(p, i, Least(kBlockRows, p.rows - i), 0, p.columns);
      if (RowsAreInPlace()) {
        MultiplyBlock<false>(block, first);
      } else {
        PackA(block);
        MultiplyBlock<true>(block, first);
      }
    }
  }

  // `kPacked`: the rows of a.
  template <bool kPacked>
  void MultiplyBlock(const Product& p, bool first) const {
    const T* packed_b = packed_b_;
    for (int64_t j = 0, columns = 0; j < p.columns; j += columns) {
      columns = NextColumns(p.columns - j, kColumns);
      const Product panel = PartOf(p, 0, p.rows, j, columns);
      if (IsReadInPlace(columns)) {
        const Panel in_place = {panel.b, panel.b_inner, (columns - kLanes) * kItem};
        MultiplyPanel<kVectors, kPacked>(panel, in_place, first);
      } else {
        const int64_t row = VectorsFor(columns) * kRegister;
        const char* const data = reinterpret_cast<const char*>(packed_b);
        MultiplyPanel<kVectors, kPacked>(panel, {data, row, row - kRegister}, first);
        packed_b += p.inner * row / kItem;
      }
    }
  }

  // Vectors of a panel of so many columns. The last one ends with the columns: those that it has in
  // common with the one before are computed twice.
  static int VectorsFor(int64_t columns) {
    return static_cast<int>((columns + kLanes - 1) / kLanes);
  }

  bool IsReadInPlace(int64_t columns) const {
    return p_.rows <= kFewRows && p_.b_column == kItem && columns >= kLanes;
  }

  // Panels of columns, each by factors. The only column of less than a vector is repeated, as zeros
  // would raise flags with infinities.
  void PackB(const Product& p) const {
    T* to = packed_b_;
    for (int64_t j = 0, columns = 0; j < p.columns; j += columns) {
      columns = NextColumns(p.columns - j, kColumns);
      if (IsReadInPlace(columns)) continue;
      const int64_t pitch = VectorsFor(columns) * kLanes;
      const int64_t whole = columns == pitch ? pitch : pitch - kLanes;
      const char* const from = p.b + j * p.b_column;
      if (whole > 0) Pack(from, p.b_inner, p.b_column, p.inner, whole, whole, pitch, to);
      if (whole < pitch) {
        const int64_t last = columns < kLanes ? 0 : columns - kLanes;
        Pack(from + last * p.b_column, p.b_inner, p.b_column, p.inner, columns - last, kLanes,
             pitch, to + whole);
      }
      to += p.inner * pitch;
    }
  }

  // Whether rows of a are read where they are.
  bool RowsAreInPlace() const {
    return p_.HasRuns() || (p_.columns <= kFewColumns && p_.a_inner == kItem);
  }

  // Strips of rows, each by factors; the last row is repeated.
  void PackA(const Product& p) const {
    T* to = packed_a_;
    for (int64_t i = 0; i < p.rows; i += kRows, to += p.inner * kRows) {
      Pack(p.a + i * p.a_row, p.a_inner, p.a_row, p.inner, Least(kRows, p.rows - i), kRows, kRows,
           to);
    }
  }

  // `width` of `padded` neighbours, `stride` apart, for each of `inner` factors, which come to lie
  // `pitch` elements apart.
  static void Pack(const char* from, int64_t inner_stride, int64_t stride, int64_t inner,
                   int64_t width, int64_t padded, int64_t pitch, T* to) {
    if (stride == kItem && width == padded && padded % kLanes == 0) {
      for (int64_t k = 0; k < inner; ++k, from += inner_stride, to += pitch) {
        for (int64_t w = 0; w < padded; w += kLanes) {
          *reinterpret_cast<Vector*>(to + w) = At<Vector>(from + w * kItem);
        }
      }
      return;
    }
    if (inner_stride == kItem && padded % kLanes == 0) {
      return PackAcross(from, inner, stride, width, padded, pitch, to);
    }
    PackSingly(from, inner_stride, 0, inner, stride, 0, width, padded, pitch, to);
  }

  // The neighbours [begin, padded) for the factors [first, inner), element by element.
  static void PackSingly(const char* from, int64_t inner_stride, int64_t first, int64_t inner,
                         int64_t stride, int64_t begin, int64_t width, int64_t padded,
                         int64_t pitch, T* to) {
    for (int64_t k = first; k < inner; k += kPackedAtOnce) {
      const int64_t end = Least(k + kPackedAtOnce, inner);
      for (int64_t w = begin; w < padded; ++w) {
        const char* source = from + Least(w, width - 1) * stride;
        for (int64_t i = k; i < end; ++i) to[i * pitch + w] = At<T>(source + i * inner_stride);
      }
    }
  }

  // The same of factors that follow each other in memory: squares of them in registers.
  static void PackAcross(const char* from, int64_t inner, int64_t stride, int64_t width,
                         int64_t padded, int64_t pitch, T* to) {
    const int64_t whole_width = width / kLanes * kLanes, whole_inner = inner / kLanes * kLanes;
    for (int64_t k = 0; k < whole_inner; k += kLanes) {
      for (int64_t w = 0; w < whole_width; w += kLanes) {
        Turn(from + w * stride + k * kItem, stride, to + k * pitch + w, pitch);
      }
    }
    PackSingly(from, kItem, 0, whole_inner, stride, whole_width, width, padded, pitch, to);
    PackSingly(from, kItem, whole_inner, inner, stride, 0, width, padded, pitch, to);
  }

  // kLanes rows of as many elements, `stride` apart, as columns; `to_row`: elements.
  static void Turn(const char* from, int64_t stride, T* to, int64_t to_row) {
    Vector rows[kLanes];
    for (int64_t i = 0; i < kLanes; ++i) rows[i] = At<Vector>(from + i * stride);
    SwapQuarters<kLanes / 2>(rows);
    for (int64_t i = 0; i < kLanes; ++i) *reinterpret_cast<Vector*>(to + i * to_row) = rows[i];
  }

  // Of each square of 2 kHalf rows and columns: the upper right quarter for the lower left one;
  // then the same of the quarters.
  template <int64_t kHalf>
  [[gnu::always_inline]] static void SwapQuarters(Vector* rows) {
    constexpr auto lanes = std::make_integer_sequence<int64_t, kLanes>();
    for (int64_t i = 0; i < kLanes; ++i) {
      if ((i & kHalf) != 0) continue;
      const Vector high = rows[i], low = rows[i + kHalf];
      rows[i] = Upper<kHalf>(high, low, lanes);
      rows[i + kHalf] = Lower<kHalf>(high, low, lanes);
    }
    if constexpr (kHalf > 1) SwapQuarters<kHalf / 2>(rows);
  }

  template <int64_t kHalf, int64_t... kLane>
  [[gnu::always_inline]] static Vector Upper(Vector high, Vector low,
                                             std::integer_sequence<int64_t, kLane...>) {
    return __builtin_shufflevector(high, low,
                                   ((kLane & kHalf) == 0 ? kLane : kLanes + kLane - kHalf)...);
  }

  template <int64_t kHalf, int64_t... kLane>
  [[gnu::always_inline]] static Vector Lower(Vector high, Vector low,
                                             std::integer_sequence<int64_t, kLane...>) {
    return __builtin_shufflevector(high, low,
                                   ((kLane & kHalf) == 0 ? kLane + kHalf : kLanes + kLane)...);
  }

  // kRows rows of a, as a tile reads them: packed from rows[0] on, or where they are.
  struct Strip {
    const char* rows[kRows];
    const int64_t* runs;  // bytes from where a row begins to each run
    int64_t num_runs, run;
  };

  // Some columns of b, as a tile reads them: `row` bytes from factor to factor, vectors side by
  // side, but that the last one is `last` bytes from the first one.
  struct Panel {
    const char* data;
    int64_t row, last;
  };

  static constexpr int64_t kFromItsBeginning[] = {0};

  // The rows from i on; those after the last one are the last one again. `packed`: PackA's.
  Strip StripOf(const Product& p, int64_t i, const T* packed) const {
    if (!RowsAreInPlace()) {
      return {{reinterpret_cast<const char*>(packed)}, kFromItsBeginning, 1, p.inner};
    }
    Strip strip = {{}, kFromItsBeginning, 1, p.inner};
    if (p.HasRuns()) strip = {{}, p.a_runs, p.inner / p.run, p.run};
    for (int64_t r = 0; r < kRows; ++r) {
      const int64_t row = Least(i + r, p.rows - 1);
      strip.rows[r] = p.a + (p.HasRuns() ? p.a_rows[row] : row * p.a_row);
    }
    return strip;
  }

  template <int kCount, bool kPacked>
  void MultiplyPanel(const Product& p, const Panel& panel, bool first) const {
    if constexpr (kCount > 1) {
      if (VectorsFor(p.columns) < kCount)
        return MultiplyPanel<kCount - 1, kPacked>(p, panel, first);
    }
    const T* packed = packed_a_;
    for (int64_t i = 0; i < p.rows; i += kRows, packed += p.inner * kRows) {
      const int64_t rows = Least(kRows, p.rows - i);
      const Strip strip = StripOf(p, i, packed);
      char* const c = p.c + i * p.c_row;
      if (p.columns < kLanes || p.c_column != kItem) {
        MultiplyEdge<kCount, kPacked>(p, strip, panel, rows, c, first);
      } else {
        const int64_t last = (p.columns - kLanes) * kItem;
        MultiplyTile<kCount, kPacked>(strip, panel, rows, c, p.c_row, last, first);
      }
    }
  }

  // A tile that lies otherwise, or is less than a vector wide: through one that is.
  template <int kCount, bool kPacked>
  static void MultiplyEdge(const Product& p, const Strip& strip, const Panel& panel, int64_t rows,
                           char* c, bool first) {
    constexpr int64_t kWidth = kCount * kLanes;
    T tile[kRows * kWidth] __attribute__((aligned(64)));
    for (int64_t i = 0; i < rows && !first; ++i) {
      T* const row = tile + i * kWidth;
      CopyRow<kLanes>(c + i * p.c_row, p.c_column, reinterpret_cast<char*>(row), kItem, p.columns);
      for (int64_t j = p.columns; j < kLanes; ++j) row[j] = row[p.columns - 1];
    }
    const int64_t last = p.columns < kLanes ? 0 : p.columns - kLanes;
    char* const found = reinterpret_cast<char*>(tile);
    MultiplyTile<kCount, kPacked>(strip, panel, rows, found, kWidth * kItem, last * kItem, first);
    for (int64_t i = 0; i < rows; ++i) {
      CopyRow<kLanes>(found + i * kWidth * kItem, kItem, c + i * p.c_row, p.c_column, p.columns);
    }
  }

  // n elements. Fewer than a vector side by side: as two pieces that overlap.
  template <int64_t kMost>
  static void CopyRow(const char* from, int64_t from_stride, char* to, int64_t to_stride,
                      int64_t n) {
    if (from_stride != kItem || to_stride != kItem || n > kMost) {
      for (int64_t j = 0; j < n; ++j) At<T>(to + j * to_stride) = At<T>(from + j * from_stride);
    } else if constexpr (kMost > 1) {
      constexpr int64_t kHalf = kMost / 2;
      if (n < kHalf) return CopyRow<kHalf>(from, kItem, to, kItem, n);
      __builtin_memcpy(to, from, kHalf * kItem);
      __builtin_memcpy(to + (n - kHalf) * kItem, from + (n - kHalf) * kItem, kHalf * kItem);
    } else {
      At<T>(to) = At<T>(from);
    }
  }

  // `rows` rows of kCount vectors of the result, the last of which is `last` bytes from the first.
  template <int kCount, bool kPacked>
  static void MultiplyTile(const Strip& strip, const Panel& panel, int64_t rows, char* c,
                           int64_t c_row, int64_t last, bool first) {
    Vector sums[kRows][kCount];
    for (int i = 0; i < kRows; ++i) {
      const char* const row = c + Least(i, rows - 1) * c_row;
      for (int v = 0; v < kCount; ++v) {
        sums[i][v] = first ? Vector{} : At<Vector>(row + (v + 1 < kCount ? v * kRegister : last));
      }
    }
    const char* b = panel.data;
    const int64_t b_row = panel.row, b_last = panel.last, run = strip.run;
    const char* a[kRows];
    for (int i = 0; i < kRows; ++i) a[i] = kPacked ? strip.rows[0] + i * kItem : strip.rows[i];
    constexpr int64_t kNext = kPacked ? kRows * kItem : kItem;
    for (int64_t r = 0; r < strip.num_runs; ++r) {
      const int64_t begin = strip.runs[r], end = begin + run * kNext;
      for (int64_t at = begin; at != end; at += kNext, b += b_row) {
        Vector row[kCount];
        for (int v = 0; v < kCount; ++v) {
          row[v] = At<Vector>(b + (v + 1 < kCount ? v * kRegister : b_last));
        }
        for (int i = 0; i < kRows; ++i) {
          const T factor = At<T>(a[i] + at);
          for (int v = 0; v < kCount; ++v) sums[i][v] += factor * row[v];
        }
      }
    }
    for (int i = 0; i < kRows; ++i) {
      if (i == rows) break;
      char* const row = c + i * c_row;
      for (int v = 0; v < kCount; ++v) {
        At<Vector>(row + (v + 1 < kCount ? v * kRegister : last)) = sums[i][v];
      }
    }
  }

  static void MultiplyTiny(const Product& product) {
    const bool other = product.b_column != kItem && product.a_row == kItem;
    const Product p = other ? Transposed(product) : product;
    for (int64_t i = 0; i < p.rows; ++i) MultiplyRow(PartOf(p, i, 1, 0, p.columns));
  }

  // Up to so many rows each element of b is read once where it lies: nothing is worth a copy.
  static constexpr int64_t kRowsTogether = 4;

  static void MultiplyRows(const Product& p) {
    if (p.rows == 1) return MultiplyRow(p);
    if (p.rows == 2) return MultiplyTogether<2>(p);
    if (p.rows == 3) return MultiplyTogether<3>(p);
    MultiplyTogether<4>(p);
  }

  template <int kTogether>
  static void MultiplyTogether(const Product& p) {
    // As many sums as a tile has, which registers hold; but rows of b are read in pieces of four
    // vectors at least, which was quicker where registers are few.
    constexpr int64_t kHeld = kRows * kVectors / kTogether;
    constexpr int kCount = static_cast<int>(Least(kHeld < 4 ? 4 : kHeld, kWide));
    if (p.columns < kLanes) {
      for (int64_t i = 0; i < kTogether; ++i) MultiplyRow(PartOf(p, i, 1, 0, p.columns));
      return;
    }
    int64_t j = 0;
    for (; p.columns - j > kCount * kLanes; j += kCount * kLanes) {
      SumVectors<kTogether, kCount>(p, j, j + (kCount - 1) * kLanes);
    }
    SumLastVectors<kTogether, kCount>(p, j);
  }

  // One row: every element of b is read once.
  static void MultiplyRow(const Product& p) {
    if (p.b_column == kItem && p.columns >= kLanes) return MultiplyTogether<1>(p);
    int64_t j = 0;
    if (p.b_inner == kItem && p.inner >= kLanes) {
      for (; j + 2 * kLanes <= p.columns; j += 2 * kLanes) SumTurned<2>(p, j);
      for (; j + kLanes <= p.columns; j += kLanes) SumTurned<1>(p, j);
    }
    for (; j + kChains <= p.columns; j += kChains) SumChains<kChains>(p, j);
    for (; j + kFewChains <= p.columns; j += kFewChains) SumChains<kFewChains>(p, j);
    for (; j < p.columns; ++j) SumChains<1>(p, j);
  }

  // Sums that are under way at once, as each waits for its own last addition.
  static constexpr int kWide = 8;
  static constexpr int kChains = 8;
  static constexpr int kFewChains = 4;

  // Columns from j on, which are the last ones, in kMost vectors at most.
  template <int kTogether, int kMost>
  static void SumLastVectors(const Product& p, int64_t j) {
    if constexpr (kMost > 1) {
      if (p.columns - j <= (kMost - 1) * kLanes) {
        return SumLastVectors<kTogether, kMost - 1>(p, j);
      }
    }
    SumVectors<kTogether, kMost>(p, j, p.columns - kLanes);
  }

  // Vectors of columns that follow each other from j on, but that the last one begins at `last`:
  // columns that it has in common with the one before are computed twice.
  template <int kTogether, int kCount>
  static void SumVectors(const Product& p, int64_t j, int64_t last) {
    Vector sums[kTogether][kCount] = {};
    const char* a = p.a;
    const char* b = p.b + j * kItem;
    const char* b_last = p.b + last * kItem;
    for (int64_t k = 0; k < p.inner; ++k, a += p.a_inner, b += p.b_inner, b_last += p.b_inner) {
      for (int v = 0; v < kCount; ++v) {
        const Vector row = At<Vector>(v + 1 < kCount ? b + v * kRegister : b_last);
        for (int i = 0; i < kTogether; ++i) sums[i][v] += At<T>(a + i * p.a_row) * row;
      }
    }
    for (int i = 0; i < kTogether; ++i) {
      const Product row = PartOf(p, i, 1, 0, p.columns);
      const char* const of_row = reinterpret_cast<const char*>(sums[i]);
      Store<(kCount - 1) * kLanes>(row, j, of_row);
      Store<kLanes>(row, last, of_row + (kCount - 1) * kRegister);
    }
  }

  // Columns each of which lies side by side, in kSquares vectors: squares of b, as many factors of
  // as many columns as a vector has elements, are turned in registers.
  template <int kSquares>
  static void SumTurned(const Product& p, int64_t j) {
    Vector sums[kSquares] = {};
    const char* const b = p.b + j * p.b_column;
    int64_t k = 0;
    for (; k + kLanes <= p.inner; k += kLanes) {
      for (int s = 0; s < kSquares; ++s) {
        Vector rows[kLanes];
        for (int64_t i = 0; i < kLanes; ++i) {
          rows[i] = At<Vector>(b + (s * kLanes + i) * p.b_column + k * kItem);
        }
        SwapQuarters<kLanes / 2>(rows);
        for (int64_t i = 0; i < kLanes; ++i) {
          sums[s] += At<T>(p.a + (k + i) * p.a_inner) * rows[i];
        }
      }
    }
    for (; k < p.inner; ++k) {
      for (int s = 0; s < kSquares; ++s) {
        Vector row;
        for (int64_t i = 0; i < kLanes; ++i) {
          row[i] = At<T>(b + (s * kLanes + i) * p.b_column + k * kItem);
        }
        sums[s] += At<T>(p.a + k * p.a_inner) * row;
      }
    }
    Store<kSquares * kLanes>(p, j, reinterpret_cast<const char*>(sums));
  }

  template <int kCount>
  static void SumChains(const Product& p, int64_t j) {
    T sums[kCount] = {};
    const char* a = p.a;
    const char* b = p.b + j * p.b_column;
    for (int64_t k = 0; k < p.inner; ++k, a += p.a_inner, b += p.b_inner) {
      for (int s = 0; s < kCount; ++s) sums[s] += At<T>(a) * At<T>(b + s * p.b_column);
    }
    Store<kCount>(p, j, reinterpret_cast<const char*>(sums));
  }

  template <int64_t kCount>
  static void Store(const Product& p, int64_t j, const char* sums) {
    for (int64_t s = 0; s < kCount; ++s) {
      At<T>(p.c + (j + s) * p.c_column) = At<T>(sums + s * kItem);
    }
  }

  const Product p_;
  T* const packed_b_;
  T* const packed_a_;
};

}  // namespace
}  // namespace dynacc::cpu
