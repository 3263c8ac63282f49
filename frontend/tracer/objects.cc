#include "frontend/tracer/objects.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "frontend/cpython/abstract_classes.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/tracer/attributed.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/dict_parts.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

PyTypeObject* AsType(BorrowedRef object) { return reinterpret_cast<PyTypeObject*>(object); }

BorrowedRef InClass(BorrowedRef cls, const char* name) {
  Ref text = Ref::Steal(PyUnicode_InternFromString(name));
  return TypeLookup(AsType(cls), text.get());
}

// Whether calling the class means __new__, then __init__.
bool IsCalledPlainly(BorrowedRef cls) { return Py_TYPE(cls)->tp_call == PyType_Type.tp_call; }

// Instances that do something when they die must exist, and die when Python's would.
bool HasFinalizer(PyTypeObject* type) { return type->tp_finalize != nullptr || type->tp_del; }

// Whether `hook`, a class's __subclasshook__, is object's or one of the standard library's.
bool IsKnownHook(BorrowedRef hook) {
  if (hook == InClass(reinterpret_cast<PyObject*>(&PyBaseObject_Type), "__subclasshook__")) {
    return true;
  }
  Ref function = FixedPart(hook, "__func__");
  Ref module = function ? FixedPart(function.get(), "__module__") : Ref();
  return module && PyUnicode_Check(module.get()) &&
         PyUnicode_CompareWithASCIIString(module.get(), "collections.abc") == 0;
}

// Whether the abstract class has `type` as a subclass, as Python's abc.ABCMeta finds it; nothing
// for a class that finds it in another way. Either answer is remembered by the class: a yes for
// good, a no as long as nothing is registered with an abstract class.
std::optional<bool> IsOfAbstractClass(PyTypeObject* type, BorrowedRef cls) {
  Ref name = Ref::Steal(PyUnicode_InternFromString("abc"));
  Ref module = Ref::Steal(PyImport_GetModule(name.get()));
  Ref meta = module ? FixedPart(module.get(), "ABCMeta") : Ref();
  PyErr_Clear();
  if (!meta || !PyType_Check(meta.get()) || !IsKnownHook(InClass(cls, "__subclasshook__"))) {
    return std::nullopt;
  }
  for (const char* check : {"__instancecheck__", "__subclasscheck__"}) {
    BorrowedRef own = InClass(reinterpret_cast<PyObject*>(Py_TYPE(cls)), check);
    if (own != InClass(meta.get(), check)) return std::nullopt;
  }
  const int answer = PyObject_IsSubclass(reinterpret_cast<PyObject*>(type), cls);
  PyErr_Clear();
  return answer < 0 ? std::nullopt : std::optional<bool>(answer == 1);
}

// Whether the class of an object of that type may be another one than the object says that it has.
bool MayLieAboutClass(PyTypeObject* type) {
  static PyObject* const name = PyUnicode_InternFromString("__class__");
  return TypeLookup(type, name) != TypeLookup(&PyBaseObject_Type, name);
}

absl::Status CallInit(Tracer& tracer, symbolic::Value* instance, BorrowedRef cls,
                      std::vector<symbolic::Value*> args, symbolic::Keywords keywords) {
  BorrowedRef init = InClass(cls, "__init__");
  if (PyFunction_Check(init)) {
    args.insert(args.begin(), instance);
    DYNACC_ASSIGN_OR_RETURN(
        symbolic::Value * none,
        tracer.CallNow(tracer.Constant(init), std::move(args), std::move(keywords)));
    auto* constant = symbolic::As<symbolic::ConstantValue>(none);
    if (constant != nullptr && constant->object.get() == Py_None) return absl::OkStatus();
    return symbolic::RaisingBreak("an __init__ that returns something");
  }
  if (IsExceptionClass(cls)) {
    return keywords.empty() ? absl::OkStatus()
                            : symbolic::GraphBreak("an exception made with keywords");
  }
  if (HasEntries(AsType(cls)) && Py_IS_TYPE(init, &PyWrapperDescr_Type)) {
    args.insert(args.begin(), instance);
    return tracer.CallNow(tracer.Constant(init), std::move(args), std::move(keywords)).status();
  }
  if (init != InClass(reinterpret_cast<PyObject*>(&PyBaseObject_Type), "__init__")) {
    return symbolic::GraphBreak("an __init__ that is not Python");
  }
  const bool own_new = InClass(cls, "__new__") !=
                       InClass(reinterpret_cast<PyObject*>(&PyBaseObject_Type), "__new__");
  if (!args.empty() && !own_new)
    return symbolic::RaisingBreak("a class called with arguments that it does not take");
  return absl::OkStatus();
}

