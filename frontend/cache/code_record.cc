#include "frontend/cache/code_record.h"

#include "absl/container/flat_hash_set.h"
#include "frontend/cache/compilation.h"
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
CodeRecord::~CodeRecord() {
  LiveRecords().erase(this);
  for (auto& [compilation, set] : compiled) compilation->records_.erase(this);
}

std::unique_ptr<SegmentSetBase> CodeRecord::TakeCompiled(const Compilation* compilation) {
  for (auto& row : compiled) {
    if (row.first != compilation) continue;
    std::unique_ptr<SegmentSetBase> taken = std::move(row.second);
    compiled.erase(compiled.begin() + (&row - compiled.data()));
    return taken;
  }
  return nullptr;
}

void CodeRecord::ForEachSet(absl::FunctionRef<void(SegmentSetBase&)> visit) {
  if (segments != nullptr) visit(*segments);
  for (auto& [compilation, set] : compiled) visit(*set);
}

void ForEachCodeRecord(absl::FunctionRef<void(CodeRecord&)> visit) {
  for (CodeRecord* record : LiveRecords()) visit(*record);
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
