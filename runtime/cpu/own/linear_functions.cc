#include "runtime/cpu/own/linear_functions.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cpu {
namespace {

constexpr int64_t kMostRows = int64_t{1} << 30;  // LAPACK's ints

// Element [row, column] of the matrix at `place` of the leading axes; a vector is one column.
class Matrices {
 public:
  Matrices(const StridedView& view, int axes) : view_(view), leading_(view.rank - axes) {
    for (int axis = 0; axis < leading_; ++axis) count_ *= view.shape[axis];
    rows_ = axes > 0 ? view.shape[leading_] : 1;
    columns_ = axes > 1 ? view.shape[leading_ + 1] : 1;
    row_step_ = axes > 0 ? view.strides[leading_] : 0;
    column_step_ = axes > 1 ? view.strides[leading_ + 1] : 0;
  }

  int64_t count() const { return count_; }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }

  char* At(int64_t place) const {
    char* at = view_.data;
    for (int axis = leading_ - 1; axis >= 0; --axis) {
      at += place % view_.shape[axis] * view_.strides[axis];
      place /= view_.shape[axis];
    }
    return at;
  }

  // To and from memory by columns; T: float or double, the elements'.
  template <typename T>
  void Read(int64_t place, double* to) const {
    const char* const from = At(place);
    for (int64_t j = 0; j < columns_; ++j) {
      for (int64_t i = 0; i < rows_; ++i) {
        T element;
        std::memcpy(&element, from + i * row_step_ + j * column_step_, sizeof element);
        *to++ = element;
      }
    }
  }
  template <typename T>
  void Write(int64_t place, const double* from) const {
    char* const to = At(place);
    for (int64_t j = 0; j < columns_; ++j) {
      for (int64_t i = 0; i < rows_; ++i) {
        const auto element = static_cast<T>(*from++);
        std::memcpy(to + i * row_step_ + j * column_step_, &element, sizeof element);
      }
    }
  }

 private:
  const StridedView& view_;
  int leading_;
  int64_t count_ = 1, rows_ = 1, columns_ = 1, row_step_ = 0, column_step_ = 0;
};

// What the functions work in, for one matrix.
struct Room {
  std::unique_ptr<double[]> a, b;
  std::unique_ptr<int[]> pivots;

  // False without memory.
  bool Allocate(int64_t rows, int64_t columns) {
    a.reset(new (std::nothrow) double[std::max<int64_t>(rows * rows, 1)]);
    b.reset(new (std::nothrow) double[std::max<int64_t>(rows * columns, 1)]);
    pivots.reset(new (std::nothrow) int[std::max<int64_t>(rows, 1)]);
    return a != nullptr && b != nullptr && pivots != nullptr;
  }
};

absl::Status Singular() { return absl::AbortedError("a singular matrix"); }

absl::Status SolveOne(const LapackFunctions& lapack, int n, int columns, Room& room) {
  int info = 0;
  const int rows = std::max(n, 1);
  lapack.gesv(&n, &columns, room.a.get(), &rows, room.pivots.get(), room.b.get(), &rows, &info);
  return info == 0 ? absl::OkStatus() : Singular();
}

// As numpy.linalg.det: from the logarithms of the diagonal's elements.
double DeterminantOf(const LapackFunctions& lapack, int n, Room& room) {
  int info = 0;
  const int rows = std::max(n, 1);
  lapack.getrf(&n, &n, room.a.get(), &rows, room.pivots.get(), &info);
  if (info > 0) return 0;
  bool is_negative = false;
  for (int i = 0; i < n; ++i) is_negative ^= room.pivots[i] != i + 1;
  double logarithm = 0;
  for (int i = 0; i < n; ++i) {
    double element = room.a[static_cast<int64_t>(i) * n + i];
    if (element < 0) {
      is_negative = !is_negative;
      element = -element;
    }
    logarithm += std::log(element);
  }
  return (is_negative ? -1.0 : 1.0) * std::exp(logarithm);
}

absl::Status CholeskyOf(const LapackFunctions& lapack, int n, Room& room) {
  int info = 0;
  const int rows = std::max(n, 1);
  lapack.potrf("L", &n, room.a.get(), &rows, &info, 1);
  if (info != 0) return absl::AbortedError("a matrix that is not positive definite");
  for (int column = 1; column < n; ++column) {
    double* const above = room.a.get() + static_cast<int64_t>(column) * n;
    std::fill(above, above + column, 0.0);
  }
  return absl::OkStatus();
}

