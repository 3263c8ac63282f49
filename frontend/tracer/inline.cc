#include "frontend/tracer/inline.h"

#include "frontend/cpython/describe.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/polyfills/polyfills.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

constexpr int kMaxDepth = 16;
constexpr int kMaxWholeDepth = 128;  // where the whole call has to be one graph

absl::Status DoesNotFit() { return symbolic::RaisingBreak("a call whose arguments do not fit"); }

// What a call needs of the function, whether it exists or was made inside.
class Callee {
 public:
  Callee(Tracer& tracer, symbolic::FunctionValue* function) : tracer_(tracer), function_(function) {
    code_ = reinterpret_cast<PyCodeObject*>(
        function->function ? PyFunction_GET_CODE(function->function.get()) : function->code.get());
  }

  PyCodeObject* code() const { return code_; }

  // The source of an existing function; one known by identity only is pinned.
  const sources::Source* source() {
    if (function_->source() != nullptr) return function_->source();
    return tracer_.sources().Intern(sources::SourceKind::kPinned, nullptr, 0,
                                    function_->function.get());
  }

  void GuardCode() {
    if (!function_->function) return;
    if (polyfills::IsPolyfillNamespace(PyFunction_GET_GLOBALS(function_->function.get()))) return;
    // A trace reads no builtins but the frame's, so that others need not be the same ones later.
    auto* of = reinterpret_cast<PyFunctionObject*>(function_->function.get());
    const bool own_builtins = of->func_builtins != tracer_.root().roots.builtins;
    const sources::Source* code_source = tracer_.sources().Intern(
        sources::SourceKind::kFunctionCode, source(), own_builtins ? 1 : 0);
    tracer_.trace().AddGuard(guards::GuardKind::kIdentity, code_source,
                             reinterpret_cast<PyObject*>(code_));
  }

  // The default of positional parameter `index` of `count`, or null.
  symbolic::Value* Default(int index, int count) {
    if (!function_->function) return MadeDefault(index, count);
    PyObject* defaults = PyFunction_GET_DEFAULTS(function_->function.get());
    const int from_end = index - count;  // -1 is the last parameter's
    if (defaults == nullptr || PyTuple_GET_SIZE(defaults) + from_end < 0) return nullptr;
    return tracer_.Lazy(
        PyTuple_GET_ITEM(defaults, PyTuple_GET_SIZE(defaults) + from_end),
        tracer_.sources().Intern(sources::SourceKind::kFunctionDefault, source(), from_end));
  }

  symbolic::Value* KeywordDefault(BorrowedRef name) {
    if (!function_->function) return MadeKeywordDefault(name);
    PyObject* defaults = PyFunction_GET_KW_DEFAULTS(function_->function.get());
    BorrowedRef value = defaults == nullptr ? nullptr : DictGetStr(defaults, name);
    if (value == nullptr) return nullptr;
    return tracer_.Lazy(value, tracer_.sources().Intern(sources::SourceKind::kFunctionKwDefault,
                                                        source(), 0, name));
  }

  std::vector<symbolic::Value*> Closure() {
    if (!function_->function) return function_->closure;
    std::vector<symbolic::Value*> cells;
    PyObject* closure = PyFunction_GET_CLOSURE(function_->function.get());
    for (Py_ssize_t i = 0; closure != nullptr && i < PyTuple_GET_SIZE(closure); ++i) {
      cells.push_back(ClosureCell(tracer_, source(), closure, static_cast<int>(i)));
    }
    return cells;
  }

  void SetGlobals(SymbolicFrame& frame) {
    const SymbolicFrame& caller = tracer_.frame();
    frame.builtins = caller.builtins;
    if (function_->function) {
      frame.globals_of = source();
      frame.globals = PyFunction_GET_GLOBALS(function_->function.get());
      frame.builtins =
          reinterpret_cast<PyFunctionObject*>(function_->function.get())->func_builtins;
    } else {
      frame.globals_of = function_->globals_of;
      frame.globals = function_->globals;
    }
  }

 private:
  symbolic::Value* MadeDefault(int index, int count) {
    if (auto* tuple = symbolic::As<symbolic::TupleValue>(function_->defaults)) {
      const int place = static_cast<int>(tuple->items.size()) + index - count;
      return place < 0 ? nullptr : tuple->items[place];
    }
    auto* constant = symbolic::As<symbolic::ConstantValue>(function_->defaults);
    if (constant == nullptr) return nullptr;
    const Py_ssize_t place = PyTuple_GET_SIZE(constant->object.get()) + index - count;
    if (place < 0) return nullptr;
    return tracer_.Constant(PyTuple_GET_ITEM(constant->object.get(), place));
  }

  symbolic::Value* MadeKeywordDefault(BorrowedRef name) {
    auto* dict = symbolic::As<symbolic::DictValue>(function_->kwdefaults);
    if (dict == nullptr) return nullptr;
    for (auto& [key, value] : dict->items) {
      if (PyUnicode_Compare(key.get(), name) == 0) return value;
    }
    return nullptr;
  }

  Tracer& tracer_;
  symbolic::FunctionValue* function_;
  PyCodeObject* code_;
};

absl::Status CheckInlinable(Tracer& tracer, PyCodeObject* code) {
  constexpr int kSuspends = CO_COROUTINE | CO_ASYNC_GENERATOR;
  if ((code->co_flags & kSuspends) != 0) return symbolic::GraphBreak("a call of a coroutine");
  if ((code->co_flags & CO_GENERATOR) != 0 && !tracer.limits().allow_generators) {
    return symbolic::GraphBreak("a call of a generator function");
  }
  if ((code->co_flags & CO_OPTIMIZED) == 0)
    return symbolic::GraphBreak("a call of class or module code");
  if (tracer.depth() >= (tracer.root().is_whole ? kMaxWholeDepth : kMaxDepth)) {
    return symbolic::GraphBreak("calls nested too deeply");
  }
  return absl::OkStatus();
}

