#include "frontend/cache/size_marks.h"

#include "absl/container/flat_hash_map.h"

namespace dynacc::cache {
namespace {

using Marks = absl::flat_hash_map<int, SizeMark>;  // by axis

absl::flat_hash_map<const void*, Marks>& AllMarks() {
  static auto& marks = *new absl::flat_hash_map<const void*, Marks>;
  return marks;
}

}  // namespace

void SetSizeMark(BorrowedRef array, int axis, SizeMark mark) { AllMarks()[array][axis] = mark; }

void DropSizeMarks(const void* array) { AllMarks().erase(array); }

const SizeMark* FindSizeMark(BorrowedRef array, int axis) {
  const auto marks = AllMarks().find(array);
  if (marks == AllMarks().end()) return nullptr;
  const auto mark = marks->second.find(axis);
  return mark == marks->second.end() ? nullptr : &mark->second;
}

}  // namespace dynacc::cache
