#include "frontend/numpy/trace/scatter.h"

#include <algorithm>

#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/callables.h"
#include "frontend/numpy/trace/data_dependent_calls.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/gather.h"
#include "frontend/numpy/trace/library_call.h"
#include "frontend/numpy/trace/masked.h"
#include "frontend/numpy/trace/storage.h"
#include "frontend/numpy/trace/stores.h"
#include "frontend/numpy/trace/subscript.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// An array of so many times the elements that are stored is copied at about the cost of the store
// itself: NumPy takes some nanoseconds an index. Small ones are copied in no time.
constexpr int64_t kMaxCopied = 8;
constexpr int64_t kSmall = 4096;

// Values of a list that are stored one by one; more would make a large graph.
constexpr size_t kMaxItems = 64;

Ref CopyOf(BorrowedRef base) { return Ref::Steal(PyArray_NewCopy(AsArray(base), NPY_CORDER)); }

// stored(base, key, value): a copy of base in which `copy[key] = value` was done.
PyObject* Stored(PyObject*, PyObject* const* args, Py_ssize_t) {
  Ref copy = CopyOf(args[0]);
  if (!copy || PyObject_SetItem(copy.get(), args[1], args[2]) < 0) return nullptr;
  return copy.Release();
}

// updated(at, base, key[, value[, mode]]): a copy of base after at(copy, key[, value[, mode]]).
PyObject* Updated(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Ref copy = CopyOf(args[1]);
  if (!copy) return nullptr;
  PyObject* handed[] = {copy.get(), args[2], count > 3 ? args[3] : nullptr,
                        count > 4 ? args[4] : nullptr};
  const Ref done = Ref::Steal(PyObject_Vectorcall(args[0], handed, count - 1, nullptr));
  return done ? copy.Release() : nullptr;
}

// METH_FASTCALL's form behind the one that the struct has room for.
PyCFunction Fast(PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef stored_method = {"stored", Fast(Stored), METH_FASTCALL, nullptr};
PyMethodDef updated_method = {"updated", Fast(Updated), METH_FASTCALL, nullptr};

absl::Status RequireWorthwhile(symbolic::TraceContext& trace, NumpyTensor* a,
                               symbolic::Value* key) {
  if (HasMask(trace, key)) return absl::OkStatus();
  DYNACC_ASSIGN_OR_RETURN(const Shape stored, GatheredShape(trace, a, key));
  const double elements = ElementsOf(ShapeOf(a));
  if (elements <= std::max<double>(kSmall, kMaxCopied * ElementsOf(stored))) {
    return absl::OkStatus();
  }
  return symbolic::GraphBreak("a store of few elements into a large array");
}

absl::Status RequireAxes(const NumpyTensor* a) {
  DYNACC_RETURN_IF_ERROR(RequireArray(a));
  return a->node->rank() == 0 ? symbolic::GraphBreak("a write to an array of rank 0")
                              : absl::OkStatus();
}

absl::Status RequireOwnArray(const NumpyTensor* a) {
  DYNACC_RETURN_IF_ERROR(RequireAxes(a));
  return a->is_native ? symbolic::GraphBreak("a tensor indexed by an array") : absl::OkStatus();
}

// NumPy reads indices and values while it writes: they must not be the array's own elements.
absl::Status RequireApart(symbolic::TraceContext& trace, NumpyTensor* a, symbolic::Value* value) {
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(value)) {
    return tensor->root() == a->root() ? symbolic::GraphBreak("a store of an array into itself")
                                       : absl::OkStatus();
  }
  const auto items = ItemsOf(trace, value);
  for (symbolic::Value* item : items ? *items : std::vector<symbolic::Value*>()) {
    DYNACC_RETURN_IF_ERROR(RequireApart(trace, a, item));
  }
  return absl::OkStatus();
}

// Whether it is a single number that is no array.
bool IsNumberOf(symbolic::Value* value) {
  auto* const tensor = symbolic::As<symbolic::TensorValue>(value);
  auto* const constant = symbolic::As<symbolic::ConstantValue>(value);
  return (tensor != nullptr && tensor->is_scalar) ||
         symbolic::As<symbolic::NumberValue>(value) != nullptr ||
         (constant != nullptr && PyNumber_Check(constant->object.get()));
}

