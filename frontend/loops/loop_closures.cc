#include "frontend/loops/loop_closures.h"

namespace dynacc::loops {

ClosureGuard GuardOf(BorrowedRef function) {
  const auto* made = reinterpret_cast<PyFunctionObject*>(function);
  ClosureGuard guard = {
      function, made->func_code, made->func_builtins, made->func_defaults, made->func_kwdefaults,
      {}};
  const Py_ssize_t count = made->func_closure == nullptr ? 0 : PyTuple_GET_SIZE(made->func_closure);
  for (Py_ssize_t i = 0; i < count; ++i) {
    guard.cells.push_back(PyTuple_GET_ITEM(made->func_closure, i));
  }
  return guard;
}

// One for one: what the loop's program takes for two objects, or for the same, is so in this run.
bool ClosureMap::Add(BorrowedRef then, BorrowedRef now) {
  for (const auto& [one_then, one_now] : pairs_) {
    if (one_then == then || one_now == now) return one_then == then && one_now == now;
  }
  pairs_.emplace_back(then, now);
  return true;
}

bool ClosureMap::AddFunction(const ClosureGuard& guard, BorrowedRef globals, BorrowedRef object) {
  if (object == nullptr || !PyFunction_Check(object)) return false;
  const ClosureGuard now = GuardOf(object);
  if (now.code != guard.code || now.builtins != guard.builtins || now.defaults != guard.defaults ||
      now.keyword_defaults != guard.keyword_defaults || now.cells.size() != guard.cells.size() ||
      PyFunction_GET_GLOBALS(object) != globals || !Add(guard.function, object)) {
    return false;
  }
  for (size_t i = 0; i < now.cells.size(); ++i) {
    if (!Add(guard.cells[i], now.cells[i])) return false;
  }
  return true;
}

BorrowedRef ClosureMap::Now(BorrowedRef then) const {
  for (const auto& [one_then, one_now] : pairs_) {
    if (one_then == then) return one_now;
  }
  return then;
}

}  // namespace dynacc::loops
