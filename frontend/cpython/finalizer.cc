#include "frontend/cpython/finalizer.h"

#include <algorithm>
#include <array>

namespace dynacc {
namespace {

// The frame that handles an exception goes on; those below it live by its traceback alone.
bool TracebackDiesQuietly(BorrowedRef exception) {
  auto* traceback = reinterpret_cast<PyTracebackObject*>(
      reinterpret_cast<PyBaseExceptionObject*>(exception)->traceback);
  return traceback == nullptr || traceback->tb_next == nullptr;
}

// What an object's end runs itself.
bool EndsQuietly(BorrowedRef object) {
  PyTypeObject* type = Py_TYPE(object);
  return type->tp_finalize == nullptr && type->tp_del == nullptr && !IsEndTold(object) &&
         (!PyExceptionInstance_Check(object) || TracebackDiesQuietly(object));
}

// The garbage collector leaves alone what it does not track, for it is not complete or holds only
// what has no references itself.
bool HasParts(BorrowedRef object) {
  return Py_TYPE(object)->tp_traverse != nullptr &&
         (PyTuple_CheckExact(object) || PyDict_CheckExact(object) ||
          PyObject_GC_IsTracked(object) != 0);
}

// What dies with an object: found as the garbage collector finds references, by tp_traverse.
class Dying {
 public:
  bool EndQuietly(BorrowedRef object) {
    dying_[count_++] = object;
    for (int i = 0; i < count_ && quiet_ && left_ > 0; ++i) {
      if (HasParts(dying_[i])) Py_TYPE(dying_[i])->tp_traverse(dying_[i], &Dying::Follow, this);
    }
    return quiet_;
  }

 private:
  struct Shared {
    PyObject* object;
    Py_ssize_t followed;  // of its references
  };

  // Not zero: no more of them.
  static int Follow(PyObject* part, void* dying) {
    return static_cast<Dying*>(dying)->Follow(part) ? 0 : 1;
  }

  bool Follow(PyObject* part) {
    if (--left_ < 0) return false;
    if (!PyType_IS_GC(Py_TYPE(part)) && EndsQuietly(part)) return true;
    if (PyTraceBack_Check(part) || !IsLastReference(part)) return true;
    if (!EndsQuietly(part)) return quiet_ = false;
    dying_[count_++] = part;
    return true;
  }

  bool IsLastReference(PyObject* part) {
    if (Py_REFCNT(part) == 1) return true;
    if (Py_REFCNT(part) > kFollowedReferences) return false;
    const auto end = shared_.begin() + shared_count_;
    auto found = std::find_if(shared_.begin(), end,
                              [part](const Shared& shared) { return shared.object == part; });
    if (found == end) {
      *found = {part, 0};
      ++shared_count_;
    }
    return ++found->followed == Py_REFCNT(part);
  }

  std::array<PyObject*, kFollowedReferences + 1> dying_;
  std::array<Shared, kFollowedReferences> shared_;
  int count_ = 0;
  int shared_count_ = 0;
  int left_ = kFollowedReferences;
  bool quiet_ = true;
};

}  // namespace

bool PartsDieQuietly(BorrowedRef object) {
  if (PyExceptionInstance_Check(object) && !TracebackDiesQuietly(object)) return false;
  return Dying().EndQuietly(object);
}

}  // namespace dynacc
