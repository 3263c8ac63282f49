// From callables to the functions of builtins.def.
#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontend/cpython/describe.h"
#include "frontend/cpython/genuine_builtins.h"
#include "frontend/tracer/builtins/builtins.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/lazy.h"
#include "frontend/tracer/numbers.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

using BuiltinFn = absl::StatusOr<symbolic::Value*> (*)(Tracer&, const BuiltinCall&);

// A method of a type of module _collections, or null.
Ref FindInCollections(const char* type_name, const char* name) {
  Ref module_name = Ref::Steal(PyUnicode_FromString("_collections"));
  Ref module = Ref::Steal(PyImport_GetModule(module_name.get()));
  Ref type = module ? Ref::Steal(PyObject_GetAttrString(module.get(), type_name)) : Ref();
  return type ? Ref::Steal(PyObject_GetAttrString(type.get(), name)) : Ref();
}

// Whether `object` is a C function of that name, or a type that no Python code made: a program may
// have put something of its own in its place.
bool IsGenuine(BorrowedRef object, const char* name) {
  if (PyCFunction_CheckExact(object)) {
    return absl::string_view(reinterpret_cast<PyCFunctionObject*>(object)->m_ml->ml_name) == name;
  }
  return PyType_Check(object) &&
         PyType_HasFeature(reinterpret_cast<PyTypeObject*>(object), Py_TPFLAGS_IMMUTABLETYPE);
}

// A function or type of a module, or null. Never imports.
Ref FindInModule(const char* owner, const char* name) {
  Ref owner_name = Ref::Steal(PyUnicode_FromString(owner));
  Ref module = Ref::Steal(PyImport_GetModule(owner_name.get()));
  if (!module) return FindInCollections(owner, name);
  Ref found = Ref::Steal(PyObject_GetAttrString(module.get(), name));
  return found && IsGenuine(found.get(), name) ? std::move(found) : Ref();
}

// The genuine object named by a row, or null if its module is not loaded.
Ref FindBuiltin(const char* owner, const char* name) {
  BorrowedRef holder = GenuineBuiltins();
  Ref found;
  if (absl::string_view(owner) == "generator") {
    found = Ref::Steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyGen_Type), name));
  } else if (*owner == '\0') {
    found = Ref::New(PyDict_GetItemString(holder, name));
  } else if (BorrowedRef type = PyDict_GetItemString(holder, owner)) {
    found = Ref::Steal(PyObject_GetAttrString(type, name));
  } else {
    found = FindInModule(owner, name);
  }
  PyErr_Clear();
  return found;
}

const absl::flat_hash_map<PyObject*, BuiltinFn>& Table() {
  static const auto& table = *new absl::flat_hash_map<PyObject*, BuiltinFn>([] {
    absl::flat_hash_map<PyObject*, BuiltinFn> rows;
#define DYNACC_BUILTIN(owner, name, function) \
  if (Ref object = FindBuiltin(owner, name)) rows[object.Release()] = builtins::function;
#include "frontend/tracer/builtins/builtins.def"
#undef DYNACC_BUILTIN
    return rows;
  }());
  return table;
}

// What stands for the same C function: tuple.__new__ comes as a new object at each look-up, and
// every builtin exception has an __init__ of its own around one function.
bool IsSameFunction(BorrowedRef a, BorrowedRef b) {
  if (PyCFunction_CheckExact(a) && PyCFunction_CheckExact(b)) {
    return PyCFunction_GET_FUNCTION(a) == PyCFunction_GET_FUNCTION(b) &&
           PyCFunction_GET_SELF(a) == PyCFunction_GET_SELF(b);
  }
  if (!Py_IS_TYPE(a, &PyWrapperDescr_Type) || !Py_IS_TYPE(b, &PyWrapperDescr_Type)) return false;
  auto* left = reinterpret_cast<PyWrapperDescrObject*>(a);
  auto* right = reinterpret_cast<PyWrapperDescrObject*>(b);
  return left->d_base == right->d_base && left->d_wrapped == right->d_wrapped;
}

const BuiltinFn* FindRow(BorrowedRef callable) {
  if (const auto row = Table().find(callable); row != Table().end()) return &row->second;
  for (const auto& [known, function] : Table()) {
    if (IsSameFunction(known, callable)) return &function;
  }
  return nullptr;
}

