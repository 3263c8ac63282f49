#include "frontend/tracer/dict_parts.h"

#include "absl/strings/string_view.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/tracer/attributed.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/operators.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

bool IsDefaultDict(PyTypeObject* type) {
  return absl::string_view(type->tp_name) == "collections.defaultdict" &&
         PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE);
}

BorrowedRef InType(PyTypeObject* type, const char* name) {
  Ref text = Ref::Steal(PyUnicode_InternFromString(name));
  return TypeLookup(type, text.get());
}

// The builtin type whose methods give an object's entries as they are: dict's own, or
// OrderedDict's, of which there are no subclasses here.
PyTypeObject* EntriesType(PyTypeObject* type) {
  return type == &PyODict_Type ? &PyODict_Type : &PyDict_Type;
}

// As defdict_missing of Modules/_collectionsmodule.c.
absl::StatusOr<symbolic::Value*> MakeDefault(Tracer& tracer, symbolic::Value* container,
                                             symbolic::Value* key, BorrowedRef plain_key) {
  static PyObject* const name = PyUnicode_InternFromString("default_factory");
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * factory, LoadAttribute(tracer, container, name));
  DYNACC_ASSIGN_OR_RETURN(factory, tracer.Materialize(factory));
  auto* constant = symbolic::As<symbolic::ConstantValue>(factory);
  if (constant != nullptr && constant->object.get() == Py_None) {
    return RaiseKeyError(tracer, plain_key);
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, tracer.CallNow(factory, {}));
  DYNACC_RETURN_IF_ERROR(StoreSubscript(tracer, container, key, item));
  return item;
}

absl::StatusOr<symbolic::Value*> Missing(Tracer& tracer, symbolic::Value* container,
                                         symbolic::Value* key, BorrowedRef plain_key) {
  DYNACC_ASSIGN_OR_RETURN(const Attributed self, AsAttributed(tracer, container));
  BorrowedRef held = InType(self.type, "__missing__");
  if (held == nullptr) return RaiseKeyError(tracer, plain_key);
  PyTypeObject* base = BuiltinBase(self.type);
  if (IsDefaultDict(base) && held == InType(base, "__missing__")) {
    return MakeDefault(tracer, container, key, plain_key);
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * method,
                          SpecialMethod(tracer, container, "__missing__"));
  if (method == nullptr) return symbolic::GraphBreak("a key that the dict does not have");
  return tracer.CallNow(method, {key});
}

}  // namespace

bool HasEntries(PyTypeObject* type) {
  if (!PyType_IsSubtype(type, &PyDict_Type)) return false;
  PyTypeObject* base = BuiltinBase(type);
  return base == &PyDict_Type || IsDefaultDict(base) || type == &PyODict_Type;
}

absl::StatusOr<symbolic::DictValue*> EntriesOf(Tracer& tracer, symbolic::Value* value) {
  if (auto* dict = symbolic::As<symbolic::DictValue>(value)) return dict;
  if (auto* instance = symbolic::As<symbolic::InstanceValue>(value)) {
    if (instance->part != nullptr) DYNACC_RETURN_IF_ERROR(AsAttributed(tracer, value).status());
    return symbolic::As<symbolic::DictValue>(instance->part);
  }
  auto* object = symbolic::As<symbolic::ObjectValue>(value);
  if (object == nullptr || !HasEntries(Py_TYPE(object->object.get()))) return nullptr;
  DYNACC_RETURN_IF_ERROR(AsAttributed(tracer, value).status());
  if (object->part == nullptr) {
    object->part = tracer.trace().New<symbolic::DictValue>(object->object, object->source());
  }
  return symbolic::As<symbolic::DictValue>(object->part);
}

absl::StatusOr<symbolic::DictValue*> EntriesBy(Tracer& tracer, symbolic::Value* value,
                                               const char* name) {
  auto* object = symbolic::As<symbolic::ObjectValue>(value);
  auto* instance = symbolic::As<symbolic::InstanceValue>(value);
  PyTypeObject* type = nullptr;
  if (object != nullptr) type = Py_TYPE(object->object.get());
  if (instance != nullptr) type = reinterpret_cast<PyTypeObject*>(instance->cls->object.get());
  if (type == nullptr || !HasEntries(type)) return nullptr;
  if (InType(type, name) != InType(EntriesType(type), name)) return nullptr;
  return EntriesOf(tracer, value);
}

absl::StatusOr<symbolic::Value*> EntrySubscript(Tracer& tracer, symbolic::Value* container,
                                                symbolic::DictValue* entries,
                                                symbolic::Value* key) {
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef name, DictKey(tracer, key));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, DictItem(tracer, entries, name));
  if (item != nullptr) return item;
  if (container == entries) return RaiseKeyError(tracer, name);
  return Missing(tracer, container, key, name);
}

}  // namespace dynacc::tracer
