// From existing objects to values: which guards it takes to rely on an object's kind.
#include "absl/strings/str_cat.h"
#include "frontend/cpython/deque_access.h"
#include "frontend/cpython/iterators.h"
#include "frontend/cpython/private_api.h"
#include "frontend/tracer/attributed.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/numbers.h"
#include "frontend/tracer/objects.h"
#include "frontend/tracer/tracer.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

// A rule tells whether it applies to objects of this type, and makes the value.
struct MaterializeRule {
  bool (*applies)(Tracer& tracer, BorrowedRef object);
  absl::StatusOr<symbolic::Value*> (*make)(Tracer& tracer, BorrowedRef object,
                                           const sources::Source* source);
};

bool IsSingleton(Tracer&, BorrowedRef object) {
  return object == Py_None || PyBool_Check(object) || object == Py_Ellipsis ||
         object == Py_NotImplemented;
}

// Objects that programs define once and use by identity.
bool IsDefinition(Tracer& tracer, BorrowedRef object) {
  return PyModule_CheckExact(object) || PyType_Check(object) || PyCFunction_Check(object) ||
         Py_IS_TYPE(object, &PyMethodDescr_Type) || Py_IS_TYPE(object, &PyWrapperDescr_Type) ||
         Py_IS_TYPE(object, &PyClassMethodDescr_Type) || tracer.arrays().KnowsCallable(object);
}

absl::StatusOr<symbolic::Value*> MakeIdentity(Tracer& tracer, BorrowedRef object,
                                              const sources::Source* source) {
  tracer.trace().AddGuard(guards::GuardKind::kIdentity, source, object);
  return tracer.trace().New<symbolic::ConstantValue>(Ref::New(object), source);
}

bool IsNumber(Tracer&, BorrowedRef object) {
  return PyLong_CheckExact(object) || PyFloat_CheckExact(object);
}

absl::StatusOr<symbolic::Value*> MakeNumber(Tracer& tracer, BorrowedRef object,
                                            const sources::Source* source) {
  return tracer.trace().Number(source, object);
}

bool IsString(Tracer&, BorrowedRef object) { return PyUnicode_CheckExact(object); }

absl::StatusOr<symbolic::Value*> MakeString(Tracer& tracer, BorrowedRef object,
                                            const sources::Source* source) {
  tracer.trace().AddGuard(guards::GuardKind::kStrEquals, source, object);
  return tracer.trace().New<symbolic::ConstantValue>(Ref::New(object), source);
}

bool IsPlainConstant(Tracer&, BorrowedRef object) {
  return PyBytes_CheckExact(object) || PyComplex_CheckExact(object);
}

absl::StatusOr<symbolic::Value*> MakePlainConstant(Tracer& tracer, BorrowedRef object,
                                                   const sources::Source* source) {
  tracer.trace().AddGuard(guards::GuardKind::kConstantEquals, source, object);
  return tracer.trace().New<symbolic::ConstantValue>(Ref::New(object), source);
}

// One that never changes, like what it holds.
bool IsPlainFrozenSet(Tracer&, BorrowedRef object) {
  if (!PyFrozenSet_CheckExact(object)) return false;
  PyObject* member;
  Py_ssize_t position = 0;
  Py_hash_t hash;
  while (_PySet_NextEntry(object, &position, &member, &hash)) {
    const symbolic::ConstantValue constant(Ref::New(member));
    if (!IsPlainConstantValue(&constant)) return false;
  }
  return true;
}

bool IsArray(Tracer& tracer, BorrowedRef object) { return tracer.arrays().IsArray(object); }

absl::StatusOr<symbolic::Value*> MakeArray(Tracer& tracer, BorrowedRef object,
                                           const sources::Source* source) {
  if (symbolic::TensorValue* known = tracer.trace().SameArray(object, source)) return known;
  return tracer.arrays().Wrap(tracer.trace(), object, source);
}

// A tuple's items are values from the start; a long one is an object like any other.
bool IsTuple(Tracer&, BorrowedRef object) {
  return PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) <= kMaxKnownItems;
}

absl::StatusOr<symbolic::Value*> MakeTuple(Tracer& tracer, BorrowedRef object,
                                           const sources::Source* source) {
  const Py_ssize_t size = PyTuple_GET_SIZE(object);
  tracer.trace().AddGuard(guards::GuardKind::kTupleLength, source, nullptr, size);
  std::vector<symbolic::Value*> items;
  for (Py_ssize_t i = 0; i < size; ++i) {
    items.push_back(
        tracer.Lazy(PyTuple_GET_ITEM(object, i),
                    tracer.sources().Intern(sources::SourceKind::kTupleItem, source, i)));
  }
  return tracer.trace().New<symbolic::TupleValue>(std::move(items), source);
}

bool IsList(Tracer&, BorrowedRef object) { return PyList_CheckExact(object); }

