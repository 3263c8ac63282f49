#include "codegen/ir/int_operator_attrs.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace dynacc::ir {

std::vector<int64_t> EncodeIntOperation(const executor::IntOperation& operation) {
  std::vector<int64_t> ints = {static_cast<int64_t>(operation.op)};
  for (const executor::IntOperation::Argument& argument : operation.arguments) {
    ints.push_back(argument.operand);
    ints.push_back(argument.number);
  }
  if (operation.wraps) ints.push_back(1);
  return ints;
}

std::optional<executor::IntOperation> IntOperationOf(const Node& node) {
  const absl::Span<const int64_t> ints = node.attrs.ints;
  if (ints.empty() || ints[0] < 0 || ints[0] >= executor::NumIntOperators()) return std::nullopt;
  executor::IntOperation operation;
  operation.op = static_cast<executor::IntOperation::Operator>(ints[0]);
  const size_t end = 1 + 2 * static_cast<size_t>(executor::Info(operation.op).operands);
  operation.wraps = ints.size() == end + 1 && ints[end] == 1;
  if (ints.size() != end && !operation.wraps) return std::nullopt;
  for (size_t i = 1; i < end; i += 2) {
    operation.arguments.push_back({static_cast<int>(ints[i]), ints[i + 1]});
  }
  return operation;
}

std::string IntOperationText(const Node& node) {
  const std::optional<executor::IntOperation> operation = IntOperationOf(node);
  if (!operation) return absl::StrCat("?[", absl::StrJoin(node.attrs.ints, ", "), "]");
  const auto count = static_cast<int>(node.operands.size());
  std::vector<std::string> arguments;
  for (const auto& [operand, number] : operation->arguments) {
    const bool is_there = operand >= 0 && operand < count;
    arguments.push_back(operand < 0 ? absl::StrCat(number)
                        : is_there  ? absl::StrCat("%", node.operands[operand]->id)
                                    : "?");
  }
  return absl::StrCat(executor::Info(operation->op).name, "[", absl::StrJoin(arguments, ", "), "]",
                      operation->wraps ? " wraps" : "");
}

absl::Status CheckIntOperator(const Graph&, const Node& node) {
  const std::optional<executor::IntOperation> operation = IntOperationOf(node);
  if (!operation) return absl::InternalError("no operator, or another number of arguments");
  if (!node.attrs.scalars.empty()) return absl::InternalError("wrong number of scalar attributes");
  for (const auto& argument : operation->arguments) {
    if (argument.operand >= static_cast<int>(node.operands.size())) {
      return absl::InternalError("an argument is no operand");
    }
  }
  if (!IsInteger(node.dtype)) return absl::InternalError("the result is no integer");
  for (const Node* operand : node.operands) {
    if (operand->rank() != 0 || !executor::HoldsInts(operand->dtype)) {
      return absl::InternalError("an operand is no single int");
    }
  }
  return node.rank() == 0 ? absl::OkStatus() : absl::InternalError("the result has rank 0");
}

}  // namespace dynacc::ir
