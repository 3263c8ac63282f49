// Value: what the tracer knows of a Python object while it executes bytecode symbolically.
//
// A value either exists already (it has a Source, and can be handed back by identity) or is made
// by the segment (it is materialised at the segment's end, once, if anything still refers to it).
// Python identity is pointer identity of Values: two names for one object share one Value.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "codegen/graph/graph.h"
#include "frontend/cpython/ref.h"
#include "frontend/sources/source.h"

namespace dynacc {

enum class ValueKind : uint8_t {
#define DYNACC_VALUE(kind, doc) k##kind,
#include "frontend/values/values.def"
#undef DYNACC_VALUE
};

class Value {
 public:
  explicit Value(ValueKind kind, const Source* source = nullptr) : kind_(kind), source_(source) {}
  virtual ~Value() = default;
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;

  ValueKind kind() const { return kind_; }
  const Source* source() const { return source_; }  // null: made inside the segment

 private:
  ValueKind kind_;
  const Source* source_;
};

// `value` as T if it is of that kind, else null.
template <typename T>
T* As(Value* value) {
  return value != nullptr && value->kind() == T::kKind ? static_cast<T*>(value) : nullptr;
}

// "tensor f64[3, s0]", "int 3", "tuple of 2": for logs and break reasons.
std::string DescribeValue(const Value& value);

struct NullValue : Value {
  static constexpr ValueKind kKind = ValueKind::kNull;
  NullValue() : Value(kKind) {}
};

// An object whose value is known at capture: a literal of the code, or reached through a source and
// guarded (by identity or by value) by whoever made this.
struct ConstantValue : Value {
  static constexpr ValueKind kKind = ValueKind::kConstant;
  explicit ConstantValue(Ref object, const Source* source = nullptr)
      : Value(kKind, source), object(std::move(object)) {}
  Ref object;
};

// An exact Python int, float or bool that may differ from call to call.
struct NumberValue : Value {
  static constexpr ValueKind kKind = ValueKind::kNumber;
  NumberValue(ScalarId id, ScalarType type, ScalarValue hint, const Source* source = nullptr)
      : Value(kKind, source), id(id), type(type), hint(hint) {}
  ScalarId id;
  ScalarType type;
  ScalarValue hint;  // its value in the call that is being traced
};

// An exact ndarray, or a NumPy scalar (`is_scalar`, rank 0: what reductions and item access give).
struct TensorValue : Value {
  static constexpr ValueKind kKind = ValueKind::kTensor;
  TensorValue(const Node* node, bool is_scalar, const Source* source = nullptr)
      : Value(kKind, source), node(node), is_scalar(is_scalar) {}
  const Node* node;
  bool is_scalar;
  // Set if this is a view of another array's memory: then `node` is a View or Reshape of
  // view_of->node, and materialising makes a real view of that array.
  TensorValue* view_of = nullptr;
  // All views of this one's memory, each after what it is a view of; only kept for what is none.
  std::vector<TensorValue*> views;
  // A view through which the array library refuses to write.
  bool read_only = false;
  // Of an existing array: its content before the segment, an Input. `node` is what it is now.
  const Node* input = nullptr;
  // Sizes in the call that is being traced, axis by axis.
  std::vector<int64_t> hint_shape;

  // The array whose memory this one's is.
  TensorValue* root() { return view_of == nullptr ? this : view_of->root(); }
};

struct TupleValue : Value {
  static constexpr ValueKind kKind = ValueKind::kTuple;
  explicit TupleValue(std::vector<Value*> items, const Source* source = nullptr)
      : Value(kKind, source), items(std::move(items)) {}
  std::vector<Value*> items;
};

// A list. If it has a source its items were loaded (and guarded) at capture and it must not be
// changed inside: a change is a graph break. A list made inside may be changed freely.
struct ListValue : Value {
  static constexpr ValueKind kKind = ValueKind::kList;
  explicit ListValue(std::vector<Value*> items, const Source* source = nullptr)
      : Value(kKind, source), items(std::move(items)) {}
  std::vector<Value*> items;
};

struct DictValue : Value {
  static constexpr ValueKind kKind = ValueKind::kDict;
  explicit DictValue(const Source* source = nullptr) : Value(kKind, source) {}
  std::vector<std::pair<Ref, Value*>> items;  // keys are str or int, in insertion order
};

struct SliceValue : Value {
  static constexpr ValueKind kKind = ValueKind::kSlice;
  SliceValue(Value* start, Value* stop, Value* step)
      : Value(kKind), start(start), stop(stop), step(step) {}
  Value* start;
  Value* stop;
  Value* step;
};

// An iterator over known items; iteration inside the segment moves `next`. Over a list made inside
// it reads the list itself, which may grow meanwhile.
struct IteratorValue : Value {
  static constexpr ValueKind kKind = ValueKind::kIterator;
  explicit IteratorValue(std::vector<Value*> items) : Value(kKind), fixed(std::move(items)) {}
  explicit IteratorValue(ListValue* list) : Value(kKind), list(list) {}
  const std::vector<Value*>& items() const { return list != nullptr ? list->items : fixed; }
  std::vector<Value*> fixed;
  ListValue* list = nullptr;
  size_t next = 0;
};

// A cell made inside by MAKE_CELL (no source), or one that exists: then `source` names its content,
// and it must not be written inside.
struct CellValue : Value {
  static constexpr ValueKind kKind = ValueKind::kCell;
  explicit CellValue(Value* content, const Source* source = nullptr, int closure_index = -1)
      : Value(kKind, source), content(content), closure_index(closure_index) {}
  Value* content;     // null: empty
  int closure_index;  // of the outermost frame's function, if the cell is from there
};

// A Python function: an existing one (`function` set), or one made inside by MAKE_FUNCTION.
struct FunctionValue : Value {
  static constexpr ValueKind kKind = ValueKind::kFunction;
  explicit FunctionValue(Ref function, const Source* source = nullptr)
      : Value(kKind, source), function(std::move(function)) {}
  Ref function;
  Ref code;                            // made inside: its code object
  Value* defaults = nullptr;           // made inside: TupleValue or ConstantValue, or null
  Value* kwdefaults = nullptr;         // made inside: DictValue, or null
  std::vector<Value*> closure;         // made inside: CellValues
  const Source* globals_of = nullptr;  // made inside: as in the frame that made it
  BorrowedRef globals = nullptr;       // likewise
};

struct BoundMethodValue : Value {
  static constexpr ValueKind kKind = ValueKind::kBoundMethod;
  BoundMethodValue(Value* self, Value* function, const Source* source = nullptr)
      : Value(kKind, source), self(self), function(function) {}
  Value* self;
  Value* function;
};

// `array.name` where name is a method that the array namespace knows.
struct ArrayMethodValue : Value {
  static constexpr ValueKind kKind = ValueKind::kArrayMethod;
  ArrayMethodValue(TensorValue* self, std::string name)
      : Value(kKind), self(self), name(std::move(name)) {}
  TensorValue* self;
  std::string name;
};

// Any other existing object. Nothing about it is guarded until something is asked of it.
struct ObjectValue : Value {
  static constexpr ValueKind kKind = ValueKind::kObject;
  ObjectValue(Ref object, const Source* source) : Value(kKind, source), object(std::move(object)) {}
  Ref object;  // as it is in the call that is being traced
};

}  // namespace dynacc
