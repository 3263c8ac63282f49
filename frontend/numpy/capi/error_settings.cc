#include "frontend/numpy/capi/error_settings.h"

#include <array>
#include <iterator>

#include "frontend/numpy/capi/error_mask.h"
#include "frontend/numpy/capi/numpy_api.h"

namespace dynacc::numpy {
namespace {

constexpr int kCategoryMask = 7;

struct Category {
  const char* name;  // an argument of _make_extobj
  int shift;
};
constexpr Category kCategories[] = {
    {"divide", kShiftDivideByZero},
    {"over", kShiftOverflow},
    {"under", kShiftUnderflow},
    {"invalid", kShiftInvalid},
};
// By number: kErrIgnore and so on.
constexpr std::array kModes = {"ignore", "warn", "raise", "call", "print", "log"};

// npy_extobj of NumPy 2.
struct ExtObj {
  int mask;
  npy_intp buffer_size;
  PyObject* function;
};

const ExtObj* ReadCapsule(BorrowedRef capsule) {
  auto* found = static_cast<const ExtObj*>(PyCapsule_GetPointer(capsule, "numpy.ufunc.extobj"));
  if (found == nullptr) PyErr_Clear();
  return found;
}

// A capsule with these settings; null with an exception set.
Ref MakeCapsule(long buffer_size, long mask, BorrowedRef function) {
  static PyObject* const make = CoreObject("_make_extobj").Release();
  if (make == nullptr) return {};
  Ref none = Ref::Steal(PyTuple_New(0));
  Ref settings = Ref::Steal(Py_BuildValue("{s:l,s:O}", "bufsize", buffer_size, "call", function));
  for (const Category& category : kCategories) {
    const size_t mode = (mask >> category.shift) & kCategoryMask;
    if (mode >= kModes.size()) PyErr_SetString(PyExc_ValueError, "no way to report errors");
    Ref text = mode < kModes.size() ? Ref::Steal(PyUnicode_FromString(kModes[mode])) : Ref();
    if (!settings || !text) return {};
    if (PyDict_SetItemString(settings.get(), category.name, text.get()) < 0) return {};
  }
  return none ? Ref::Steal(PyObject_Call(make, none.get(), settings.get())) : Ref();
}

// Whether capsules lie in memory as ExtObj says: asked of one, once.
bool CapsuleIsKnown() {
  constexpr long kMask = kErrRaise << kShiftDivideByZero | kErrPrint << kShiftOverflow |
                         kErrWarn << kShiftUnderflow | kErrLog << kShiftInvalid;
  constexpr long kBufferSize = 16 * 5;
  Ref function = Ref::Steal(PyObject_GetAttrString(PyImport_GetModuleDict(), "get"));
  const Ref capsule = function ? MakeCapsule(kBufferSize, kMask, function.get()) : Ref();
  const ExtObj* found = capsule ? ReadCapsule(capsule.get()) : nullptr;
  PyErr_Clear();
  return found != nullptr && found->mask == kMask && found->buffer_size == kBufferSize &&
         found->function == function.get();
}

// The context variable, or null if it is not as we know it.
BorrowedRef Variable() {
  static PyObject* const variable = [] {
    Ref found = CapsuleIsKnown() ? CoreObject("_extobj_contextvar") : Ref();
    PyErr_Clear();
    return found && PyContextVar_CheckExact(found.get()) ? found.Release() : nullptr;
  }();
  return variable;
}

// The current thread's capsule; null, without an exception, if there is none.
Ref CurrentCapsule() {
  PyObject* capsule = nullptr;
  if (Variable() != nullptr && PyContextVar_Get(Variable(), nullptr, &capsule) < 0) PyErr_Clear();
  return Ref::Steal(capsule);
}

PyObject* GetErrors(PyObject*, PyObject*) {
  const Ref capsule = CurrentCapsule();
  const ExtObj* now = capsule ? ReadCapsule(capsule.get()) : nullptr;
  if (now == nullptr) return PyErr_Format(PyExc_RuntimeError, "NumPy's error state is unknown");
  return Py_BuildValue("[niO]", static_cast<Py_ssize_t>(now->buffer_size), now->mask,
                       now->function == nullptr ? Py_None : now->function);
}

PyObject* SetErrors(PyObject*, PyObject* state) {
  long buffer_size = 0;
  long mask = 0;
  PyObject* function = nullptr;
  Ref items = Ref::Steal(PySequence_Tuple(state));
  if (!items || !PyArg_ParseTuple(items.get(), "llO", &buffer_size, &mask, &function)) {
    return nullptr;
  }
  const Ref capsule = MakeCapsule(buffer_size, mask, function);
  if (!capsule) return nullptr;
  const Ref token = Ref::Steal(PyContextVar_Set(Variable(), capsule.get()));
  return token ? Py_NewRef(Py_None) : nullptr;
}

PyMethodDef get_method = {"geterrobj", GetErrors, METH_NOARGS, nullptr};
PyMethodDef set_method = {"seterrobj", SetErrors, METH_O, nullptr};

PyObject* FindFunction(const char* name, PyMethodDef* own) {
  PyObject* function = nullptr;
  if (NumpyMajor() == 1) {
    function = CoreObject(name).Release();
  } else if (Variable() != nullptr) {
    function = PyCFunction_New(own, nullptr);
  }
  PyErr_Clear();
  return function;
}

// PyUFunc_GetPyValues of NumPy 1, which NumPy 2's headers do not have.
int ReadErrorMask(char* name, int* buffer_size, int* mask) {
  using Function = int (*)(char*, int*, int*, PyObject**);
  constexpr int kPlace = 25;  // in NumPy 1's table of functions
  return reinterpret_cast<Function>(PyUFunc_API[kPlace])(name, buffer_size, mask, nullptr);
}

std::optional<ErrorSettings> ReadFromList() {
  char name[] = "dynacc";  // NumPy's signature is not const; it is only used in error messages
  ErrorSettings settings;
  if (ReadErrorMask(name, &settings.buffer_size, &settings.mask) >= 0) {
    return settings;
  }
  PyErr_Clear();
  return std::nullopt;
}

}  // namespace

std::optional<ErrorSettings> ReadErrorSettings() {
  if (NumpyMajor() == 1) return ReadFromList();
  const Ref capsule = CurrentCapsule();
  const ExtObj* now = capsule ? ReadCapsule(capsule.get()) : nullptr;
  if (now == nullptr) return std::nullopt;
  return ErrorSettings{static_cast<int>(now->buffer_size), now->mask};
}

BorrowedRef ErrorGetter() {
  static PyObject* const getter = FindFunction("geterrobj", &get_method);
  return getter;
}

BorrowedRef ErrorSetter() {
  static PyObject* const setter = FindFunction("seterrobj", &set_method);
  return setter;
}

}  // namespace dynacc::numpy
