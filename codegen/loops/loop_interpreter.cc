#include "codegen/loops/loop_interpreter.h"

#include <cstring>

#include "codegen/loops/loop_math.h"

namespace dynacc {
namespace {

using namespace loop_math;  // NOLINT(google-build-using-namespace): loop_ops.def is written so

template <typename T>
T LoadElement(const char* place) {
  T value;
  std::memcpy(&value, place, sizeof(T));
  return value;
}

template <typename T>
void StoreElement(char* place, T value) {
  std::memcpy(place, &value, sizeof(T));
}

// False if `index` is out of range.
inline bool AddIndex(const StridedView& array, int axis, int64_t offset, int64_t index,
                     int64_t* result) {
  const int64_t size = array.shape[axis];
  if (index < 0) index += size;
  if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(size)) return false;
  *result = offset + index * array.strides[axis];
  return true;
}

// The ints of a range in three registers, as range() counts them.
bool StartRange(LoopSlot* range) {
  const int64_t start = range[0].i;
  const int64_t stop = range[1].i;
  const int64_t step = range[2].i;
  int64_t extent = 0;
  // Nothing near the ends of int64_t, where the last value plus a step is none.
  constexpr int64_t kFar = int64_t{1} << 61;
  if (step == 0 || start > kFar || start < -kFar || stop > kFar || stop < -kFar || step > kFar ||
      step < -kFar) {
    return false;
  }
  extent = step > 0 ? stop - start : start - stop;
  const int64_t stride = step > 0 ? step : -step;
  range[1].i = step;
  range[2].i = extent <= 0 ? 0 : (extent - 1) / stride + 1;
  return true;
}

}  // namespace

#define IntOf(slot) (slot).i
#define FloatOf(slot) (slot).f
#define NoneOf(slot) 0

int InterpretLoop(const LoopProgram& program, LoopFrame& frame) {
  LoopSlot* const r = frame.registers;
  const LoopOp* const ops = program.ops.data();
  const LoopOp* op = ops;
  for (;;) {
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
#define DYNACC_LOOP_MEMORY(name, kind, type)                                                \
  case LoopOpCode::kLoad##name:                                                             \
    kind##Of(r[op->d]) = LoadElement<type>(frame.arrays[k].data + r[op->a].i);              \
    break;                                                                                  \
  case LoopOpCode::kStore##name:                                                            \
    StoreElement(frame.arrays[k].data + r[op->a].i, static_cast<type>(kind##Of(r[op->b]))); \
    break;
#include "codegen/loops/loop_ops.def"
#undef DYNACC_LOOP_OP
#undef DYNACC_LOOP_MEMORY
      case LoopOpCode::kIndex:
        if (!AddIndex(frame.arrays[ArrayOf(k)], AxisOf(k), r[op->a].i, r[op->b].i, &r[op->d].i)) {
          return op->exit;
        }
        break;
      case LoopOpCode::kDim:
        r[op->d].i = frame.arrays[ArrayOf(k)].shape[AxisOf(k)];
        break;
      case LoopOpCode::kCall1: {
        const LoopCallee& callee = program.callees[k];
        const double d = callee.function != nullptr ? callee.function(r[op->a].f)
                                                    : CallForOne(callee.loop, r[op->a].f, 0, false);
        if (Raises(d, r[op->a].f, r[op->a].f)) return op->exit;
        r[op->d].f = d;
        break;
      }
      case LoopOpCode::kCall2: {
        const double d = CallForOne(program.callees[k].loop, r[op->a].f, r[op->b].f, true);
        if (Raises(d, r[op->a].f, r[op->b].f)) return op->exit;
        r[op->d].f = d;
        break;
      }
      case LoopOpCode::kBackEdge:
        ++frame.rounds;
        if (__atomic_load_n(frame.poll, __ATOMIC_RELAXED) != 0) return op->exit;
        op = ops + k;
        continue;
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
      case LoopOpCode::kRangeNext: {
        LoopSlot* const range = &r[op->a];
        if (range[2].i == 0) {
          op = ops + k;
          continue;
        }
        --range[2].i;
        r[op->d].i = range[0].i;
        range[0].i += range[1].i;
        break;
      }
      case LoopOpCode::kExit:
        return op->exit;
    }
    ++op;
  }
}

}  // namespace dynacc