// The rest of the arguments in traced.call is there; `base` comes at `place`.
absl::Status WriteResult(symbolic::TraceContext& trace, TracedCall traced, NumpyTensor* a,
                         int place) {
  LibraryCallArg base = AddArray(traced, a);  // the new content is put there
  std::vector<LibraryCallArg>& arguments = traced.call.positional;
  arguments.insert(arguments.begin() + place, std::move(base));
  traced.call.gives_c_order = true;
  const NumpyTensor* const content =
      EmitKnown(trace, std::move(traced), a->node->dtype, ShapeOf(a));
  return Write(trace, a, content->node, content->c_order);
}

bool IsMask(symbolic::Value* item) {
  auto* const tensor = symbolic::As<symbolic::TensorValue>(item);
  return tensor != nullptr && tensor->node->dtype == DType::kBool && tensor->node->rank() > 0;
}

// The key with the indices of what its mask selects in the place of the mask, which NumPy makes of
// it, too.
absl::StatusOr<symbolic::Value*> KeyOfIndices(symbolic::TraceContext& trace, symbolic::Value* key) {
  const NumpyDataDependentRow* const row = FindArrayMethod("nonzero")->data_dependent;
  BorrowedRef nonzero = PyDict_GetItemString(PyArray_Type.tp_dict, "nonzero");
  const auto items = ItemsOf(trace, key);
  std::vector<symbolic::Value*> spelled_out;
  for (symbolic::Value* item : items ? *items : std::vector<symbolic::Value*>{key}) {
    if (!IsMask(item)) {
      spelled_out.push_back(item);
      continue;
    }
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * indices,
                            CallDataDependentRow(trace, *row, nonzero, item, {}));
    const auto each = ItemsOf(trace, indices);
    spelled_out.insert(spelled_out.end(), each->begin(), each->end());
  }
  return trace.New<symbolic::TupleValue>(std::move(spelled_out));
}

// Whether the mask is the key and as large as the array: NumPy stores values by one of that kind in
// a way of its own, which refuses more axes.
bool RefusesAxes(const NumpyTensor* a, symbolic::Value* key, symbolic::Value* value) {
  auto* const tensor = symbolic::As<symbolic::TensorValue>(value);
  return IsMask(key) && symbolic::As<symbolic::TensorValue>(key)->node->rank() == a->node->rank() &&
         tensor != nullptr && tensor->node->rank() > 1;
}

// a[key] = [x, y, ...] as a[key][0] = x and so on; the values are no parts of `a`.
absl::Status StoreItems(symbolic::TraceContext& trace, NumpyTensor* a, symbolic::Value* key,
                        const std::vector<symbolic::Value*>& items) {
  if (items.empty() || items.size() > kMaxItems) return symbolic::GraphBreak("a list of so many");
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * part, NumpySubscript(trace, a, key));
  auto* const view = symbolic::As<symbolic::TensorValue>(part);
  if (view == nullptr || view->root() != a->root() || view->node->rank() == 0 ||
      !IsEqual(trace, SizeOf(view, 0), ConstantSize(trace, static_cast<int64_t>(items.size())))) {
    return symbolic::GraphBreak("a store of a list of another length");
  }
  for (size_t i = 0; i < items.size(); ++i) {
    symbolic::Value* const place =
        trace.New<symbolic::ConstantValue>(Ref::Steal(PyLong_FromSize_t(i)));
    DYNACC_RETURN_IF_ERROR(NumpyStoreSubscript(trace, AsNumpy(view), place, items[i]));
  }
  return absl::OkStatus();
}

}  // namespace

BorrowedRef StoredFunction() {
  static PyObject* const function = PyCFunction_New(&stored_method, nullptr);
  return function;
}

BorrowedRef UpdatedFunction() {
  static PyObject* const function = PyCFunction_New(&updated_method, nullptr);
  return function;
}

namespace {

// The value in the array's dtype: the op that stores at places takes no other one. Only where a
// call does not warn of what a cast does.
symbolic::Value* InDTypeOf(symbolic::TraceContext& trace, const NumpyTensor* a,
                           symbolic::Value* value) {
  auto* const tensor = symbolic::As<symbolic::TensorValue>(value);
  const bool differs = tensor != nullptr && tensor->node->dtype != a->node->dtype;
  if (!differs || !trace.has_free_orders() || a->is_native || tensor->is_native) return value;
  return NewTensor(trace, trace.graph().Cast(a->node->dtype, tensor->node), ShapeOf(tensor),
                   COrder(std::in_place));
}

}  // namespace

