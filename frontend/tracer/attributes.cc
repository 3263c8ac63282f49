#include "frontend/tracer/attributes.h"

#include <structmember.h>

#include "absl/strings/str_cat.h"
#include "frontend/cpython/dict_access.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

std::string Text(BorrowedRef name) { return PyUnicode_AsUTF8(name); }

absl::StatusOr<Value*> ModuleAttribute(Tracer& tracer, ConstantValue* module, BorrowedRef name) {
  BorrowedRef object = DictGetStr(PyModule_GetDict(module->object.get()), name);
  if (object == nullptr) return GraphBreak("an attribute that the module computes");
  if (module->source() == nullptr) return GraphBreak("an attribute of a module made here");
  return tracer.Lazy(object,
                     tracer.sources().Intern(SourceKind::kModuleAttr, module->source(), 0, name));
}

// How an attribute is found on an instance whose type has no __getattribute__ or __getattr__.
class InstanceLookup {
 public:
  InstanceLookup(Tracer& tracer, ObjectValue* object, BorrowedRef name, AttributeUse use,
                 bool* pending)
      : tracer_(tracer), object_(object), name_(name), use_(use), pending_(pending) {}

  absl::StatusOr<Value*> Find() {
    PyTypeObject* type = Py_TYPE(object_->object.get());
    if (type->tp_getattro != PyObject_GenericGetAttr) {
      return GraphBreak("an attribute of an object with its own __getattribute__");
    }
    const uint32_t version = TypeVersion(type);
    if (version == 0) return GraphBreak("an attribute of a type that keeps changing");
    tracer_.trace().AddGuard(GuardKind::kTypeVersion, object_->source(),
                             reinterpret_cast<PyObject*>(type), version);
    BorrowedRef in_type = TypeLookup(type, name_);
    if (in_type != nullptr && Py_TYPE(in_type)->tp_descr_set != nullptr) {
      return DataDescriptor(in_type);
    }
    const Source* own =
        tracer_.sources().Intern(SourceKind::kInstanceAttr, object_->source(), 0, name_);
    if (BorrowedRef value = AccessSource(*own, object_->object.get(), tracer_.root().roots)) {
      return tracer_.Lazy(value, own);
    }
    if (in_type == nullptr) return RaisingBreak("an attribute that the object does not have");
    tracer_.trace().AddGuard(GuardKind::kAbsent, own);
    return FromType(in_type);
  }

 private:
  const Source* TypeSource() {
    return tracer_.sources().Intern(SourceKind::kTypeAttr, object_->source(), 0, name_);
  }

  absl::StatusOr<Value*> DataDescriptor(BorrowedRef descriptor) {
    if (Py_IS_TYPE(descriptor, &PyProperty_Type)) return Property(descriptor);
    if (Py_IS_TYPE(descriptor, &PyMemberDescr_Type)) return Slot(descriptor);
    return GraphBreak(absl::StrCat("a descriptor of type ", Py_TYPE(descriptor)->tp_name));
  }

  // The getter is inlined as a call with the object. A property object is immutable.
  absl::StatusOr<Value*> Property(BorrowedRef property) {
    Ref getter = Ref::Steal(PyObject_GetAttrString(property, "fget"));
    if (!getter || !PyFunction_Check(getter.get())) {
      PyErr_Clear();
      return GraphBreak("a property without a Python getter");
    }
    tracer_.trace().AddGuard(GuardKind::kIdentity, TypeSource(), property);
    auto* function = tracer_.trace().New<ConstantValue>(std::move(getter));
    *pending_ = true;
    DYNACC_RETURN_IF_ERROR(tracer_.Call(function, {object_}, {}));
    return nullptr;
  }

  absl::StatusOr<Value*> Slot(BorrowedRef descriptor) {
    const PyMemberDef* member = reinterpret_cast<PyMemberDescrObject*>(descriptor)->d_member;
    if (member->type != T_OBJECT_EX) return GraphBreak("a member that is no Python object");
    const Source* source =
        tracer_.sources().Intern(SourceKind::kSlotAttr, object_->source(), member->offset, name_);
    BorrowedRef value = AccessSource(*source, object_->object.get(), tracer_.root().roots);
    if (value == nullptr) return RaisingBreak("an attribute that the object does not have");
    return tracer_.Lazy(value, source);
  }

