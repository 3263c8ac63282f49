#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "codegen/ir/attr_form.h"
#include "codegen/ir/control_flow.h"
#include "codegen/ir/gather_attrs.h"
#include "codegen/ir/graph_text.h"
#include "codegen/ir/int_operator_attrs.h"
#include "codegen/ir/matmul_attrs.h"
#include "codegen/ir/node_rules.h"
#include "codegen/ir/text_cursor.h"
#include "runtime/base/status_macros.h"
#include "runtime/scalar/scalar_text.h"

namespace dynacc::ir {
namespace {

constexpr int kMaxNesting = 200;   // of scalar expressions: the parser recurses
constexpr int kMaxSubgraphs = 50;  // in each other; likewise
constexpr int64_t kMaxOrder = std::numeric_limits<int>::max();

// The attributes of one node, owned.
struct ParsedAttrs {
  std::vector<int64_t> ints;
  std::vector<ScalarId> scalars;
  bool keepdims = false;
  int order = 0;
  int64_t call = kNoCall;
  std::vector<std::shared_ptr<const Graph>> graphs;
  std::vector<const Graph*> subgraphs;  // `graphs`

  NodeAttrs View() const {
    return {.ints = ints,
            .scalars = scalars,
            .keepdims = keepdims,
            .order = order,
            .call = call,
            .subgraphs = subgraphs};
  }
};

class Parser {
 public:
  absl::StatusOr<std::unique_ptr<Graph>> Parse(absl::string_view text);

 private:
  absl::Status ParseLine(absl::string_view line, int number);
  absl::Status ParseLoop(TextCursor& cursor, ParsedAttrs& attrs);
  absl::Status ParseSubgraphs(TextCursor& cursor, ParsedAttrs& attrs);
  absl::StatusOr<std::shared_ptr<const Graph>> TakeSubgraph(const TextCursor& cursor);
  absl::Status ParseScalars(TextCursor& cursor);
  absl::StatusOr<ScalarId> ParseScalar(TextCursor& cursor, int nesting = 0);
  absl::StatusOr<ScalarId> ParseInfix(TextCursor& cursor, int nesting);
  absl::StatusOr<ScalarId> ParseCall(TextCursor& cursor, ScalarOp op, int nesting);
  absl::StatusOr<ScalarId> Apply(const TextCursor& cursor, ScalarOp op, ScalarId a, ScalarId b);
  absl::StatusOr<ScalarId> ParseInput(TextCursor& cursor);

  absl::StatusOr<ScalarId> ParseDefinition(TextCursor& cursor);
  absl::Status ParseConditions(TextCursor& cursor);
  absl::Status ParseNode(TextCursor& cursor);
  absl::Status ParseCall(TextCursor& cursor, absl::string_view call, const std::string& name,
                         DType dtype, const std::vector<ScalarId>& shape);
  absl::StatusOr<const Node*> ParseOperand(TextCursor& cursor);
  absl::StatusOr<std::vector<const Node*>> ParseOperands(TextCursor& cursor);
  absl::Status ParseAttrs(TextCursor& cursor, Op op, absl::Span<const Node* const> operands,
                          ParsedAttrs& attrs);
  absl::Status ParseView(TextCursor& cursor, int operand_rank, ParsedAttrs& attrs);
  absl::Status ParseLibraryCall(TextCursor& cursor, ParsedAttrs& attrs);
  absl::StatusOr<int> ParseOperandIndex(TextCursor& cursor, absl::Span<const Node* const> operands);
  absl::StatusOr<std::optional<PlaceItem::Bound>> ParseBound(
      TextCursor& cursor, absl::Span<const Node* const> operands);
  absl::StatusOr<PlaceItem> ParseItem(TextCursor& cursor, absl::Span<const Node* const> operands);
  absl::StatusOr<GatherAttrs> ParsePlaces(TextCursor& cursor,
                                          absl::Span<const Node* const> operands);
  absl::Status ParseGather(TextCursor& cursor, absl::Span<const Node* const> operands,
                           ParsedAttrs& attrs);
  absl::Status ParseScatter(TextCursor& cursor, absl::Span<const Node* const> operands,
                            ParsedAttrs& attrs);
  absl::Status ParseIntOperator(TextCursor& cursor, absl::Span<const Node* const> operands,
                                ParsedAttrs& attrs);
  absl::Status ParseScalarList(TextCursor& cursor, std::vector<ScalarId>& list);
  absl::Status ParseIntList(TextCursor& cursor, std::vector<int64_t>& list);
  absl::Status ParseReturn(TextCursor& cursor);
  absl::Status SetLocation(absl::string_view comment);

