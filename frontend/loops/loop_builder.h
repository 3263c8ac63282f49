// LoopBuilder: translates a loop of bytecode over single elements into a LoopProgram.
//
// From the loop's header it follows all ways that control may take, instruction by instruction,
// with a LoopState of typed values. A block is translated anew for each state that control reaches
// it with, so a variable that is an int in the first round and a float later costs one more copy of
// the block and no test. Where control leaves the loop, and where an op may have to leave things to
// Python, there is an exit with the state that the frame has to be given.
//
// Whatever it does not know makes it refuse the loop as a whole, with the reason in refusal();
// loops inside it may still be such. Which instructions and calls it knows: loop_opcodes.def,
// loop_calls.def.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "frontend/bytecode/decoded_code.h"
#include "frontend/frame/loop_map.h"
#include "frontend/loops/loop_code.h"
#include "frontend/loops/loop_instances.h"
#include "frontend/loops/loop_sources.h"
#include "frontend/loops/loop_value.h"
#include "frontend/loops/loop_variables.h"
#include "frontend/loops/type_joins.h"
#include "runtime/loops/loop_program.h"
#include "runtime/ops/op.h"

namespace dynacc::loops {

// An item of a dict (a module's, a function's globals) that the program takes for granted; a null
// value: there is none. A variable that a function has from where it was made is one of its cell.
// The dict or cell lives as long as its owner, that module or function.
struct KnownItem {
  BorrowedRef owner;
  BorrowedRef dict;
  BorrowedRef name;
  BorrowedRef value;
};

// A function that the program has in it, with its code and its defaults at that time.
struct KnownFunction {
  BorrowedRef function;
  BorrowedRef code;
  BorrowedRef defaults;
  BorrowedRef keyword_defaults;
  bool is_kept;  // or else found again in its class before each run

  bool Holds() const {
    const auto* now = reinterpret_cast<PyFunctionObject*>(function);
    return now->func_code == code && now->func_defaults == defaults &&
           now->func_kwdefaults == keyword_defaults;
  }
};

// A global of such a function, the owner, read from its dict before the program runs.
struct LoopGlobal {
  BorrowedRef owner;
  BorrowedRef dict;
  BorrowedRef name;
  LoopValue value;
};

struct TranslatedLoop {
  LoopProgram program;
  std::vector<LoopExit> exits;
  std::vector<bool> stored;  // variables that the program may change
  std::vector<LoopArray> arrays;
  std::vector<KnownItem> known_items;
  std::vector<KnownFunction> functions;
  std::vector<LoopGlobal> globals;
  std::vector<LoopInstance> instances;
  std::vector<LoopField> fields;  // of an instance after the one that it is itself a field of
  std::vector<std::pair<uint16_t, BorrowedRef>> addresses;  // of objects, and their registers
  int instructions = 0;  // of Python, that were translated, for an estimate of what a round takes

  bool has_slices1d() const {
    return std::any_of(
        program.callees.begin(), program.callees.end(),
        [](const LoopCallee& callee) { return callee.slice1d.kind != Slice1dCall::Kind::kNone; });
  }
};

class LoopBuilder {
 public:
  struct Ways {
    bool follows_calls = true;  // into Python functions
    bool makes_arrays = true;   // other than rows
    TypeJoins joins = {};       // those that an earlier translation has found
  };
  // `globals`: those of the frame.
  LoopBuilder(const bytecode::DecodedCode& code, const frame::Loop& loop,
              const LoopVariables& variables, BorrowedRef globals, Ways ways);

  // `entry`: the state at the header, numbers in the registers OfVariable, iterators in OfIterator.
  // False: refusal() says why.
  bool Build(const LoopState& entry, std::vector<LoopArray> arrays,
             std::vector<LoopInstance> instances, TranslatedLoop* result);
  const std::string& refusal() const { return refusal_; }
  // Whether it would perhaps be none if calls were not followed.
  bool has_followed_calls() const { return !callees_.empty(); }

  // After Build: what another translation may join.
  TypeJoins FindJoins() const { return loops::FindJoins(blocks_); }