// Whether the function only computes its result from plain constants: those of math, and methods
// of immutable builtin types.
bool IsPure(BorrowedRef callable) {
  if (Py_IS_TYPE(callable, &PyMethodDescr_Type)) {
    PyTypeObject* owner = PyDescr_TYPE(callable);
    return owner == &PyUnicode_Type || owner == &PyLong_Type || owner == &PyFloat_Type ||
           owner == &PyBytes_Type || owner == &PyTuple_Type || owner == &PyComplex_Type;
  }
  if (!PyCFunction_CheckExact(callable)) return false;
  BorrowedRef module = reinterpret_cast<PyCFunctionObject*>(callable)->m_module;
  return module != nullptr && PyUnicode_Check(module) &&
         (PyUnicode_CompareWithASCIIString(module, "math") == 0 ||
          PyUnicode_CompareWithASCIIString(module, "cmath") == 0);
}

// A str constant of only ASCII; empty: of anything else.
std::string ConstantText(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  if (constant == nullptr || !PyUnicode_CheckExact(constant->object.get())) return "";
  return PyUnicode_IS_ASCII(constant->object.get()) ? StrText(constant->object.get()) : "";
}

// Whether str.encode, bytes.decode or bytes() asks no codec or error handler of codecs' registry,
// which a program may replace.
bool IsPlainCoding(const BuiltinCall& call) {
  constexpr absl::string_view kCodecs[] = {"utf-8",  "utf8",       "utf_8",  "ascii",
                                           "latin1", "iso-8859-1", "latin-1"};
  if (!call.keywords.empty() || call.args.size() > 3) return false;
  const bool is_known =
      call.args.size() < 2 || absl::c_linear_search(kCodecs, ConstantText(call.args[1]));
  return is_known && (call.args.size() < 3 || ConstantText(call.args[2]) == "strict");
}

bool IsTextType(PyTypeObject* type) { return type == &PyUnicode_Type || type == &PyBytes_Type; }

// The name of a method or function that is written in C; empty: of anything else.
absl::string_view NameOfC(BorrowedRef callable) {
  if (Py_IS_TYPE(callable, &PyMethodDescr_Type)) return StrView(PyDescr_NAME(callable));
  if (!PyCFunction_CheckExact(callable)) return "";
  return reinterpret_cast<PyCFunctionObject*>(callable)->m_ml->ml_name;
}

// Whether str.format, format() or __format__ of these may write a number as the locale has it.
bool MayAskLocale(const BuiltinCall& call, bool has_template) {
  if (!has_template) return call.args.size() > 1 && absl::EndsWith(ConstantText(call.args[1]), "n");
  const std::string text = ConstantText(call.args[0]);
  return absl::StrContains(text, "n}") || absl::StrContains(text, ":{");
}

// Whether the result depends on the arguments alone, and is not too large to be kept.
absl::Status RequireFoldable(const BuiltinCall& call) {
  const bool is_method = Py_IS_TYPE(call.callable, &PyMethodDescr_Type);
  const absl::string_view name = NameOfC(call.callable);
  const bool makes_bytes = call.callable == reinterpret_cast<PyObject*>(&PyBytes_Type);
  const bool codes = name == "encode" || name == "decode" || (makes_bytes && call.args.size() > 1);
  if ((codes || (makes_bytes && !call.keywords.empty())) && !IsPlainCoding(call))
    return symbolic::GraphBreak("a codec that a program may change");
  if ((name == "format" || name == "__format__") &&
      MayAskLocale(call, is_method && name == "format")) {
    return symbolic::GraphBreak("a format of the locale");
  }
  const bool makes_texts = is_method
                               ? IsTextType(PyDescr_TYPE(call.callable))
                               : PyType_Check(call.callable) &&
                                     IsTextType(reinterpret_cast<PyTypeObject*>(call.callable));
  const bool reads_int = call.callable == reinterpret_cast<PyObject*>(&PyLong_Type);
  for (symbolic::Value* arg : call.args) {
    auto* constant = symbolic::As<symbolic::ConstantValue>(arg);
    if (constant == nullptr) continue;
    BorrowedRef object = constant->object.get();
    if (HasLimitedDigits(object) ||
        (reads_int && !PyLong_Check(object) && PyObject_Size(object) > kUnlimitedDigits)) {
      return symbolic::GraphBreak("an int of more digits than a program may allow");
    }
    int overflow = 0;
    if (makes_texts && PyLong_CheckExact(object) &&
        (PyLong_AsLongAndOverflow(object, &overflow) > kMaxFoldedSize || overflow > 0)) {
      return symbolic::GraphBreak("a constant expression with a large result");
    }
    PyErr_Clear();
  }
  return absl::OkStatus();
}

