// Handlers of attribute access, calls and function making.
#include <algorithm>

#include "absl/functional/function_ref.h"
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
#include "frontend/tracer/call_gradients.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/handlers/handlers.h"
#include "frontend/tracer/inline.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/marked_callables.h"
#include "frontend/tracer/names.h"
#include "frontend/tracer/numbers.h"
#include "frontend/tracer/objects.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
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

absl::StatusOr<arrays::CallArgs> ArrayArguments(Tracer& tracer,
                                                std::vector<symbolic::Value*>& positional,
                                                symbolic::Keywords& keywords) {
  arrays::CallArgs args;
  for (symbolic::Value*& value : positional) {
    DYNACC_ASSIGN_OR_RETURN(value, tracer.MaterializeDeep(value));
  }
  for (auto& [name, value] : keywords) {
    DYNACC_ASSIGN_OR_RETURN(value, tracer.MaterializeDeep(value));
  }
  args.positional = positional;
  args.keywords = std::move(keywords);
  return args;
}

absl::Status CheckUnmarked(BorrowedRef object) {
  switch (MarkOfCallable(object)) {
    case CallableMark::kNone:
      return absl::OkStatus();
    case CallableMark::kCompiled:
      return symbolic::GraphBreak("a call of a function under dynacc.compile");
    case CallableMark::kDisabled:
      return symbolic::GraphBreak("a call of a function marked dynacc.disable");
  }
  return absl::OkStatus();
}

absl::StatusOr<symbolic::Value*> Part(Tracer& tracer, symbolic::Value* object, const char* name) {
  Ref text = Ref::Steal(PyUnicode_InternFromString(name));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * part, LoadAttribute(tracer, object, text.get()));
  return tracer.Materialize(part);
}

// The function that a compiled one was made of, where its call has to be a part of this trace; null
// for any other callable.
absl::StatusOr<symbolic::Value*> WrappedFunction(Tracer& tracer, symbolic::Value* callable) {
  if (!tracer.root().inlines_compiled) return nullptr;
  BorrowedRef object = nullptr;
  if (auto* constant = symbolic::As<symbolic::ConstantValue>(callable)) {
    object = constant->object.get();
  } else if (auto* carried = symbolic::As<symbolic::ObjectValue>(callable)) {
    object = carried->object.get();
  }
  if (object == nullptr || MarkOfCallable(object) != CallableMark::kCompiled) return nullptr;
  return Part(tracer, callable, "__wrapped__");
}

// What `call` gives, a call of the array library; where that has a decomposition, what this gives
// on the same arguments. A decomposition that returns NotImplemented leaves the call as it is.
absl::StatusOr<symbolic::Value*> CallOrDecompose(
    Tracer& tracer, absl::FunctionRef<absl::StatusOr<symbolic::Value*>()> call,
    const std::vector<symbolic::Value*>& positional, const symbolic::Keywords& keywords) {
  absl::StatusOr<symbolic::Value*> result = call();
  if (!symbolic::IsDecompositionBreak(result.status())) return result;
  symbolic::TraceContext& trace = tracer.trace();
  BorrowedRef function = trace.wanted_decomposition();
  trace.BeginDecomposition(function);
  result = tracer.CallNow(tracer.Constant(function), positional, keywords);
  if (result.ok()) result = tracer.Materialize(*result);
  const auto* const left = result.ok() ? symbolic::As<symbolic::ConstantValue>(*result) : nullptr;
  if (left != nullptr && left->object.get() == Py_NotImplemented) result = call();
  trace.EndDecomposition();
  return result;
}

