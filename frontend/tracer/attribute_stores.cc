// Stores to attributes and their deletion.
#include <Python.h>
#include <structmember.h>

#include "absl/strings/str_cat.h"
#include "frontend/cpython/class_states.h"
#include "frontend/cpython/describe.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/tracer/attributed.h"
#include "frontend/tracer/attributes.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

// Parts of an exception that has been raised here, which never leaves the segment.
bool IsUnseen(symbolic::Value* object, BorrowedRef name) {
  auto* exception = symbolic::As<symbolic::InstanceValue>(object);
  if (exception == nullptr || !exception->raised) return false;
  for (const char* part : {"__traceback__", "__context__", "__cause__", "__suppress_context__"}) {
    if (PyUnicode_CompareWithASCIIString(name, part) == 0) return true;
  }
  return false;
}

// Stores to what a class describes: a slot goes to the overlay, a property's setter is inlined.
absl::StatusOr<bool> StoreToDescriptor(Tracer& tracer, const Attributed& self,
                                       BorrowedRef descriptor, BorrowedRef name,
                                       symbolic::Value* value) {
  if (Py_IS_TYPE(descriptor, &PyMemberDescr_Type)) {
    const PyMemberDef* member = reinterpret_cast<PyMemberDescrObject*>(descriptor)->d_member;
    if (member->type != T_OBJECT_EX || (member->flags & READONLY) != 0) {
      return symbolic::GraphBreak("a member that is no Python object");
    }
    if (!IsOwnSlot(self, descriptor, name)) return symbolic::GraphBreak("a slot by another name");
    return false;
  }
  Ref setter;
  std::vector<symbolic::Value*> args = {self.value};
  if (Py_IS_TYPE(descriptor, &PyProperty_Type)) {
    setter = FixedPart(descriptor, value != nullptr ? "fset" : "fdel");
  } else {
    setter = PythonMethod(descriptor, value != nullptr ? "__set__" : "__delete__");
    args.insert(args.begin(), tracer.Lazy(descriptor, InClass(tracer, self, name)));
  }
  if (!setter || !PyFunction_Check(setter.get())) return OddDescriptor(descriptor);
  if (value != nullptr) args.push_back(value);
  symbolic::Value* function = tracer.trace().New<symbolic::ConstantValue>(std::move(setter));
  DYNACC_RETURN_IF_ERROR(tracer.CallNow(function, std::move(args)).status());
  return true;
}

bool HasDict(PyTypeObject* type) {
  return type->tp_dictoffset != 0 || PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT);
}

absl::Status StoreToModule(Tracer& tracer, symbolic::ConstantValue* module, BorrowedRef name,
                           symbolic::Value* value) {
  if (module->source() == nullptr || value == nullptr) {
    return symbolic::GraphBreak("a change of a module's attribute");
  }
  BorrowedRef descriptor = TypeLookup(Py_TYPE(module->object.get()), name);
  if (descriptor != nullptr && Py_TYPE(descriptor)->tp_descr_set != nullptr) {
    return symbolic::GraphBreak("a change of an attribute that modules look after");
  }
  BorrowedRef dict = PyModule_GetDict(module->object.get());
  tracer.trace().NoteChangeOutside();
  tracer
      .GlobalsOverlay(dict,
                      tracer.sources().Intern(sources::SourceKind::kModuleDict, module->source()))
      .Set(name, value);
  return absl::OkStatus();
}

// Whether what the value stands for is plain data (class_states.h).
bool IsPlainDataValue(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  if (constant != nullptr) return IsPlainData(constant->object.get());
  auto* tuple = symbolic::As<symbolic::TupleValue>(value);
  return symbolic::As<symbolic::NumberValue>(value) || symbolic::As<symbolic::TensorValue>(value) ||
         symbolic::As<symbolic::LazyValue>(value) || symbolic::As<symbolic::ListValue>(value) ||
         symbolic::As<symbolic::DictValue>(value) || symbolic::As<symbolic::SetValue>(value) ||
         symbolic::As<symbolic::DequeValue>(value) || (tuple != nullptr && tuple->cls == nullptr);
}

// cls.name = value, where that replaces plain data by plain data. CPython gives the class a new
// version then, which stands for the old one (class_states.h).
absl::Status StoreToClass(Tracer& tracer, symbolic::ConstantValue* cls, BorrowedRef name,
                          symbolic::Value* value) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  const std::string reason = absl::StrCat("a store to attribute ", StrView(name), " of a class");
  if (value == nullptr) return symbolic::GraphBreak(reason);
  DYNACC_ASSIGN_OR_RETURN(value, tracer.Materialize(value));
  const uint32_t version = TypeVersion(type);
  const bool is_plain = HoldsPlainData(type, name) && IsPlainDataValue(value);
  if (version == 0 || !is_plain) return symbolic::GraphBreak(reason);
  const sources::Source* source = SourceOfClass(tracer, cls);
  tracer.trace().AddGuard(guards::GuardKind::kClassVersion, source, nullptr, version);
  DYNACC_RETURN_IF_ERROR(GuardTypeOf(tracer, cls->object.get(), source));
  tracer.trace().NoteChangeOutside();
  symbolic::Overlay& written = tracer.ClassOverlay(cls);
  if (written.Find(name) == nullptr) {
    const sources::Source* held =
        tracer.sources().Intern(sources::SourceKind::kClassAttr, source, 0, name);
    DYNACC_RETURN_IF_ERROR(tracer.LetGo(held, DictGetStr(NamespaceOf(type), name)));
  }
  written.Set(name, value);
  return absl::OkStatus();
}

