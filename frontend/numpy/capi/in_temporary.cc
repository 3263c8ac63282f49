#include "frontend/numpy/capi/in_temporary.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "frontend/cpython/evaluator.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/symbolic/binary_operator.h"

namespace dynacc::numpy {
namespace {

constexpr npy_intp kLeastBytes = 256 * 1024;  // NPY_MIN_ELIDE_BYTES

// A large array of numbers of its own that only the caller refers to.
bool IsTemporary(BorrowedRef object) {
  if (Py_REFCNT(object) != 1 || !PyArray_CheckExact(object)) return false;
  PyArrayObject* array = AsArray(object);
  return PyArray_ISNUMBER(array) && PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA) &&
         PyArray_ISWRITEABLE(array) && !PyArray_CHKFLAGS(array, NPY_ARRAY_WRITEBACKIFCOPY) &&
         BytesOf(array) >= kLeastBytes;
}

// can_elide_temp
bool MayHold(BorrowedRef temporary, BorrowedRef other) {
  if (!IsTemporary(temporary)) return false;
  if (!PyArray_CheckExact(other) && !PyArray_CheckAnyScalar(other)) return false;
  Ref array = Ref::Steal(PyArray_EnsureArray(Py_NewRef(other)));
  if (!array) {
    PyErr_Clear();
    return false;
  }
  PyArrayObject* to = AsArray(temporary);
  PyArrayObject* from = AsArray(array.get());
  const int rank = PyArray_NDIM(from);
  const bool same_shape =
      rank == PyArray_NDIM(to) &&
      std::equal(PyArray_DIMS(from), PyArray_DIMS(from) + rank, PyArray_DIMS(to));
  return (rank == 0 || same_shape) &&
         PyArray_CanCastArrayTo(from, PyArray_DESCR(to), NPY_SAFE_CASTING);
}

// In its extent CPython runs all Python code of this thread by itself.
class EvaluatorOff {
 public:
  EvaluatorOff() { StoreEvaluator(interpreter_, nullptr); }
  ~EvaluatorOff() { ReplaceEvaluator(interpreter_, nullptr, before_); }
  EvaluatorOff(const EvaluatorOff&) = delete;
  EvaluatorOff& operator=(const EvaluatorOff&) = delete;

 private:
  PyInterpreterState* const interpreter_ = PyInterpreterState_Get();
  const _PyFrameEvalFunction before_ = LoadEvaluator(interpreter_);
};

Ref LargeZeros(bool columns_first) {
  npy_intp shape[] = {200, 200};
  static_assert(200 * 200 * sizeof(double) >= kLeastBytes);
  return Ref::Steal(PyArray_ZEROS(2, shape, NPY_DOUBLE, columns_first ? 1 : 0));
}

// The sum of a matrix by columns and one by rows is by rows, and in the first one's memory by
// columns. Empty if it cannot be made.
Ref SumInTemporary() {
  const EvaluatorOff off;
  const Ref names = Ref::Steal(PyDict_New());
  if (!names) return Ref();
  PyDict_SetItemString(names.get(), "__builtins__", PyEval_GetBuiltins());
  const Ref made = Ref::Steal(
      PyRun_String("def add(a, b): return a + 1.0 + b", Py_file_input, names.get(), names.get()));
  const Ref columns = LargeZeros(true), rows = LargeZeros(false);
  if (!made || !columns || !rows) return Ref();
  return Ref::Steal(PyObject_CallFunctionObjArgs(PyDict_GetItemString(names.get(), "add"),
                                                 columns.get(), rows.get(), nullptr));
}

}  // namespace

// No static that is made once: NumPy lets other threads in.
bool ComputesInTemporaries() {
  static std::optional<bool> does;
  if (!does) {
    const HeldInterruptions held;
    const Ref sum = SumInTemporary();
    if (!sum) PyErr_Clear();
    does = !sum || PyArray_IS_F_CONTIGUOUS(AsArray(sum.get()));
  }
  return *does;
}

bool UnaryInTemporary(int opcode, BorrowedRef operand, PyObject** result) {
  if ((opcode != UNARY_NEGATIVE && opcode != UNARY_INVERT) || !IsTemporary(operand)) return false;
  if (!ComputesInTemporaries()) return false;
  static PyObject* const functions[] = {PyUnicode_InternFromString("negative"),
                                        PyUnicode_InternFromString("invert")};
  BorrowedRef numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
  Ref function = numpy == nullptr
                     ? Ref()
                     : Ref::Steal(PyObject_GetAttr(numpy, functions[opcode == UNARY_INVERT]));
  if (!function) {
    PyErr_Clear();
    return false;
  }
  *result = PyObject_CallFunctionObjArgs(function.get(), operand, operand, nullptr);
  return true;
}

bool BinaryInTemporary(int nb_op, BorrowedRef left, BorrowedRef right, PyObject** result) {
  const symbolic::BinaryOperator& row = symbolic::OperatorOf(nb_op);
  if (nb_op >= NB_INPLACE_ADD || row.elision == symbolic::Elision::kNone) return false;
  const bool divides = row.nb_op == NB_TRUE_DIVIDE;
  const bool inexact = PyArray_CheckExact(left) &&
                       (PyArray_ISFLOAT(AsArray(left)) || PyArray_ISCOMPLEX(AsArray(left)));
  if (divides && !inexact) return false;
  if (!IsTemporary(left) && !IsTemporary(right)) return false;
  if (!ComputesInTemporaries()) return false;
  if (MayHold(left, right)) {
    *result = row.apply_in_place(left, right);
    return true;
  }
  // A NumPy 2 scalar's own operator comes first, and holds the array beside it.
  const bool is_held = NumpyMajor() >= 2 && PyArray_IsScalar(left, Generic);
  if (row.elision != symbolic::Elision::kEither || is_held || !MayHold(right, left)) return false;
  *result = row.apply_in_place(right, left);
  return true;
}

}  // namespace dynacc::numpy
