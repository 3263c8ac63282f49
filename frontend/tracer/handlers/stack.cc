// Handlers of opcodes that move values about: the stack, constants, locals, globals, cells.
#include "absl/strings/str_cat.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/private_api.h"
#include "frontend/polyfills/polyfills.h"
#include "frontend/tracer/handlers/handlers.h"
#include "frontend/tracer/inline.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

BorrowedRef Name(Tracer& tracer, int index) {
  return PyTuple_GET_ITEM(tracer.frame().raw_code()->co_names, index);
}

// The source of the dict of the running frame's globals.
const sources::Source* GlobalsSource(Tracer& tracer) {
  SymbolicFrame& frame = tracer.frame();
  return frame.globals_of == nullptr
             ? tracer.sources().Intern(sources::SourceKind::kGlobals, nullptr)
             : tracer.sources().Intern(sources::SourceKind::kFunctionGlobals, frame.globals_of);
}

symbolic::Overlay& WrittenGlobals(Tracer& tracer) {
  return tracer.GlobalsOverlay(tracer.frame().globals, GlobalsSource(tracer));
}

absl::StatusOr<symbolic::Value*> FindBuiltin(Tracer& tracer, BorrowedRef name) {
  BorrowedRef builtin = DictGetStr(tracer.frame().builtins, name);
  if (builtin == nullptr || tracer.frame().builtins != tracer.root().roots.builtins) {
    return symbolic::RaisingBreak("a global name that is not defined");
  }
  return tracer.Lazy(builtin,
                     tracer.sources().Intern(sources::SourceKind::kBuiltin, nullptr, 0, name));
}

const sources::Source* GlobalSource(Tracer& tracer, BorrowedRef name) {
  SymbolicFrame& frame = tracer.frame();
  const sources::SourceKind kind = frame.globals_of == nullptr
                                       ? sources::SourceKind::kGlobal
                                       : sources::SourceKind::kFunctionGlobal;
  return tracer.sources().Intern(kind, frame.globals_of, 0, name);
}

// What an existing cell holds since before the segment loses its place there.
absl::Status LetGoOfContent(Tracer& tracer, const symbolic::CellValue& cell) {
  auto* content =
      cell.content == cell.original ? symbolic::As<symbolic::ObjectValue>(cell.content) : nullptr;
  if (cell.source() == nullptr || content == nullptr) return absl::OkStatus();
  return tracer.LetGo(content->source(), content->object.get());
}

// The value of global `name` as the running frame sees it.
absl::StatusOr<symbolic::Value*> FindGlobal(Tracer& tracer, BorrowedRef name) {
  SymbolicFrame& frame = tracer.frame();
  if (BorrowedRef known = polyfills::NameInPolyfills(frame.globals, name))
    return tracer.Constant(known);
  if (const symbolic::Overlay::Write* write = WrittenGlobals(tracer).Find(name)) {
    if (write->value == nullptr) return FindBuiltin(tracer, name);
    return write->value;
  }
  const sources::Source* global = GlobalSource(tracer, name);
  if (BorrowedRef object = DictGetStr(frame.globals, name)) return tracer.Lazy(object, global);
  tracer.trace().AddGuard(guards::GuardKind::kAbsent, global);
  return FindBuiltin(tracer, name);
}

absl::Status LoadLocal(Tracer& tracer, int local) {
  symbolic::Value* value = tracer.Local(local);
  if (value == nullptr) return symbolic::RaisingBreak("a local variable without a value");
  tracer.Push(value);
  return absl::OkStatus();
}

