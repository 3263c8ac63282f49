#include "frontend/numpy/capi/generator_state.h"

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "frontend/numpy/capi/numpy_api.h"

namespace dynacc::numpy {
namespace {

// Asking a generator for its state by Python's means takes a microsecond, a Mersenne twister
// thirty: longer than many draws. So it is copied as it lies in memory. NumPy does not publish
// where, so what is assumed here is tried first on generators of our own; what does not behave so
// is asked.
//   A bit generator's own fields, behind those of its base class, are all of its state.
//   A RandomState has besides the cached normal deviate of src/distributions/include (aug_bitgen):
//   struct { bitgen_t *; int has_gauss; double gauss; }, somewhere within the object.
struct CachedDeviate {
  int is_there;
  int padding;
  double value;
};
static_assert(sizeof(CachedDeviate) == 16);

Ref Attribute(BorrowedRef object, const char* name) {
  return object == nullptr ? Ref() : Ref::Steal(PyObject_GetAttrString(object, name));
}

// Whether it is one of NumPy's own kinds: others may have any code in their `state`.
bool IsNumpysBitGenerator(BorrowedRef object) {
  return !PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_HEAPTYPE) &&
         absl::StartsWith(Py_TYPE(object)->tp_name, "numpy.random.");
}

// Whether another thread is drawing from it, without the GIL.
bool IsBusy(BorrowedRef bit_generator) {
  const Ref lock = Attribute(bit_generator, "lock");
  const Ref locked = lock ? Ref::Steal(PyObject_CallMethod(lock.get(), "locked", nullptr)) : Ref();
  return locked.get() != Py_False;
}

// Where a bit generator has its state; no bytes if that is not known.
struct StateBytes {
  Py_ssize_t offset = 0;
  Py_ssize_t size = 0;
};

// One word, and half of another one, of which the rest is kept for the next draw.
Ref SampleWords(BorrowedRef generator) {
  return Ref::Steal(PyObject_CallFunction(generator, "iiOs", 0, 1000, Py_None, "int32"));
}

bool AreSame(const Ref& a, const Ref& b) {
  const Ref text_a = a ? Ref::Steal(PyObject_Str(a.get())) : Ref();
  const Ref text_b = b ? Ref::Steal(PyObject_Str(b.get())) : Ref();
  return text_a && text_b && PyUnicode_Compare(text_a.get(), text_b.get()) == 0;
}

// Whether a generator of the type has its old state again when those bytes are what they were.
bool IsWholeState(PyTypeObject* type, const StateBytes& bytes) {
  const Ref bits = Ref::Steal(PyObject_CallFunction(reinterpret_cast<PyObject*>(type), "i", 7));
  Ref module = Ref::Steal(PyImport_ImportModule("numpy.random._generator"));
  const Ref generator =
      bits && module ? Ref::Steal(PyObject_CallMethod(module.get(), "Generator", "O", bits.get()))
                     : Ref();
  const Ref draw = Attribute(generator.get(), "integers");
  if (!draw) return false;
  for (int i = 0; i < 5; ++i) {
    const Ref before = Attribute(bits.get(), "state");
    char* const memory = reinterpret_cast<char*>(bits.get()) + bytes.offset;
    const std::string saved(memory, bytes.size);
    const Ref first = SampleWords(draw.get());
    const Ref after = Attribute(bits.get(), "state");
    std::memcpy(memory, saved.data(), bytes.size);
    const Ref again = Attribute(bits.get(), "state");
    if (AreSame(before, after) || !AreSame(before, again)) return false;
    if (!AreSame(first, SampleWords(draw.get()))) return false;
  }
  return true;
}

StateBytes FindStateBytes(PyTypeObject* type) {
  const PyTypeObject* const base = type->tp_base;
  if (base == nullptr || type->tp_itemsize != 0 || type->tp_dictoffset != 0) return {};
  const StateBytes bytes = {base->tp_basicsize, type->tp_basicsize - base->tp_basicsize};
  const bool found = bytes.size > 0 && IsWholeState(type, bytes);
  PyErr_Clear();
  return found ? bytes : StateBytes();
}

const StateBytes& StateBytesOf(PyTypeObject* type) {
  static auto& known = *new absl::flat_hash_map<PyTypeObject*, StateBytes>;  // NumPy's types stay
  const auto found = known.find(type);
  if (found != known.end()) return found->second;
  const StateBytes bytes = FindStateBytes(type);
  return known[type] = bytes;
}

// A draw of one normal deviate from a RandomState leaves a second one cached.
Ref DrawnState(BorrowedRef random_state) {
  const Ref drawn = Ref::Steal(PyObject_CallMethod(random_state, "standard_normal", nullptr));
  const Ref get = drawn ? Attribute(random_state, "get_state") : Ref();
  const Ref args = Ref::Steal(PyTuple_New(0));
  const Ref keywords = Ref::Steal(Py_BuildValue("{s:O}", "legacy", Py_False));
  if (!get || !args || !keywords) return {};
  return Ref::Steal(PyObject_Call(get.get(), args.get(), keywords.get()));
}

// An item of the dict that describes a state; null if it is not there.
BorrowedRef Item(const Ref& dict, const char* name) {
  return dict && PyDict_Check(dict.get()) ? PyDict_GetItemString(dict.get(), name) : nullptr;
}

bool IsTheDeviate(const char* memory, const Ref& state) {
  BorrowedRef is_there = Item(state, "has_gauss");
  BorrowedRef value = Item(state, "gauss");
  if (is_there == nullptr || value == nullptr || !PyFloat_Check(value)) return false;
  CachedDeviate deviate;
  std::memcpy(&deviate, memory, sizeof(deviate));
  const double known = PyFloat_AS_DOUBLE(value);
  return deviate.is_there == PyLong_AsLong(is_there) &&
         std::memcmp(&deviate.value, &known, sizeof(known)) == 0;
}

// Where in a RandomState the cached deviate is; nothing unless just one place fits.
std::optional<Py_ssize_t> DeviateOffset(BorrowedRef random_state, const Ref& state) {
  const char* const memory = reinterpret_cast<const char*>(random_state);
  const auto size = Py_TYPE(random_state)->tp_basicsize;
  std::optional<Py_ssize_t> found;
  for (Py_ssize_t at = sizeof(PyObject); at + 24 <= size; at += sizeof(void*)) {
    uintptr_t pointer = 0;
    std::memcpy(&pointer, memory + at, sizeof(pointer));
    const uintptr_t offset = pointer - reinterpret_cast<uintptr_t>(memory);
    if (offset >= static_cast<uintptr_t>(size) || !IsTheDeviate(memory + at + 8, state)) continue;
    if (found) return std::nullopt;
    found = at + 8;
  }
  return found;
}

// The place of the cached deviate, if it lies in memory as assumed.
std::optional<Py_ssize_t> FindDeviate(PyTypeObject* random_state_type) {
  const Ref scratch = Ref::Steal(
      PyObject_CallFunction(reinterpret_cast<PyObject*>(random_state_type), "i", 20061012));
  const Ref first = scratch ? DrawnState(scratch.get()) : Ref();
  const auto offset = first ? DeviateOffset(scratch.get(), first) : std::nullopt;
  const Ref second = offset ? DrawnState(scratch.get()) : Ref();
  const bool found =
      second && IsTheDeviate(reinterpret_cast<char*>(scratch.get()) + *offset, second);
  PyErr_Clear();
  return found ? offset : std::nullopt;
}

// How the state that the bit generator has now is brought back; empty if it cannot be.
std::function<void()> UndoOfBits(const Ref& bit_generator) {
  const StateBytes& bytes = StateBytesOf(Py_TYPE(bit_generator.get()));
  if (bytes.size > 0) {
    const char* const memory = reinterpret_cast<char*>(bit_generator.get()) + bytes.offset;
    return [bit_generator, bytes, saved = std::string(memory, bytes.size)] {
      std::memcpy(reinterpret_cast<char*>(bit_generator.get()) + bytes.offset, saved.data(),
                  bytes.size);
    };
  }
  Ref state = Attribute(bit_generator.get(), "state");
  if (!state) return nullptr;
  return
      [bit_generator, state] { PyObject_SetAttrString(bit_generator.get(), "state", state.get()); };
}

// Likewise of the cached deviate.
std::function<void()> UndoOfDeviate(BorrowedRef random_state) {
  static const std::optional<Py_ssize_t> offset = FindDeviate(Py_TYPE(random_state));
  if (!offset) return nullptr;
  char* const memory = reinterpret_cast<char*>(random_state) + *offset;
  CachedDeviate cached;
  std::memcpy(&cached, memory, sizeof(cached));
  return [owner = Ref::New(random_state), memory, cached] {
    std::memcpy(memory, &cached, sizeof(cached));
  };
}

}  // namespace

bool KeepGeneratorState(BorrowedRef generator, arrays::RunScope& scope) {
  if (scope.Knows(generator)) return true;
  const bool is_legacy = absl::EndsWith(Py_TYPE(generator)->tp_name, "RandomState");
  const Ref bits = Attribute(generator, is_legacy ? "_bit_generator" : "bit_generator");
  if (!bits || !IsNumpysBitGenerator(bits.get()) || IsBusy(bits.get())) return false;
  std::function<void()> undo = UndoOfBits(bits);
  if (!undo) return false;
  if (is_legacy) {
    std::function<void()> undo_deviate = UndoOfDeviate(generator);
    if (!undo_deviate) return false;
    scope.NoteUndo(Ref::New(generator), std::move(undo_deviate));
  }
  scope.NoteUndo(Ref::New(generator), std::move(undo));
  return true;
}

}  // namespace dynacc::numpy
