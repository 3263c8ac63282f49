#include "frontend/symbolic/binary_operator.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "frontend/cpython/opcodes.h"
#include "runtime/base/check.h"

namespace dynacc::symbolic {
namespace {

// PyNumber_Power takes a modulus.
template <auto kFunction>
PyObject* Apply(PyObject* a, PyObject* b) {
  if constexpr (std::is_invocable_v<decltype(kFunction), PyObject*, PyObject*>) {
    return kFunction(a, b);
  } else {
    return kFunction(a, b, Py_None);
  }
}

#define DYNACC_ROW(nb, function, name, ufunc, scalar_math, elision, ...) \
  {NB_##nb,                                                              \
   name,                                                                 \
   Apply<PyNumber_##function>,                                           \
   Apply<PyNumber_InPlace##function>,                                    \
   ufunc,                                                                \
   ScalarMath::scalar_math,                                              \
   Elision::elision,                                                     \
   __VA_ARGS__},
#define DYNACC_BINARY_OPERATOR(nb, slot, function, name, ufunc, tensor, ...) \
  DYNACC_ROW(nb, function, name, Op::k##ufunc, __VA_ARGS__)
#define DYNACC_OTHER_OPERATOR(nb, slot, function, name, ...) \
  DYNACC_ROW(nb, function, name, std::nullopt, __VA_ARGS__)
constexpr BinaryOperator kOperators[] = {
#include "frontend/symbolic/binary_operators.def"
};
#undef DYNACC_ROW
#undef DYNACC_BINARY_OPERATOR
#undef DYNACC_OTHER_OPERATOR

constexpr auto kByNumber = [] {
  std::array<const BinaryOperator*, NB_INPLACE_ADD> rows = {};
  for (const BinaryOperator& row : kOperators) rows[row.nb_op] = &row;
  return rows;
}();
static_assert(std::find(kByNumber.begin(), kByNumber.end(), nullptr) == kByNumber.end(),
              "each operator of BINARY_OP has a row");

}  // namespace

absl::Span<const BinaryOperator> BinaryOperators() { return kOperators; }

const BinaryOperator& OperatorOf(int nb_op) {
  DYNACC_CHECK(nb_op >= 0 && nb_op < 2 * NB_INPLACE_ADD) << "no operator " << nb_op;
  return *kByNumber[nb_op % NB_INPLACE_ADD];
}

Ref OperatorFunction(const char* name) {
  const Ref module = Ref::Steal(PyImport_ImportModule("_operator"));
  Ref found = module ? Ref::Steal(PyObject_GetAttrString(module.get(), name)) : Ref();
  PyErr_Clear();
  return found;
}

PyObject* ApplyOperator(int nb_op, PyObject* a, PyObject* b) {
  const BinaryOperator& row = OperatorOf(nb_op);
  return (nb_op < NB_INPLACE_ADD ? row.apply : row.apply_in_place)(a, b);
}

std::string BinaryOperator::SpecialMethod(absl::string_view prefix) const {
  return absl::StrCat("__", prefix, absl::StripSuffix(name, "_"), "__");
}

}  // namespace dynacc::symbolic