absl::Status StoreThroughIndices(symbolic::TraceContext& trace, NumpyTensor* a,
                                 symbolic::Value* key, symbolic::Value* value) {
  DYNACC_RETURN_IF_ERROR(RequireAxes(a));
  DYNACC_RETURN_IF_ERROR(RequireApart(trace, a, value));
  if (const auto items = ItemsOf(trace, value)) return StoreItems(trace, a, key, *items);
  DYNACC_RETURN_IF_ERROR(RequireAssignable(trace, value, a->node->dtype));
  value = InDTypeOf(trace, a, value);
  DYNACC_RETURN_IF_ERROR(RequireWorthwhile(trace, a, key));
  DYNACC_RETURN_IF_ERROR(RequireApart(trace, a, key));
  const bool is_by_indices = HasMask(trace, key) && MayBeDifferentiated(trace) &&
                             trace.takes_data_dependent_sizes() && !RefusesAxes(a, key, value);
  if (is_by_indices) {
    DYNACC_ASSIGN_OR_RETURN(key, KeyOfIndices(trace, key));
  }
  symbolic::Value* const arguments[] = {key, value};
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, StoredFunction(), {arguments, {}}));
  traced.call.is_quiet = a->is_native;
  return WriteResult(trace, std::move(traced), a, 0);
}

absl::Status UpdateThroughIndices(symbolic::TraceContext& trace, BorrowedRef at, NumpyTensor* a,
                                  symbolic::Value* key, symbolic::Value* value) {
  DYNACC_RETURN_IF_ERROR(RequireOwnArray(a));
  DYNACC_RETURN_IF_ERROR(RequireWritable(trace, a));
  DYNACC_RETURN_IF_ERROR(RequireWorthwhile(trace, a, key));
  DYNACC_RETURN_IF_ERROR(RequireApart(trace, a, key));
  if (value != nullptr) {
    DYNACC_RETURN_IF_ERROR(RequireApart(trace, a, value));
    DYNACC_RETURN_IF_ERROR(RequireAssignable(trace, value, a->node->dtype));
  }
  std::vector<symbolic::Value*> arguments = {key};
  if (value != nullptr) arguments.push_back(value);
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, UpdatedFunction(), {arguments, {}}));
  LibraryCallArg method;
  method.constant = Ref::New(at);
  traced.call.positional.insert(traced.call.positional.begin(), std::move(method));
  return WriteResult(trace, std::move(traced), a, 1);
}

namespace {

// numpy.name(a, ...) of an array that it changes.
absl::StatusOr<symbolic::Value*> ChangeByNumpy(symbolic::TraceContext& trace, const char* name,
                                               NumpyTensor* a, std::vector<symbolic::Value*> rest) {
  BorrowedRef change = FunctionNamed(name);
  if (change == nullptr) return symbolic::GraphBreak("a function that is not NumPy's own");
  DYNACC_RETURN_IF_ERROR(RequireOwnArray(a));
  DYNACC_RETURN_IF_ERROR(RequireWritable(trace, a));
  for (symbolic::Value* value : rest) DYNACC_RETURN_IF_ERROR(RequireApart(trace, a, value));
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, UpdatedFunction(), {rest, {}}));
  traced.call.may_warn = true;
  LibraryCallArg method;
  method.constant = Ref::New(change);
  traced.call.positional.insert(traced.call.positional.begin(), std::move(method));
  DYNACC_RETURN_IF_ERROR(WriteResult(trace, std::move(traced), a, 1));
  return trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
}

// putmask of values that are as many as the array's elements.
bool ChangesEachByItsOwn(symbolic::TraceContext& trace, const char* name, NumpyTensor* a,
                         symbolic::Value* key, symbolic::Value* values) {
  auto* const mask = symbolic::As<symbolic::TensorValue>(key);
  auto* const tensor = symbolic::As<symbolic::TensorValue>(values);
  return MayBeDifferentiated(trace) && absl::string_view(name) == "putmask" && tensor != nullptr &&
         tensor->root() != a->root() && tensor->node->dtype == a->node->dtype &&
         tensor->node->shape == a->node->shape && mask->node->shape == a->node->shape;
}

