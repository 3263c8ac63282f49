#include "frontend/numpy/capi/descriptors.h"

#include <array>

namespace dynacc::numpy {

namespace {

struct DTypeRow {
  int type_num = 0;
  PyArray_Descr* descr = nullptr;  // kept for the life of the process, as NumPy itself is
};

std::array<DTypeRow, kNumDTypes> rows;
// The types that NumPy has had since before version 2: NPY_NTYPES of 1, NPY_NTYPES_LEGACY of 2.
constexpr int kNumTypes = 24;
std::array<int8_t, kNumTypes> dtype_of_type_num;

}  // namespace

void LoadDTypeTables() {
  dtype_of_type_num.fill(-1);
  for (int i = 0; i < kNumDTypes; ++i) {
    const char character = kDTypeInfo[i].numpy;
    const int bits = kDTypeInfo[i].size == 1 ? NPY_UINT8 : NPY_UINT16;
    PyArray_Descr* descr = PyArray_DescrFromType(character == 0 ? bits : character);
    rows[i] = {descr->type_num, descr};
    if (character != 0) dtype_of_type_num[descr->type_num] = static_cast<int8_t>(i);
  }
}

int TypeNum(DType dtype) { return rows[static_cast<int>(dtype)].type_num; }

PyArray_Descr* Descr(DType dtype) { return rows[static_cast<int>(dtype)].descr; }

PyTypeObject* ScalarTypeObject(DType dtype) { return Descr(dtype)->typeobj; }

std::optional<DType> FromTypeNum(int type_num) {
  if (type_num < 0 || type_num >= kNumTypes || dtype_of_type_num[type_num] < 0) {
    return std::nullopt;
  }
  return static_cast<DType>(dtype_of_type_num[type_num]);
}

std::optional<DType> FromDescr(const PyArray_Descr* descr) {
  const std::optional<DType> dtype = FromTypeNum(descr->type_num);
  if (!dtype || descr == Descr(*dtype)) return dtype;
  if (!PyArray_ISNBO(descr->byteorder) || MetadataOf(descr) != nullptr) return std::nullopt;
  return dtype;
}

std::optional<DType> FromScalar(BorrowedRef object) {
  for (int i = 0; i < kNumDTypes; ++i) {
    if (Py_TYPE(object) == rows[i].descr->typeobj) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace dynacc::numpy
