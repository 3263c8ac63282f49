// A LAPACK library: opened at run time, as programs that need one name it.
//
// What a decomposition's bits are depends on the library and on the BLAS behind it. So a program
// names the very one that NumPy had, and whoever writes it compares the two (HasBitsOf).
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace dynacc::cpu {

// Fortran's functions, with ints of 32 bits. Matrices lie by columns. NumPy computes float32 in
// double, too.
struct LapackFunctions {
  void (*gesv)(const int* n, const int* nrhs, double* a, const int* lda, int* pivots, double* b,
               const int* ldb, int* info);
  void (*getrf)(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info);
  void (*potrf)(const char* uplo, const int* n, double* a, const int* lda, int* info, size_t);
};

class Lapack {
 public:
  // `name`: of a library where the system looks for them, "liblapack.so.3". INVALID_ARGUMENT for a
  // path or another kind of name, as programs' files name libraries; UNAVAILABLE if there is no
  // such library, or it is none with these functions. It stays open until the process ends.
  static absl::StatusOr<std::shared_ptr<const Lapack>> Open(const std::string& name);

  const std::string& name() const { return name_; }
  const LapackFunctions& functions() const { return functions_; }

 private:
  std::string name_;
  LapackFunctions functions_ = {};
};

}  // namespace dynacc::cpu
