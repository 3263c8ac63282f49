#include "frontend/arrays/numpy/numpy_namespace.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontend/arrays/numpy/array_guards.h"
#include "frontend/arrays/numpy/array_runtime.h"
#include "frontend/arrays/numpy/dtypes.h"
#include "frontend/arrays/numpy/elementwise.h"
#include "frontend/arrays/numpy/function_table.h"
#include "frontend/arrays/numpy/numpy_api.h"
#include "frontend/arrays/numpy/operators.h"
#include "frontend/arrays/numpy/subscript.h"
#include "frontend/arrays/numpy/ufuncs.h"
#include "frontend/arrays/numpy/wrap.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// A ufunc call's keyword arguments must leave it as it is by default.
absl::Status RefuseUfuncKeywords(const CallArgs& args) {
  static constexpr absl::string_view kSignature = "* out where casting order dtype subok";
  DYNACC_ASSIGN_OR_RETURN(const BoundArgs bound,
                          BoundArgs::Bind(kSignature, nullptr, {{}, args.keywords}));
  DYNACC_RETURN_IF_ERROR(bound.RefuseGiven("out"));
  DYNACC_RETURN_IF_ERROR(bound.RefuseGiven("dtype"));
  DYNACC_RETURN_IF_ERROR(bound.RefuseUnlessText("casting", "same_kind"));
  DYNACC_RETURN_IF_ERROR(bound.RefuseUnlessText("order", "K"));
  DYNACC_ASSIGN_OR_RETURN(const bool where, bound.Flag("where", true));
  return where ? bound.Flag("subok", true).status() : GraphBreak("argument where");
}

absl::StatusOr<Value*> CallUfunc(TraceContext& trace, Op op, const CallArgs& args) {
  DYNACC_RETURN_IF_ERROR(RefuseUfuncKeywords(args));
  const size_t arity = Info(op).category == OpCategory::kUnary ? 1 : 2;
  if (args.positional.size() != arity) return GraphBreak("argument out");
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, Elementwise(trace, op, args.positional));
  return result;
}

// ndarray's methods that NumPy writes in Python are imported at their first call, which fails while
// the interpreter is torn down. A program whose first call was captured must still be able to call
// the method from a finaliser then, so NumPy gets a first call, too. Runs under the HookBypass that
// tracing is under.
void LetNumpyImport(const std::string& method) {
  static constexpr absl::string_view kInPython[] = {"sum", "prod", "max", "min", "any",
                                                    "all", "mean", "var", "std"};
  static auto& imported = *new absl::flat_hash_set<std::string>;  // under the GIL
  if (!absl::c_linear_search(kInPython, method) || !imported.insert(method).second) return;
  npy_intp one = 1;
  Ref array = Ref::Steal(PyArray_ZEROS(1, &one, NPY_DOUBLE, 0));
  if (array) Ref::Steal(PyObject_CallMethod(array.get(), method.c_str(), nullptr));
  PyErr_Clear();
}

// A break's reason with the function's name before it.
absl::Status Named(const absl::Status& status, const std::string& function) {
  const absl::Status named = Annotate(status, function);
  return IsRaisingBreak(status) ? RaisingBreak(named.message()) : named;
}

absl::StatusOr<Value*> CallRow(TraceContext& trace, const NumpyFunctionRow& row, Value* self,
                               const CallArgs& args) {
  const std::string context = absl::StrCat("numpy.", row.name);
  absl::StatusOr<BoundArgs> bound = BoundArgs::Bind(row.signature, self, args);
  if (!bound.ok()) return Named(bound.status(), context);
  if (self != nullptr) LetNumpyImport(std::string(row.name));
  absl::StatusOr<Value*> result = row.handler(trace, *bound, row.op);
  if (!result.ok()) return Named(result.status(), context);
  return result;
}

}  // namespace

NumpyNamespace::NumpyNamespace(BorrowedRef numpy_module) {
  LoadDTypeTables();
  LoadUfuncs(numpy_module);
  LoadFunctionTable(numpy_module);
  RegisterNumpyGuards();
}

bool NumpyNamespace::IsArray(BorrowedRef object) const {
  return IsNumpyArray(object) || IsNumpyScalar(object);
}

absl::StatusOr<TensorValue*> NumpyNamespace::Wrap(TraceContext& trace, BorrowedRef object,
                                                  const Source* source) {
  return WrapNumpy(trace, object, source);
}

