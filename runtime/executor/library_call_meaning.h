// What a library call computes, in words that a device, or a step of ours, can follow. Whoever
// registers a call may say so; the call stays what it is, and what a device does in its place gives
// the same but for the last digits of sums. Steps of the host's
// (codegen/compile/library_call_meaning_steps.h makes them) give the same bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/scalar/scalar_program.h"

namespace dynacc::executor {

// A scan of the call's one operand along an axis: a cumulative sum or product. The result has the
// operand's dtype and shape.
struct ScanCall {
  bool multiplies = false;
  // Negative ones count from the last; none: over all elements, of an operand of rank 1.
  std::optional<int> axis;
};

// Where the greatest or least elements of the call's one operand are along an axis. The result is
// of int64.
struct ArgExtremeCall {
  bool least = false;
  // As of ScanCall; none: over all elements, whatever the rank.
  std::optional<int> axis;
};

// The mean of the call's one operand along axes, in the operand's dtype; where that is float16,
// made in float32. There is something along them. Axes are kept, with size 1, if the result's rank
// is the operand's.
struct MeanCall {
  std::optional<std::vector<int>> axes;  // as of ScanCall; none: all
};

// Rows of the call's first operand, as the indices of the second one name them: `a[at]`. The result
// is in C order if both operands are.
struct TakeCall {
  bool is_flat = false;  // the first operand must be of rank 1: its elements, whatever its rank
};

// Elements of the call's first operand at places that numbers and arrays of indices name: `a[i]`,
// `a[:, i]`, `a[i, j]`, `a[[0, 2], 1:n]`, np.take along an axis. Negative indices count from the
// end; the call fails if one is beyond its axis.
struct GatherCall {
  // Of a slice: a number that is known, or an operand of rank 0.
  struct Bound {
    int operand = -1;
    int64_t number = 0;
  };
  struct Item {
    enum class Kind : uint8_t {
      kWhole,    // the axis as it is
      kPart,     // of the axis, from `from` to `to` by `step`, as a slice counts
      kNew,      // an axis of one element
      kOperand,  // operand `operand`, of integers of whatever rank: they broadcast
      kNumber,   // `number`; broadcasts with those
      kNumbers,  // `numbers`, as an array
      kRest,     // as many axes as no other item is about
    };
    Kind kind = Kind::kWhole;
    int operand = -1;
    int64_t number = 0;
    std::vector<int64_t> numbers = {};
    std::optional<Bound> from = {}, to = {};  // none: the axis's ends
    int64_t step = 1;
  };
  std::vector<Item> items;  // of the first axes; the others are whole
  bool is_flat = false;     // the first operand must be of rank 1
  // The one index has the first operand's rank, and the result its shape: along the other axes
  // elements stay where they are (np.take_along_axis).
  bool is_along = false;
  // The result is in C order whatever the operands are. If not, it is where they are in C order and
  // the indices come first.
  bool is_c_order = false;
};

// A copy, in C order, of the call's operand `base` in which the elements at such places are others.
struct ScatterCall {
  GatherCall places;  // whose first operand is the base
  int base = 0;
  // An op (runtime/ops/op.h) by which an element becomes op(element, value), one value after the
  // other where a place is named several times; none: it becomes the last value.
  std::optional<int> op = {};
  int value = -1;        // the operand that broadcasts to the elements; -1: `number` for all
  ScalarValue number{};  // of `type`
  ScalarType type = ScalarType::kInt;
};

// One of Python's operators on single ints. What becomes of those that the result's dtype does not
// hold is the call's business.
struct IntOperationCall {
  enum class Operator : uint8_t {
#define DYNACC_INT_OPERATOR(Name, name, operands, result) k##Name,
#include "runtime/executor/int_operators.def"
#undef DYNACC_INT_OPERATOR
  };
  // An operand of the call, of rank 0, or a number that is known.
  struct Argument {
    int operand = -1;
    int64_t number = 0;
  };
  Operator op = Operator::kAdd;
  std::vector<Argument> arguments;  // one or two
};

// Thread-safe. Said once of an id.

// How people read the call: "numpy.sum(%0, axis=1)", where %0 stands for operand 0. Without any
// other
// '%', and with each bracket closed.
void SayCallReads(int64_t library_call_id, const std::string& text);
std::optional<std::string> FindCallText(int64_t library_call_id);

void SayCallIsScan(int64_t library_call_id, const ScanCall& scan);
std::optional<ScanCall> FindScanCall(int64_t library_call_id);
void SayCallIsArgExtreme(int64_t library_call_id, const ArgExtremeCall& extreme);
std::optional<ArgExtremeCall> FindArgExtremeCall(int64_t library_call_id);
void SayCallIsMean(int64_t library_call_id, const MeanCall& mean);
std::optional<MeanCall> FindMeanCall(int64_t library_call_id);
void SayCallIsTake(int64_t library_call_id, const TakeCall& take);
std::optional<TakeCall> FindTakeCall(int64_t library_call_id);
void SayCallIsGather(int64_t library_call_id, const GatherCall& gather);
std::optional<GatherCall> FindGatherCall(int64_t library_call_id);
void SayCallIsScatter(int64_t library_call_id, const ScatterCall& scatter);
std::optional<ScatterCall> FindScatterCall(int64_t library_call_id);
void SayCallIsIntOperation(int64_t library_call_id, const IntOperationCall& operation);
std::optional<IntOperationCall> FindIntOperationCall(int64_t library_call_id);

}  // namespace dynacc::executor
