#include "frontend/sources/source.h"

#include <set>

#include "gmock/gmock.h"
#include "tests/frontend/python_environment.h"

namespace dynacc::sources {
namespace {

// Everything that the cases below reach, under names of one letter or two.
constexpr const char* kWorld = R"(
import types
module = types.ModuleType('module'); module.a = 'module_a'
def make(free):
    def f(p, q='default_q', *, k='default_k'):
        return free, somewhere
    return f
f = make('free_value')
class Base:
    inherited = 'inherited'
class C(Base):
    own = 'own'
    def method(self): pass
    def __init__(self): self.x = 'instance_x'
class Slots:
    __slots__ = ('s', 't')
class OtherSlots:
    __slots__ = ('s', 't')
untouched = C()
inline = C()                          # values inline, no dict object
with_dict = C(); with_dict.__dict__   # the dict object was made
replaced = C(); replaced.__dict__ = {'x': 'replaced_x'}
slots = Slots(); slots.s = 'slot_s'
method = inline.method
odd_keys = {1: 1, 'x': 'odd_x'}
shadow = C(); del shadow.x
def make_empty():
    def g(): return late
    return g
    late = 1
g = make_empty()
class TupleSub(tuple): pass
class ListSub(list): pass
class DictSub(dict): pass
one = 1
import functools
answer = 'answer'
cached = functools.cache(lambda key: answer); cached('k')
bounded = functools.lru_cache(maxsize=2)(cached); bounded('k')
typed = functools.lru_cache(typed=True)(cached); typed('k')
pair = ('a', 'b')
moved = iter(['a', 'b']); next(moved)
ended = iter(['a']); list(ended)
class OddModule(types.ModuleType): pass
odd_module = OddModule('odd_module'); odd_module.a = 'odd_a'
elsewhere = types.FunctionType(f.__code__, {'__builtins__': {}}, closure=f.__closure__)
)";

struct AccessCase {
  SourceKind kind;
  const char* parent;  // expression; null: no parent
  int64_t index;
  const char* name;      // null: none
  const char* expected;  // expression whose value it is; null: absent
};

constexpr AccessCase kCases[] = {
    {SourceKind::kLocal, nullptr, 0, "first", "locals_[0]"},
    {SourceKind::kLocal, nullptr, 1, "unbound", nullptr},
    {SourceKind::kLocal, nullptr, 99, "beyond", nullptr},
    {SourceKind::kLocal, nullptr, -1, "before", nullptr},
    {SourceKind::kStack, nullptr, 0, nullptr, "locals_[3]"},
    {SourceKind::kStack, nullptr, 1, nullptr, nullptr},
    {SourceKind::kLocalCell, nullptr, 2, "cell", "'free_value'"},
    {SourceKind::kLocalCell, nullptr, 0, "no cell", nullptr},
    {SourceKind::kLocalCell, nullptr, 1, "unbound", nullptr},
    {SourceKind::kFunction, nullptr, 0, nullptr, "f"},
    {SourceKind::kGlobal, nullptr, 0, "inline", "inline"},
    {SourceKind::kGlobal, nullptr, 0, "nowhere", nullptr},
    {SourceKind::kGlobal, "module", 0, "a", "'module_a'"},
    {SourceKind::kGlobal, "module", 0, "nowhere", nullptr},
    {SourceKind::kGlobal, "inline", 0, "x", nullptr},
    {SourceKind::kGlobals, nullptr, 0, nullptr, "globals()"},
    {SourceKind::kBuiltin, nullptr, 0, "len", "len"},
    {SourceKind::kBuiltin, nullptr, 0, "nowhere", nullptr},
    {SourceKind::kFunctionGlobal, "f", 0, "inline", "inline"},
    {SourceKind::kFunctionGlobal, "f", 0, "nowhere", nullptr},
    {SourceKind::kFunctionGlobal, "inline", 0, "x", nullptr},
    {SourceKind::kFunctionClosure, "f", 0, nullptr, "'free_value'"},
    {SourceKind::kFunctionClosure, "f", 1, nullptr, nullptr},
    {SourceKind::kFunctionClosure, "g", 0, nullptr, nullptr},
    {SourceKind::kFunctionClosure, "make", 0, nullptr, nullptr},
    {SourceKind::kFunctionClosure, "len", 0, nullptr, nullptr},
    {SourceKind::kFunctionCell, "f", 0, nullptr, "f.__closure__[0]"},
    {SourceKind::kFunctionCell, "f", 1, nullptr, nullptr},
    {SourceKind::kFunctionCell, "make", 0, nullptr, nullptr},
    {SourceKind::kFunctionGlobals, "f", 0, nullptr, "f.__globals__"},
    {SourceKind::kFunctionGlobals, "len", 0, nullptr, nullptr},
    {SourceKind::kFunctionDefault, "f", -1, nullptr, "'default_q'"},
    {SourceKind::kFunctionDefault, "f", -2, nullptr, nullptr},
    {SourceKind::kFunctionDefault, "f", 0, nullptr, nullptr},
    {SourceKind::kFunctionDefault, "make", -1, nullptr, nullptr},
    {SourceKind::kFunctionDefault, "method", -1, nullptr, nullptr},
    {SourceKind::kFunctionKwDefault, "f", 0, "k", "'default_k'"},
    {SourceKind::kFunctionKwDefault, "f", 0, "q", nullptr},
    {SourceKind::kFunctionKwDefault, "make", 0, "k", nullptr},
    {SourceKind::kFunctionKwDefault, "module", 0, "k", nullptr},
    {SourceKind::kFunctionCode, "f", 0, nullptr, "f.__code__"},
    {SourceKind::kFunctionCode, "len", 0, nullptr, nullptr},
    {SourceKind::kFunctionCode, "elsewhere", 0, nullptr, nullptr},
    {SourceKind::kModuleAttr, "module", 0, "a", "'module_a'"},
    {SourceKind::kModuleAttr, "odd_module", 0, "a", nullptr},
    {SourceKind::kModuleAttr, "module", 0, "nowhere", nullptr},
    {SourceKind::kModuleAttr, "inline", 0, "x", nullptr},
    {SourceKind::kInstanceAttr, "inline", 0, "x", "'instance_x'"},
    {SourceKind::kInstanceAttr, "with_dict", 0, "x", "'instance_x'"},
    {SourceKind::kInstanceAttr, "replaced", 0, "x", "'replaced_x'"},
    {SourceKind::kInstanceAttr, "module", 0, "a", "'module_a'"},
    {SourceKind::kInstanceAttr, "f", 0, "x", nullptr},
    {SourceKind::kInstanceAttr, "shadow", 0, "x", nullptr},
    {SourceKind::kInstanceAttr, "inline", 0, "own", nullptr},
    {SourceKind::kInstanceAttr, "slots", 0, "s", nullptr},
    {SourceKind::kInstanceAttr, "1", 0, "x", nullptr},
    {SourceKind::kInstanceDict, "with_dict", 0, nullptr, "with_dict.__dict__"},
    {SourceKind::kInstanceDict, "replaced", 0, nullptr, "replaced.__dict__"},
    {SourceKind::kInstanceDict, "module", 0, nullptr, "module.__dict__"},
    {SourceKind::kInstanceDict, "untouched", 0, nullptr, nullptr},
    {SourceKind::kInstanceDict, "slots", 0, nullptr, nullptr},
    {SourceKind::kSlotAttr, "slots", 16, "s", "'slot_s'"},
    {SourceKind::kSlotAttr, "slots", 24, "t", nullptr},
    {SourceKind::kSlotAttr, "slots", 24, "s", nullptr},
    {SourceKind::kSlotAttr, "slots", 1 << 20, "s", nullptr},
    {SourceKind::kSlotAttr, "inline", 16, "x", nullptr},
    {SourceKind::kSlotAttr, "1", 16, "s", nullptr},
    {SourceKind::kTypeAttr, "inline", 0, "own", "'own'"},
    {SourceKind::kTypeAttr, "inline", 0, "inherited", "'inherited'"},
    {SourceKind::kTypeAttr, "inline", 0, "x", nullptr},
    {SourceKind::kTypeAttr, "1", 0, "own", nullptr},
    {SourceKind::kClassAttr, "C", 0, "own", "'own'"},
    {SourceKind::kClassAttr, "C", 0, "inherited", "'inherited'"},
    {SourceKind::kClassAttr, "C", 0, "x", nullptr},
    {SourceKind::kClassAttr, "inline", 0, "own", nullptr},
    {SourceKind::kClassName, "C", 0, nullptr, "C.__name__"},
    {SourceKind::kClassName, "int", 0, nullptr, nullptr},
    {SourceKind::kClassName, "inline", 0, nullptr, nullptr},
    {SourceKind::kClassQualname, "C", 0, nullptr, "C.__qualname__"},
    {SourceKind::kClassQualname, "int", 0, nullptr, nullptr},
    {SourceKind::kType, "inline", 0, nullptr, "C"},
    {SourceKind::kTupleItem, "('a', 'b')", 1, nullptr, "'b'"},
    {SourceKind::kTupleItem, "TupleSub(('a', 'b'))", 1, nullptr, "'b'"},
    {SourceKind::kTupleItem, "('a', 'b')", 2, nullptr, nullptr},
    {SourceKind::kTupleItem, "('a', 'b')", -1, nullptr, nullptr},
    {SourceKind::kTupleItem, "['a', 'b']", 1, nullptr, nullptr},
    {SourceKind::kListItem, "['a', 'b']", 1, nullptr, "'b'"},
    {SourceKind::kListItem, "['a', 'b']", 2, nullptr, nullptr},
    {SourceKind::kListItem, "['a', 'b']", -2, nullptr, "'a'"},
    {SourceKind::kListItem, "['a', 'b']", -3, nullptr, nullptr},
    {SourceKind::kListItem, "ListSub('ab')", 1, nullptr, nullptr},
    {SourceKind::kListItem, "('a', 'b')", 1, nullptr, nullptr},
    {SourceKind::kDequeItem, "__import__('collections').deque([7, 8])", 1, nullptr, "8"},
    {SourceKind::kDequeItem, "__import__('collections').deque([7, 8])", 2, nullptr, nullptr},
    {SourceKind::kDequeItem, "['a', 'b']", 1, nullptr, nullptr},
    {SourceKind::kSequenceItemAt, "['a', 'b', 'c']", 0, nullptr, "'b'"},
    {SourceKind::kSequenceItemAt, "('a', 'b', 'c')", 1, nullptr, "'c'"},
    {SourceKind::kSequenceItemAt, "('a', 'b', 'c')", -3, nullptr, "'b'"},
    {SourceKind::kSequenceItemAt, "['a', 'b', 'c']", 2, nullptr, nullptr},
    {SourceKind::kSequenceItemAt, "['a', 'b', 'c']", -5, nullptr, nullptr},
    {SourceKind::kSequenceItemAt, "['a', 'b', 'c']", INT64_MAX, nullptr, nullptr},
    {SourceKind::kSequenceItemAt, "ListSub('abc')", 0, nullptr, nullptr},
    {SourceKind::kSequenceItemAt, "inline", 0, nullptr, nullptr},
    {SourceKind::kDictItem, "{'k': 'v'}", 0, "k", "'v'"},
    {SourceKind::kDictItem, "odd_keys", 0, "x", "'odd_x'"},
    {SourceKind::kDictItem, "odd_keys", 0, "y", nullptr},
    {SourceKind::kDictItem, "{'k': 'v'}", 0, "l", nullptr},
    {SourceKind::kDictItem, "DictSub(k='v')", 0, "k", "'v'"},
    {SourceKind::kDictItem, "inline", 0, "x", nullptr},
    {SourceKind::kDictKeyItem, "{'k': 'v'}", 0, "k", "'v'"},
    {SourceKind::kDictKeyItem, "{'k': 'v'}", 0, "l", nullptr},
    {SourceKind::kDictKeyItem, "inline", 0, "x", nullptr},
    {SourceKind::kCachedResult, "cached", 0, "k", "answer"},
    {SourceKind::kCachedResult, "bounded", 0, "k", "answer"},
    {SourceKind::kCachedResult, "cached", 0, "l", nullptr},
    {SourceKind::kCachedResult, "typed", 0, "k", nullptr},
    {SourceKind::kCachedResult, "f", 0, "k", nullptr},
    {SourceKind::kIteratedSequence, "iter(pair)", 0, nullptr, "pair"},
    {SourceKind::kIteratedSequence, "iter(ListSub('ab'))", 0, nullptr, nullptr},
    {SourceKind::kIteratedSequence, "iter('ab')", 0, nullptr, nullptr},
    {SourceKind::kIteratorItem, "iter(pair)", 1, nullptr, "'b'"},
    {SourceKind::kIteratorItem, "iter(pair)", 2, nullptr, nullptr},
    {SourceKind::kIteratorItem, "moved", 0, nullptr, "'b'"},
    {SourceKind::kIteratorItem, "ended", 0, nullptr, nullptr},
    {SourceKind::kIteratorItem, "['a', 'b']", 0, nullptr, nullptr},
    {SourceKind::kModuleDict, "module", 0, nullptr, "module.__dict__"},
    {SourceKind::kModuleDict, "inline", 0, nullptr, nullptr},
    {SourceKind::kModuleDict, "odd_module", 0, nullptr, nullptr},
    {SourceKind::kMethodSelf, "method", 0, nullptr, "inline"},
    {SourceKind::kMethodSelf, "f", 0, nullptr, nullptr},
    {SourceKind::kMethodFunction, "method", 0, nullptr, "C.method"},
    {SourceKind::kMethodFunction, "f", 0, nullptr, nullptr},
};

constexpr const char* kKindNames[] = {
#define DYNACC_SOURCE(kind, form, doc) #kind,
#include "frontend/sources/sources.def"
#undef DYNACC_SOURCE
};

Ref Str(const char* text) {
  return text == nullptr ? Ref() : Ref::Steal(PyUnicode_FromString(text));
}

class SourceTest : public PythonTest {
 protected:
  SourceTest() {
    Exec(kWorld);
    Exec("locals_ = [object(), None, f.__closure__[0], object()]");
    locals_ = Eval("locals_");
    for (int i = 0; i < 4; ++i) localsplus_[i] = PyList_GET_ITEM(locals_.get(), i);
    localsplus_[1] = nullptr;
    function_ = Eval("f");
    roots_ = {localsplus_, 3, function_.get(), globals(), PyEval_GetBuiltins()};
  }