  // Where values are when control passes from block to block.
  uint16_t OfVariable(int variable) const { return code_->OfVariable(variable); }
  uint16_t OfImaginary(int variable) const { return code_->OfImaginary(variable); }
  uint16_t OfStoredFlag(int variable) const { return code_->OfStoredFlag(variable); }
  uint16_t OfStack(int position) const { return code_->OfStack(position); }
  uint16_t OfIterator(int position) const { return code_->OfIterator(position); }
  // Of the items of a tuple that a variable holds: kIteratorRegisters from there on.
  uint16_t TupleHome(uint16_t variable);
  bool Stores(int variable) const { return loop_code_.is_set[variable]; }
  // After Build: in the program's registers, what was in those that the builder has reserved.
  void PlaceAll(LoopValue& value) const;
  // After the last register of an iterator and of those in it.
  static uint16_t EndOfRegisters(const LoopValue& iterator);
  // Whether `object` is NumPy's own function of that (dotted) name, whatever the name is bound to.
  static bool IsOfNumpy(BorrowedRef object, absl::string_view name);
  // Whether the refusal does not depend on the types that the loop was met with.
  bool is_refused_for_good() const { return is_refused_for_good_; }

 private:
  using Kind = LoopValue::Kind;

  // Constants are numbered from here until all other registers are known, as is what calls and
  // variables that hold tuples have for themselves.
  static constexpr uint16_t kFirstReserved = 0x4000;
  static constexpr int kMostReserved = 0x7000;
  static constexpr uint16_t kFirstConstant = 0x8000;

  // Jumps to blocks; their places are filled in at the end.
  struct Reference {
    int op;
    int block;
  };

  // --- blocks (loop_builder.cc) ---
  bool TranslateBlock(int block);
  void SetState(const LoopState& state) {
    state_ = state;
    code_ = state.call != nullptr ? state.call->callee : &loop_code_;
  }
  bool Translate(const bytecode::Instruction& at);
  bool Refuse(const std::string& reason);
  // What works on whole arrays is for segments, even where few rounds come by.
  bool RefuseArrays(const std::string& reason) {
    is_of_arrays_ = true;
    return Refuse(reason);
  }
  static bool IsArray(const LoopValue& value) {
    return value.is(Kind::kArray) || value.is(Kind::kView) || value.is(Kind::kSlice1d) ||
           value.is(Kind::kWindow);
  }
  // Translates the instruction at `*offset`, and moves on to what follows it.
  bool TranslateAt(int* offset);
  // The block at `offset` for the state, whose stack is settled.
  int BlockAt(int offset, const LoopState& state);
  // Puts the stack's values into their own registers.
  bool SettleStack();
  void Settle(LoopValue& value, uint16_t reg);
  bool SettleParts(LoopValue& value, uint16_t* next, uint16_t end);
  // Goes on at `offset` with the current state; ends the block.
  bool GoTo(int offset);
  // Jumps there if `condition` has that truth.
  bool Branch(const LoopValue& condition, bool truth, int offset);
  bool BranchOrPop(bool truth, int offset);
  bool GoBack(int offset);
  // Leaves the instruction, and what follows, to Python.
  bool Leave();
  bool MayLeave() const;
  int CurrentExit();
  int ExitWith(int offset, const LoopState& state);
  BorrowedRef ConstantAt(int index) const {
    return PyTuple_GET_ITEM(code_->code.code()->co_consts, index);
  }
  BorrowedRef Name(const bytecode::Instruction& at) const {
    return PyTuple_GET_ITEM(code_->code.code()->co_names, at.arg);
  }
  bool InLoop(int offset) const { return code_->Contains(offset); }
  // A register that only the block at hand uses.
  bool IsTemporary(uint16_t reg) const { return reg >= first_free_ && reg < kFirstReserved; }
  uint16_t Reserve(int count);
  uint16_t PlaceOf(uint16_t reg) const;
  void PlaceAll(LoopExtent& extent) const;
  void PlaceRegisters();
  bool IsLocalWritten(BorrowedRef name) const;
  bool NothingKnownIsWritten();
  bool Finish(TranslatedLoop* result);
  std::vector<LoopOperand> OperandsOf(const LoopState& state) const;

  // --- emission ---
  LoopOp& Append(LoopOpCode code);
  uint16_t Emit(LoopOpCode code, uint16_t a, uint16_t b = 0, int32_t k = 0);
  uint16_t NewRegister() { return next_register_++; }
  uint16_t NewRegisters(int count) {
    next_register_ = static_cast<uint16_t>(next_register_ + count);
    return static_cast<uint16_t>(next_register_ - count);
  }
  uint16_t IntConstant(int64_t value);
  uint16_t FloatConstant(double value);
  uint16_t Constant(LoopSlot value);
  bool KnownInt(const LoopValue& value, int64_t* result) const;

