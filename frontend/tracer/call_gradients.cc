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

// The call of NumPy's that gave an array its content; null: something else did. A view's content
// was stored into what it shows.
const ir::Node* CallThatGave(const ir::Node* content) {
  const bool is_view = content->op == Op::kView || content->op == Op::kReshape;
  if (is_view && content->operands[0]->op == Op::kStore)
    content = content->operands[0]->operands[1];
  return content->op == Op::kLibraryCall ? content : nullptr;
}

// An array like `array` of other content.
absl::StatusOr<symbolic::Value*> ArrayOf(Tracer& tracer, symbolic::TensorValue* array,
                                         const ir::Node* content) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * copy,
                          tracer.arrays().CallMethod(tracer.trace(), array, "copy", {}));
  symbolic::As<symbolic::TensorValue>(copy)->node = content;
  return copy;
}

// A method that left in its array what its function gave for the array as it was before, as `sort`
// does: the array gets that with the function's gradient. `rule` is the function's.
absl::Status GiveContentGradient(Tracer& tracer, BorrowedRef rule,
                                 std::vector<symbolic::Value*> positional,
                                 symbolic::Keywords keywords) {
  auto* const array = symbolic::As<symbolic::TensorValue>(positional[0]);
  const ir::Node* const call = array == nullptr ? nullptr : CallThatGave(array->node);
  const bool is_of_array = call != nullptr && call->shape == array->node->shape &&
                           !call->operands.empty() &&
                           call->operands[0]->shape == array->node->shape;
  if (!is_of_array) return absl::OkStatus();
  DYNACC_ASSIGN_OR_RETURN(positional[0], ArrayOf(tracer, array, call->operands[0]));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * content, ArrayOf(tracer, array, call));
  DYNACC_ASSIGN_OR_RETURN(content,
                          Apply(tracer, rule, content, std::move(positional), std::move(keywords)));
  symbolic::Value* const whole = tracer.Constant(Py_Ellipsis);
  return tracer.arrays().StoreSubscript(tracer.trace(), array, whole, content);
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
  BorrowedRef rules = Rules(tracer);
  if (rules == nullptr) return result;
  const Ref key = Ref::Steal(PyUnicode_FromStringAndSize(name.data(), name.size()));
  auto* const constant = symbolic::As<symbolic::ConstantValue>(result);
  if (constant != nullptr && constant->object.get() == Py_None) {
    BorrowedRef rule = PyDict_GetItemWithError(rules, key.get());
    if (rule == nullptr) return result;
    DYNACC_RETURN_IF_ERROR(
        GiveContentGradient(tracer, rule, std::move(positional), std::move(keywords)));
    return result;
  }
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
