#include "frontend/tracer/call_gradients.h"

#include <algorithm>
#include <utility>

#include "frontend/symbolic/binary_operator.h"
#include "frontend/tracer/lazy.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

constexpr int kHighestOrder = 3;

bool IsNumpysOwn(symbolic::Value* value) {
  if (symbolic::TensorValue* const scalar = ScalarBehind(value)) value = scalar;
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(value)) {
    return tensor->node->op == Op::kLibraryCall;
  }
  const auto any = [](const std::vector<symbolic::Value*>& items) {
    return std::any_of(items.begin(), items.end(), IsNumpysOwn);
  };
  if (auto* tuple = symbolic::As<symbolic::TupleValue>(value)) return any(tuple->items);
  auto* const list = symbolic::As<symbolic::ListValue>(value);
  return list != nullptr && any(list->items);
}

// Null: nobody asks for derivatives.
BorrowedRef Rules(Tracer& tracer) {
  BorrowedRef of_all = tracer.root().gradient_rules;
  return of_all != nullptr ? of_all : tracer.trace().gradient_rules();
}

BorrowedRef RuleFor(Tracer& tracer, BorrowedRef key, symbolic::Value* result) {
  BorrowedRef rules = Rules(tracer);
  if (rules == nullptr || key == nullptr || !IsNumpysOwn(result)) return nullptr;
  BorrowedRef rule = PyDict_GetItemWithError(rules, key);
  if (rule == nullptr) PyErr_Clear();  // the key is not hashable
  return rule;
}

absl::StatusOr<symbolic::Value*> Apply(Tracer& tracer, BorrowedRef rule, symbolic::Value* result,
                                       std::vector<symbolic::Value*> positional,
                                       symbolic::Keywords keywords) {
  std::vector<BorrowedRef>& active = tracer.active_gradient_rules();
  if (std::count(active.begin(), active.end(), rule) >= kHighestOrder) return result;
  // A float made of an array's element is that element.
  for (symbolic::Value*& value : positional) {
    if (symbolic::TensorValue* const scalar = ScalarBehind(value)) value = scalar;
  }
  symbolic::TensorValue* const behind = ScalarBehind(result);
  positional.insert(positional.begin(), behind != nullptr ? behind : result);
  active.push_back(rule);
  absl::StatusOr<symbolic::Value*> with =
      tracer.CallNow(tracer.Constant(rule), std::move(positional), std::move(keywords));
  active.pop_back();
  if (behind == nullptr || !with.ok()) return with;
  auto* const number = symbolic::As<symbolic::LazyValue>(result);
  return tracer.trace().New<symbolic::LazyValue>(
      number->function, std::vector<symbolic::Value*>{*with}, number->type);
}

}  // namespace

absl::StatusOr<symbolic::Value*> WithGradient(Tracer& tracer, BorrowedRef callable,
                                              symbolic::Value* result,
                                              std::vector<symbolic::Value*> positional,
                                              symbolic::Keywords keywords) {
  BorrowedRef rule = RuleFor(tracer, callable, result);
  if (rule == nullptr) return result;
  return Apply(tracer, rule, result, std::move(positional), std::move(keywords));
}

absl::StatusOr<symbolic::Value*> WithMethodGradient(Tracer& tracer, absl::string_view name,
                                                    symbolic::Value* result,
                                                    std::vector<symbolic::Value*> positional,
                                                    symbolic::Keywords keywords) {
  if (Rules(tracer) == nullptr) return result;
  const Ref key = Ref::Steal(PyUnicode_FromStringAndSize(name.data(), name.size()));
  return WithGradient(tracer, key.get(), result, std::move(positional), std::move(keywords));
}

absl::StatusOr<symbolic::Value*> WithOperatorGradient(Tracer& tracer, const char* name,
                                                      symbolic::Value* result,
                                                      std::vector<symbolic::Value*> operands) {
  if (Rules(tracer) == nullptr) return result;
  const Ref function = symbolic::OperatorFunction(name);
  return WithGradient(tracer, function.get(), result, std::move(operands));
}

}  // namespace dynacc::tracer
