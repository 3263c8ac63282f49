// The layout of the CPython that DynaCC is built for: the frame, the thread's state, code units,
// the dicts of instances and iterators, as inline functions. Ints have int_layout.h. Each version's
// folder has a layout.h with the same functions; a file that includes this one sees the running
// version's. Facts about a version stand in its folder, and what its functions promise stands here.
//
// THE FRAME, while CPython's loop does not hold it
//
// CodeOf, FunctionOf: borrowed.
// SetFrameCode: takes over the reference, drops the old one.
// SlotsOf: its locals and cells, then its value stack.
// StackTop, SetStackTop: the number of used ones.
// FramePosition: the unit of the opcode that executes, or the one before it.
// FrameIsFresh: nothing of it has run.
// SetFramePosition: the opcode at a unit is executing.
// SetNextUnit: the instruction at a unit is about to execute.
// kFindsHandlersBehind: the loop looks for the handler of an exception that it is entered with at
//     the unit before the frame's position.
// JoinChain: makes `previous` the frame below it.
// EndFrame: of a frame whose evaluator returns without CPython's loop having run it to its end.
//     Clears it where that is the evaluator's task.
//
// THE THREAD
//
// CurrentFrame, SetCurrentFrame: of its chain of frames.
// ChargeRecursion: one level more (1) or less (-1), as for a frame of CPython's loop.
// RecursionLeft: levels.
// IsTracing: a tool wants events that CPython's loop reports.
// IsMonitored: a tool wants events of this code object.
// AnyThreadIsTraced, HasException.
//
// THE EVAL BREAKER
//
// EvalBreakerByte: not 0 when the loop is wanted: signals, pending calls, a request for the GIL, an
//     asynchronous exception. Lives as long as the thread; to be read atomically.
// EvalBreakerSet: whether one of those waits.
//
// CODE UNITS
//
// ExecutedUnit, SetExecutedUnit: what the loop executes at a unit. co_code and what is made from it
//     do not show a change.
// IsExtendedArg, MayJumpBack: of an executed opcode.
//
// OSR (frontend/fallback/osr_entries.h)
//
// kTrapUnits, kPadUnits: how many units a trap takes in the place of an instruction, and behind the
//     code.
// NewCode: makes a code object of its parts.
// kFarthestPad: the last unit that a pad may have.
// ShowCode: gives co_code of a code object to which pads were added. Only where there are pads.
// SetTrap: writes a trap at the unit `at`, and what belongs to it at the unit `pad`. It makes the
//     loop come back to us from the frame that the evaluator was called for, and clears nothing of
//     the frame. `depth` is that of the stack there.
// SurvivesLoop: whether the frame is still there after the loop has returned; then the thread's
//     chain is put right. `previous` was the thread's current frame before.
// UndoTrap: makes the frame as it was before the trapped instruction, whose stack has `depth`
//     entries, but for its position.
//
// OBJECTS
//
// TypeDict: a type's own namespace, borrowed.
// ManagedDictOf: where an instance's dict is; null inside if there is none.
// InlineValuesOf: the values that an instance keeps without a dict, or null.
// ReadInlineValues: adds to a ReadSet what InlineValuesOf depends on but the type.
// SharedKeysOf: the names of those values.
// KeepsVersion: has each change of a dict's items change its version (VersionTag of
//     name_lookup.h). False: it cannot be seen to.
// kSplitDictsHaveVersions: each change of a dict that shares its keys changes its version.
// RangeIterator: how a range iterator stands, and how it is moved on.
// RaisedArguments: of an exception as it was fetched; empty for an instance that others made, where
//     that can be told.
// CommonConstantAt: what LOAD_COMMON_CONSTANT pushes.
// AnnotatePlace: where a function keeps what makes its annotations; null in versions without it.
// LookupAttribute: empty without an exception if there is none.
//
// THE RUNTIME
//
// kRaisesPlainImportErrors: `from module import name` raises with the texts of 3.11, which do not
//     depend on what else might have been imported.
// kClassMethodsAskDescriptors: a classmethod around a descriptor asks that, with the class.
// kUnpackingTellsSizes: "too many values to unpack" names a list's length.
// kTuplesAskLengths: PySequence_Tuple asks for a __length_hint__.
// kRunsOfSortHoldEquals: list.sort takes equal items into a descending run, and what follows such a
//     run in order (count_run of Objects/listobject.c).
// LoadedModules, RequestCodeExtra, StoreCodeExtra, AuditHooks, MemoryTrackerIsOn.
#pragma once

#include <Python.h>

#if PY_VERSION_HEX >> 16 == 0x030B
#include "frontend/cpython/v3_11/layout.h"
#define DYNACC_RUNNING_FORMAT BytecodeFormat311
#elif PY_VERSION_HEX >> 16 == 0x030D
#include "frontend/cpython/v3_13/layout.h"
#define DYNACC_RUNNING_FORMAT BytecodeFormat313
#elif PY_VERSION_HEX >> 16 == 0x030E
#include "frontend/cpython/v3_14/layout.h"
#define DYNACC_RUNNING_FORMAT BytecodeFormat314
#else
#error "DynaCC knows the frames and the bytecode of CPython 3.11, 3.13 and 3.14 only"
#endif

#if defined(Py_GIL_DISABLED)
#error "DynaCC needs a CPython with a GIL, not a free-threaded one"
#elif defined(Py_DEBUG)
#error "DynaCC does not know the layout of debug builds of CPython"
#endif