  std::unique_ptr<Graph> graph_ = std::make_unique<Graph>();
  absl::flat_hash_map<std::string, ScalarId> scalars_;
  absl::flat_hash_map<std::string, const Node*> nodes_;
  std::vector<absl::string_view> lines_;
  size_t next_line_ = 0;
  int nesting_ = 0;  // in other graphs
  bool opened_ = false;
  bool returned_ = false;
  bool closed_ = false;
};

absl::StatusOr<std::unique_ptr<Graph>> Parser::Parse(absl::string_view text) {
  lines_ = absl::StrSplit(text, '\n');
  while (next_line_ < lines_.size()) {
    const absl::string_view line = lines_[next_line_++];
    DYNACC_RETURN_IF_ERROR(ParseLine(line, static_cast<int>(next_line_)));
  }
  if (!closed_) return absl::InvalidArgumentError("the text ends before '}'");
  return std::move(graph_);
}

absl::Status Parser::ParseLine(absl::string_view line, int number) {
  const size_t hash = line.find('#');
  const absl::string_view comment =
      hash == absl::string_view::npos ? absl::string_view() : line.substr(hash + 1);
  TextCursor cursor(line.substr(0, hash), number);
  if (cursor.AtEnd()) return absl::OkStatus();
  if (closed_) return cursor.Error("text after '}'");
  if (!opened_) {
    DYNACC_RETURN_IF_ERROR(cursor.Expect("graph"));
    DYNACC_RETURN_IF_ERROR(cursor.Expect("{"));
    opened_ = true;
  } else if (cursor.Consume("}")) {
    if (!returned_) return cursor.Error("'}' before return");
    closed_ = true;
  } else if (returned_) {
    return cursor.Error("expected '}' after return");
  } else if (cursor.Consume("scalars")) {
    DYNACC_RETURN_IF_ERROR(ParseScalars(cursor));
  } else if (cursor.Consume("requires")) {
    DYNACC_RETURN_IF_ERROR(ParseConditions(cursor));
  } else if (cursor.Consume("return")) {
    DYNACC_RETURN_IF_ERROR(ParseReturn(cursor));
  } else {
    DYNACC_RETURN_IF_ERROR(SetLocation(comment));
    DYNACC_RETURN_IF_ERROR(ParseNode(cursor));
  }
  if (cursor.AtEnd()) return absl::OkStatus();
  return cursor.Error(absl::StrCat("unexpected '", cursor.token(), "'"));
}

// " prog.py:12" sets that location; anything else is a remark.
absl::Status Parser::SetLocation(absl::string_view comment) {
  const size_t colon = comment.rfind(':');
  int line = 0;
  if (colon == absl::string_view::npos || !absl::SimpleAtoi(comment.substr(colon + 1), &line)) {
    graph_->SetLocation("", 0);
  } else {
    graph_->SetLocation(absl::StripAsciiWhitespace(comment.substr(0, colon)), line);
  }
  return absl::OkStatus();
}

absl::Status Parser::ParseScalars(TextCursor& cursor) {
  DYNACC_RETURN_IF_ERROR(cursor.Expect(":"));
  do {
    const std::string name(cursor.token());
    if (name.empty() || name[0] != 's') return cursor.Error("expected the name of a scalar");
    if (scalars_.contains(name)) return cursor.Error(absl::StrCat("'", name, "' is defined twice"));
    cursor.Advance();
    DYNACC_RETURN_IF_ERROR(cursor.Expect("="));
    DYNACC_ASSIGN_OR_RETURN(const ScalarId id, ParseDefinition(cursor));
    scalars_[name] = id;
  } while (cursor.Consume(","));
  return absl::OkStatus();
}

absl::StatusOr<ScalarId> Parser::ParseDefinition(TextCursor& cursor) {
  if (cursor.Consume("input")) return ParseInput(cursor);
  if (cursor.Consume("late")) return graph_->scalars().AddDataDependent();
  return ParseScalar(cursor);
}

// requires := "requires" scalar {"," scalar}
absl::Status Parser::ParseConditions(TextCursor& cursor) {
  do {
    DYNACC_ASSIGN_OR_RETURN(const ScalarId id, ParseScalar(cursor));
    graph_->AddCondition(id);
  } while (cursor.Consume(","));
  return absl::OkStatus();
}

absl::StatusOr<ScalarId> Parser::ParseInput(TextCursor& cursor) {
  for (const ScalarType type : {ScalarType::kInt, ScalarType::kFloat, ScalarType::kBool}) {
    if (cursor.Consume(ScalarTypeName(type))) return graph_->scalars().AddInput(type);
  }
  return cursor.Error(absl::StrCat("unknown scalar type '", cursor.token(), "'"));
}

// scalar := literal | name | "(" scalar operator scalar ")" | op "(" scalar ["," scalar] ")"
absl::StatusOr<ScalarId> Parser::ParseScalar(TextCursor& cursor, int nesting) {
  if (nesting > kMaxNesting) return cursor.Error("a scalar expression is nested too deeply");
  if (cursor.Consume("(")) return ParseInfix(cursor, nesting);
  const absl::string_view token = cursor.token();
  if (const auto named = scalars_.find(std::string(token)); named != scalars_.end()) {
    cursor.Advance();
    return named->second;
  }
  if (const auto literal = ParseScalarLiteral(token)) {
    cursor.Advance();
    ScalarProgram& program = graph_->scalars();
    if (literal->type == ScalarType::kFloat) return program.Float(literal->value.f);
    return literal->type == ScalarType::kInt ? program.Int(literal->value.i)
                                             : program.Bool(literal->value.i != 0);
  }
  if (const auto op = ParseScalarOp(token); op && !IsScalarOperator(*op)) {
    cursor.Advance();
    return ParseCall(cursor, *op, nesting);
  }
  return cursor.Error(absl::StrCat("unknown scalar '", token, "'"));
}

absl::StatusOr<ScalarId> Parser::ParseInfix(TextCursor& cursor, int nesting) {
  DYNACC_ASSIGN_OR_RETURN(const ScalarId a, ParseScalar(cursor, nesting + 1));
  const std::optional<ScalarOp> op = ParseScalarOp(cursor.token());
  if (!op || !IsScalarOperator(*op)) {
    return cursor.Error(absl::StrCat("expected an operator before '", cursor.token(), "'"));
  }
  cursor.Advance();
  DYNACC_ASSIGN_OR_RETURN(const ScalarId b, ParseScalar(cursor, nesting + 1));
  DYNACC_RETURN_IF_ERROR(cursor.Expect(")"));
  return Apply(cursor, *op, a, b);
}

absl::StatusOr<ScalarId> Parser::ParseCall(TextCursor& cursor, ScalarOp op, int nesting) {
  DYNACC_RETURN_IF_ERROR(cursor.Expect("("));
  DYNACC_ASSIGN_OR_RETURN(const ScalarId a, ParseScalar(cursor, nesting + 1));
  ScalarId b = kNoScalar;
  if (cursor.Consume(",")) {
    DYNACC_ASSIGN_OR_RETURN(b, ParseScalar(cursor, nesting + 1));
  }
  DYNACC_RETURN_IF_ERROR(cursor.Expect(")"));
  return Apply(cursor, op, a, b);
}

absl::StatusOr<ScalarId> Parser::Apply(const TextCursor& cursor, ScalarOp op, ScalarId a,
                                       ScalarId b) {
  if (graph_->scalars().Accepts(op, a, b)) return graph_->scalars().Apply(op, a, b);
  return cursor.Error(absl::StrCat("'", Info(op).text, "' does not take these operands"));
}

absl::Status Parser::ParseNode(TextCursor& cursor) {
  const std::string name(cursor.token());
  if (name.empty() || name[0] != '%') {
    return cursor.Error(absl::StrCat("expected a node before '", name, "'"));
  }
  if (nodes_.contains(name)) return cursor.Error(absl::StrCat("'", name, "' is defined twice"));
  cursor.Advance();
  DYNACC_RETURN_IF_ERROR(cursor.Expect(":"));
  const std::optional<DType> dtype = ParseDType(cursor.token());
  if (!dtype) return cursor.Error(absl::StrCat("unknown dtype '", cursor.token(), "'"));
  cursor.Advance();
  std::vector<ScalarId> shape;
  DYNACC_RETURN_IF_ERROR(ParseScalarList(cursor, shape));
  DYNACC_RETURN_IF_ERROR(cursor.Expect("="));
  std::optional<Op> op = ParseOp(cursor.token());
  if (!op) {
    const absl::string_view call = cursor.ConsumeCall();
    if (!call.empty()) return ParseCall(cursor, call, name, *dtype, shape);
    return cursor.Error(absl::StrCat("unknown op '", cursor.token(), "'"));
  }
  cursor.Advance();

  ParsedAttrs attrs;
  if (*op == Op::kLibraryCall) DYNACC_RETURN_IF_ERROR(ParseLibraryCall(cursor, attrs));
  DYNACC_ASSIGN_OR_RETURN(const std::vector<const Node*> operands, ParseOperands(cursor));
  const int arity = ArityOf(*op);
  if (arity >= 0 && arity != static_cast<int>(operands.size())) {
    return cursor.Error(
        absl::StrCat("'", Info(*op).text, "' takes ", arity, " operands, not ", operands.size()));
  }
  if (arity < 0 && Info(*op).category == OpCategory::kStructural && operands.empty()) {
    return cursor.Error(absl::StrCat("'", Info(*op).text, "' takes operands"));
  }
  if (*op != Op::kLibraryCall) DYNACC_RETURN_IF_ERROR(ParseAttrs(cursor, *op, operands, attrs));
  if (*op == Op::kInput && attrs.ints[0] != static_cast<int64_t>(graph_->inputs().size())) {
    return cursor.Error(absl::StrCat("input ", attrs.ints[0], " is out of order"));
  }
  if (*op != Op::kLibraryCall && cursor.Consume("call")) {
    DYNACC_ASSIGN_OR_RETURN(attrs.call, cursor.ExpectInt());
  }
  nodes_[name] = graph_->Make(*op, *dtype, shape, operands, attrs.View());
  return absl::OkStatus();
}

// "3 defines s2".
absl::Status Parser::ParseLibraryCall(TextCursor& cursor, ParsedAttrs& attrs) {
  DYNACC_ASSIGN_OR_RETURN(attrs.call, cursor.ExpectInt());
  return ParseAttrs(cursor, Op::kLibraryCall, {}, attrs);
}

// What follows "numpy.sum(%0, axis=1)".
absl::Status Parser::ParseCall(TextCursor& cursor, absl::string_view call, const std::string& name,
                               DType dtype, const std::vector<ScalarId>& shape) {
  DYNACC_RETURN_IF_ERROR(cursor.Expect("call"));
  ParsedAttrs attrs;
  DYNACC_RETURN_IF_ERROR(ParseLibraryCall(cursor, attrs));
  std::vector<const Node*> operands;
  if (cursor.Consume("of")) {
    DYNACC_ASSIGN_OR_RETURN(operands, ParseOperands(cursor));
  } else {
    for (size_t at = call.find('%'); at != call.npos; at = call.find('%', at + 1)) {
      const size_t end = call.find_first_not_of("0123456789", at + 1);
      const auto found = nodes_.find(std::string(call.substr(at, end - at)));
      if (found == nodes_.end()) return cursor.Error(absl::StrCat("unknown node in '", call, "'"));
      operands.push_back(found->second);
    }
  }
  nodes_[name] = graph_->Make(Op::kLibraryCall, dtype, shape, operands, attrs.View());
  return absl::OkStatus();
}

absl::StatusOr<const Node*> Parser::ParseOperand(TextCursor& cursor) {
  const auto found = nodes_.find(std::string(cursor.token()));
  if (found == nodes_.end()) {
    return cursor.Error(absl::StrCat("unknown node '", cursor.token(), "'"));
  }
  cursor.Advance();
  return found->second;
}

absl::StatusOr<std::vector<const Node*>> Parser::ParseOperands(TextCursor& cursor) {
  std::vector<const Node*> operands;
  if (!absl::StartsWith(cursor.token(), "%")) return operands;
  do {
    DYNACC_ASSIGN_OR_RETURN(const Node* operand, ParseOperand(cursor));
    operands.push_back(operand);
  } while (cursor.Consume(","));
  return operands;
}

absl::Status Parser::ParseAttrs(TextCursor& cursor, Op op, absl::Span<const Node* const> operands,
                                ParsedAttrs& attrs) {
  const AttrForm form = AttrFormOf(op);
  if (form == AttrForm::kIndex) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t index, cursor.ExpectInt());
    attrs.ints.push_back(index);
  } else if (form == AttrForm::kDefines) {
    if (!cursor.Consume("defines")) return absl::OkStatus();
    DYNACC_ASSIGN_OR_RETURN(const ScalarId defined, ParseScalar(cursor));
    attrs.scalars.push_back(defined);
  } else if (form == AttrForm::kAxis) {
    DYNACC_RETURN_IF_ERROR(cursor.Expect("axis"));
    DYNACC_RETURN_IF_ERROR(ParseIntList(cursor, attrs.ints));
    if (attrs.ints.size() != 1) return cursor.Error("one axis is expected");
  } else if (form == AttrForm::kPlaces) {
    return op == Op::kGather ? ParseGather(cursor, operands, attrs)
                             : ParseScatter(cursor, operands, attrs);
  } else if (form == AttrForm::kBranches) {
    return ParseSubgraphs(cursor, attrs);
  } else if (form == AttrForm::kLoop) {
    return ParseLoop(cursor, attrs);
  } else if (form == AttrForm::kOperator) {
    return ParseIntOperator(cursor, operands, attrs);
  } else if (form == AttrForm::kNumber) {
    DYNACC_ASSIGN_OR_RETURN(const ScalarId id, ParseScalar(cursor));
    attrs.scalars.push_back(id);
    if (cursor.Consume("imag")) {
      DYNACC_ASSIGN_OR_RETURN(const ScalarId imag, ParseScalar(cursor));
      attrs.scalars.push_back(imag);
    }
  } else if (form == AttrForm::kView) {
    DYNACC_RETURN_IF_ERROR(ParseView(cursor, operands[0]->rank(), attrs));
  } else if (form == AttrForm::kShifts) {
    DYNACC_RETURN_IF_ERROR(cursor.Expect("shift"));
    DYNACC_RETURN_IF_ERROR(ParseScalarList(cursor, attrs.scalars));
  } else if (form == AttrForm::kAxes) {
    DYNACC_RETURN_IF_ERROR(cursor.Expect("axes"));
    DYNACC_RETURN_IF_ERROR(ParseIntList(cursor, attrs.ints));
    attrs.keepdims = cursor.Consume("keepdims");
    if (cursor.Consume("order")) {
      DYNACC_ASSIGN_OR_RETURN(const int64_t order, cursor.ExpectInt());
      if (order < 0 || order > kMaxOrder) return cursor.Error("no such memory order");
      attrs.order = static_cast<int>(order);
    }
  } else if (form == AttrForm::kApart) {
    int64_t bits = 0;
    if (cursor.Consume("apart")) bits |= kMatmulApart;
    if (cursor.Consume("any_order")) bits |= kMatmulAnyOrder;
    if (cursor.Consume("low_precision")) bits |= kMatmulLowPrecision;
    if (cursor.Consume("windows")) bits |= kMatmulWindows;
    if (bits != 0) attrs.ints.push_back(bits);
  }
  return absl::OkStatus();
}

