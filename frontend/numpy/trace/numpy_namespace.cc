#include "frontend/numpy/trace/numpy_namespace.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontend/numpy/capi/array_guards.h"
#include "frontend/numpy/capi/array_runtime.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/in_temporary.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/capi/warnings_scope.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/bit_exactness.h"
#include "frontend/numpy/trace/callables.h"
#include "frontend/numpy/trace/complex_product.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/gather.h"
#include "frontend/numpy/trace/inlined.h"
#include "frontend/numpy/trace/library_call_rules.h"
#include "frontend/numpy/trace/masked.h"
#include "frontend/numpy/trace/number_calls.h"
#include "frontend/numpy/trace/operators.h"
#include "frontend/numpy/trace/pure_calls.h"
#include "frontend/numpy/trace/sampling.h"
#include "frontend/numpy/trace/stores.h"
#include "frontend/numpy/trace/subscript.h"
#include "frontend/numpy/trace/ufunc_methods.h"
#include "frontend/numpy/trace/ufuncs.h"
#include "frontend/numpy/trace/versioned_keywords.h"
#include "frontend/numpy/trace/wrap.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

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
  if (symbolic::IsDecompositionBreak(status)) return status;
  const absl::Status named = Annotate(status, function);
  return symbolic::IsRaisingBreak(status) ? symbolic::RaisingBreak(named.message()) : named;
}

absl::StatusOr<symbolic::Value*> CallRow(symbolic::TraceContext& trace, const NumpyFunctionRow& row,
                                         symbolic::Value* self, const arrays::CallArgs& args) {
  const std::string context = absl::StrCat("numpy.", row.name);
  const absl::StatusOr<arrays::CallArgs> known =
      self == nullptr ? AsRowKnows(row.name, args) : args;
  if (!known.ok()) return Named(known.status(), context);
  absl::StatusOr<BoundArgs> bound = BoundArgs::Bind(row.signature, self, *known);
  if (!bound.ok()) return Named(bound.status(), context);
  if (self != nullptr) LetNumpyImport(std::string(row.name));
  absl::StatusOr<symbolic::Value*> result = row.handler(trace, *bound, row.op);
  if (!result.ok()) return Named(result.status(), context);
  return result;
}

// NotFound if the call is none whose size depends on values.
absl::StatusOr<symbolic::Value*> CallDataDependent(symbolic::TraceContext& trace,
                                                   const NumpyDataDependentRow& row,
                                                   BorrowedRef callable, symbolic::Value* self,
                                                   const arrays::CallArgs& args) {
  absl::StatusOr<symbolic::Value*> result = CallDataDependentRow(trace, row, callable, self, args);
  if (result.ok() || absl::IsNotFound(result.status())) return result;
  return Named(result.status(), absl::StrCat("numpy.", row.name));
}

// By the rows of a function or (self given) of a method.
absl::StatusOr<symbolic::Value*> CallRows(symbolic::TraceContext& trace, const NumpyCallable& rows,
                                          BorrowedRef callable, symbolic::Value* self,
                                          const arrays::CallArgs& args) {
  if (rows.data_dependent != nullptr) {
    DYNACC_RETURN_IF_ERROR(trace.RequireNoDecomposition(callable));
    absl::StatusOr<symbolic::Value*> result =
        CallDataDependent(trace, *rows.data_dependent, callable, self, args);
    if (!absl::IsNotFound(result.status())) return result;
  }
  const auto by_library = [&]() -> absl::StatusOr<symbolic::Value*> {
    DYNACC_RETURN_IF_ERROR(trace.RequireNoDecomposition(callable));
    absl::StatusOr<symbolic::Value*> result =
        CallLibraryRow(trace, *rows.library, callable, self, args);
    if (result.ok()) return result;
    return Named(result.status(), absl::StrCat("numpy.", rows.library->name));
  };
  if (rows.traced != nullptr) {
    absl::StatusOr<symbolic::Value*> traced = CallRow(trace, *rows.traced, self, args);
    return rows.library == nullptr ? traced : OrByLibrary(std::move(traced), by_library);
  }
  if (rows.library == nullptr) return absl::NotFoundError("not traced by NumPy's rules");
  return by_library();
}

// ndarray's own method; borrowed from the type, which nobody can change. Null if it has none.
BorrowedRef MethodDescriptor(absl::string_view name) {
  return PyDict_GetItemString(PyArray_Type.tp_dict, std::string(name).c_str());
}

}  // namespace

NumpyNamespace::NumpyNamespace(BorrowedRef numpy_module) : module_(numpy_module) {
  LoadDTypeTables();
  LoadUfuncs(numpy_module);
  LearnReductions();
  LoadCallables(numpy_module);
  LoadImported();
  RegisterNumpyGuards();
}

