#include "codegen/loops/vector_stretch.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/loops/loop_op_text.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;

// What vectors have instructions for, besides memory and control flow.
bool IsOfVectors(Code code) {
  switch (code) {
    case Code::kMoveInt:
    case Code::kMoveFloat:
    case Code::kAddInt:
    case Code::kSubInt:
    case Code::kAndInt:
    case Code::kOrInt:
    case Code::kXorInt:
    case Code::kInvertInt:
    case Code::kAbsInt:
    case Code::kNotInt:
    case Code::kTruthInt:
    case Code::kAddFloat:
    case Code::kSubFloat:
    case Code::kMulFloat:
    case Code::kDivFloat:
    case Code::kNegFloat:
    case Code::kAbsFloat:
    case Code::kSqrtFloat:
    case Code::kFloorFloat:
    case Code::kCeilFloat:
    case Code::kRoundFloat:
    case Code::kToFloat:
    case Code::kToFloatExactly:
    case Code::kToSingle:
    case Code::kToDouble:
    case Code::kFitsBits:
    case Code::kFitsUnsigned:
      return true;
    default:
      return code >= Code::kLessInt && code <= Code::kNotEqualFloat;
  }
}

class Finder {
 public:
  Finder(const LoopProgram& program, const LoopFlow& flow, const ProgramLoop& loop,
         const LoopGuard& guard, const LoopRanges::Names& names)
      : program_(program), flow_(flow), loop_(loop), guard_(guard), names_(names) {}

  std::optional<VectorStretch> Find(const Stretch& plain) {
    const auto step = guard_.steps.find(program_.ops[loop_.header].a);
    if (step == guard_.steps.end() || (step->second != 1 && step->second != -1)) {
      return std::nullopt;
    }
    found_.step = static_cast<int>(step->second);
    if (!AddSums()) return std::nullopt;
    found_.stretch.hoisted = plain.hoisted;
    for (const int op : loop_.ops) {
      if (!Add(op)) return std::nullopt;
    }
    const bool has_results = !found_.stored.empty() || !found_.sums.empty();
    if (!has_results || found_.elements.empty()) return std::nullopt;
    Speculate(program_, flow_, loop_, &found_.stretch);
    FindIndependence();
    // LLVM finds no way to store to some of a vector's elements where it has to ask what overlaps.
    const auto is_tested = [](const StoredElements& one) { return one.is_tested; };
    if (!found_.independence && absl::c_any_of(found_.stored, is_tested)) return std::nullopt;
    return std::move(found_);
  }

 private:
  // An int as the first round has it; in the others it is the same, or goes on with the range.
  struct Value {
    std::string first;
    bool moves = false;
    bool is_in_memory = false;  // of an array that lies where its view says, if it is a place
    // Of ints that move: `first` without what is added that is the same in each run, and that.
    std::string root = {};
    int64_t shift = 0;
  };

  struct Access {
    int op;
    int array;
    bool is_store;
    Value place;
  };

  // What a round reads that the one before it has set. Loops whose ops are not in their order may
  // be misjudged; then LLVM makes no vectors of them.
  std::vector<LoopOperand> CarriedOver() const {
    const LoopOp& header = program_.ops[loop_.header];
    std::vector<LoopOperand> set;
    std::vector<LoopOperand> read_first;
    const auto has = [](const std::vector<LoopOperand>& all, const LoopOperand& one) {
      return absl::c_any_of(all, [&](const LoopOperand& other) {
        return other.reg == one.reg && other.is_float == one.is_float;
      });
    };
    for (const int op : loop_.ops) {
      if (op == loop_.header) {
        set.push_back({header.d, false});
        continue;
      }
      for (const LoopOperand& one : flow_.registers(op).read) {
        if (!has(set, one)) read_first.push_back(one);
      }
      for (const LoopOperand& one : flow_.registers(op).set) set.push_back(one);
    }
    std::erase_if(read_first, [&](const LoopOperand& one) { return !has(set, one); });
    return read_first;
  }

  // False: something else than a sum of ints is carried over.
  bool AddSums() {
    for (const LoopOperand& one : CarriedOver()) {
      if (one.is_float) return false;
      for (const int op : loop_.ops) {
        const OpRegisters& registers = flow_.registers(op);
        const auto is_it = [&](const LoopOperand& other) {
          return !other.is_float && other.reg == one.reg;
        };
        const bool is_used =
            absl::c_any_of(registers.read, is_it) || absl::c_any_of(registers.set, is_it);
        if (is_used && !AddSum(op, one.reg)) return false;
      }
    }
    return found_.sums.size() <= kMostIntSums;
  }