absl::StatusOr<symbolic::Value*> CallKnown(Tracer& tracer, symbolic::ConstantValue* callable,
                                           std::vector<symbolic::Value*>& positional,
                                           symbolic::Keywords& keywords) {
  BorrowedRef object = callable->object.get();
  if (tracer.arrays().KnowsCallable(object)) {
    DYNACC_ASSIGN_OR_RETURN(arrays::CallArgs args, ArrayArguments(tracer, positional, keywords));
    const auto call = [&] { return tracer.arrays().Call(tracer.trace(), object, args); };
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result,
                            CallOrDecompose(tracer, call, positional, args.keywords));
    return WithGradient(tracer, object, result, positional, args.keywords);
  }
  BuiltinCall call{object, positional, keywords};
  for (symbolic::Value*& value : call.args) {
    DYNACC_ASSIGN_OR_RETURN(value, tracer.Materialize(value));
  }
  for (auto& [name, value] : call.keywords) {
    DYNACC_ASSIGN_OR_RETURN(value, tracer.Materialize(value));
  }
  absl::StatusOr<symbolic::Value*> result = CallBuiltin(tracer, call);
  if (!absl::IsNotFound(result.status())) return result;
  if (BorrowedRef function = polyfills::PolyfillFor(object)) {
    return CallPolyfill(tracer, function, std::move(call.args), std::move(call.keywords));
  }
  if (PyType_Check(object)) {
    result = Instantiate(tracer, callable, call.args, call.keywords);
    if (!absl::IsNotFound(result.status())) return result;
  }
  DYNACC_RETURN_IF_ERROR(CheckUnmarked(object));
  return symbolic::GraphBreak(absl::StrCat("call of ", CallableName(object)));
}

bool IsPartial(symbolic::Value* value) {
  auto* object = symbolic::As<symbolic::ObjectValue>(value);
  return object != nullptr &&
         absl::string_view(Py_TYPE(object->object.get())->tp_name) == "functools.partial";
}

absl::Status CallPartial(Tracer& tracer, symbolic::Value* partial,
                         std::vector<symbolic::Value*> positional, symbolic::Keywords keywords) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * function, Part(tracer, partial, "func"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * first, Part(tracer, partial, "args"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * named, Part(tracer, partial, "keywords"));
  DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> args, Drain(tracer, first));
  args.insert(args.end(), positional.begin(), positional.end());
  auto* dict = symbolic::As<symbolic::DictValue>(named);
  if (dict == nullptr) return symbolic::GraphBreak("a partial whose keywords are not known");
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, dict));
  symbolic::Keywords own;
  for (auto& [key, value] : dict->items) {
    if (!PyUnicode_Check(key.get()))
      return symbolic::RaisingBreak("a keyword of a partial that is no str");
    DYNACC_ASSIGN_OR_RETURN(const std::string name, NameText(key.get()));
    own.emplace_back(symbolic::KeywordName(name, key.get()), value);
  }
  return tracer.Call(function, std::move(args), symbolic::MergeKeywords(std::move(own), keywords));
}

bool IsCache(symbolic::Value* value) {
  auto* object = symbolic::As<symbolic::ObjectValue>(value);
  return object != nullptr && IsLruCache(object->object.get());
}

// A call of what functools.lru_cache gave. Only those that its cache answers are followed: others
// are CPython's, and the code is traced again when the cache has the answer.
absl::Status CallCache(Tracer& tracer, symbolic::Value* cache,
                       std::vector<symbolic::Value*> positional,
                       const symbolic::Keywords& keywords) {
  if (!keywords.empty()) return symbolic::GraphBreak("a call of a cached function with keywords");
  Ref args = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(positional.size())));
  for (size_t i = 0; i < positional.size(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(positional[i], tracer.Materialize(positional[i]));
    DYNACC_ASSIGN_OR_RETURN(positional[i], tracer.AsConstant(positional[i]));
    if (!IsPlainConstantValue(positional[i]))
      return symbolic::GraphBreak("a cached call of such arguments");
    PyTuple_SET_ITEM(args.get(), i,
                     Py_NewRef(symbolic::As<symbolic::ConstantValue>(positional[i])->object.get()));
  }
  if (HasNan(args.get())) return symbolic::GraphBreak("a NaN as a dict key");
  const Ref key = LruCacheKey(args.get());
  const sources::Source* source =
      tracer.sources().Intern(sources::SourceKind::kCachedResult, cache->source(), 0, key.get());
  BorrowedRef result = sources::AccessSource(
      *source, symbolic::As<symbolic::ObjectValue>(cache)->object.get(), tracer.root().roots);
  if (result == nullptr) {
    tracer.EndsWhileAbsent(source);
    return symbolic::GraphBreak("a call that the function's cache does not answer");
  }
  tracer.NoteCachedCall(cache, std::move(positional));
  tracer.Push(tracer.Lazy(result, source));
  return absl::OkStatus();
}