absl::Status Parser::ParseView(TextCursor& cursor, int operand_rank, ParsedAttrs& attrs) {
  DYNACC_RETURN_IF_ERROR(cursor.Expect("axis"));
  DYNACC_RETURN_IF_ERROR(ParseIntList(cursor, attrs.ints));
  DYNACC_RETURN_IF_ERROR(cursor.Expect("start"));
  DYNACC_RETURN_IF_ERROR(ParseScalarList(cursor, attrs.scalars));
  if (static_cast<int>(attrs.scalars.size()) != operand_rank) {
    return cursor.Error("view: start needs one scalar for each operand axis");
  }
  DYNACC_RETURN_IF_ERROR(cursor.Expect("step"));
  return ParseScalarList(cursor, attrs.scalars);
}

// Which of the operands is named next; the first of them if one is several.
absl::StatusOr<int> Parser::ParseOperandIndex(TextCursor& cursor,
                                              absl::Span<const Node* const> operands) {
  DYNACC_ASSIGN_OR_RETURN(const Node* const node, ParseOperand(cursor));
  const auto place = absl::c_find(operands, node);
  if (place == operands.end()) return cursor.Error("no operand of the node");
  return static_cast<int>(place - operands.begin());
}

// bound := [int | operand], before a ':', or behind one.
absl::StatusOr<std::optional<PlaceItem::Bound>> Parser::ParseBound(
    TextCursor& cursor, absl::Span<const Node* const> operands) {
  std::optional<PlaceItem::Bound> bound;
  if (cursor.token() == ":") return bound;
  bound.emplace();
  if (absl::StartsWith(cursor.token(), "%")) {
    DYNACC_ASSIGN_OR_RETURN(bound->operand, ParseOperandIndex(cursor, operands));
  } else {
    DYNACC_ASSIGN_OR_RETURN(bound->number, cursor.ExpectInt());
  }
  return bound;
}

