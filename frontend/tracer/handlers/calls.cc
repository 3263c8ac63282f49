// Handlers of attribute access, calls and function making.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "frontend/cpython/describe.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/lru_cache.h"
#include "frontend/polyfills/polyfills.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/builtins/builtins.h"
#include "frontend/tracer/builtins/copies.h"
#include "frontend/tracer/builtins/dispatch.h"
#include "frontend/tracer/builtins/library.h"
#include "frontend/tracer/builtins/partials.h"
#include "frontend/tracer/builtins/polyfill_calls.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/handlers/handlers.h"
#include "frontend/tracer/inline.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/names.h"
#include "frontend/tracer/numbers.h"
#include "frontend/tracer/objects.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// "numpy.linalg.solve", for break reasons; never runs code of the user's.
std::string CallableName(BorrowedRef callable) {
  if (PyCFunction_Check(callable)) {
    return reinterpret_cast<PyCFunctionObject*>(callable)->m_ml->ml_name;
  }
  if (PyType_Check(callable)) return reinterpret_cast<PyTypeObject*>(callable)->tp_name;
  if (Py_IS_TYPE(callable, &PyMethodDescr_Type) || Py_IS_TYPE(callable, &PyWrapperDescr_Type)) {
    return StrText(reinterpret_cast<PyDescrObject*>(callable)->d_name);
  }
  if (PyFunction_Check(callable)) {
    return StrText(reinterpret_cast<PyFunctionObject*>(callable)->func_qualname);
  }
  return absl::StrCat("an object of type ", Py_TYPE(callable)->tp_name);
}

absl::StatusOr<CallArgs> ArrayArguments(Tracer& tracer, std::vector<Value*>& positional,
                                        Keywords& keywords) {
  CallArgs args;
  for (Value*& value : positional) {
    DYNACC_ASSIGN_OR_RETURN(value, tracer.MaterializeDeep(value));
  }
  for (auto& [name, value] : keywords) {
    DYNACC_ASSIGN_OR_RETURN(value, tracer.MaterializeDeep(value));
  }
  args.positional = positional;
  args.keywords = std::move(keywords);
  return args;
}

absl::StatusOr<Value*> CallKnown(Tracer& tracer, ConstantValue* callable,
                                 std::vector<Value*>& positional, Keywords& keywords) {
  BorrowedRef object = callable->object.get();
  if (tracer.arrays().KnowsCallable(object)) {
    DYNACC_ASSIGN_OR_RETURN(CallArgs args, ArrayArguments(tracer, positional, keywords));
    return tracer.arrays().Call(tracer.trace(), object, args);
  }
  BuiltinCall call{object, positional, keywords};
  for (Value*& value : call.args) {
    DYNACC_ASSIGN_OR_RETURN(value, tracer.Materialize(value));
  }
  for (auto& [name, value] : call.keywords) {
    DYNACC_ASSIGN_OR_RETURN(value, tracer.Materialize(value));
  }
  absl::StatusOr<Value*> result = CallBuiltin(tracer, call);
  if (!absl::IsNotFound(result.status())) return result;
  if (BorrowedRef function = PolyfillFor(object)) {
    return CallPolyfill(tracer, function, std::move(call.args), std::move(call.keywords));
  }
  if (PyType_Check(object)) {
    result = Instantiate(tracer, callable, call.args, call.keywords);
    if (!absl::IsNotFound(result.status())) return result;
  }
  return GraphBreak(absl::StrCat("call of ", CallableName(object)));
}

bool IsPartial(Value* value) {
  auto* object = As<ObjectValue>(value);
  return object != nullptr &&
         absl::string_view(Py_TYPE(object->object.get())->tp_name) == "functools.partial";
}

absl::StatusOr<Value*> Part(Tracer& tracer, Value* object, const char* name) {
  Ref text = Ref::Steal(PyUnicode_InternFromString(name));
  DYNACC_ASSIGN_OR_RETURN(Value * part, LoadAttribute(tracer, object, text.get()));
  return tracer.Materialize(part);
}