void NumpyNamespace::LoadImported() const {
  BorrowedRef dict = PyModule_GetDict(module_);
  if (!has_transforms_ && PyDict_GetItemString(dict, "fft") != nullptr) {
    has_transforms_ = true;
    LoadLibraryCalls(module_);
  }
  if (!has_sampling_ && PyDict_GetItemString(dict, "random") != nullptr) {
    has_sampling_ = true;
    LoadSamples();
  }
}

bool NumpyNamespace::IsArray(BorrowedRef object) const {
  return IsNumpyArray(object) || IsNumpyScalar(object);
}

absl::StatusOr<symbolic::TensorValue*> NumpyNamespace::Wrap(symbolic::TraceContext& trace,
                                                            BorrowedRef object,
                                                            const sources::Source* source) {
  return WrapNumpy(trace, object, source);
}

PyTypeObject* NumpyNamespace::TypeOf(const symbolic::TensorValue& tensor) const {
  return tensor.is_scalar ? Descr(tensor.node->dtype)->typeobj : &PyArray_Type;
}

bool NumpyNamespace::KnowsCallable(BorrowedRef callable) const {
  if (!has_transforms_ || !has_sampling_) LoadImported();
  const NumpyCallable* const found = FindCallable(callable);
  if (found == nullptr) return false;
  return found->is_traced() || (found->inlined && !PyFunction_Check(callable));
}

