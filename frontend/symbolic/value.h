// Value: what the tracer knows of a Python object while it executes bytecode symbolically.
//
// A value either exists already (it has a Source, and can be handed back by identity) or is made
// by the segment (it is materialised at the segment's end, once, if anything still refers to it).
// Python identity is pointer identity of Values: two names for one object share one Value.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/ir/graph.h"
#include "codegen/ir/subgraph.h"
#include "frontend/cpython/ref.h"
#include "frontend/sources/source.h"
#include "frontend/symbolic/keywords.h"
#include "frontend/symbolic/overlay.h"

namespace dynacc::tracer {
struct SymbolicFrame;
}  // namespace dynacc::tracer

namespace dynacc::symbolic {

enum class ValueKind : uint8_t {
#define DYNACC_VALUE(kind, doc) k##kind,
#include "frontend/symbolic/values.def"
#undef DYNACC_VALUE
};

class Value {
 public:
  explicit Value(ValueKind kind, const sources::Source* source = nullptr)
      : kind_(kind), source_(source) {}
  virtual ~Value() = default;
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;

  ValueKind kind() const { return kind_; }
  const sources::Source* source() const { return source_; }  // null: made inside the segment

 private:
  ValueKind kind_;
  const sources::Source* source_;
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
  explicit ConstantValue(Ref object, const sources::Source* source = nullptr)
      : Value(kKind, source), object(std::move(object)) {}
  Ref object;
};

// An exact Python int, float or bool that may differ from call to call.
struct NumberValue : Value {
  static constexpr ValueKind kKind = ValueKind::kNumber;
  NumberValue(ScalarId id, ScalarType type, ScalarValue hint,
              const sources::Source* source = nullptr)
      : Value(kKind, source), id(id), type(type), hint(hint) {}
  ScalarId id;
  ScalarType type;
  ScalarValue hint;  // its value in the call that is being traced
};

// An exact ndarray, a NumPy scalar (`is_scalar`, rank 0: what reductions and item access give), or
// a dynacc.Tensor (`is_native`).
struct TensorValue : Value {
  static constexpr ValueKind kKind = ValueKind::kTensor;
  TensorValue(const ir::Node* node, bool is_scalar, const sources::Source* source = nullptr)
      : Value(kKind, source), node(node), is_scalar(is_scalar) {}
  const ir::Node* node;
  bool is_scalar;
  bool is_native = false;
  // Set if this is a view of another array's memory: then `node` is a View or Reshape of
  // view_of->node, and materialising makes a real view of that array.
  TensorValue* view_of = nullptr;
  // All views of this one's memory, each after what it is a view of; only kept for what is none.
  std::vector<TensorValue*> views;
  // A view through which the array library refuses to write.
  bool read_only = false;
  // A view that materialising makes by this call (a LazyValue): the array library's own, which
  // knows what flags and base it has.
  Value* made_by = nullptr;
  // Of an existing array: its content before the segment, an Input. `node` is what it is now.
  const ir::Node* input = nullptr;
  // Sizes in the call that is being traced, axis by axis.
  std::vector<int64_t> hint_shape;