absl::Status CallPartial(Tracer& tracer, Value* partial, std::vector<Value*> positional,
                         Keywords keywords) {
  DYNACC_ASSIGN_OR_RETURN(Value * function, Part(tracer, partial, "func"));
  DYNACC_ASSIGN_OR_RETURN(Value * first, Part(tracer, partial, "args"));
  DYNACC_ASSIGN_OR_RETURN(Value * named, Part(tracer, partial, "keywords"));
  DYNACC_ASSIGN_OR_RETURN(std::vector<Value*> args, Drain(tracer, first));
  args.insert(args.end(), positional.begin(), positional.end());
  auto* dict = As<DictValue>(named);
  if (dict == nullptr) return GraphBreak("a partial whose keywords are not known");
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, dict));
  Keywords own;
  for (auto& [key, value] : dict->items) {
    if (!PyUnicode_Check(key.get())) return RaisingBreak("a keyword of a partial that is no str");
    DYNACC_ASSIGN_OR_RETURN(const std::string name, NameText(key.get()));
    own.emplace_back(KeywordName(name, key.get()), value);
  }
  return tracer.Call(function, std::move(args), MergeKeywords(std::move(own), keywords));
}

bool IsCache(Value* value) {
  auto* object = As<ObjectValue>(value);
  return object != nullptr && IsLruCache(object->object.get());
}

// A call of what functools.lru_cache gave. Only those that its cache answers are followed: others
// are CPython's, and the code is traced again when the cache has the answer.
absl::Status CallCache(Tracer& tracer, Value* cache, std::vector<Value*> positional,
                       const Keywords& keywords) {
  if (!keywords.empty()) return GraphBreak("a call of a cached function with keywords");
  Ref args = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(positional.size())));
  for (size_t i = 0; i < positional.size(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(positional[i], tracer.Materialize(positional[i]));
    DYNACC_ASSIGN_OR_RETURN(positional[i], tracer.AsConstant(positional[i]));
    if (!IsPlainConstantValue(positional[i])) return GraphBreak("a cached call of such arguments");
    PyTuple_SET_ITEM(args.get(), i, Py_NewRef(As<ConstantValue>(positional[i])->object.get()));
  }
  if (HasNan(args.get())) return GraphBreak("a NaN as a dict key");
  const Ref key = LruCacheKey(args.get());
  const Source* source =
      tracer.sources().Intern(SourceKind::kCachedResult, cache->source(), 0, key.get());
  BorrowedRef result =
      AccessSource(*source, As<ObjectValue>(cache)->object.get(), tracer.root().roots);
  if (result == nullptr) {
    tracer.EndsWhileAbsent(source);
    return GraphBreak("a call that the function's cache does not answer");
  }
  tracer.NoteCachedCall(cache, std::move(positional));
  tracer.Push(tracer.Lazy(result, source));
  return absl::OkStatus();
}

// An object with a Python __call__; a functools.partial as the call that it stands for.
absl::Status CallObject(Tracer& tracer, Value* callable, std::vector<Value*> positional,
                        Keywords keywords) {
  if (IsPartial(callable)) {
    return CallPartial(tracer, callable, std::move(positional), std::move(keywords));
  }
  if (IsCache(callable)) return CallCache(tracer, callable, std::move(positional), keywords);
  DYNACC_ASSIGN_OR_RETURN(PartialValue * partial, AsPartial(tracer, callable));
  if (partial != nullptr) {
    return CallPartialValue(tracer, partial, std::move(positional), std::move(keywords));
  }
  DYNACC_ASSIGN_OR_RETURN(Value * method, SpecialMethod(tracer, callable, "__call__"));
  if (method == nullptr) return GraphBreak("call of an object");
  return tracer.Call(method, std::move(positional), std::move(keywords));
}

bool IsMethodOf(BorrowedRef function, BorrowedRef type) {
  return function != nullptr && Py_IS_TYPE(function, &PyMethodDescr_Type) &&
         PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), PyDescr_TYPE(function));
}