PyTypeObject* NumpyNamespace::TypeOf(const TensorValue& tensor) const {
  return tensor.is_scalar ? Descr(tensor.node->dtype)->typeobj : &PyArray_Type;
}

bool NumpyNamespace::KnowsCallable(BorrowedRef callable) const {
  return ElementwiseOpOf(callable).has_value() || FindFunction(callable) != nullptr;
}

bool NumpyNamespace::KnowsMethod(absl::string_view name) const {
  return FindMethod(name) != nullptr;
}

bool NumpyNamespace::OwnsModule(BorrowedRef object) const {
  if (!PyModule_Check(object)) return false;
  PyObject* name = PyDict_GetItemString(PyModule_GetDict(object), "__name__");
  return name != nullptr && OwnsModuleName(name);
}

bool NumpyNamespace::OwnsModuleName(BorrowedRef name) const {
  if (!PyUnicode_CheckExact(name)) return false;
  const char* text = PyUnicode_AsUTF8(name);
  if (text == nullptr) PyErr_Clear();
  if (text == nullptr) return false;
  return absl::string_view(text) == "numpy" || absl::StartsWith(text, "numpy.");
}

absl::StatusOr<Value*> NumpyNamespace::Call(TraceContext& trace, BorrowedRef callable,
                                            const CallArgs& args) {
  if (const auto op = ElementwiseOpOf(callable)) return CallUfunc(trace, *op, args);
  const NumpyFunctionRow* row = FindFunction(callable);
  if (row == nullptr) return absl::NotFoundError("not a NumPy function that is traced");
  return CallRow(trace, *row, nullptr, args);
}

absl::StatusOr<Value*> NumpyNamespace::CallMethod(TraceContext& trace, TensorValue* self,
                                                  absl::string_view name, const CallArgs& args) {
  if (name == "__abs__") return NumpyAbsolute(trace, self);
  const NumpyFunctionRow* row = FindMethod(name);
  if (row == nullptr) return absl::NotFoundError("not an array method that is traced");
  return CallRow(trace, *row, self, args);
}

absl::StatusOr<Value*> NumpyNamespace::Attribute(TraceContext& trace, TensorValue* self,
                                                 absl::string_view name) {
  const NumpyAttributeRow* row = FindAttribute(name);
  if (row == nullptr) return absl::NotFoundError("not an array attribute that is traced");
  return row->getter(trace, AsNumpy(self));
}

absl::StatusOr<Value*> NumpyNamespace::Binary(TraceContext& trace, int nb_op, bool in_place,
                                              Value* a, Value* b) {
  return NumpyBinary(trace, nb_op, in_place, a, b);
}

absl::StatusOr<Value*> NumpyNamespace::Compare(TraceContext& trace, int compare_op, Value* a,
                                               Value* b) {
  return NumpyCompare(trace, compare_op, a, b);
}

absl::StatusOr<Value*> NumpyNamespace::Unary(TraceContext& trace, int opcode, TensorValue* a) {
  return NumpyUnary(trace, opcode, a);
}

absl::StatusOr<Value*> NumpyNamespace::Subscript(TraceContext& trace, TensorValue* a, Value* key) {
  return NumpySubscript(trace, AsNumpy(a), key);
}

void NumpyNamespace::Read(BorrowedRef object, StridedView* view, void* storage) const {
  ReadNumpy(object, view, storage);
}

PyObject* NumpyNamespace::NewArray(StridedView& view) const { return NewNumpyArray(view); }

PyObject* NumpyNamespace::NewScalar(const StridedView& view) const { return NewNumpyScalar(view); }

PyObject* NumpyNamespace::NewView(BorrowedRef base, const StridedView& view) const {
  return NewNumpyView(base, view);
}

uint32_t NumpyNamespace::ReportedFpFlags() const { return NumpyReportedFpFlags(); }

bool NumpyNamespace::HasUsualBuffers() const { return HasUsualNumpyBuffers(); }

ArrayNamespace* LoadNumpyNamespace() {
  static NumpyNamespace* loaded = nullptr;  // lives as long as the process, as NumPy does
  if (loaded == nullptr) {
    BorrowedRef numpy_module = ImportNumpyApi();
    if (numpy_module != nullptr) loaded = new NumpyNamespace(numpy_module);
  }
  return loaded;
}

}  // namespace dynacc