// cls.__new__ written in Python; the instance may be of another class.
absl::StatusOr<symbolic::Value*> CallNew(Tracer& tracer, symbolic::ConstantValue* cls,
                                         BorrowedRef made_by,
                                         const std::vector<symbolic::Value*>& args,
                                         const symbolic::Keywords& keywords) {
  Ref function = Ref::Steal(PyObject_GetAttrString(made_by, "__func__"));
  if (!function || !PyFunction_Check(function.get())) {
    PyErr_Clear();
    return symbolic::GraphBreak("a __new__ that is not Python");
  }
  std::vector<symbolic::Value*> all = args;
  all.insert(all.begin(), cls);
  return tracer.CallNow(tracer.Constant(function.get()), std::move(all), keywords);
}

absl::StatusOr<symbolic::Value*> NewOf(Tracer& tracer, symbolic::ConstantValue* cls,
                                       const std::vector<symbolic::Value*>& args,
                                       const symbolic::Keywords& keywords) {
  BorrowedRef made_by = InClass(cls->object.get(), "__new__");
  if (Py_IS_TYPE(made_by, &PyStaticMethod_Type)) {
    return CallNew(tracer, cls, made_by, args, keywords);
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::InstanceValue * instance, NewInstance(tracer, cls));
  if (IsExceptionClass(cls->object.get())) {
    instance->args = tracer.trace().New<symbolic::TupleValue>(args);
  }
  return instance;
}

}  // namespace

absl::Status GuardMetaclass(Tracer& tracer, BorrowedRef cls) {
  return GuardTypeOf(tracer, cls,
                     tracer.sources().Intern(sources::SourceKind::kPinned, nullptr, 0, cls));
}

bool IsExceptionClass(BorrowedRef object) { return PyExceptionClass_Check(object); }

bool IsTupleSubclass(BorrowedRef cls) {
  if (!PyType_Check(cls) || BuiltinBase(AsType(cls)) != &PyTuple_Type ||
      AsType(cls) == &PyTuple_Type) {
    return false;
  }
  PyTypeObject* type = AsType(cls);
  if (type->tp_dictoffset != 0 || PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT)) return false;
  // What the tracer and NumPy do with a tuple without asking its class.
  for (const char* name : {"__iter__",
                           "__getitem__",
                           "__len__",
                           "__contains__",
                           "__eq__",
                           "__ne__",
                           "__lt__",
                           "__le__",
                           "__gt__",
                           "__ge__",
                           "__bool__",
                           "__hash__",
                           "__bytes__",
                           "__reversed__",
                           "__array__",
                           "__array_ufunc__",
                           "__array_function__",
                           "__array_priority__",
                           "__array_interface__",
                           "__array_struct__",
                           "__array_wrap__",
                           "__array_prepare__",
                           "__array_finalize__",
                           "__array_namespace__",
                           "__buffer__",
                           "__dlpack__"}) {
    if (InClass(cls, name) != InClass(reinterpret_cast<PyObject*>(&PyTuple_Type), name)) {
      return false;
    }
  }
  return true;
}

absl::StatusOr<symbolic::InstanceValue*> NewInstance(Tracer& tracer, symbolic::ConstantValue* cls) {
  auto* type = AsType(cls->object.get());
  PyTypeObject* base = BuiltinBase(type);
  const bool exception = IsExceptionClass(cls->object.get());
  // Exceptions with more state than args keep it in C.
  const bool plain_exception =
      exception && base->tp_basicsize == AsType(PyExc_BaseException)->tp_basicsize;
  const bool lookup_error =
      base == AsType(PyExc_StopIteration) || base == AsType(PyExc_AttributeError);
  if (base != &PyBaseObject_Type && !plain_exception && !lookup_error && !HasEntries(type)) {
    return symbolic::GraphBreak(absl::StrCat("call of ", type->tp_name));
  }
  if (HasFinalizer(type) && !exception) return symbolic::GraphBreak("an object with a __del__");
  if (PyType_HasFeature(type, Py_TPFLAGS_IS_ABSTRACT)) {
    return symbolic::RaisingBreak("an instance of an abstract class");
  }
  auto* made = tracer.trace().New<symbolic::InstanceValue>(cls);
  if (HasEntries(type)) made->part = tracer.trace().New<symbolic::DictValue>();
  return made;
}

