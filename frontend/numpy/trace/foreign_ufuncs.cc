#include "frontend/numpy/trace/foreign_ufuncs.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "codegen/autodiff/gradient_rules.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/callables.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/library_call.h"
#include "frontend/numpy/trace/library_call_rules.h"
#include "frontend/numpy/trace/ufuncs.h"
#include "runtime/base/status_macros.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/ops/registered_ops.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::numpy {
namespace {

PyUFuncObject* AsUfunc(BorrowedRef ufunc) { return reinterpret_cast<PyUFuncObject*>(ufunc); }

// Whether the module, if it has been imported, has the object under that name.
bool HasInModule(BorrowedRef module, const char* name, BorrowedRef object) {
  return module != nullptr && PyModule_Check(module) &&
         PyDict_GetItemString(PyModule_GetDict(module), name) == object;
}

BorrowedRef ImportedModule(const char* name) {
  return PyDict_GetItemString(PyImport_GetModuleDict(), name);
}

bool IsNumpysOwn(BorrowedRef ufunc) {
  const char* const name = AsUfunc(ufunc)->name;
  if (HasInModule(CoreModule(), name, ufunc)) return true;
  return HasInModule(ImportedModule("numpy.linalg._umath_linalg"), name, ufunc) ||
         HasInModule(ImportedModule("numpy.linalg"), name, ufunc);
}

// Whether each loop takes or gives Python objects: the ufunc calls Python code.
bool IsOfObjects(const PyUFuncObject& ufunc) {
  for (int k = 0; k < ufunc.ntypes; ++k) {
    const char* const types = ufunc.types + k * ufunc.nargs;
    if (std::find(types, types + ufunc.nargs, NPY_OBJECT) == types + ufunc.nargs) return false;
  }
  return true;
}

// Whether scipy.special reports errors of its functions to nobody. That memory runs out is none of
// them, and raises as it does anywhere.
bool SpecialIsQuiet() {
  const Ref settings = Ref::Steal(
      PyObject_CallMethod(ImportedModule("scipy.special"), "geterr", /*format=*/nullptr));
  bool quiet = settings && PyDict_Check(settings.get());
  PyObject *name, *action;
  Py_ssize_t position = 0;
  while (quiet && PyDict_Next(settings.get(), &position, &name, &action) != 0) {
    const bool is_memory =
        PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "memory") == 0;
    quiet = is_memory ||
            (PyUnicode_Check(action) && PyUnicode_CompareWithASCIIString(action, "ignore") == 0);
  }
  PyErr_Clear();
  return quiet;
}

// SciPy's loop with the thread's flags as they were before it: it clears those that other steps of
// the kernel have raised.
void RunSpecialLoop(char** args, const intptr_t* dimensions, const intptr_t* steps, void* data) {
  const platform::ScopedFpFlags flags;
  const auto& loop = *static_cast<const kernel::LibraryLoop*>(data);
  loop.fn(args, dimensions, steps, loop.data);
}

// What a device computes in the function's place; "": it has none.
const char* CudaOf(absl::string_view name) {
  static constexpr std::pair<absl::string_view, const char*> kRows[] = {
#define DYNACC_SCIPY_SPECIAL(name, cuda) {name, cuda},
#include "frontend/numpy/trace/scipy_special.def"
#undef DYNACC_SCIPY_SPECIAL
  };
  const auto row = absl::c_find_if(kRows, [name](const auto& r) { return r.first == name; });
  return row == std::end(kRows) ? "" : row->second;
}

// The loop of just these types, inputs then outputs; -1: none.
int FindLoopOf(const PyUFuncObject& ufunc, absl::Span<const int> types) {
  for (int k = 0; k < ufunc.ntypes; ++k) {
    const char* const of_loop = ufunc.types + k * ufunc.nargs;
    if (std::equal(types.begin(), types.end(), of_loop)) return k;
  }
  return -1;
}

// Whether a loop takes ints where another one takes floats: that one warns, as Python code does, of
// floats that are none.
bool TakesInts(const PyUFuncObject& special) {
  for (int k = 0; k < special.ntypes; ++k) {
    const char* const types = special.types + k * special.nargs;
    if (std::any_of(types, types + special.nin,
                    [](char type) { return PyTypeNum_ISINTEGER(type); }))
      return true;
  }
  return false;
}

bool IsOfSpecial(BorrowedRef ufunc) {
  const PyUFuncObject& special = *AsUfunc(ufunc);
  return special.core_enabled == 0 && !TakesInts(special) && special.nout == 1 &&
         special.nin <= 2 && HasInModule(ImportedModule("scipy.special"), special.name, ufunc);
}

// The op of a ufunc of scipy.special for operands of the dtype, with its loop of just these types;
// nothing if there is no such loop, or no room for the op. Under the GIL.
std::optional<Op> RegisterSpecial(BorrowedRef ufunc, DType dtype, absl::Span<const int> types) {
  static auto& loops = *new absl::flat_hash_map<std::pair<PyObject*, int>, kernel::LibraryLoop*>;
  const PyUFuncObject& special = *AsUfunc(ufunc);
  const int k = FindLoopOf(special, types);
  if (k < 0) return std::nullopt;
  OpDescription description;
  description.text = absl::StrCat("scipy.special.", special.name);
  description.category = special.nin == 1 ? OpCategory::kUnary : OpCategory::kBinary;
  description.dtype_rule = types.back() == NPY_BOOL ? DTypeRule::kBool : DTypeRule::kSame;
  description.cuda = CudaOf(special.name);
  const absl::StatusOr<Op> op = RegisterOp(description);
  if (!op.ok()) return std::nullopt;
  kernel::LibraryLoop*& loop = loops[{ufunc, k}];
  if (loop == nullptr) {
    loop = new kernel::LibraryLoop{special.functions[k], special.data[k]};
    kernel::RegisterLibraryLoop(static_cast<int>(*op), dtype, {RunSpecialLoop, loop});
  }
  return *op;
}

