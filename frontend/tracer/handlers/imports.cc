// import statements and __import__, of modules that have been imported before.
//
// CPython's import system then only looks into sys.modules; so does this, at every call. A module
// that is not there yet is imported by CPython, and the entry that ends there holds only as long as
// it is not there.
#include "absl/strings/str_cat.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/builtins/builtins.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/handlers/handlers.h"
#include "frontend/tracer/numbers.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

BorrowedRef InModule(BorrowedRef module, const char* name) {
  return DictGetStr(PyModule_GetDict(module), Ref::Steal(PyUnicode_InternFromString(name)).get());
}

// Whether the import system would wait for another thread that is importing the module, or would
// have to ask Python code.
bool IsInitialized(BorrowedRef module) {
  BorrowedRef spec = InModule(module, "__spec__");
  if (spec == nullptr || spec == Py_None) return true;
  if (Py_TYPE(spec)->tp_getattro != PyObject_GenericGetAttr) return false;
  const Ref flag = Ref::Steal(PyObject_GetAttrString(spec, "_initializing"));
  PyErr_Clear();
  return !flag || flag.get() == Py_False;
}

// sys.modules, which the traced code may have changed.
absl::StatusOr<symbolic::DictValue*> Modules(Tracer& tracer) {
  BorrowedRef modules = PyImport_GetModuleDict();
  const sources::Source* source =
      tracer.sources().Intern(sources::SourceKind::kPinned, nullptr, 0, modules);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value,
                          tracer.Materialize(tracer.Lazy(modules, source)));
  if (auto* dict = symbolic::As<symbolic::DictValue>(value)) return dict;
  return symbolic::GraphBreak("an import of such a module");
}

// What sys.modules holds under the name.
absl::StatusOr<symbolic::ConstantValue*> Imported(Tracer& tracer, BorrowedRef name) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * modules, Modules(tracer));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, DictItem(tracer, modules, name));
  if (value == nullptr) {
    if (modules->written.Find(name) == nullptr) {
      tracer.EndsWhileAbsent(
          tracer.sources().Intern(sources::SourceKind::kDictItem, modules->source(), 0, name));
    }
    return symbolic::GraphBreak("an import of a module that is not there yet");
  }
  DYNACC_ASSIGN_OR_RETURN(value, tracer.Materialize(value));
  auto* module = symbolic::As<symbolic::ConstantValue>(value);
  if (module == nullptr || module->source() == nullptr ||
      !PyModule_CheckExact(module->object.get()) || !IsInitialized(module->object.get())) {
    return symbolic::GraphBreak("an import of such a module");
  }
  return module;
}

// As _handle_fromlist of importlib: a package may have to import what it lacks.
absl::Status RequireNames(Tracer& tracer, symbolic::ConstantValue* module, symbolic::Value* names) {
  BorrowedRef object = module->object.get();
  if (InModule(object, "__path__") == nullptr) {
    const sources::Source* fallback =
        tracer.sources().Intern(sources::SourceKind::kModuleAttr, module->source(), 0,
                                Ref::Steal(PyUnicode_InternFromString("__getattr__")).get());
    if (sources::ResolveSource(*fallback, tracer.root().roots) != nullptr) {
      return symbolic::GraphBreak("an import from such a module");
    }
    tracer.trace().AddGuard(guards::GuardKind::kAbsent, fallback);
    return absl::OkStatus();
  }
  DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> items, SequenceItems(tracer, names));
  for (symbolic::Value* item : items) {
    auto* name = symbolic::As<symbolic::ConstantValue>(item);
    if (name == nullptr || !PyUnicode_CheckExact(name->object.get())) {
      return symbolic::GraphBreak("an import of such names");
    }
    if (DictGetStr(PyModule_GetDict(object), name->object.get()) == nullptr) {
      return symbolic::GraphBreak("an import of a part that the package does not hold yet");
    }
    DYNACC_RETURN_IF_ERROR(LoadAttribute(tracer, module, name->object.get()).status());
  }
  return absl::OkStatus();
}

bool IsNothing(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return constant != nullptr &&
         (constant->object.get() == Py_None || (PyTuple_CheckExact(constant->object.get()) &&
                                                PyTuple_GET_SIZE(constant->object.get()) == 0));
}