// item := ":" | "new" | int | operand | "[" int {"," int} "]" | bound ":" bound ":" int
absl::StatusOr<PlaceItem> Parser::ParseItem(TextCursor& cursor,
                                            absl::Span<const Node* const> operands) {
  PlaceItem item;
  if (cursor.Consume("new")) {
    item.kind = PlaceItem::Kind::kNew;
    return item;
  }
  if (cursor.token() == "[") {
    item.kind = PlaceItem::Kind::kNumbers;
    DYNACC_RETURN_IF_ERROR(ParseIntList(cursor, item.numbers));
    return item;
  }
  DYNACC_ASSIGN_OR_RETURN(item.from, ParseBound(cursor, operands));
  if (!cursor.Consume(":")) {
    item.kind = item.from->operand < 0 ? PlaceItem::Kind::kNumber : PlaceItem::Kind::kOperand;
    item.operand = item.from->operand;
    item.number = item.from->number;
    item.from.reset();
    return item;
  }
  const bool is_whole = !item.from && (cursor.token() == "," || cursor.token() == "]");
  if (is_whole) return item;
  item.kind = PlaceItem::Kind::kPart;
  DYNACC_ASSIGN_OR_RETURN(item.to, ParseBound(cursor, operands));
  DYNACC_RETURN_IF_ERROR(cursor.Expect(":"));
  DYNACC_ASSIGN_OR_RETURN(item.step, cursor.ExpectInt());
  return item;
}

