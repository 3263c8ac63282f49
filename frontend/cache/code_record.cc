#include "frontend/cache/code_record.h"

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "frontend/cache/function_options.h"
#include "frontend/cpython/evaluator.h"

namespace dynacc::cache {
namespace {

void FreeRecord(void* record) { delete static_cast<CodeRecord*>(record); }

// Under the GIL. Never destroyed: code objects may outlive main().
absl::flat_hash_set<CodeRecord*>& LiveRecords() {
  static auto& records = *new absl::flat_hash_set<CodeRecord*>;
  return records;
}

}  // namespace

CodeRecord::CodeRecord() { LiveRecords().insert(this); }
CodeRecord::~CodeRecord() { LiveRecords().erase(this); }

void ForEachCodeRecord(absl::FunctionRef<void(CodeRecord&)> visit) {
  for (CodeRecord* record : LiveRecords()) visit(*record);
}

void DropAllSegments() {
  // Finalisers may make and free records: they run when the records have been gone through.
  std::vector<std::unique_ptr<SegmentSetBase>> dropped;
  for (CodeRecord* record : LiveRecords()) {
    if (record->segments != nullptr && record->segments->running == 0)
      dropped.push_back(std::move(record->segments));
  }
}

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
  if (!SetCodeExtra(code, index, record.get())) return nullptr;
  return record.release();
}

const std::shared_ptr<const bytecode::DecodedCode>& DecodedOf(PyCodeObject* code,
                                                              CodeRecord& record) {
  if (record.decoded == nullptr) record.decoded = bytecode::DecodedCode::Decode(code);
  return record.decoded;
}

}  // namespace dynacc::cache
