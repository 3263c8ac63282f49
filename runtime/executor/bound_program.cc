#include "runtime/executor/bound_program.h"

#include <algorithm>
#include <cstring>

#include "boost/container/small_vector.hpp"
#include "runtime/base/check.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/step.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/platform/fp_flags.h"
#include "runtime/tensor/memory_overlap.h"

namespace dynacc::executor {
namespace {

// Temporaries up to this size lie on the stack.
constexpr size_t kStackBytes = 4096;

// What a temporary takes: a cache line's multiple, and as far from the next as library loops ask.
int64_t BlockBytes(int64_t bytes) { return (bytes + kernel::kLoopGap + 63) & ~int64_t{63}; }

bool IsAligned(const StridedView& view) {
  return reinterpret_cast<uintptr_t>(view.data) % ItemSize(view.dtype) == 0;
}

}  // namespace

bool BoundProgram::Fits(const RunArguments& arguments) const {
  for (const BoundKey::Number& number : key_.numbers) {
    if (arguments.scalars[number.id].i != number.value) return false;
  }
  for (size_t i = 0; i < key_.inputs.size(); ++i) {
    const StridedView& view = arguments.inputs[i];
    const BoundKey::Input& input = key_.inputs[i];
    if (!std::equal(input.strides, input.strides + input.rank, view.strides)) return false;
    if (IsAligned(view) != input.is_aligned) return false;
  }
  return std::none_of(key_.apart.begin(), key_.apart.end(), [&](const BoundKey::Pair& pair) {
    return MayOverlap(arguments.inputs[pair.a], arguments.inputs[pair.b]);
  });
}

// Where the roots of one run lie.
class BoundProgram::Memory {
 public:
  explicit Memory(size_t roots)
      : data_(roots, boost::container::default_init),
        cells_(roots, boost::container::default_init) {}

  absl::Status AllocateTemporaries(size_t bytes) {
    char* start = stack_;
    if (bytes > sizeof(stack_)) {
      if (!block_.Allocate(bytes)) {
        return absl::ResourceExhaustedError("no memory for a run's temporaries");
      }
      start = block_.data();
    }
    data_.push_back(start);
    return absl::OkStatus();
  }

  void Set(size_t root, char* data) { data_[root] = data; }
  void SetNumber(size_t root, const ElementCell& cell) {
    cells_[root] = cell;
    data_[root] = cells_[root].bytes;
  }

  char* Find(const BoundAddress& address, absl::Span<const ScalarValue> numbers) const {
    char* at = data_[address.root] + address.offset;
    for (const BoundAddress::Term& term : address.terms) at += numbers[term.number].i * term.stride;
    return at;
  }
  char* temporaries() const { return data_.back(); }

