// DYNACC_CHECK: an invariant of DynaCC itself. A failure is a compiler bug, never the user's
// error: it prints what to report and aborts. User errors are absl::Status or Python exceptions.
#pragma once

#include <sstream>

namespace dynacc {

// Collects the streamed message of a failed check; its destructor prints it and aborts.
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition);
  [[noreturn]] ~CheckFailure();
  std::ostream& stream() { return stream_; }

 private:
  std::ostringstream stream_;
};

}  // namespace dynacc

#define DYNACC_CHECK(condition)          \
  if (__builtin_expect(!(condition), 0)) \
  ::dynacc::CheckFailure(__FILE__, __LINE__, #condition).stream()