  // --- the stack ---
  void Push(LoopValue value) {
    replaces_entry_ = replaces_entry_ || IsOfEntry(state_.stack.size());
    state_.stack.push_back(std::move(value));
  }
  // What was on the frame's stack at the entry stays in its place there until it is dropped, and an
  // exit relies on it: what puts something in such a place (`return` in a loop drops the iterator
  // first, or exchanges it with the value) is Python's to do.
  bool IsOfEntry(size_t position) const {
    return state_.call == nullptr && position < entry_depth_;
  }
  LoopValue Pop();
  bool Drop();
  // What the instruction has just done cannot be undone: no exit of a call any more.
  void NoteEffect() { state_.has_effect = state_.call != nullptr; }
  // Before a store of an element of that many bytes: an exit of a call takes it back, unless there
  // can be none.
  void RememberElement(int slot, uint16_t place, int64_t size);
  void RememberAt(uint16_t address, int64_t size);
  bool IsKept(const LoopValue& row) const;
  bool PushNull();
  void AddNull();
  static bool HasOnePlace(const LoopValue& value);
  bool Copy(int from_top);
  bool Swap(int from_top);
  void Rehouse(size_t position);
  bool BuildItems(Kind kind, int count);  // of the stack's topmost values
  bool LoadGlobal(int arg);
  // False, refused, for a place that is also one of a cell.
  bool IsPlain(int variable);
  bool ArePlain(int pair) { return IsPlain(pair >> 4) && IsPlain(pair & 15); }
  bool LoadPlain(int variable) { return IsPlain(variable) && LoadVariable(variable); }
  bool LoadVariable(int variable);
  bool StoreVariable(int variable);
  bool StoreFirst(int variable);
  bool Store(int variable, bool may_retarget);
  bool LoadConstant(BorrowedRef constant);
  void FromConstant(BorrowedRef constant, LoopValue* value);
  bool KnownTruth(const LoopValue& value, uint16_t* reg);
  // Copies what the stack has in `reg`, which is about to change.
  void Rescue(uint16_t reg);
  void RescueIn(LoopValue& value, uint16_t reg);
  bool IsUsed(uint16_t reg) const;
  bool Unpack(int count);
  bool UnpackRow(const LoopValue& row, int count);
  bool UnpackArray(const LoopValue& array, int count);

  // --- numbers (loop_numbers.cc) ---
  bool RefuseOperands(const LoopValue& a, const LoopValue& b);
  bool Binary(int nb_op);
  bool BinaryInt(int nb_op, NumberType result, uint16_t a, uint16_t b);
  bool BinaryFloat(int nb_op, NumberType result, uint16_t a, uint16_t b);
  bool Compare(int compare_op);
  bool CompareNumbers(int compare_op, const LoopValue& a, const LoopValue& b, uint16_t* result);
  bool Unary(int opcode);
  bool ToBool();
  bool PushNumber(NumberType type, uint16_t reg);
  // A register with the number as a float, or as an int that fits `type`.
  uint16_t AsFloat(const LoopValue& number, bool exactly = false);
  uint16_t AsFloatOf(const LoopValue& number, NumberType type);
  bool AsIntOf(const LoopValue& number, NumberType type, uint16_t* reg);
  uint16_t FitInt(uint16_t reg, NumberType type);
  bool Truth(const LoopValue& value, uint16_t* reg);
  bool IsIndex(const LoopValue& value) const {
    return value.is(Kind::kNumber) && IsInt(value.type);
  }

  // --- numbers of two types (loop_either.cc) ---
  // What an operation gives where both operands are of Python's types, and where one is of NumPy's.
  struct EitherType {
    std::optional<NumberType> pythons;
    std::optional<NumberType> numpys;
  };
  static std::optional<EitherType> TypeOfEither(
      const LoopValue& a, const LoopValue& b,
      absl::FunctionRef<std::optional<NumberType>(NumberType, NumberType)> of);
  bool PushEither(const EitherType& type, const LoopValue& a, const LoopValue& b, uint16_t reg);
  static LoopValue AsNumpys(const LoopValue& value);
  static LoopValue AsPythons(const LoopValue& value);
  static LoopValue AsIndex(LoopValue key);
  bool BinaryOfEither(int nb_op, const LoopValue& a, const LoopValue& b);
  bool CompareEither(int compare_op, const LoopValue& a, const LoopValue& b);
  bool LeastOfEither(bool greatest, const std::vector<LoopValue>& args);
  bool JoinTypes(int offset);
  bool Join(int variable, const TypeJoin& join);
  void RequireStored(int variable);
  bool MayPartByType() const;
  bool PartByType();