// The function in the array's type that `method` is, for LOAD_METHOD, which leaves the two apart:
// CPython's errors about arguments tell which it was ("ndarray.conj() takes no keyword arguments").
// Null where the type has something else.
absl::StatusOr<ConstantValue*> FunctionOf(Tracer& tracer, const ArrayMethodValue& method,
                                          BorrowedRef name) {
  DYNACC_ASSIGN_OR_RETURN(ConstantValue * cls, ClassOf(tracer, method.self));
  if (cls == nullptr) return nullptr;
  BorrowedRef type = cls->object.get();
  BorrowedRef held = TypeLookup(reinterpret_cast<PyTypeObject*>(type), name);
  return IsMethodOf(held, type) ? tracer.Constant(held) : nullptr;
}

// What FunctionOf came from, of a call of `callable` with an array as the first argument; null for
// any other call.
absl::StatusOr<ArrayMethodValue*> AsArrayMethod(Tracer& tracer, Value* callable,
                                                const std::vector<Value*>& positional) {
  auto* function = As<ConstantValue>(callable);
  auto* self = positional.empty() ? nullptr : As<TensorValue>(positional.front());
  if (function == nullptr || self == nullptr) return nullptr;
  DYNACC_ASSIGN_OR_RETURN(ConstantValue * cls, ClassOf(tracer, self));
  BorrowedRef object = function->object.get();
  if (cls == nullptr || !IsMethodOf(object, cls->object.get())) return nullptr;
  const std::string name = CallableName(object);
  if (!tracer.arrays().KnowsMethod(name)) return nullptr;
  return tracer.trace().New<ArrayMethodValue>(self, name);
}

// The two stack entries under a call's arguments, as CPython arranges them.
absl::Status CallFromStack(Tracer& tracer, int count, BorrowedRef keyword_names) {
  std::vector<Value*> args = tracer.PopMany(count);
  Keywords keywords;
  if (keyword_names != nullptr) {
    const size_t named = PyTuple_GET_SIZE(keyword_names);
    for (size_t i = 0; i < named; ++i) {
      BorrowedRef name = PyTuple_GET_ITEM(keyword_names, i);
      keywords.emplace_back(KeywordName(StrText(name), name), args[args.size() - named + i]);
    }
    args.resize(args.size() - named);
  }
  Value* callable = tracer.Pop();
  Value* method = tracer.Pop();
  if (method->kind() != ValueKind::kNull) {
    args.insert(args.begin(), callable);
    callable = method;
  }
  return tracer.Call(callable, std::move(args), std::move(keywords));
}

// PRECALL and CALL are one instruction to the tracer; `precall` is the first of the two.
absl::Status PrecallAndCall(Tracer& tracer, const Instruction& precall, BorrowedRef keyword_names) {
  const Instruction& call = tracer.frame().code->At(precall.next);
  tracer.Jump(call.next);
  return CallFromStack(tracer, call.arg, keyword_names);
}

// The function that is traced for `function`, in which a form of the array library's own may stand
// for it; GraphBreak for code of that library which works on real arrays only.
absl::StatusOr<FunctionValue*> FunctionToInline(Tracer& tracer, FunctionValue* function) {
  if (!function->function) return function;
  BorrowedRef object = function->function.get();
  Ref form = tracer.arrays().Inlined(object);
  if (!form) return GraphBreak(absl::StrCat("call of ", CallableName(object)));
  if (form.get() == object) return function;
  // Functions of one decorator share their code, which is what guards know them by.
  if (function->source() != nullptr) {
    tracer.trace().AddGuard(GuardKind::kIdentity, function->source(), object);
  }
  return tracer.trace().New<FunctionValue>(std::move(form));
}

