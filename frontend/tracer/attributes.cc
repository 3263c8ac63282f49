#include "frontend/tracer/attributes.h"

#include <Python.h>
#include <structmember.h>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "frontend/cpython/deque_access.h"
#include "frontend/cpython/describe.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/private_api.h"
#include "frontend/symbolic/slice_parts.h"
#include "frontend/tracer/attributed.h"
#include "frontend/tracer/deques.h"
#include "frontend/tracer/numbers.h"
#include "frontend/tracer/objects.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

std::string Text(BorrowedRef name) { return StrText(name); }

// Whether it is functools.cached_property itself.
bool IsCachedProperty(PyTypeObject* type) {
  static PyObject* const module_name = PyUnicode_InternFromString("functools");
  const Ref module = Ref::Steal(PyImport_GetModule(module_name));
  PyErr_Clear();
  if (!module || !PyModule_CheckExact(module.get())) return false;
  BorrowedRef found = PyDict_GetItemString(PyModule_GetDict(module.get()), "cached_property");
  return found == reinterpret_cast<PyObject*>(type);
}

// What a class holds under a name, bound to an instance or to the class itself (`self` is null).
// The class's version is guarded already, so that what it holds is the same object at each call. A
// guard of its own would keep such objects alive, and with them the class that they belong to.
class Binding {
 public:
  Binding(Tracer& tracer, symbolic::Value* self, symbolic::ConstantValue* cls, BorrowedRef held,
          const sources::Source* source)
      : tracer_(tracer), self_(self), cls_(cls), held_(held), source_(source) {}

  absl::StatusOr<symbolic::Value*> Bind() {
    DYNACC_RETURN_IF_ERROR(GuardTypeOf(tracer_, held_, source_));
    PyTypeObject* type = Py_TYPE(held_);
    if (PyFunction_Check(held_)) return Method(tracer_.Lazy(held_, source_));
    if (type == &PyStaticMethod_Type) return Wrapped();
    if (type == &PyClassMethod_Type) return ClassMethod();
    if (type == &PyClassMethodDescr_Type) return OfBuiltinClass();
    if (type == &PyProperty_Type && self_ != nullptr) return Property(held_, self_);
    if (PyType_HasFeature(type, Py_TPFLAGS_METHOD_DESCRIPTOR)) {
      return Method(tracer_.Lazy(held_, source_));
    }
    if (type->tp_descr_get == nullptr) return tracer_.Lazy(held_, source_);
    return PythonDescriptor();
  }

 private:
  absl::StatusOr<symbolic::Value*> Method(symbolic::Value* function) {
    if (self_ == nullptr) return function;
    DYNACC_ASSIGN_OR_RETURN(function, tracer_.Materialize(function));
    return tracer_.trace().New<symbolic::BoundMethodValue>(self_, function);
  }

  // What a staticmethod or classmethod wraps never changes.
  absl::StatusOr<symbolic::ConstantValue*> Wrapped() {
    Ref function = FixedPart(held_, "__func__");
    if (!function) return OddDescriptor(held_);
    return tracer_.trace().New<symbolic::ConstantValue>(std::move(function));
  }

