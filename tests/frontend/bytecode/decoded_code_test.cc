#include "frontend/bytecode/decoded_code.h"

#include <Python.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "frontend/bytecode/dataflow.h"
#include "frontend/cpython/opcodes.h"

namespace dynacc::bytecode {
namespace {

class Interpreter : public testing::Environment {
 public:
  void SetUp() override { Py_InitializeEx(0); }
  void TearDown() override { Py_FinalizeEx(); }
};
const auto* const kInterpreter = testing::AddGlobalTestEnvironment(new Interpreter);

Ref Define(const char* source, const char* name) {
  Ref globals = Ref::Steal(PyDict_New());
  PyDict_SetItemString(globals.get(), "__builtins__", PyEval_GetBuiltins());
  Ref done = Ref::Steal(PyRun_String(source, Py_file_input, globals.get(), globals.get()));
  if (!done) PyErr_Print();
  return Ref::New(PyDict_GetItemString(globals.get(), name));
}

PyCodeObject* CodeOf(const Ref& function) {
  return reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function.get()));
}

const Instruction& Find(const DecodedCode& code, int opcode) {
  for (const Instruction& instruction : code.instructions())
    if (instruction.opcode == opcode) return instruction;
  ADD_FAILURE() << "no " << OpcodeName(opcode);
  return code.instructions()[0];
}

std::vector<long> Longs(BorrowedRef sequence) {
  std::vector<long> values;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i)
    values.push_back(PyLong_AsLong(PySequence_Fast_GET_ITEM(sequence, i)));
  return values;
}

// Rows (offset in units, opcode, argument, target in units or -1, line or 0) as `dis` reads
// CPython's own instructions, for every code object of every module of the standard library that
// compiles.
constexpr char kDisOfLibrary[] = R"(
import dis, os, sys, types
def rows(code):
    result, line = [], 0
    lines = {}
    for start, end, number in code.co_lines():
        for at in range(start, end, 2): lines[at] = number or 0
    for i in dis.get_instructions(code):
        if i.opname == 'EXTENDED_ARG': continue
        jump = i.argval // 2 if i.opcode in dis.hasjrel else -1
        result.append((i.offset // 2, i.opcode, i.arg or 0, jump, lines.get(i.offset, 0)))
    return result
def handlers(code):
    return [(e.start // 2, e.end // 2, e.target // 2, e.depth, int(e.lasti))
            for e in dis._parse_exception_table(code)]
def tree(code):
    yield code
    for c in code.co_consts:
        if isinstance(c, types.CodeType): yield from tree(c)
def library(stride):
    root = os.path.dirname(os.__file__)
    paths = []
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in ('test', 'tests', 'site-packages',
                                                       'dist-packages', 'lib2to3')]
        paths += [os.path.join(folder, n) for n in names if n.endswith('.py')]
    for path in sorted(paths)[::stride]:
        with open(path, 'rb') as file: source = file.read()
        for code in tree(compile(source, path, 'exec')):
            yield code, rows(code), handlers(code)
)";

NativeCode ReadNative(PyCodeObject* code) {
  const Ref bytecode = Ref::Steal(PyCode_GetCode(code));
  return RunningBytecodeFormat().Read(
      {reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(bytecode.get())),
       static_cast<size_t>(PyBytes_GET_SIZE(bytecode.get()))},
      {PyBytes_AS_STRING(code->co_localspluskinds), static_cast<size_t>(code->co_nlocalsplus)});
}

void ExpectSameInstructions(const DecodedCode& code, BorrowedRef rows) {
  const NativeCode native = ReadNative(code.code());
  ASSERT_EQ(static_cast<Py_ssize_t>(native.instructions.size()), PyList_GET_SIZE(rows));
  std::vector<long> lines(native.index_at.size());
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(rows); ++i) {
    const NativeInstruction& at = native.instructions[i];
    const std::vector<long> expected = Longs(PyList_GET_ITEM(rows, i));
    const std::vector<long> actual = {at.offset, at.opcode, at.arg, at.target, expected[4]};
    ASSERT_EQ(actual, expected) << "instruction " << i;
    lines[at.offset] = expected[4];
  }
  for (const Instruction& at : code.instructions()) {
    ASSERT_NE(at.opcode, UNKNOWN_OPCODE) << at.offset;
    ASSERT_EQ(at.line, lines[at.offset]) << at.offset << " " << OpcodeName(at.opcode);
    ASSERT_EQ(&code.At(at.start), &at);
    ASSERT_EQ(&code.At(at.offset), &at);
  }
}

