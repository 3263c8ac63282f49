#include "frontend/cache/host_plan.h"

#include <algorithm>
#include <optional>
#include <set>

#include "frontend/cache/segment.h"

namespace dynacc::cache {
namespace {

// Whether running the entry does nothing but compute new arrays in host memory.
bool OnlyComputes(const Entry& entry) {
  const auto is_native = [](bool native) { return native; };
  return entry.tier.compiled != nullptr && entry.frame_state.returned >= 0 &&
         entry.frame_state.effects.empty() && entry.written.empty() && entry.object_slots.empty() &&
         !entry.calls_library && !entry.on_device &&
         entry.graph->scalars().num_data_dependent() == 0 &&
         std::none_of(entry.output_is_native.begin(), entry.output_is_native.end(), is_native);
}

std::optional<HostResult> TextOf(BorrowedRef object) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text != nullptr) return std::string(text, static_cast<size_t>(size));
  PyErr_Clear();
  return std::nullopt;
}

std::optional<HostResult> ConstantOf(BorrowedRef object) {
  if (object == Py_None) return HostResult();
  if (PyBool_Check(object)) return object == Py_True;
  if (PyFloat_CheckExact(object)) return PyFloat_AS_DOUBLE(object);
  if (PyUnicode_CheckExact(object)) return TextOf(object);
  if (!PyLong_CheckExact(object)) return std::nullopt;
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0) return std::nullopt;
  return value;
}

class Planner {
 public:
  Planner(const Entry& entry, HostPlan& plan)
      : entry_(entry), frame_state_(entry.frame_state), plan_(plan) {}

  // Plans a step of the frame state and what it needs. False if it has no form outside Python.
  bool Plan(int index) {
    const frame_state::FrameStateStep& step = frame_state_.steps[index];
    HostPlan::Step& planned = plan_.steps[index];
    planned.op = step.op;
    planned.a = step.a;
    for (const int item : step.items) {
      if (!Plan(item)) return false;
    }
    switch (step.op) {
      case frame_state::FrameStateOp::kConstant:
        return PlanConstant(step, planned);
      case frame_state::FrameStateOp::kInt:
      case frame_state::FrameStateOp::kFloat:
      case frame_state::FrameStateOp::kBool:
        return true;
      case frame_state::FrameStateOp::kOutput:
        return !entry_.output_is_scalar[step.a] || IsReal(step.a);
      case frame_state::FrameStateOp::kView:
        planned.base = step.items[0];
        return !frame_state_.views[step.a].is_native && IsMemory(step.items[0]);
      case frame_state::FrameStateOp::kTuple:
      case frame_state::FrameStateOp::kList:
        planned.constant = HostItems{false, step.items};
        return true;
      case frame_state::FrameStateOp::kDict:
        planned.constant = HostItems{true, step.items};
        return HasTextKeys(step);
      default:
        return false;
    }
  }

 private:
  bool PlanConstant(const frame_state::FrameStateStep& step, HostPlan::Step& planned) const {
    BorrowedRef object = frame_state_.constants[step.a].get();
    std::optional<HostResult> constant;
    if (object != nullptr) constant = ConstantOf(object);
    if (!constant.has_value()) return false;
    planned.constant = *std::move(constant);
    return true;
  }

  bool IsReal(int output) const {
    return Info(entry_.graph->outputs()[output]->dtype).kind != DTypeKind::kComplex;
  }

  bool IsMemory(int step) const {
    const frame_state::FrameStateStep& base = frame_state_.steps[step];
    if (base.op == frame_state::FrameStateOp::kView) return true;
    return base.op == frame_state::FrameStateOp::kOutput && !entry_.output_is_scalar[base.a];
  }

  bool HasTextKeys(const frame_state::FrameStateStep& step) const {
    std::set<std::string> keys;
    for (size_t i = 0; i < step.items.size(); i += 2) {
      const auto* key = std::get_if<std::string>(&plan_.steps[step.items[i]].constant);
      if (key == nullptr || !keys.insert(*key).second) return false;
    }
    return true;
  }

  const Entry& entry_;
  const frame_state::FrameState& frame_state_;
  HostPlan& plan_;
};

}  // namespace

std::shared_ptr<const HostPlan> MakeHostPlan(const Entry& entry) {
  if (!OnlyComputes(entry)) return nullptr;
  auto plan = std::make_shared<HostPlan>();
  plan->steps.resize(entry.frame_state.steps.size());
  plan->views = entry.frame_state.views;
  plan->output_is_scalar = entry.output_is_scalar;
  plan->returned = entry.frame_state.returned;
  return Planner(entry, *plan).Plan(plan->returned) ? plan : nullptr;
}

}  // namespace dynacc::cache