// Of containers that can change, two sources for one object must give one value.
template <typename T>
absl::StatusOr<symbolic::Value*> MakeChangeable(Tracer& tracer, BorrowedRef object,
                                                const sources::Source* source) {
  tracer.trace().AddGuard(guards::GuardKind::kTypeIs, source,
                          reinterpret_cast<PyObject*>(Py_TYPE(object)));
  return tracer.Unify(object, tracer.trace().New<T>(Ref::New(object), source));
}

bool IsItemIterator(Tracer&, BorrowedRef object) { return AsItemIterator(object) != nullptr; }

// The list is a value of its own: the segment may change it.
absl::StatusOr<symbolic::Value*> MakeItemIterator(Tracer& tracer, BorrowedRef object,
                                                  const sources::Source* source) {
  tracer.trace().AddGuard(guards::GuardKind::kTypeIs, source,
                          reinterpret_cast<PyObject*>(Py_TYPE(object)));
  auto* iterator = tracer.trace().New<symbolic::LazyIteratorValue>(Ref::New(object), source);
  symbolic::Value* const known = tracer.Unify(object, iterator);
  if (known != iterator) return known;
  const sources::Source* of =
      tracer.sources().Intern(sources::SourceKind::kIteratedSequence, source);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * sequence,
                          tracer.Materialize(tracer.Lazy(AsItemIterator(object)->sequence, of)));
  iterator->next = [&tracer, iterator, sequence] {
    return NextOfExisting(tracer, iterator, sequence);
  };
  return iterator;
}

bool IsDict(Tracer&, BorrowedRef object) { return PyDict_CheckExact(object); }

bool IsDequeObject(Tracer&, BorrowedRef object) { return IsDeque(object); }

bool IsSet(Tracer&, BorrowedRef object) { return PySet_CheckExact(object); }

bool IsNamedTuple(Tracer&, BorrowedRef object) {
  return PyTuple_Check(object) && PyTuple_GET_SIZE(object) <= kMaxKnownItems &&
         IsTupleSubclass(reinterpret_cast<PyObject*>(Py_TYPE(object)));
}

absl::StatusOr<symbolic::Value*> MakeNamedTuple(Tracer& tracer, BorrowedRef object,
                                                const sources::Source* source) {
  PyTypeObject* type = Py_TYPE(object);
  DYNACC_RETURN_IF_ERROR(GuardTypeOf(tracer, object, source));
  const Py_ssize_t size = PyTuple_GET_SIZE(object);
  std::vector<symbolic::Value*> items;
  for (Py_ssize_t i = 0; i < size; ++i) {
    items.push_back(
        tracer.Lazy(PyTuple_GET_ITEM(object, i),
                    tracer.sources().Intern(sources::SourceKind::kTupleItem, source, i)));
  }
  tracer.trace().AddGuard(guards::GuardKind::kAbsent,
                          tracer.sources().Intern(sources::SourceKind::kTupleItem, source, size));
  auto* tuple = tracer.trace().New<symbolic::TupleValue>(std::move(items), source);
  tuple->cls = tracer.Constant(reinterpret_cast<PyObject*>(type));
  return tuple;
}

bool IsFunction(Tracer&, BorrowedRef object) { return PyFunction_Check(object); }

// A call guards the code on top, not the identity: a closure made anew at each call fits.
absl::StatusOr<symbolic::Value*> MakeFunction(Tracer& tracer, BorrowedRef object,
                                              const sources::Source* source) {
  tracer.trace().AddGuard(guards::GuardKind::kTypeIs, source,
                          reinterpret_cast<PyObject*>(&PyFunction_Type));
  return tracer.trace().New<symbolic::FunctionValue>(Ref::New(object), source);
}

bool IsMethod(Tracer&, BorrowedRef object) { return PyMethod_Check(object); }

absl::StatusOr<symbolic::Value*> MakeMethod(Tracer& tracer, BorrowedRef object,
                                            const sources::Source* source) {
  tracer.trace().AddGuard(guards::GuardKind::kTypeIs, source,
                          reinterpret_cast<PyObject*>(&PyMethod_Type));
  symbolic::Value* self = tracer.Lazy(
      PyMethod_GET_SELF(object), tracer.sources().Intern(sources::SourceKind::kMethodSelf, source));
  symbolic::Value* function =
      tracer.Lazy(PyMethod_GET_FUNCTION(object),
                  tracer.sources().Intern(sources::SourceKind::kMethodFunction, source));
  return tracer.trace().New<symbolic::BoundMethodValue>(self, function, source);
}