// places := "at" "[" item {"," item} "]" ["along"] ["c_order"]
absl::StatusOr<GatherAttrs> Parser::ParsePlaces(TextCursor& cursor,
                                                absl::Span<const Node* const> operands) {
  GatherAttrs places;
  DYNACC_RETURN_IF_ERROR(cursor.Expect("at"));
  DYNACC_RETURN_IF_ERROR(cursor.Expect("["));
  do {
    DYNACC_ASSIGN_OR_RETURN(PlaceItem item, ParseItem(cursor, operands));
    places.items.push_back(std::move(item));
  } while (cursor.Consume(","));
  DYNACC_RETURN_IF_ERROR(cursor.Expect("]"));
  places.along = cursor.Consume("along");
  places.c_order = cursor.Consume("c_order");
  return places;
}

absl::Status Parser::ParseGather(TextCursor& cursor, absl::Span<const Node* const> operands,
                                 ParsedAttrs& attrs) {
  DYNACC_ASSIGN_OR_RETURN(const GatherAttrs places, ParsePlaces(cursor, operands));
  attrs.ints = EncodeGather(places);
  return absl::OkStatus();
}

// "into" operand places ("set" | op) (operand | scalar)
absl::Status Parser::ParseScatter(TextCursor& cursor, absl::Span<const Node* const> operands,
                                  ParsedAttrs& attrs) {
  ScatterAttrs scatter;
  DYNACC_RETURN_IF_ERROR(cursor.Expect("into"));
  DYNACC_ASSIGN_OR_RETURN(scatter.base, ParseOperandIndex(cursor, operands));
  DYNACC_ASSIGN_OR_RETURN(scatter.places, ParsePlaces(cursor, operands));
  if (!cursor.Consume("set")) {
    scatter.op = ParseOp(cursor.token());
    if (!scatter.op) return cursor.Error(absl::StrCat("unknown op '", cursor.token(), "'"));
    cursor.Advance();
  }
  if (absl::StartsWith(cursor.token(), "%")) {
    DYNACC_ASSIGN_OR_RETURN(scatter.value, ParseOperandIndex(cursor, operands));
  } else {
    DYNACC_ASSIGN_OR_RETURN(const ScalarId number, ParseScalar(cursor));
    attrs.scalars.push_back(number);
  }
  attrs.ints = EncodeScatter(scatter);
  return absl::OkStatus();
}