// Fills the parameters' slots of `frame`.
class Binder {
 public:
  Binder(Tracer& tracer, Callee& callee, SymbolicFrame& frame)
      : tracer_(tracer), callee_(callee), frame_(frame), code_(callee.code()) {
    num_positional_ = code_->co_argcount;
    num_named_ = num_positional_ + code_->co_kwonlyargcount;
  }

  absl::Status Bind(std::vector<symbolic::Value*> positional, symbolic::Keywords keywords) {
    DYNACC_RETURN_IF_ERROR(BindPositional(positional));
    DYNACC_RETURN_IF_ERROR(BindKeywords(keywords));
    return BindDefaults();
  }

 private:
  BorrowedRef Name(int i) const { return PyTuple_GET_ITEM(code_->co_localsplusnames, i); }

  absl::Status BindPositional(std::vector<symbolic::Value*>& values) {
    const int count = static_cast<int>(values.size());
    for (int i = 0; i < std::min(count, num_positional_); ++i) frame_.locals[i] = values[i];
    const std::vector<symbolic::Value*> rest(values.begin() + std::min(count, num_positional_),
                                             values.end());
    if ((code_->co_flags & CO_VARARGS) != 0) {
      frame_.locals[num_named_] = tracer_.trace().New<symbolic::TupleValue>(rest);
    } else if (!rest.empty()) {
      return DoesNotFit();
    }
    return absl::OkStatus();
  }

  absl::Status BindKeywords(symbolic::Keywords& keywords) {
    symbolic::DictValue* others = nullptr;
    if ((code_->co_flags & CO_VARKEYWORDS) != 0) {
      others = tracer_.trace().New<symbolic::DictValue>();
      frame_.locals[num_named_ + ((code_->co_flags & CO_VARARGS) != 0)] = others;
    }
    for (auto& [name, value] : keywords) {
      int place = code_->co_posonlyargcount;
      while (place < num_named_ && name.text() != StrView(Name(place))) ++place;
      if (place < num_named_) {
        if (frame_.locals[place] != nullptr) return DoesNotFit();
        frame_.locals[place] = value;
      } else if (others != nullptr) {
        others->items.emplace_back(Ref::New(name.object()), value);
      } else {
        return DoesNotFit();
      }
    }
    return absl::OkStatus();
  }

  absl::Status BindDefaults() {
    for (int i = 0; i < num_named_; ++i) {
      symbolic::Value*& local = frame_.locals[i];
      if (local != nullptr) continue;
      local = i < num_positional_ ? callee_.Default(i, num_positional_)
                                  : callee_.KeywordDefault(Name(i));
      if (local == nullptr) return DoesNotFit();
    }
    return absl::OkStatus();
  }

  Tracer& tracer_;
  Callee& callee_;
  SymbolicFrame& frame_;
  PyCodeObject* code_;
  int num_positional_;
  int num_named_;
};

}  // namespace

symbolic::CellValue* ClosureCell(Tracer& tracer, const sources::Source* function,
                                 BorrowedRef closure, int index) {
  BorrowedRef cell = PyTuple_GET_ITEM(closure, index);
  const sources::Source* source =
      tracer.sources().Intern(sources::SourceKind::kFunctionCell, function, index);
  const sources::Source* content =
      tracer.sources().Intern(sources::SourceKind::kFunctionClosure, function, index);
  return ExistingCell(tracer, cell, source, content);
}

symbolic::CellValue* ExistingCell(Tracer& tracer, BorrowedRef cell, const sources::Source* source,
                                  const sources::Source* content_source) {
  BorrowedRef content = PyCell_GET(cell);
  symbolic::Value* value = content == nullptr ? nullptr : tracer.Lazy(content, content_source);
  if (value == nullptr) tracer.trace().AddGuard(guards::GuardKind::kAbsent, content_source);
  auto* fresh = tracer.trace().New<symbolic::CellValue>(value, source);
  return static_cast<symbolic::CellValue*>(tracer.Unify(cell, fresh));
}

const std::shared_ptr<const bytecode::DecodedCode>& Tracer::DecodedOf(PyCodeObject* code) {
  InlinedCode& inlined = inlined_[code];
  if (inlined.decoded == nullptr) {
    inlined = {Ref::New(reinterpret_cast<PyObject*>(code)), bytecode::DecodedCode::Decode(code)};
  }
  return inlined.decoded;
}

absl::Status InlineCall(Tracer& tracer, symbolic::FunctionValue* function,
                        std::vector<symbolic::Value*> positional, symbolic::Keywords keywords) {
  Callee callee(tracer, function);
  DYNACC_RETURN_IF_ERROR(CheckInlinable(tracer, callee.code()));
  callee.GuardCode();
  auto frame = std::make_shared<SymbolicFrame>();
  frame->code = tracer.DecodedOf(callee.code());
  frame->locals.assign(callee.code()->co_nlocalsplus, nullptr);
  frame->header_visits.assign(frame->code->instructions().size(), 0);
  frame->closure = callee.Closure();
  callee.SetGlobals(*frame);
  Binder binder(tracer, callee, *frame);
  DYNACC_RETURN_IF_ERROR(binder.Bind(std::move(positional), std::move(keywords)));
  tracer.EnterFrame(std::move(frame));
  return absl::OkStatus();
}

}  // namespace dynacc::tracer
