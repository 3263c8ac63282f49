#include "frontend/tracer/builtins/library.h"

#include "absl/container/flat_hash_map.h"
#include "frontend/polyfills/polyfills.h"
#include "frontend/tracer/builtins/polyfill_calls.h"

namespace dynacc::tracer {
namespace {

struct Row {
  const char* file;
  const char* name;
  const char* polyfill;
};

constexpr Row kRows[] = {
#define DYNACC_LIBRARY_POLYFILL(file, name, function) {file, name, #function},
#include "frontend/tracer/builtins/library.def"
#undef DYNACC_LIBRARY_POLYFILL
};

Ref FileOfLibrary(const char* file) {
  BorrowedRef folder = PySys_GetObject("_stdlib_dir");
  if (folder == nullptr || !PyUnicode_CheckExact(folder)) return {};
  return Ref::Steal(PyUnicode_FromFormat("%U/%s", folder, file));
}

bool IsInFile(const PyCodeObject* code, const char* file) {
  static auto& files = *new absl::flat_hash_map<std::string, Ref>;
  auto [known, fresh] = files.try_emplace(file);
  if (fresh) known->second = FileOfLibrary(file);
  return known->second && PyUnicode_Compare(code->co_filename, known->second.get()) == 0;
}

}  // namespace

bool IsLibraryFunction(BorrowedRef object, const char* file, const char* name) {
  if (object == nullptr || !PyFunction_Check(object)) return false;
  auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(object));
  return PyUnicode_CompareWithASCIIString(code->co_qualname, name) == 0 && IsInFile(code, file);
}

const sources::Source* SourceOfFunction(Tracer& tracer, const symbolic::FunctionValue& function) {
  if (function.source() != nullptr) return function.source();
  return tracer.sources().Intern(sources::SourceKind::kPinned, nullptr, 0, function.function.get());
}

void GuardCodeOf(Tracer& tracer, const symbolic::FunctionValue& function) {
  tracer.trace().AddGuard(guards::GuardKind::kIdentity,
                          tracer.sources().Intern(sources::SourceKind::kFunctionCode,
                                                  SourceOfFunction(tracer, function)),
                          PyFunction_GET_CODE(function.function.get()));
}

absl::StatusOr<symbolic::Value*> CallLibraryPolyfill(
    Tracer& tracer, const symbolic::FunctionValue& function,
    const std::vector<symbolic::Value*>& positional, const symbolic::Keywords& keywords) {
  for (const Row& row : kRows) {
    if (!IsLibraryFunction(function.function.get(), row.file, row.name)) continue;
    GuardCodeOf(tracer, function);
    return CallPolyfill(tracer, polyfills::Polyfill(row.polyfill), positional, keywords);
  }
  return nullptr;
}

}  // namespace dynacc::tracer
