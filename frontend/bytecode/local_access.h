// Which locals an instruction reads and writes.
#pragma once

#include <array>

#include "absl/types/span.h"
#include "frontend/cpython/bytecode_format.h"

namespace dynacc::bytecode {

struct LocalAccess {
  int local;    // index into localsplus
  bool reads;   // its value matters: it is loaded, or an unbound one raises
  bool writes;  // its value is replaced
};

// The accesses of one instruction, in their order: at most two.
class LocalAccesses {
 public:
  explicit LocalAccesses(const Instruction& at) { Find(at); }

  const LocalAccess* begin() const { return accesses_.data(); }
  const LocalAccess* end() const { return accesses_.data() + count_; }

 private:
  void Find(const Instruction& at);
  void Add(int local, bool reads, bool writes) { accesses_[count_++] = {local, reads, writes}; }

  std::array<LocalAccess, 2> accesses_ = {};
  int count_ = 0;
};

}  // namespace dynacc::bytecode