void ExpectSameHandlers(const DecodedCode& code, BorrowedRef rows) {
  ASSERT_EQ(static_cast<Py_ssize_t>(code.handlers().size()), PyList_GET_SIZE(rows));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(rows); ++i) {
    const HandlerRange& range = code.handlers()[i];
    const std::vector<long> actual = {range.start, range.end, range.target, range.depth,
                                      range.push_lasti};
    ASSERT_EQ(actual, Longs(PyList_GET_ITEM(rows, i)));
  }
}

bool FallsThrough(int opcode) {
  return opcode != RETURN_VALUE && opcode != RETURN_CONST && opcode != RAISE_VARARGS &&
         opcode != RERAISE && opcode != JUMP_FORWARD && opcode != JUMP_BACKWARD &&
         opcode != JUMP_BACKWARD_NO_INTERRUPT;
}

// Depths stay within co_stacksize, and every edge agrees with the depth at its end.
void ExpectConsistentDepths(const DecodedCode& code) {
  for (size_t i = 0; i < code.instructions().size(); ++i) {
    const Instruction& at = code.instructions()[i];
    const int depth = code.StackDepth(at.offset);
    if (depth < 0) continue;
    ASSERT_LE(depth, code.code()->co_stacksize) << OpcodeName(at.opcode) << at.offset;
    if (FallsThrough(at.opcode))
      ASSERT_EQ(code.StackDepth(code.instructions()[i + 1].offset),
                depth + OpcodeStackEffect(at.opcode, at.arg, false))
          << OpcodeName(at.opcode) << at.offset;
    if (at.target >= 0)
      ASSERT_EQ(code.StackDepth(at.target), depth + OpcodeStackEffect(at.opcode, at.arg, true))
          << OpcodeName(at.opcode) << at.offset;
  }
}

// DYNACC_DECODE_STRIDE=1 decodes every file; the default takes one in eight.
TEST(DecodedCode, AgreesWithDisOnTheStandardLibrary) {
  const char* stride = std::getenv("DYNACC_DECODE_STRIDE");
  Ref library = Define(kDisOfLibrary, "library");
  Ref codes = Ref::Steal(
      PyObject_CallFunction(library.get(), "i", stride == nullptr ? 8 : std::atoi(stride)));
  ASSERT_TRUE(codes);
  int count = 0;
  while (Ref item = Ref::Steal(PyIter_Next(codes.get()))) {
    auto* raw = reinterpret_cast<PyCodeObject*>(PyTuple_GET_ITEM(item.get(), 0));
    SCOPED_TRACE(std::string(PyUnicode_AsUTF8(raw->co_filename)) + ": " +
                 PyUnicode_AsUTF8(raw->co_qualname));
    const auto decoded = DecodedCode::Decode(raw);
    ExpectSameInstructions(*decoded, PyTuple_GET_ITEM(item.get(), 1));
    ExpectSameHandlers(*decoded, PyTuple_GET_ITEM(item.get(), 2));
    ExpectConsistentDepths(*decoded);
    if (HasFatalFailure()) return;
    ++count;
  }
  if (PyErr_Occurred()) PyErr_Print();
  EXPECT_GT(count, 1000);
}

TEST(DecodedCode, LocalsAreLiveUntilTheirLastRead) {
  Ref f = Define("def f(a, b):\n  c = a + b\n  d = c * 2\n  return d\n", "f");
  const auto code = DecodedCode::Decode(CodeOf(f));
  const std::vector<bool> at_entry = code->LiveLocals(0);
  EXPECT_EQ(at_entry, (std::vector<bool>{true, true, false, false}));
  const std::vector<bool> at_end = code->LiveLocals(Find(*code, RETURN_VALUE).offset);
  EXPECT_EQ(at_end, (std::vector<bool>{false, false, false, false}));
}