// The same, together with the functions that its gradients of any order need.
std::optional<Op> SpecialOp(BorrowedRef ufunc, DType dtype, absl::Span<const int> types) {
  const std::optional<Op> op = RegisterSpecial(ufunc, dtype, types);
  if (!op) return std::nullopt;
  BorrowedRef module = PyModule_GetDict(ImportedModule("scipy.special"));
  std::vector<PyObject*> registered = {ufunc};
  for (;;) {
    const char* const name = autodiff::OtherSpecialOf(AsUfunc(registered.back())->name);
    if (*name == '\0') return op;
    BorrowedRef other = PyDict_GetItemString(module, name);
    if (other == nullptr || !IsOfSpecial(other)) return std::nullopt;
    if (absl::c_linear_search(registered, other)) return op;
    const std::vector<int> its_types(AsUfunc(other)->nargs, types[0]);
    if (!RegisterSpecial(other, dtype, its_types)) return std::nullopt;
    registered.push_back(other);
  }
}

absl::StatusOr<symbolic::Value*> CallSpecial(symbolic::TraceContext& trace, BorrowedRef ufunc,
                                             const arrays::CallArgs& args) {
  PyUFuncObject* const special = AsUfunc(ufunc);
  if (!args.keywords.empty() || static_cast<int>(args.positional.size()) != special->nin ||
      (!HasWeakNumbers() && special->type_resolver == nullptr) || !SpecialIsQuiet()) {
    return symbolic::GraphBreak("a special function that its library computes");
  }
  std::vector<Operand> operands;
  bool has_array = false;
  for (symbolic::Value* value : args.positional) {
    DYNACC_ASSIGN_OR_RETURN(Operand operand, MakeOperand(trace, value));
    has_array |= operand.is_array();
    operands.push_back(std::move(operand));
  }
  if (!has_array) return symbolic::GraphBreak("a special function of single numbers");
  const auto resolve = [special](absl::Span<PyObject* const> examples) {
    return ResolveTypes(special, examples);
  };
  DYNACC_ASSIGN_OR_RETURN(const Prepared prepared, Prepare(trace, resolve, operands));
  const DType dtype = prepared.nodes[0]->dtype;
  const bool are_same = absl::c_all_of(
      prepared.nodes, [dtype](const ir::Node* node) { return node->dtype == dtype; });
  const bool gives_same = prepared.types.back() == TypeNum(dtype);
  const std::optional<Op> op = are_same && (gives_same || prepared.types.back() == NPY_BOOL)
                                   ? SpecialOp(ufunc, dtype, prepared.types)
                                   : std::nullopt;
  if (!op) return symbolic::GraphBreak("a special function in a dtype without a loop");
  const ir::Node* const node =
      prepared.nodes.size() == 1 ? trace.graph().Unary(*op, prepared.nodes[0])
                                 : trace.graph().Binary(*op, prepared.nodes[0], prepared.nodes[1]);
  return NewTensor(trace, node, prepared.shape, prepared.c_order);
}

// Whether it is what numba.vectorize gives without signatures: it makes loops as they are needed.
bool IsNumbaUfunc(BorrowedRef callable) {
  return absl::string_view(Py_TYPE(callable)->tp_name) == "DUFunc" &&
         PyObject_HasAttrString(callable, "_dispatcher") != 0;
}

}  // namespace

bool IsForeignUfunc(BorrowedRef callable) {
  if (Py_TYPE(callable) == &PyUFunc_Type) return !IsNumpysOwn(callable);
  return IsNumbaUfunc(callable);
}

namespace {

// The ufunc's own call. What it may warn of, in Python, is the program's to hear.
absl::StatusOr<symbolic::Value*> CallUfuncItself(symbolic::TraceContext& trace, BorrowedRef ufunc,
                                                 const arrays::CallArgs& args) {
  const bool is_plain = Py_TYPE(ufunc) == &PyUFunc_Type &&
                        static_cast<int>(args.positional.size()) == AsUfunc(ufunc)->nin;
  if (!args.keywords.empty() || !is_plain) return CallElementwiseLibrary(trace, ufunc, args);
  std::optional<Shape> shape;
  if (AsUfunc(ufunc)->core_enabled == 0) {
    DYNACC_ASSIGN_OR_RETURN(shape, BroadcastShapeOf(trace, args.positional));
  }
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, ufunc, args));
  traced.call.may_warn = true;
  return EmitCall(trace, std::move(traced), shape);
}

}  // namespace

absl::StatusOr<symbolic::Value*> CallForeignUfunc(symbolic::TraceContext& trace, BorrowedRef ufunc,
                                                  const arrays::CallArgs& args) {
  const bool is_ufunc = Py_TYPE(ufunc) == &PyUFunc_Type;
  if (is_ufunc && IsOfObjects(*AsUfunc(ufunc)))
    return symbolic::GraphBreak("a ufunc of Python objects");
  LearnCallable(ufunc);  // which keeps it alive
  const auto itself = [&] { return CallUfuncItself(trace, ufunc, args); };
  return is_ufunc && IsOfSpecial(ufunc) ? OrByLibrary(CallSpecial(trace, ufunc, args), itself)
                                        : itself();
}

}  // namespace dynacc::numpy
