// Pattern: an elementwise expression as text, "log(multiply(?x, 2.0))", that is looked for in
// graphs and built in them (extension.h says how it is written).
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "codegen/ir/graph.h"

namespace dynacc::extensions {

// The number that every element of `node` is, if it is known; of a real dtype.
bool IsKnownNumber(const ScalarProgram& scalars, const ir::Node& node, double* value);

class Pattern {
 public:
  // What the variables stand for.
  using Bindings = absl::flat_hash_map<std::string, const ir::Node*>;

  // INVALID_ARGUMENT with what is wrong.
  static absl::StatusOr<Pattern> Parse(absl::string_view text);

  // Whether op(operands) is such an expression; fills `bindings`, which may be left half filled if
  // not.
  bool Fits(const ir::Graph& graph, Op op, absl::Span<const ir::Node* const> operands,
            Bindings& bindings) const;

  // The expression in `graph`, numbers being of the dtype and shape of `like`; null if its operands
  // have other dtypes or shapes than its ops take.
  const ir::Node* Build(ir::Graph& graph, const ir::Node& like, const Bindings& bindings) const;

  // Whether it is an op of something, and no mere variable or number.
  bool is_operation() const { return kind_ == Kind::kOperation; }
  // Whether each of its variables is one of `other`'s.
  bool UsesOnlyThoseOf(const Pattern& other) const;

 private:
  enum class Kind { kOperation, kVariable, kNumber };
  friend class PatternParser;

  bool FitsNode(const ir::Graph& graph, const ir::Node* node, Bindings& bindings) const;
  bool Uses(absl::string_view variable) const;

  Kind kind_ = Kind::kVariable;
  Op op_ = Op::kInput;
  std::string variable_;
  double number_ = 0;
  std::vector<Pattern> operands_;
};

}  // namespace dynacc::extensions