  // --- complex numbers (loop_complex.cc) ---
  static bool IsComplex(const LoopValue& value) { return value.is(Kind::kComplex); }
  void StorePair(int variable, LoopValue value);
  // With the second part 0 for a number of Python's that is real; false: it is anything else.
  // A complex or a number as a complex of `type`.
  LoopValue AsComplex(const LoopValue& value, NumberType type);
  bool PushComplex(NumberType type, uint16_t real, uint16_t imag);
  bool BinaryOfComplex(int nb_op, const LoopValue& a, const LoopValue& b);
  LoopValue Product(const LoopValue& a, const LoopValue& b);
  LoopValue Quotient(const LoopValue& a, const LoopValue& b);
  bool PowerOfComplex(const LoopValue& base, const LoopValue& exponent);
  bool CompareComplex(int compare_op, const LoopValue& a, const LoopValue& b);
  bool UnaryOfComplex(int opcode, const LoopValue& a);
  bool AbsoluteOfComplex(const LoopValue& number);
  bool MakeComplex(const std::vector<LoopValue>& args);
  LoopValue Conjugate(const LoopValue& number);
  static PyTypeObject* ClassOfComplex(const LoopValue& number);
  bool CallNumpyOfComplex(absl::string_view ufunc, const LoopValue& number);
  bool AttributeOfComplex(const LoopValue& number, absl::string_view name);
  // Leaves what follows to Python where the float is infinite or none.
  void RequireFinite(uint16_t reg) { Emit(LoopOpCode::kRoundFloat, reg); }

  // --- arrays (loop_arrays.cc) ---
  bool Subscript();
  bool StoreSubscript();
  // The place in an array that a key names: bytes from its start, and how many axes it takes.
  bool Locate(const LoopValue& array, const LoopValue& key, uint16_t* place, int* consumed);
  LoopValue Element(int slot, uint16_t place);
  uint16_t PlaceOfImaginary(uint16_t place);
  static LoopOpCode StoreCode(NumberType element);
  bool StoreElement(int slot, uint16_t place, const LoopValue& value);
  bool Convert(const LoopValue& value, NumberType type, uint16_t* reg);
  bool Attribute(BorrowedRef name);
  bool AttributeOfArray(const LoopValue& array, absl::string_view name);
  bool AttributeOfModule(BorrowedRef module, BorrowedRef name, LoopValue* value);

  // --- names of rows (loop_rows.cc) ---
  // Where the row lies that is a variable or a stack entry, by the register that a number there
  // has.
  struct RowHome {
    uint16_t reg;
    uint16_t block;
  };
  RowHome HomeOfRow(uint16_t name);
  bool IsHomeOf(const LoopCode& code, uint16_t reg) const;
  static bool Uses(const LoopValue& value, uint16_t reg);
  static void Rename(LoopValue& value, uint16_t from, RowHome to);
  void MoveRow(const LoopValue& row, RowHome to);
  bool Vacate(uint16_t reg);
  bool NameRow(int variable, const LoopValue& row);
  bool SettleRow(int position);
  bool ReturnRow();
  void NoteChange(const LoopValue& row);

  // --- new rows (loop_row_creation.cc) ---
  bool ExtendDisplay(int from_top);
  bool CallNewRow(BorrowedRef function, const std::vector<LoopValue>& args);
  bool NewRow(uint16_t like, uint16_t number);
  bool NewRowOf(uint16_t count, uint16_t number);
  bool RowOfNumbers(const std::vector<LoopValue>& items);
  bool CopyOfRow(const LoopValue& row);
  bool Cross(const LoopValue& a, const LoopValue& b);
  LoopValue ItemAt(const LoopValue& slice1d, int index);
  void RequireCount(uint16_t size, int count);