// An object with a Python __call__; a functools.partial as the call that it stands for.
absl::Status CallObject(Tracer& tracer, symbolic::Value* callable,
                        std::vector<symbolic::Value*> positional, symbolic::Keywords keywords) {
  if (auto* object = symbolic::As<symbolic::ObjectValue>(callable)) {
    DYNACC_RETURN_IF_ERROR(CheckUnmarked(object->object.get()));
  }
  if (IsPartial(callable)) {
    return CallPartial(tracer, callable, std::move(positional), std::move(keywords));
  }
  if (IsCache(callable)) return CallCache(tracer, callable, std::move(positional), keywords);
  DYNACC_ASSIGN_OR_RETURN(symbolic::PartialValue * partial, AsPartial(tracer, callable));
  if (partial != nullptr) {
    return CallPartialValue(tracer, partial, std::move(positional), std::move(keywords));
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * method, SpecialMethod(tracer, callable, "__call__"));
  if (method == nullptr) return symbolic::GraphBreak("call of an object");
  return tracer.Call(method, std::move(positional), std::move(keywords));
}

bool IsMethodOf(BorrowedRef function, BorrowedRef type) {
  return function != nullptr && Py_IS_TYPE(function, &PyMethodDescr_Type) &&
         PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), PyDescr_TYPE(function));
}

// The function in the array's type that `method` is, for LOAD_METHOD, which leaves the two apart:
// CPython's errors about arguments tell which it was ("ndarray.conj() takes no keyword arguments").
// Null where the type has something else.
absl::StatusOr<symbolic::ConstantValue*> FunctionOf(Tracer& tracer,
                                                    const symbolic::ArrayMethodValue& method,
                                                    BorrowedRef name) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * cls, ClassOf(tracer, method.self));
  if (cls == nullptr) return nullptr;
  BorrowedRef type = cls->object.get();
  BorrowedRef held = TypeLookup(reinterpret_cast<PyTypeObject*>(type), name);
  return IsMethodOf(held, type) ? tracer.Constant(held) : nullptr;
}

// What FunctionOf came from, of a call of `callable` with an array as the first argument; null for
// any other call.
absl::StatusOr<symbolic::ArrayMethodValue*> AsArrayMethod(
    Tracer& tracer, symbolic::Value* callable, const std::vector<symbolic::Value*>& positional) {
  auto* function = symbolic::As<symbolic::ConstantValue>(callable);
  auto* self =
      positional.empty() ? nullptr : symbolic::As<symbolic::TensorValue>(positional.front());
  if (function == nullptr || self == nullptr) return nullptr;
  DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * cls, ClassOf(tracer, self));
  BorrowedRef object = function->object.get();
  if (cls == nullptr || !IsMethodOf(object, cls->object.get())) return nullptr;
  const std::string name = CallableName(object);
  if (!tracer.arrays().KnowsMethod(name)) return nullptr;
  return tracer.trace().New<symbolic::ArrayMethodValue>(self, name);
}

bool IsNull(const symbolic::Value* value) { return value->kind() == symbolic::ValueKind::kNull; }

// The two stack entries under a call's arguments: a method and its receiver, which becomes the
// first argument, or a callable and a null.
symbolic::Value* PopCallable(Tracer& tracer, std::vector<symbolic::Value*>* args) {
  symbolic::Value* upper = tracer.Pop();
  symbolic::Value* lower = tracer.Pop();
  if (IsNull(lower)) return upper;
  if (!IsNull(upper)) args->insert(args->begin(), upper);
  return lower;
}

absl::Status CallFromStack(Tracer& tracer, int count, BorrowedRef keyword_names) {
  std::vector<symbolic::Value*> args = tracer.PopMany(count);
  symbolic::Keywords keywords;
  if (keyword_names != nullptr) {
    const size_t named = PyTuple_GET_SIZE(keyword_names);
    for (size_t i = 0; i < named; ++i) {
      BorrowedRef name = PyTuple_GET_ITEM(keyword_names, i);
      keywords.emplace_back(symbolic::KeywordName(StrText(name), name),
                            args[args.size() - named + i]);
    }
    args.resize(args.size() - named);
  }
  symbolic::Value* callable = PopCallable(tracer, &args);
  return tracer.Call(callable, std::move(args), std::move(keywords));
}