// "constants" int "carries" int "slices" int ["length" "[" scalar "]"] ["counted"] ["reverse"], and
// the subgraphs.
absl::Status Parser::ParseLoop(TextCursor& cursor, ParsedAttrs& attrs) {
  LoopAttrs loop;
  struct Part {
    const char* name;
    int64_t* number;
  };
  for (const Part& part : {Part{"constants", &loop.constants}, Part{"carries", &loop.carries},
                           Part{"slices", &loop.slices}}) {
    DYNACC_RETURN_IF_ERROR(cursor.Expect(part.name));
    DYNACC_ASSIGN_OR_RETURN(*part.number, cursor.ExpectInt());
  }
  if (cursor.Consume("length")) {
    DYNACC_RETURN_IF_ERROR(ParseScalarList(cursor, attrs.scalars));
    if (attrs.scalars.size() != 1) return cursor.Error("one length is expected");
    loop.length = attrs.scalars[0];
  }
  loop.counted = cursor.Consume("counted");
  loop.reverse = cursor.Consume("reverse");
  attrs.ints = EncodeLoop(loop);
  NodeAttrs read;
  read.ints = attrs.ints;
  read.scalars = attrs.scalars;
  if (!LoopAttrsOf(read)) return cursor.Error("a loop has no such numbers of operands");
  return ParseSubgraphs(cursor, attrs);
}