  // --- new arrays (loop_array_creation.cc) ---
  bool CallNewArray(BorrowedRef function, const std::vector<LoopValue>& args, BorrowedRef keywords);
  bool CopyOfArray(const LoopValue& array);
  std::optional<LoopExtent> ExtentOf(uint16_t reg, int depth = 0) const;
  std::optional<LoopExtent> ExtentOfDim(int32_t packed) const;
  bool ShapeOf(const LoopValue& array, std::vector<uint16_t>* shape);
  int SlotFor(NumberType element, const std::vector<uint16_t>& shape);
  bool NewArray(NumberType element, const std::vector<uint16_t>& shape, const uint16_t* source,
                const LoopValue* number);
  void AddInUse(const LoopValue& value, int slot, std::vector<uint16_t>* addresses);
  std::vector<uint16_t> AddressesInUse(int slot);
  void EmitWithOperands(Slice1dCall call, const std::vector<uint16_t>& operands);
  uint16_t AddressOf(const LoopValue& array);

  // --- rows, columns and parts of them (loop_slices.cc) ---
  bool BuildSlice(int count);
  // The registers of start, stop and step as kSlice takes them; of no slice: the whole axis.
  bool Bounds(const LoopValue* slice, uint16_t* first);
  LoopValue Slice(int slot, int axis, uint16_t offset, uint16_t bounds);
  // Of all of a row, as long as it may be.
  LoopValue WholeRow(const LoopValue& row);
  // Whether programs compute along that axis of an array.
  bool HasSlices1d(int slot, int axis) const;
  // Whether they look at that part of it, or compute with it.
  bool HasPart(int slot, int axis, const LoopValue& part) const;
  // A 1-D slice, array or view of one axis that programs look at, as long as it may be.
  bool IsRow(const LoopValue& value) const;
  NumberType ElementOf(const LoopValue& row) const;
  bool IsRowOfIndices(const LoopValue& value) const;
  bool NamesElements(const LoopValue& array, const LoopValue& key) const;
  bool Gather(const LoopValue& row, const LoopValue& indices);
  bool Scatter(const LoopValue& row, const LoopValue& indices, const LoopValue& value);
  // Whether operations on 1-D slices take it: a 1-D slice, or an array or view of one axis.
  bool IsSlice1d(const LoopValue& value) const;
  LoopValue Slice1dOf(const LoopValue& value);
  // Whether a key leaves one axis, or part of one, of an array.
  bool NamesSlice1d(const LoopValue& array, const LoopValue& key) const;
  bool LocateSlice1d(const LoopValue& array, const LoopValue& key, LoopValue* slice1d);
  bool PartOfSlice1d(const LoopValue& slice1d, const LoopValue& key, LoopValue* part);
  bool SubscriptOfSlice1d(const LoopValue& array, const LoopValue& key);
  uint16_t AddressIn(const LoopValue& slice1d, uint16_t index);
  bool ItemOfSlice1d(const LoopValue& slice1d, const LoopValue& key);
  bool StoreItemOfSlice1d(const LoopValue& slice1d, const LoopValue& key, const LoopValue& value);
  bool AttributeOfSlice1d(const LoopValue& slice1d, absl::string_view name);
  bool StoreSlice1d(const LoopValue& array, const LoopValue& key, const LoopValue& value);
  bool Slice1dOperand(const LoopValue& value, bool* is_slice1d, uint16_t* reg);
  uint16_t EmitSlice1d(Slice1dCall call, const kernel::LibraryLoop& loop, uint16_t a, uint16_t b);
  // ... that gives a row.
  void PushSlice1d(const Slice1dCall& call, const kernel::LibraryLoop& loop, uint16_t a,
                   uint16_t b);
  bool Elementwise(Op op, const std::vector<LoopValue>& operands, bool in_place);
  bool BinaryOfSlices1d(int nb_op, const LoopValue& a, const LoopValue& b);
  bool Dot(const LoopValue& a, const LoopValue& b, bool is_matmul);
  bool ReduceSlice1d(absl::string_view name, const LoopValue& value);
  bool Mean(const LoopValue& row);
  bool Variance(const LoopValue& row);
  bool Median(const LoopValue& row);
  bool Norm(const LoopValue& row);
  bool PlaceOfExtreme(bool greatest, const LoopValue& row);
  bool CallOnSlices1d(BorrowedRef function, const std::vector<LoopValue>& args);
  bool MethodOfSlice1d(BorrowedRef name, const LoopValue& slice1d);
  bool CallMethodOfSlice1d(absl::string_view name, const LoopValue& self,
                           const std::vector<LoopValue>& args);

