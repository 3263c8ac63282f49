#include "frontend/numpy/trace/crossing.h"

#include <optional>

namespace dynacc::numpy {
namespace {

// Where an axis of a view goes in the array that it is a view of.
struct Course {
  const ir::Node* content;
  int64_t axis;
  int64_t step;
};

std::optional<Course> CourseOf(symbolic::TraceContext& trace, const ir::Node* node, int64_t axis) {
  Course course = {node, axis, 1};
  while (course.content->op == Op::kView) {
    const ir::Node& view = *course.content;
    const ir::Node* const viewed = view.operands[0];
    int64_t step = 0;
    const int64_t from = view.attrs.ints[course.axis];
    const ScalarId id = view.attrs.scalars[viewed->rank() + course.axis];
    if (from < 0 || !trace.graph().scalars().IsIntConst(id, &step)) return std::nullopt;
    course = {viewed, from, course.step * step};
  }
  return course;
}

}  // namespace

absl::Status RequireAnyOrder(symbolic::TraceContext& trace, symbolic::TensorValue* array,
                             const ir::Node* target, symbolic::Value* value) {
  auto* const source = symbolic::As<symbolic::TensorValue>(value);
  if (source == nullptr || source->root() != array->root()) return absl::OkStatus();
  if (target->rank() != 1 || source->node->rank() == 0) return absl::OkStatus();
  const auto to = CourseOf(trace, target, 0);
  const auto from = CourseOf(trace, source->node, source->node->rank() - 1);
  const bool are_parallel = to && from && to->content == from->content && to->axis == from->axis;
  // Against each other NumPy makes a copy.
  if (are_parallel && (to->step == from->step || (to->step < 0) != (from->step < 0))) {
    return absl::OkStatus();
  }
  return symbolic::GraphBreak("a copy between parts of an array that cross");
}

}  // namespace dynacc::numpy
