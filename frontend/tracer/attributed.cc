#include "frontend/tracer/attributed.h"

#include "absl/strings/str_cat.h"
#include "frontend/cpython/describe.h"
#include "frontend/cpython/dict_access.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

absl::StatusOr<Attributed> Unguarded(symbolic::Value* value) {
  if (auto* object = symbolic::As<symbolic::ObjectValue>(value)) {
    return Attributed{value,
                      Py_TYPE(object->object.get()),
                      object->object.get(),
                      object->source(),
                      nullptr,
                      &object->attributes};
  }
  if (auto* instance = symbolic::As<symbolic::InstanceValue>(value)) {
    auto* type = reinterpret_cast<PyTypeObject*>(instance->cls->object.get());
    return Attributed{value, type, nullptr, nullptr, instance->cls, &instance->attributes};
  }
  if (auto* function = symbolic::As<symbolic::FunctionValue>(value);
      function && function->source()) {
    return Attributed{value,   &PyFunction_Type,     function->function.get(), function->source(),
                      nullptr, &function->attributes};
  }
  if (auto* tuple = symbolic::As<symbolic::TupleValue>(value); tuple && tuple->cls) {
    auto* type = reinterpret_cast<PyTypeObject*>(tuple->cls->object.get());
    return Attributed{value, type, nullptr, nullptr, tuple->cls, nullptr};
  }
  return symbolic::GraphBreak("an attribute of such an object");
}

}  // namespace

absl::StatusOr<Attributed> AsAttributed(Tracer& tracer, symbolic::Value* value) {
  // One value keeps what is stored into a function, by whatever name; others need only its code.
  if (auto* function = symbolic::As<symbolic::FunctionValue>(value);
      function && function->source()) {
    value = tracer.Unify(function->function.get(), function);
  }
  DYNACC_ASSIGN_OR_RETURN(const Attributed self, Unguarded(value));
  const uint32_t version = TypeVersion(self.type);
  if (version == 0) return symbolic::GraphBreak("an attribute of a type that keeps changing");
  if (self.fresh()) {
    tracer.trace().AddGuard(guards::GuardKind::kClassVersion, SourceOfClass(tracer, self.cls),
                            nullptr, version);
  } else {
    tracer.trace().AddGuard(guards::GuardKind::kTypeVersion, self.source,
                            reinterpret_cast<PyObject*>(self.type), version);
  }
  return self;
}

absl::Status GuardTypeOf(Tracer& tracer, BorrowedRef object, const sources::Source* source) {
  PyTypeObject* type = Py_TYPE(object);
  if (PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE)) return absl::OkStatus();
  const uint32_t version = TypeVersion(type);
  if (version == 0) return symbolic::GraphBreak("an object whose type keeps changing");
  tracer.trace().AddGuard(guards::GuardKind::kTypeVersion, source,
                          reinterpret_cast<PyObject*>(type), version);
  return absl::OkStatus();
}

absl::Status NoAttribute(Tracer& tracer, PyTypeObject* type, BorrowedRef name) {
  return tracer.Raise(PyExc_AttributeError,
                      absl::StrCat("'", absl::string_view(type->tp_name).substr(0, 50),
                                   "' object has no attribute '", StrView(name), "'"),
                      "an attribute that the object does not have");
}

absl::Status OddDescriptor(BorrowedRef descriptor) {
  return symbolic::GraphBreak(absl::StrCat("a descriptor of type ", Py_TYPE(descriptor)->tp_name));
}

Ref FixedPart(BorrowedRef object, const char* name) {
  Ref part = Ref::Steal(PyObject_GetAttrString(object, name));
  if (!part) PyErr_Clear();
  return part;
}

Ref PythonMethod(BorrowedRef descriptor, const char* name) {
  Ref text = Ref::Steal(PyUnicode_InternFromString(name));
  BorrowedRef method = TypeLookup(Py_TYPE(descriptor), text.get());
  return method != nullptr && PyFunction_Check(method) ? Ref::New(method) : Ref();
}

bool IsOwnSlot(const Attributed& self, BorrowedRef slot, BorrowedRef name) {
  return PyUnicode_Compare(PyDescr_NAME(slot), name) == 0 &&
         PyType_IsSubtype(self.type, PyDescr_TYPE(slot)) != 0;
}

const sources::Source* SourceOfClass(Tracer& tracer, symbolic::ConstantValue* cls) {
  if (cls->source() != nullptr) return cls->source();
  return tracer.sources().Intern(sources::SourceKind::kPinned, nullptr, 0, cls->object.get());
}

const sources::Source* InClass(Tracer& tracer, const Attributed& self, BorrowedRef name) {
  if (!self.fresh())
    return tracer.sources().Intern(sources::SourceKind::kTypeAttr, self.source, 0, name);
  return tracer.sources().Intern(sources::SourceKind::kClassAttr, SourceOfClass(tracer, self.cls),
                                 0, name);
}

symbolic::ConstantValue* ClassOf(Tracer& tracer, const Attributed& self) {
  if (self.fresh()) return self.cls;
  const sources::Source* source = tracer.sources().Intern(sources::SourceKind::kType, self.source);
  return tracer.trace().New<symbolic::ConstantValue>(
      Ref::New(reinterpret_cast<PyObject*>(self.type)), source);
}

}  // namespace dynacc::tracer
