// The attributes of Gather and Scatter (graph.h): which elements of an array they are about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "codegen/ir/graph.h"
#include "runtime/executor/gather_plan.h"

namespace dynacc::ir {

// What a place is along one axis of the array, or for an axis that it does not have.
struct PlaceItem {
  enum class Kind : uint8_t {
    kWhole,    // the axis as it is
    kPart,     // of the axis, from `from` to `to` by `step`, as Python's slices count
    kNew,      // an axis of one element
    kOperand,  // operand `operand`, of integers of whatever rank: they broadcast
    kNumber,   // `number`; broadcasts with those
    kNumbers,  // `numbers`, at least one, as an array of one axis
  };
  // Of a slice: a number that is known, or an operand of integers, of rank 0.
  struct Bound {
    int operand = -1;
    int64_t number = 0;
  };
  Kind kind = Kind::kWhole;
  int operand = -1;
  int64_t number = 0;
  std::vector<int64_t> numbers = {};
  std::optional<Bound> from = {}, to = {};  // none: the axis's ends
  int64_t step = 1;                         // not 0
};

// Which elements. One item at least is an index: kOperand, kNumber or kNumbers.
struct GatherAttrs {
  std::vector<PlaceItem> items;  // of each axis of the array, and the new ones
  // The one index, an operand, has the array's rank, and so has the result: along the other axes
  // elements stay where they are (np.take_along_axis, PyTorch's gather). Those broadcast. No parts
  // and new axes.
  bool along = false;
  // The call's result is in C order whatever the operands are. If not, it is where they are in C
  // order and the indices come first.
  bool c_order = false;
};

struct ScatterAttrs {
  GatherAttrs places;         // of the operand `base`
  int base = 0;               // an operand
  int value = -1;             // an operand; -1: the constant that attrs.scalars names
  std::optional<Op> op = {};  // elements become op(element, value); none: the value
};

// As attrs.ints.
std::vector<int64_t> EncodeGather(const GatherAttrs& places);
std::vector<int64_t> EncodeScatter(const ScatterAttrs& attrs);

// What they say; nothing if that is malformed: no kind of item, or too few numbers.
std::optional<GatherAttrs> GatherAttrsOf(const Node& gather);
std::optional<ScatterAttrs> ScatterAttrsOf(const Node& scatter);

// As text: "at[%1, 1:%4, new, [0, 2]] along c_order", "into %0 at[%1] add %2", with the operands'
// names; of what is malformed, the numbers.
std::string PlacesText(const Node& gather);
std::string ScatterText(const ScalarProgram& scalars, const Node& scatter);

// The rules: INTERNAL with what the attributes, the operands or the shape break.
absl::Status CheckGather(const Graph& graph, const Node& node);
absl::Status CheckScatter(const Graph& graph, const Node& node);

// The plan of a node that keeps the rules, whose operands are `operands` and whose result is the
// buffer `output`.
executor::GatherPlan PlanGather(const Node& node,
                                const std::vector<executor::OperandPlan>& operands, int output);
executor::ScatterPlan PlanScatter(const Graph& graph, const Node& node,
                                  const std::vector<executor::OperandPlan>& operands, int output);

}  // namespace dynacc::ir