  bool AddSum(int op, uint16_t sum) {
    const LoopOp& at = program_.ops[op];
    const bool is_left = at.a == sum;
    if (at.code != Code::kAddInt && (at.code != Code::kSubInt || !is_left)) return false;
    const uint16_t by = is_left ? at.b : at.a;
    if (at.d != sum || by == sum || (!is_left && at.b != sum)) return false;
    found_.sums[op] = {sum, by, !IsSmall(op, by)};
    return true;
  }

  // Whether it is known that the int is at most kMostAddend from 0.
  bool IsSmall(int op, uint16_t reg) const {
    if (const std::optional<int64_t> value = ConstantIn(reg)) {
      return *value <= kMostAddend && *value >= -kMostAddend;
    }
    int setter = op - 1;
    while (setter >= flow_.FirstOfBlock(op) && !Sets(setter, reg)) --setter;
    if (setter < flow_.FirstOfBlock(op)) return false;
    const Code code = program_.ops[setter].code;
    const bool is_element = code >= Code::kLoadBool && code <= Code::kLoadUInt32;
    return (is_element && code != Code::kLoadInt64) || code == Code::kTruthInt ||
           code == Code::kNotInt || (code >= Code::kLessInt && code <= Code::kNotEqualFloat);
  }

  bool Add(int op) {
    const LoopOp& at = program_.ops[op];
    const OpText* const text = TextOf(at.code);
    if (text != nullptr && text->step == nullptr) return AddMemory(op, *text);
    switch (at.code) {
      case Code::kRangeNext:
      case Code::kBackEdge:
      case Code::kDim:
        return true;
      case Code::kJump:
      case Code::kJumpIf:
      case Code::kJumpIfNot:
        return loop_.Contains(at.k);
      case Code::kCall1:
      case Code::kCall2:
        return absl::c_any_of(found_.stretch.hoisted,
                              [op](const Hoisted& one) { return one.op == op; });
      case Code::kIndex:
      case Code::kMulInt:
      case Code::kNegInt:
        return guard_.unchecked.contains(op);
      default:
        return IsOfVectors(at.code);
    }
  }

  bool AddMemory(int op, const OpText& text) {
    element_ = text.element;
    const std::optional<Value> place = At(op, program_.ops[op].a);
    if (!place || (text.is_store && !place->moves)) return false;
    const bool is_tested = !flow_.TestsOf(loop_, op).empty();
    if (text.is_store) found_.stored.push_back({op, place->first, is_tested});
    accesses_.push_back({op, program_.ops[op].k, text.is_store, *place});
    return true;
  }

  // Whether a round does its ops in their order.
  bool IsInOrder() const {
    if (loop_.ops.front() != loop_.header) return false;
    return absl::c_all_of(loop_.ops, [this](int op) {
      const LoopOp& at = program_.ops[op];
      return !JumpsTo(at) || !loop_.Contains(at.k) || at.k > op || at.k == loop_.header;
    });
  }

  void FindIndependence() {
    if (found_.stored.empty() || !IsInOrder()) return;
    Independence independence;
    for (const Access& one : accesses_) {
      if (!one.place.is_in_memory) return;
      SameElement same{.place = one.place.first};
      for (const Access& store : accesses_) {
        if (!store.is_store || store.op == one.op) continue;
        if (IsOfRoundBefore(one, store)) return;
        AddCondition(one, store, &independence, &same.is_checked);
      }
      if (!one.place.moves) independence.same.emplace(one.op, std::move(same));
    }
    found_.independence = std::move(independence);
  }

  // Whether a round accesses in any run what an earlier one has stored.
  bool IsOfRoundBefore(const Access& one, const Access& store) const {
    const Value& place = one.place;
    return one.array == store.array && place.moves && place.root == store.place.root &&
           (place.shift - store.place.shift) * found_.step < 0;
  }

  // That rounds do not depend on each other by the two of them. `*is_checked`: the element that
  // `one` reads must be the same after the rounds.
  void AddCondition(const Access& one, const Access& store, Independence* independence,
                    bool* is_checked) const {
    if (one.array != store.array) {
      independence->apart.insert(std::minmax(one.op, store.op));
      return;
    }
    if (one.place.moves && one.place.first == store.place.first) return;
    // Each byte is stored to once, so none has changed in between.
    if (!one.place.moves && found_.stored.size() == 1) {
      *is_checked = true;
      return;
    }
    const std::string size =
        absl::StrCat("int64_t{sizeof(", TextOf(program_.ops[store.op].code)->element, ")}");
    const bool is_read_first = one.place.moves && !one.is_store && one.op < store.op;
    independence->conditions.push_back(
        absl::StrCat(one.place.moves ? "RoundsAreApart(" : "LiesApart(", found_.step, " * (",
                     one.place.first, " - ", store.place.first, "), ", size, ", stretch",
                     !one.place.moves ? ""
                     : is_read_first  ? ", true"
                                      : ", false",
                     ")"));
  }

