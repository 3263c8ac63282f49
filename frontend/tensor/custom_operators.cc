#include "frontend/tensor/custom_operators.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "codegen/compile/targets.h"
#include "codegen/extensions/extensions.h"
#include "frontend/cpython/thread_end.h"
#include "frontend/numpy/capi/array_runtime.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/library_call.h"
#include "frontend/numpy/trace/library_call_rules.h"
#include "frontend/tensor/native_functions.h"
#include "runtime/base/status_macros.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/ops/registered_ops.h"

namespace dynacc::tensor {
namespace {

auto& Operators() {
  static auto& operators = *new absl::node_hash_map<std::string, CustomOperator>;  // under the GIL
  return operators;
}

const CustomOperator* FindOperator(BorrowedRef key) {
  const char* const text = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : nullptr;
  PyErr_Clear();
  const auto found = text == nullptr ? Operators().end() : Operators().find(text);
  return found == Operators().end() ? nullptr : &found->second;
}

absl::StatusOr<const CustomOperator*> OperatorFrom(symbolic::Value* value) {
  auto* const constant = symbolic::As<symbolic::ConstantValue>(value);
  const CustomOperator* const found =
      constant == nullptr ? nullptr : FindOperator(constant->object.get());
  if (found == nullptr) return symbolic::GraphBreak("an operator that is not known");
  return found;
}

// A loop over compiled code, in the form of NumPy's.
void RunCompiled(char** args, const intptr_t* dimensions, const intptr_t* steps, void* data) {
  static_cast<const kernel::CompiledKernel*>(data)->Run(args, steps, dimensions[0]);
}

// The kernel that computes the op alone.
kernel::Kernel KernelOf(Op op, DType dtype, int arity) {
  kernel::Kernel kernel;
  kernel.name = "custom_operator";
  kernel.inputs.assign(arity, dtype);
  kernel::KernelStep step;
  step.op = op;
  step.dtype = step.result = dtype;
  step.a = 0;
  step.b = arity > 1 ? 1 : -1;
  kernel.steps.push_back(step);
  kernel.outputs = {arity};
  return kernel;
}

// The operator's op with a loop for the dtype. UNAVAILABLE where nothing compiles.
absl::StatusOr<Op> FusedOp(const CustomOperator& custom, DType dtype) {
  OpDescription description;
  description.text = absl::StrReplaceAll(custom.name, {{"::", "."}});
  description.category = custom.arity == 1 ? OpCategory::kUnary : OpCategory::kBinary;
  description.traits = kEmitted | kRaisesFlags;
  description.c_expr = absl::StrCat("(", custom.source, ")");
  description.cuda = custom.cuda.empty() ? "" : absl::StrCat("(", custom.cuda, ")");
  DYNACC_ASSIGN_OR_RETURN(const Op op, RegisterOp(description));
  if (kernel::FindLibraryLoop(static_cast<int>(op), dtype)) return op;
  const targets::Target* const target = compile::FindTarget("cpu");
  if (target == nullptr) return absl::UnavailableError("there is no compiler");
  const kernel::Kernel kernel = KernelOf(op, dtype, custom.arity);
  DYNACC_ASSIGN_OR_RETURN(const compile::Kernels compiled,
                          target->CompileKernels(absl::MakeSpan(&kernel, 1)));
  // Kept for the life of the process, as the op is.
  auto* const kept = new std::shared_ptr<const kernel::CompiledKernel>(compiled[0]);
  void* const data = const_cast<kernel::CompiledKernel*>(kept->get());
  kernel::RegisterLibraryLoop(static_cast<int>(op), dtype, {RunCompiled, data});
  return op;
}

// A library call of the body that keeps the operator's promises: another result, an exception or a
// warning has the stretch run by CPython, where the operator's own check speaks.
absl::StatusOr<numpy::TracedCall> CallOfBody(symbolic::TraceContext& trace,
                                             const CustomOperator& custom,
                                             absl::Span<symbolic::Value* const> operands) {
  DYNACC_ASSIGN_OR_RETURN(numpy::TracedCall traced,
                          numpy::TakeApart(trace, custom.body.get(), {operands, {}}));
  traced.call.gives_c_order = true;
  traced.call.may_warn = true;
  traced.call.may_raise = true;
  return traced;
}

std::string TextOf(PyObject* text) {
  Py_ssize_t size = 0;
  const char* const chars = PyUnicode_AsUTF8AndSize(text, &size);
  return chars == nullptr ? "" : std::string(chars, static_cast<size_t>(size));
}

}  // namespace

void AddCustomOperator(const std::string& key, CustomOperator custom) {
  Operators().emplace(key, std::move(custom));
}

absl::Status CompileCustomOperator(const std::string& key, DType dtype) {
  const auto found = Operators().find(key);
  if (found == Operators().end()) return absl::NotFoundError(key);
  const absl::StatusOr<Op> op = FusedOp(found->second, dtype);
  if (op.ok() || absl::IsUnavailable(op.status())) return op.status();
  return absl::InvalidArgumentError(op.status().message());
}

// Key, number of the result (-1: it is the only one), dtype, shape, then the operands.
absl::StatusOr<symbolic::Value*> TraceOperatorCall(symbolic::TraceContext& trace,
                                                   absl::Span<symbolic::Value* const> args) {
  if (args.size() < 4) return symbolic::RaisingBreak("another number of arguments");
  DYNACC_ASSIGN_OR_RETURN(const CustomOperator* const custom, OperatorFrom(args[0]));
  auto* const item = symbolic::As<symbolic::ConstantValue>(args[1]);
  if (item == nullptr) return symbolic::GraphBreak("a result that is not known");
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, numpy::DTypeFrom(trace, args[2]));
  DYNACC_ASSIGN_OR_RETURN(const numpy::Shape shape, numpy::ShapeFrom(trace, args[3]));
  DYNACC_ASSIGN_OR_RETURN(numpy::TracedCall traced, CallOfBody(trace, *custom, args.subspan(4)));
  traced.call.item = static_cast<int>(PyLong_AsLong(item->object.get()));
  return numpy::EmitKnown(trace, std::move(traced), dtype, shape);
}

