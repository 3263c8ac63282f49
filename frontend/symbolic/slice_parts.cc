#include "frontend/symbolic/slice_parts.h"

namespace dynacc::symbolic {

SliceValue* SliceFrom(TraceContext& trace, Value* value) {
  if (auto* slice = As<SliceValue>(value)) return slice;
  const auto* constant = As<ConstantValue>(value);
  if (constant == nullptr || !PySlice_Check(constant->object.get())) return nullptr;
  const auto* object = reinterpret_cast<PySliceObject*>(constant->object.get());
  const auto part = [&](PyObject* part) { return trace.New<ConstantValue>(Ref::New(part)); };
  return trace.New<SliceValue>(part(object->start), part(object->stop), part(object->step));
}

}  // namespace dynacc::symbolic