  // --- windows (loop_windows.cc) ---
  int RankOf(const LoopValue& value) const;
  static bool IsMoving(const LoopValue& bound);
  bool NamesWindow(const LoopValue& array, const LoopValue& key) const;
  bool IsWindowOperand(const LoopValue& value) const;
  bool LocateWindow(const LoopValue& array, const LoopValue& key, LoopValue* window);
  bool SubscriptOfWindow(const LoopValue& window, const LoopValue& key);
  uint16_t WindowOf(const LoopValue& value);
  void PushWindow(const Slice1dCall& call, const kernel::LibraryLoop& loop, uint16_t a, uint16_t b);
  static Slice1dCall::Operation OperationOf(Op op);
  bool BinaryOfWindows(int nb_op, const LoopValue& a, const LoopValue& b);
  bool ElementwiseOfWindows(Slice1dCall::Operation operation, const LoopValue& a,
                            const LoopValue& b);
  bool AxesOf(const LoopValue* axis, int rank, uint8_t* axes) const;
  bool ReduceWindow(absl::string_view name, const LoopValue& window, const LoopValue* axis);
  bool DivideByCount(const LoopValue& window, uint8_t axes);
  bool CallOnWindow(absl::string_view name, const LoopValue& window,
                    const std::vector<LoopValue>& args, BorrowedRef keywords);
  bool CallFunctionOfWindow(BorrowedRef function, const std::vector<LoopValue>& args,
                            BorrowedRef keywords);
  bool CallMethodOfWindow(BorrowedRef method, const LoopValue& window,
                          const std::vector<LoopValue>& args, BorrowedRef keywords);
  static bool NamesParts(const LoopValue& key);
  bool StoreWindow(const LoopValue& array, const LoopValue& key, const LoopValue& value);
  bool NameWindow(int variable, LoopValue window);

  // --- attributes of objects (loop_attributes.cc) ---
  int FieldOf(int instance, BorrowedRef name);
  bool AttributeOfInstance(const LoopValue& object, BorrowedRef name);
  bool MethodOfInstance(const LoopValue& object, BorrowedRef name);
  bool StoreAttribute(BorrowedRef name);
  bool WriteToField(int number, LoopValue value);
  const LoopValue& ContentOf(int field) const;

  // --- lists and characters (loop_lists.cc) ---
  bool LoadTuple(uint16_t place, const LoopValue& element, LoopValue* item);
  bool LoadItem(uint16_t place, const LoopValue& element, LoopValue* item);
  bool SubscriptOfList(const LoopValue& list, const LoopValue& key);
  bool StoreItem(const LoopValue& list, const LoopValue& key, const LoopValue& value);
  bool Append(const LoopValue& list, const LoopValue& value);
  bool ListAppend(int from_top);
  bool PopItem(const LoopValue& list);
  bool CompareChars(int compare_op, const LoopValue& a, const LoopValue& b);
  bool Alternatives(const LoopValue& container, std::vector<LoopValue>* result);
  bool Contains(bool inverted);
  bool IsSame(bool inverted);
  bool BranchIfNone(bool truth, int offset);

  // --- calls (loop_calls.cc) ---
  bool Method(BorrowedRef name);
  bool Call(int count, BorrowedRef keywords);
  bool CallKnown(BorrowedRef function, const std::vector<LoopValue>& args);
  bool CallBuiltin(BorrowedRef function, absl::string_view name,
                   const std::vector<LoopValue>& args);
  bool CallType(BorrowedRef type, const std::vector<LoopValue>& args);
  bool FloatOfText(BorrowedRef text);
  bool CallMath(absl::string_view name, const std::vector<LoopValue>& args);
  bool CallMath2(absl::string_view name, const LoopValue& a, const LoopValue& b);
  bool CallMathTest(absl::string_view name, const LoopValue& number);
  bool CallMathWhole(absl::string_view name, const LoopValue& number);
  bool Draw(BorrowedRef method);
  bool CallNumpy(BorrowedRef function, absl::string_view name, const std::vector<LoopValue>& args);
  bool Absolute(BorrowedRef function, const LoopValue& number);
  bool Least(bool greatest, const std::vector<LoopValue>& args);
  bool LeastOfTypes(int compare_op, const LoopValue& best, const std::vector<LoopValue>& args,
                    size_t next);
  bool CallMethod(BorrowedRef method, const LoopValue& self, const std::vector<LoopValue>& args);
  bool DivideBoth(const LoopValue& a, const LoopValue& b);
  bool Round(const LoopValue& number);
  bool Length(const LoopValue& value);
  bool MakeRange(const std::vector<LoopValue>& args);
  uint16_t EmitCall(LoopCallee callee, uint16_t a);