enum class Kind : uint8_t { kSolve, kInverse, kDeterminant, kCholesky };

template <typename T>
absl::Status RunOf(Kind kind, const LapackFunctions& lapack, absl::Span<const StridedView> operands,
                   const StridedView& result) {
  const Matrices a(operands[0], 2);
  const int n = static_cast<int>(a.rows());
  const int axes = kind == Kind::kSolve ? result.rank - operands[0].rank + 2 : 2;
  const Matrices right(operands.back(), axes);
  const Matrices to(result, kind == Kind::kDeterminant ? 0 : axes);
  const int64_t columns = kind == Kind::kSolve ? right.columns() : n;
  const bool fits = a.rows() == a.columns() && a.rows() < kMostRows && columns < kMostRows &&
                    right.rows() == n && right.count() == a.count() && to.count() == a.count() &&
                    (kind == Kind::kDeterminant || (to.rows() == n && to.columns() == columns));
  if (!fits) return absl::AbortedError("matrices that are not square, or of other sizes");
  Room room;
  if (!room.Allocate(n, columns)) return absl::ResourceExhaustedError("no memory for a matrix");
  for (int64_t place = 0; place < a.count(); ++place) {
    a.Read<T>(place, room.a.get());
    if (kind == Kind::kSolve) right.Read<T>(place, room.b.get());
    if (kind == Kind::kInverse) {
      std::fill_n(room.b.get(), static_cast<int64_t>(n) * n, 0.0);
      for (int i = 0; i < n; ++i) room.b[static_cast<int64_t>(i) * n + i] = 1;
    }
    if (kind == Kind::kDeterminant) {
      const double determinant = DeterminantOf(lapack, n, room);
      to.Write<T>(place, &determinant);
    } else if (kind == Kind::kCholesky) {
      DYNACC_RETURN_IF_ERROR(CholeskyOf(lapack, n, room));
      to.Write<T>(place, room.a.get());
    } else {
      DYNACC_RETURN_IF_ERROR(SolveOne(lapack, n, static_cast<int>(columns), room));
      to.Write<T>(place, room.b.get());
    }
  }
  return absl::OkStatus();
}

// Null: there is no such function.
const Kind* KindOf(absl::string_view name) {
  struct Row {
    absl::string_view name;
    Kind kind;
  };
  static constexpr Row kRows[] = {{"linalg.solve", Kind::kSolve},
                                  {"linalg.inv", Kind::kInverse},
                                  {"linalg.det", Kind::kDeterminant},
                                  {"linalg.cholesky", Kind::kCholesky}};
  for (const Row& row : kRows) {
    if (row.name == name) return &row.kind;
  }
  return nullptr;
}

}  // namespace

std::string WhyNotLinear(const OwnCall& call, absl::Span<const OperandType> operands,
                         OperandType result) {
  const Kind* const kind = KindOf(call.function);
  if (kind == nullptr) return absl::StrCat("there is no function ", call.function);
  if (operands.size() != (*kind == Kind::kSolve ? 2 : 1) || !call.numbers.empty()) {
    return "it takes other operands";
  }
  const DType dtype = operands[0].dtype;
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) {
    return absl::StrCat("it is not there for ", Info(dtype).text);
  }
  const int rank = operands[0].rank, last = operands.back().rank;
  if (operands.back().dtype != dtype || result.dtype != dtype) return "the types differ";
  if (rank < 2) return "it takes matrices";
  const int given = *kind == Kind::kDeterminant ? rank - 2 : last;
  const bool fits = result.rank == given && (last == rank || (rank == 2 && last == 1));
  return fits ? "" : "it takes matrices of one number of axes, or one matrix and a vector";
}

absl::Status RunLinear(const OwnCall& call, const Lapack& lapack,
                       absl::Span<const StridedView> operands, const StridedView& result) {
  const Kind kind = *KindOf(call.function);
  return operands[0].dtype == DType::kFloat32
             ? RunOf<float>(kind, lapack.functions(), operands, result)
             : RunOf<double>(kind, lapack.functions(), operands, result);
}

}  // namespace dynacc::cpu