// The attribute of the object on top of the stack, for a call (`is_method`) or not.
absl::Status LoadMember(Tracer& tracer, int index, bool is_method) {
  BorrowedRef name = PyTuple_GET_ITEM(tracer.frame().raw_code()->co_names, index);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, LoadAttribute(tracer, tracer.Pop(), name));
  if (!is_method) {
    tracer.Push(value);
    return absl::OkStatus();
  }
  if (auto* method = symbolic::As<symbolic::BoundMethodValue>(value);
      method && method->source() == nullptr) {
    tracer.Push(method->function);
    tracer.Push(method->self);
    return absl::OkStatus();
  }
  if (auto* method = symbolic::As<symbolic::ArrayMethodValue>(value);
      method && method->source() == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * function, FunctionOf(tracer, *method, name));
    if (function != nullptr) {
      tracer.Push(function);
      tracer.Push(method->self);
      return absl::OkStatus();
    }
  }
  tracer.PushCallable(value);
  return absl::OkStatus();
}

// The function that is traced for `function`, in which a form of the array library's own may stand
// for it; GraphBreak for code of that library which works on real arrays only.
absl::StatusOr<symbolic::FunctionValue*> FunctionToInline(Tracer& tracer,
                                                          symbolic::FunctionValue* function) {
  if (!function->function) return function;
  BorrowedRef object = function->function.get();
  Ref form = tracer.arrays().Inlined(object);
  if (!form) return symbolic::GraphBreak(absl::StrCat("call of ", CallableName(object)));
  if (form.get() == object) return function;
  // Functions of one decorator share their code, which is what guards know them by.
  if (function->source() != nullptr) {
    tracer.trace().AddGuard(guards::GuardKind::kIdentity, function->source(), object);
  }
  return tracer.trace().New<symbolic::FunctionValue>(std::move(form));
}

// The same for an object of the array library's that is called like a function and is none; null
// for any other.
Ref InlinedObject(Tracer& tracer, BorrowedRef object) {
  const bool may_be = !PyFunction_Check(object) && !PyCFunction_Check(object) &&
                      !PyType_Check(object) && tracer.arrays().KnowsCallable(object);
  return may_be ? tracer.arrays().Inlined(object) : Ref();
}

// The call of a function of the standard library by what stands for it; null for any other.
absl::StatusOr<symbolic::Value*> CallOfLibrary(Tracer& tracer,
                                               const symbolic::FunctionValue& function,
                                               const std::vector<symbolic::Value*>& positional,
                                               const symbolic::Keywords& keywords) {
  if (IsDeepCopy(function)) return CallDeepCopy(tracer, function, positional, keywords);
  if (IsDispatch(function)) return CallDispatch(tracer, function, positional, keywords);
  return CallLibraryPolyfill(tracer, function, positional, keywords);
}

bool IsText(BorrowedRef text, const char* wanted) {
  return text != nullptr && PyUnicode_Check(text) &&
         PyUnicode_CompareWithASCIIString(text, wanted) == 0;
}

// What dynacc.compile(f) gives where a call of that has to be a part of this trace, whatever the
// options: f itself, a function or a method. Null for any other call.
absl::StatusOr<symbolic::Value*> CompiledHere(Tracer& tracer,
                                              const symbolic::FunctionValue& function,
                                              const std::vector<symbolic::Value*>& positional) {
  if (!tracer.root().inlines_compiled || !function.function || positional.size() != 1) {
    return nullptr;
  }
  const auto* const object = reinterpret_cast<PyFunctionObject*>(function.function.get());
  const bool is_compile =
      IsText(object->func_module, "dynacc._compile") && IsText(object->func_qualname, "compile");
  if (!is_compile) return nullptr;
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * model, tracer.Materialize(positional[0]));
  const bool is_function = symbolic::As<symbolic::FunctionValue>(model) != nullptr ||
                           symbolic::As<symbolic::BoundMethodValue>(model) != nullptr;
  return is_function ? model : nullptr;
}