  // --- Python functions (loop_inlining.cc) ---
  bool CallFunction(BorrowedRef function, int count, int dropped, BorrowedRef keywords = nullptr);
  LoopCode* CodeOf(BorrowedRef function);
  bool PassArguments(BorrowedRef function, const std::vector<LoopValue>& args,
                     BorrowedRef keywords);
  bool DefaultOf(BorrowedRef function, int parameter, LoopValue* value);
  bool Return();
  bool GlobalOfFunction(BorrowedRef name);
  bool LoadDeref(int variable);
  bool PushGlobal(BorrowedRef dict, BorrowedRef name, BorrowedRef object);

  // --- iterators (loop_iterators.cc) ---
  bool GetIterator();
  static bool AreConstants(const std::vector<LoopValue>& values);
  bool IsInput(const LoopValue& tuple) const;
  bool Iterate(const LoopValue& iterable, uint16_t* base, LoopValue* iterator);
  bool IterateRow(const LoopValue& row, uint16_t* base, LoopValue* iterator);
  bool IterateRange(const LoopValue& range, uint16_t* base, LoopValue* iterator);
  void MoveIterator(LoopValue& iterator, uint16_t* base);
  bool HasRoom(const LoopValue& iterator, int position);
  bool CallEnumerate(const std::vector<LoopValue>& args);
  bool CallZip(const std::vector<LoopValue>& args);
  bool CallReversed(const std::vector<LoopValue>& args);
  bool NextOf(const bytecode::Instruction& at);
  bool NextConstant(int after);
  // The next item, in a register of its own or where it stays; jumps to the block if there is none.
  bool Peek(const LoopValue& iterator, int after, LoopValue* item);
  bool PeekTuple(const LoopValue& iterator, int after, LoopValue* item);
  bool PeekElement(const LoopValue& iterator, int after, LoopValue* item);
  void Advance(const LoopValue& iterator);
  void LeaveIf(LoopOpCode jump, uint16_t test, int block);
  void MoveInt(uint16_t to, uint16_t from);

  LoopCode loop_code_;
  LoopCode* code_;  // of the block at hand
  const BorrowedRef frame_globals_;
  const bool follows_calls_;
  const bool makes_arrays_;
  const TypeJoins joins_;
  std::vector<std::unique_ptr<LoopCode>> callees_;
  std::vector<LoopArray> arrays_;
  std::vector<LoopInstance> instances_;
  std::vector<LoopField> fields_;
  absl::flat_hash_set<BorrowedRef> methods_;  // that classes have
  std::vector<bool> stored_;
  absl::flat_hash_map<uint16_t, uint16_t> tuple_homes_;  // by the variable's register

  LoopProgram program_;
  std::vector<TypedBlock> blocks_;
  absl::flat_hash_map<std::string, int> block_of_;
  std::vector<Reference> references_;
  std::vector<LoopExit> exits_;
  std::vector<LoopSlot> constants_;
  std::vector<KnownItem> known_items_;
  std::vector<KnownFunction> functions_;
  std::vector<LoopGlobal> globals_;
  std::vector<std::pair<uint16_t, BorrowedRef>> addresses_;
  int instructions_ = 0;

  // Of the block at hand.
  LoopState state_;
  LoopState before_;  // the current instruction
  const bytecode::Instruction* at_ = nullptr;
  int current_exit_ = -1;
  bool ended_ = false;
  uint16_t next_register_ = 0;
  const uint16_t first_free_;
  uint16_t most_registers_ = 0;
  uint16_t end_of_reserved_ = kFirstReserved;
  std::string refusal_;
  bool is_refused_for_good_ = false;
  bool is_of_arrays_ = false;
  uint16_t num_blocks_ = 0;                               // of the run's own memory
  absl::flat_hash_map<uint16_t, RowHome> row_homes_;      // by the register of the name
  absl::flat_hash_map<uint16_t, uint16_t> window_homes_;  // by the variable's register
  bool needs_exit_ = false;                               // where there can be none
  size_t entry_depth_ = 0;                                // of the stack at the header
  bool is_unset_ = false;        // the instruction reads what only later rounds have set
  bool replaces_entry_ = false;  // the instruction would
};

}  // namespace dynacc::loops