// ["numbers" scalars] "graphs" int, and then lines of as many graphs.
absl::Status Parser::ParseSubgraphs(TextCursor& cursor, ParsedAttrs& attrs) {
  if (cursor.Consume("numbers")) DYNACC_RETURN_IF_ERROR(ParseScalarList(cursor, attrs.scalars));
  DYNACC_RETURN_IF_ERROR(cursor.Expect("graphs"));
  DYNACC_ASSIGN_OR_RETURN(const int64_t count, cursor.ExpectInt());
  for (int64_t i = 0; i < count; ++i) {
    DYNACC_ASSIGN_OR_RETURN(std::shared_ptr<const Graph> graph, TakeSubgraph(cursor));
    attrs.subgraphs.push_back(graph.get());
    attrs.graphs.push_back(std::move(graph));
  }
  return absl::OkStatus();
}

// The graph whose text begins on the next line.
absl::StatusOr<std::shared_ptr<const Graph>> Parser::TakeSubgraph(const TextCursor& cursor) {
  if (nesting_ == kMaxSubgraphs) return cursor.Error("graphs are nested too deeply");
  const size_t first = next_line_;
  int open = 0;
  for (; next_line_ < lines_.size(); ++next_line_) {
    const absl::string_view line = absl::StripAsciiWhitespace(lines_[next_line_]);
    if (absl::StartsWith(line, "graph")) ++open;
    if (line == "}") --open;
    if (open <= 0) break;
  }
  if (open != 0 || next_line_ == lines_.size()) return cursor.Error("a graph is expected below");
  const std::string text = absl::StrJoin(lines_.begin() + static_cast<int64_t>(first),
                                         lines_.begin() + static_cast<int64_t>(++next_line_), "\n");
  Parser parser;
  parser.nesting_ = nesting_ + 1;
  absl::StatusOr<std::unique_ptr<Graph>> graph = parser.Parse(text);
  if (!graph.ok()) {
    return cursor.Error(absl::StrCat("in a graph below: ", graph.status().message()));
  }
  return *std::move(graph);
}

