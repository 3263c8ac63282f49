// Algebra: identities that hold bit for bit, for every value of the operands.
//
// On floats that leaves little: NaN payloads, signed zeros, flags and signalling NaNs all count.
// The memory order of results counts too: NumPy gives a computed array an order of its own, so an
// operation is only replaced by an operand that is itself computed (see IsComputed).
// The identities are the table algebra.def. Those of casts, which patterns cannot say, are here.
#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "codegen/extensions/pattern.h"
#include "codegen/ir/node_rules.h"
#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"
#include "codegen/passes/view_algebra.h"
#include "runtime/base/check.h"

namespace dynacc::passes {
namespace {

using Operands = absl::Span<const ir::Node* const>;

// Whether the node is an array that NumPy would have freshly computed: its memory order is then
// what an elementwise operation on it alone would give its result again.
bool IsComputed(const ir::Node& node) {
  return IsElementwise(node.op) || node.op == Op::kWhere || node.op == Op::kCast;
}

// Whether no element can be a signalling NaN, which arithmetic would turn into a quiet one: true
// for integers and for results of arithmetic.
bool IsQuiet(const ir::Node& node) {
  return !IsInexact(node.dtype) || (IsComputed(node) && HasTrait(node.op, kRaisesFlags));
}

// Whether the memory order of a result does not follow the node's, a number in each element.
bool HasNoOrder(const ir::Node& node) {
  if (node.op == Op::kFull) return node.rank() <= 1;
  return RepeatedNumber(&node) != nullptr;
}

// --- Conditions of algebra.def, of the node, its operands and what would take its place ----------

bool Always(const ir::Node&, Operands, const ir::Node&) { return true; }

bool Computed(const ir::Node&, Operands, const ir::Node& built) { return IsComputed(built); }

// An operand that may take the place of an operation on it that returns every element unchanged.
bool Unchanged(const ir::Node&, Operands x, const ir::Node& built) {
  return IsComputed(built) && IsQuiet(built) && std::all_of(x.begin(), x.end(), [&](const auto* a) {
           return a == &built || HasNoOrder(*a);
         });
}

bool UnchangedFloat(const ir::Node& node, Operands x, const ir::Node& built) {
  return IsFloat(node.dtype) && Unchanged(node, x, built);
}

// Of integers and bools.
bool UnchangedExact(const ir::Node& node, Operands x, const ir::Node& built) {
  return !IsInexact(node.dtype) && Unchanged(node, x, built);
}

bool UnchangedInteger(const ir::Node& node, Operands x, const ir::Node& built) {
  return IsInteger(node.dtype) && Unchanged(node, x, built);
}

// Unsigned numbers have no sign, and -x is another one.
bool Signed(const ir::Node& node, Operands, const ir::Node&) {
  return Info(node.operands[0]->dtype).kind != DTypeKind::kUnsigned;
}

// A choice's condition has a memory order, too, that the result may follow.
bool ComputedVector(const ir::Node&, Operands, const ir::Node& built) {
  return built.rank() <= 1 && IsComputed(built);
}

bool OfComputedBool(const ir::Node&, Operands, const ir::Node& built) {
  return built.operands[0]->dtype == DType::kBool && IsComputed(*built.operands[0]);
}

struct Identity {
  extensions::Rewrite rewrite;
  bool (*holds)(const ir::Node& node, Operands operands, const ir::Node& built);
};

// algebra.def, by the op that each row is about, in its order.
const absl::flat_hash_map<Op, std::vector<Identity>>& Identities() {
  static const auto& identities = *[] {
    auto* made = new absl::flat_hash_map<Op, std::vector<Identity>>;
    const auto add = [made](const char* pattern, const char* replacement, auto holds) {
      auto rewrite = extensions::Rewrite::Parse(pattern, replacement);
      DYNACC_CHECK(rewrite.ok()) << pattern << ": " << rewrite.status();
      (*made)[rewrite->op()].push_back({*rewrite, holds});
    };
#define DYNACC_IDENTITY(pattern, replacement, condition) add(pattern, replacement, condition);
#include "codegen/passes/algebra.def"
#undef DYNACC_IDENTITY
    return made;
  }();
  return identities;
}

// What an identity makes of the node, or null.
const ir::Node* ByIdentity(ir::Graph& graph, const ir::Node& node, Operands operands) {
  const bool is_of_one = HasTrait(node.op, kIdempotent) && operands[0] == operands[1];
  if (is_of_one && UnchangedExact(node, operands, *operands[0])) return operands[0];
  const auto rows = Identities().find(node.op);
  if (rows == Identities().end()) return nullptr;
  for (const Identity& identity : rows->second) {
    const auto bindings = identity.rewrite.Match(graph, node, operands);
    if (!bindings) continue;
    const ir::Node* const built = identity.rewrite.Build(graph, node, operands, *bindings);
    if (built != nullptr && identity.holds(node, operands, *built)) return built;
  }
  return nullptr;
}

// --- Casts ---------------------------------------------------------------------------------------

// Whether every value of `from` is a value of `to`.
bool Contains(DType to, DType from) {
  if (IsComplex(from) && !IsComplex(to)) return false;
  from = RealOf(from);
  to = RealOf(to);
  const DTypeInfo& narrow = Info(from);
  const DTypeInfo& wide = Info(to);
  if (from == to || narrow.kind == DTypeKind::kBool) return true;
  if (wide.kind == DTypeKind::kBool || narrow.kind == DTypeKind::kFloat) {
    return wide.kind == DTypeKind::kFloat && wide.size > narrow.size;
  }
  if (wide.kind == DTypeKind::kFloat) return wide.size > narrow.size && narrow.size <= 4;
  if (wide.kind == narrow.kind) return wide.size >= narrow.size;
  return wide.kind == DTypeKind::kSigned && wide.size > narrow.size;
}

bool IsWrapping(DType from, DType to) { return !IsInexact(from) && IsInteger(to); }

// Whether `from`, an integer, becomes `to` in one rounding. To float16 NumPy goes by way of float.
bool IsFloatOfIntegers(DType to, DType from) {
  return IsInexact(to) && (to != DType::kFloat16 || Contains(DType::kFloat32, from));
}

// cast(cast(x)): the step between is dropped where it loses nothing that the end keeps.
const ir::Node* CastOfCast(ir::Graph& graph, const ir::Node& node, Operands x) {
  if (node.op != Op::kCast || x[0]->op != Op::kCast) return nullptr;
  const ir::Node* const origin = x[0]->operands[0];
  const DType from = origin->dtype;
  const DType through = x[0]->dtype;
  // Integers wrap: bits above the narrower of the two ends are lost either way.
  const bool wraps = IsWrapping(from, through) && IsInteger(node.dtype) &&
                     (Contains(through, from) || ItemSize(node.dtype) <= ItemSize(through));
  // An exact step on the way to a float, to bool, or back to where everything fits. Steps between
  // floats would make a signalling NaN quiet.
  const bool exact = Contains(through, from) && !IsInexact(from) &&
                     (IsFloatOfIntegers(node.dtype, from) || node.dtype == DType::kBool ||
                      Contains(node.dtype, from));
  if (!wraps && !exact) return nullptr;
  if (from == node.dtype && !IsComputed(*origin)) return nullptr;
  return graph.Cast(node.dtype, origin);
}

}  // namespace

std::unique_ptr<ir::Graph> SimplifyAlgebra(const ir::Graph& graph) {
  return RewriteGraph(
      graph, [](ir::Graph& target, const ir::Node& node, Operands operands) -> const ir::Node* {
        const ir::Node* const result = ByIdentity(target, node, operands);
        return result != nullptr ? result : CastOfCast(target, node, operands);
      });
}

}  // namespace dynacc::passes
