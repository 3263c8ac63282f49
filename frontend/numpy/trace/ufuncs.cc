#include "frontend/numpy/trace/ufuncs.h"

#include <algorithm>
#include <array>

#include "absl/container/flat_hash_map.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/trace/weak_numbers.h"
#include "runtime/cpu/elementary/fast_divisions.h"
#include "runtime/cpu/elementary/fast_exponentials.h"
#include "runtime/cpu/elementary/fast_powers.h"
#include "runtime/cpu/matmul/ordered_matmul.h"
#include "runtime/kernel/library_loops.h"

namespace dynacc::numpy {
namespace {

// Each op's ufunc; kept for the life of the process, as NumPy itself is.
std::array<PyUFuncObject*, 256> ufunc_of_op;
absl::flat_hash_map<PyObject*, Op> op_of_callable;

// NumPy type number of the result of `op` on operands of `dtype`.
int ResultTypeNum(Op op, DType dtype) { return TypeNum(ResultOf(op, dtype)); }

// Integer powers raise ValueError from within the loop (for a negative exponent), so they touch
// Python; of all loops for the dtypes of dtype.def these are the only ones.
bool NeedsPython(Op op, DType dtype) {
  return op == Op::kPower && Info(dtype).kind == DTypeKind::kSigned;
}

// A reduction's loop is the binary one, with the result as first operand: all of one type, except
// that logical reductions only ever run on bools.
bool IsLogicalReduction(Op op) {
  return Info(op).category == OpCategory::kReduction && Info(op).dtype_rule == DTypeRule::kBool;
}

// Index of the first loop whose inputs are all of `dtype` and whose result is as the op says, or
// -1. NumPy takes the first, too.
int FindLoop(PyUFuncObject* ufunc, Op op, DType dtype) {
  for (int k = 0; k < ufunc->ntypes; ++k) {
    const char* types = ufunc->types + k * ufunc->nargs;
    bool fits = types[ufunc->nin] == ResultTypeNum(op, dtype);
    for (int i = 0; i < ufunc->nin; ++i) fits = fits && types[i] == TypeNum(dtype);
    if (fits) return k;
  }
  return -1;
}

// A loop with the same results as `loop`, in less time where we have one.
kernel::LibraryLoop QuickerLoop(Op op, DType dtype, kernel::LibraryLoop loop) {
  if (op == Op::kMatmul) return cpu::OrderedMatmul(dtype, loop);
  if (op == Op::kExp) return cpu::FastExponentials(dtype, loop);
  if (op == Op::kRemainder) return cpu::FastDivision(cpu::Division::kRemainder, dtype, loop);
  if (op == Op::kFloorDivide) return cpu::FastDivision(cpu::Division::kFloorDivide, dtype, loop);
  if (op == Op::kFmod) return cpu::FastDivision(cpu::Division::kFmod, dtype, loop);
  return op == Op::kPower ? cpu::FastPowers(dtype, loop) : loop;
}

void RegisterLoops(Op op, PyUFuncObject* ufunc) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const DType dtype = static_cast<DType>(i);
    if (Info(dtype).numpy == 0) continue;
    if (NeedsPython(op, dtype) || (IsLogicalReduction(op) && dtype != DType::kBool)) continue;
    const int k = FindLoop(ufunc, op, dtype);
    if (k < 0) continue;
    const kernel::LibraryLoop loop = {ufunc->functions[k], ufunc->data[k]};
    kernel::RegisterLibraryLoop(static_cast<int>(op), dtype, QuickerLoop(op, dtype, loop));
  }
}

// Whether the public module, too, has this ufunc under its name.
bool IsPublic(BorrowedRef numpy_module, PyUFuncObject* ufunc) {
  PyObject* found = PyDict_GetItemString(PyModule_GetDict(numpy_module), ufunc->name);
  return found == reinterpret_cast<PyObject*>(ufunc);
}

}  // namespace

PyUFuncObject* InternalUfunc(const char* name) {
  BorrowedRef module = CoreModule();
  if (module == nullptr) return nullptr;
  PyObject* found = PyDict_GetItemString(PyModule_GetDict(module), name);
  if (found == nullptr || Py_TYPE(found) != &PyUFunc_Type) return nullptr;
  auto* ufunc = reinterpret_cast<PyUFuncObject*>(found);
  const bool has_resolver = HasWeakNumbers() || ufunc->type_resolver != nullptr;
  return has_resolver && ufunc->nout == 1 ? ufunc : nullptr;
}

void LoadUfuncs(BorrowedRef numpy_module) {
  for (int i = 0; i < NumOps(); ++i) {
    const Op op = static_cast<Op>(i);
    if (Info(op).numpy[0] == '\0') continue;
    PyUFuncObject* ufunc = InternalUfunc(Info(op).numpy);
    if (ufunc == nullptr || !IsPublic(numpy_module, ufunc)) continue;
    Py_INCREF(ufunc);
    ufunc_of_op[i] = ufunc;
    RegisterLoops(op, ufunc);
    if (IsElementwise(op)) op_of_callable.emplace(reinterpret_cast<PyObject*>(ufunc), op);
  }
}

PyUFuncObject* UfuncOf(Op op) { return ufunc_of_op[static_cast<int>(op)]; }

bool IsUfunc(BorrowedRef callable) {
  if (Py_TYPE(callable) != &PyUFunc_Type) return false;
  auto* ufunc = reinterpret_cast<PyUFuncObject*>(callable);
  return ufunc->nout == 1 && ufunc->core_enabled == 0 && InternalUfunc(ufunc->name) == ufunc;
}

std::optional<Op> ElementwiseOpOf(BorrowedRef callable) {
  const auto found = op_of_callable.find(callable);
  return found == op_of_callable.end() ? std::nullopt : std::optional<Op>(found->second);
}

std::vector<int> ResolveTypes(PyUFuncObject* ufunc, absl::Span<PyObject* const> operands) {
  if (HasWeakNumbers()) return ResolveWeakTypes(ufunc, operands);
  PyArrayObject* all_operands[NPY_MAXARGS] = {};
  PyArray_Descr* descrs[NPY_MAXARGS] = {};
  std::transform(operands.begin(), operands.end(), all_operands,
                 [](PyObject* operand) { return AsArray(operand); });
  const int failed =
      ufunc->type_resolver(ufunc, NPY_SAME_KIND_CASTING, all_operands, nullptr, descrs);
  std::vector<int> types;
  for (int i = 0; i < ufunc->nargs; ++i) {
    if (failed == 0 && descrs[i] != nullptr) types.push_back(descrs[i]->type_num);
    Py_XDECREF(descrs[i]);
  }
  if (failed != 0) PyErr_Clear();
  return types;
}

}  // namespace dynacc::numpy
