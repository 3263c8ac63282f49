#include "frontend/arrays/run_scope.h"

#include "absl/algorithm/container.h"

namespace dynacc::arrays {
namespace {

thread_local RunScope* current = nullptr;

}  // namespace

RunScope::RunScope(absl::Span<const BorrowedRef> objects) : objects_(objects), outer_(current) {
  current = this;
}

RunScope::~RunScope() {
  current = outer_;
  if (changes_.empty()) return;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
    change->undo();
    PyErr_Clear();
  }
  PyErr_Restore(type, value, traceback);
}

RunScope* RunScope::Current() { return current; }

BorrowedRef RunScope::made(int number) const {
  for (const auto& [key, object] : made_) {
    if (key == number) return object.get();
  }
  return nullptr;
}

bool RunScope::Knows(BorrowedRef object) const {
  return absl::c_any_of(changes_,
                        [&](const Change& change) { return change.object.get() == object; });
}

void RunScope::NoteUndo(Ref object, std::function<void()> undo) {
  changes_.push_back({std::move(object), std::move(undo)});
}

}  // namespace dynacc::arrays
