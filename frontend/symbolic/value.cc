#include "frontend/symbolic/value.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontend/cpython/describe.h"

namespace dynacc::symbolic {
namespace {

constexpr const char* kScalarTypeNames[] = {"int", "float", "bool"};

std::string Describe(const NullValue&) { return "null"; }

std::string Describe(const ConstantValue& value) { return DescribeObject(value.object.get()); }

std::string Describe(const NumberValue& value) {
  const std::string hint =
      value.type == ScalarType::kFloat ? absl::StrCat(value.hint.f) : absl::StrCat(value.hint.i);
  return absl::StrCat(kScalarTypeNames[static_cast<int>(value.type)], " %", value.id, " (now ",
                      hint, ")");
}

std::string Describe(const LazyValue& value) {
  return absl::StrCat(value.type->tp_name, " made at the end");
}

std::string Describe(const TensorValue& value) {
  return absl::StrCat(value.is_scalar ? "scalar " : "tensor ", Info(value.node->dtype).text, "[",
                      absl::StrJoin(value.hint_shape, ", "), "]");
}

std::string Describe(const SelectionValue& value) {
  return absl::StrCat("selection of ", Info(value.node->dtype).text, "[",
                      absl::StrJoin(value.hint_shape, ", "), "]");
}

std::string Describe(const TupleValue& value) {
  return absl::StrCat("tuple of ", value.items.size());
}

std::string Describe(const ListValue& value) {
  return absl::StrCat("list of ", value.items.size());
}

std::string Describe(const DictValue& value) {
  return absl::StrCat("dict of ", value.items.size());
}

std::string Describe(const SetValue& value) {
  return value.open() ? "an existing set"
                      : absl::StrCat("set of ", PySet_GET_SIZE(value.now.get()));
}

std::string Describe(const DequeValue& value) {
  return absl::StrCat("deque of ", value.items.size());
}

std::string Describe(const SliceValue&) { return "slice"; }

std::string Describe(const IteratorValue& value) {
  return absl::StrCat("iterator at ", value.next, " of ", value.items().size());
}

std::string Describe(const LazyIteratorValue&) { return "iterator"; }

std::string Describe(const DictViewValue&) { return "view of a dict"; }

std::string Describe(const GeneratorValue&) { return "generator"; }

std::string Describe(const CellValue& value) {
  return value.content == nullptr ? "empty cell"
                                  : absl::StrCat("cell of ", DescribeValue(*value.content));
}

std::string Describe(const FunctionValue& value) {
  return value.function ? DescribeObject(value.function.get()) : "function made inside";
}

std::string Describe(const BoundMethodValue& value) {
  return absl::StrCat("method of ", DescribeValue(*value.self));
}

std::string Describe(const SuperValue& value) {
  if (value.self == nullptr) return "a state that ends in its segment";
  return absl::StrCat("super of ", DescribeValue(*value.self));
}

std::string Describe(const SubgraphValue& value) {
  return absl::StrCat("subgraph of ", value.region.outputs.size(), " results");
}

std::string Describe(const InstanceValue& value) {
  return absl::StrCat("new object of ", DescribeValue(*value.cls));
}

std::string Describe(const PartialValue& value) { return value.cls->tp_name; }

std::string Describe(const ArrayMethodValue& value) {
  return absl::StrCat("array method ", value.name);
}

std::string Describe(const ObjectValue& value) {
  return absl::StrCat("object of type ", TypeName(value.object.get()));
}

template <typename T>
std::string DescribeAs(const Value& value) {
  return Describe(static_cast<const T&>(value));
}

constexpr std::string (*kDescribe[])(const Value&) = {
#define DYNACC_VALUE(kind, doc) &DescribeAs<kind##Value>,
#include "frontend/symbolic/values.def"
#undef DYNACC_VALUE
};

}  // namespace

bool IsBoolScalar(Value* value) {
  const auto* tensor = As<TensorValue>(value);
  return tensor != nullptr && tensor->is_scalar && tensor->node->dtype == DType::kBool;
}

std::string DescribeValue(const Value& value) {
  return kDescribe[static_cast<int>(value.kind())](value);
}

}  // namespace dynacc::symbolic