 private:
  boost::container::small_vector<char*, 16> data_;
  boost::container::small_vector<ElementCell, 16> cells_;
  ScratchBlock block_;
  alignas(64) char stack_[kStackBytes];
};

absl::Status BoundProgram::Place(const RunArguments& arguments, Memory& memory) const {
  for (size_t i = 0; i < roots_.size(); ++i) {
    const Root& root = roots_[i];
    if (root.kind == BufferKind::kInput) {
      memory.Set(i, arguments.inputs[root.index].data);
    } else if (root.kind == BufferKind::kScalar) {
      memory.SetNumber(i,
                       root.is_constant ? root.cell : NumberCell(root.number, arguments.scalars));
    } else {
      StridedView view = root.view;
      DYNACC_RETURN_IF_ERROR(arguments.sink->Allocate(root.index, view));
      memory.Set(i, view.data);
    }
  }
  return memory.AllocateTemporaries(memory_bytes_ + scratch_bytes_);
}

uint32_t BoundProgram::RunSteps(const RunArguments& arguments, const Memory& memory) const {
  uint32_t reported = 0;
  char* const scratch = memory.temporaries() + memory_bytes_;
  for (const BoundStep& step : steps_) {
    char* pointers[kMaxOperands];
    for (size_t k = 0; k < step.operands.size(); ++k) {
      pointers[k] = memory.Find(step.operands[k], arguments.scalars);
    }
    const bool done = step.ready->Run(pointers, scratch, RowHints());
    DYNACC_CHECK(done) << "a bound step gave up";
    // Collected step by step: a later step's library loop may clear what an earlier one raised.
    const uint32_t raised = platform::ErrorFlags();
    if (raised == 0) continue;
    reported |= raised & step.reported_flags;
    platform::ClearHardwareFlags();
  }
  return FpFlagsOf(reported);
}

absl::StatusOr<uint32_t> BoundProgram::Run(const RunArguments& arguments) const {
  if (arguments.stop != nullptr && arguments.stop()) return absl::CancelledError("told to stop");
  Memory memory(roots_.size());
  DYNACC_RETURN_IF_ERROR(Place(arguments, memory));
  platform::ScopedFpFlags callers_flags;
  const uint32_t flags = RunSteps(arguments, memory);
  Stats& stats = ThreadStats();
  Count(stats.kernel_launches, totals_.launches);
  Count(stats.bytes_read, totals_.bytes_read);
  Count(stats.bytes_written, totals_.bytes_written);
  Count(stats.library_calls, totals_.library_calls);
  if (arguments.sink == nullptr || !arguments.sink->MayWriteBack(flags)) return flags;
  for (const BoundStep& copy : write_backs_) {
    char* pointers[] = {memory.Find(copy.operands[0], arguments.scalars),
                        memory.Find(copy.operands[1], arguments.scalars)};
    const bool done = copy.ready->Run(pointers, nullptr, RowHints());
    DYNACC_CHECK(done) << "a copy gave up";
  }
  return flags;
}

// --- Binder.

Binder::Binder(const std::vector<BufferPlan>& plan, const ScalarProgram& scalars,
               const RunArguments& arguments, int known, const RunFrame& frame)
    : plan_(plan),
      scalars_(scalars),
      arguments_(arguments),
      known_(known),
      frame_(frame),
      program_(std::make_unique<BoundProgram>()),
      addresses_(plan.size()),
      is_placed_(plan.size()),
      own_(plan.size()),
      is_kept_(scalars.size()) {
  for (const BufferPlan& buffer : plan_) Keep(buffer.shape);
  AddRoots();
}

void Binder::AddRoots() {
  for (size_t i = 0; i < plan_.size(); ++i) {
    const BufferPlan& buffer = plan_[i];
    if (buffer.kind == BufferKind::kTemporary || buffer.kind == BufferKind::kPart) continue;
    BoundProgram::Root root;
    root.kind = buffer.kind;
    root.index = buffer.index;
    if (buffer.kind == BufferKind::kOutput) {
      root.view = frame_.view(static_cast<int>(i));
      root.view.data = nullptr;
    } else if (buffer.kind == BufferKind::kScalar) {
      root.number = buffer;
      for (const ScalarId part : {buffer.scalar, buffer.imag}) {
        if (part >= known_) Keep(part);
      }
      const auto is_fixed = [&](ScalarId part) {
        return part == kNoScalar || part >= known_ || IsConstant(part);
      };
      root.is_constant = is_fixed(buffer.scalar) && is_fixed(buffer.imag);
      root.cell = NumberCell(buffer, frame_.scalars());
    }
    addresses_[i].root = static_cast<int>(program_->roots_.size());
    is_placed_[i] = true;
    program_->roots_.push_back(std::move(root));
  }
}

bool Binder::IsConstant(ScalarId number) const {
  return scalars_.expr(number).op == ScalarOp::kConst;
}

void Binder::Keep(const ShapePlan& shape) {
  for (int i = 0; i < shape.rank; ++i) Keep(shape.sizes[i]);
}

void Binder::Keep(const LayoutStep& step) {
  Keep(step.shape);
  if (step.rule != LayoutRule::kView) return;
  Keep(step.view.shape);
  for (int axis = 0; axis < step.view.shape.rank; ++axis) {
    if (step.view.axis[axis] >= 0) Keep(step.view.step[axis]);
  }
}

BoundAddress Binder::AddressOf(const OperandPlan& operand) {
  return AddressOf(operand.buffer, operand.views);
}

BoundAddress Binder::AddressOf(int buffer, absl::Span<const ViewPlan> views) {
  DYNACC_CHECK(is_placed_[buffer]) << "buffer " << buffer << " is nowhere";
  BoundAddress address = addresses_[buffer];
  StridedView view = frame_.view(buffer);
  for (const ViewPlan& plan : views) {
    for (int axis = 0; axis < plan.operand_rank; ++axis) {
      const ScalarId start = plan.start[axis];
      const int64_t stride = view.strides[axis];
      if (stride == 0) continue;
      if (IsConstant(start) || start >= known_) {
        Keep(start);
        address.offset += ValueOf(start) * stride;
      } else {
        address.terms.push_back({start, stride});
      }
    }
    Keep(plan.shape);
    for (int axis = 0; axis < plan.shape.rank; ++axis) {
      if (plan.axis[axis] >= 0) Keep(plan.step[axis]);
    }
    view = ApplyView(view, plan, frame_.scalars());
  }
  return address;
}

void Binder::Allocate(int buffer) {
  if (is_placed_[buffer]) return;
  const StridedView& view = frame_.view(buffer);
  const int aliased = plan_[buffer].aliased_buffer;
  if (aliased >= 0 && frame_.view(aliased).data == view.data) {
    Allocate(aliased);
    addresses_[buffer] = addresses_[aliased];
    is_placed_[buffer] = true;
    return;
  }
  Place(buffer, view.size() * ItemSize(view.dtype), /*first=*/0);
}

void Binder::AllocateLike(int buffer) {
  const ByteRange range = ByteRangeOf(frame_.view(buffer));
  Place(buffer, range.high - range.low, -range.low);
}

void Binder::Place(int buffer, int64_t bytes, int64_t first) {
  Block& own = own_[buffer];
  own = {static_cast<int64_t>(program_->memory_bytes_), BlockBytes(bytes)};
  const auto free = std::find_if(free_.begin(), free_.end(),
                                 [&](const Block& block) { return block.bytes == own.bytes; });
  if (free != free_.end()) {
    own = *free;
    free_.erase(free);
  } else {
    program_->memory_bytes_ += own.bytes;
  }
  addresses_[buffer] = {static_cast<int>(program_->roots_.size()), own.offset + first, {}};
  is_placed_[buffer] = true;
}

void Binder::Alias(int buffer, BoundAddress address) {
  addresses_[buffer] = std::move(address);
  is_placed_[buffer] = true;
}

void Binder::Release(int buffer) {
  if (own_[buffer].bytes == 0) return;
  free_.push_back(own_[buffer]);
  own_[buffer].bytes = 0;
}

bool Binder::KeepApart(int buffer_a, int buffer_b) {
  const int a = addresses_[buffer_a].root, b = addresses_[buffer_b].root;
  const int temporaries = static_cast<int>(program_->roots_.size());
  if (a == b) return a == temporaries && own_[buffer_a].bytes > 0 && own_[buffer_b].bytes > 0;
  const auto input_of = [&](int root) {
    const bool is_input = root != temporaries && program_->roots_[root].kind == BufferKind::kInput;
    return is_input ? program_->roots_[root].index : -1;
  };
  const int input_a = input_of(a), input_b = input_of(b);
  if (input_a >= 0 && input_b >= 0) program_->key_.apart.push_back({input_a, input_b});
  return true;
}

void Binder::Add(std::unique_ptr<const ReadyRows> ready, std::vector<BoundAddress> operands,
                 size_t scratch_bytes) {
  program_->steps_.push_back({std::move(ready), std::move(operands), flags_});
  program_->scratch_bytes_ = std::max(program_->scratch_bytes_, scratch_bytes);
}

void Binder::Copy(const StridedView& from, BoundAddress at, const StridedView& to,
                  BoundAddress to_at) {
  std::unique_ptr<const ReadyRows> copy = ReadyToCopy(from, to);
  if (copy != nullptr) Add(std::move(copy), {std::move(at), std::move(to_at)});
}

bool Binder::BindStep(const Step& step) {
  const uint32_t flags_around = flags_;
  flags_ &= step.reports_flags ? step.reported_flags : 0;
  const bool is_bound = !step.on_device && step.Bind(*this);
  flags_ = flags_around;
  for (const int buffer : step.releases) Release(buffer);
  return is_bound;
}

bool Binder::BindWriteBack(const WriteBackPlan& plan) {
  StridedView storage;
  const StridedView& source = frame_.Resolve(plan.source, storage);
  StridedView target = frame_.view(plan.target);
  for (const ViewPlan& view : plan.region) target = ApplyView(target, view, frame_.scalars());
  if (!IsShortCopy(target)) return false;
  std::unique_ptr<const ReadyRows> copy = ReadyToCopy(source, target);
  if (copy == nullptr) return true;
  program_->write_backs_.push_back(
      {std::move(copy), {AddressOf(plan.source), AddressOf(plan.target, plan.region)}});
  return true;
}

// Numbers follow from others, those that a run is told of are inputs of the program.
void Binder::KeepWhatFollows() {
  for (ScalarId id = scalars_.size() - 1; id >= 0; --id) {
    if (!is_kept_[id]) continue;
    const ScalarExpr& expr = scalars_.expr(id);
    if (expr.op == ScalarOp::kInput) program_->key_.numbers.push_back({id, ValueOf(id)});
    for (const ScalarId operand : {expr.a, expr.b}) {
      if (operand != kNoScalar) is_kept_[operand] = true;
    }
  }
}

std::unique_ptr<const BoundProgram> Binder::Finish() {
  KeepWhatFollows();
  for (const StridedView& view : arguments_.inputs) {
    BoundKey::Input input{view.rank, IsAligned(view), {}};
    std::copy_n(view.strides, view.rank, input.strides);
    program_->key_.inputs.push_back(input);
  }
  program_->totals_ = frame_.totals();
  return std::move(program_);
}

// --- BoundPrograms.

BoundPrograms::~BoundPrograms() {
  for (const auto& program : programs_) delete program.load(std::memory_order_relaxed);
}

const BoundProgram* BoundPrograms::Find(const RunArguments& arguments) const {
  for (const auto& slot : programs_) {
    const BoundProgram* const program = slot.load(std::memory_order_acquire);
    if (program == nullptr) return nullptr;
    if (program->Fits(arguments)) return program;
  }
  return nullptr;
}

bool BoundPrograms::IsWorthBinding() {
  if (runs_.load(std::memory_order_relaxed) >= kLastRun) return false;
  const uint32_t run = runs_.fetch_add(1, std::memory_order_relaxed) + 1;
  const bool is_power_of_two = (run & (run - 1)) == 0;
  return run > 1 && is_power_of_two && programs_[kMost - 1].load() == nullptr;
}

void BoundPrograms::Add(std::unique_ptr<const BoundProgram> program) {
  for (auto& slot : programs_) {
    const BoundProgram* none = nullptr;
    if (slot.compare_exchange_strong(none, program.get(), std::memory_order_release)) {
      program.release();
      return;
    }
  }
}

}  // namespace dynacc::executor
