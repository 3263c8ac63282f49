#include "frontend/numpy/trace/numpy_tensor.h"

#include <algorithm>

namespace dynacc::numpy {

COrder Combine(const COrder& a, const COrder& b) {
  if (!a || !b) return std::nullopt;
  COrder both = a;
  for (const sources::Source* source : *b) {
    if (std::find(both->begin(), both->end(), source) == both->end()) both->push_back(source);
  }
  return both;
}

bool RequireCOrder(symbolic::TraceContext& trace, symbolic::TensorValue* tensor) {
  const COrder& c_order = AsNumpy(tensor)->c_order;
  if (!c_order) return false;
  for (const sources::Source* source : *c_order)
    trace.AddGuard(guards::GuardKind::kContiguous, source);
  return true;
}

}  // namespace dynacc::numpy