TEST(DecodedCode, HandlersKeepWhatTheyReadAlive) {
  Ref f = Define(
      "def f(a, g):\n  x = 1\n  try:\n    x = g(a)\n  except ValueError:\n    return x\n"
      "  return 0\n",
      "f");
  const auto code = DecodedCode::Decode(CodeOf(f));
  const Instruction& call = Find(*code, CALL);
  EXPECT_TRUE(code->InHandlerRange(call.offset));
  EXPECT_TRUE(code->LiveLocals(call.offset)[2]);  // the handler returns the old x
  EXPECT_FALSE(code->InHandlerRange(0));
}

TEST(DecodedCode, ARaiseStatementReadsAllLocals) {
  Ref f = Define("def f(a):\n  b = a\n  if a():\n    raise ValueError\n  return a\n", "f");
  const auto code = DecodedCode::Decode(CodeOf(f));
  EXPECT_TRUE(code->LiveLocals(Find(*code, CALL).offset)[1]);  // b, on the way to the raise
  EXPECT_FALSE(code->LiveLocals(Find(*code, RETURN_VALUE).offset)[1]);
}

TEST(DecodedCode, LoopsCarryLocals) {
  Ref f = Define("def f(n):\n  s = 0\n  for i in n:\n    s = s + i\n  return s\n", "f");
  const auto code = DecodedCode::Decode(CodeOf(f));
  const Instruction& header = Find(*code, FOR_ITER);
  EXPECT_TRUE(code->HasLoop());
  EXPECT_TRUE(code->LiveLocals(header.offset)[1]);   // s
  EXPECT_FALSE(code->LiveLocals(header.offset)[0]);  // n
  EXPECT_EQ(code->StackDepth(header.offset), 1);
}

TEST(DecodedCode, CellsAreAlwaysLive) {
  Ref f = Define("def f(a):\n  def g(): return a\n  del g\n  return 1\n", "f");
  const auto code = DecodedCode::Decode(CodeOf(f));
  for (const Instruction& at : code->instructions())
    EXPECT_TRUE(code->LiveLocals(at.offset)[0]) << at.offset;
}

TEST(DecodedCode, FoldsExtendedArguments) {
  std::string source = "def f():\n";
  for (int i = 0; i < 300; ++i)
    source += "  v" + std::to_string(i) + " = " + std::to_string(i) + "\n";
  source += "  return v299\n";
  Ref f = Define(source.c_str(), "f");
  const auto code = DecodedCode::Decode(CodeOf(f));
  const Instruction& last = code->instructions()[code->instructions().size() - 2];
  EXPECT_EQ(last.opcode, LOAD_FAST);
  EXPECT_EQ(last.arg, 299);
  EXPECT_EQ(last.offset, last.start + 1);
  EXPECT_EQ(last.line, 302);
}

// The line on which the sides of the function's first conditional jump meet again; 0 where they
// only do so at the function's end, kNoLine where that is a jump that has none.
constexpr int kNoLine = 1000;
int MeetingLine(const char* source) {
  const Ref function = Define(source, "f");
  const auto code = DecodedCode::Decode(CodeOf(function));
  const Instruction* branch = nullptr;
  for (const Instruction& at : code->instructions()) {
    const bool is_branch = at.opcode == POP_JUMP_IF_FALSE || at.opcode == POP_JUMP_IF_TRUE;
    if (is_branch && branch == nullptr) branch = &at;
  }
  if (branch == nullptr) return -1;
  const int meeting = ImmediatePostDominator(*code, branch->start);
  if (meeting < 0) return 0;
  return code->At(meeting).line > 0 ? code->At(meeting).line : kNoLine;
}

