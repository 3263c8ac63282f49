#include "frontend/numpy/trace/scatter.h"

#include <algorithm>

#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/callables.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/gather.h"
#include "frontend/numpy/trace/library_call.h"
#include "frontend/numpy/trace/masked.h"
#include "frontend/numpy/trace/storage.h"
#include "frontend/numpy/trace/stores.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// An array of so many times the elements that are stored is copied at about the cost of the store
// itself: NumPy takes some nanoseconds an index. Small ones are copied in no time.
constexpr int64_t kMaxCopied = 8;
constexpr int64_t kSmall = 4096;

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

}  // namespace

BorrowedRef StoredFunction() {
  static PyObject* const function = PyCFunction_New(&stored_method, nullptr);
  return function;
}

BorrowedRef UpdatedFunction() {
  static PyObject* const function = PyCFunction_New(&updated_method, nullptr);
  return function;
}

absl::Status StoreThroughIndices(symbolic::TraceContext& trace, NumpyTensor* a,
                                 symbolic::Value* key, symbolic::Value* value) {
  DYNACC_RETURN_IF_ERROR(RequireAxes(a));
  DYNACC_RETURN_IF_ERROR(RequireAssignable(trace, value, a->node->dtype));
  DYNACC_RETURN_IF_ERROR(RequireWorthwhile(trace, a, key));
  DYNACC_RETURN_IF_ERROR(RequireApart(trace, a, key));
  DYNACC_RETURN_IF_ERROR(RequireApart(trace, a, value));
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

// What `a[mask] = values` does if that is one number for all.
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
  if (!is_like || !is_number) return ChangeByNumpy(trace, name, a, {key, values});
  DYNACC_RETURN_IF_ERROR(RequireOwnArray(a));
  DYNACC_RETURN_IF_ERROR(RequireWritable(trace, a));
  DYNACC_RETURN_IF_ERROR(StoreMasked(trace, a, key, values));
  return trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
}

}  // namespace

absl::StatusOr<symbolic::Value*> TracePut(symbolic::TraceContext& trace, const BoundArgs& args,
                                          Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * indices, args.Required("ind"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * values, args.Required("v"));
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