// Key, the dtype of all operands and of the result, then the operands.
absl::StatusOr<symbolic::Value*> TraceElementwiseOperator(symbolic::TraceContext& trace,
                                                          absl::Span<symbolic::Value* const> args) {
  if (args.size() < 3) return symbolic::RaisingBreak("another number of arguments");
  DYNACC_ASSIGN_OR_RETURN(const CustomOperator* const custom, OperatorFrom(args[0]));
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, numpy::DTypeFrom(trace, args[1]));
  const absl::Span<symbolic::Value* const> values = args.subspan(2);
  const absl::StatusOr<Op> op = FusedOp(*custom, dtype);
  if (!op.ok()) {
    DYNACC_ASSIGN_OR_RETURN(const std::optional<numpy::Shape> shape,
                            numpy::BroadcastShapeOf(trace, values));
    if (!shape) return symbolic::GraphBreak("an operand that is neither array nor number");
    DYNACC_ASSIGN_OR_RETURN(numpy::TracedCall traced, CallOfBody(trace, *custom, values));
    return numpy::EmitKnown(trace, std::move(traced), dtype, *shape);
  }
  std::vector<numpy::Operand> operands;
  for (symbolic::Value* value : values) {
    DYNACC_ASSIGN_OR_RETURN(numpy::Operand operand, numpy::MakeOperand(trace, value));
    operands.push_back(std::move(operand));
  }
  const std::vector<DType> types(operands.size() + 1, dtype);
  DYNACC_ASSIGN_OR_RETURN(const numpy::Prepared prepared, numpy::PrepareIn(trace, types, operands));
  const std::vector<const ir::Node*>& nodes = prepared.nodes;
  const ir::Node* const node = nodes.size() == 1 ? trace.graph().Unary(*op, nodes[0])
                                                 : trace.graph().Binary(*op, nodes[0], nodes[1]);
  return numpy::NewTensor(trace, node, prepared.shape, prepared.c_order);
}

