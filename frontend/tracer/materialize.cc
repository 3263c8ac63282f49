// From existing objects to values: which guards it takes to rely on an object's kind.
#include "absl/strings/str_cat.h"
#include "frontend/cpython/deque_access.h"
#include "frontend/cpython/iterators.h"
#include "frontend/tracer/attributed.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/numbers.h"
#include "frontend/tracer/objects.h"
#include "frontend/tracer/tracer.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// A rule tells whether it applies to objects of this type, and makes the value.
struct MaterializeRule {
  bool (*applies)(Tracer& tracer, BorrowedRef object);
  absl::StatusOr<Value*> (*make)(Tracer& tracer, BorrowedRef object, const Source* source);
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

absl::StatusOr<Value*> MakeIdentity(Tracer& tracer, BorrowedRef object, const Source* source) {
  tracer.trace().AddGuard(GuardKind::kIdentity, source, object);
  return tracer.trace().New<ConstantValue>(Ref::New(object), source);
}

bool IsNumber(Tracer&, BorrowedRef object) {
  return PyLong_CheckExact(object) || PyFloat_CheckExact(object);
}

absl::StatusOr<Value*> MakeNumber(Tracer& tracer, BorrowedRef object, const Source* source) {
  return tracer.trace().Number(source, object);
}

bool IsString(Tracer&, BorrowedRef object) { return PyUnicode_CheckExact(object); }

absl::StatusOr<Value*> MakeString(Tracer& tracer, BorrowedRef object, const Source* source) {
  tracer.trace().AddGuard(GuardKind::kStrEquals, source, object);
  return tracer.trace().New<ConstantValue>(Ref::New(object), source);
}

bool IsPlainConstant(Tracer&, BorrowedRef object) {
  return PyBytes_CheckExact(object) || PyComplex_CheckExact(object);
}

absl::StatusOr<Value*> MakePlainConstant(Tracer& tracer, BorrowedRef object, const Source* source) {
  tracer.trace().AddGuard(GuardKind::kConstantEquals, source, object);
  return tracer.trace().New<ConstantValue>(Ref::New(object), source);
}

// One that never changes, like what it holds.
bool IsPlainFrozenSet(Tracer&, BorrowedRef object) {
  if (!PyFrozenSet_CheckExact(object)) return false;
  PyObject* member;
  Py_ssize_t position = 0;
  Py_hash_t hash;
  while (_PySet_NextEntry(object, &position, &member, &hash)) {
    const ConstantValue constant(Ref::New(member));
    if (!IsPlainConstantValue(&constant)) return false;
  }
  return true;
}

bool IsArray(Tracer& tracer, BorrowedRef object) { return tracer.arrays().IsArray(object); }

absl::StatusOr<Value*> MakeArray(Tracer& tracer, BorrowedRef object, const Source* source) {
  if (TensorValue* known = tracer.trace().SameArray(object, source)) return known;
  return tracer.arrays().Wrap(tracer.trace(), object, source);
}

// A tuple's items are values from the start; a long one is an object like any other.
bool IsTuple(Tracer&, BorrowedRef object) {
  return PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) <= kMaxKnownItems;
}

absl::StatusOr<Value*> MakeTuple(Tracer& tracer, BorrowedRef object, const Source* source) {
  const Py_ssize_t size = PyTuple_GET_SIZE(object);
  tracer.trace().AddGuard(GuardKind::kTupleLength, source, nullptr, size);
  std::vector<Value*> items;
  for (Py_ssize_t i = 0; i < size; ++i) {
    items.push_back(tracer.Lazy(PyTuple_GET_ITEM(object, i),
                                tracer.sources().Intern(SourceKind::kTupleItem, source, i)));
  }
  return tracer.trace().New<TupleValue>(std::move(items), source);
}

bool IsList(Tracer&, BorrowedRef object) { return PyList_CheckExact(object); }

// Of containers that can change, two sources for one object must give one value.
template <typename T>
absl::StatusOr<Value*> MakeChangeable(Tracer& tracer, BorrowedRef object, const Source* source) {
  tracer.trace().AddGuard(GuardKind::kTypeIs, source, reinterpret_cast<PyObject*>(Py_TYPE(object)));
  return tracer.Unify(object, tracer.trace().New<T>(Ref::New(object), source));
}

bool IsItemIterator(Tracer&, BorrowedRef object) { return AsItemIterator(object) != nullptr; }

