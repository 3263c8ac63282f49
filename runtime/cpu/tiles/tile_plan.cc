#include "runtime/cpu/tiles/tile_plan.h"

#include <algorithm>
#include <array>

namespace dynacc::cpu {
namespace {

constexpr int kMaxTile = 1024;
constexpr int kMaxTunedTile = 4096;
constexpr int kMinTile = 128;
constexpr int kBufferBudget = 96 * 1024;  // bytes on the stack; most of it is seldom touched

std::array<int, 3> Operands(const kernel::KernelStep& step) { return {step.a, step.b, step.c}; }

class Planner {
 public:
  explicit Planner(const kernel::Kernel& kernel)
      : kernel_(kernel), num_inputs_(static_cast<int>(kernel.inputs.size())) {
    const size_t values = kernel.inputs.size() + kernel.steps.size();
    plan_.phase.assign(values, 0);
    plan_.buffered.assign(values, false);
    plan_.output.assign(values, -1);
    plan_.reloaded.assign(values, false);
    plan_.loaded.assign(kernel.inputs.size(), false);
    plan_.stored_last.assign(kernel.outputs.size(), false);
  }

  TilePlan Make() {
    AssignPhases();
    FindLastInputRead();
    PlaceOutputs();
    MarkReads();
    ChooseTile();
    return std::move(plan_);
  }

 private:
  bool IsInput(int value) const { return value < num_inputs_; }
  const kernel::KernelStep& Definition(int value) const {
    return kernel_.steps[value - num_inputs_];
  }
  bool IsCall(int value) const { return !IsInput(value) && Definition(value).library; }
  int last_phase() const { return static_cast<int>(plan_.phases.size()) - 1; }

  void AssignPhases() {
    plan_.phases.emplace_back();
    for (size_t i = 0; i < kernel_.steps.size(); ++i) {
      const kernel::KernelStep& step = kernel_.steps[i];
      int phase = step.library ? 1 : 0;
      for (const int value : Operands(step)) {
        if (value >= 0) phase = std::max(phase, plan_.phase[value] + (step.library ? 1 : 0));
      }
      plan_.phase[num_inputs_ + i] = phase;
      if (phase > last_phase()) plan_.phases.resize(phase + 1);
      auto& list = step.library ? plan_.phases[phase].calls : plan_.phases[phase].emitted;
      list.push_back(static_cast<int>(i));
    }
  }

  // The calls and loops of a tile in the order in which they run; a loop follows its phase's calls.
  int LoopPosition(int phase) const {
    int position = phase;
    for (int i = 0; i <= phase; ++i) position += static_cast<int>(plan_.phases[i].calls.size());
    return position;
  }
  int PositionOf(int value) const {
    const int phase = plan_.phase[value];
    const std::vector<int>& calls = plan_.phases[phase].calls;
    if (!IsCall(value)) return LoopPosition(phase);
    const auto call = std::find(calls.begin(), calls.end(), value - num_inputs_);
    return LoopPosition(phase) - static_cast<int>(calls.end() - call);
  }

  void FindLastInputRead() {
    for (size_t i = 0; i < kernel_.steps.size(); ++i) {
      const int position = PositionOf(num_inputs_ + static_cast<int>(i));
      for (const int value : Operands(kernel_.steps[i])) {
        if (value >= 0 && IsInput(value)) last_read_ = std::max(last_read_, position);
      }
    }
    for (const int value : kernel_.outputs) {
      if (IsInput(value)) last_read_ = LoopPosition(last_phase());
    }
  }

  void PlaceOutputs() {
    for (size_t k = 0; k < kernel_.outputs.size(); ++k) {
      const int value = kernel_.outputs[k];
      const bool early = !IsInput(value) && plan_.output[value] < 0 &&
                         PositionOf(value) >= last_read_ &&
                         (IsCall(value) || plan_.phase[value] != last_phase());
      if (early) {
        plan_.output[value] = static_cast<int>(k);
      } else {
        plan_.stored_last[k] = true;
        ReadByLoop(value, last_phase());
      }
    }
  }

  void ReadByLoop(int value, int phase) {
    if (IsInput(value)) {
      plan_.loaded[value] = true;
    } else if (IsCall(value)) {
      plan_.buffered[value] = plan_.output[value] < 0;
      plan_.reloaded[value] = true;
    } else if (plan_.phase[value] != phase) {
      plan_.buffered[value] = plan_.output[value] < 0;
    }
  }

  void MarkReads() {
    for (size_t i = 0; i < kernel_.steps.size(); ++i) {
      const kernel::KernelStep& step = kernel_.steps[i];
      const int defined = num_inputs_ + static_cast<int>(i);
      if (step.library) plan_.buffered[defined] = plan_.output[defined] < 0;
      for (const int value : Operands(step)) {
        if (value < 0) continue;
        if (!step.library)
          ReadByLoop(value, plan_.phase[defined]);
        else if (!IsInput(value))
          plan_.buffered[value] = plan_.output[value] < 0;
      }
    }
    // An output that was placed after a first read was noted needs no buffer of its own.
    for (size_t v = 0; v < plan_.buffered.size(); ++v) {
      if (plan_.output[v] >= 0) plan_.buffered[v] = false;
    }
  }

  void ChooseTile() {
    int bytes = 0;
    for (size_t v = 0; v < plan_.buffered.size(); ++v) {
      if (plan_.buffered[v]) bytes += ItemSize(kernel_.DTypeOf(static_cast<int>(v)));
    }
    for (size_t k = 0; k < plan_.loaded.size(); ++k) {
      if (plan_.loaded[k]) bytes += ItemSize(kernel_.inputs[k]);
    }
    for (const int value : kernel_.outputs) bytes += ItemSize(kernel_.DTypeOf(value));
    plan_.tile = kernel_.tile > 0 ? std::min(kernel_.tile, kMaxTunedTile) : kMaxTile;
    while (plan_.tile > kMinTile && plan_.tile * bytes > kBufferBudget) plan_.tile /= 2;
  }

  const kernel::Kernel& kernel_;
  const int num_inputs_;
  int last_read_ = 0;
  TilePlan plan_;
};

}  // namespace

TilePlan MakeTilePlan(const kernel::Kernel& kernel) { return Planner(kernel).Make(); }

}  // namespace dynacc::cpu