// The same for an object of the array library's that is called like a function and is none; null
// for any other.
Ref InlinedObject(Tracer& tracer, BorrowedRef object) {
  const bool may_be = !PyFunction_Check(object) && !PyCFunction_Check(object) &&
                      !PyType_Check(object) && tracer.arrays().KnowsCallable(object);
  return may_be ? tracer.arrays().Inlined(object) : Ref();
}

// The call of a function of the standard library by what stands for it; null for any other.
absl::StatusOr<Value*> CallOfLibrary(Tracer& tracer, const FunctionValue& function,
                                     const std::vector<Value*>& positional,
                                     const Keywords& keywords) {
  if (IsDeepCopy(function)) return CallDeepCopy(tracer, function, positional, keywords);
  if (IsDispatch(function)) return CallDispatch(tracer, function, positional, keywords);
  return CallLibraryPolyfill(tracer, function, positional, keywords);
}

absl::Status CallFunction(Tracer& tracer, FunctionValue* function, std::vector<Value*> positional,
                          Keywords keywords) {
  DYNACC_ASSIGN_OR_RETURN(Value * result, CallOfLibrary(tracer, *function, positional, keywords));
  if (result != nullptr) {
    tracer.Push(result);
    return absl::OkStatus();
  }
  DYNACC_ASSIGN_OR_RETURN(function, FunctionToInline(tracer, function));
  return InlineCall(tracer, function, std::move(positional), std::move(keywords));
}

}  // namespace

absl::Status Tracer::Call(Value* callable, std::vector<Value*> positional, Keywords keywords) {
  DYNACC_ASSIGN_OR_RETURN(callable, Materialize(callable));
  while (auto* method = As<BoundMethodValue>(callable)) {
    positional.insert(positional.begin(), method->self);
    DYNACC_ASSIGN_OR_RETURN(callable, Materialize(method->function));
  }
  if (auto* function = As<FunctionValue>(callable)) {
    return CallFunction(*this, function, std::move(positional), std::move(keywords));
  }
  DYNACC_ASSIGN_OR_RETURN(Value * unbound, AsArrayMethod(*this, callable, positional));
  if (unbound != nullptr) {
    callable = unbound;
    positional.erase(positional.begin());
  }
  if (auto* method = As<ArrayMethodValue>(callable)) {
    DYNACC_ASSIGN_OR_RETURN(CallArgs args, ArrayArguments(*this, positional, keywords));
    DYNACC_ASSIGN_OR_RETURN(Value * result,
                            arrays_.CallMethod(trace_, method->self, method->name, args));
    Push(result);
    return absl::OkStatus();
  }
  auto* constant = As<ConstantValue>(callable);
  if (constant == nullptr) {
    return CallObject(*this, callable, std::move(positional), std::move(keywords));
  }
  if (PyFunction_Check(constant->object.get()) && !arrays_.KnowsCallable(constant->object.get())) {
    auto* function = trace_.New<FunctionValue>(constant->object);
    return CallFunction(*this, function, std::move(positional), std::move(keywords));
  }
  if (Ref form = InlinedObject(*this, constant->object.get())) {
    return InlineCall(*this, trace_.New<FunctionValue>(std::move(form)), std::move(positional),
                      std::move(keywords));
  }
  DYNACC_ASSIGN_OR_RETURN(Value * result, CallKnown(*this, constant, positional, keywords));
  Push(result);
  return absl::OkStatus();
}