  // One around a descriptor may ask that, with the class as the instance.
  absl::StatusOr<symbolic::Value*> ClassMethod() {
    DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * wrapped, Wrapped());
    BorrowedRef object = wrapped->object.get();
    if (ClassMethodsAskDescriptors() && Py_IS_TYPE(object, &PyProperty_Type)) {
      return Property(object, cls_);
    }
    if (!PyFunction_Check(object) && Py_TYPE(object)->tp_descr_get != nullptr) {
      return OddDescriptor(object);
    }
    return tracer_.trace().New<symbolic::BoundMethodValue>(cls_, wrapped);
  }

  // A class method written in C: a builtin function that knows its class.
  absl::StatusOr<symbolic::Value*> OfBuiltinClass() {
    Ref bound = Ref::Steal(Py_TYPE(held_)->tp_descr_get(held_, nullptr, cls_->object.get()));
    if (!bound) return OddDescriptor(held_);
    return tracer_.trace().New<symbolic::ConstantValue>(std::move(bound));
  }

  // A property object is immutable.
  absl::StatusOr<symbolic::Value*> Property(BorrowedRef property, symbolic::Value* instance) {
    Ref getter = FixedPart(property, "fget");
    if (!getter) return OddDescriptor(property);
    return tracer_.CallNow(tracer_.trace().New<symbolic::ConstantValue>(std::move(getter)),
                           {instance});
  }

  // functools.cached_property, for an instance in which look-up has not found the value: it is
  // computed and put there. Its lock keeps out other threads, of which none runs meanwhile.
  absl::StatusOr<symbolic::Value*> CachedProperty() {
    auto* const type = reinterpret_cast<PyTypeObject*>(cls_->object.get());
    const bool has_dict =
        type->tp_dictoffset != 0 || PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT);
    if (!has_dict) return OddDescriptor(held_);
    static PyObject* const function_name = PyUnicode_InternFromString("func");
    static PyObject* const kept_name = PyUnicode_InternFromString("attrname");
    symbolic::Value* const descriptor = tracer_.Lazy(held_, source_);
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * name, LoadAttribute(tracer_, descriptor, kept_name));
    DYNACC_ASSIGN_OR_RETURN(name, tracer_.Materialize(name));
    auto* text = symbolic::As<symbolic::ConstantValue>(name);
    if (text == nullptr || !PyUnicode_CheckExact(text->object.get())) return OddDescriptor(held_);
    // Under another name look-up has not looked where the value is kept.
    if (!source_->name || PyUnicode_Compare(source_->name.get(), text->object.get()) != 0)
      return OddDescriptor(held_);
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * function,
                            LoadAttribute(tracer_, descriptor, function_name));
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, tracer_.CallNow(function, {self_}));
    DYNACC_RETURN_IF_ERROR(StoreAttributePlainly(tracer_, self_, text->object.get(), value));
    return value;
  }

  absl::StatusOr<symbolic::Value*> PythonDescriptor() {
    if (self_ != nullptr && IsCachedProperty(Py_TYPE(held_))) return CachedProperty();
    Ref getter = PythonMethod(held_, "__get__");
    if (!getter) return OddDescriptor(held_);
    symbolic::Value* self = self_ != nullptr ? self_ : tracer_.None();
    return tracer_.CallNow(tracer_.trace().New<symbolic::ConstantValue>(std::move(getter)),
                           {tracer_.Lazy(held_, source_), self, cls_});
  }

  Tracer& tracer_;
  symbolic::Value* self_;
  symbolic::ConstantValue* cls_;
  BorrowedRef held_;
  const sources::Source* source_;
};

// The dict of a module as its functions see it.
const sources::Source* ModuleDict(Tracer& tracer, symbolic::ConstantValue* module) {
  return tracer.sources().Intern(sources::SourceKind::kModuleDict, module->source());
}

// The type of the fields of named tuples. It has no name outside CPython, and two inside.
bool IsTupleGetter(PyTypeObject* type) {
  const absl::string_view name = type->tp_name;
  return name == "_collections._tuplegetter" || name == "collections._tuplegetter";
}

bool IsDynacc(BorrowedRef module) {
  const char* const name = PyModule_GetName(module);
  PyErr_Clear();  // a program may have deleted it
  return name != nullptr && absl::string_view(name) == "dynacc";
}

// The full name of the part `name` of the array library's package, if its __getattr__ does nothing
// but import it when it is first asked for (numpy.fft, numpy.random). Else null.
Ref ImportedPart(Tracer& tracer, BorrowedRef module, BorrowedRef name) {
  BorrowedRef compute = PyDict_GetItemString(PyModule_GetDict(module), "__getattr__");
  if (!tracer.arrays().OwnsModule(module) || compute == nullptr || !PyFunction_Check(compute)) {
    return {};
  }
  const char* const module_name = PyModule_GetName(module);
  Ref full =
      module_name == nullptr ? Ref() : Ref::Steal(PyUnicode_FromFormat("%s.%U", module_name, name));
  PyErr_Clear();
  const auto* const code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(compute));
  const bool imports = full && PySequence_Contains(code->co_names, full.get()) > 0;
  return imports ? std::move(full) : Ref();
}

// Whether the module has no such attribute, also as far as it computes some; then AttributeError is
// set. Code of the program's is not asked. `source`: of the attribute.
bool Lacks(Tracer& tracer, BorrowedRef module, BorrowedRef name, const sources::Source* source) {
  if (tracer.arrays().OwnsModule(module)) return tracer.arrays().LacksAttribute(module, name);
  static PyObject* const compute = PyUnicode_InternFromString("__getattr__");
  if (!PyModule_CheckExact(module) || DictGetStr(PyModule_GetDict(module), compute) != nullptr) {
    return false;
  }
  const Ref found = Ref::Steal(PyObject_GetAttr(module, name));
  if (found) return false;
  tracer.trace().AddGuard(
      guards::GuardKind::kAbsent,
      tracer.sources().Intern(sources::SourceKind::kModuleAttr, source->parent, 0, compute));
  return true;
}