// In order of how often they apply; the first that does wins.
constexpr MaterializeRule kRules[] = {
    {IsArray, MakeArray},
    {IsSingleton, MakeIdentity},
    {IsNumber, MakeNumber},
    {IsString, MakeString},
    {IsDefinition, MakeIdentity},
    {IsFunction, MakeFunction},
    {IsTuple, MakeTuple},
    {IsList, MakeChangeable<symbolic::ListValue>},
    {IsDict, MakeChangeable<symbolic::DictValue>},
    {IsSet, MakeChangeable<symbolic::SetValue>},
    {IsDequeObject, MakeChangeable<symbolic::DequeValue>},
    {IsMethod, MakeMethod},
    {IsPlainConstant, MakePlainConstant},
    {IsNamedTuple, MakeNamedTuple},
    {IsItemIterator, MakeItemIterator},
    {IsPlainFrozenSet, MakeIdentity},
};

absl::Status MaterializeItems(Tracer& tracer, std::vector<symbolic::Value*>& items) {
  for (symbolic::Value*& item : items) {
    DYNACC_ASSIGN_OR_RETURN(item, tracer.MaterializeDeep(item));
  }
  return absl::OkStatus();
}

// A constant tuple of the code as a tuple of constants.
symbolic::TupleValue* SplitConstantTuple(Tracer& tracer, BorrowedRef tuple,
                                         const sources::Source* source) {
  std::vector<symbolic::Value*> items;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    items.push_back(tracer.Constant(PyTuple_GET_ITEM(tuple, i)));
  }
  return tracer.trace().New<symbolic::TupleValue>(std::move(items), source);
}

}  // namespace

symbolic::Value* Tracer::Lazy(BorrowedRef object, const sources::Source* source) {
  symbolic::Value*& value = lazy_[source];
  if (value == nullptr) {
    value = trace_.New<symbolic::ObjectValue>(Ref::New(object), source);
    found_.push_back(source);
  }
  return value;
}

absl::StatusOr<symbolic::Value*> Tracer::Materialize(symbolic::Value* value) {
  auto* lazy = symbolic::As<symbolic::ObjectValue>(value);
  if (lazy == nullptr) return value;
  if (auto found = materialized_.find(value); found != materialized_.end()) return found->second;
  symbolic::Value* made = nullptr;
  for (const MaterializeRule& rule : kRules) {
    if (!rule.applies(*this, lazy->object.get())) continue;
    DYNACC_ASSIGN_OR_RETURN(made, rule.make(*this, lazy->object.get(), lazy->source()));
    break;
  }
  if (made == nullptr) made = Unify(lazy->object.get(), lazy);
  materialized_[value] = made;
  return made;
}

absl::StatusOr<symbolic::Value*> Tracer::AsConstant(symbolic::Value* value) {
  auto* tuple = symbolic::As<symbolic::TupleValue>(value);
  if (tuple == nullptr || tuple->cls != nullptr) return value;
  Ref object = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(tuple->items.size())));
  for (size_t i = 0; i < tuple->items.size(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, Materialize(tuple->items[i]));
    DYNACC_ASSIGN_OR_RETURN(item, AsConstant(item));
    if (!IsPlainConstantValue(item) ||
        HasNan(symbolic::As<symbolic::ConstantValue>(item)->object.get()))
      return value;
    PyTuple_SET_ITEM(object.get(), i,
                     Py_NewRef(symbolic::As<symbolic::ConstantValue>(item)->object.get()));
  }
  return trace_.New<symbolic::ConstantValue>(std::move(object));
}

absl::StatusOr<symbolic::Value*> Tracer::MaterializeDeep(symbolic::Value* value) {
  // Containers may contain themselves.
  constexpr int kDeepest = 32;
  thread_local int depth = 0;
  if (depth >= kDeepest) return symbolic::GraphBreak("containers nested too deeply");
  ++depth;
  absl::StatusOr<symbolic::Value*> made = MaterializeParts(value);
  --depth;
  return made;
}

absl::StatusOr<symbolic::Value*> Tracer::MaterializeParts(symbolic::Value* value) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * made, Materialize(value));
  if (auto* constant = symbolic::As<symbolic::ConstantValue>(made);
      constant != nullptr && PyTuple_CheckExact(constant->object.get())) {
    made = SplitConstantTuple(*this, constant->object.get(), nullptr);
  }
  if (auto* tuple = symbolic::As<symbolic::TupleValue>(made)) {
    DYNACC_RETURN_IF_ERROR(MaterializeItems(*this, tuple->items));
  } else if (auto* list = symbolic::As<symbolic::ListValue>(made)) {
    DYNACC_RETURN_IF_ERROR(KnowItems(*this, list));
    DYNACC_RETURN_IF_ERROR(MaterializeItems(*this, list->items));
  } else if (auto* slice = symbolic::As<symbolic::SliceValue>(made)) {
    for (symbolic::Value** part : {&slice->start, &slice->stop, &slice->step}) {
      DYNACC_ASSIGN_OR_RETURN(*part, Materialize(*part));
    }
  }
  return made;
}

}  // namespace dynacc::tracer
