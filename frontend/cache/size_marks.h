// What a program has said of the sizes of its arrays: dynacc.mark_dynamic and dynacc.mark_static.
//
// Marks are of array objects, by address: who sets one drops it when the object goes. A trace looks
// when it meets the array among its inputs. All of it under the GIL.
#pragma once

#include <cstdint>

#include "frontend/cpython/ref.h"

namespace dynacc::cache {

struct SizeMark {
  bool dynamic = false;  // an input of the graph; else a constant
  int64_t min = 0;       // of a dynamic one: the graph holds for these sizes
  int64_t max = INT64_MAX;
};

void SetSizeMark(BorrowedRef array, int axis, SizeMark mark);
void DropSizeMarks(const void* array);
// Null: nothing was said.
const SizeMark* FindSizeMark(BorrowedRef array, int axis);

}  // namespace dynacc::cache
