#include "frontend/symbolic/value.h"

#include <cmath>
#include <set>

#include "tests/frontend/python_environment.h"

namespace dynacc::symbolic {
namespace {

class ValueTest : public PythonTest {
 protected:
  ConstantValue Constant(const std::string& expression) const {
    return ConstantValue(Eval(expression));
  }
};

TEST_F(ValueTest, DescribesConstantsWithoutRunningCode) {
  Exec(R"(
import types
class Loud:
    def __repr__(self): raise RuntimeError
class Meta(type):
    def __repr__(self): raise RuntimeError
class Louder(metaclass=Meta): pass
def f(): pass
)");
  const std::pair<const char*, const char*> cases[] = {
      {"None", "None"},          {"3", "int 3"},
      {"-0.0", "float -0.0"},    {"True", "bool True"},
      {"'text'", "str 'text'"},  {"...", "Ellipsis"},
      {"types", "module types"}, {"int", "type int"},
      {"Louder", "type Louder"}, {"Loud()", "Loud object"},
      {"f", "function f"},       {"len", "builtin len"},
      {"10 ** 5000", "int ..."}, {"'\\ud800'", "str '\\ud800'"},
  };
  for (const auto& [expression, expected] : cases) {
    EXPECT_EQ(DescribeValue(Constant(expression)), expected);
    EXPECT_FALSE(PyErr_Occurred());
  }
}

TEST_F(ValueTest, DescribesEveryKind) {
  ir::Graph graph;
  const ScalarId three = graph.scalars().Int(3);
  const ir::Node* input = graph.AddInput(DType::kFloat64, {three});
  ConstantValue constant = Constant("3");
  TensorValue tensor(input, /*is_scalar=*/false);
  tensor.hint_shape = {3};
  SelectionValue selection(input, input, {3});
  LazyValue lazy(Ref(), {}, &PyFloat_Type);
  NullValue null;
  NumberValue number(three, ScalarType::kInt, ScalarValue{.i = 3});
  TupleValue tuple({&constant, &constant});
  ListValue list({&constant});
  DictValue dict;
  SliceValue slice(&constant, &constant, &constant);
  IteratorValue iterator(&list);
  LazyIteratorValue lazy_iterator([] { return absl::StatusOr<Value*>(nullptr); });
  DictViewValue view(&dict, DictViewValue::Part::kKeys);
  GeneratorValue generator;
  SetValue set(Eval("set()"));
  DequeValue deque({&constant}, DequeValue::kUnbounded);
  PartialValue partial(&PyBool_Type, {&constant}, {});
  SuperValue super(&constant, &tuple);
  SubgraphValue subgraph(ir::Region{});
  InstanceValue instance(&constant);
  CellValue cell(&constant);
  FunctionValue function{Ref()};
  BoundMethodValue method(&constant, &function);
  ArrayMethodValue array_method(&tensor, "sum");
  ObjectValue object(Eval("object()"), nullptr);
  const std::pair<const Value*, const char*> cases[] = {
      {&null, "null"},
      {&constant, "int 3"},
      {&tensor, "tensor f64[3]"},
      {&number, "int %0 (now 3)"},
      {&selection, "selection of f64[3]"},
      {&lazy, "float made at the end"},
      {&tuple, "tuple of 2"},
      {&list, "list of 1"},
      {&dict, "dict of 0"},
      {&slice, "slice"},
      {&iterator, "iterator at 0 of 1"},
      {&lazy_iterator, "iterator"},
      {&view, "view of a dict"},
      {&generator, "generator"},
      {&set, "set of 0"},
      {&deque, "deque of 1"},
      {&partial, "bool"},
      {&super, "super of tuple of 2"},
      {&subgraph, "subgraph of 0 results"},
      {&instance, "new object of int 3"},
      {&cell, "cell of int 3"},
      {&function, "function made inside"},
      {&method, "method of int 3"},
      {&array_method, "array method sum"},
      {&object, "object of type object"},
  };
  std::set<ValueKind> described;
  for (const auto& [value, expected] : cases) {
    EXPECT_EQ(DescribeValue(*value), expected);
    described.insert(value->kind());
  }
#define DYNACC_VALUE(kind, doc) EXPECT_TRUE(described.count(ValueKind::k##kind)) << #kind;
#include "frontend/symbolic/values.def"
#undef DYNACC_VALUE
}

TEST_F(ValueTest, AnOverlayKeepsTheLastWriteAndTheOrder) {
  const Ref a = Eval("'a'"), b = Eval("'b'");
  ConstantValue one = Constant("1"), two = Constant("2");
  Overlay overlay;
  overlay.Set(a.get(), &one);
  overlay.Set(b.get(), &one);
  overlay.Set(a.get(), &two);
  ASSERT_EQ(overlay.writes().size(), 2u);
  EXPECT_EQ(overlay.writes()[0].value, &two);  // in the place of the first write
  overlay.Delete(a.get(), /*existed=*/true);
  EXPECT_EQ(overlay.Find(a.get())->value, nullptr);
  overlay.Set(a.get(), &one);  // now a later key than b
  EXPECT_EQ(overlay.writes().size(), 3u);
  EXPECT_EQ(overlay.Find(a.get())->value, &one);
  overlay.Delete(b.get(), /*existed=*/false);  // made and deleted inside: nothing is left of it
  EXPECT_EQ(overlay.Find(b.get()), nullptr);
}

}  // namespace
}  // namespace dynacc::symbolic