// An attribute that is not there yet, or not there at all. Parts of dynacc's package, and where the
// call has to be one graph those of the array library's, are imported now. Else CPython imports
// them: what an import runs may ask which thread is the main one, which nobody knows under
// HeldInterruptions.
absl::StatusOr<BorrowedRef> MissingAttribute(Tracer& tracer, BorrowedRef module, BorrowedRef name,
                                             const sources::Source* source) {
  BorrowedRef object = nullptr;
  if (IsDynacc(module)) {
    Ref::Steal(PyObject_GetAttr(module, name));
    object = DictGetStr(PyModule_GetDict(module), name);
  } else if (Ref part = ImportedPart(tracer, module, name)) {
    if (!tracer.root().inlines_compiled) {
      tracer.EndsWhileAbsent(source);
      return symbolic::GraphBreak("a module that is imported when it is first asked for");
    }
    Ref::Steal(PyImport_Import(part.get()));
    object = DictGetStr(PyModule_GetDict(module), name);
  }
  PyErr_Clear();
  if (object != nullptr) return object;
  if (!Lacks(tracer, module, name, source)) {
    return symbolic::GraphBreak("an attribute that the module computes");
  }
  tracer.trace().AddGuard(guards::GuardKind::kAbsent, source);
  return tracer.RaiseCurrent("an attribute that the module does not have");
}

absl::StatusOr<symbolic::Value*> ModuleAttribute(Tracer& tracer, symbolic::ConstantValue* module,
                                                 BorrowedRef name) {
  if (module->source() == nullptr)
    return symbolic::GraphBreak("an attribute of a module made here");
  BorrowedRef dict = PyModule_GetDict(module->object.get());
  symbolic::Overlay& overlay = tracer.GlobalsOverlay(dict, ModuleDict(tracer, module));
  if (const symbolic::Overlay::Write* write = overlay.Find(name)) {
    if (write->value == nullptr)
      return symbolic::GraphBreak("an attribute that the module computes");
    return write->value;
  }
  const sources::Source* const source =
      tracer.sources().Intern(sources::SourceKind::kModuleAttr, module->source(), 0, name);
  BorrowedRef object = DictGetStr(dict, name);
  if (object == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(object, MissingAttribute(tracer, module->object.get(), name, source));
  }
  return tracer.Lazy(object, source);
}

// Whether the class looks attributes up as `plain` does (a __getattr__ may come after it): builtin
// types have a slot wrapper of their own around the same function.
bool LooksUpPlainly(PyTypeObject* type, getattrofunc plain) {
  if (type->tp_getattro == plain) return true;
  static PyObject* const name = PyUnicode_InternFromString("__getattribute__");
  BorrowedRef held = TypeLookup(type, name);
  return held != nullptr && Py_IS_TYPE(held, &PyWrapperDescr_Type) &&
         reinterpret_cast<PyWrapperDescrObject*>(held)->d_wrapped == reinterpret_cast<void*>(plain);
}

// __getattr__ of a class, or null.
BorrowedRef FallBack(PyTypeObject* type) {
  static PyObject* const name = PyUnicode_InternFromString("__getattr__");
  return TypeLookup(type, name);
}

// Whether an attribute of the instance's own gives way to it: one that only looks after stores does
// not.
bool IsDataDescriptor(BorrowedRef held) {
  return Py_TYPE(held)->tp_descr_get != nullptr && Py_TYPE(held)->tp_descr_set != nullptr;
}

class InstanceLookup {
 public:
  InstanceLookup(Tracer& tracer, const Attributed& self, BorrowedRef name)
      : tracer_(tracer), self_(self), name_(name) {}

  // As slot_tp_getattr_hook: __getattr__ comes after whatever raised AttributeError, also a getter.
  absl::StatusOr<symbolic::Value*> Find() {
    if (!LooksUpPlainly(self_.type, PyObject_GenericGetAttr)) {
      return symbolic::GraphBreak("an attribute of an object with its own __getattribute__");
    }
    absl::StatusOr<symbolic::Value*> found = FindPlainly();
    BorrowedRef fall_back = FallBack(self_.type);
    if (fall_back == nullptr) return found;
    DYNACC_ASSIGN_OR_RETURN(const bool missing, RaisedAttributeError(tracer_, found.status()));
    if (!missing) return found;
    if (!PyFunction_Check(fall_back) && !Py_IS_TYPE(fall_back, &PyMethodDescr_Type)) {
      return OddDescriptor(fall_back);
    }
    return tracer_.CallNow(tracer_.Constant(fall_back), {self_.value, tracer_.Constant(name_)});
  }

