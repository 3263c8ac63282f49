#include "codegen/extensions/pattern.h"

#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "codegen/ir/node_rules.h"
#include "runtime/base/status_macros.h"

namespace dynacc::extensions {

// Recursive descent, one token ahead.
class PatternParser {
 public:
  PatternParser(absl::string_view text, std::vector<std::string>& names)
      : text_(text), rest_(text), names_(names) {}

  absl::StatusOr<Pattern> ParseAll() {
    DYNACC_ASSIGN_OR_RETURN(Pattern pattern, ParseOne(0));
    if (!Peek().empty()) return Error("nothing more");
    return pattern;
  }

 private:
  static constexpr int kDeepest = 64;

  absl::StatusOr<Pattern> ParseOne(int depth) {
    if (depth > kDeepest) return Error("fewer brackets");
    Pattern pattern;
    if (Take("?")) {
      const std::string name = Word();
      if (name.empty()) return Error("a name");
      pattern.variable_ = absl::c_find(names_, name) - names_.begin();
      if (pattern.variable_ == names_.size()) names_.push_back(name);
      if (names_.size() > kMaxVariables) return Error("fewer variables");
      return pattern;
    }
    const std::string word = Word();
    if (Peek() == "(") return ParseOperation(word, depth);
    pattern.kind_ = Pattern::Kind::kNumber;
    if (!absl::SimpleAtod(word, &pattern.number_)) return Error("a number, ?name or op(...)");
    return pattern;
  }

  absl::StatusOr<Pattern> ParseOperation(const std::string& name, int depth) {
    const std::optional<Op> op = ParseOp(name);
    if (!op.has_value() || !(IsElementwise(*op) || *op == Op::kWhere)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", name, "' is no elementwise operation, in ", text_));
    }
    Pattern pattern;
    pattern.kind_ = Pattern::Kind::kOperation;
    pattern.op_ = *op;
    Take("(");
    do {
      DYNACC_ASSIGN_OR_RETURN(Pattern operand, ParseOne(depth + 1));
      pattern.operands_.push_back(std::move(operand));
    } while (Take(","));
    if (!Take(")")) return Error("a bracket");
    if (static_cast<int>(pattern.operands_.size()) != ir::ArityOf(*op)) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " takes ", ir::ArityOf(*op), " operands, in ", text_));
    }
    return pattern;
  }

  absl::string_view Peek() {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return rest_.substr(0, 1);
  }

  bool Take(absl::string_view token) {
    if (Peek() != token) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // A name or a number.
  std::string Word() {
    Peek();
    size_t length = 0;
    while (length < rest_.size() && (absl::ascii_isalnum(rest_[length]) ||
                                     absl::StrContains("_.+-", rest_.substr(length, 1)))) {
      ++length;
    }
    const absl::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return std::string(word);
  }

  absl::Status Error(absl::string_view expected) const {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", expected, " at '", rest_, "' of ", text_));
  }

  const absl::string_view text_;
  absl::string_view rest_;
  std::vector<std::string>& names_;
};

std::optional<double> KnownNumber(const ScalarProgram& scalars, const ir::Node& node) {
  const ir::Node* leaf = &node;
  while (leaf->op == Op::kView) leaf = leaf->operands[0];
  if ((leaf->op != Op::kScalar && leaf->op != Op::kFull) || IsComplex(leaf->dtype))
    return std::nullopt;
  const ScalarExpr& expr = scalars.expr(leaf->attrs.scalars[0]);
  if (expr.op != ScalarOp::kConst) return std::nullopt;
  return expr.type == ScalarType::kFloat ? expr.value.f : static_cast<double>(expr.value.i);
}

absl::StatusOr<Pattern> Pattern::Parse(absl::string_view text, std::vector<std::string>& names) {
  return PatternParser(text, names).ParseAll();
}

bool Pattern::Fits(const ir::Graph& graph, Op op, absl::Span<const ir::Node* const> operands,
                   Bindings& bindings) const {
  if (kind_ != Kind::kOperation || op != op_ || operands.size() != operands_.size()) return false;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands_[i].FitsNode(graph, operands[i], bindings)) return false;
  }
  return true;
}

bool Pattern::FitsNode(const ir::Graph& graph, const ir::Node* node, Bindings& bindings) const {
  if (kind_ == Kind::kNumber) {
    const std::optional<double> value = KnownNumber(graph.scalars(), *node);
    return value && *value == number_ && std::signbit(*value) == std::signbit(number_);
  }
  if (kind_ == Kind::kOperation) return Fits(graph, node->op, node->operands, bindings);
  if (bindings[variable_] == nullptr) bindings[variable_] = node;
  return bindings[variable_] == node;
}

const ir::Node* Pattern::Build(ir::Graph& graph, const ir::Node& like,
                               const Bindings& bindings) const {
  if (kind_ == Kind::kVariable) return bindings[variable_];
  if (kind_ == Kind::kNumber) {
    const ir::Node* const number = graph.Scalar(like.dtype, graph.scalars().Float(number_));
    return graph.BroadcastTo(number, like.shape);
  }
  std::vector<const ir::Node*> operands;
  for (const Pattern& operand : operands_) {
    // A number is of the dtype of the array beside it.
    const ir::Node& beside = operands.empty() ? like : *operands.back();
    operands.push_back(
        operand.Build(graph, operand.kind_ == Kind::kNumber ? beside : like, bindings));
    if (operands.back() == nullptr) return nullptr;
  }
  const bool has_condition = op_ == Op::kWhere;
  const ir::Node& first = *operands[has_condition ? 1 : 0];
  for (size_t i = 0; i < operands.size(); ++i) {
    const DType wanted = has_condition && i == 0 ? DType::kBool : first.dtype;
    if (operands[i]->dtype != wanted || operands[i]->shape != first.shape) return nullptr;
  }
  if (has_condition) return graph.Where(operands[0], operands[1], operands[2]);
  return operands.size() == 1 ? graph.Unary(op_, operands[0])
                              : graph.Binary(op_, operands[0], operands[1]);
}

absl::StatusOr<Rewrite> Rewrite::Parse(absl::string_view pattern, absl::string_view replacement) {
  Rewrite rewrite;
  std::vector<std::string> names;
  DYNACC_ASSIGN_OR_RETURN(rewrite.pattern_, Pattern::Parse(pattern, names));
  if (!rewrite.pattern_.is_operation())
    return absl::InvalidArgumentError("the pattern is no operation");
  const size_t num_variables = names.size();
  DYNACC_ASSIGN_OR_RETURN(rewrite.replacement_, Pattern::Parse(replacement, names));
  if (names.size() > num_variables)
    return absl::InvalidArgumentError("the replacement has a variable that the pattern has not");
  return rewrite;
}

std::optional<Bindings> Rewrite::Match(const ir::Graph& graph, const ir::Node& node,
                                       absl::Span<const ir::Node* const> operands) const {
  Bindings bindings = {};
  if (!pattern_.Fits(graph, node.op, operands, bindings)) return std::nullopt;
  return bindings;
}

const ir::Node* Rewrite::Build(ir::Graph& graph, const ir::Node& node,
                               absl::Span<const ir::Node* const> operands,
                               const Bindings& bindings) const {
  const ir::Node* const built = replacement_.Build(graph, *operands.back(), bindings);
  const bool is_same = built != nullptr && built->dtype == node.dtype && built->shape == node.shape;
  return is_same ? built : nullptr;
}

}  // namespace dynacc::extensions