absl::StatusOr<symbolic::Value*> TraceOperatorEffects(symbolic::TraceContext&,
                                                      absl::Span<symbolic::Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(const CustomOperator* const custom, OperatorFrom(args[0]));
  return symbolic::GraphBreak(absl::StrCat("the operator ", custom->name, ", which has effects"));
}

namespace {

// How many gradients of operators are being traced, one inside the other; under the GIL.
int gradient_depth = 0;

}  // namespace

// An operator's gradient may call that operator. So gradients are traced inside of gradients only
// so deep, as the depth that this gives decides. A trace that was given up has left its depth
// behind: in a gradient no errors are reported (errors_off), so where they are, there is none.
absl::StatusOr<symbolic::Value*> TraceEnterGradient(symbolic::TraceContext& trace,
                                                    absl::Span<symbolic::Value* const>) {
  if (!trace.is_quiet()) gradient_depth = 0;
  return trace.New<symbolic::ConstantValue>(Ref::Steal(PyLong_FromLong(++gradient_depth)));
}

absl::StatusOr<symbolic::Value*> TraceLeaveGradient(symbolic::TraceContext& trace,
                                                    absl::Span<symbolic::Value* const>) {
  --gradient_depth;
  return trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
}

namespace {

PyObject* AddOperatorObject(PyObject*, PyObject* args) {
  const char* key;
  PyObject *name, *body, *source, *cuda;
  CustomOperator custom;
  if (!PyArg_ParseTuple(args, "sUOUUi:add_operator", &key, &name, &body, &source, &cuda,
                        &custom.arity)) {
    return nullptr;
  }
  custom.name = TextOf(name);
  custom.body = Ref::New(body);
  custom.source = TextOf(source);
  custom.cuda = TextOf(cuda);
  AddCustomOperator(key, std::move(custom));
  Py_RETURN_NONE;
}

PyObject* CompileOperatorObject(PyObject*, PyObject* args) {
  const char* key;
  PyObject* object;
  if (!PyArg_ParseTuple(args, "sO:compile_operator", &key, &object)) return nullptr;
  PyArray_Descr* descr = nullptr;
  if (PyArray_DescrConverter(object, &descr) == 0) return nullptr;
  const std::optional<DType> dtype = numpy::FromDescr(descr);
  Py_DECREF(descr);
  if (!dtype) return PyErr_Format(PyExc_ValueError, "kernels do not handle %R", object);
  const absl::Status status = CompileCustomOperator(key, *dtype);
  if (absl::IsUnavailable(status)) Py_RETURN_FALSE;
  if (status.ok()) Py_RETURN_TRUE;
  PyErr_SetString(PyExc_ValueError, std::string(status.message()).c_str());
  return nullptr;
}

// The body called with what follows the first `skipped` arguments.
Ref CallBody(PyObject* const* arguments, Py_ssize_t count, Py_ssize_t skipped) {
  const CustomOperator* const custom = count < skipped ? nullptr : FindOperator(arguments[0]);
  if (custom != nullptr) {
    return Ref::Steal(
        PyObject_Vectorcall(custom->body.get(), arguments + skipped, count - skipped, nullptr));
  }
  PyErr_SetString(PyExc_TypeError, "no operator, or too few arguments");
  return {};
}

PyObject* CallOperator(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  Ref result = CallBody(arguments, count, 4);
  const long item = result ? PyLong_AsLong(arguments[1]) : -1;
  if (!result || PyErr_Occurred() != nullptr) return nullptr;
  return item < 0 ? result.Release() : PySequence_GetItem(result.get(), item);
}

PyObject* CallElementwiseOperator(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  return CallBody(arguments, count, 2).Release();
}

PyObject* ListExtensionOperators(PyObject*, PyObject*) {
  Ref rows = Ref::Steal(PyList_New(0));
  for (const extensions::ExtensionOperator& one : extensions::TheExtensions().operators) {
    const Ref row = Ref::Steal(Py_BuildValue("ss", one.name.c_str(), one.shapes.c_str()));
    if (!rows || !row || PyList_Append(rows.get(), row.get()) < 0) return nullptr;
  }
  return rows.Release();
}

// The memory of NumPy arrays, which a tuple holds.
class Buffers {
 public:
  // False, with an exception set, for what is no array that kernels handle.
  bool Read(PyObject* arrays) {
    const Py_ssize_t count = PyTuple_GET_SIZE(arrays);
    views_.resize(count);
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* const array = PyTuple_GET_ITEM(arrays, i);
      StridedView& view = views_[i];
      const auto dtype = numpy::IsNumpyArray(array)
                             ? numpy::FromDescr(PyArray_DESCR(numpy::AsArray(array)))
                             : std::nullopt;
      if (!dtype) {
        PyErr_Format(PyExc_TypeError, "extensions compute with arrays of numbers, not %R", array);
        return false;
      }
      alignas(16) char unused[16];
      numpy::ReadNumpy(array, &view, unused);
      buffers_.push_back({view.data, Info(view.dtype).text, view.rank, view.shape, view.strides});
    }
    return true;
  }

