#include "frontend/guards/guard_tree.h"

#include "gmock/gmock.h"
#include "tests/frontend/guards/fake_arrays.h"
#include "tests/frontend/python_environment.h"

namespace dynacc::guards {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::Pointee;

class GuardTreeTest : public PythonTest {
 protected:
  GuardTreeTest() {
    RegisterArrayChecks(&kFakeArrayChecks);
    Exec("def array(*sizes): return bytearray([65, 10, 1, *sizes])\nx = y = None");
  }

  const sources::Source* Make(sources::SourceKind kind, const sources::Source* parent,
                              int64_t index, const char* name) {
    return table_.Intern(kind, parent, index, Ref::Steal(PyUnicode_FromString(name)).get());
  }
  const sources::Source* Global(const char* name) {
    return Make(sources::SourceKind::kGlobal, nullptr, 0, name);
  }
  const sources::Source* Attr(const sources::Source* parent, const char* name) {
    return Make(sources::SourceKind::kInstanceAttr, parent, 0, name);
  }

  Guard Is(const sources::Source* source, const char* expression) {
    return Guard{GuardKind::kIdentity, source, Eval(expression)};
  }
  Guard IntIs(const sources::Source* source, int64_t value) {
    return Guard{GuardKind::kIntEquals, source, Ref(), value};
  }
  Guard Absent(const sources::Source* source) { return Guard{GuardKind::kAbsent, source, Ref()}; }

  sources::SourceRoots roots() const {
    return {nullptr, 0, nullptr, globals(), PyEval_GetBuiltins()};
  }
  uint64_t Match() {
    slots_.assign(tree_.num_slots(), nullptr);
    return tree_.Match(roots(), absl::MakeSpan(slots_));
  }

