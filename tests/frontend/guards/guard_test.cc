#include "frontend/guards/guard.h"

#include <set>

#include "frontend/cpython/abstract_classes.h"
#include "gmock/gmock.h"
#include "tests/frontend/guards/fake_arrays.h"
#include "tests/frontend/python_environment.h"

namespace dynacc::guards {
namespace {

using testing::HasSubstr;

// Float64 and Float32 are numbers 10 and 9 of dtype.def.
static_assert(static_cast<int>(DType::kFloat64) == 10 && static_cast<int>(DType::kFloat32) == 9);

constexpr const char* kWorld = R"(
class T: pass
class Other: pass
class IntSub(int): pass
class FloatSub(float): pass
class StrSub(str): pass
class TupleSub(tuple): pass
class ListSub(list): pass
class DictSub(dict): pass
the_object = T()
class Loud:
    def __del__(self): pass
import weakref
watched = T(); watcher = weakref.ref(watched, print)
named = T(); name = weakref.ref(named)
nan = float('nan'); other_nan = float('nan')
emptied = {1, 9, 3}; emptied.remove(3)
removed = {1, 9, 17}; removed.remove(9)
class Odd:
    def __hash__(self): return 9
    def __eq__(self, other): raise RuntimeError
big = 10 ** 30; same_big = 10 ** 29 * 10
def array(*sizes, dtype=10, contiguous=1): return bytearray([65, dtype, contiguous, *sizes])
def tensor(*sizes, dtype=10): return bytearray([84, dtype, 1, *sizes])
def scalar(dtype=10, kind=2): return bytearray([83, dtype, kind])
)";

// A guard on a value for which it holds or not. `fails` names what the explanation must say.
struct GuardCase {
  GuardKind kind;
  const char* object;  // expression for $o; null: none
  int64_t a;
  int64_t b;
  const char* value;  // expression; null: absent
  const char* fails;  // null: the guard holds
};

constexpr GuardCase kCases[] = {
    {GuardKind::kAbsent, nullptr, 0, 0, nullptr, nullptr},
    {GuardKind::kAbsent, nullptr, 0, 0, "None", "expected nothing, found None"},
    {GuardKind::kPresent, nullptr, 0, 0, "None", nullptr},
    {GuardKind::kPresent, nullptr, 0, 0, nullptr, "expected any value, found nothing"},
    {GuardKind::kDiesQuietly, nullptr, 0, 0, "T()", nullptr},
    {GuardKind::kDiesQuietly, nullptr, 0, 0, "3", nullptr},
    {GuardKind::kDiesQuietly, nullptr, 0, 0, "named", nullptr},
    {GuardKind::kDiesQuietly, nullptr, 0, 0, "T", nullptr},
    {GuardKind::kDiesQuietly, nullptr, 0, 0, nullptr, nullptr},
    {GuardKind::kDiesQuietly, nullptr, 0, 0, "Loud()", "expected an object without a finalizer"},
    {GuardKind::kDiesQuietly, nullptr, 0, 0, "watched", "expected an object without a finalizer"},
    {GuardKind::kIdentity, "the_object", 0, 0, "the_object", nullptr},
    {GuardKind::kIdentity, "the_object", 0, 0, "T()", "found T object (another object)"},
    {GuardKind::kIdentity, "True", 0, 0, "1", "expected bool True, found int 1"},
    {GuardKind::kIdentity, "None", 0, 0, nullptr, "expected None, found nothing"},
    {GuardKind::kNotSame, "the_object", 0, 0, "T()", nullptr},
    {GuardKind::kNotSame, "the_object", 0, 0, "the_object", "other than T object"},
    {GuardKind::kNotSame, "the_object", 0, 0, nullptr, "found nothing"},
    {GuardKind::kTypeIs, "T", 0, 0, "T()", nullptr},
    {GuardKind::kTypeIs, "int", 0, 0, "3", nullptr},
    {GuardKind::kTypeIs, "int", 0, 0, "True", "expected type int, found bool"},
    {GuardKind::kTypeIs, "T", 0, 0, nullptr, "expected type T, found nothing"},
    {GuardKind::kTypeFlags, nullptr, Py_TPFLAGS_SEQUENCE, Py_TPFLAGS_SEQUENCE, "[]", nullptr},
    {GuardKind::kTypeFlags, nullptr, Py_TPFLAGS_SEQUENCE, 0, "{}", nullptr},
    {GuardKind::kTypeFlags, nullptr, Py_TPFLAGS_SEQUENCE, 0, "ListSub()",
     "type ListSub was registered as another kind of collection"},
    {GuardKind::kTypeFlags, nullptr, Py_TPFLAGS_MAPPING, 0, nullptr, "found nothing"},
    {GuardKind::kIntEquals, nullptr, 7, 0, "7", nullptr},
    {GuardKind::kIntEquals, nullptr, -7, 0, "-7", nullptr},
    {GuardKind::kIntEquals, nullptr, 0, 0, "0", nullptr},
    {GuardKind::kIntEquals, nullptr, INT64_MIN, 0, "-2**63", nullptr},
    {GuardKind::kIntEquals, nullptr, INT64_MAX, 0, "2**63 - 1", nullptr},
    {GuardKind::kIntEquals, nullptr, 7, 0, "8", "expected int 7, found int 8"},
    {GuardKind::kIntEquals, nullptr, 7, 0, "7 + 2**64", "found int 18446744073709551623"},
    {GuardKind::kIntEquals, nullptr, 1, 0, "True", "found bool True"},
    {GuardKind::kIntEquals, nullptr, 1, 0, "1.0", "found float 1.0"},
    {GuardKind::kIntEquals, nullptr, 1, 0, "IntSub(1)", "found IntSub object"},
    {GuardKind::kIntEquals, nullptr, 1, 0, nullptr, "found nothing"},
    {GuardKind::kFloatEquals, "1.5", 0, 0, "1.5", nullptr},
    {GuardKind::kFloatEquals, "nan", 0, 0, "other_nan", nullptr},
    {GuardKind::kFloatEquals, "0.0", 0, 0, "-0.0", "expected float 0.0, found float -0.0"},
    {GuardKind::kFloatEquals, "1.0", 0, 0, "1", "found int 1"},
    {GuardKind::kFloatEquals, "1.0", 0, 0, "FloatSub(1)", "found FloatSub object"},
    {GuardKind::kStrEquals, "'mode'", 0, 0, "'mo' + 'de'", nullptr},
    {GuardKind::kStrEquals, "'m\\u00f6de'", 0, 0, "''.join(['m\\u00f6', 'de'])", nullptr},
    {GuardKind::kStrEquals, "'mode'", 0, 0, "'node'", "expected str 'mode', found str 'node'"},
    {GuardKind::kStrEquals, "'mode'", 0, 0, "StrSub('mode')", "found StrSub object"},
    {GuardKind::kStrEquals, "'mode'", 0, 0, nullptr, "found nothing"},
    {GuardKind::kConstantEquals, "b'ab'", 0, 0, "bytes([97, 98])", nullptr},
    {GuardKind::kConstantEquals, "1+2j", 0, 0, "complex(1, 2)", nullptr},
    {GuardKind::kConstantEquals, "big", 0, 0, "same_big", nullptr},
    {GuardKind::kConstantEquals, "(1, 'a', (nan,))", 0, 0, "(1, 'a', (other_nan,))", nullptr},
    {GuardKind::kConstantEquals, "...", 0, 0, "...", nullptr},
    {GuardKind::kConstantEquals, "b'ab'", 0, 0, "b'ac'", "expected bytes b'ab', found bytes b'ac'"},
    {GuardKind::kConstantEquals, "0j", 0, 0, "-0j", "found complex"},
    {GuardKind::kConstantEquals, "big", 0, 0, "-big", "found int -1"},
    {GuardKind::kConstantEquals, "(1,)", 0, 0, "(True,)", "(of another value)"},
    {GuardKind::kConstantEquals, "(1,)", 0, 0, "(1, 2)", "(of another value)"},
    {GuardKind::kConstantEquals, "the_object", 0, 0, "T()", "(of another value)"},
    {GuardKind::kIntFits, nullptr, 0, 0, "2**63 - 1", nullptr},
    {GuardKind::kIntFits, nullptr, 0, 0, "2**63", "expected an int that fits 64 bits"},
    {GuardKind::kIntFits, nullptr, 0, 0, "False", "found bool False"},
    {GuardKind::kIntFits, nullptr, 0, 0, nullptr, "found nothing"},
    {GuardKind::kFloatAny, nullptr, 0, 0, "2.5", nullptr},
    {GuardKind::kFloatAny, nullptr, 0, 0, "2", "expected a float, found int 2"},
    {GuardKind::kTupleLength, nullptr, 2, 0, "(1, 2)", nullptr},
    {GuardKind::kTupleLength, nullptr, 2, 0, "(1,)", "found tuple object of length 1"},
    {GuardKind::kTupleLength, nullptr, 2, 0, "TupleSub((1, 2))", "found TupleSub object"},
    {GuardKind::kListLength, nullptr, 2, 0, "[1, 2]", nullptr},
    {GuardKind::kListLength, nullptr, 2, 0, "[]", "found list object of length 0"},
    {GuardKind::kListLength, nullptr, 2, 0, "ListSub((1, 2))", "found ListSub object"},
    {GuardKind::kDequeShape, nullptr, 2, -1, "__import__('collections').deque('ab')", nullptr},
    {GuardKind::kDequeShape, nullptr, 2, 3, "__import__('collections').deque('ab', 3)", nullptr},
    {GuardKind::kDequeShape, nullptr, 2, 3, "__import__('collections').deque('ab')", "of length 2"},
    {GuardKind::kDequeShape, nullptr, 2, -1, "__import__('collections').deque('a')", "of length 1"},
    {GuardKind::kDequeShape, nullptr, 2, -1, "[1, 2]", "found list object of length 2"},
    {GuardKind::kDictLength, nullptr, 1, 0, "{'a': 1}", nullptr},
    {GuardKind::kDictLength, nullptr, 1, 0, "{}", "found dict object of length 0"},
    {GuardKind::kDictLength, nullptr, 1, 0, "DictSub(a=1)", "found DictSub object"},
    {GuardKind::kDictKeys, "('a', 2)", 0, 0, "{'a': 1, 2: 3}", nullptr},
    {GuardKind::kDictKeys, "('a', 2)", 0, 0, "{2: 3, 'a': 1}", "keys that were captured"},
    {GuardKind::kDictKeys, "('a', 2)", 0, 0, "{'a': 1}", "keys that were captured"},
    {GuardKind::kDictKeys, "('a', 2)", 0, 0, "{'a': 1, 2.0: 3}", "keys that were captured"},
    {GuardKind::kDictKeys, "('a',)", 0, 0, "DictSub(a=1)", nullptr},
    {GuardKind::kDictKeys, "('a',)", 0, 0, "DictSub(b=1)", "keys that were captured"},
    {GuardKind::kSetMember, "T", 1, 0, "{T, Other, 'a'}", nullptr},
    {GuardKind::kSetMember, "T", 0, 0, "{Other, 'a'}", nullptr},
    {GuardKind::kSetMember, "T", 0, 0, "set()", nullptr},
    {GuardKind::kSetMember, "37", 1, 0, "set(range(99))", nullptr},
    {GuardKind::kSetMember, "99", 0, 0, "set(range(99))", nullptr},
    {GuardKind::kSetMember, "('a', 1)", 1, 0, "{('a', 1.0)}", nullptr},
    {GuardKind::kSetMember, "9", 0, 0, "removed", nullptr},
    {GuardKind::kSetMember, "T", 1, 0, "{Other}", "expected a set with type T, found set"},
    {GuardKind::kSetMember, "9", 0, 0, "{1, 9}", "expected a set without int 9, found set"},
    {GuardKind::kSetMember, "9", 1, 0, "{Odd()}", "expected a set with int 9, found set"},
    {GuardKind::kSetMember, "9", 0, 0, "{Odd()}", "expected a set without int 9, found set"},
    {GuardKind::kSetMember, "9", 1, 0, "frozenset((1, 9))", "found frozenset object"},
    {GuardKind::kSetMember, "9", 0, 0, nullptr, "found nothing"},
    {GuardKind::kSetTable, "{1, 9}", 0, 0, "{1, 9}", nullptr},
    {GuardKind::kSetTable, "{1, 9}", 0, 0, "{9, 1}", "made as the captured one"},
    {GuardKind::kSetTable, "{1, 9}", 0, 0, "{1, 9, 3} - {3}", nullptr},
    {GuardKind::kSetTable, "{1, 9}", 0, 0, "emptied", "made as the captured one"},
    {GuardKind::kSetTable, "{1, 9}", 0, 0, "{1, 9.0}", "made as the captured one"},
    {GuardKind::kSetTable, "{1, 9}", 0, 0, "frozenset((1, 9))", "found frozenset object"},
    {GuardKind::kSetTable, "set()", 0, 0, nullptr, "found nothing"},
    {GuardKind::kClassVersion, nullptr, -1, 0, "T", "an attribute of type T or of a base"},
    {GuardKind::kClassVersion, nullptr, -1, 0, "3", "expected a class, found int 3"},
    {GuardKind::kArray, nullptr, 2, 10, "array(3, 4)", nullptr},
    {GuardKind::kArray, nullptr, 2, 10, "array(3, 4, 5)",
     "expected f64 array of rank 2, found f64 array of rank 3"},
    {GuardKind::kArray, nullptr, 2, 10, "array(3, 4, dtype=9)", "found f32 array of rank 2"},
    {GuardKind::kArray, nullptr, 0, 10, "1.0", "found float 1.0"},
    {GuardKind::kArray, nullptr, 0, 10, nullptr, "found nothing"},
    {GuardKind::kTensor, nullptr, 2, 10, "tensor(3, 4)", nullptr},
    {GuardKind::kTensor, nullptr, 1, 10, "tensor(3, 4)", "expected f64 tensor of rank 1"},
    {GuardKind::kTensor, nullptr, 2, 10, "array(3, 4)",
     "expected f64 tensor of rank 2, found f64 array of rank 2"},
    {GuardKind::kTensor, nullptr, 0, 10, nullptr, "found nothing"},
    {GuardKind::kNumpyScalar, nullptr, 0, 10, "scalar()", nullptr},
    {GuardKind::kNumpyScalar, nullptr, 0, 10, "scalar(9)",
     "expected numpy scalar f64, found numpy scalar f32"},
    {GuardKind::kDimEquals, nullptr, 1, 4, "array(3, 4)", nullptr},
    {GuardKind::kDimEquals, nullptr, 1, 4, "array(3, 5)", "expected size 4 of axis 1, found 5"},
    {GuardKind::kDimEquals, nullptr, 1, 4, "array(3)", "expected an array with axis 1"},
    {GuardKind::kDimEquals, nullptr, 1, 4, nullptr, "found nothing"},
    {GuardKind::kContiguous, nullptr, 0, 0, "array(3)", nullptr},
    {GuardKind::kContiguous, nullptr, 0, 0, "array(3, contiguous=0)", "a C-contiguous array"},
    {GuardKind::kWritable, nullptr, 0, 0, "array(3)", nullptr},
    {GuardKind::kWritable, nullptr, 0, 0, "array(3, contiguous=2)", "a writable array"},
    {GuardKind::kScalarClass, nullptr, 2, 0, "scalar(10, 2)", nullptr},
    {GuardKind::kScalarClass, nullptr, 2, 0, "scalar(10, 3)", "of class 3"},
    {GuardKind::kScalarClass, nullptr, 2, 0, "'a'", "casts as class 2, found str 'a'"},
    {GuardKind::kAbstractClasses, nullptr, -2, 0, "'a'", "registered with an abstract one"},
    {GuardKind::kErrorState, nullptr, 7, 0, "'a'", nullptr},
    {GuardKind::kErrorState, nullptr, 8, 0, "'a'", "expected the error state 8, found 7"},
};

class GuardTest : public PythonTest {
 protected:
  GuardTest() {
    RegisterArrayChecks(&kFakeArrayChecks);
    Exec(kWorld);
    source_ = table_.Intern(sources::SourceKind::kLocal, nullptr, 0, Eval("'x'").get());
  }

