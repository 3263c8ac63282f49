// The CUDA prelude, part 8: matrix products, in tiles that a block keeps in shared memory. Each
// thread has 4 by 4 elements of its block's 64 by 64 in registers. An element's products are added
// from first to last, so that the bits do not depend on the device.
// No part of what elementwise kernels include: only modules of products ask for it.
#if defined(DYNACC_MATMUL)

// a[m, k] times b[k, n], for each place of the leading axes (axis 0 is the fastest). Strides in
// bytes, of any sign, or 0.
struct MatmulOperands {
  const char* a;
  const char* b;
  char* out;
  int64_t m, n, k;
  int64_t a_strides[2], b_strides[2], out_strides[2];  // along rows' numbers, along columns'
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank][3];
  int axes;
  int64_t products;
};

constexpr int kMatmulTile = 64;    // rows and columns of a block's part of the product
constexpr int kMatmulDepth = 16;   // products of each element between two barriers
constexpr int kMatmulThreads = 256;
constexpr int kMatmulOwn = 4;      // rows and columns of a thread's part, kMatmulLine apart
constexpr int kMatmulLine = 16;

// A tile of 64 lines of 16 elements: element (line, depth) is at depth * 65 + line, so that neither
// neighbouring lines nor neighbouring depths share a bank.
template <typename T>
struct MatmulTile {
  T* elements;

  static DYNACC_MEMBER int Place(int line, int depth) { return depth * (kMatmulTile + 1) + line; }
  DYNACC_MEMBER void Put(int line, int depth, const T& value) const {
    DYNACC_SHARED_ACCESS(&elements[Place(line, depth)], sizeof(T), true);
    elements[Place(line, depth)] = value;
  }
  DYNACC_MEMBER T Get(int line, int depth) const {
    DYNACC_SHARED_ACCESS(&elements[Place(line, depth)], sizeof(T), false);
    return elements[Place(line, depth)];
  }

  // Fills the tile from lines [first, first + 64) of `lines` and depths [begin, begin + 16) of
  // `depths`, zeros beyond. Neighbouring threads read along the shorter stride.
  DYNACC_MEMBER void Fill(const char* from, int64_t first, int64_t lines, int64_t line_stride,
                          int64_t begin, int64_t depths, int64_t depth_stride) const {
    const bool along_depth = Magnitude(depth_stride) < Magnitude(line_stride);
    for (int i = threadIdx.x; i < kMatmulTile * kMatmulDepth; i += kMatmulThreads) {
      const int line = along_depth ? i / kMatmulDepth : i % kMatmulTile;
      const int depth = along_depth ? i % kMatmulDepth : i / kMatmulTile;
      T value = T(0);
      if (first + line < lines && begin + depth < depths) {
        value = ReadGlobal<T>(from + (first + line) * line_stride + (begin + depth) * depth_stride);
      }
      Put(line, depth, value);
    }
  }
  static DYNACC_MEMBER int64_t Magnitude(int64_t stride) { return stride < 0 ? -stride : stride; }
};

DYNACC_INLINE float MultiplyAdd(float a, float b, float sum) { return fma(a, b, sum); }
DYNACC_INLINE double MultiplyAdd(double a, double b, double sum) { return fma(a, b, sum); }
template <typename T>
DYNACC_INLINE T MultiplyAdd(const T& a, const T& b, const T& sum) {
  return Add(sum, Multiply(a, b));
}

