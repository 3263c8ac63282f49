#include "frontend/frame_state/frame_state.h"

#include "frontend/cpython/deque_access.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/iterators.h"
#include "frontend/cpython/private_api.h"
#include "frontend/cpython/set_table.h"
#include "runtime/base/check.h"
#include "runtime/executor/copy_step.h"

namespace dynacc::frame_state {
namespace {

struct Maker {
  const FrameState& frame_state;
  const FrameStateInputs& inputs;
  FrameStateResults& results;

  BorrowedRef item(const FrameStateStep& step, size_t i) const {
    return results[step.items[i]].get();
  }
  ScalarValue scalar(const FrameStateStep& step) const { return inputs.scalars[step.a]; }
};

Ref MakeLoad(const Maker& maker, const FrameStateStep& step) {
  return Ref::New(maker.inputs.slots[step.a]);
}

// Empty if it is gone, or about to be: a code object frees what others have hung on it, which may
// run Python code, before it empties its weak references.
Ref MakeConstant(const Maker& maker, const FrameStateStep& step) {
  BorrowedRef object = maker.frame_state.constants[step.a].get();
  return object == nullptr || Py_REFCNT(object) > 0 ? Ref::New(object) : Ref();
}

Ref MakeInt(const Maker& maker, const FrameStateStep& step) {
  return Ref::Steal(PyLong_FromLongLong(maker.scalar(step).i));
}

Ref MakeFloat(const Maker& maker, const FrameStateStep& step) {
  return Ref::Steal(PyFloat_FromDouble(maker.scalar(step).f));
}

Ref MakeBool(const Maker& maker, const FrameStateStep& step) {
  return Ref::Steal(PyBool_FromLong(maker.scalar(step).i));
}

Ref MakeOutput(const Maker& maker, const FrameStateStep& step) {
  return maker.inputs.outputs[step.a];
}

Ref MakeView(const Maker& maker, const FrameStateStep& step) {
  BorrowedRef base = maker.item(step, 0);
  StridedView memory, view;
  alignas(16) char storage[16];
  maker.inputs.arrays->Read(base, &memory, storage);
  const ViewSpec& spec = maker.frame_state.views[step.a];
  if (!ApplyViewSpec(spec, maker.inputs.scalars, memory, &view)) return {};
  return Ref::Steal(maker.inputs.arrays->NewView(base, view, spec.is_native));
}

Ref MakeTuple(const Maker& maker, const FrameStateStep& step) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(step.items.size()));
  if (tuple == nullptr) return {};
  for (size_t i = 0; i < step.items.size(); ++i) {
    PyTuple_SET_ITEM(tuple, i, Py_NewRef(maker.item(step, i)));
  }
  return Ref::Steal(tuple);
}

Ref MakeList(const Maker& maker, const FrameStateStep& step) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(step.items.size()));
  if (list == nullptr) return {};
  for (size_t i = 0; i < step.items.size(); ++i) {
    PyList_SET_ITEM(list, i, Py_NewRef(maker.item(step, i)));
  }
  return Ref::Steal(list);
}

Ref MakeDict(const Maker& maker, const FrameStateStep& step) {
  Ref dict = Ref::Steal(PyDict_New());
  if (!dict) return {};
  for (size_t i = 0; i + 1 < step.items.size(); i += 2) {
    if (PyDict_SetItem(dict.get(), maker.item(step, i), maker.item(step, i + 1)) < 0) return {};
  }
  return dict;
}

Ref MakeTupleSubclass(const Maker& maker, const FrameStateStep& step) {
  auto* cls = reinterpret_cast<PyTypeObject*>(maker.item(step, 0));
  Ref args = Ref::Steal(PyTuple_Pack(1, maker.item(step, 1)));
  return args ? Ref::Steal(PyTuple_Type.tp_new(cls, args.get(), nullptr)) : Ref();
}

Ref MakeSet(const Maker& maker, const FrameStateStep& step) {
  std::vector<BorrowedRef> members;
  for (size_t i = 1; i < step.items.size(); ++i) members.push_back(maker.item(step, i));
  return SetOfShape(maker.item(step, 0), members);
}