bool NumpyNamespace::KnowsMethod(absl::string_view name) const {
  return MethodDescriptor(name) != nullptr && FindArrayMethod(name) != nullptr;
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

bool NumpyNamespace::LacksAttribute(BorrowedRef module, BorrowedRef name) const {
  const WarningsAs warnings("error");
  const Ref found = Ref::Steal(PyObject_GetAttr(module, name));
  if (found) return false;
  if (PyErr_ExceptionMatches(PyExc_AttributeError) != 0) return true;
  PyErr_Clear();
  return false;
}

Ref NumpyNamespace::Inlined(BorrowedRef function) const {
  if (!PyFunction_Check(function)) return InlinedForm(function);
  BorrowedRef module = reinterpret_cast<PyFunctionObject*>(function)->func_module;
  if (module == nullptr || !PyUnicode_Check(module) || !OwnsModuleName(module)) {
    const NumpyCallable* const known = FindCallable(function);  // as functions of SciPy's may be
    return known != nullptr && known->inlined ? known->inlined : Ref::New(function);
  }
  return InlinedForm(function);
}

Ref NumpyNamespace::CallableAttribute(BorrowedRef callable, absl::string_view name) const {
  if (Ref part = ConstantAttribute(callable, name)) return part;
  return UfuncMethod(callable, name);
}

absl::StatusOr<symbolic::Value*> NumpyNamespace::Call(symbolic::TraceContext& trace,
                                                      BorrowedRef callable,
                                                      const arrays::CallArgs& args) {
  const NumpyCallable* const found = FindCallable(callable);
  if (found == nullptr) return absl::NotFoundError("not a NumPy function that is traced");
  if (found->whole != nullptr) return found->whole(trace, callable, args);
  return CallRows(trace, *found, callable, nullptr, args);
}

absl::StatusOr<symbolic::Value*> NumpyNamespace::CallOnNumbers(
    symbolic::TraceContext& trace, BorrowedRef function, absl::Span<symbolic::Value* const> args) {
  return CallFunctionOnNumbers(trace, function, args);
}

absl::StatusOr<symbolic::Value*> NumpyNamespace::CallMethod(symbolic::TraceContext& trace,
                                                            symbolic::TensorValue* self,
                                                            absl::string_view name,
                                                            const arrays::CallArgs& args) {
  if (name == "__abs__") return NumpyAbsolute(trace, self);
  if (MethodDescriptor(name) == nullptr) {
    return absl::NotFoundError("not a method that arrays have in this version");
  }
  const NumpyCallable* const found = FindArrayMethod(name);
  if (found == nullptr) return absl::NotFoundError("not an array method that is traced");
  return CallRows(trace, *found, MethodDescriptor(name), self, args);
}

absl::StatusOr<symbolic::Value*> NumpyNamespace::Attribute(symbolic::TraceContext& trace,
                                                           symbolic::TensorValue* self,
                                                           absl::string_view name) {
  const NumpyAttributeRow* row = FindAttribute(name);
  if (row == nullptr || MethodDescriptor(name) == nullptr)
    return absl::NotFoundError("not an array attribute that is traced");
  return row->getter(trace, AsNumpy(self));
}

absl::StatusOr<symbolic::Value*> NumpyNamespace::Binary(symbolic::TraceContext& trace, int nb_op,
                                                        bool in_place, symbolic::Value* a,
                                                        symbolic::Value* b) {
  if (symbolic::As<symbolic::SelectionValue>(a) || symbolic::As<symbolic::SelectionValue>(b)) {
    return SelectionBinary(trace, nb_op, in_place, a, b);
  }
  return OrByLibrary(NumpyBinary(trace, nb_op, in_place, a, b),
                     [&] { return BinaryByNumpy(trace, nb_op, in_place, a, b); });
}

absl::StatusOr<symbolic::Value*> NumpyNamespace::Compare(symbolic::TraceContext& trace,
                                                         int compare_op, symbolic::Value* a,
                                                         symbolic::Value* b) {
  return OrByLibrary(NumpyCompare(trace, compare_op, a, b),
                     [&] { return CompareByNumpy(trace, compare_op, a, b); });
}

absl::StatusOr<symbolic::Value*> NumpyNamespace::Unary(symbolic::TraceContext& trace, int opcode,
                                                       symbolic::TensorValue* a) {
  return NumpyUnary(trace, opcode, a);
}

const ir::Node* NumpyNamespace::InOperandsMemory(const ir::Node* result, bool right,
                                                 symbolic::TraceContext& trace) const {
  // NumPy's own call of an operator makes a fresh array: it may be of a product.
  const bool may_be_product = ir::MakesCall(*result) && ProductHasOrder(result->dtype);
  return may_be_product ? nullptr : InPlaceProduct(result, right, trace);
}

bool NumpyNamespace::ComputesInTemporaries() const { return numpy::ComputesInTemporaries(); }

bool NumpyNamespace::TakesRightMemory(symbolic::Value* left) const {
  // Of NumPy 2 a scalar's own operator comes first, and holds the array beside it.
  auto* const tensor = symbolic::As<symbolic::TensorValue>(left);
  return NumpyMajor() == 1 || tensor == nullptr || !tensor->is_scalar;
}

absl::StatusOr<symbolic::Value*> NumpyNamespace::UnaryOfSelection(symbolic::TraceContext& trace,
                                                                  int opcode,
                                                                  symbolic::SelectionValue* a) {
  return SelectionUnary(trace, opcode, a);
}

absl::StatusOr<symbolic::Value*> NumpyNamespace::Subscript(symbolic::TraceContext& trace,
                                                           symbolic::TensorValue* a,
                                                           symbolic::Value* key) {
  if (HasMask(trace, key)) {
    if (trace.reads_selected()) return Gather(trace, AsNumpy(a), key);
    return ReadMasked(trace, AsNumpy(a), key);
  }
  return OrByLibrary(NumpySubscript(trace, AsNumpy(a), key),
                     [&] { return Gather(trace, AsNumpy(a), key); });
}

absl::Status NumpyNamespace::StoreSubscript(symbolic::TraceContext& trace, symbolic::TensorValue* a,
                                            symbolic::Value* key, symbolic::Value* value) {
  return NumpyStoreSubscript(trace, AsNumpy(a), key, value);
}

void NumpyNamespace::Read(BorrowedRef object, StridedView* view, void* storage) const {
  ReadNumpy(object, view, storage);
}

PyObject* NumpyNamespace::NewArray(StridedView& view, bool, bool keeps_memory) const {
  return NewNumpyArray(view, keeps_memory);
}

PyObject* NumpyNamespace::NewScalar(const StridedView& view) const { return NewNumpyScalar(view); }

PyObject* NumpyNamespace::NewView(BorrowedRef base, const StridedView& view, bool) const {
  return NewNumpyView(base, view);
}

uint32_t NumpyNamespace::ReportedFpFlags() const { return NumpyReportedFpFlags(); }

bool NumpyNamespace::IsSingleton(BorrowedRef object) const { return IsBuiltinDType(object); }

Ref NumpyNamespace::EqualToSingleton(symbolic::TraceContext& trace, symbolic::Value* a,
                                     symbolic::Value* b) {
  return EqualDTypes(trace, a, b);
}

bool NumpyNamespace::HasUsualBuffers() const { return HasUsualNumpyBuffers(); }

arrays::ArrayNamespace* LoadNumpyNamespace() {
  static NumpyNamespace* loaded = nullptr;  // lives as long as the process, as NumPy does
  static bool is_loading = false;  // frames that run meanwhile come here, too, and find no NumPy
  if (loaded != nullptr || is_loading) return loaded;
  is_loading = true;
  BorrowedRef numpy_module = ImportNumpyApi();
  if (numpy_module != nullptr) loaded = new NumpyNamespace(numpy_module);
  is_loading = false;
  return loaded;
}

}  // namespace dynacc::numpy