 private:
  absl::StatusOr<symbolic::Value*> FindPlainly() {
    BorrowedRef in_type = TypeLookup(self_.type, name_);
    static PyObject* const class_name = PyUnicode_InternFromString("__class__");
    static PyObject* const of_object = TypeLookup(&PyBaseObject_Type, class_name);
    if (in_type == of_object) return ClassOf(tracer_, self_);
    if (in_type != nullptr) {
      const sources::Source* source = InClass(tracer_, self_, name_);
      DYNACC_RETURN_IF_ERROR(GuardTypeOf(tracer_, in_type, source));
    }
    if (in_type != nullptr && IsDataDescriptor(in_type)) return DataDescriptor(in_type);
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * own, Own());
    if (own != nullptr) return own;
    if (in_type != nullptr) return Bind(in_type);
    return Missing();
  }

  // The instance's own attribute, or null.
  absl::StatusOr<symbolic::Value*> Own() {
    if (self_.overlay != nullptr) {
      if (const symbolic::Overlay::Write* write = self_.overlay->Find(name_)) return write->value;
    }
    if (self_.fresh()) return nullptr;
    const sources::Source* own =
        tracer_.sources().Intern(sources::SourceKind::kInstanceAttr, self_.source, 0, name_);
    if (BorrowedRef value = sources::AccessSource(*own, self_.object, tracer_.root().roots)) {
      return tracer_.Lazy(value, own);
    }
    tracer_.trace().AddGuard(guards::GuardKind::kAbsent, own);
    return nullptr;
  }

  absl::StatusOr<symbolic::Value*> Bind(BorrowedRef held) {
    if (symbolic::Value* written = tracer_.WrittenInClass(self_.type, name_)) return written;
    return Binding(tracer_, self_.value, ClassOf(tracer_, self_), held,
                   InClass(tracer_, self_, name_))
        .Bind();
  }

  absl::StatusOr<symbolic::Value*> DataDescriptor(BorrowedRef descriptor) {
    if (Py_IS_TYPE(descriptor, &PyMemberDescr_Type) && !IsOfBuiltinException(descriptor)) {
      return Slot(descriptor);
    }
    if (auto* tuple = symbolic::As<symbolic::TupleValue>(self_.value))
      return Field(*tuple, descriptor);
    if (auto* exception = symbolic::As<symbolic::InstanceValue>(self_.value);
        exception && exception->args) {
      return ExceptionPart(*exception);
    }
    return Bind(descriptor);
  }

  absl::StatusOr<symbolic::Value*> Slot(BorrowedRef descriptor) {
    const PyMemberDef* member = reinterpret_cast<PyMemberDescrObject*>(descriptor)->d_member;
    if (member->type != T_OBJECT_EX && member->type != T_OBJECT) {
      return symbolic::GraphBreak("a member that is no Python object");
    }
    if (!IsOwnSlot(self_, descriptor, name_)) return symbolic::GraphBreak("a slot by another name");
    if (self_.overlay != nullptr) {
      if (const symbolic::Overlay::Write* write = self_.overlay->Find(name_)) {
        if (write->value != nullptr) return write->value;
        return Missing();
      }
    }
    if (self_.fresh()) return Missing();
    const sources::Source* source = tracer_.sources().Intern(sources::SourceKind::kSlotAttr,
                                                             self_.source, member->offset, name_);
    BorrowedRef value = sources::AccessSource(*source, self_.object, tracer_.root().roots);
    if (value != nullptr) return tracer_.Lazy(value, source);
    tracer_.trace().AddGuard(guards::GuardKind::kAbsent, source);
    return Missing();
  }

  // A field of a named tuple made inside: its descriptor says which item it is.
  absl::StatusOr<symbolic::Value*> Field(const symbolic::TupleValue& tuple,
                                         BorrowedRef descriptor) {
    Ref index = Ref::Steal(PyObject_CallMethod(descriptor, "__reduce__", nullptr));
    if (!index || !IsTupleGetter(Py_TYPE(descriptor))) {
      PyErr_Clear();
      return Bind(descriptor);
    }
    const Py_ssize_t place =
        PyLong_AsSsize_t(PyTuple_GET_ITEM(PyTuple_GET_ITEM(index.get(), 1), 0));
    if (place >= static_cast<Py_ssize_t>(tuple.items.size()))
      return symbolic::GraphBreak("a short tuple");
    return tuple.items[place];
  }

  // Such members have values from their exception's making; slots that Python code names have none.
  bool IsOfBuiltinException(BorrowedRef descriptor) const {
    PyTypeObject* const of = PyDescr_TYPE(descriptor);
    return self_.fresh() && !PyType_HasFeature(of, Py_TPFLAGS_HEAPTYPE) &&
           IsExceptionClass(reinterpret_cast<PyObject*>(of));
  }

  absl::StatusOr<symbolic::Value*> ExceptionPart(const symbolic::InstanceValue& exception) {
    const bool is_written = self_.overlay != nullptr && self_.overlay->Find(name_) != nullptr;
    if (Text(name_) == "args" && !is_written) return exception.args;
    if (Text(name_) == "value" && !is_written) {  // of a StopIteration
      auto* const args = symbolic::As<symbolic::TupleValue>(exception.args);
      if (args == nullptr) return symbolic::GraphBreak("a StopIteration with other args");
      return args->items.empty() ? tracer_.None() : args->items[0];
    }
    return symbolic::GraphBreak(absl::StrCat("attribute ", Text(name_), " of an exception"));
  }

  absl::StatusOr<symbolic::Value*> Missing() { return NoAttribute(tracer_, self_.type, name_); }

  Tracer& tracer_;
  const Attributed& self_;
  BorrowedRef name_;
};

