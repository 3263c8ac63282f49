#include "frontend/capture/input_values.h"

namespace dynacc::capture {

StridedView ReadView(const arrays::ArrayNamespace& arrays, BorrowedRef object) {
  StridedView view;
  alignas(16) char storage[16];
  arrays.Read(object, &view, storage);
  return view;
}

bool ReadNumber(const symbolic::ScalarInput& input, const sources::SourceRoots& roots,
                const arrays::ArrayNamespace& arrays, ScalarValue& value) {
  BorrowedRef object = sources::ResolveSource(*input.source, roots);
  if (object == nullptr) return false;
  value.i = 0;
  if (input.from == symbolic::ScalarInput::From::kFloat) {
    value.f = PyFloat_Check(object) ? PyFloat_AS_DOUBLE(object) : 0.0;
    return PyFloat_Check(object);
  }
  if (input.from == symbolic::ScalarInput::From::kDim ||
      input.from == symbolic::ScalarInput::From::kStride) {
    if (!arrays.IsArray(object)) return false;
    const StridedView view = ReadView(arrays, object);
    const bool is_size = input.from == symbolic::ScalarInput::From::kDim;
    if (input.axis < view.rank) value.i = (is_size ? view.shape : view.strides)[input.axis];
    return input.axis < view.rank;
  }
  const Ref index = Ref::Steal(PyNumber_Index(object));
  if (index) value.i = PyLong_AsLongLong(index.get());
  const bool known = index && !(value.i == -1 && PyErr_Occurred() != nullptr);
  PyErr_Clear();
  return known;
}

}  // namespace dynacc::capture
