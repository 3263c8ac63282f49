#include "frontend/frame/code_record.h"

#include "frontend/cpython/evaluator.h"
#include "frontend/frame/capture.h"

namespace dynacc {
namespace {

void FreeRecord(void* record) { delete static_cast<CodeRecord*>(record); }

}  // namespace

CodeRecord* FindCodeRecord(PyCodeObject* code) {
  const Py_ssize_t index = CodeExtraIndex(FreeRecord);
  return index < 0 ? nullptr : static_cast<CodeRecord*>(GetCodeExtra(code, index));
}

CodeRecord* GetCodeRecord(PyCodeObject* code) {
  if (CodeRecord* found = FindCodeRecord(code)) return found;
  const Py_ssize_t index = CodeExtraIndex(FreeRecord);
  if (index < 0) {
    PyErr_SetString(PyExc_RuntimeError, "dynacc: no free co_extra slot");
    return nullptr;
  }
  auto record = std::make_unique<CodeRecord>();
  if (_PyCode_SetExtra(reinterpret_cast<PyObject*>(code), index, record.get()) < 0) return nullptr;
  return record.release();
}

const std::shared_ptr<const DecodedCode>& DecodedOf(PyCodeObject* code, CodeRecord& record) {
  if (record.decoded == nullptr) record.decoded = DecodedCode::Decode(code);
  return record.decoded;
}

}  // namespace dynacc