// The name of a class that Python code made can be changed, without a trace in its version.
absl::StatusOr<symbolic::Value*> ClassNamePart(Tracer& tracer, symbolic::ConstantValue* cls,
                                               sources::SourceKind kind) {
  const sources::Source* source = tracer.sources().Intern(kind, SourceOfClass(tracer, cls));
  BorrowedRef name = sources::AccessSource(*source, cls->object.get(), tracer.root().roots);
  if (name == nullptr) return symbolic::GraphBreak("the name of such a class");
  return tracer.Lazy(name, source);
}

// What a class is asked for as an object of its own: name, doc, base classes.
absl::StatusOr<symbolic::Value*> ClassPart(Tracer& tracer, symbolic::ConstantValue* cls,
                                           BorrowedRef name) {
  if (PyType_HasFeature(reinterpret_cast<PyTypeObject*>(cls->object.get()), Py_TPFLAGS_HEAPTYPE)) {
    if (Text(name) == "__name__")
      return ClassNamePart(tracer, cls, sources::SourceKind::kClassName);
    if (Text(name) == "__qualname__")
      return ClassNamePart(tracer, cls, sources::SourceKind::kClassQualname);
  }
  for (const char* known : {"__name__", "__qualname__", "__module__", "__doc__", "__mro__"}) {
    if (Text(name) != known) continue;
    Ref part = FixedPart(cls->object.get(), known);
    if (part) return tracer.ConstantSteal(part.Release());
  }
  return symbolic::GraphBreak(absl::StrCat("class attribute ", Text(name)));
}

// What the class's metaclass, whose state is guarded, holds as `held` under that name: bound to the
// class as an instance.
absl::StatusOr<symbolic::Value*> OfMetaclass(Tracer& tracer, symbolic::ConstantValue* cls,
                                             BorrowedRef name, BorrowedRef held) {
  if (TypeLookup(&PyType_Type, name) == held) return ClassPart(tracer, cls, name);
  PyTypeObject* const meta = Py_TYPE(cls->object.get());
  if (symbolic::Value* written = tracer.WrittenInClass(meta, name)) return written;
  symbolic::ConstantValue* const of = tracer.Constant(reinterpret_cast<PyObject*>(meta));
  const sources::Source* const source =
      tracer.sources().Intern(sources::SourceKind::kTypeAttr, SourceOfClass(tracer, cls), 0, name);
  absl::StatusOr<symbolic::Value*> found = Binding(tracer, cls, of, held, source).Bind();
  if (FallBack(meta) == nullptr || !Tracer::IsRaised(found.status())) return found;
  return symbolic::GraphBreak("an attribute of a class whose metaclass has a __getattr__");
}

// `cls.name`. A metaclass may have attributes of its own, but no other look-up.
absl::StatusOr<symbolic::Value*> ClassAttribute(Tracer& tracer, symbolic::ConstantValue* cls,
                                                BorrowedRef name) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  PyTypeObject* meta = Py_TYPE(cls->object.get());
  if (!LooksUpPlainly(meta, PyType_Type.tp_getattro)) {
    return symbolic::GraphBreak("an attribute of a class with its own __getattribute__");
  }
  const uint32_t version = TypeVersion(type);
  if (version == 0) return symbolic::GraphBreak("an attribute of a type that keeps changing");
  const sources::Source* source = SourceOfClass(tracer, cls);
  tracer.trace().AddGuard(guards::GuardKind::kClassVersion, source, nullptr, version);
  DYNACC_RETURN_IF_ERROR(GuardTypeOf(tracer, cls->object.get(), source));
  BorrowedRef in_meta = TypeLookup(meta, name);
  if (in_meta != nullptr) {
    const sources::Source* of_meta =
        tracer.sources().Intern(sources::SourceKind::kTypeAttr, source, 0, name);
    DYNACC_RETURN_IF_ERROR(GuardTypeOf(tracer, in_meta, of_meta));
  }
  if (in_meta != nullptr && IsDataDescriptor(in_meta)) {
    return OfMetaclass(tracer, cls, name, in_meta);
  }
  BorrowedRef held = TypeLookup(type, name);
  if (held == nullptr) {
    if (in_meta != nullptr) return OfMetaclass(tracer, cls, name, in_meta);
    if (FallBack(meta) != nullptr) return ClassPart(tracer, cls, name);
    return tracer.Raise(
        PyExc_AttributeError,
        absl::StrCat("type object '", absl::string_view(type->tp_name).substr(0, 50),
                     "' has no attribute '", Text(name), "'"),
        "an attribute that the class does not have");
  }
  if (symbolic::Value* written = tracer.WrittenInClass(type, name)) return written;
  const sources::Source* in_class =
      tracer.sources().Intern(sources::SourceKind::kClassAttr, source, 0, name);
  return Binding(tracer, nullptr, cls, held, in_class).Bind();
}