// name "[" (operand | int) {"," (operand | int)} "]" ["wraps"]
absl::Status Parser::ParseIntOperator(TextCursor& cursor, absl::Span<const Node* const> operands,
                                      ParsedAttrs& attrs) {
  int op = 0;
  while (op < executor::NumIntOperators() &&
         cursor.token() != executor::Info(static_cast<executor::IntOperation::Operator>(op)).name) {
    ++op;
  }
  if (op == executor::NumIntOperators()) {
    return cursor.Error(absl::StrCat("unknown operator '", cursor.token(), "'"));
  }
  cursor.Advance();
  executor::IntOperation operation = {static_cast<executor::IntOperation::Operator>(op), {}};
  DYNACC_RETURN_IF_ERROR(cursor.Expect("["));
  do {
    DYNACC_ASSIGN_OR_RETURN(const std::optional<PlaceItem::Bound> argument,
                            ParseBound(cursor, operands));
    if (!argument) return cursor.Error("an argument is expected");
    operation.arguments.push_back({argument->operand, argument->number});
  } while (cursor.Consume(","));
  DYNACC_RETURN_IF_ERROR(cursor.Expect("]"));
  operation.wraps = cursor.Consume("wraps");
  attrs.ints = EncodeIntOperation(operation);
  return absl::OkStatus();
}

absl::Status Parser::ParseScalarList(TextCursor& cursor, std::vector<ScalarId>& list) {
  DYNACC_RETURN_IF_ERROR(cursor.Expect("["));
  if (cursor.Consume("]")) return absl::OkStatus();
  do {
    DYNACC_ASSIGN_OR_RETURN(const ScalarId id, ParseScalar(cursor));
    list.push_back(id);
  } while (cursor.Consume(","));
  return cursor.Expect("]");
}

absl::Status Parser::ParseIntList(TextCursor& cursor, std::vector<int64_t>& list) {
  DYNACC_RETURN_IF_ERROR(cursor.Expect("["));
  if (cursor.Consume("]")) return absl::OkStatus();
  do {
    DYNACC_ASSIGN_OR_RETURN(const int64_t value, cursor.ExpectInt());
    list.push_back(value);
  } while (cursor.Consume(","));
  return cursor.Expect("]");
}

absl::Status Parser::ParseReturn(TextCursor& cursor) {
  returned_ = true;
  if (!absl::StartsWith(cursor.token(), "%")) return absl::OkStatus();
  do {
    DYNACC_ASSIGN_OR_RETURN(const Node* output, ParseOperand(cursor));
    const Node* target = nullptr;
    if (cursor.Consume("->")) {
      DYNACC_ASSIGN_OR_RETURN(target, ParseOperand(cursor));
      if (target->op != Op::kInput || target->dtype != output->dtype ||
          target->shape != output->shape) {
        return cursor.Error("the target of an output is an input of its type");
      }
    }
    graph_->AddOutput(output, target);
  } while (cursor.Consume(","));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Graph>> ParseGraph(absl::string_view text) {
  return Parser().Parse(text);
}

}  // namespace dynacc::ir
