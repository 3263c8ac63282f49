#include "runtime/loops/loop_interpreter.h"

#include <cstring>

#include "runtime/loops/loop_flags.h"
#include "runtime/loops/loop_math.h"
#include "runtime/loops/undo_log.h"

namespace dynacc::loops {
namespace {

using namespace loop_math;  // NOLINT(google-build-using-namespace): loop_ops.def is written so

template <typename T>
T LoadElement(const char* place) {
  T value;
  std::memcpy(&value, place, sizeof(T));
  return value;
}

// Memory may hold any byte, if it is a view of something else's.
template <>
inline bool LoadElement<bool>(const char* place) {
  return *place != 0;
}

template <typename T>
void StoreElement(char* place, T value) {
  std::memcpy(place, &value, sizeof(T));
}

// False if `index` is out of range.
inline bool AddIndex(int64_t size, int64_t step, int64_t start, int64_t index, int64_t* result) {
  if (index < 0) index += size;
  if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(size)) return false;
  *result = start + index * step;
  return true;
}
inline bool Index(const StridedView* arrays, const LoopOp& op, LoopSlot* r) {
  const StridedView& array = arrays[ArrayOf(op.k)];
  const int axis = AxisOf(op.k);
  return AddIndex(array.shape[axis], array.strides[axis], r[op.a].i, r[op.b].i, &r[op.d].i);
}
inline bool Item(const LoopOp& op, LoopSlot* r) {
  const LoopSlot* slice1d = &r[op.a];
  return AddIndex(slice1d[2].i, slice1d[1].i, slice1d[0].i, r[op.b].i, &r[op.d].i);
}

void Slice(const StridedView& array, int axis, int64_t offset, const LoopSlot* part,
           LoopSlot* slice1d) {
  int64_t first = 0;
  SliceAxis(array.shape[axis], array.strides[axis], part[0].i, part[1].i, part[2].i, &first,
            &slice1d[1].i, &slice1d[2].i);
  slice1d[0].i = reinterpret_cast<int64_t>(array.data) + offset + first;
}

inline bool EndsAtRound(LoopFrame& frame) {
  return ++frame.rounds >= frame.most_rounds || __atomic_load_n(frame.poll, __ATOMIC_RELAXED) != 0;
}

bool StartRange(LoopSlot* range) {
  int64_t count = 0;
  if (!loop_math::StartRange(range[0].i, range[1].i, range[2].i, &count)) return false;
  range[1].i = range[2].i;
  range[2].i = count;
  return true;
}

inline bool NextOfRange(LoopSlot* range, int64_t* result) {
  if (range[2].i == 0) return false;
  --range[2].i;
  *result = range[0].i;
  range[0].i += range[1].i;
  return true;
}

// By the flags: some of NumPy's functions raise one of what went in, or give an infinity of it.
bool CallLoop(const LoopCallee& callee, double a, double b, bool binary, double* result) {
  ForgetFlags();
  const double d = CallForOne(callee.loop, a, b, binary);
  if (Raised()) return false;
  *result = d;
  return true;
}

}  // namespace

bool CallOne(const LoopCallee& callee, double a, double* result) {
  if (callee.function == nullptr) return CallLoop(callee, a, 0, false, result);
  const double d = callee.function(a);
  if (Raises(d, a, a)) return false;
  *result = d;
  return true;
}

bool CallTwo(const LoopCallee& callee, double a, double b, double* result) {
  if (callee.function2 == nullptr) return CallLoop(callee, a, b, true, result);
  const double d = callee.function2(a, b);
  if (Raises(d, a, b)) return false;
  *result = d;
  return true;
}

bool CallSlice1d(const LoopCallee& callee, const LoopHost& host, LoopSlot* registers, int d, int a,
                 int b) {
  return RunSlice1d(callee.slice1d, callee.loop, *static_cast<LoopScratch*>(host.scratch),
                    registers + a, registers + b, registers + d);
}

#define IntOf(slot) (slot).i
#define FloatOf(slot) (slot).f
#define NoneOf(slot) 0

int InterpretLoop(const LoopProgram& program, LoopFrame& frame) {
  LoopSlot* const r = frame.registers;
  const LoopOp* const ops = program.ops.data();
  [[maybe_unused]] const LoopHost* const host = frame.host;
  for (const LoopOp* op = ops;;) {
    const int32_t k = op->k;
    switch (op->code) {
#define DYNACC_LOOP_OP(name, result, left, right, step)  \
  case LoopOpCode::k##name: {                            \
    [[maybe_unused]] const auto a = left##Of(r[op->a]);  \
    [[maybe_unused]] const auto b = right##Of(r[op->b]); \
    decltype(result##Of(LoopSlot())) d;                  \
    if (__builtin_expect(step, false)) return op->exit;  \
    result##Of(r[op->d]) = d;                            \
    break;                                               \
  }
#define DYNACC_LOOP_MEMORY(name, kind, type)                                               \
  case LoopOpCode::kLoad##name:                                                            \
    kind##Of(r[op->d]) = InRegister(LoadElement<type>(frame.arrays[k].data + r[op->a].i)); \
    break;                                                                                 \
  case LoopOpCode::kStore##name:                                                           \
    StoreElement(frame.arrays[k].data + r[op->a].i, AsElement<type>(kind##Of(r[op->b])));  \
    break;
#include "runtime/loops/loop_ops.def"
#undef DYNACC_LOOP_OP
#undef DYNACC_LOOP_MEMORY
      case LoopOpCode::kIndex:
        if (!Index(frame.arrays, *op, r)) return op->exit;
        break;
      case LoopOpCode::kDim:
        r[op->d].i = frame.arrays[ArrayOf(k)].shape[AxisOf(k)];
        break;
      case LoopOpCode::kSlice:
        Slice(frame.arrays[ArrayOf(k)], AxisOf(k), r[op->a].i, &r[op->b], &r[op->d]);
        break;
      case LoopOpCode::kItem:
        if (!Item(*op, r)) return op->exit;
        break;
      case LoopOpCode::kOffset:
        r[op->d].i = r[op->a].i - reinterpret_cast<int64_t>(frame.arrays[k].data);
        break;
      case LoopOpCode::kAddress:
        r[op->d].i = r[op->a].i + reinterpret_cast<int64_t>(frame.arrays[k].data);
        break;
      case LoopOpCode::kSlice1d:
        if (!CallSlice1d(program.callees[k], *host, r, op->d, op->a, op->b)) return op->exit;
        break;
      case LoopOpCode::kCall1:
        if (!CallOne(program.callees[k], r[op->a].f, &r[op->d].f)) return op->exit;
        break;
      case LoopOpCode::kCall2:
        if (!CallTwo(program.callees[k], r[op->a].f, r[op->b].f, &r[op->d].f)) return op->exit;
        break;
      case LoopOpCode::kBackEdge:
        if (EndsAtRound(frame)) return op->exit;
        [[fallthrough]];
      case LoopOpCode::kJump:
        op = ops + k;
        continue;
      case LoopOpCode::kJumpIf:
        if (r[op->a].i == 0) break;
        op = ops + k;
        continue;
      case LoopOpCode::kJumpIfNot:
        if (r[op->a].i != 0) break;
        op = ops + k;
        continue;
      case LoopOpCode::kRangeStart:
        if (!StartRange(&r[op->a])) return op->exit;
        break;
      case LoopOpCode::kRangeNext:
        if (NextOfRange(&r[op->a], &r[op->d].i)) break;
        op = ops + k;
        continue;
      case LoopOpCode::kExit:
        return op->exit;
    }
    ++op;
  }
}

}  // namespace dynacc::loops