// Whether all are numbers, and one at least is known only when the segment has run.
bool HasDataDependentNumber(absl::Span<symbolic::Value* const> args) {
  return absl::c_all_of(
             args,
             [](symbolic::Value* a) { return IsNumberValue(a) || IsDataDependentNumber(a); }) &&
         absl::c_any_of(args, [](symbolic::Value* a) {
           return symbolic::As<symbolic::NumberValue>(a) || IsDataDependentNumber(a);
         });
}

// `value` as a real object for one call; `as_plain`: an instance of a subclass of tuple as a tuple.
// `depth`: of the containers around it, which may contain themselves.
absl::StatusOr<Ref> AsObject(Tracer& tracer, symbolic::Value* value, bool as_plain, int depth = 0) {
  constexpr int kDeepest = 32;
  if (depth > kDeepest) return symbolic::GraphBreak("containers nested too deeply");
  DYNACC_ASSIGN_OR_RETURN(value, tracer.Materialize(value));
  if (IsPlainConstantValue(value)) return symbolic::As<symbolic::ConstantValue>(value)->object;
  auto* const tuple = symbolic::As<symbolic::TupleValue>(value);
  if (!IsSequence(value) || (tuple != nullptr && tuple->cls != nullptr && !as_plain))
    return symbolic::GraphBreak("a builtin called with a value that may change");
  DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> items, SequenceItems(tracer, value));
  Ref list = Ref::Steal(PyList_New(0));
  for (symbolic::Value* item : items) {
    DYNACC_ASSIGN_OR_RETURN(const Ref object, AsObject(tracer, item, false, depth + 1));
    PyList_Append(list.get(), object.get());
  }
  return symbolic::As<symbolic::ListValue>(value) ? list : Ref::Steal(PyList_AsTuple(list.get()));
}

}  // namespace

symbolic::Value* BuiltinCall::Keyword(const char* name) const {
  for (const auto& [keyword, value] : keywords) {
    if (keyword == name) return value;
  }
  return nullptr;
}

absl::Status BuiltinCall::Want(size_t least, size_t most, std::vector<const char*> names) const {
  bool fits = args.size() >= least && args.size() <= most;
  for (const auto& [keyword, value] : keywords) {
    fits = fits && std::find(names.begin(), names.end(), keyword) != names.end();
  }
  return fits ? absl::OkStatus() : symbolic::GraphBreak("a builtin called with such arguments");
}

absl::StatusOr<symbolic::Value*> FoldCall(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(RequireFoldable(call));
  Ref args = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(call.args.size())));
  const bool of_tuples = Py_IS_TYPE(call.callable, &PyMethodDescr_Type) &&
                         PyDescr_TYPE(call.callable) == &PyTuple_Type;
  for (size_t i = 0; i < call.args.size(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(Ref object, AsObject(tracer, call.args[i], i == 0 && of_tuples));
    PyTuple_SET_ITEM(args.get(), i, object.Release());
  }
  Ref keywords = Ref::Steal(PyDict_New());
  for (const auto& [name, value] : call.keywords) {
    DYNACC_ASSIGN_OR_RETURN(Ref object, AsObject(tracer, value, /*as_plain=*/false));
    PyDict_SetItem(keywords.get(), name.object(), object.get());
  }
  Ref result = Ref::Steal(PyObject_Call(call.callable, args.get(), keywords.get()));
  if (!result) return tracer.RaiseCurrent("a builtin that raises");
  if (PyList_CheckExact(result.get())) {  // str.split and the like
    std::vector<symbolic::Value*> items;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(result.get()); ++i) {
      items.push_back(tracer.Constant(PyList_GET_ITEM(result.get(), i)));
    }
    return tracer.trace().New<symbolic::ListValue>(std::move(items));
  }
  for (symbolic::Value* arg : call.args) {  // float(x) of a float is x
    auto* same = symbolic::As<symbolic::ConstantValue>(arg);
    if (same != nullptr && same->object.get() == result.get()) return arg;
  }
  return tracer.ConstantSteal(result.Release());
}

absl::StatusOr<symbolic::Value*> CallBuiltin(Tracer& tracer, const BuiltinCall& call) {
  if (const BuiltinFn* row = FindRow(call.callable)) return (*row)(tracer, call);
  if (!IsPure(call.callable)) return absl::NotFoundError("");
  if (call.keywords.empty() && HasDataDependentNumber(call.args)) {
    return CallOnNumbers(tracer, call.callable, call.args);
  }
  return FoldCall(tracer, call);
}

}  // namespace dynacc::tracer