absl::Status CallFunction(Tracer& tracer, symbolic::FunctionValue* function,
                          std::vector<symbolic::Value*> positional, symbolic::Keywords keywords) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result,
                          CallOfLibrary(tracer, *function, positional, keywords));
  if (result == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(result, CompiledHere(tracer, *function, positional));
  }
  if (result != nullptr) {
    tracer.Push(result);
    return absl::OkStatus();
  }
  DYNACC_ASSIGN_OR_RETURN(function, FunctionToInline(tracer, function));
  return InlineCall(tracer, function, std::move(positional), std::move(keywords));
}

// What a new function gets beside its code: bits of MAKE_FUNCTION's and SET_FUNCTION_ATTRIBUTE's
// arguments.
enum FunctionPart {
  kDefaults = 1,
  kKwDefaults = 2,
  kAnnotations = 4,
  kClosure = 8,
  kAnnotate = 16
};

absl::Status SetFunctionPart(symbolic::FunctionValue* function, FunctionPart part,
                             symbolic::Value* value) {
  switch (part) {
    case kDefaults:
      function->defaults = value;
      return absl::OkStatus();
    case kKwDefaults:
      function->kwdefaults = value;
      return absl::OkStatus();
    case kAnnotations:
      function->annotations = value;
      return absl::OkStatus();
    case kAnnotate:
      function->annotate = value;
      return absl::OkStatus();
    case kClosure:
      break;
  }
  auto* cells = symbolic::As<symbolic::TupleValue>(value);
  if (cells == nullptr) return symbolic::GraphBreak("a closure that is not known");
  function->closure = cells->items;
  return absl::OkStatus();
}

}  // namespace

absl::Status Tracer::Call(symbolic::Value* callable, std::vector<symbolic::Value*> positional,
                          symbolic::Keywords keywords) {
  DYNACC_ASSIGN_OR_RETURN(callable, Materialize(callable));
  while (auto* method = symbolic::As<symbolic::BoundMethodValue>(callable)) {
    positional.insert(positional.begin(), method->self);
    DYNACC_ASSIGN_OR_RETURN(callable, Materialize(method->function));
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * wrapped, WrappedFunction(*this, callable));
  if (wrapped != nullptr) return Call(wrapped, std::move(positional), std::move(keywords));
  if (auto* function = symbolic::As<symbolic::FunctionValue>(callable)) {
    return CallFunction(*this, function, std::move(positional), std::move(keywords));
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * unbound, AsArrayMethod(*this, callable, positional));
  if (unbound != nullptr) {
    callable = unbound;
    positional.erase(positional.begin());
  }
  if (auto* method = symbolic::As<symbolic::ArrayMethodValue>(callable)) {
    DYNACC_ASSIGN_OR_RETURN(arrays::CallArgs args, ArrayArguments(*this, positional, keywords));
    const auto call = [&] { return arrays_.CallMethod(trace_, method->self, method->name, args); };
    std::vector<symbolic::Value*> with_self = positional;
    with_self.insert(with_self.begin(), method->self);
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result,
                            CallOrDecompose(*this, call, with_self, args.keywords));
    DYNACC_ASSIGN_OR_RETURN(result, WithMethodGradient(*this, method->name, result,
                                                       std::move(with_self), args.keywords));
    Push(result);
    return absl::OkStatus();
  }
  auto* constant = symbolic::As<symbolic::ConstantValue>(callable);
  if (constant == nullptr) {
    return CallObject(*this, callable, std::move(positional), std::move(keywords));
  }
  if (PyFunction_Check(constant->object.get()) && !arrays_.KnowsCallable(constant->object.get())) {
    auto* function = trace_.New<symbolic::FunctionValue>(constant->object);
    return CallFunction(*this, function, std::move(positional), std::move(keywords));
  }
  if (Ref form = InlinedObject(*this, constant->object.get())) {
    return InlineCall(*this, trace_.New<symbolic::FunctionValue>(std::move(form)),
                      std::move(positional), std::move(keywords));
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result,
                          CallKnown(*this, constant, positional, keywords));
  Push(result);
  return absl::OkStatus();
}