// The null that an inlined comprehension has put aside makes the variable unbound.
absl::Status StoreLocal(Tracer& tracer, int local) {
  DYNACC_RETURN_IF_ERROR(tracer.LetGoOfLocal(local));
  symbolic::Value* value = tracer.Pop();
  tracer.SetLocal(local, value->kind() == symbolic::ValueKind::kNull ? nullptr : value);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<symbolic::CellValue*> Tracer::CellAt(int index) {
  if (auto* cell = symbolic::As<symbolic::CellValue>(frame().locals[index])) return cell;
  if (!outermost() || frame().locals[index] != nullptr)
    return symbolic::GraphBreak("a missing cell");
  BorrowedRef object = root_.roots.localsplus[index];
  if (object == nullptr || !PyCell_Check(object)) return symbolic::GraphBreak("a missing cell");
  BorrowedRef name = PyTuple_GET_ITEM(frame().raw_code()->co_localsplusnames, index);
  const sources::Source* source =
      sources().Intern(sources::SourceKind::kLocal, nullptr, index, name);
  const sources::Source* content =
      sources().Intern(sources::SourceKind::kLocalCell, nullptr, index, name);
  symbolic::CellValue* cell = ExistingCell(*this, object, source, content);
  // Not a change of the frame: the real cell stays in its slot.
  frame().locals[index] = cell;
  return cell;
}

namespace handlers {

absl::Status Nop(Tracer&, const bytecode::Instruction&) { return absl::OkStatus(); }

absl::Status PopTop(Tracer& tracer, const bytecode::Instruction&) {
  tracer.Pop();
  return absl::OkStatus();
}

absl::Status PushNull(Tracer& tracer, const bytecode::Instruction&) {
  tracer.Push(tracer.Null());
  return absl::OkStatus();
}

absl::Status Copy(Tracer& tracer, const bytecode::Instruction& instruction) {
  tracer.Push(tracer.Peek(instruction.arg - 1));
  return absl::OkStatus();
}

absl::Status Swap(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::Value* top = tracer.Peek(0);
  tracer.Put(0, tracer.Peek(instruction.arg - 1));
  tracer.Put(instruction.arg - 1, top);
  return absl::OkStatus();
}

absl::Status LoadConst(Tracer& tracer, const bytecode::Instruction& instruction) {
  tracer.Push(
      tracer.Constant(PyTuple_GET_ITEM(tracer.frame().raw_code()->co_consts, instruction.arg)));
  return absl::OkStatus();
}

absl::Status LoadFast(Tracer& tracer, const bytecode::Instruction& instruction) {
  return LoadLocal(tracer, instruction.arg);
}

absl::Status StoreFast(Tracer& tracer, const bytecode::Instruction& instruction) {
  return StoreLocal(tracer, instruction.arg);
}

// An inlined comprehension puts what its variable held aside, perhaps nothing.
absl::Status LoadFastAndClear(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::Value* value = tracer.Local(instruction.arg);
  tracer.Push(value != nullptr ? value : tracer.Null());
  tracer.SetLocal(instruction.arg, nullptr);
  return absl::OkStatus();
}

absl::Status LoadFastLoadFast(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_RETURN_IF_ERROR(LoadLocal(tracer, instruction.arg >> 4));
  return LoadLocal(tracer, instruction.arg & 15);
}

absl::Status StoreFastLoadFast(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_RETURN_IF_ERROR(StoreLocal(tracer, instruction.arg >> 4));
  return LoadLocal(tracer, instruction.arg & 15);
}

absl::Status StoreFastStoreFast(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_RETURN_IF_ERROR(StoreLocal(tracer, instruction.arg >> 4));
  return StoreLocal(tracer, instruction.arg & 15);
}

absl::Status DeleteFast(Tracer& tracer, const bytecode::Instruction& instruction) {
  if (tracer.Local(instruction.arg) == nullptr) {
    return symbolic::RaisingBreak("a local variable without a value");
  }
  DYNACC_RETURN_IF_ERROR(tracer.LetGoOfLocal(instruction.arg));
  tracer.SetLocal(instruction.arg, nullptr);
  return absl::OkStatus();
}

absl::Status LoadGlobal(Tracer& tracer, const bytecode::Instruction& instruction) {
  absl::StatusOr<symbolic::Value*> value = FindGlobal(tracer, Name(tracer, instruction.arg >> 1));
  if (!value.ok()) return value.status();
  if (instruction.arg & 1) {
    tracer.PushCallable(*value);
  } else {
    tracer.Push(*value);
  }
  return absl::OkStatus();
}

// Only bodies whose names are their globals are traced.
absl::Status LoadName(Tracer& tracer, const bytecode::Instruction& instruction) {
  absl::StatusOr<symbolic::Value*> value = FindGlobal(tracer, Name(tracer, instruction.arg));
  if (!value.ok()) return value.status();
  tracer.Push(*value);
  return absl::OkStatus();
}

absl::Status MakeCell(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::Value* content = tracer.Local(instruction.arg);
  tracer.SetLocal(instruction.arg, tracer.trace().New<symbolic::CellValue>(content));
  return absl::OkStatus();
}

absl::Status CopyFreeVars(Tracer& tracer, const bytecode::Instruction& instruction) {
  SymbolicFrame& frame = tracer.frame();
  const int first = static_cast<int>(frame.locals.size()) - instruction.arg;
  if (!tracer.outermost()) {
    for (int i = 0; i < instruction.arg; ++i) tracer.SetLocal(first + i, frame.closure[i]);
    return absl::OkStatus();
  }
  const sources::Source* function =
      tracer.sources().Intern(sources::SourceKind::kFunction, nullptr);
  PyObject* closure = PyFunction_GET_CLOSURE(tracer.root().roots.function);
  for (int i = 0; i < instruction.arg; ++i) {
    tracer.SetLocal(first + i, ClosureCell(tracer, function, closure, i));
  }
  return absl::OkStatus();
}

absl::Status LoadClosure(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::CellValue * cell, tracer.CellAt(instruction.arg));
  tracer.Push(cell);
  return absl::OkStatus();
}

absl::Status LoadDeref(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::CellValue * cell, tracer.CellAt(instruction.arg));
  if (cell->content == nullptr) return symbolic::RaisingBreak("an empty cell");
  tracer.Push(cell->content);
  return absl::OkStatus();
}