  // The array whose memory this one's is.
  TensorValue* root() { return view_of == nullptr ? this : view_of->root(); }
};
// Whether it is a scalar object of dtype bool.
bool IsBoolScalar(Value* value);

// function(*args), called at the segment's end: a float made of an array scalar, a text made of
// numbers. Nothing is known of it but its type.
struct LazyValue : Value {
  static constexpr ValueKind kKind = ValueKind::kLazy;
  LazyValue(Ref function, std::vector<Value*> args, PyTypeObject* type)
      : Value(kKind), function(std::move(function)), args(std::move(args)), type(type) {}
  Ref function;
  std::vector<Value*> args;
  PyTypeObject* type;  // exactly
};

// `a[mask]`, or what is computed of such elements: how many they are is not known, so it is kept as
// an array of the mask's extent, of whose elements only those count that the mask selects. It can
// be computed with and stored through the same mask; for what needs the elements themselves the
// trace is made again, and reads an array there (TraceContext::reads_selected).
struct SelectionValue : Value {
  static constexpr ValueKind kKind = ValueKind::kSelection;
  SelectionValue(const ir::Node* node, const ir::Node* mask, std::vector<int64_t> hints)
      : Value(kKind), node(node), mask(mask), hint_shape(std::move(hints)) {}
  const ir::Node* node;
  const ir::Node* mask;  // of node's shape
  std::vector<int64_t> hint_shape;
  int64_t step = 0;  // of the trace: the earliest instruction that read what this is made of
};

// A tuple, or an instance of a plain subclass of tuple (a named tuple).
struct TupleValue : Value {
  static constexpr ValueKind kKind = ValueKind::kTuple;
  explicit TupleValue(std::vector<Value*> items, const sources::Source* source = nullptr)
      : Value(kKind, source), items(std::move(items)) {}
  std::vector<Value*> items;
  ConstantValue* cls = nullptr;  // null: tuple itself
};

// A list, made inside or existing. It may be changed: the end of the segment stores what differs.
//
// An existing list starts *open*: only its type is guarded, `items` are those appended since, and
// the ones before are not known. Reading it closes it: then its length is guarded and `items` are
// all of them.
struct ListValue : Value {
  static constexpr ValueKind kKind = ValueKind::kList;
  explicit ListValue(std::vector<Value*> items) : Value(kKind), items(std::move(items)) {}
  ListValue(Ref object, const sources::Source* source)
      : Value(kKind, source), object(std::move(object)), open(true) {}
  Ref object;  // an existing list
  bool open = false;
  std::vector<Value*> items;
  std::vector<Value*> original;  // of an existing list that is not open: its items at the start
  // What was stored into an open list at places that differ from call to call: (place, item), in
  // order. Nothing is read from it or stored elsewhere in it then.
  std::vector<std::pair<NumberValue*, Value*>> stores;
};

// A dict whose keys are plain constants. An existing one starts open: `items` are not known, and
// what the segment writes is in `written` alone. Closed, its keys are guarded and `items` are all
// entries as they are now, in order.
struct DictValue : Value {
  static constexpr ValueKind kKind = ValueKind::kDict;
  DictValue() : Value(kKind) {}
  DictValue(Ref object, const sources::Source* source)
      : Value(kKind, source), object(std::move(object)), open(true) {}
  Ref object;  // an existing dict
  bool open = false;
  std::vector<std::pair<Ref, Value*>> items;
  Overlay written;      // over an existing dict
  int key_changes = 0;  // how often a key came or went: iterators tell
};

// A set of plain constants, classes, functions and the like. What it is now is a set of the
// tracer's own, which has the very table that the real one has then (set_table.h), and so its
// order. An existing set starts open: only what the segment adds to it and takes from it is known.
struct SetValue : Value {
  static constexpr ValueKind kKind = ValueKind::kSet;
  explicit SetValue(Ref now) : Value(kKind), now(std::move(now)) {}
  SetValue(Ref object, const sources::Source* source)
      : Value(kKind, source), object(std::move(object)) {}
  bool open() const { return !now; }
  struct Change {
    Ref member;
    bool is_added;  // else removed, if it is there
  };
  Ref object;  // an existing set
  Ref now;
  std::vector<Change> changes;  // while it is open, in order
};

// A collections.deque, made inside or existing. As of a list, an existing one starts open: `items`
// are those appended since, and neither its length nor its bound is known.
struct DequeValue : Value {
  static constexpr ValueKind kKind = ValueKind::kDeque;
  static constexpr int64_t kUnbounded = -1;
  DequeValue(std::vector<Value*> items, int64_t bound)
      : Value(kKind), items(std::move(items)), bound(bound) {}
  DequeValue(Ref object, const sources::Source* source)
      : Value(kKind, source), object(std::move(object)), open(true) {}
  Ref object;  // an existing deque
  bool open = false;
  std::vector<Value*> items;
  std::vector<Value*> original;  // of an existing deque that is not open: its items at the start
  int64_t bound = kUnbounded;    // maxlen, unless it is open
  int changes = 0;               // an iterator ends with an error after one
};

struct SliceValue : Value {
  static constexpr ValueKind kKind = ValueKind::kSlice;
  SliceValue(Value* start, Value* stop, Value* step)
      : Value(kKind), start(start), stop(stop), step(step) {}
  Value* start;
  Value* stop;
  Value* step;
};

// An iterator over known items; iteration inside the segment moves `next`. Over a list it reads the
// list itself, which may grow meanwhile, until it has found its end.
struct IteratorValue : Value {
  static constexpr ValueKind kKind = ValueKind::kIterator;
  static constexpr size_t kEnded = SIZE_MAX;  // `next` of one that has let go of its items
  explicit IteratorValue(std::vector<Value*> items) : Value(kKind), fixed(std::move(items)) {}
  explicit IteratorValue(ListValue* list) : Value(kKind), list(list) {}
  const std::vector<Value*>& items() const { return list != nullptr ? list->items : fixed; }
  std::vector<Value*> fixed;
  ListValue* list = nullptr;
  size_t next = 0;
};

// An iterator that computes its items: zip, map, itertools.chain ... It is consumed inside; an
// existing one over a list or tuple is advanced at the segment's end.
struct LazyIteratorValue : Value {
  static constexpr ValueKind kKind = ValueKind::kLazyIterator;
  // The next item; null at the end.
  using Next = std::function<absl::StatusOr<Value*>()>;
  explicit LazyIteratorValue(Next next) : Value(kKind), next(std::move(next)) {}
  LazyIteratorValue(Ref object, const sources::Source* source)
      : Value(kKind, source), object(std::move(object)) {}
  Next next;
  Ref object;     // an existing iterator
  int taken = 0;  // how often an existing one was asked for an item
  bool ended = false;
};

// keys(), values() or items() of a dict: iterable again and again, always as the dict is then.
struct DictViewValue : Value {
  static constexpr ValueKind kKind = ValueKind::kDictView;
  enum class Part : uint8_t { kKeys, kValues, kItems };
  DictViewValue(DictValue* dict, Part part) : Value(kKind), dict(dict), part(part) {}
  DictValue* dict;
  Part part;
};

// A generator made and consumed inside.
struct GeneratorValue : Value {
  static constexpr ValueKind kKind = ValueKind::kGenerator;
  GeneratorValue() : Value(kKind) {}
  std::shared_ptr<tracer::SymbolicFrame> frame;  // null: it is running, or has finished
  Value* yielded = nullptr;                      // by the last resumption; null: it has returned
  Value* returned = nullptr;                     // the value of its return statement
};

// A cell made inside by MAKE_CELL (no source), or one that exists: then `source` names the cell
// itself.
struct CellValue : Value {
  static constexpr ValueKind kKind = ValueKind::kCell;
  explicit CellValue(Value* content, const sources::Source* source = nullptr)
      : Value(kKind, source), content(content), original(content) {}
  Value* content;   // null: empty
  Value* original;  // of an existing cell: its content at the start
};

// A Python function: an existing one (`function` set), or one made inside by MAKE_FUNCTION.
struct FunctionValue : Value {
  static constexpr ValueKind kKind = ValueKind::kFunction;
  explicit FunctionValue(Ref function, const sources::Source* source = nullptr)
      : Value(kKind, source), function(std::move(function)) {}
  Ref function;
  Overlay attributes;                           // what the segment has stored into it
  Ref code;                                     // made inside: its code object
  Value* defaults = nullptr;                    // made inside: TupleValue or ConstantValue, or null
  Value* kwdefaults = nullptr;                  // made inside: DictValue, or null
  Value* annotations = nullptr;                 // made inside: TupleValue or ConstantValue, or null
  Value* annotate = nullptr;                    // made inside: what makes its annotations, or null
  std::vector<Value*> closure;                  // made inside: CellValues
  const sources::Source* globals_of = nullptr;  // made inside: as in the frame that made it
  BorrowedRef globals = nullptr;                // likewise
};

// super(): attributes of `self` beyond class `after` in the MRO of self's class.
struct SuperValue : Value {
  static constexpr ValueKind kKind = ValueKind::kSuper;
  SuperValue(ConstantValue* after, Value* self) : Value(kKind), after(after), self(self) {}
  ConstantValue* after;
  Value* self;
};

// What is traced between the begin and the end of a branch, or of the body of a loop: a region of
// the graph (codegen/ir/subgraph.h). It changes nothing that was there before it, and no segment
// can leave it behind, so a segment ends before it or after what is made of it.
struct SubgraphValue : Value {
  static constexpr ValueKind kKind = ValueKind::kSubgraph;
  explicit SubgraphValue(ir::Region region) : Value(kKind), region(std::move(region)) {}
  ir::Region region;
  bool open = true;
  size_t first_value = 0;                  // how many values the trace had made before it ...
  size_t end_value = 0;                    // ... and, once it has ended, up to its end
  int num_data_dependent = 0;              // likewise
  size_t first_draw = 0;                   // how many of TraceContext::draws came before it ...
  size_t end_draw = 0;                     // ... and before its end
  int error_state = -1;                    // before it, if it is known
  std::vector<TensorValue*> results = {};  // of region.outputs
};

struct BoundMethodValue : Value {
  static constexpr ValueKind kKind = ValueKind::kBoundMethod;
  BoundMethodValue(Value* self, Value* function, const sources::Source* source = nullptr)
      : Value(kKind, source), self(self), function(function) {}
  Value* self;
  Value* function;
};

// What functools.partial, operator.itemgetter and the like give for these arguments, made inside.
// It is immutable to the trace, and made by calling `cls` again where it is kept.
struct PartialValue : Value {
  static constexpr ValueKind kKind = ValueKind::kPartial;
  PartialValue(PyTypeObject* cls, std::vector<Value*> args, Keywords keywords)
      : Value(kKind), cls(cls), args(std::move(args)), keywords(std::move(keywords)) {}
  PyTypeObject* cls;
  std::vector<Value*> args;
  Keywords keywords;
};

// `array.name` where name is a method that the array namespace knows.
struct ArrayMethodValue : Value {
  static constexpr ValueKind kKind = ValueKind::kArrayMethod;
  ArrayMethodValue(TensorValue* self, std::string name)
      : Value(kKind), self(self), name(std::move(name)) {}
  TensorValue* self;
  std::string name;
};

// An instance of a Python class, made inside. Its class is known and guarded.
struct InstanceValue : Value {
  static constexpr ValueKind kKind = ValueKind::kInstance;
  explicit InstanceValue(ConstantValue* cls) : Value(kKind), cls(cls) {}
  ConstantValue* cls;
  Overlay attributes;
  Value* args = nullptr;  // of an exception: a TupleValue
  Value* part = nullptr;  // of a subclass of dict: its entries, a DictValue
  bool raised = false;    // an exception that has, or had, a traceback
};

// Any other existing object. Nothing about it is guarded until something is asked of it.
struct ObjectValue : Value {
  static constexpr ValueKind kKind = ValueKind::kObject;
  ObjectValue(Ref object, const sources::Source* source)
      : Value(kKind, source), object(std::move(object)) {}
  Ref object;             // as it is in the call that is being traced
  Overlay attributes;     // what the segment has stored into it
  Value* part = nullptr;  // of a subclass of dict: its entries, a DictValue of the same source
};

}  // namespace dynacc::symbolic