// By the tp_new of the nearest base that is written in C, and of exceptions without an __init__ of
// their own its tp_init, which fills in what is in no attribute: no code of the user's runs.
Ref MakeInstance(const Maker& maker, const FrameStateStep& step) {
  auto* cls = reinterpret_cast<PyTypeObject*>(maker.item(step, 0));
  PyTypeObject* base = BuiltinBase(cls);
  Ref args = step.items.size() > 1 ? Ref::New(maker.item(step, 1)) : Ref::Steal(PyTuple_New(0));
  Ref made = args ? Ref::Steal(base->tp_new(cls, args.get(), nullptr)) : Ref();
  const bool has_init =
      PyExceptionClass_Check(reinterpret_cast<PyObject*>(cls)) && cls->tp_init == base->tp_init;
  if (made && has_init && cls->tp_init(made.get(), args.get(), nullptr) < 0) return {};
  return made;
}

Ref MakeFill(const Maker& maker, const FrameStateStep& step) {
  const int failed =
      PyObject_GenericSetAttr(maker.item(step, 0), maker.item(step, 1), maker.item(step, 2));
  return failed ? Ref() : Ref::New(Py_None);
}

Ref MakeSlice(const Maker& maker, const FrameStateStep& step) {
  return Ref::Steal(PySlice_New(maker.item(step, 0), maker.item(step, 1), maker.item(step, 2)));
}

Ref MakeRange(const Maker& maker, const FrameStateStep& step) {
  return Ref::Steal(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyRange_Type),
                                                 maker.item(step, 0), maker.item(step, 1),
                                                 maker.item(step, 2), nullptr));
}

Ref MakeIterator(const Maker& maker, const FrameStateStep& step) {
  Ref tuple = MakeTuple(maker, step);
  if (!tuple) return {};
  return Ref::Steal(PyObject_GetIter(tuple.get()));
}

Ref MakeRangeIterator(const Maker& maker, const FrameStateStep& step) {
  return Ref::Steal(PyObject_GetIter(maker.item(step, 0)));
}

// Not by its __setstate__, for which the list's end is the one that it has before the effects:
// perhaps short of that place.
Ref MakeListIterator(const Maker& maker, const FrameStateStep& step) {
  Ref iterator = Ref::Steal(PyObject_GetIter(maker.item(step, 0)));
  if (iterator) reinterpret_cast<SequenceIterator*>(iterator.get())->index = step.a;
  return iterator;
}

Ref MakeCell(const Maker&, const FrameStateStep&) { return Ref::Steal(PyCell_New(nullptr)); }

Ref MakeFillCell(const Maker& maker, const FrameStateStep& step) {
  return PyCell_Set(maker.item(step, 0), maker.item(step, 1)) < 0 ? Ref() : Ref::New(Py_None);
}

Ref MakeFunction(const Maker& maker, const FrameStateStep& step) {
  Ref made = Ref::Steal(PyFunction_New(maker.item(step, 0), maker.item(step, 1)));
  if (!made) return {};
  auto* function = reinterpret_cast<PyFunctionObject*>(made.get());
  size_t next = 2;
  int flag = 1;
  for (PyObject** part :
       {&function->func_defaults, &function->func_kwdefaults, &function->func_annotations,
        &function->func_closure, PlaceOfAnnotate(made.get())}) {
    if (step.a & flag) *part = Py_NewRef(maker.item(step, next++));
    flag *= 2;
  }
  return made;
}

// A descriptor of a C method or slot gives an object of a class of its own.
Ref MakeMethod(const Maker& maker, const FrameStateStep& step) {
  BorrowedRef function = maker.item(step, 0), self = maker.item(step, 1);
  const descrgetfunc bind = Py_TYPE(function)->tp_descr_get;
  if (bind == nullptr) return Ref::Steal(PyMethod_New(function, self));
  return Ref::Steal(bind(function, self, reinterpret_cast<PyObject*>(Py_TYPE(self))));
}

// Only of exact arrays and array scalars: their look-up runs no Python code.
Ref MakeAttribute(const Maker& maker, const FrameStateStep& step) {
  return Ref::Steal(PyObject_GetAttr(maker.item(step, 0), maker.item(step, 1)));
}