// The first hit for `name` in the MRO of `type` after the class `after`.
BorrowedRef LookupAfter(PyTypeObject* type, BorrowedRef after, BorrowedRef name) {
  PyObject* mro = type->tp_mro;
  bool beyond = false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); ++i) {
    BorrowedRef base = PyTuple_GET_ITEM(mro, i);
    if (beyond) {
      BorrowedRef held = DictGetStr(NamespaceOf(reinterpret_cast<PyTypeObject*>(base)), name);
      if (held != nullptr) return held;
    }
    beyond = beyond || base == after;
  }
  return nullptr;
}

absl::StatusOr<symbolic::Value*> SuperAttribute(Tracer& tracer, symbolic::SuperValue* super,
                                                BorrowedRef name) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * cls,
                          ClassOfSuper(tracer, super->after, super->self));
  symbolic::Value* self = cls == super->self ? nullptr : super->self;
  if (Text(name) == "__class__") return symbolic::GraphBreak("the class of super()");
  BorrowedRef held = LookupAfter(reinterpret_cast<PyTypeObject*>(cls->object.get()),
                                 super->after->object.get(), name);
  if (held == nullptr) {
    if (TypeLookup(&PySuper_Type, name) != nullptr) {
      return symbolic::GraphBreak("an attribute of super() itself");
    }
    return tracer.Raise(PyExc_AttributeError,
                        absl::StrCat("'super' object has no attribute '", Text(name), "'"),
                        "an attribute that no base class has");
  }
  // What is no method may be replaced without a new state of the class (class_states.h).
  if (Py_TYPE(held)->tp_descr_get == nullptr)
    return symbolic::GraphBreak("data of a base class by super()");
  // The version of the class, which is guarded, covers its bases.
  const sources::Source* source =
      tracer.sources().Intern(sources::SourceKind::kPinned, nullptr, 0, held);
  return Binding(tracer, self, cls, held, source).Bind();
}

// Methods of builtin types are found without guards: those types do not change.
absl::StatusOr<symbolic::Value*> BuiltinAttribute(Tracer& tracer, symbolic::Value* object,
                                                  PyTypeObject* type, BorrowedRef name) {
  if (Text(name) == "__class__") return tracer.Constant(reinterpret_cast<PyObject*>(type));
  BorrowedRef held = TypeLookup(type, name);
  // A method of the array library's may be an object of another class, as Cython's are.
  const bool is_method = held != nullptr && (Py_IS_TYPE(held, &PyMethodDescr_Type) ||
                                             (PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE) &&
                                              Py_TYPE(held)->tp_descr_get != nullptr &&
                                              tracer.arrays().KnowsCallable(held)));
  if (is_method) {
    return tracer.trace().New<symbolic::BoundMethodValue>(object, tracer.Constant(held));
  }
  if (held == nullptr) return NoAttribute(tracer, type, name);
  if (IsPlainConstantValue(object)) {
    if (Ref part = FixedPart(symbolic::As<symbolic::ConstantValue>(object)->object.get(),
                             PyUnicode_AsUTF8(name));
        part && (Py_IS_TYPE(held, &PyGetSetDescr_Type) || Py_IS_TYPE(held, &PyMemberDescr_Type))) {
      return tracer.ConstantSteal(part.Release());
    }
  }
  if (auto* deque = symbolic::As<symbolic::DequeValue>(object); deque && Text(name) == "maxlen") {
    DYNACC_RETURN_IF_ERROR(KnowItems(tracer, deque));
    if (deque->bound < 0) return tracer.None();
    return tracer.ConstantSteal(PyLong_FromLongLong(deque->bound));
  }
  if (auto* slice = symbolic::SliceFrom(tracer.trace(), object)) {
    if (Text(name) == "start") return slice->start;
    if (Text(name) == "stop") return slice->stop;
    if (Text(name) == "step") return slice->step;
  }
  return symbolic::GraphBreak(absl::StrCat("attribute ", Text(name), " of such an object"));
}

absl::StatusOr<symbolic::Value*> TensorAttribute(Tracer& tracer, symbolic::TensorValue* tensor,
                                                 BorrowedRef name) {
  absl::StatusOr<symbolic::Value*> value =
      tracer.arrays().Attribute(tracer.trace(), tensor, Text(name));
  if (!absl::IsNotFound(value.status())) return value;
  if (Text(name) == "__class__") return ClassOf(tracer, tensor);
  if (!tracer.arrays().KnowsMethod(Text(name))) {
    return symbolic::GraphBreak(absl::StrCat("array attribute ", Text(name)));
  }
  return tracer.trace().New<symbolic::ArrayMethodValue>(tensor, Text(name));
}