absl::Status StoreDeref(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::CellValue * cell, tracer.CellAt(instruction.arg));
  DYNACC_RETURN_IF_ERROR(LetGoOfContent(tracer, *cell));
  cell->content = tracer.Pop();
  tracer.NoteChange(cell);
  return absl::OkStatus();
}

absl::Status DeleteDeref(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::CellValue * cell, tracer.CellAt(instruction.arg));
  if (cell->content == nullptr) return symbolic::RaisingBreak("an empty cell");
  DYNACC_RETURN_IF_ERROR(LetGoOfContent(tracer, *cell));
  cell->content = nullptr;
  tracer.NoteChange(cell);
  return absl::OkStatus();
}

// STORE_NAME, too: see LoadName.
absl::Status StoreGlobal(Tracer& tracer, const bytecode::Instruction& instruction) {
  BorrowedRef name = Name(tracer, instruction.arg);
  tracer.trace().NoteChangeOutside();
  symbolic::Overlay& written = WrittenGlobals(tracer);
  if (written.Find(name) == nullptr) {
    DYNACC_RETURN_IF_ERROR(
        tracer.LetGo(GlobalSource(tracer, name), DictGetStr(tracer.frame().globals, name)));
  }
  written.Set(name, tracer.Pop());
  return absl::OkStatus();
}

absl::Status DeleteGlobal(Tracer& tracer, const bytecode::Instruction& instruction) {
  BorrowedRef name = Name(tracer, instruction.arg);
  tracer.trace().NoteChangeOutside();
  symbolic::Overlay& written = WrittenGlobals(tracer);
  const symbolic::Overlay::Write* write = written.Find(name);
  SymbolicFrame& frame = tracer.frame();
  const bool existed = DictGetStr(frame.globals, name) != nullptr;
  if (write != nullptr ? write->value == nullptr : !existed) {
    return symbolic::RaisingBreak("a global name that is not defined");
  }
  const sources::Source* source = GlobalSource(tracer, name);
  if (existed) {
    DYNACC_RETURN_IF_ERROR(tracer.LetGo(source, DictGetStr(frame.globals, name)));
    tracer.trace().AddGuard(guards::GuardKind::kTypeIs, source,
                            reinterpret_cast<PyObject*>(Py_TYPE(DictGetStr(frame.globals, name))));
  } else {
    tracer.trace().AddGuard(guards::GuardKind::kAbsent, source);
  }
  written.Delete(name, existed);
  return absl::OkStatus();
}

absl::Status LoadSmallInt(Tracer& tracer, const bytecode::Instruction& instruction) {
  const Ref value = Ref::Steal(PyLong_FromLong(instruction.arg));
  tracer.Push(tracer.Constant(value.get()));
  return absl::OkStatus();
}

absl::Status LoadCommonConstant(Tracer& tracer, const bytecode::Instruction& instruction) {
  tracer.Push(tracer.Constant(CommonConstant(instruction.arg)));
  return absl::OkStatus();
}

}  // namespace handlers
}  // namespace dynacc::tracer