  Ref EvalOrNull(const char* expression) const {
    return expression == nullptr ? Ref() : Eval(expression);
  }
  Guard Make(const GuardCase& c) const {
    return Guard{c.kind, source_, EvalOrNull(c.object), c.a, c.b};
  }

  sources::SourceTable table_;
  const sources::Source* source_;
};

TEST_F(GuardTest, EveryKindHoldsOrExplains) {
  for (const GuardCase& c : kCases) {
    const Guard guard = Make(c);
    SCOPED_TRACE(guard.ToString() + " for " + (c.value == nullptr ? "nothing" : c.value));
    const Ref value = EvalOrNull(c.value);
    EXPECT_EQ(CheckGuard(guard, value.get()), c.fails == nullptr);
    EXPECT_FALSE(PyErr_Occurred());
    if (c.fails != nullptr) EXPECT_THAT(ExplainGuard(guard, value.get()), HasSubstr(c.fails));
  }
}

TEST_F(GuardTest, EveryKindIsTestedBothWays) {
  std::set<GuardKind> holds = {GuardKind::kTypeVersion, GuardKind::kClassVersion,
                               GuardKind::kAbstractClasses},
                      fails = {GuardKind::kTypeVersion};
  for (const GuardCase& c : kCases) (c.fails == nullptr ? holds : fails).insert(c.kind);
#define DYNACC_GUARD(kind, form, doc)                    \
  EXPECT_TRUE(holds.count(GuardKind::k##kind)) << #kind; \
  EXPECT_TRUE(fails.count(GuardKind::k##kind)) << #kind;
#include "frontend/guards/guards.def"
#undef DYNACC_GUARD
}

// The version of the type after a lookup has made CPython give it one.
int64_t VersionOf(BorrowedRef type, BorrowedRef name) {
  _PyType_Lookup(reinterpret_cast<PyTypeObject*>(type), name);
  return reinterpret_cast<PyTypeObject*>(type)->tp_version_tag;
}

TEST_F(GuardTest, TypeVersionSeesChangesOfTheTypeAndItsBases) {
  Exec("class Base: pass\nclass C(Base): pass\nclass D: pass\nc = C()");
  const Ref name = Eval("'forward'"), type = Eval("C"), value = Eval("c");
  const auto guard = [&] {
    return Guard{GuardKind::kTypeVersion, source_, type, VersionOf(type.get(), name.get())};
  };
  for (const char* change :
       {"C.forward = 1", "C.forward = 2", "del C.forward", "Base.other = 1", "del Base.other",
        "C.__bases__ = (D,)", "C.__bases__ = (Base,)", "C.__doc__ = 'text'"}) {
    SCOPED_TRACE(change);
    const Guard before = guard();
    ASSERT_NE(before.a, 0);
    EXPECT_TRUE(CheckGuard(before, value.get()));
    Exec(change);
    EXPECT_FALSE(CheckGuard(before, value.get()));
    VersionOf(type.get(), name.get());  // a lookup gives it a number again, but another one
    EXPECT_FALSE(CheckGuard(before, value.get()));
    EXPECT_THAT(ExplainGuard(before, value.get()), HasSubstr("type C or of a base was changed"));
  }
  const Guard before = guard();
  Exec("class E(Base): pass\nc.__class__ = E");
  EXPECT_FALSE(CheckGuard(before, value.get()));
  EXPECT_EQ(ExplainGuard(before, value.get()), "expected type C, found E");
}

TEST_F(GuardTest, ClassVersionSeesChangesOfTheClass) {
  Exec("class Base: pass\nclass C(Base): pass");
  const Ref name = Eval("'forward'"), type = Eval("C");
  const Guard before{GuardKind::kClassVersion, source_, Ref(), VersionOf(type.get(), name.get())};
  EXPECT_TRUE(CheckGuard(before, type.get()));
  EXPECT_FALSE(CheckGuard(before, Eval("Base").get()));
  Exec("Base.other = 1");
  EXPECT_FALSE(CheckGuard(before, type.get()));
}

TEST_F(GuardTest, AbstractClassesSeesRegistrations) {
  Exec("import abc\nclass A(abc.ABC): pass\nclass B: pass\nclass C(A): pass");
  const Guard before{GuardKind::kAbstractClasses, source_, Ref(), AbstractClassesToken()};
  EXPECT_TRUE(CheckGuard(before, Eval("A").get()));
  Exec("A.register(B)");
  EXPECT_FALSE(CheckGuard(before, Eval("A").get()));
}

TEST_F(GuardTest, RunsNoPythonCode) {
  Exec(R"(
class Meta(type):
    def __eq__(self, other): Meta.calls += 1; return True
    def __hash__(self): return 0
    def __instancecheck__(self, o): Meta.calls += 1; return True
    def __repr__(self): Meta.calls += 1; return 'Meta'
    calls = 0
class Hostile(metaclass=Meta):
    def _note(self, *args): Meta.calls += 1; raise RuntimeError
    __eq__ = __hash__ = __getattr__ = __getattribute__ = __len__ = __index__ = __float__ = _note
    __repr__ = __str__ = __bool__ = __iter__ = _note
before = Meta.calls
hostile = Hostile()
)");
  for (const char* object : {"hostile", "[hostile]", "(hostile,)", "{1: hostile}", "Hostile"}) {
    const Ref value = Eval(object);
    for (GuardCase c : kCases) {
      if (c.object != nullptr && c.kind != GuardKind::kFloatEquals) c.object = object;
      const Guard guard = Make(c);
      CheckGuard(guard, value.get());
      ExplainGuard(guard, value.get());
      guard.ToString();
      EXPECT_FALSE(PyErr_Occurred());
    }
  }
  EXPECT_EQ(Eval("Meta.calls").get(), Eval("before").get());
}

TEST_F(GuardTest, PrintsReadably) {
  const auto text = [&](GuardKind kind, const char* object, int64_t a = 0, int64_t b = 0) {
    return Guard{kind, source_, EvalOrNull(object), a, b}.ToString();
  };
  EXPECT_EQ(text(GuardKind::kArray, nullptr, 2, 10), "x is an array of f64, rank 2");
  EXPECT_EQ(text(GuardKind::kDimEquals, nullptr, 1, 64), "x.shape[1] == 64");
  EXPECT_EQ(text(GuardKind::kTypeIs, "int"), "type(x) is type int");
  EXPECT_EQ(text(GuardKind::kIdentity, "None"), "x is None");
}

TEST_F(GuardTest, KeepsReferenceCounts) {
  const Ref object = Eval("object()");
  const Py_ssize_t before = Py_REFCNT(object.get());
  {
    const Guard guard{GuardKind::kIdentity, source_, object};
    EXPECT_EQ(Py_REFCNT(object.get()), before + 1);
    for (int i = 0; i < 100; ++i) {
      CheckGuard(guard, object.get());
      ExplainGuard(guard, object.get());
    }
    EXPECT_EQ(Py_REFCNT(object.get()), before + 1);
  }
  EXPECT_EQ(Py_REFCNT(object.get()), before);
}

}  // namespace
}  // namespace dynacc::guards