PyTypeObject* BuiltinTypeOf(symbolic::Value* value) {
  if (auto* tuple = symbolic::As<symbolic::TupleValue>(value))
    return tuple->cls ? nullptr : &PyTuple_Type;
  if (symbolic::As<symbolic::ListValue>(value)) return &PyList_Type;
  if (symbolic::As<symbolic::DictValue>(value)) return &PyDict_Type;
  if (symbolic::As<symbolic::SetValue>(value)) return &PySet_Type;
  if (symbolic::As<symbolic::DequeValue>(value)) return DequeType();
  if (auto* partial = symbolic::As<symbolic::PartialValue>(value)) return partial->cls;
  if (auto* iterator = symbolic::As<symbolic::LazyIteratorValue>(value);
      iterator && iterator->object) {
    return Py_TYPE(iterator->object.get());
  }
  if (symbolic::As<symbolic::SliceValue>(value)) return &PySlice_Type;
  if (symbolic::As<symbolic::GeneratorValue>(value)) return &PyGen_Type;
  if (auto* lazy = symbolic::As<symbolic::LazyValue>(value)) return lazy->type;
  if (auto* number = symbolic::As<symbolic::NumberValue>(value)) {
    constexpr PyTypeObject* kTypes[] = {&PyLong_Type, &PyFloat_Type, &PyBool_Type};
    return kTypes[static_cast<int>(number->type)];
  }
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  const bool is_plain = IsPlainConstantValue(value) ||
                        (constant != nullptr && PyFrozenSet_CheckExact(constant->object.get()));
  return is_plain ? Py_TYPE(constant->object.get()) : nullptr;
}

}  // namespace

bool HasAttributes(symbolic::Value* value) {
  auto* tuple = symbolic::As<symbolic::TupleValue>(value);
  return symbolic::As<symbolic::ObjectValue>(value) ||
         symbolic::As<symbolic::InstanceValue>(value) || (tuple && tuple->cls);
}

namespace {

bool IsPythonFunction(symbolic::Value* value) {
  auto* const constant = symbolic::As<symbolic::ConstantValue>(value);
  return symbolic::As<symbolic::FunctionValue>(value) != nullptr ||
         (constant != nullptr && PyFunction_Check(constant->object.get()));
}

}  // namespace

absl::StatusOr<symbolic::ConstantValue*> ClassOf(Tracer& tracer, symbolic::Value* value) {
  if (HasAttributes(value) || (symbolic::As<symbolic::FunctionValue>(value) && value->source())) {
    DYNACC_ASSIGN_OR_RETURN(const Attributed self, AsAttributed(tracer, value));
    return ClassOf(tracer, self);
  }
  PyTypeObject* type = BuiltinTypeOf(value);
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(value))
    type = tracer.arrays().TypeOf(*tensor);
  if (auto* constant = symbolic::As<symbolic::ConstantValue>(value)) {
    type = Py_TYPE(constant->object.get());
    DYNACC_RETURN_IF_ERROR(
        GuardTypeOf(tracer, constant->object.get(), SourceOfClass(tracer, constant)));
  }
  if (symbolic::As<symbolic::FunctionValue>(value)) type = &PyFunction_Type;
  if (auto* method = symbolic::As<symbolic::BoundMethodValue>(value)) {
    if (!IsPythonFunction(method->function)) {
      return symbolic::GraphBreak("the class of a bound method that is no Python function's");
    }
    type = &PyMethod_Type;
  }
  if (type == nullptr) return nullptr;
  return tracer.Constant(reinterpret_cast<PyObject*>(type));
}

absl::StatusOr<symbolic::ConstantValue*> ClassOfSuper(Tracer& tracer,
                                                      symbolic::ConstantValue* after,
                                                      symbolic::Value* self) {
  if (!PyType_Check(after->object.get())) return symbolic::GraphBreak("super of what is no class");
  auto* base = reinterpret_cast<PyTypeObject*>(after->object.get());
  auto* cls = symbolic::As<symbolic::ConstantValue>(self);
  if (cls == nullptr || !PyType_Check(cls->object.get())) {
    DYNACC_ASSIGN_OR_RETURN(const Attributed instance, AsAttributed(tracer, self));
    if (PyType_IsSubtype(instance.type, base)) return ClassOf(tracer, instance);
    return symbolic::GraphBreak("super of an object of another class");
  }
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  if (!PyType_IsSubtype(type, base))
    return symbolic::GraphBreak("super of a class in its metaclass");
  const uint32_t version = TypeVersion(type);
  if (version == 0 || type->tp_mro == nullptr)
    return symbolic::GraphBreak("super of a class in the making");
  tracer.trace().AddGuard(guards::GuardKind::kClassVersion, SourceOfClass(tracer, cls), nullptr,
                          version);
  return cls;
}