  const extension::Buffer* data() const { return buffers_.data(); }
  int size() const { return static_cast<int>(buffers_.size()); }

 private:
  std::vector<StridedView> views_;
  std::vector<extension::Buffer> buffers_;
};

PyObject* RunExtensionOperator(PyObject*, PyObject* args) {
  Py_ssize_t number;
  PyObject *arguments, *results;
  if (!PyArg_ParseTuple(args, "nO!O!:run_extension_operator", &number, &PyTuple_Type, &arguments,
                        &PyTuple_Type, &results)) {
    return nullptr;
  }
  const auto& operators = extensions::TheExtensions().operators;
  if (number < 0 || number >= static_cast<Py_ssize_t>(operators.size())) {
    PyErr_SetString(PyExc_ValueError, "there is no such operator");
    return nullptr;
  }
  Buffers given, made;
  if (!given.Read(arguments) || !made.Read(results)) return nullptr;
  PyThreadState* const thread = PyEval_SaveThread();
  const char* const problem =
      operators[number].body(given.data(), given.size(), made.data(), made.size());
  UpToThreadEnd([thread] { PyEval_RestoreThread(thread); });
  if (problem == nullptr) Py_RETURN_NONE;
  PyErr_SetString(PyExc_RuntimeError, problem);
  return nullptr;
}

template <typename Function>
PyCFunction AsFunction(Function* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

}  // namespace

PyMethodDef* OperatorFunctions() {
  static PyMethodDef functions[] = {
      {"add_operator", AddOperatorObject, METH_VARARGS,
       "Key, name, body, C++ source, CUDA source, number of operands: a custom operator from now "
       "on."},
      {"compile_operator", CompileOperatorObject, METH_VARARGS,
       "Key, dtype: whether the operator's C++ source is compiled for it; ValueError if it "
       "cannot."},
      {"operator_call", AsFunction(CallOperator), METH_FASTCALL,
       "Key, number of the result, dtype, shape, operands: what the operator's body gives."},
      {"elementwise_operator", AsFunction(CallElementwiseOperator), METH_FASTCALL,
       "Key, dtype, operands: what the operator's body gives."},
      {"operator_effects", [](PyObject*, PyObject*) { return Py_NewRef(Py_None); }, METH_O,
       "Key: nothing; where captured, a graph break."},
      {"enter_gradient", [](PyObject*, PyObject*) { return PyLong_FromLong(0); }, METH_NOARGS,
       "Where captured, how many gradients of operators are being captured, with one that begins."},
      {"leave_gradient", [](PyObject*, PyObject*) { return Py_NewRef(Py_None); }, METH_NOARGS,
       "Nothing; where captured, such a gradient ends."},
      {"extension_operators", ListExtensionOperators, METH_NOARGS,
       "(name, shape rule) of each operator of an extension."},
      {"run_extension_operator", RunExtensionOperator, METH_VARARGS,
       "Its number, arguments, results: has it fill the results."},
      {nullptr, nullptr, 0, nullptr},
  };
  return functions;
}

}  // namespace dynacc::tensor