// What `a[mask] = values` does if that is one number for all, or what the mask selects.
absl::StatusOr<symbolic::Value*> ChangeMasked(symbolic::TraceContext& trace, const BoundArgs& args,
                                              const char* name, symbolic::TensorValue* target,
                                              const char* values_name) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * key, args.Required("mask"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * values, args.Required(values_name));
  NumpyTensor* const a = AsNumpy(target);
  auto* const mask = symbolic::As<symbolic::TensorValue>(key);
  const bool is_like = mask != nullptr && HasMask(trace, mask) &&
                       mask->node->rank() == a->node->rank() &&
                       IsSameShape(trace, ShapeOf(mask), ShapeOf(a));
  const bool is_number =
      IsNumberOf(values) && RequireAssignable(trace, values, a->node->dtype).ok();
  const bool is_selected = symbolic::As<symbolic::SelectionValue>(values) != nullptr &&
                           absl::string_view(name) == "place";
  const bool is_each = is_like && ChangesEachByItsOwn(trace, name, a, key, values);
  if (!is_like || !(is_number || is_selected || is_each)) {
    return ChangeByNumpy(trace, name, a, {key, values});
  }
  DYNACC_RETURN_IF_ERROR(RequireOwnArray(a));
  DYNACC_RETURN_IF_ERROR(RequireWritable(trace, a));
  if (is_each) {
    const ir::Node* const taken = symbolic::As<symbolic::TensorValue>(values)->node;
    DYNACC_RETURN_IF_ERROR(
        Write(trace, a, trace.graph().Where(mask->node, taken, a->node), a->c_order));
  } else {
    DYNACC_RETURN_IF_ERROR(StoreMasked(trace, a, key, values));
  }
  return trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
}

}  // namespace

namespace {

// Whether put stores the values one by one at as many indices, or a number at all of them, as they
// are: then `flat[indices] = values` is the same.
bool IsPlainPut(symbolic::TraceContext& trace, const NumpyTensor* a, symbolic::Value* indices,
                symbolic::Value* values) {
  if (IsNumberOf(values)) return RequireAssignable(trace, values, a->node->dtype).ok();
  auto* const given = symbolic::As<symbolic::TensorValue>(values);
  if (given == nullptr || given->node->dtype != a->node->dtype || given->node->rank() != 1) {
    return false;
  }
  auto* const places = symbolic::As<symbolic::TensorValue>(indices);
  if (places != nullptr) {
    return places->node->rank() == 1 && IsSameShape(trace, ShapeOf(places), ShapeOf(given));
  }
  const auto items = ItemsOf(trace, indices);
  return items &&
         IsEqual(trace, SizeOf(given, 0), ConstantSize(trace, static_cast<int64_t>(items->size())));
}

absl::Status PutInto(symbolic::TraceContext& trace, NumpyTensor* a, symbolic::Value* indices,
                     symbolic::Value* values) {
  DYNACC_RETURN_IF_ERROR(RequireOwnArray(a));
  DYNACC_RETURN_IF_ERROR(RequireWritable(trace, a));
  Shape whole;
  whole.push_back(ProductOf(trace, ShapeOf(a), 0, a->node->rank()));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * flat, ReshapedView(trace, a, whole));
  return StoreThroughIndices(trace, flat, indices, values);
}

}  // namespace

absl::StatusOr<symbolic::Value*> TracePut(symbolic::TraceContext& trace, const BoundArgs& args,
                                          Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * indices, args.Required("ind"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * values, args.Required("v"));
  const bool is_plain = MayBeDifferentiated(trace) && args["mode"] == nullptr &&
                        IsPlainPut(trace, AsNumpy(a), indices, values);
  if (is_plain && PutInto(trace, AsNumpy(a), indices, values).ok()) {
    return trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
  }
  std::vector<symbolic::Value*> rest = {indices, values};
  if (args["mode"] != nullptr) rest.push_back(args["mode"]);
  return ChangeByNumpy(trace, "put", AsNumpy(a), std::move(rest));
}

absl::StatusOr<symbolic::Value*> TracePlace(symbolic::TraceContext& trace, const BoundArgs& args,
                                            Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("arr"));
  return ChangeMasked(trace, args, "place", a, "vals");
}

absl::StatusOr<symbolic::Value*> TracePutMask(symbolic::TraceContext& trace, const BoundArgs& args,
                                              Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  return ChangeMasked(trace, args, "putmask", a, "values");
}

}  // namespace dynacc::numpy