// CPython 3.14 copies a short way out of the function, so that its sides do not meet.
TEST(ImmediatePostDominatorTest, IsWhereTheSidesMeet) {
  EXPECT_EQ(
      MeetingLine("def f(a):\n  if a:\n    b = 1\n  else:\n    b = 2\n  return b + a + b + a\n"),
      6);
  EXPECT_EQ(MeetingLine("def f(a):\n  if a:\n    a = 1\n  return a\n"), 4);
  EXPECT_EQ(MeetingLine("def f(a):\n  if a:\n    if a > 1:\n      a = 2\n    a = 3\n  return a\n"),
            6);
  // The inner branch of one that is left by its own way out.
  EXPECT_EQ(MeetingLine("def f(a):\n  if a:\n    return 1\n  a = 2\n  return a\n"), 0);
  EXPECT_EQ(MeetingLine("def f(a):\n  if a:\n    raise a\n  a = 2\n  return a\n"), 0);
  // In a loop: its next round; with a way out of the loop: what comes after it.
  EXPECT_NE(MeetingLine("def f(a):\n  for i in a:\n    if i:\n      a = 2\n  return a\n"), 0);
  EXPECT_EQ(
      MeetingLine("def f(a):\n  for i in a:\n    if i:\n      break\n  return a + a + a + a\n"), 5);
}

// How many of the function's conditional jumps end a loop, and the names that the loop of the last
// of them writes, in their order.
std::pair<int, std::string> WhileLoopsOf(const char* source) {
  const Ref function = Define(source, "f");
  const auto code = DecodedCode::Decode(CodeOf(function));
  std::pair<int, std::string> found;
  for (const Instruction& at : code->instructions()) {
    if (at.opcode != POP_JUMP_IF_FALSE && at.opcode != POP_JUMP_IF_TRUE) continue;
    const WhileLoop loop = FindWhileLoop(*code, at.start);
    if (loop.body < 0) continue;
    ++found.first;
    found.second.clear();
    for (size_t i = 0; i < loop.locals.size(); ++i) {
      if (!loop.locals[i]) continue;
      PyObject* const names = code->code()->co_localsplusnames;
      found.second += PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i)));
    }
  }
  return found;
}

TEST(FindWhileLoopTest, IsLeftByOneJump) {
  const std::pair<int, std::string> none;
  EXPECT_EQ(WhileLoopsOf("def f(a, b):\n  while a:\n    a = a + b\n  return a\n").second, "a");
  EXPECT_EQ(WhileLoopsOf("def f(a, b):\n  while True:\n    b = a + b\n    if b:\n      break\n"
                         "  return b\n")
                .second,
            "b");
  EXPECT_EQ(WhileLoopsOf("def f(a, b):\n  while a and b:\n    b = a\n  return b\n").second, "b");
  EXPECT_EQ(
      WhileLoopsOf("def f(a, b):\n  for i in b:\n    while a:\n      a = i\n  return a\n").second,
      "a");
  EXPECT_EQ(WhileLoopsOf("def f(a, b):\n  while a:\n    a = b\n    if b:\n      break\n"
                         "  return a\n"),
            none);
  EXPECT_EQ(WhileLoopsOf("def f(a, b):\n  for i in a:\n    if b:\n      break\n  return i\n"),
            none);
  EXPECT_EQ(WhileLoopsOf("def f(a, b):\n  for i in a:\n    if b:\n      b = i\n  return b\n"),
            none);
  EXPECT_EQ(WhileLoopsOf("def f(a, b):\n  if a:\n    a = b\n  return a\n"), none);
}

// What the operands of the sum share with locals, from CPython 3.14 on. The call's first argument
// is an object of its own, the second one is from another basic block.
TEST(BorrowedEntriesTest, AreLoadsOfLocalsThatStayOnTheStack) {
  const Ref function =
      Define("def f(a, b):\n  return a.m(a + b, b if b else a) * a * b * a\n", "f");
  const auto code = DecodedCode::Decode(CodeOf(function));
  const Instruction& sum = Find(*code, BINARY_OP);
  const std::vector<int> at_sum = BorrowedEntries(*code, sum.offset);
  ASSERT_EQ(at_sum.size(), 4);  // m, a, a, b
  const bool borrows = std::any_of(code->instructions().begin(), code->instructions().end(),
                                   [](const Instruction& at) { return at.borrows; });
  EXPECT_EQ(at_sum[0], -1);
  EXPECT_EQ(at_sum[2], borrows ? 0 : -1);
  EXPECT_EQ(at_sum[3], borrows ? 1 : -1);
  const std::vector<int> at_call = BorrowedEntries(*code, Find(*code, CALL).offset);
  EXPECT_EQ(at_call, std::vector<int>(4, -1));
}

}  // namespace
}  // namespace dynacc::bytecode