namespace handlers {

absl::Status LoadAttr(Tracer& tracer, const bytecode::Instruction& instruction) {
  return LoadMember(tracer, instruction.arg, /*is_method=*/false);
}

absl::Status LoadMethod(Tracer& tracer, const bytecode::Instruction& instruction) {
  return LoadMember(tracer, instruction.arg, /*is_method=*/true);
}

absl::Status StoreAttr(Tracer& tracer, const bytecode::Instruction& instruction) {
  BorrowedRef name = PyTuple_GET_ITEM(tracer.frame().raw_code()->co_names, instruction.arg);
  symbolic::Value* object = tracer.Pop();
  return StoreAttribute(tracer, object, name, tracer.Pop());
}

absl::Status DeleteAttr(Tracer& tracer, const bytecode::Instruction& instruction) {
  BorrowedRef name = PyTuple_GET_ITEM(tracer.frame().raw_code()->co_names, instruction.arg);
  return StoreAttribute(tracer, tracer.Pop(), name, nullptr);
}

// super().name, with `super`, the class and the object on the stack. Whatever `super` is, it is
// called.
absl::Status LoadSuperAttr(Tracer& tracer, const bytecode::Instruction& instruction) {
  constexpr int kMethod = 1, kTwoArguments = 2, kNameShift = 2;
  std::vector<symbolic::Value*> args = tracer.PopMany(2);
  symbolic::Value* super = tracer.Pop();
  if ((instruction.arg & kTwoArguments) == 0) args.clear();
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * bound, tracer.CallNow(super, std::move(args)));
  tracer.Push(bound);
  return LoadMember(tracer, instruction.arg >> kNameShift, (instruction.arg & kMethod) != 0);
}

absl::Status Call(Tracer& tracer, const bytecode::Instruction& instruction) {
  return CallFromStack(tracer, instruction.arg, nullptr);
}

absl::Status CallKw(Tracer& tracer, const bytecode::Instruction& instruction) {
  BorrowedRef names = PyTuple_GET_ITEM(tracer.frame().raw_code()->co_consts, instruction.keywords);
  return CallFromStack(tracer, instruction.arg, names);
}

absl::Status CallFunctionEx(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::Keywords keywords;
  if (instruction.arg & 1) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * mapping, tracer.Materialize(tracer.Pop()));
    auto* dict = symbolic::As<symbolic::DictValue>(mapping);
    if (dict == nullptr) return symbolic::GraphBreak("keyword arguments from a dict");
    DYNACC_RETURN_IF_ERROR(KnowItems(tracer, dict));
    for (auto& [key, value] : dict->items) {
      if (!PyUnicode_CheckExact(key.get()))
        return symbolic::RaisingBreak("a keyword that is not a str");
      DYNACC_ASSIGN_OR_RETURN(const std::string name, NameText(key.get()));
      keywords.emplace_back(symbolic::KeywordName(name, key.get()), value);
    }
  }
  DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> args, DrainAsTuple(tracer, tracer.Pop()));
  symbolic::Value* callable = PopCallable(tracer, &args);
  return tracer.Call(callable, std::move(args), std::move(keywords));
}

absl::Status MakeFunction(Tracer& tracer, const bytecode::Instruction& instruction) {
  auto* code = symbolic::As<symbolic::ConstantValue>(tracer.Pop());
  if (code == nullptr)
    return symbolic::GraphBreak("a function made of code that is not a constant");
  auto* function = tracer.trace().New<symbolic::FunctionValue>(Ref());
  function->code = code->object;
  function->globals_of = tracer.frame().globals_of;
  function->globals = tracer.frame().globals;
  for (const FunctionPart part : {kClosure, kAnnotations, kKwDefaults, kDefaults}) {
    if ((instruction.arg & part) == 0) continue;
    DYNACC_RETURN_IF_ERROR(SetFunctionPart(function, part, tracer.Pop()));
  }
  tracer.Push(function);
  return absl::OkStatus();
}

absl::Status SetFunctionAttribute(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::Value* function = tracer.Pop();
  auto* made = symbolic::As<symbolic::FunctionValue>(function);
  if (made == nullptr || made->function) return symbolic::GraphBreak("a function that is not new");
  DYNACC_RETURN_IF_ERROR(
      SetFunctionPart(made, static_cast<FunctionPart>(instruction.arg), tracer.Pop()));
  tracer.Push(made);
  return absl::OkStatus();
}

}  // namespace handlers
}  // namespace dynacc::tracer
