#include "frontend/recipe/effects.h"

#include "frontend/cpython/finalizer.h"

namespace dynacc {
namespace {

class Made {
 public:
  Made(const Effect& effect, absl::Span<const Ref> made) : effect_(effect), made_(made) {}

  BorrowedRef operator[](size_t i) const { return made_[effect_.items[i]].get(); }
  size_t size() const { return effect_.items.size(); }
  int a() const { return effect_.a; }

 private:
  const Effect& effect_;
  absl::Span<const Ref> made_;
};

int SetAttribute(const Made& made) { return PyObject_GenericSetAttr(made[0], made[1], made[2]); }

int DeleteAttribute(const Made& made) { return PyObject_GenericSetAttr(made[0], made[1], nullptr); }

int AppendToList(const Made& made) { return PyList_Append(made[0], made[1]); }

int SetListItem(const Made& made) { return PyList_SetItem(made[0], made.a(), Py_NewRef(made[1])); }

// The place of the item that a store at a number replaces; -1: there is none.
Py_ssize_t PlaceOfStore(const Made& made) {
  const Py_ssize_t size = PyList_GET_SIZE(made[0]);
  const Py_ssize_t index = PyLong_AsSsize_t(made[1]);
  if (index == -1 && PyErr_Occurred() != nullptr) PyErr_Clear();
  const Py_ssize_t place = index < 0 ? index + size : index;
  return place >= 0 && place < size ? place : -1;
}

int SetListItemAt(const Made& made) {
  return PyList_SetItem(made[0], PlaceOfStore(made), Py_NewRef(made[2]));
}

int AssignList(const Made& made) {
  Ref items = Ref::Steal(PyList_New(static_cast<Py_ssize_t>(made.size()) - 1));
  if (!items) return -1;
  for (size_t i = 1; i < made.size(); ++i) PyList_SET_ITEM(items.get(), i - 1, Py_NewRef(made[i]));
  return PyList_SetSlice(made[0], 0, PyList_GET_SIZE(made[0]), items.get());
}

int SetDictItem(const Made& made) { return PyDict_SetItem(made[0], made[1], made[2]); }

int DeleteDictItem(const Made& made) { return PyDict_DelItem(made[0], made[1]); }

int AddToSet(const Made& made) { return PySet_Add(made[0], made[1]); }

// As np.seterr does it: the list keeps the size of buffers and the callback.
int SetErrorMask(const Made& made) {
  Ref state = Ref::Steal(PyObject_CallNoArgs(made[0]));
  Ref mask = Ref::Steal(PyLong_FromLong(made.a()));
  if (!state || !mask || PyList_SetItem(state.get(), 1, mask.Release()) < 0) return -1;
  return Ref::Steal(PyObject_CallOneArg(made[1], state.get())) ? 0 : -1;
}

int SetCell(const Made& made) { return PyCell_Set(made[0], made.size() > 1 ? made[1] : nullptr); }

constexpr int (*kReplay[])(const Made&) = {
#define DYNACC_EFFECT(op, doc) op,
#include "frontend/recipe/effects.def"
#undef DYNACC_EFFECT
};

}  // namespace

bool EffectsFit(absl::Span<const Effect> effects, absl::Span<const Ref> made) {
  for (const Effect& effect : effects) {
    if (effect.op != EffectOp::kSetListItemAt) continue;
    const Made items(effect, made);
    const Py_ssize_t place = PlaceOfStore(items);
    if (place < 0 || !DiesQuietly(PyList_GET_ITEM(items[0], place))) return false;
  }
  return true;
}

bool ReplayEffects(absl::Span<const Effect> effects, absl::Span<const Ref> made) {
  for (const Effect& effect : effects) {
    if (kReplay[static_cast<int>(effect.op)](Made(effect, made)) < 0) return false;
  }
  return true;
}

}  // namespace dynacc