  const Source* Make(SourceKind kind, const Source* parent, int64_t index, const char* name) {
    return table_.Intern(kind, parent, index, Str(name).get());
  }
  // A source whose parent is any Local: the parent's value is passed to AccessSource directly.
  const Source* Make(const AccessCase& c) {
    const Source* parent =
        c.parent == nullptr ? nullptr : Make(SourceKind::kLocal, nullptr, 0, "first");
    if (c.kind == SourceKind::kSequenceItemAt) {
      const Source* one = Make(SourceKind::kGlobal, nullptr, 0, "one");
      return table_.Intern(c.kind, parent, c.index, nullptr, one);
    }
    return Make(c.kind, parent, c.index, c.name);
  }

  SourceTable table_;
  FrameSlot localsplus_[5];
  Ref locals_;
  Ref function_;
  SourceRoots roots_;
};

TEST_F(SourceTest, EveryKindFindsItsValueOrNothing) {
  for (const AccessCase& c : kCases) {
    SCOPED_TRACE(std::string(kKindNames[static_cast<int>(c.kind)]) + " of " +
                 (c.parent == nullptr ? "the frame" : c.parent) + " -> " +
                 (c.expected == nullptr ? "absent" : c.expected));
    const Ref parent = c.parent == nullptr ? Ref() : Eval(c.parent);
    const Ref value = Ref::New(AccessSource(*Make(c), parent.get(), roots_));
    EXPECT_FALSE(PyErr_Occurred());
    if (c.expected == nullptr) {
      EXPECT_EQ(value.get(), nullptr);
    } else {
      EXPECT_EQ(value.get(), Eval(c.expected).get());
    }
  }
}

TEST_F(SourceTest, EveryKindIsTestedPresentAndAbsent) {
  std::set<SourceKind> present, absent;
  for (const AccessCase& c : kCases) (c.expected == nullptr ? absent : present).insert(c.kind);
  absent.insert(SourceKind::kFunction);  // a frame always has one
  absent.insert(SourceKind::kType);      // and an object a type
  absent.insert(SourceKind::kGlobals);   // and a frame its globals
  present.insert(SourceKind::kPinned);   // PinnedIsTheObjectItself
  absent.insert(SourceKind::kPinned);    // never
#define DYNACC_SOURCE(kind, form, doc)                      \
  EXPECT_TRUE(present.count(SourceKind::k##kind)) << #kind; \
  EXPECT_TRUE(absent.count(SourceKind::k##kind)) << #kind;
#include "frontend/sources/sources.def"
#undef DYNACC_SOURCE
}

TEST_F(SourceTest, DictKeysMayBeAnyPlainConstant) {
  Exec("class Odd:\n  def __hash__(self): return hash(7)\n  def __eq__(self, other): return True");
  Exec("many = {i: str(i) for i in range(300)}; many[('a', 1)] = 'pair'; many[None] = 'none'");
  Exec("odd = {Odd(): 1}");
  const Source* local = Make(SourceKind::kLocal, nullptr, 0, "first");
  const auto find = [&](const char* dict, const char* key) {
    const Ref object = Eval(dict), name = Eval(key);
    const Source* source = table_.Intern(SourceKind::kDictKeyItem, local, 0, name.get());
    BorrowedRef found = AccessSource(*source, object.get(), roots_);
    return found == nullptr ? std::string("absent") : PyUnicode_AsUTF8(found);
  };
  EXPECT_EQ(find("many", "7"), "7");
  EXPECT_EQ(find("many", "299"), "299");
  EXPECT_EQ(find("many", "7.0"), "7");
  EXPECT_EQ(find("many", "300"), "absent");
  EXPECT_EQ(find("many", "('a', 1)"), "pair");
  EXPECT_EQ(find("many", "None"), "none");
  EXPECT_EQ(find("{'a': 'b'}", "7"), "absent");
  EXPECT_EQ(find("odd", "7"), "absent");  // only Python code could tell
}

TEST_F(SourceTest, AccessOfNothingIsNothing) {
  for (const AccessCase& c : kCases) {
    if (c.parent == nullptr) continue;
    EXPECT_EQ(AccessSource(*Make(c), nullptr, roots_), nullptr);
  }
}

TEST_F(SourceTest, InstanceAttrMakesNoDict) {
  Exec("fresh = C()");
  const Ref fresh = Eval("fresh");
  ASSERT_NE(AccessSource(
                *Make(SourceKind::kInstanceAttr, Make(SourceKind::kLocal, nullptr, 0, "o"), 0, "x"),
                fresh.get(), roots_),
            nullptr);
  // The slot of the managed dict lies three words before the object.
  EXPECT_EQ(reinterpret_cast<PyObject**>(fresh.get())[-3], nullptr);
}

TEST_F(SourceTest, SlotOfAnotherClassIsAbsent) {
  Exec("OtherSlots.s = Slots.s; other = OtherSlots(); other.t = 1");
  const Source* source =
      Make(SourceKind::kSlotAttr, Make(SourceKind::kLocal, nullptr, 0, "o"), 16, "s");
  EXPECT_EQ(AccessSource(*source, Eval("other").get(), roots_), nullptr);
}

TEST_F(SourceTest, RunsNoPythonCode) {
  Exec(R"(
class Hostile:
    calls = 0
    def _note(self, *args): Hostile.calls += 1; raise RuntimeError
    __eq__ = __getattr__ = __getattribute__ = __getitem__ = __len__ = __iter__ = _note
    __bool__ = __index__ = __call__ = __get__ = _note
    def __hash__(self): Hostile.calls += 1; return hash('x')
class HostileStr(str):
    def __eq__(self, other): Hostile.calls += 1; return str.__eq__(self, other)
    def __hash__(self): return hash('x')
by_object = {Hostile(): 1}
by_str = {HostileStr('x'): 1, 'y': 2}
before = Hostile.calls
)");
  for (const char* parent : {"Hostile()", "by_object", "by_str", "[Hostile()]", "(Hostile(),)"}) {
    const Ref object = Eval(parent);
    for (const AccessCase& c : kCases) {
      if (c.parent != nullptr) AccessSource(*Make(c), object.get(), roots_);
      EXPECT_FALSE(PyErr_Occurred());
    }
  }
  EXPECT_EQ(Eval("Hostile.calls").get(), Eval("before").get());
}

TEST_F(SourceTest, KeysThatOnlyPythonCanCompareAreUnreadable) {
  Exec(R"(
class HostileStr(str):
    __hash__ = str.__hash__
    def __eq__(self, other): return True
odd = {HostileStr('x'): 1, 'y': 2}
)");
  const Source* parent = Make(SourceKind::kLocal, nullptr, 0, "o");
  const Ref odd = Eval("odd");
  EXPECT_EQ(AccessSource(*Make(SourceKind::kDictItem, parent, 0, "x"), odd.get(), roots_), nullptr);
  EXPECT_EQ(AccessSource(*Make(SourceKind::kDictItem, parent, 0, "y"), odd.get(), roots_),
            Eval("2").get());
}

TEST_F(SourceTest, EqualSourcesAreIdentical) {
  const Source* self = Make(SourceKind::kLocal, nullptr, 0, "self");
  const std::string name = "weight";
  EXPECT_EQ(Make(SourceKind::kInstanceAttr, self, 0, name.c_str()),
            Make(SourceKind::kInstanceAttr, self, 0, "weight"));
  EXPECT_NE(Make(SourceKind::kInstanceAttr, self, 0, "weight"),
            Make(SourceKind::kInstanceAttr, self, 0, "bias"));
  EXPECT_NE(Make(SourceKind::kInstanceAttr, self, 0, "weight"),
            Make(SourceKind::kModuleAttr, self, 0, "weight"));
  EXPECT_NE(Make(SourceKind::kListItem, self, 0, nullptr),
            Make(SourceKind::kListItem, self, 1, nullptr));
}

TEST_F(SourceTest, PinnedIsTheObjectItself) {
  Exec("class Str(str): pass\npinned = Str('text')");
  for (const char* object : {"f", "pinned", "inline"}) {
    const Ref pinned = Eval(object);
    const Source* source = table_.Intern(SourceKind::kPinned, nullptr, 0, pinned.get());
    EXPECT_EQ(AccessSource(*source, nullptr, roots_), pinned.get());
    EXPECT_EQ(table_.Intern(SourceKind::kPinned, nullptr, 0, pinned.get()), source);
  }
  const Source* f = table_.Intern(SourceKind::kPinned, nullptr, 0, function_.get());
  EXPECT_EQ(f->ToString(), "<function make.<locals>.f>");
}

TEST_F(SourceTest, WhatWasPinnedMayGo) {
  Exec("def g(): pass");
  Ref g = Eval("g");
  const Source* source = table_.Intern(SourceKind::kPinned, nullptr, 0, g.get());
  const void* address = g.get();
  Exec("g = None");
  g = Ref();
  EXPECT_EQ(AccessSource(*source, nullptr, roots_), nullptr);
  EXPECT_EQ(source->ToString(), "<what is gone>");
  for (int i = 0; i < 1000 && g.get() != address; ++i) {  // CPython gives the freed memory again
    g = Ref();
    Exec("g = None\ndef g(): pass");
    g = Eval("g");
  }
  ASSERT_EQ(g.get(), address);
  const Source* other = table_.Intern(SourceKind::kPinned, nullptr, 0, g.get());
  EXPECT_NE(other, source);
  EXPECT_EQ(AccessSource(*other, nullptr, roots_), g.get());
  EXPECT_EQ(AccessSource(*source, nullptr, roots_), nullptr);
}

TEST_F(SourceTest, PrintsAsPython) {
  const Source* self = Make(SourceKind::kLocal, nullptr, 0, "self");
  const Source* layers = Make(SourceKind::kInstanceAttr, self, 0, "layers");
  const Source* layer = Make(SourceKind::kListItem, layers, 0, nullptr);
  const Source* weight = Make(SourceKind::kInstanceAttr, layer, 0, "weight");
  EXPECT_EQ(weight->ToString(), "self.layers[0].weight");
  EXPECT_EQ(Make(SourceKind::kTypeAttr, self, 0, "forward")->ToString(), "type(self).forward");
  EXPECT_EQ(Make(SourceKind::kDictItem, self, 0, "k")->ToString(), "self['k']");
  EXPECT_EQ(Make(SourceKind::kStack, nullptr, 2, nullptr)->ToString(), "stack[2]");
}

TEST_F(SourceTest, ResolvesWholePaths) {
  Exec("inline.layers = [with_dict]");
  localsplus_[0] = PyDict_GetItemString(globals(), "inline");
  const Source* self = Make(SourceKind::kLocal, nullptr, 0, "self");
  const Source* layers = Make(SourceKind::kInstanceAttr, self, 0, "layers");
  const Source* item = Make(SourceKind::kListItem, layers, 0, nullptr);
  const Source* x = Make(SourceKind::kInstanceAttr, item, 0, "x");
  EXPECT_EQ(ResolveSource(*x, roots_), Eval("'instance_x'").get());
  Exec("inline.layers.clear()");
  EXPECT_EQ(ResolveSource(*x, roots_), nullptr);
}

TEST_F(SourceTest, KeepsReferenceCounts) {
  for (const AccessCase& c : kCases) {
    if (c.parent == nullptr) continue;
    Ref parent = Eval(c.parent);
    const Py_ssize_t before = Py_REFCNT(parent.get());
    for (int i = 0; i < 100; ++i) AccessSource(*Make(c), parent.get(), roots_);
    EXPECT_EQ(Py_REFCNT(parent.get()), before);
  }
}

}  // namespace
}  // namespace dynacc::sources