// The Python function that a class has in place of object.__setattr__; null: it is object's.
absl::StatusOr<symbolic::Value*> OwnStore(Tracer& tracer, const Attributed& self, bool is_delete) {
  static PyObject* const names[] = {PyUnicode_InternFromString("__setattr__"),
                                    PyUnicode_InternFromString("__delattr__")};
  if (self.type->tp_setattro == PyObject_GenericSetAttr) return nullptr;
  BorrowedRef held = TypeLookup(self.type, names[is_delete]);
  // The other one of the two may be the class's own.
  if (held == TypeLookup(&PyBaseObject_Type, names[is_delete])) return nullptr;
  // A class may have dict.__setitem__ for it.
  const bool is_known =
      held != nullptr && (PyFunction_Check(held) || Py_IS_TYPE(held, &PyWrapperDescr_Type));
  if (!is_known) return symbolic::GraphBreak("a class with its own stores");
  return tracer.Constant(held);
}

// Where an existing instance keeps the attribute: in a slot, or in its dict.
const sources::Source* OwnSource(Tracer& tracer, const Attributed& self, BorrowedRef name,
                                 BorrowedRef slot) {
  if (slot == nullptr) {
    return tracer.sources().Intern(sources::SourceKind::kInstanceAttr, self.source, 0, name);
  }
  const PyMemberDef* member = reinterpret_cast<PyMemberDescrObject*>(slot)->d_member;
  return tracer.sources().Intern(sources::SourceKind::kSlotAttr, self.source, member->offset, name);
}

// `slot`: its descriptor, or null for an attribute in the instance's dict.
absl::Status Delete(Tracer& tracer, const Attributed& self, BorrowedRef name, BorrowedRef slot) {
  BorrowedRef start = nullptr;
  if (!self.fresh()) {
    const sources::Source* own = OwnSource(tracer, self, name, slot);
    start = sources::AccessSource(*own, self.object, tracer.root().roots);
    if (start == nullptr) {
      tracer.trace().AddGuard(guards::GuardKind::kAbsent, own);
    } else {
      tracer.trace().AddGuard(guards::GuardKind::kTypeIs, own,
                              reinterpret_cast<PyObject*>(Py_TYPE(start)));
    }
  }
  const symbolic::Overlay::Write* write = self.overlay->Find(name);
  const bool is_there = write != nullptr ? write->value != nullptr : start != nullptr;
  if (!is_there && slot != nullptr) {  // PyMember_SetOne's words
    return tracer.Raise(PyExc_AttributeError, StrView(name), "a slot that is empty");
  }
  if (!is_there) return NoAttribute(tracer, self.type, name);
  self.overlay->Delete(name, start != nullptr);
  return absl::OkStatus();
}

}  // namespace

absl::Status StoreAttributePlainly(Tracer& tracer, symbolic::Value* object, BorrowedRef name,
                                   symbolic::Value* value) {
  DYNACC_ASSIGN_OR_RETURN(const Attributed self, AsAttributed(tracer, object));
  if (self.overlay == nullptr) return symbolic::GraphBreak("a store into such an object");
  BorrowedRef in_type = TypeLookup(self.type, name);
  if (in_type != nullptr) {
    DYNACC_RETURN_IF_ERROR(GuardTypeOf(tracer, in_type, InClass(tracer, self, name)));
  }
  const bool data = in_type != nullptr && Py_TYPE(in_type)->tp_descr_set != nullptr;
  if (data && IsUnseen(object, name)) return absl::OkStatus();
  if (data) {
    DYNACC_ASSIGN_OR_RETURN(const bool done, StoreToDescriptor(tracer, self, in_type, name, value));
    if (done) return absl::OkStatus();
  } else if (!HasDict(self.type)) {
    return symbolic::RaisingBreak("an attribute that the object has no place for");
  }
  if (!self.fresh() && self.overlay->Find(name) == nullptr) {
    const sources::Source* own = OwnSource(tracer, self, name, data ? in_type : nullptr);
    DYNACC_RETURN_IF_ERROR(
        tracer.LetGo(own, sources::AccessSource(*own, self.object, tracer.root().roots)));
  }
  tracer.NoteChange(self.value);
  if (value == nullptr) return Delete(tracer, self, name, data ? in_type : nullptr);
  self.overlay->Set(name, value);
  return absl::OkStatus();
}

absl::Status StoreAttribute(Tracer& tracer, symbolic::Value* object, BorrowedRef name,
                            symbolic::Value* value) {
  DYNACC_ASSIGN_OR_RETURN(object, tracer.Materialize(object));
  if (auto* module = symbolic::As<symbolic::ConstantValue>(object);
      module && PyModule_CheckExact(module->object.get())) {
    return StoreToModule(tracer, module, name, value);
  }
  if (auto* cls = symbolic::As<symbolic::ConstantValue>(object);
      cls && PyType_Check(cls->object.get())) {
    return StoreToClass(tracer, cls, name, value);
  }
  const bool is_function =
      symbolic::As<symbolic::FunctionValue>(object) && object->source() != nullptr;
  if (!HasAttributes(object) && !is_function) {
    return symbolic::GraphBreak(
        absl::StrCat("a store to attribute ", StrView(name), " of such an object"));
  }
  DYNACC_ASSIGN_OR_RETURN(const Attributed self, AsAttributed(tracer, object));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * own, OwnStore(tracer, self, value == nullptr));
  if (own == nullptr) return StoreAttributePlainly(tracer, object, name, value);
  std::vector<symbolic::Value*> args = {object, tracer.Constant(name)};
  if (value != nullptr) args.push_back(value);
  return tracer.CallNow(own, std::move(args)).status();
}

}  // namespace dynacc::tracer