// The list is a value of its own: the segment may change it.
absl::StatusOr<Value*> MakeItemIterator(Tracer& tracer, BorrowedRef object, const Source* source) {
  tracer.trace().AddGuard(GuardKind::kTypeIs, source, reinterpret_cast<PyObject*>(Py_TYPE(object)));
  auto* iterator = tracer.trace().New<LazyIteratorValue>(Ref::New(object), source);
  Value* const known = tracer.Unify(object, iterator);
  if (known != iterator) return known;
  const Source* of = tracer.sources().Intern(SourceKind::kIteratedSequence, source);
  DYNACC_ASSIGN_OR_RETURN(Value * sequence,
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

absl::StatusOr<Value*> MakeNamedTuple(Tracer& tracer, BorrowedRef object, const Source* source) {
  PyTypeObject* type = Py_TYPE(object);
  DYNACC_RETURN_IF_ERROR(GuardTypeOf(tracer, object, source));
  const Py_ssize_t size = PyTuple_GET_SIZE(object);
  std::vector<Value*> items;
  for (Py_ssize_t i = 0; i < size; ++i) {
    items.push_back(tracer.Lazy(PyTuple_GET_ITEM(object, i),
                                tracer.sources().Intern(SourceKind::kTupleItem, source, i)));
  }
  tracer.trace().AddGuard(GuardKind::kAbsent,
                          tracer.sources().Intern(SourceKind::kTupleItem, source, size));
  auto* tuple = tracer.trace().New<TupleValue>(std::move(items), source);
  tuple->cls = tracer.Constant(reinterpret_cast<PyObject*>(type));
  return tuple;
}

bool IsFunction(Tracer&, BorrowedRef object) { return PyFunction_Check(object); }

// A call guards the code on top, not the identity: a closure made anew at each call fits.
absl::StatusOr<Value*> MakeFunction(Tracer& tracer, BorrowedRef object, const Source* source) {
  tracer.trace().AddGuard(GuardKind::kTypeIs, source,
                          reinterpret_cast<PyObject*>(&PyFunction_Type));
  return tracer.trace().New<FunctionValue>(Ref::New(object), source);
}

bool IsMethod(Tracer&, BorrowedRef object) { return PyMethod_Check(object); }

absl::StatusOr<Value*> MakeMethod(Tracer& tracer, BorrowedRef object, const Source* source) {
  tracer.trace().AddGuard(GuardKind::kTypeIs, source, reinterpret_cast<PyObject*>(&PyMethod_Type));
  Value* self = tracer.Lazy(PyMethod_GET_SELF(object),
                            tracer.sources().Intern(SourceKind::kMethodSelf, source));
  Value* function = tracer.Lazy(PyMethod_GET_FUNCTION(object),
                                tracer.sources().Intern(SourceKind::kMethodFunction, source));
  return tracer.trace().New<BoundMethodValue>(self, function, source);
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
    {IsList, MakeChangeable<ListValue>},
    {IsDict, MakeChangeable<DictValue>},
    {IsSet, MakeChangeable<SetValue>},
    {IsDequeObject, MakeChangeable<DequeValue>},
    {IsMethod, MakeMethod},
    {IsPlainConstant, MakePlainConstant},
    {IsNamedTuple, MakeNamedTuple},
    {IsItemIterator, MakeItemIterator},
    {IsPlainFrozenSet, MakeIdentity},
};

absl::Status MaterializeItems(Tracer& tracer, std::vector<Value*>& items) {
  for (Value*& item : items) {
    DYNACC_ASSIGN_OR_RETURN(item, tracer.MaterializeDeep(item));
  }
  return absl::OkStatus();
}

// A constant tuple of the code as a tuple of constants.
TupleValue* SplitConstantTuple(Tracer& tracer, BorrowedRef tuple, const Source* source) {
  std::vector<Value*> items;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    items.push_back(tracer.Constant(PyTuple_GET_ITEM(tuple, i)));
  }
  return tracer.trace().New<TupleValue>(std::move(items), source);
}

}  // namespace

Value* Tracer::Lazy(BorrowedRef object, const Source* source) {
  Value*& value = lazy_[source];
  if (value == nullptr) {
    value = trace_.New<ObjectValue>(Ref::New(object), source);
    found_.push_back(source);
  }
  return value;
}

absl::StatusOr<Value*> Tracer::Materialize(Value* value) {
  auto* lazy = As<ObjectValue>(value);
  if (lazy == nullptr) return value;
  if (auto found = materialized_.find(value); found != materialized_.end()) return found->second;
  Value* made = nullptr;
  for (const MaterializeRule& rule : kRules) {
    if (!rule.applies(*this, lazy->object.get())) continue;
    DYNACC_ASSIGN_OR_RETURN(made, rule.make(*this, lazy->object.get(), lazy->source()));
    break;
  }
  if (made == nullptr) made = Unify(lazy->object.get(), lazy);
  materialized_[value] = made;
  return made;
}

absl::StatusOr<Value*> Tracer::AsConstant(Value* value) {
  auto* tuple = As<TupleValue>(value);
  if (tuple == nullptr || tuple->cls != nullptr) return value;
  Ref object = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(tuple->items.size())));
  for (size_t i = 0; i < tuple->items.size(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(Value * item, Materialize(tuple->items[i]));
    DYNACC_ASSIGN_OR_RETURN(item, AsConstant(item));
    if (!IsPlainConstantValue(item) || HasNan(As<ConstantValue>(item)->object.get())) return value;
    PyTuple_SET_ITEM(object.get(), i, Py_NewRef(As<ConstantValue>(item)->object.get()));
  }
  return trace_.New<ConstantValue>(std::move(object));
}

absl::StatusOr<Value*> Tracer::MaterializeDeep(Value* value) {
  // Containers may contain themselves.
  constexpr int kDeepest = 32;
  thread_local int depth = 0;
  if (depth >= kDeepest) return GraphBreak("containers nested too deeply");
  ++depth;
  absl::StatusOr<Value*> made = MaterializeParts(value);
  --depth;
  return made;
}

absl::StatusOr<Value*> Tracer::MaterializeParts(Value* value) {
  DYNACC_ASSIGN_OR_RETURN(Value * made, Materialize(value));
  if (auto* constant = As<ConstantValue>(made);
      constant != nullptr && PyTuple_CheckExact(constant->object.get())) {
    made = SplitConstantTuple(*this, constant->object.get(), nullptr);
  }
  if (auto* tuple = As<TupleValue>(made)) {
    DYNACC_RETURN_IF_ERROR(MaterializeItems(*this, tuple->items));
  } else if (auto* list = As<ListValue>(made)) {
    DYNACC_RETURN_IF_ERROR(KnowItems(*this, list));
    DYNACC_RETURN_IF_ERROR(MaterializeItems(*this, list->items));
  } else if (auto* slice = As<SliceValue>(made)) {
    for (Value** part : {&slice->start, &slice->stop, &slice->step}) {
      DYNACC_ASSIGN_OR_RETURN(*part, Materialize(*part));
    }
  }
  return made;
}

}  // namespace dynacc
