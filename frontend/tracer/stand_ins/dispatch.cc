#include "frontend/tracer/stand_ins/dispatch.h"

#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/identity_key.h"
#include "frontend/tracer/attributed.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/inline.h"
#include "frontend/tracer/stand_ins/library.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

absl::Status TooOdd() { return GraphBreak("a call of such a generic function"); }

// What the function's free variable of that name holds; null if there is none.
absl::StatusOr<Value*> FreeVariable(Tracer& tracer, const FunctionValue& function,
                                    const char* name) {
  BorrowedRef real = function.function.get();
  auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(real));
  BorrowedRef closure = PyFunction_GET_CLOSURE(real);
  for (int i = 0; closure != nullptr && i < code->co_nfreevars; ++i) {
    BorrowedRef own =
        PyTuple_GET_ITEM(code->co_localsplusnames, code->co_nlocalsplus - code->co_nfreevars + i);
    if (PyUnicode_CompareWithASCIIString(own, name) != 0) continue;
    CellValue* cell = ClosureCell(tracer, SourceOfFunction(tracer, function), closure, i);
    if (cell->content == nullptr) return nullptr;
    return tracer.Realize(cell->content);
  }
  return nullptr;
}

// Whether a class is a subclass of this one only if it has it among its bases.
bool IsPlainBase(BorrowedRef cls) {
  static PyObject* const name = PyUnicode_InternFromString("__subclasscheck__");
  return PyType_Check(cls) && TypeLookup(Py_TYPE(cls), name) == TypeLookup(&PyType_Type, name);
}

// Functions are only ever added to the table, so that its size tells of all.
absl::Status RequireTable(Tracer& tracer, const DictValue& table) {
  BorrowedRef real = table.object.get();
  if (table.source() == nullptr) return TooOdd();
  PyObject *cls, *function;
  Py_ssize_t position = 0;
  while (PyDict_Next(real, &position, &cls, &function)) {
    if (!IsPlainBase(cls)) return TooOdd();
  }
  tracer.trace().AddGuard(GuardKind::kDictLength, table.source(), nullptr, PyDict_GET_SIZE(real));
  return absl::OkStatus();
}

// What the table has for the first of the class's bases, itself included, that it has; null: none.
absl::StatusOr<Value*> OfFirstBase(Tracer& tracer, DictValue* table, ConstantValue* cls) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  const uint32_t version = TypeVersion(type);
  if (version == 0 || type->tp_mro == nullptr) return TooOdd();
  tracer.trace().AddGuard(GuardKind::kClassVersion, SourceOfClass(tracer, cls), nullptr, version);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    BorrowedRef base = PyTuple_GET_ITEM(type->tp_mro, i);
    if (!IsIdentityKey(base)) return TooOdd();
    DYNACC_ASSIGN_OR_RETURN(Value * item, DictItem(tracer, table, base));
    if (item != nullptr) return item;
  }
  return nullptr;
}

}  // namespace

bool IsDispatch(const FunctionValue& function) {
  return IsLibraryFunction(function.function.get(), "functools.py",
                           "singledispatch.<locals>.dispatch");
}

absl::StatusOr<Value*> CallDispatch(Tracer& tracer, const FunctionValue& function,
                                    const std::vector<Value*>& positional,
                                    const std::vector<std::pair<std::string, Value*>>& keywords) {
  if (positional.size() != 1 || !keywords.empty()) return TooOdd();
  GuardCodeOf(tracer, function);
  DYNACC_ASSIGN_OR_RETURN(Value * token, FreeVariable(tracer, function, "cache_token"));
  auto* none = As<ConstantValue>(token);
  DYNACC_ASSIGN_OR_RETURN(Value * registry, FreeVariable(tracer, function, "registry"));
  auto* table = As<DictValue>(registry);
  // With an abstract class in the table there is a token.
  if (none == nullptr || none->object.get() != Py_None || table == nullptr) return TooOdd();
  DYNACC_ASSIGN_OR_RETURN(Value * cls, tracer.Realize(positional.front()));
  if (As<ConstantValue>(cls) == nullptr) return TooOdd();
  BorrowedRef real = As<ConstantValue>(cls)->object.get();
  if (!PyType_Check(real)) return TooOdd();
  DYNACC_RETURN_IF_ERROR(RequireTable(tracer, *table));
  DYNACC_ASSIGN_OR_RETURN(Value * found, OfFirstBase(tracer, table, As<ConstantValue>(cls)));
  // It also remembers the answer from now on, as it does when the program asks for the first time:
  // bases that a class gets later do not change it.
  const Ref answer = Ref::Steal(PyObject_CallOneArg(function.function.get(), real));
  PyErr_Clear();
  auto* object = As<ObjectValue>(found);
  if (object == nullptr || object->object.get() != answer.get()) return TooOdd();
  return found;
}

}  // namespace dynacc