template <typename T>
DYNACC_INLINE void MatmulOfTile(const MatmulOperands& operands, const Offsets<3>& at, int64_t row,
                                int64_t column) {
  using A = Accumulator<T>;
  constexpr int kElements = kMatmulDepth * (kMatmulTile + 1);
  __shared__ Number memory[(2 * kElements * sizeof(T) + sizeof(Number) - 1) / sizeof(Number)];
  const MatmulTile<T> a{reinterpret_cast<T*>(memory)};
  const MatmulTile<T> b{a.elements + kElements};
  const int own_row = static_cast<int>(threadIdx.x) / kMatmulLine;
  const int own_column = static_cast<int>(threadIdx.x) % kMatmulLine;
  A sums[kMatmulOwn][kMatmulOwn];
  for (int i = 0; i < kMatmulOwn; ++i) {
    for (int j = 0; j < kMatmulOwn; ++j) sums[i][j] = A(0);
  }
  for (int64_t depth = 0; depth < operands.k; depth += kMatmulDepth) {
    __syncthreads();  // the tiles before may still be read
    a.Fill(operands.a + at.of[0], row, operands.m, operands.a_strides[0], depth, operands.k,
           operands.a_strides[1]);
    b.Fill(operands.b + at.of[1], column, operands.n, operands.b_strides[1], depth, operands.k,
           operands.b_strides[0]);
    __syncthreads();
    for (int d = 0; d < kMatmulDepth; ++d) {
      A of_a[kMatmulOwn], of_b[kMatmulOwn];
      for (int i = 0; i < kMatmulOwn; ++i) {
        of_a[i] = static_cast<A>(a.Get(own_row + i * kMatmulLine, d));
        of_b[i] = static_cast<A>(b.Get(own_column + i * kMatmulLine, d));
      }
      for (int i = 0; i < kMatmulOwn; ++i) {
        for (int j = 0; j < kMatmulOwn; ++j) {
          sums[i][j] = MultiplyAdd(of_a[i], of_b[j], sums[i][j]);
        }
      }
    }
  }
  for (int i = 0; i < kMatmulOwn; ++i) {
    for (int j = 0; j < kMatmulOwn; ++j) {
      const int64_t r = row + own_row + i * kMatmulLine, c = column + own_column + j * kMatmulLine;
      if (r >= operands.m || c >= operands.n) continue;
      WriteGlobal(operands.out + at.of[2] + r * operands.out_strides[0] + c * operands.out_strides[1],
                  static_cast<T>(sums[i][j]));
    }
  }
}

// Blocks take tiles of the products in turn.
template <typename T>
DYNACC_INLINE void MultiplyMatrices(const MatmulOperands& operands) {
  const int64_t down = (operands.m + kMatmulTile - 1) / kMatmulTile;
  const int64_t across = (operands.n + kMatmulTile - 1) / kMatmulTile;
  for (int64_t i = blockIdx.x; i < down * across * operands.products; i += gridDim.x) {
    Offsets<3> at = {};
    AddOffsets(operands.shape, operands.strides, 0, operands.axes,
               static_cast<uint64_t>(i / (down * across)), at);
    const int64_t tile = i % (down * across);
    MatmulOfTile<T>(operands, at, tile / across * kMatmulTile, tile % across * kMatmulTile);
  }
}

// Products by vectors have few elements, each a long sum: a block takes the sums in turn, and its
// threads share one. The order of the additions depends on sizes alone.
template <typename T>
DYNACC_INLINE void MultiplyByVectors(const MatmulOperands& operands) {
  using A = Accumulator<T>;
  const int64_t elements = operands.m * operands.n;
  for (int64_t i = blockIdx.x; i < elements * operands.products; i += gridDim.x) {
    Offsets<3> at = {};
    AddOffsets(operands.shape, operands.strides, 0, operands.axes,
               static_cast<uint64_t>(i / elements), at);
    const int64_t row = i % elements / operands.n, column = i % elements % operands.n;
    const char* const a = operands.a + at.of[0] + row * operands.a_strides[0];
    const char* const b = operands.b + at.of[1] + column * operands.b_strides[1];
    A sum(0);
    for (int64_t k = threadIdx.x; k < operands.k; k += kMatmulThreads) {
      sum = MultiplyAdd(static_cast<A>(ReadGlobal<T>(a + k * operands.a_strides[1])),
                        static_cast<A>(ReadGlobal<T>(b + k * operands.b_strides[0])), sum);
    }
    sum = ReduceBlock<ReduceSum>(sum);
    if (threadIdx.x != 0) continue;
    WriteGlobal(operands.out + at.of[2] + row * operands.out_strides[0] +
                    column * operands.out_strides[1],
                static_cast<T>(sum));
  }
}

#endif  // DYNACC_MATMUL