  // What the register holds when `op` reads it.
  std::optional<Value> At(int op, uint16_t reg) {
    const LoopOp& header = program_.ops[loop_.header];
    for (int i = op - 1; i >= flow_.FirstOfBlock(op); --i) {
      if (Sets(i, reg)) return SetBy(i);
    }
    const auto is_set_by = [&](int other) { return Sets(other, reg); };
    const auto setters = absl::c_count_if(loop_.ops, is_set_by);
    if (setters == 0) return Value{names_.of_int(reg), false, ConstantIn(reg) == 0};
    if (setters == 1 && header.d == reg) return SetBy(loop_.header);
    return std::nullopt;
  }

  std::optional<int64_t> ConstantIn(uint16_t reg) const {
    for (const auto& [constant, value] : program_.constants) {
      if (constant == reg) return value.i;
    }
    return std::nullopt;
  }

  bool Sets(int op, uint16_t reg) const {
    return absl::c_any_of(flow_.registers(op).set, [reg](const LoopOperand& one) {
      return !one.is_float && one.reg == reg;
    });
  }

  std::optional<Value> SetBy(int op) {
    const LoopOp& at = program_.ops[op];
    switch (at.code) {
      case Code::kRangeNext:
        return Value{names_.of_int(at.a), true, false, names_.of_int(at.a)};
      case Code::kMoveInt:
        return At(op, at.a);
      case Code::kDim:
        return Value{names_.of_extent(at.k), false};
      case Code::kAddInt:
      case Code::kSubInt: {
        const std::optional<Value> left = At(op, at.a);
        const std::optional<Value> right = At(op, at.b);
        const bool is_sum = at.code == Code::kAddInt;
        if (!left || !right || (right->moves && (!is_sum || left->moves))) return std::nullopt;
        Value sum{absl::StrCat("(", left->first, is_sum ? " + " : " - ", right->first, ")"),
                  left->moves || right->moves};
        const Value& moving = right->moves ? *right : *left;
        const std::optional<int64_t> by = ConstantIn(right->moves ? at.a : at.b);
        sum.root = by ? moving.root : sum.first;
        sum.shift = by ? moving.shift + (is_sum ? *by : -*by) : 0;
        return sum;
      }
      case Code::kIndex:
        return PlaceBy(op);
      default:
        return std::nullopt;
    }
  }

  std::optional<Value> PlaceBy(int op) {
    const LoopOp& at = program_.ops[op];
    const auto how = guard_.unchecked.find(op);
    const std::optional<Value> base = At(op, at.a);
    std::optional<Value> index = At(op, at.b);
    if (how == guard_.unchecked.end() || !base || !index || base->moves) return std::nullopt;
    const std::string extent = names_.of_extent(at.k);  // its stride is read, too
    if (!index->moves) {
      if (how->second == Unchecked::kOneIndex) {
        index->first = absl::StrCat("(", index->first, " < 0 ? ", index->first, " + ", extent,
                                    " : ", index->first, ")");
      }
      return Value{absl::StrCat("(", base->first, " + ", index->first, " * s", at.k, ")"), false,
                   base->is_in_memory};
    }
    if (!IsLastAxis(at.k)) return std::nullopt;
    found_.elements[at.k] = element_;
    return Value{
        absl::StrCat("(", base->first, " + ", index->first, " * int64_t{sizeof(", element_, ")})"),
        true, base->is_in_memory, absl::StrCat(base->first, "[", index->root, "]"), index->shift};
  }

  // Of those that the program has indices for: elements lie side by side along it, mostly.
  bool IsLastAxis(int32_t packed) const {
    return absl::c_none_of(program_.ops, [packed](const LoopOp& op) {
      return op.code == Code::kIndex && ArrayOf(op.k) == ArrayOf(packed) &&
             AxisOf(op.k) > AxisOf(packed);
    });
  }

  const LoopProgram& program_;
  const LoopFlow& flow_;
  const ProgramLoop& loop_;
  const LoopGuard& guard_;
  const LoopRanges::Names& names_;
  VectorStretch found_;
  std::vector<Access> accesses_;
  const char* element_ = nullptr;  // of the load or store whose place is looked for
};

}  // namespace

std::optional<VectorStretch> VectorStretchOf(const LoopProgram& program, const LoopFlow& flow,
                                             const ProgramLoop& loop, const Stretch& stretch,
                                             const LoopGuard& guard,
                                             const LoopRanges::Names& names) {
  return Finder(program, flow, loop, guard, names).Find(stretch);
}

}  // namespace dynacc::loops