absl::StatusOr<symbolic::Value*> Instantiate(Tracer& tracer, symbolic::ConstantValue* cls,
                                             std::vector<symbolic::Value*> args,
                                             symbolic::Keywords keywords) {
  BorrowedRef object = cls->object.get();
  DYNACC_RETURN_IF_ERROR(GuardMetaclass(tracer, object));
  if (!IsCalledPlainly(object)) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * call, SpecialMethod(tracer, cls, "__call__"));
    if (call == nullptr) return absl::NotFoundError("");
    return tracer.CallNow(call, std::move(args), std::move(keywords));
  }
  if (!PyType_HasFeature(AsType(object), Py_TPFLAGS_HEAPTYPE) && !IsExceptionClass(object)) {
    return absl::NotFoundError("");
  }
  const uint32_t version = TypeVersion(AsType(object));
  if (version == 0) return symbolic::GraphBreak("an instance of a type that keeps changing");
  const sources::Source* source =
      cls->source() != nullptr
          ? cls->source()
          : tracer.sources().Intern(sources::SourceKind::kPinned, nullptr, 0, object);
  tracer.trace().AddGuard(guards::GuardKind::kClassVersion, source, nullptr, version);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * made, NewOf(tracer, cls, args, keywords));
  DYNACC_ASSIGN_OR_RETURN(made, tracer.Materialize(made));
  DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * of, ClassOf(tracer, made));
  if (of == nullptr) return symbolic::GraphBreak("a __new__ that gives such an object");
  if (!PyType_IsSubtype(AsType(of->object.get()), AsType(object))) return made;
  if (symbolic::As<symbolic::TupleValue>(made) == nullptr) {
    DYNACC_RETURN_IF_ERROR(
        CallInit(tracer, made, of->object.get(), std::move(args), std::move(keywords)));
  }
  return made;
}

absl::StatusOr<bool> IsInstanceOf(Tracer& tracer, symbolic::Value* value, BorrowedRef cls) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * type, ClassOf(tracer, value));
  if (type == nullptr || !PyType_Check(cls))
    return symbolic::GraphBreak("isinstance of such a value or class");
  if (type->object.get() == cls) return true;
  // A metaclass may answer for itself.
  DYNACC_RETURN_IF_ERROR(GuardMetaclass(tracer, cls));
  if (InClass(reinterpret_cast<PyObject*>(Py_TYPE(cls)), "__instancecheck__") !=
      InClass(reinterpret_cast<PyObject*>(&PyType_Type), "__instancecheck__")) {
    const std::optional<bool> answer = IsOfAbstractClass(AsType(type->object.get()), cls);
    if (answer.has_value() && *answer) return true;
    const int64_t token = AbstractClassesToken();
    if (!answer.has_value() || token < 0 || MayLieAboutClass(AsType(type->object.get()))) {
      return symbolic::GraphBreak("isinstance of a class with its own __instancecheck__");
    }
    const sources::Source* source =
        tracer.sources().Intern(sources::SourceKind::kPinned, nullptr, 0, cls);
    tracer.trace().AddGuard(guards::GuardKind::kAbstractClasses, source, nullptr, token);
    return false;
  }
  if (!PyType_IsSubtype(AsType(type->object.get()), AsType(cls)) &&
      MayLieAboutClass(AsType(type->object.get()))) {
    return symbolic::GraphBreak("isinstance of an object with its own __class__");
  }
  return PyType_IsSubtype(AsType(type->object.get()), AsType(cls)) != 0;
}

bool IsNone(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return constant != nullptr && constant->object.get() == Py_None;
}

absl::StatusOr<symbolic::InstanceValue*> ExceptionOf(Tracer& tracer, symbolic::Value* value) {
  DYNACC_ASSIGN_OR_RETURN(value, tracer.Materialize(value));
  auto* cls = symbolic::As<symbolic::ConstantValue>(value);
  if (cls != nullptr && IsExceptionClass(cls->object.get())) {
    DYNACC_ASSIGN_OR_RETURN(value, tracer.CallNow(cls, {}));
  }
  auto* exception = symbolic::As<symbolic::InstanceValue>(value);
  if (exception == nullptr || !IsExceptionClass(exception->cls->object.get())) {
    return symbolic::GraphBreak("a raise statement");
  }
  return exception;
}

}  // namespace dynacc::tracer
