#include "frontend/cpython/dict_access.h"

#include <gtest/gtest.h>

namespace dynacc {
namespace {

class Interpreter : public testing::Environment {
 public:
  void SetUp() override { Py_InitializeEx(0); }
  void TearDown() override { Py_FinalizeEx(); }
};
const auto* const kInterpreter = testing::AddGlobalTestEnvironment(new Interpreter);

// Runs `source` and gives its globals.
Ref Globals(const char* source) {
  Ref globals = Ref::Steal(PyDict_New());
  PyDict_SetItemString(globals.get(), "__builtins__", PyEval_GetBuiltins());
  Ref done = Ref::Steal(PyRun_String(source, Py_file_input, globals.get(), globals.get()));
  if (!done) PyErr_Print();
  return globals;
}

Ref Str(const char* text) { return Ref::Steal(PyUnicode_FromString(text)); }

TEST(DictGetStr, FindsAndMisses) {
  Ref globals = Globals("x = 5");
  EXPECT_EQ(PyLong_AsLong(DictGetStr(globals.get(), Str("x").get())), 5);
  EXPECT_EQ(DictGetStr(globals.get(), Str("y").get()), nullptr);
  EXPECT_FALSE(PyErr_Occurred());
}

TEST(DictGetStr, ReadsInstanceDictsWithSharedKeys) {
  Ref globals = Globals(
      "class A:\n  def __init__(self): self.p, self.q = 1, 2\nd = A().__dict__\nA().__dict__");
  const BorrowedRef dict = DictGetStr(globals.get(), Str("d").get());
  ASSERT_NE(dict, nullptr);
  EXPECT_EQ(PyLong_AsLong(DictGetStr(dict, Str("q").get())), 2);
}

// The key collides with "x" and raises when compared: it must not be.
TEST(DictGetStr, NeverComparesForeignKeys) {
  Ref globals = Globals(
      "class Evil:\n"
      "  def __hash__(self): return hash('x')\n"
      "  def __eq__(self, other): raise SystemExit\n"
      "d = {Evil(): 1}\n");
  const BorrowedRef dict = DictGetStr(globals.get(), Str("d").get());
  EXPECT_EQ(DictGetStr(dict, Str("x").get()), nullptr);
  EXPECT_FALSE(PyErr_Occurred());
  Ref mixed = Globals("d = {1: 2, 'x': 3}");
  const BorrowedRef general = DictGetStr(mixed.get(), Str("d").get());
  EXPECT_EQ(PyLong_AsLong(DictGetStr(general, Str("x").get())), 3);
}

TEST(DictGetStr, RefusesSubclasses) {
  Ref globals = Globals(
      "class D(dict):\n  def __getitem__(self, k): raise SystemExit\n"
      "class S(str): pass\nd = D(x=1)\ns = S('d')");
  EXPECT_EQ(DictGetStr(DictGetStr(globals.get(), Str("d").get()), Str("x").get()), nullptr);
  EXPECT_EQ(DictGetStr(globals.get(), DictGetStr(globals.get(), Str("s").get())), nullptr);
}

TEST(PlaceOfDictVersion, ItsNumberChangesWithWrites) {
  Ref globals = Globals("x = 5");
  const uint64_t before = *PlaceOfDictVersion(globals.get());
  EXPECT_EQ(*PlaceOfDictVersion(globals.get()), before);
  PyDict_SetItemString(globals.get(), "x", Py_None);
  EXPECT_NE(*PlaceOfDictVersion(globals.get()), before);
}

TEST(TypeVersion, IsAssignedAndChangesWithTheTypeAndItsBases) {
  Ref globals = Globals("class A: pass\nclass B(A): x = 1");
  auto* type = reinterpret_cast<PyTypeObject*>(DictGetStr(globals.get(), Str("B").get()));
  const BorrowedRef base = DictGetStr(globals.get(), Str("A").get());
  const uint32_t before = TypeVersion(type);
  EXPECT_NE(before, 0u);
  EXPECT_EQ(TypeVersion(type), before);
  EXPECT_EQ(PyLong_AsLong(TypeLookup(type, Str("x").get())), 1);
  PyObject_SetAttrString(base, "y", Py_None);
  EXPECT_NE(TypeVersion(type), before);
  EXPECT_EQ(TypeLookup(type, Str("y").get()), Py_None);
  EXPECT_EQ(TypeLookup(type, Str("z").get()), nullptr);
}

// A type of the heap as collections.defaultdict is from CPython 3.13 on: its __new__ is its base's.
TEST(BuiltinBase, IsTheNearestTypeWrittenInC) {
  PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>("")}, {0, nullptr}};
  PyType_Spec spec = {"made.in_c", 0, 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE, slots};
  const Ref made =
      Ref::Steal(PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(&PyDict_Type)));
  ASSERT_TRUE(made);
  Ref globals = Globals("class A(dict): pass");
  auto* in_python = reinterpret_cast<PyTypeObject*>(DictGetStr(globals.get(), Str("A").get()));
  EXPECT_EQ(BuiltinBase(in_python), &PyDict_Type);
  PyObject_SetItem(globals.get(), Str("made").get(), made.get());
  const Ref done =
      Ref::Steal(PyRun_String("class B(made): pass", Py_file_input, globals.get(), globals.get()));
  auto* below = reinterpret_cast<PyTypeObject*>(DictGetStr(globals.get(), Str("B").get()));
  EXPECT_EQ(BuiltinBase(below), reinterpret_cast<PyTypeObject*>(made.get()));
}

}  // namespace
}  // namespace dynacc
