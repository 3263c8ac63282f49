#include "codegen/ir/size_range.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace dynacc::ir {
namespace {

using Limits = std::numeric_limits<int64_t>;

// a + b where `none` stands for no bound.
int64_t AddBounds(int64_t a, int64_t b, int64_t none) {
  int64_t sum;
  return a == none || b == none || __builtin_add_overflow(a, b, &sum) ? none : sum;
}

class Ranges {
 public:
  Ranges(const ScalarProgram& program, absl::Span<const ScalarId> sizes,
         absl::Span<const ScalarId> conditions)
      : program_(program), sizes_(sizes), conditions_(conditions) {}

  SizeRange Of(ScalarId id) const {
    int64_t value;
    if (program_.IsIntConst(id, &value)) return {value, value};
    SizeRange range = OfExpression(program_.expr(id));
    if (absl::c_linear_search(sizes_, id)) range.low = std::max<int64_t>(range.low, 0);
    for (const ScalarId condition : conditions_) Narrow(condition, true, id, range);
    return range;
  }

 private:
  SizeRange OfExpression(const ScalarExpr& expr) const {
    if (expr.type != ScalarType::kInt) return {};
    switch (expr.op) {
      case ScalarOp::kAdd:
        return Sum(Of(expr.a), Of(expr.b));
      case ScalarOp::kSub:
        return Sum(Of(expr.a), Negated(Of(expr.b)));
      case ScalarOp::kMul:
        return Product(Of(expr.a), Of(expr.b));
      case ScalarOp::kNeg:
        return Negated(Of(expr.a));
      case ScalarOp::kFloorDiv:
        return Quotient(Of(expr.a), Of(expr.b));
      case ScalarOp::kMod:
        return Remainder(Of(expr.b));
      case ScalarOp::kMin: {
        const SizeRange a = Of(expr.a), b = Of(expr.b);
        return {std::min(a.low, b.low), std::min(a.high, b.high)};
      }
      case ScalarOp::kMax: {
        const SizeRange a = Of(expr.a), b = Of(expr.b);
        return {std::max(a.low, b.low), std::max(a.high, b.high)};
      }
      case ScalarOp::kAbs:
        return {0, SizeRange::kNoHigh};
      case ScalarOp::kDataDependent:
        return {0, SizeRange::kNoHigh};
      default:
        return {};
    }
  }

  static SizeRange Sum(SizeRange a, SizeRange b) {
    return {AddBounds(a.low, b.low, SizeRange::kNoLow),
            AddBounds(a.high, b.high, SizeRange::kNoHigh)};
  }

  static SizeRange Negated(SizeRange a) {
    const bool has_low = a.high != SizeRange::kNoHigh && a.high != Limits::min();
    return {has_low ? -a.high : SizeRange::kNoLow,
            a.low == SizeRange::kNoLow ? SizeRange::kNoHigh : -a.low};
  }

  // Of numbers that are not negative, as sizes are; nothing is said of others.
  static SizeRange Product(SizeRange a, SizeRange b) {
    if (a.low < 0 || b.low < 0) return {};
    SizeRange range = {0, SizeRange::kNoHigh};
    if (__builtin_mul_overflow(a.low, b.low, &range.low)) range.low = 0;
    const bool bounded = a.high != SizeRange::kNoHigh && b.high != SizeRange::kNoHigh;
    if (!bounded || __builtin_mul_overflow(a.high, b.high, &range.high)) {
      range.high = SizeRange::kNoHigh;
    }
    return range;
  }

  static SizeRange Quotient(SizeRange a, SizeRange b) {
    if (a.low < 0 || b.low <= 0) return {};
    return {b.high == SizeRange::kNoHigh ? 0 : a.low / b.high,
            a.high == SizeRange::kNoHigh ? SizeRange::kNoHigh : a.high / b.low};
  }

  // Python's %: of the divisor's sign.
  static SizeRange Remainder(SizeRange b) {
    if (b.low <= 0) return {};
    return {0, b.high == SizeRange::kNoHigh ? SizeRange::kNoHigh : b.high - 1};
  }

  // What a condition, or its opposite, says of `id`.
  void Narrow(ScalarId condition, bool holds, ScalarId id, SizeRange& range) const {
    const ScalarExpr& expr = program_.expr(condition);
    if (expr.op == ScalarOp::kNot) return Narrow(expr.a, !holds, id, range);
    int64_t bound;
    if (expr.a == id && expr.b != kNoScalar && program_.IsIntConst(expr.b, &bound)) {
      NarrowLeft(expr.op, holds, bound, range);
    } else if (expr.b == id && program_.IsIntConst(expr.a, &bound)) {
      NarrowRight(expr.op, holds, bound, range);
    }
  }

  static void AtMost(int64_t bound, SizeRange& range) { range.high = std::min(range.high, bound); }
  static void AtLeast(int64_t bound, SizeRange& range) { range.low = std::max(range.low, bound); }
  static int64_t Below(int64_t bound) { return bound == Limits::min() ? bound : bound - 1; }
  static int64_t Above(int64_t bound) { return bound == Limits::max() ? bound : bound + 1; }

  static void NarrowEqual(bool equal, int64_t bound, SizeRange& range) {
    if (equal) {
      AtMost(bound, range);
      AtLeast(bound, range);
    } else if (range.low == bound) {
      range.low = Above(bound);
    } else if (range.high == bound) {
      range.high = Below(bound);
    }
  }

  // `id op bound`.
  static void NarrowLeft(ScalarOp op, bool holds, int64_t bound, SizeRange& range) {
    if (op == ScalarOp::kLt) return holds ? AtMost(Below(bound), range) : AtLeast(bound, range);
    if (op == ScalarOp::kLe) return holds ? AtMost(bound, range) : AtLeast(Above(bound), range);
    if (op == ScalarOp::kEq || op == ScalarOp::kNe) {
      NarrowEqual(holds == (op == ScalarOp::kEq), bound, range);
    }
  }

  // `bound op id`.
  static void NarrowRight(ScalarOp op, bool holds, int64_t bound, SizeRange& range) {
    if (op == ScalarOp::kLt) return holds ? AtLeast(Above(bound), range) : AtMost(bound, range);
    if (op == ScalarOp::kLe) return holds ? AtLeast(bound, range) : AtMost(Below(bound), range);
    if (op == ScalarOp::kEq || op == ScalarOp::kNe) {
      NarrowEqual(holds == (op == ScalarOp::kEq), bound, range);
    }
  }

  const ScalarProgram& program_;
  const absl::Span<const ScalarId> sizes_;
  const absl::Span<const ScalarId> conditions_;
};

}  // namespace

SizeRange RangeOf(const ScalarProgram& program, absl::Span<const ScalarId> sizes,
                  absl::Span<const ScalarId> conditions, ScalarId id) {
  return Ranges(program, sizes, conditions).Of(id);
}

}  // namespace dynacc::ir