namespace {

// Those of a metaclass that are followed: no operators, of which the right operand's may come
// first.
bool IsFollowedInMetaclass(absl::string_view name) {
  constexpr const char* kNames[] = {"__call__", "__getitem__",  "__iter__",
                                    "__len__",  "__contains__", "__bool__"};
  return absl::c_linear_search(kNames, name);
}

// The special method of a class as an object, if its metaclass has one written in Python.
absl::StatusOr<symbolic::Value*> MethodOfMetaclass(Tracer& tracer, symbolic::ConstantValue* cls,
                                                   const char* name) {
  PyTypeObject* meta = Py_TYPE(cls->object.get());
  if (!IsFollowedInMetaclass(name)) return nullptr;
  Ref text = Ref::Steal(PyUnicode_InternFromString(name));
  BorrowedRef held = TypeLookup(meta, text.get());
  if (meta == &PyType_Type || held == nullptr || !PyFunction_Check(held)) return nullptr;
  const sources::Source* source = SourceOfClass(tracer, cls);
  DYNACC_RETURN_IF_ERROR(GuardTypeOf(tracer, cls->object.get(), source));
  const sources::Source* in_meta =
      tracer.sources().Intern(sources::SourceKind::kTypeAttr, source, 0, text.get());
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * function,
                          tracer.Materialize(tracer.Lazy(held, in_meta)));
  return tracer.trace().New<symbolic::BoundMethodValue>(cls, function);
}

}  // namespace

absl::StatusOr<symbolic::Value*> SpecialMethod(Tracer& tracer, symbolic::Value* value,
                                               const char* name) {
  if (auto* cls = symbolic::As<symbolic::ConstantValue>(value);
      cls && PyType_Check(cls->object.get())) {
    return MethodOfMetaclass(tracer, cls, name);
  }
  if (!HasAttributes(value)) return nullptr;
  DYNACC_ASSIGN_OR_RETURN(const Attributed self, AsAttributed(tracer, value));
  Ref text = Ref::Steal(PyUnicode_InternFromString(name));
  BorrowedRef held = TypeLookup(self.type, text.get());
  if (held == nullptr) return nullptr;
  if (!PyFunction_Check(held)) {
    return symbolic::GraphBreak(absl::StrCat("call of ", self.type->tp_name, ".", name));
  }
  return Binding(tracer, value, ClassOf(tracer, self), held, InClass(tracer, self, text.get()))
      .Bind();
}

absl::StatusOr<bool> RaisedAttributeError(Tracer& tracer, const absl::Status& status) {
  if (!Tracer::IsRaised(status)) return false;
  return IsInstanceOf(tracer, tracer.raised(), PyExc_AttributeError);
}

absl::StatusOr<symbolic::Value*> LoadAttribute(Tracer& tracer, symbolic::Value* object,
                                               BorrowedRef name) {
  DYNACC_ASSIGN_OR_RETURN(object, tracer.Materialize(object));
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(object))
    return TensorAttribute(tracer, tensor, name);
  if (auto* super = symbolic::As<symbolic::SuperValue>(object))
    return SuperAttribute(tracer, super, name);
  if (auto* constant = symbolic::As<symbolic::ConstantValue>(object)) {
    if (PyModule_CheckExact(constant->object.get())) {
      return ModuleAttribute(tracer, constant, name);
    }
    if (PyType_Check(constant->object.get())) return ClassAttribute(tracer, constant, name);
    Ref found = tracer.arrays().CallableAttribute(constant->object.get(), Text(name));
    if (found && tracer.arrays().IsArray(found.get())) {
      // The class of an array scalar, called with it, gives it as a value of the trace.
      BorrowedRef cls = reinterpret_cast<PyObject*>(Py_TYPE(found.get()));
      symbolic::Value* const known[] = {tracer.Constant(found.get())};
      arrays::CallArgs args;
      args.positional = known;
      return tracer.arrays().Call(tracer.trace(), cls, args);
    }
    if (found) return tracer.trace().New<symbolic::ConstantValue>(std::move(found));
  }
  if (PyTypeObject* type = BuiltinTypeOf(object)) {
    return BuiltinAttribute(tracer, object, type, name);
  }
  absl::StatusOr<Attributed> self = AsAttributed(tracer, object);
  if (absl::IsUnimplemented(self.status())) {
    return symbolic::GraphBreak(absl::StrCat("attribute ", Text(name), " of such an object"));
  }
  DYNACC_RETURN_IF_ERROR(self.status());
  return InstanceLookup(tracer, *self, name).Find();
}

}  // namespace dynacc::tracer