namespace handlers {

absl::Status LoadAttr(Tracer& tracer, const Instruction& instruction) {
  BorrowedRef name = PyTuple_GET_ITEM(tracer.frame().raw_code()->co_names, instruction.arg);
  DYNACC_ASSIGN_OR_RETURN(Value * value, LoadAttribute(tracer, tracer.Pop(), name));
  tracer.Push(value);
  return absl::OkStatus();
}

absl::Status LoadMethod(Tracer& tracer, const Instruction& instruction) {
  BorrowedRef name = PyTuple_GET_ITEM(tracer.frame().raw_code()->co_names, instruction.arg);
  DYNACC_ASSIGN_OR_RETURN(Value * value, LoadAttribute(tracer, tracer.Pop(), name));
  if (auto* method = As<BoundMethodValue>(value); method && method->source() == nullptr) {
    tracer.Push(method->function);
    tracer.Push(method->self);
    return absl::OkStatus();
  }
  if (auto* method = As<ArrayMethodValue>(value); method && method->source() == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(ConstantValue * function, FunctionOf(tracer, *method, name));
    if (function != nullptr) {
      tracer.Push(function);
      tracer.Push(method->self);
      return absl::OkStatus();
    }
  }
  tracer.Push(tracer.Null());
  tracer.Push(value);
  return absl::OkStatus();
}

absl::Status StoreAttr(Tracer& tracer, const Instruction& instruction) {
  BorrowedRef name = PyTuple_GET_ITEM(tracer.frame().raw_code()->co_names, instruction.arg);
  Value* object = tracer.Pop();
  return StoreAttribute(tracer, object, name, tracer.Pop());
}

absl::Status DeleteAttr(Tracer& tracer, const Instruction& instruction) {
  BorrowedRef name = PyTuple_GET_ITEM(tracer.frame().raw_code()->co_names, instruction.arg);
  return StoreAttribute(tracer, tracer.Pop(), name, nullptr);
}

absl::Status KwNames(Tracer& tracer, const Instruction& instruction) {
  BorrowedRef names = PyTuple_GET_ITEM(tracer.frame().raw_code()->co_consts, instruction.arg);
  return PrecallAndCall(tracer, tracer.frame().code->At(instruction.next), names);
}

absl::Status Precall(Tracer& tracer, const Instruction& instruction) {
  return PrecallAndCall(tracer, instruction, nullptr);
}

absl::Status CallFunctionEx(Tracer& tracer, const Instruction& instruction) {
  Keywords keywords;
  if (instruction.arg & 1) {
    DYNACC_ASSIGN_OR_RETURN(Value * mapping, tracer.Materialize(tracer.Pop()));
    auto* dict = As<DictValue>(mapping);
    if (dict == nullptr) return GraphBreak("keyword arguments from a dict");
    DYNACC_RETURN_IF_ERROR(KnowItems(tracer, dict));
    for (auto& [key, value] : dict->items) {
      if (!PyUnicode_CheckExact(key.get())) return RaisingBreak("a keyword that is not a str");
      DYNACC_ASSIGN_OR_RETURN(const std::string name, NameText(key.get()));
      keywords.emplace_back(KeywordName(name, key.get()), value);
    }
  }
  DYNACC_ASSIGN_OR_RETURN(std::vector<Value*> args, DrainAsList(tracer, tracer.Pop()));
  Value* callable = tracer.Pop();
  if (tracer.Pop()->kind() != ValueKind::kNull) return GraphBreak("star arguments of a method");
  return tracer.Call(callable, std::move(args), std::move(keywords));
}

absl::Status MakeFunction(Tracer& tracer, const Instruction& instruction) {
  enum Flag { kDefaults = 1, kKwDefaults = 2, kAnnotations = 4, kClosure = 8 };
  auto* code = As<ConstantValue>(tracer.Pop());
  if (code == nullptr) return GraphBreak("a function made of code that is not a constant");
  auto* function = tracer.trace().New<FunctionValue>(Ref());
  function->code = code->object;
  function->globals_of = tracer.frame().globals_of;
  function->globals = tracer.frame().globals;
  if (instruction.arg & kClosure) {
    auto* cells = As<TupleValue>(tracer.Pop());
    if (cells == nullptr) return GraphBreak("a closure that is not known");
    function->closure = cells->items;
  }
  if (instruction.arg & kAnnotations) function->annotations = tracer.Pop();
  if (instruction.arg & kKwDefaults) function->kwdefaults = tracer.Pop();
  if (instruction.arg & kDefaults) function->defaults = tracer.Pop();
  tracer.Push(function);
  return absl::OkStatus();
}

}  // namespace handlers
}  // namespace dynacc
