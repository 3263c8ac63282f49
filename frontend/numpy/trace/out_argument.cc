#include "frontend/numpy/trace/out_argument.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/storage.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// Functions of several steps that read an argument after a step has written to `out`.
constexpr absl::string_view kReadAgain[] = {"concatenate", "einsum", "fix", "ptp", "stack"};

// Given an output of rank 0, these read beyond it (NumPy 1.24).
constexpr absl::string_view kScans[] = {"cumprod", "cumsum"};

PyObject* OtherResult() {
  PyErr_SetString(PyExc_ValueError, "a result that is not the argument out");
  return nullptr;
}

// into(function, place, out, *arguments, **keywords): a copy of `out` after function(*arguments,
// **keywords), of which it was the argument number `place` or (place is -1) `out`.
PyObject* Into(PyObject*, PyObject* args, PyObject* keywords) {
  const auto place = static_cast<Py_ssize_t>(PyLong_AsLong(PyTuple_GET_ITEM(args, 1)));
  const Ref copy = Ref::Steal(PyArray_NewCopy(AsArray(PyTuple_GET_ITEM(args, 2)), NPY_CORDER));
  const Ref rest = Ref::Steal(PyTuple_GetSlice(args, 3, PyTuple_GET_SIZE(args)));
  const Ref named = Ref::Steal(keywords == nullptr ? PyDict_New() : PyDict_Copy(keywords));
  if (!copy || !rest || !named) return nullptr;
  if (place >= 0) {
    Py_DECREF(PyTuple_GET_ITEM(rest.get(), place));  // None
    PyTuple_SET_ITEM(rest.get(), place, Py_NewRef(copy.get()));
  } else if (PyDict_SetItemString(named.get(), "out", copy.get()) < 0) {
    return nullptr;
  }
  const Ref done = Ref::Steal(PyObject_Call(PyTuple_GET_ITEM(args, 0), rest.get(), named.get()));
  if (!done) return nullptr;
  return done.get() == copy.get() ? Py_NewRef(copy.get()) : OtherResult();
}

PyMethodDef into_method = {"into",
                           reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(Into)),
                           METH_VARARGS | METH_KEYWORDS, nullptr};

LibraryCallArg Known(Ref object) {
  LibraryCallArg known;
  known.constant = std::move(object);
  return known;
}

bool IsApartFromAll(symbolic::TraceContext& trace, symbolic::Value* out,
                    const CallWithoutOut& rest) {
  return numpy::IsApartFromAll(trace, out, rest.positional) &&
         absl::c_all_of(rest.keywords, [&](const auto& keyword) {
           return numpy::IsApartFromAll(trace, out, {keyword.second});
         });
}

// The call of `into` with the operand `out` after those that are there.
void WrapCall(TracedCall& traced, const NumpyTensor* out, int place) {
  static PyObject* const function = PyCFunction_New(&into_method, nullptr);
  const LibraryCallArg hole = AddArray(traced, out);
  std::vector<LibraryCallArg>& arguments = traced.call.positional;
  arguments.insert(arguments.begin(), {Known(std::move(traced.call.callable)),
                                       Known(Ref::Steal(PyLong_FromLong(place))), hole});
  traced.call.callable = Ref::New(function);
  traced.call.gives_c_order = true;
}

// Where a loop is of real numbers and an array is not, in either direction, or where one of ints is
// cast to smaller ones (np.clip); NumPy warns of it.
bool MayWarnOfCast(const TracedCall& call, const NumpyTensor* out, const CallWithoutOut& rest) {
  const auto is_complex = [](const ir::Node* node) {
    return node != nullptr && IsComplex(node->dtype);
  };
  return is_complex(out->node) || !IsInexact(out->node->dtype) ||
         absl::c_any_of(call.operands, is_complex) ||
         absl::c_any_of(rest.keywords,
                        [](const auto& keyword) { return keyword.first == "casting"; });
}

}  // namespace

bool IsApartFromAll(symbolic::TraceContext& trace, symbolic::Value* out,
                    absl::Span<symbolic::Value* const> values) {
  auto* const target = symbolic::As<symbolic::TensorValue>(out);
  return target != nullptr && absl::c_all_of(values, [&](symbolic::Value* value) {
           // Written memory is apart from other inputs' (storage.h).
           if (auto* tensor = symbolic::As<symbolic::TensorValue>(value))
             return tensor->root() != target->root();
           const auto items = ItemsOf(trace, value);
           return !items || IsApartFromAll(trace, out, *items);
         });
}

arrays::CallArgs CallWithoutOut::args() const {
  arrays::CallArgs args;
  args.positional = positional;
  for (const auto& keyword : keywords) args.keywords.push_back(keyword);
  return args;
}

CallWithoutOut WithoutOut(symbolic::TraceContext& trace, symbolic::Value* out,
                          const arrays::CallArgs& args) {
  CallWithoutOut rest;
  rest.positional.assign(args.positional.begin(), args.positional.end());
  for (const auto& keyword : args.keywords) {
    if (keyword.first != "out") rest.keywords.push_back(keyword);
  }
  if (rest.keywords.size() < args.keywords.size()) return rest;
  // Nothing else is the very value: an operand that is given as `out`, too, comes before it.
  const auto place = std::find(rest.positional.rbegin(), rest.positional.rend(), out);
  rest.place = static_cast<int>(rest.positional.rend() - place) - 1;
  *place = trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
  return rest;
}

absl::StatusOr<symbolic::Value*> CallInto(symbolic::TraceContext& trace, absl::string_view name,
                                          symbolic::Value* out, const CallWithoutOut& rest,
                                          TracedCall call) {
  auto* const given = symbolic::As<symbolic::TensorValue>(out);
  if (given == nullptr || given->is_scalar || given->is_native)
    return symbolic::GraphBreak("argument out");
  if (!RequireCOrder(trace, given) && !trace.has_free_orders())
    return symbolic::GraphBreak("an argument out in another memory order");
  if (absl::c_linear_search(kReadAgain, name) && !IsApartFromAll(trace, out, rest)) {
    return symbolic::GraphBreak("an argument out that is read again");
  }
  if (given->node->rank() == 0 && absl::c_linear_search(kScans, name)) {
    return symbolic::GraphBreak("a scan into an argument out of rank 0");
  }
  NumpyTensor* const target = AsNumpy(given);
  DYNACC_RETURN_IF_ERROR(RequireWritable(trace, target));
  if (MayWarnOfCast(call, target, rest)) call.call.may_warn = true;
  WrapCall(call, target, rest.place);
  const NumpyTensor* const content =
      EmitArray(trace, std::move(call), target->node->dtype, ShapeOf(target));
  DYNACC_RETURN_IF_ERROR(Write(trace, target, content->node, content->c_order));
  return out;
}

}  // namespace dynacc::numpy
