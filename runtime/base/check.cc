#include "runtime/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace dynacc {

CheckFailure::CheckFailure(const char* file, int line, const char* condition) {
  stream_ << "dynacc: internal error at " << file << ":" << line << ": " << condition << " ";
}

CheckFailure::~CheckFailure() {
  stream_ << "\ndynacc: this is a bug of DynaCC, not of your program; DYNACC_DISABLE=1 runs "
             "without it. Please report it with the line above.\n";
  std::fputs(stream_.str().c_str(), stderr);
  std::abort();
}

}  // namespace dynacc
