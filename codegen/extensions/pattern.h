// Rewrite: a pattern, an elementwise expression as text, "log(add(?x, 1))", that is looked for in
// graphs, and the expression that is computed in its place (extension.h says how they are written).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "codegen/ir/graph.h"

namespace dynacc::extensions {

// The number that every element of `node` is, if it is known; of a real dtype.
std::optional<double> KnownNumber(const ScalarProgram& scalars, const ir::Node& node);

// What the variables of a pattern stand for, in the order in which it names them.
inline constexpr size_t kMaxVariables = 16;
using Bindings = std::array<const ir::Node*, kMaxVariables>;

class Pattern {
 public:
  // Names that are new are added to `names`. INVALID_ARGUMENT with what is wrong.
  static absl::StatusOr<Pattern> Parse(absl::string_view text, std::vector<std::string>& names);

  // Whether op(operands) is such an expression; fills `bindings`, which may be left half filled if
  // not. To begin with they are null.
  bool Fits(const ir::Graph& graph, Op op, absl::Span<const ir::Node* const> operands,
            Bindings& bindings) const;

  // The expression in `graph`, numbers being of the dtype and shape of `like`; null if its operands
  // have other dtypes or shapes than its ops take.
  const ir::Node* Build(ir::Graph& graph, const ir::Node& like, const Bindings& bindings) const;

  // Whether it is an op of something, and no mere variable or number; then which.
  bool is_operation() const { return kind_ == Kind::kOperation; }
  Op op() const { return op_; }

 private:
  enum class Kind { kOperation, kVariable, kNumber };
  friend class PatternParser;

  bool FitsNode(const ir::Graph& graph, const ir::Node* node, Bindings& bindings) const;

  Kind kind_ = Kind::kVariable;
  Op op_ = Op::kInput;
  size_t variable_ = 0;
  double number_ = 0;
  std::vector<Pattern> operands_;
};

class Rewrite {
 public:
  // INVALID_ARGUMENT with what is wrong: a text that is no pattern, a pattern that is no operation,
  // a replacement with a variable that the pattern has not.
  static absl::StatusOr<Rewrite> Parse(absl::string_view pattern, absl::string_view replacement);

  // The op of the nodes that it is about.
  Op op() const { return pattern_.op(); }

  // What the variables stand for in `node`, whose operands are `operands` in `graph`; nothing if it
  // is another expression.
  std::optional<Bindings> Match(const ir::Graph& graph, const ir::Node& node,
                                absl::Span<const ir::Node* const> operands) const;
  // The replacement in `graph`; null if that has another dtype or shape than the node.
  const ir::Node* Build(ir::Graph& graph, const ir::Node& node,
                        absl::Span<const ir::Node* const> operands, const Bindings& bindings) const;

 private:
  Pattern pattern_, replacement_;
};

}  // namespace dynacc::extensions
