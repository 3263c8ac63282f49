// Guards on the keys of a dict and the members of a set: DictKeys, SetTable.
#pragma once

#include "frontend/guards/check.h"

namespace dynacc {

// The object is the tuple of the keys, plain constants.
template <>
struct GuardCheck<GuardKind::kDictKeys> {
  static bool Check(const Guard& guard, BorrowedRef value);
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kSetTable> {
  static bool Check(const Guard& guard, BorrowedRef value);
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

}  // namespace dynacc