  sources::SourceTable table_;
  GuardTree tree_;
  std::vector<BorrowedRef> slots_;
};

TEST_F(GuardTreeTest, NoEntryNoMatch) { EXPECT_EQ(Match(), 0u); }

TEST_F(GuardTreeTest, AnEntryWithoutGuardsAlwaysMatches) {
  EXPECT_EQ(tree_.AddEntry({}, {}), 0);
  EXPECT_EQ(Match(), 1u);
}

TEST_F(GuardTreeTest, MatchesTheEntriesWhoseGuardsAllHold) {
  const sources::Source* x = Global("x");
  const sources::Source* y = Global("y");
  tree_.AddEntry({IntIs(x, 1), IntIs(y, 1)}, {});
  tree_.AddEntry({IntIs(x, 1), IntIs(y, 2)}, {});
  tree_.AddEntry({IntIs(x, 2)}, {});
  tree_.AddEntry({IntIs(y, 2)}, {});
  Exec("x = 1; y = 1");
  EXPECT_EQ(Match(), 0b0001u);
  Exec("x = 1; y = 2");
  EXPECT_EQ(Match(), 0b1010u);
  Exec("x = 2; y = 2");
  EXPECT_EQ(Match(), 0b1100u);
  Exec("x = 3; y = 3");
  EXPECT_EQ(Match(), 0u);
  Exec("del x; y = True");
  EXPECT_EQ(Match(), 0u);
}

TEST_F(GuardTreeTest, ContradictingGuardsNeverHold) {
  tree_.AddEntry({IntIs(Global("x"), 1), IntIs(Global("x"), 2)}, {});
  for (const char* value : {"x = 1", "x = 2"}) {
    Exec(value);
    EXPECT_EQ(Match(), 0u);
  }
}

TEST_F(GuardTreeTest, SixtyFourEntriesFit) {
  const sources::Source* x = Global("x");
  for (int i = 0; i < kMaxEntries; ++i) EXPECT_EQ(tree_.AddEntry({IntIs(x, i)}, {}), i);
  for (int i = 0; i < kMaxEntries; ++i) {
    Exec("x = " + std::to_string(i));
    EXPECT_EQ(Match(), uint64_t{1} << i);
  }
  EXPECT_DEATH(tree_.AddEntry({}, {}), "full");
}

TEST_F(GuardTreeTest, LoadsTheValuesOfMatchingEntries) {
  Exec("class C: pass\nx = C(); x.w = array(2, 3)");
  const sources::Source* w = Attr(Global("x"), "w");
  const Guard is_array{GuardKind::kArray, w, Ref(), 2, static_cast<int>(DType::kFloat64)};
  tree_.AddEntry({is_array, {GuardKind::kDimEquals, w, Ref(), 1, 3}}, {w, Global("y")});
  tree_.AddEntry({is_array, {GuardKind::kDimEquals, w, Ref(), 1, 4}}, {w});
  EXPECT_EQ(tree_.num_slots(), 2);
  EXPECT_EQ(tree_.SlotOf(Global("x")), -1);
  EXPECT_EQ(Match(), 0b01u);
  EXPECT_EQ(slots_[tree_.SlotOf(w)], Eval("x.w").get());
  EXPECT_EQ(slots_[tree_.SlotOf(Global("y"))], Py_None);
  Exec("x.w = array(2, 4); del y");
  EXPECT_EQ(Match(), 0b10u);
  EXPECT_EQ(slots_[tree_.SlotOf(w)], Eval("x.w").get());
}

TEST_F(GuardTreeTest, EntriesMayDisagreeOnTheShapeOfAValue) {
  Exec("class C: pass");
  const sources::Source* x = Global("x");
  const sources::Source* item = table_.Intern(sources::SourceKind::kListItem, x, 0);
  tree_.AddEntry({{GuardKind::kListLength, x, Ref(), 1}, IntIs(item, 5)}, {item});
  tree_.AddEntry({Absent(Attr(x, "w")), {GuardKind::kTypeIs, x, Eval("C")}}, {});
  tree_.AddEntry({IntIs(Attr(x, "w"), 5)}, {});
  Exec("x = [5]");
  EXPECT_EQ(Match(), 0b001u);
  Exec("x = C()");
  EXPECT_EQ(Match(), 0b010u);
  Exec("x.w = 5");
  EXPECT_EQ(Match(), 0b100u);
  Exec("x.__dict__ = {'a': 1, 'w': 5}");
  EXPECT_EQ(Match(), 0b100u);
}

// What a remembered position must survive: each step leaves the cell of `x` in another state.
TEST_F(GuardTreeTest, SeesEveryChangeOfANamespace) {
  tree_.AddEntry({IntIs(Global("x"), 1)}, {});
  tree_.AddEntry({Absent(Global("x"))}, {});
  const std::pair<const char*, uint64_t> steps[] = {
      {"x = 1", 1},
      {"x = 2", 0},
      {"del x", 2},
      {"other = 3", 2},
      {"x = 1", 1},
      {"globals().update({str(i): i for i in range(1000)})", 1},
      {"for i in range(1000): del globals()[str(i)]", 1},
      {"del x", 2},
      {"globals()[7] = 7", 2},
      {"x = 1", 1},
      {"x = 2", 0},
      {"del x", 2},
      {"del globals()[7]; x = 1", 1},
      {"(lambda g, copy: (g.clear(), g.update(copy)))(globals(), dict(globals()))", 1},
  };
  for (const auto& [change, expected] : steps) {
    Exec(change);
    EXPECT_EQ(Match(), expected) << change;
    EXPECT_EQ(Match(), expected) << change << ", again";
  }
}

TEST_F(GuardTreeTest, SeesAnotherGlobalsDict) {
  tree_.AddEntry({IntIs(Global("x"), 1)}, {});
  Exec("x = 1");
  EXPECT_EQ(Match(), 1u);
  const sources::SourceRoots bare{nullptr, 0, nullptr, Eval("{'a': 0}").Release(),
                                  PyEval_GetBuiltins()};
  EXPECT_EQ(tree_.Match(bare, {}), 0u);
  Py_DECREF(bare.globals);
  EXPECT_EQ(tree_.Match({}, {}), 0u);
  EXPECT_EQ(Match(), 1u);
}

TEST_F(GuardTreeTest, AbsenceMustBeCertain) {
  tree_.AddEntry({Absent(Global("x"))}, {});
  Exec("del x");
  EXPECT_EQ(Match(), 1u);
  Exec("class S(str):\n  __hash__ = str.__hash__\nglobals()[S('x')] = 1");
  EXPECT_EQ(Match(), 0u);
  EXPECT_THAT(tree_.ExplainMiss(0, roots()), HasSubstr("only Python code could tell"));
}

TEST_F(GuardTreeTest, ExplainsTheFirstMiss) {
  Exec("x = array(2, 3, 4); y = 7");
  const sources::Source* x = Global("x");
  const Guard rank{GuardKind::kArray, x, Ref(), 2, static_cast<int>(DType::kFloat64)};
  const Guard size{GuardKind::kDimEquals, x, Ref(), 0, 5};
  tree_.AddEntry({IntIs(Global("y"), 7), rank, size}, {});
  EXPECT_EQ(
      tree_.ExplainMiss(0, roots()),
      "x is an array of f64, rank 2: expected f64 array of rank 2, found f64 array of rank 3");
  EXPECT_THAT(tree_.Misses(0, roots()),
              ElementsAre(Pointee(Field(&Guard::kind, GuardKind::kArray)),
                          Pointee(Field(&Guard::kind, GuardKind::kDimEquals))));
  Exec("x = array(5, 3)");
  EXPECT_EQ(tree_.ExplainMiss(0, roots()), "");
  EXPECT_EQ(tree_.Describe(0), "y == 7\nx is an array of f64, rank 2\nx.shape[0] == 5\n");
}

// What programs define is not kept by guards; what comes to lie at its address is something else.
// Memory of what is gone was used for what came after it. AddressSanitizer keeps it for a while.
void ExpectReused([[maybe_unused]] int same_address) {
#ifndef __SANITIZE_ADDRESS__
  EXPECT_GT(same_address, 0);
#endif
}

TEST_F(GuardTreeTest, AFunctionThatIsGoneNeverMatchesAgain) {
  const sources::Source* x = Global("x");
  Exec("x = lambda: 1");
  BorrowedRef address = PyDict_GetItemString(globals(), "x");
  tree_.AddEntry({Is(x, "x")}, {x});
  tree_.AddEntry({{GuardKind::kTypeIs, x, Eval("type(x)")}}, {});
  EXPECT_EQ(Match(), 3u);
  EXPECT_FALSE(tree_.HasGone());
  int same_address = 0;
  for (int i = 0; i < 100; ++i) {
    Exec("x = None\nx = lambda: 2");
    same_address += PyDict_GetItemString(globals(), "x") == address;
    EXPECT_EQ(Match(), 2u);
  }
  ExpectReused(same_address);
  EXPECT_TRUE(tree_.HasGone());
  EXPECT_EQ(tree_.Describe(0), "x is what is gone\n");
  EXPECT_THAT(tree_.ExplainMiss(0, roots()), HasSubstr("expected what is gone, found function"));
  tree_.AddEntry({Is(x, "x")}, {});
  EXPECT_EQ(Match(), 6u);
}

TEST_F(GuardTreeTest, AClassThatIsGoneNeverMatchesAgain) {
  const sources::Source* x = Global("x");
  const char* const kNew = "x = None\n__import__('gc').collect()\nx = type('C', (), {})()";
  // Between others, so that what it leaves is as large as what comes next.
  Exec("made = [type('C', (), {})() for _ in range(64)]\nx = made.pop(32)");
  tree_.AddEntry({{GuardKind::kTypeIs, x, Eval("type(x)")}}, {});
  EXPECT_EQ(Match(), 1u);
  int same_address = 0;
  const void* address = Py_TYPE(PyDict_GetItemString(globals(), "x"));
  for (int i = 0; i < 20; ++i) {
    Exec(kNew);
    same_address += Py_TYPE(PyDict_GetItemString(globals(), "x")) == address;
    EXPECT_EQ(Match(), 0u);
  }
  ExpectReused(same_address);
}

TEST_F(GuardTreeTest, DropsItsReferences) {
  const Ref object = Eval("object()");
  const Py_ssize_t before = Py_REFCNT(object.get());
  {
    GuardTree tree;
    tree.AddEntry({{GuardKind::kIdentity, Global("x"), object}}, {Global("x")});
    tree.AddEntry({{GuardKind::kIdentity, Global("x"), object}}, {});
    PyDict_SetItemString(globals(), "x", object.get());
    std::vector<BorrowedRef> slots(tree.num_slots());
    const Py_ssize_t held = Py_REFCNT(object.get());
    for (int i = 0; i < 100; ++i) EXPECT_EQ(tree.Match(roots(), absl::MakeSpan(slots)), 3u);
    EXPECT_EQ(Py_REFCNT(object.get()), held);
    Exec("x = None");
  }
  EXPECT_EQ(Py_REFCNT(object.get()), before);
}

}  // namespace
}  // namespace dynacc::guards