// A function of the interpreter's own or of the array library's, that runs no code of the user's.
Ref MakeCall(const Maker& maker, const FrameStateStep& step) {
  boost::container::small_vector<PyObject*, 4> args;
  for (size_t i = 1; i < step.items.size(); ++i) args.push_back(maker.item(step, i));
  return Ref::Steal(PyObject_Vectorcall(maker.item(step, 0), args.data(), args.size(), nullptr));
}

Ref MakeCallNamed(const Maker& maker, const FrameStateStep& step) {
  boost::container::small_vector<PyObject*, 4> args;
  for (size_t i = 2; i < step.items.size(); ++i) args.push_back(maker.item(step, i));
  BorrowedRef names = maker.item(step, 1);
  const size_t positional = args.size() - PyTuple_GET_SIZE(names);
  return Ref::Steal(PyObject_Vectorcall(maker.item(step, 0), args.data(), positional, names));
}

Ref MakeDeque(const Maker& maker, const FrameStateStep& step) {
  Ref items = Ref::Steal(PyList_New(static_cast<Py_ssize_t>(step.items.size()) - 1));
  for (size_t i = 1; items && i < step.items.size(); ++i) {
    PyList_SET_ITEM(items.get(), i - 1, Py_NewRef(maker.item(step, i)));
  }
  if (!items) return {};
  return Ref::Steal(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(DequeType()),
                                                 items.get(), maker.item(step, 0), nullptr));
}

Ref MakeNull(const Maker&, const FrameStateStep&) { return {}; }

using MakeFn = Ref (*)(const Maker&, const FrameStateStep&);
constexpr MakeFn kMake[kNumFrameStateOps] = {
#define DYNACC_FRAME_STATE_STEP(op, doc) Make##op,
#include "frontend/frame_state/frame_state.def"
#undef DYNACC_FRAME_STATE_STEP
};

bool ReshapeView(const ViewSpec& spec, absl::Span<const ScalarValue> scalars,
                 const StridedView& base, StridedView* view) {
  view->dtype = base.dtype;
  view->rank = static_cast<int>(spec.shape.size());
  for (int d = 0; d < view->rank; ++d) view->shape[d] = scalars[spec.shape[d]].i;
  return executor::ReshapeWithoutCopy(base, *view);
}

}  // namespace

bool ApplyViewSpec(const ViewSpec& spec, absl::Span<const ScalarValue> scalars,
                   const StridedView& base, StridedView* view) {
  if (spec.reshape) return ReshapeView(spec, scalars, base, view);
  if (spec.part >= 0) {
    *view = base;
    view->dtype = RealOf(base.dtype);
    view->data = base.data + spec.part * ItemSize(view->dtype);
    return true;
  }
  view->dtype = base.dtype;
  view->rank = static_cast<int>(spec.shape.size());
  view->data = base.data;
  for (int s = 0; s < base.rank; ++s) {
    view->data += scalars[spec.start[s]].i * base.strides[s];
  }
  for (int d = 0; d < view->rank; ++d) {
    const int64_t axis = spec.axis[d];
    view->shape[d] = scalars[spec.shape[d]].i;
    view->strides[d] = axis < 0 ? 0 : base.strides[axis] * scalars[spec.step[d]].i;
  }
  return true;
}

bool MaterializeFrameState(const FrameState& frame_state, const FrameStateInputs& inputs,
                           FrameStateResults& results) {
  const Maker maker{frame_state, inputs, results};
  results.resize(frame_state.steps.size());
  // First take references to everything that exists already: making containers may collect
  // garbage, and so run code that drops what the slots borrow.
  for (size_t i = 0; i < frame_state.steps.size(); ++i) {
    if (frame_state.steps[i].op != FrameStateOp::kLoad) continue;
    results[i] = MakeLoad(maker, frame_state.steps[i]);
    if (!results[i]) return false;
  }
  for (size_t i = 0; i < frame_state.steps.size(); ++i) {
    const FrameStateStep& step = frame_state.steps[i];
    if (step.op == FrameStateOp::kLoad) continue;
    results[i] = kMake[static_cast<int>(step.op)](maker, step);
    if (!results[i] && step.op != FrameStateOp::kNull) {
      PyErr_Clear();
      return false;
    }
  }
  return true;
}

}  // namespace dynacc::frame_state