  absl::StatusOr<Value*> FromType(BorrowedRef in_type) {
    if (PyFunction_Check(in_type)) {
      DYNACC_ASSIGN_OR_RETURN(Value * function,
                              tracer_.Realize(tracer_.Lazy(in_type, TypeSource())));
      return tracer_.trace().New<BoundMethodValue>(object_, function);
    }
    if (use_ == AttributeUse::kCall &&
        PyType_HasFeature(Py_TYPE(in_type), Py_TPFLAGS_METHOD_DESCRIPTOR)) {
      return tracer_.trace().New<BoundMethodValue>(object_, tracer_.Lazy(in_type, TypeSource()));
    }
    if (Py_IS_TYPE(in_type, &PyStaticMethod_Type)) return StaticMethod(in_type);
    if (Py_TYPE(in_type)->tp_descr_get != nullptr) {
      return GraphBreak(absl::StrCat("a descriptor of type ", Py_TYPE(in_type)->tp_name));
    }
    return tracer_.Lazy(in_type, TypeSource());
  }

  // What a staticmethod wraps never changes.
  absl::StatusOr<Value*> StaticMethod(BorrowedRef wrapper) {
    tracer_.trace().AddGuard(GuardKind::kIdentity, TypeSource(), wrapper);
    Ref function = Ref::Steal(PyObject_GetAttrString(wrapper, "__func__"));
    if (!function) {
      PyErr_Clear();
      return GraphBreak("a staticmethod without a function");
    }
    return tracer_.trace().New<ConstantValue>(std::move(function));
  }

  Tracer& tracer_;
  ObjectValue* object_;
  BorrowedRef name_;
  AttributeUse use_;
  bool* pending_;
};

// `cls.name` for a class whose metaclass is plain `type`.
absl::StatusOr<Value*> ClassAttribute(Tracer& tracer, ConstantValue* cls, BorrowedRef name) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  if (!Py_IS_TYPE(cls->object.get(), &PyType_Type) || cls->source() == nullptr ||
      TypeLookup(&PyType_Type, name) != nullptr) {
    return GraphBreak(absl::StrCat("class attribute ", Text(name)));
  }
  BorrowedRef value = TypeLookup(type, name);
  if (value == nullptr) return RaisingBreak("an attribute that the class does not have");
  const Source* source = tracer.sources().Intern(SourceKind::kClassAttr, cls->source(), 0, name);
  // Of a class, a function comes as it is; other descriptors answer for themselves.
  if (Py_TYPE(value)->tp_descr_get != nullptr && !PyFunction_Check(value)) {
    return GraphBreak(absl::StrCat("a descriptor of type ", Py_TYPE(value)->tp_name));
  }
  return tracer.Lazy(value, source);
}

}  // namespace

absl::StatusOr<Value*> LoadAttribute(Tracer& tracer, Value* object, BorrowedRef name,
                                     AttributeUse use, bool* pending) {
  *pending = false;
  if (auto* tensor = As<TensorValue>(object)) {
    absl::StatusOr<Value*> value = tracer.arrays().Attribute(tracer.trace(), tensor, Text(name));
    if (!absl::IsNotFound(value.status())) return value;
    if (!tracer.arrays().KnowsMethod(Text(name))) {
      return GraphBreak(absl::StrCat("array attribute ", Text(name)));
    }
    return tracer.trace().New<ArrayMethodValue>(tensor, Text(name));
  }
  if (auto* constant = As<ConstantValue>(object);
      constant != nullptr && PyModule_CheckExact(constant->object.get())) {
    return ModuleAttribute(tracer, constant, name);
  }
  if (auto* constant = As<ConstantValue>(object);
      constant != nullptr && PyType_Check(constant->object.get())) {
    return ClassAttribute(tracer, constant, name);
  }
  if (auto* constant = As<ConstantValue>(object)) {
    Ref found = tracer.arrays().CallableAttribute(constant->object.get(), Text(name));
    if (found) return tracer.trace().New<ConstantValue>(std::move(found));
  }
  if (auto* instance = As<ObjectValue>(object)) {
    return InstanceLookup(tracer, instance, name, use, pending).Find();
  }
  return GraphBreak(absl::StrCat("attribute ", Text(name), " of such an object"));
}

}  // namespace dynacc
