#include "frontend/guards/check_reads.h"

#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/int_layout.h"
#include "frontend/guards/array_checks.h"

namespace dynacc::guards {
namespace {

// Whether a kind looks at nothing but its value.
template <GuardKind kKind>
inline constexpr bool kHasReads = false;

template <GuardKind kKind>
bool Reads(const Guard&, BorrowedRef, ReadSet&) {
  return false;
}

// Defines the reads of one kind; the body sees guard, value, which is not null, and reads.
#define DYNACC_READS(kind)                                            \
  template <>                                                         \
  inline constexpr bool kHasReads<GuardKind::k##kind> = true;         \
  template <>                                                         \
  bool Reads<GuardKind::k##kind>([[maybe_unused]] const Guard& guard, \
                                 [[maybe_unused]] BorrowedRef value,  \
                                 [[maybe_unused]] ReadSet& reads)

// The guard's object may be gone by the next time.
bool ReadPlace(const Guard& guard, ReadSet& reads) {
  if (PyObject* const* place = guard.object.place()) reads.Add(place);
  return true;
}

bool ReadTypeOnly(BorrowedRef value, ReadSet& reads) {
  ReadType(value, reads);
  return true;
}

bool ReadSize(BorrowedRef value, PyTypeObject* type, ReadSet& reads) {
  ReadType(value, reads);
  if (Py_TYPE(value) == type) reads.Add(&reinterpret_cast<PyVarObject*>(value)->ob_size);
  return true;
}

bool ReadArray(BorrowedRef value, ReadSet& reads) {
  return RegisteredArrayChecks().read_array(value, reads);
}

DYNACC_READS(Absent) { return true; }
DYNACC_READS(Present) { return true; }
DYNACC_READS(Identity) { return ReadPlace(guard, reads); }
DYNACC_READS(NotSame) { return ReadPlace(guard, reads); }

DYNACC_READS(TypeIs) { return ReadTypeOnly(value, reads) && ReadPlace(guard, reads); }

DYNACC_READS(TypeVersion) {
  ReadType(value, reads);
  return ReadTypeState(Py_TYPE(value), reads);
}

DYNACC_READS(ClassVersion) {
  ReadType(value, reads);
  return !PyType_Check(value) || ReadTypeState(reinterpret_cast<PyTypeObject*>(value), reads);
}

DYNACC_READS(TypeFlags) {
  ReadType(value, reads);
  reads.Add(&Py_TYPE(value)->tp_flags);
  return true;
}

// Ints of more than one digit are rare.
DYNACC_READS(IntEquals) {
  ReadType(value, reads);
  if (!PyLong_CheckExact(value)) return true;
  reads.Add(IntSizePlace(value));
  reads.Add(&IntDigits(value)[0]);
  return Py_ABS(SignedDigitCount(value)) <= 1;
}

DYNACC_READS(IntFits) {
  ReadType(value, reads);
  if (!PyLong_CheckExact(value)) return true;
  reads.Add(IntSizePlace(value));
  return Py_ABS(SignedDigitCount(value)) <= 1;
}

DYNACC_READS(FloatEquals) {
  ReadType(value, reads);
  if (PyFloat_CheckExact(value)) reads.Add(&reinterpret_cast<PyFloatObject*>(value)->ob_fval);
  return true;
}

DYNACC_READS(FloatAny) { return ReadTypeOnly(value, reads); }

// The very object of the guard, which keeps it.
DYNACC_READS(StrEquals) { return value == guard.object.get(); }
DYNACC_READS(ConstantEquals) { return value == guard.object.get() && ReadPlace(guard, reads); }

DYNACC_READS(TupleLength) { return ReadSize(value, &PyTuple_Type, reads); }
DYNACC_READS(ListLength) { return ReadSize(value, &PyList_Type, reads); }

DYNACC_READS(DictLength) {
  ReadType(value, reads);
  if (PyDict_CheckExact(value)) reads.Add(&reinterpret_cast<PyDictObject*>(value)->ma_used);
  return true;
}

// What else has keys has an order of its own.
DYNACC_READS(DictKeys) {
  ReadType(value, reads);
  const uint64_t* version = PyDict_CheckExact(value) ? PlaceOfDictVersion(value) : nullptr;
  if (version == nullptr) return false;
  reads.Add(version);
  return true;
}

DYNACC_READS(Array) { return ReadArray(value, reads); }
DYNACC_READS(DimEquals) { return ReadArray(value, reads); }
DYNACC_READS(Contiguous) { return ReadArray(value, reads); }
DYNACC_READS(Writable) { return ReadArray(value, reads); }

DYNACC_READS(NumpyScalar) { return ReadTypeOnly(value, reads); }

#undef DYNACC_READS

}  // namespace

bool ReadCheck(const Guard& guard, BorrowedRef value, ReadSet& reads) {
  switch (guard.kind) {
#define DYNACC_GUARD(kind, form, doc)                       \
  case GuardKind::k##kind:                                  \
    return value == nullptr ? kHasReads<GuardKind::k##kind> \
                            : Reads<GuardKind::k##kind>(guard, value, reads);
#include "frontend/guards/guards.def"
#undef DYNACC_GUARD
  }
  __builtin_unreachable();  // every kind has its case
}

}  // namespace dynacc::guards
