#include "frontend/numpy/trace/index_grids.h"

#include "absl/algorithm/container.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/callables.h"
#include "frontend/numpy/trace/library_call.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

struct Grid {
  const char* name;
  const char* joins;               // the function that does the same for a tuple of arrays; or null
  BorrowedRef object = nullptr;    // never dropped, nor is the method
  BorrowedRef get_item = nullptr;  // bound
};
Grid grids[] = {{"mgrid", nullptr},     {"ogrid", nullptr}, {"r_", "concatenate"},
                {"c_", "column_stack"}, {"s_", nullptr},    {"index_exp", nullptr}};

BorrowedRef FunctionOf(const Grid& grid) {
  return grid.get_item == nullptr ? nullptr : PyMethod_GET_FUNCTION(grid.get_item);
}

// The key itself (numpy.s_), as a tuple (numpy.index_exp).
symbolic::Value* KeyItself(symbolic::TraceContext& trace, const Grid& grid, symbolic::Value* key) {
  const bool is_tuple = symbolic::As<symbolic::TupleValue>(key) != nullptr ||
                        (symbolic::As<symbolic::ConstantValue>(key) != nullptr &&
                         PyTuple_Check(symbolic::As<symbolic::ConstantValue>(key)->object.get()));
  if (absl::string_view(grid.name) == "s_" || is_tuple) return key;
  return trace.New<symbolic::TupleValue>(std::vector<symbolic::Value*>{key});
}

// Whether all are arrays of up to `most` axes.
bool AreArrays(absl::Span<symbolic::Value* const> items, int most) {
  return !items.empty() && absl::c_all_of(items, [most](symbolic::Value* item) {
    auto* const tensor = symbolic::As<symbolic::TensorValue>(item);
    return tensor != nullptr && !tensor->is_scalar && tensor->node->rank() > 0 &&
           tensor->node->rank() <= most;
  });
}

absl::StatusOr<symbolic::Value*> Join(symbolic::TraceContext& trace, const Grid& grid,
                                      std::vector<symbolic::Value*> items) {
  const NumpyFunctionRow* const row = TracedRowOf(FunctionNamed(grid.joins));
  if (row == nullptr) return symbolic::GraphBreak("a function that is not NumPy's own");
  symbolic::Value* const positional[] = {trace.New<symbolic::TupleValue>(std::move(items))};
  arrays::CallArgs call;
  call.positional = positional;
  DYNACC_ASSIGN_OR_RETURN(const BoundArgs bound, BoundArgs::Bind(row->signature, nullptr, call));
  return row->handler(trace, bound, row->op);
}

const Grid* GridOf(symbolic::TraceContext& trace, symbolic::Value* value) {
  BorrowedRef object = nullptr;
  auto* const existing = symbolic::As<symbolic::ObjectValue>(value);
  if (auto* constant = symbolic::As<symbolic::ConstantValue>(value))
    object = constant->object.get();
  if (existing != nullptr && existing->source() != nullptr) object = existing->object.get();
  for (const Grid& grid : grids) {
    if (object == nullptr || grid.object != object) continue;
    if (existing != nullptr)
      trace.AddGuard(guards::GuardKind::kIdentity, existing->source(), object);
    return &grid;
  }
  return nullptr;
}

// A call of such a __getitem__: `args` are the object and the key.
absl::StatusOr<symbolic::Value*> CallGridItem(symbolic::TraceContext& trace, BorrowedRef,
                                              const arrays::CallArgs& args) {
  if (args.positional.size() != 2 || !args.keywords.empty())
    return symbolic::GraphBreak("such a call");
  const Grid* const grid = GridOf(trace, args.positional[0]);
  if (grid == nullptr) return symbolic::GraphBreak("an object that NumPy indexes");
  symbolic::Value* const key = args.positional[1];
  const absl::string_view name = grid->name;
  if (name == "s_" || name == "index_exp") return KeyItself(trace, *grid, key);
  if (grid->joins != nullptr && symbolic::As<symbolic::TensorValue>(key) == nullptr &&
      symbolic::As<symbolic::ListValue>(key) == nullptr) {
    auto items = ItemsOf(trace, key);
    if (items && AreArrays(*items, name == "c_" ? 2 : kMaxRank)) {
      absl::StatusOr<symbolic::Value*> joined = Join(trace, *grid, *std::move(items));
      if (joined.ok()) return joined;
    }
  }
  symbolic::Value* const operands[] = {key};
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, grid->get_item, {operands, {}}));
  return EmitCall(trace, std::move(traced), std::nullopt);
}

}  // namespace

void LearnIndexGrids(BorrowedRef numpy_module) {
  for (Grid& grid : grids) {
    BorrowedRef object = FindDotted(numpy_module, grid.name);
    if (object == nullptr) continue;
    Ref method = Ref::Steal(PyObject_GetAttrString(object, "__getitem__"));
    PyErr_Clear();
    const bool is_own = method && PyMethod_Check(method.get()) &&
                        PyFunction_Check(PyMethod_GET_FUNCTION(method.get())) &&
                        IsNumpys(PyMethod_GET_FUNCTION(method.get()));
    if (!is_own) continue;
    grid.object = Ref::New(object).Release();
    grid.get_item = method.Release();
    LearnCallable(FunctionOf(grid)).whole = CallGridItem;
  }
}

}  // namespace dynacc::numpy