Ref TextBeforeDot(BorrowedRef name) {
  const Py_ssize_t dot = PyUnicode_FindChar(name, '.', 0, PyUnicode_GET_LENGTH(name), 1);
  Ref front = dot < 0 ? Ref::New(name) : Ref::Steal(PyUnicode_Substring(name, 0, dot));
  PyObject* interned = front.Release();
  PyUnicode_InternInPlace(&interned);
  return Ref::Steal(interned);
}

// As PyImport_ImportModuleLevelObject at level 0.
absl::StatusOr<symbolic::Value*> Import(Tracer& tracer, symbolic::Value* name,
                                        symbolic::Value* names, symbolic::Value* level) {
  auto* text = symbolic::As<symbolic::ConstantValue>(name);
  if (text == nullptr || !PyUnicode_CheckExact(text->object.get()) ||
      PyUnicode_GET_LENGTH(text->object.get()) == 0) {
    return symbolic::GraphBreak("an import of a name that may change");
  }
  auto* number = symbolic::As<symbolic::ConstantValue>(level);
  if (number == nullptr || !PyLong_CheckExact(number->object.get()) ||
      PyLong_AsLong(number->object.get()) != 0) {
    return symbolic::GraphBreak("an import relative to a package");
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * module, Imported(tracer, text->object.get()));
  if (IsNothing(names)) return Imported(tracer, TextBeforeDot(text->object.get()).get());
  if (!IsSequence(names)) return symbolic::GraphBreak("an import of such names");
  DYNACC_RETURN_IF_ERROR(RequireNames(tracer, module, names));
  return module;
}

// What the running frame's module holds under the name since before the segment; null: nothing.
absl::StatusOr<symbolic::Value*> InOwnModule(Tracer& tracer, const char* name) {
  const SymbolicFrame& frame = tracer.frame();
  const Ref text = Ref::Steal(PyUnicode_InternFromString(name));
  sources::SourceTable& sources = tracer.sources();
  const sources::Source* dict =
      frame.globals_of == nullptr
          ? sources.Intern(sources::SourceKind::kGlobals, nullptr)
          : sources.Intern(sources::SourceKind::kFunctionGlobals, frame.globals_of);
  if (tracer.GlobalsOverlay(frame.globals, dict).Find(text.get()) != nullptr) {
    return symbolic::GraphBreak("an import relative to a package that changes");
  }
  const sources::Source* source =
      sources.Intern(frame.globals_of == nullptr ? sources::SourceKind::kGlobal
                                                 : sources::SourceKind::kFunctionGlobal,
                     frame.globals_of, 0, text.get());
  BorrowedRef object = DictGetStr(frame.globals, text.get());
  if (object != nullptr) return tracer.Lazy(object, source);
  tracer.trace().AddGuard(guards::GuardKind::kAbsent, source);
  return nullptr;
}

// Whether __spec__ has no other opinion of what the package is, of which CPython would warn.
bool Agrees(symbolic::ObjectValue* spec, BorrowedRef package) {
  if (spec == nullptr || spec->object.get() == Py_None) return true;
  const Ref parent = Ref::Steal(PyObject_GetAttrString(spec->object.get(), "parent"));
  PyErr_Clear();
  return parent && PyUnicode_CheckExact(parent.get()) &&
         PyUnicode_Compare(parent.get(), package) == 0;
}

// The package that the running frame's module is in, as resolve_name of
// Python/import.c takes it from __package__.
absl::StatusOr<BorrowedRef> OwnPackage(Tracer& tracer) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * package, InOwnModule(tracer, "__package__"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * spec, InOwnModule(tracer, "__spec__"));
  if (package == nullptr) return symbolic::GraphBreak("an import relative to no package");
  DYNACC_ASSIGN_OR_RETURN(package, tracer.Materialize(package));
  auto* text = symbolic::As<symbolic::ConstantValue>(package);
  if (text == nullptr || !PyUnicode_CheckExact(text->object.get()) ||
      PyUnicode_GET_LENGTH(text->object.get()) == 0 ||
      !Agrees(symbolic::As<symbolic::ObjectValue>(spec), text->object.get())) {
    return symbolic::GraphBreak("an import relative to such a package");
  }
  if (spec != nullptr) {
    tracer.trace().AddGuard(guards::GuardKind::kIdentity, spec->source(),
                            symbolic::As<symbolic::ObjectValue>(spec)->object.get());
  }
  return text->object.get();
}

