// functools.partial, operator.itemgetter, attrgetter and methodcaller, made inside or existing, and
// calls of what they give.
#include "frontend/tracer/builtins/partials.h"

#include <algorithm>

#include "frontend/polyfills/polyfills.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/builtins/builtins.h"
#include "frontend/tracer/builtins/polyfill_calls.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/names.h"
#include "frontend/tracer/numbers.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

using Values = std::vector<symbolic::Value*>;

bool IsText(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return constant != nullptr && PyUnicode_CheckExact(constant->object.get()) &&
         NameText(constant->object.get()).ok();
}

symbolic::Value* Made(Tracer& tracer, const BuiltinCall& call) {
  return tracer.trace().New<symbolic::PartialValue>(reinterpret_cast<PyTypeObject*>(call.callable),
                                                    call.args, call.keywords);
}

absl::Status CallPartialObject(Tracer& tracer, const symbolic::PartialValue& partial, Values args,
                               const symbolic::Keywords& keywords) {
  args.insert(args.begin(), partial.args.begin() + 1, partial.args.end());
  return tracer.Call(partial.args[0], std::move(args),
                     symbolic::MergeKeywords(partial.keywords, keywords));
}

absl::Status CallMethod(Tracer& tracer, const symbolic::PartialValue& caller, Values args,
                        const symbolic::Keywords& keywords) {
  if (args.size() != 1 || !keywords.empty())
    return symbolic::RaisingBreak("a call whose arguments do not fit");
  BorrowedRef name = symbolic::As<symbolic::ConstantValue>(caller.args[0])->object.get();
  DYNACC_RETURN_IF_ERROR(NameText(name).status());
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * method, LoadAttribute(tracer, args[0], name));
  return tracer.Call(method, Values(caller.args.begin() + 1, caller.args.end()), caller.keywords);
}

absl::Status CallGetter(Tracer& tracer, const char* polyfill, const symbolic::PartialValue& getter,
                        Values args, const symbolic::Keywords& keywords) {
  if (args.size() != 1 || !keywords.empty())
    return symbolic::RaisingBreak("a call whose arguments do not fit");
  args.insert(args.begin(), tracer.trace().New<symbolic::TupleValue>(getter.args));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result,
                          CallPolyfill(tracer, polyfills::Polyfill(polyfill), std::move(args)));
  tracer.Push(result);
  return absl::OkStatus();
}

// An existing getter as one made inside: its arguments, which never change, must be plain
// constants.
absl::StatusOr<symbolic::PartialValue*> Existing(Tracer& tracer, symbolic::ObjectValue* object) {
  Ref reduced = Ref::Steal(PyObject_CallMethod(object->object.get(), "__reduce__", nullptr));
  if (!reduced || !PyTuple_Check(reduced.get()) || PyTuple_GET_SIZE(reduced.get()) != 2 ||
      PyTuple_GET_ITEM(reduced.get(), 0) !=
          reinterpret_cast<PyObject*>(Py_TYPE(object->object.get())) ||
      !PyTuple_CheckExact(PyTuple_GET_ITEM(reduced.get(), 1))) {
    PyErr_Clear();
    return symbolic::GraphBreak("call of an object");
  }
  BorrowedRef parts = PyTuple_GET_ITEM(reduced.get(), 1);
  Values args;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parts); ++i) {
    args.push_back(tracer.Constant(PyTuple_GET_ITEM(parts, i)));
    if (!IsPlainConstantValue(args.back())) return symbolic::GraphBreak("call of an object");
  }
  tracer.trace().AddGuard(guards::GuardKind::kIdentity, object->source(), object->object.get());
  return tracer.trace().New<symbolic::PartialValue>(Py_TYPE(object->object.get()), std::move(args),
                                                    symbolic::Keywords());
}

constexpr absl::string_view kGetters[] = {"operator.itemgetter", "operator.attrgetter",
                                          "operator.methodcaller"};

}  // namespace

absl::StatusOr<symbolic::PartialValue*> AsPartial(Tracer& tracer, symbolic::Value* callable) {
  if (auto* partial = symbolic::As<symbolic::PartialValue>(callable)) return partial;
  auto* object = symbolic::As<symbolic::ObjectValue>(callable);
  if (object == nullptr) return nullptr;
  PyTypeObject* type = Py_TYPE(object->object.get());
  if (!PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE)) return nullptr;
  const bool is_getter = std::any_of(std::begin(kGetters), std::end(kGetters),
                                     [&](absl::string_view name) { return name == type->tp_name; });
  return is_getter ? Existing(tracer, object) : absl::StatusOr<symbolic::PartialValue*>(nullptr);
}

absl::Status CallPartialValue(Tracer& tracer, symbolic::PartialValue* partial, Values args,
                              symbolic::Keywords keywords) {
  const absl::string_view name = partial->cls->tp_name;
  if (name == kGetters[0]) {
    return CallGetter(tracer, "call_itemgetter", *partial, std::move(args), keywords);
  }
  if (name == kGetters[1]) {
    return CallGetter(tracer, "call_attrgetter", *partial, std::move(args), keywords);
  }
  if (name == kGetters[2]) return CallMethod(tracer, *partial, std::move(args), keywords);
  return CallPartialObject(tracer, *partial, std::move(args), std::move(keywords));
}

namespace builtins {

absl::StatusOr<symbolic::Value*> MakePartial(Tracer& tracer, const BuiltinCall& call) {
  if (call.args.empty()) return symbolic::RaisingBreak("a partial of nothing");
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * verdict,
                          Callable(tracer, {call.callable, {call.args[0]}, {}}));
  DYNACC_ASSIGN_OR_RETURN(const bool is_callable, tracer.Truth(verdict));
  if (!is_callable) return symbolic::RaisingBreak("a partial of what cannot be called");
  return Made(tracer, call);
}

absl::StatusOr<symbolic::Value*> MakeItemGetter(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 64));
  return Made(tracer, call);
}

absl::StatusOr<symbolic::Value*> MakeAttrGetter(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 64));
  if (!std::all_of(call.args.begin(), call.args.end(), IsText)) {
    return symbolic::RaisingBreak("an attribute whose name is no str");
  }
  return Made(tracer, call);
}

absl::StatusOr<symbolic::Value*> MakeMethodCaller(Tracer& tracer, const BuiltinCall& call) {
  if (call.args.empty() || !IsText(call.args[0])) {
    return symbolic::RaisingBreak("a method whose name is no str");
  }
  return Made(tracer, call);
}

}  // namespace builtins
}  // namespace dynacc::tracer
