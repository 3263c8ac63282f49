#include "frontend/numpy/trace/numpy_tensor.h"

#include <algorithm>

namespace dynacc {

COrder Combine(const COrder& a, const COrder& b) {
  if (!a || !b) return std::nullopt;
  COrder both = a;
  for (const Source* source : *b) {
    if (std::find(both->begin(), both->end(), source) == both->end()) both->push_back(source);
  }
  return both;
}

bool RequireCOrder(TraceContext& trace, TensorValue* tensor) {
  const COrder& c_order = AsNumpy(tensor)->c_order;
  if (!c_order) return false;
  for (const Source* source : *c_order) trace.AddGuard(GuardKind::kContiguous, source);
  return true;
}

}  // namespace dynacc