// The absolute name of `name`, which is relative to the package `level` - 1 above the own one.
absl::StatusOr<Ref> AbsoluteName(Tracer& tracer, BorrowedRef name, long level) {
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef own, OwnPackage(tracer));
  Py_ssize_t length = PyUnicode_GET_LENGTH(own);
  for (; level > 1 && length >= 0; --level) length = PyUnicode_FindChar(own, '.', 0, length, -1);
  if (length < 0) return symbolic::RaisingBreak("an import beyond the top of the package");
  Ref front = Ref::Steal(PyUnicode_Substring(own, 0, length));
  PyObject* whole = PyUnicode_GET_LENGTH(name) == 0
                        ? front.Release()
                        : PyUnicode_FromFormat("%U.%U", front.get(), name);
  PyUnicode_InternInPlace(&whole);
  return Ref::Steal(whole);
}

}  // namespace

namespace builtins {

absl::StatusOr<symbolic::Value*> ImportModule(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 5, {"fromlist", "level"}));
  symbolic::Value* names = call.args.size() > 3 ? call.args[3] : call.Keyword("fromlist");
  symbolic::Value* level = call.args.size() > 4 ? call.args[4] : call.Keyword("level");
  return Import(tracer, call.args[0], names != nullptr ? names : tracer.None(),
                level != nullptr ? level : tracer.ConstantSteal(PyLong_FromLong(0)));
}

}  // namespace builtins

namespace handlers {

absl::Status ImportName(Tracer& tracer, const bytecode::Instruction& instruction) {
  Ref name = Ref::New(PyTuple_GET_ITEM(tracer.frame().raw_code()->co_names, instruction.arg));
  symbolic::Value* names = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(const int64_t level, tracer.trace().ConstantInt(tracer.Pop()));
  if (level > 0) {
    DYNACC_ASSIGN_OR_RETURN(name, AbsoluteName(tracer, name.get(), level));
  }
  // A program may have an __import__ of its own.
  const Ref import = Ref::Steal(PyUnicode_InternFromString("__import__"));
  BorrowedRef held = DictGetStr(tracer.frame().builtins, import.get());
  if (held == nullptr || tracer.frame().builtins != tracer.root().roots.builtins) {
    return symbolic::GraphBreak("an import by a function of the program's");
  }
  DYNACC_ASSIGN_OR_RETURN(
      symbolic::Value * function,
      tracer.Materialize(tracer.Lazy(
          held, tracer.sources().Intern(sources::SourceKind::kBuiltin, nullptr, 0, import.get()))));
  auto* known = symbolic::As<symbolic::ConstantValue>(function);
  if (known == nullptr || !PyCFunction_CheckExact(held)) {
    return symbolic::GraphBreak("an import by a function of the program's");
  }
  BuiltinCall call{held, {tracer.Constant(name.get()), tracer.None(), tracer.None(), names}, {}};
  absl::StatusOr<symbolic::Value*> module = CallBuiltin(tracer, call);
  if (absl::IsNotFound(module.status())) {
    return symbolic::GraphBreak("an import by a function of the program's");
  }
  DYNACC_RETURN_IF_ERROR(module.status());
  tracer.Push(*module);
  return absl::OkStatus();
}

absl::Status ImportFrom(Tracer& tracer, const bytecode::Instruction& instruction) {
  BorrowedRef name = PyTuple_GET_ITEM(tracer.frame().raw_code()->co_names, instruction.arg);
  symbolic::Value* module = tracer.Peek(0);
  DYNACC_ASSIGN_OR_RETURN(module, tracer.Materialize(module));
  auto* known = symbolic::As<symbolic::ConstantValue>(module);
  if (known == nullptr || !PyModule_CheckExact(known->object.get())) {
    return symbolic::GraphBreak("an import from what is no module");
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * part, LoadAttribute(tracer, module, name));
  tracer.Push(part);
  return absl::OkStatus();
}

}  // namespace handlers
}  // namespace dynacc::tracer
