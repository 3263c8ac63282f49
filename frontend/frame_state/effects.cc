#include "frontend/frame_state/effects.h"

#include <cstdlib>

#include "frontend/cpython/class_states.h"
#include "frontend/cpython/deque_access.h"
#include "frontend/cpython/finalizer.h"
#include "frontend/cpython/ordered_dict.h"
#include "frontend/cpython/set_table.h"

namespace dynacc::frame_state {
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

int SetClassAttribute(const Made& made) {
  ClassStore store(made[0], made[1], made[2]);
  if (PyType_Type.tp_setattro(made[0], made[1], made[2]) < 0) return -1;
  store.Keep();
  return 0;
}

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

// A method of a deque, which none of its subclasses is here.
int CallDeque(BorrowedRef deque, const char* method, PyObject* item) {
  Ref name = Ref::Steal(PyUnicode_InternFromString(method));
  if (!name) return -1;
  return Ref::Steal(PyObject_CallMethodObjArgs(deque, name.get(), item, nullptr)) ? 0 : -1;
}

int AppendToDeque(const Made& made) { return CallDeque(made[0], "append", made[1]); }

int PrependToDeque(const Made& made) { return CallDeque(made[0], "appendleft", made[1]); }

int DropFromDeque(const Made& made) {
  const char* method = made.a() > 0 ? "popleft" : "pop";
  int result = 0;
  for (int i = 0; i < std::abs(made.a()) && result == 0; ++i) {
    result = CallDeque(made[0], method, nullptr);
  }
  return result;
}

int SetDequeItem(const Made& made) { return PySequence_SetItem(made[0], made.a(), made[1]); }

// A deque counts its changes, and each of its iterators compares the count.
int EndDequeIterators(const Made& made) {
  const bool is_empty = DequeLength(made[0]) == 0;
  Ref item =
      is_empty ? Ref::New(Py_None) : Ref::Steal(PyObject_CallMethod(made[0], "pop", nullptr));
  if (!item || CallDeque(made[0], "append", item.get()) != 0) return -1;
  return is_empty ? CallDeque(made[0], "clear", nullptr) : 0;
}

// Whether what an append pushes out of a deque that has reached its bound dies quietly.
bool AppendFits(const Made& made) {
  const int64_t bound = DequeBound(made[0]), length = DequeLength(made[0]);
  if (made.a() < 0 || bound < 0) return true;
  const int64_t pushed_out = length + made.a() - bound;
  if (pushed_out < 0 || pushed_out >= length) return true;
  BorrowedRef item = DequeItem(made[0], pushed_out);
  return item != nullptr && DiesQuietly(item);
}

int SetDictItem(const Made& made) {
  return IsOrderedDict(made[0]) ? PyODict_SetItem(made[0], made[1], made[2])
                                : PyDict_SetItem(made[0], made[1], made[2]);
}

int DeleteDictItem(const Made& made) {
  return IsOrderedDict(made[0]) ? PyODict_DelItem(made[0], made[1])
                                : PyDict_DelItem(made[0], made[1]);
}

int AddToSet(const Made& made) { return PySet_Add(made[0], made[1]); }

int DiscardFromSet(const Made& made) { return PySet_Discard(made[0], made[1]); }

int AssignSet(const Made& made) {
  ExchangeTables(made[0], made[1]);
  return 0;
}

int CallCached(const Made& made) {
  std::vector<PyObject*> args;
  for (size_t i = 1; i < made.size(); ++i) args.push_back(made[i]);
  return Ref::Steal(PyObject_Vectorcall(made[0], args.data(), args.size(), nullptr)) ? 0 : -1;
}

int AdvanceIterator(const Made& made) {
  for (int i = 0; i < made.a(); ++i) Ref::Steal(Py_TYPE(made[0])->tp_iternext(made[0]));
  return 0;  // at its end it sets no exception
}

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
#include "frontend/frame_state/effects.def"
#undef DYNACC_EFFECT
};

}  // namespace

bool EffectsFit(absl::Span<const Effect> effects, absl::Span<const Ref> made) {
  for (const Effect& effect : effects) {
    const Made items(effect, made);
    if (effect.op == EffectOp::kAppendToDeque && !AppendFits(items)) return false;
    if (effect.op != EffectOp::kSetListItemAt) continue;
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

}  // namespace dynacc::frame_state
