#include "frontend/tracer/break_places.h"

#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "frontend/cpython/describe.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/polyfills/polyfills.h"
#include "frontend/tracer/frame_state_builder.h"

namespace dynacc::tracer {
namespace {

// Modules of the package dynacc whose functions stand for a call of the user's.
constexpr absl::string_view kTransparentModules[] = {"operators",
                                                     "_gradient_rules",
                                                     "_array_rules",
                                                     "_linear_algebra_rules",
                                                     "_decompositions",
                                                     "_decomposition_table",
                                                     "_sum_decompositions",
                                                     "_order_decompositions",
                                                     "_padding_decompositions",
                                                     "_call_forms"};

}  // namespace

int LineAt(const bytecode::DecodedCode& code, int offset) {
  for (int i = code.IndexAt(offset); i >= 0; --i) {
    if (code.instructions()[i].line > 0) return code.instructions()[i].line;
  }
  return code.code()->co_firstlineno;
}

// The name of the module of the package dynacc, without the package, that the frame's function is
// of.
static std::optional<absl::string_view> ModuleOfPackage(const SymbolicFrame& frame) {
  static PyObject* const key = PyUnicode_InternFromString("__name__");
  BorrowedRef name = frame.globals == nullptr || key == nullptr
                         ? nullptr
                         : PyDict_GetItemWithError(frame.globals, key);
  if (name == nullptr || !PyUnicode_Check(name)) return std::nullopt;
  absl::string_view module = StrView(name);
  if (!absl::ConsumePrefix(&module, "dynacc.")) return std::nullopt;
  return module;
}

bool IsTransparent(const SymbolicFrame& frame) {
  if (absl::StartsWith(StrView(frame.raw_code()->co_filename), "<operator ")) return true;
  const std::optional<absl::string_view> module = ModuleOfPackage(frame);
  return module && absl::c_linear_search(kTransparentModules, *module);
}

frame::CodePlace PlaceAt(const bytecode::DecodedCode& code, int offset) {
  return {StrText(code.code()->co_filename), StrText(code.code()->co_qualname),
          LineAt(code, offset)};
}

std::vector<frame::CodePlace> PlacesOf(const std::vector<std::shared_ptr<SymbolicFrame>>& frames) {
  std::vector<frame::CodePlace> places, own;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (IsTransparent(**frame) || polyfills::IsPolyfillNamespace((*frame)->globals)) continue;
    const bool is_called = places.empty() && ModuleOfPackage(**frame).has_value();
    (is_called ? own : places).push_back(PlaceAt(*(*frame)->code, (*frame)->at));
  }
  return places.empty() ? own : places;
}

bool IsLoopStep(const bytecode::DecodedCode& code, int offset, absl::string_view reason) {
  const bytecode::Instruction* at = &code.At(offset);
  if (at->opcode == FOR_ITER) return true;
  const bool makes_iterator = reason == kEscapingIterator || absl::EndsWith(reason, ".__iter__");
  while (makes_iterator && at->opcode == CALL) at = &code.At(at->next);
  return at->opcode == GET_ITER && code.At(at->next).opcode == FOR_ITER;
}

}  // namespace dynacc::tracer
