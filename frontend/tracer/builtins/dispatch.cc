#include "frontend/tracer/builtins/dispatch.h"

#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/identity_key.h"
#include "frontend/cpython/name_lookup.h"
#include "frontend/tracer/attributed.h"
#include "frontend/tracer/builtins/library.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/inline.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

absl::Status TooOdd() { return symbolic::GraphBreak("a call of such a generic function"); }

// The index of the function's free variable of that name; -1 if there is none.
int IndexOfFree(BorrowedRef function, const char* name) {
  auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function));
  for (int i = 0; PyFunction_GET_CLOSURE(function) != nullptr && i < code->co_nfreevars; ++i) {
    BorrowedRef own =
        PyTuple_GET_ITEM(code->co_localsplusnames, code->co_nlocalsplus - code->co_nfreevars + i);
    if (PyUnicode_CompareWithASCIIString(own, name) == 0) return i;
  }
  return -1;
}

// What that variable holds; null if there is none.
absl::StatusOr<symbolic::Value*> FreeVariable(Tracer& tracer,
                                              const symbolic::FunctionValue& function,
                                              const char* name) {
  BorrowedRef real = function.function.get();
  const int index = IndexOfFree(real, name);
  if (index < 0) return nullptr;
  symbolic::CellValue* cell =
      ClosureCell(tracer, SourceOfFunction(tracer, function), PyFunction_GET_CLOSURE(real), index);
  return cell->content == nullptr ? nullptr : tracer.Materialize(cell->content);
}

// The `data` of what is a weakref.WeakKeyDictionary as the library has it; null of anything else.
BorrowedRef DataOfWeakKeys(BorrowedRef object) {
  static PyObject* const data = PyUnicode_InternFromString("data");
  const Ref library = Ref::Steal(PyImport_ImportModule("weakref"));
  const Ref type =
      library ? Ref::Steal(PyObject_GetAttrString(library.get(), "WeakKeyDictionary")) : Ref();
  PyErr_Clear();
  if (object == nullptr || type.get() != reinterpret_cast<PyObject*>(Py_TYPE(object)))
    return nullptr;
  LookupCell cell;
  BorrowedRef found = LookupInInstance(object, data, cell);
  return found != nullptr && PyDict_CheckExact(found) ? found : nullptr;
}

// What the function remembers for the class; null if it has not been asked yet, or that cannot be
// told.
BorrowedRef Remembered(BorrowedRef function, BorrowedRef cls) {
  const int index = IndexOfFree(function, "dispatch_cache");
  if (index < 0 || !IsIdentityKey(cls)) return nullptr;
  BorrowedRef cell = PyTuple_GET_ITEM(PyFunction_GET_CLOSURE(function), index);
  BorrowedRef answers = DataOfWeakKeys(PyCell_GET(cell));
  const Ref key = Ref::Steal(answers == nullptr ? nullptr : PyWeakref_NewRef(cls, nullptr));
  BorrowedRef answer = key ? PyDict_GetItemWithError(answers, key.get()) : nullptr;
  PyErr_Clear();
  return answer;
}

// Whether a class is a subclass of this one only if it has it among its bases.
bool IsPlainBase(BorrowedRef cls) {
  static PyObject* const name = PyUnicode_InternFromString("__subclasscheck__");
  return PyType_Check(cls) && TypeLookup(Py_TYPE(cls), name) == TypeLookup(&PyType_Type, name);
}

// Functions are only ever added to the table, so that its size tells of all.
absl::Status RequireTable(Tracer& tracer, const symbolic::DictValue& table) {
  BorrowedRef real = table.object.get();
  if (table.source() == nullptr) return TooOdd();
  PyObject *cls, *function;
  Py_ssize_t position = 0;
  while (PyDict_Next(real, &position, &cls, &function)) {
    if (!IsPlainBase(cls)) return TooOdd();
  }
  tracer.trace().AddGuard(guards::GuardKind::kDictLength, table.source(), nullptr,
                          PyDict_GET_SIZE(real));
  return absl::OkStatus();
}

// What the table has for the first of the class's bases, itself included, that it has; null: none.
absl::StatusOr<symbolic::Value*> OfFirstBase(Tracer& tracer, symbolic::DictValue* table,
                                             symbolic::ConstantValue* cls) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  const uint32_t version = TypeVersion(type);
  if (version == 0 || type->tp_mro == nullptr) return TooOdd();
  tracer.trace().AddGuard(guards::GuardKind::kClassVersion, SourceOfClass(tracer, cls), nullptr,
                          version);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    BorrowedRef base = PyTuple_GET_ITEM(type->tp_mro, i);
    if (!IsIdentityKey(base)) return TooOdd();
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, DictItem(tracer, table, base));
    if (item != nullptr) return item;
  }
  return nullptr;
}

}  // namespace

bool IsDispatch(const symbolic::FunctionValue& function) {
  return IsLibraryFunction(function.function.get(), "functools.py",
                           "singledispatch.<locals>.dispatch");
}

absl::StatusOr<symbolic::Value*> CallDispatch(Tracer& tracer,
                                              const symbolic::FunctionValue& function,
                                              const std::vector<symbolic::Value*>& positional,
                                              const symbolic::Keywords& keywords) {
  if (positional.size() != 1 || !keywords.empty()) return TooOdd();
  GuardCodeOf(tracer, function);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * token, FreeVariable(tracer, function, "cache_token"));
  auto* none = symbolic::As<symbolic::ConstantValue>(token);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * registry, FreeVariable(tracer, function, "registry"));
  auto* table = symbolic::As<symbolic::DictValue>(registry);
  // With an abstract class in the table there is a token.
  if (none == nullptr || none->object.get() != Py_None || table == nullptr) return TooOdd();
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * cls, tracer.Materialize(positional.front()));
  if (symbolic::As<symbolic::ConstantValue>(cls) == nullptr) return TooOdd();
  BorrowedRef real = symbolic::As<symbolic::ConstantValue>(cls)->object.get();
  if (!PyType_Check(real)) return TooOdd();
  DYNACC_RETURN_IF_ERROR(RequireTable(tracer, *table));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * found,
                          OfFirstBase(tracer, table, symbolic::As<symbolic::ConstantValue>(cls)));
  // Asked for the first time it remembers its answer, which it keeps when the class gets other
  // bases.
  auto* object = symbolic::As<symbolic::ObjectValue>(found);
  if (object == nullptr || object->object.get() != Remembered(function.function.get(), real)) {
    return TooOdd();
  }
  return found;
}

}  // namespace dynacc::tracer
