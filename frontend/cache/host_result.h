// What a call of the host gives, outside Python (host_call.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "runtime/tensor/strided_view.h"

namespace dynacc::cache {

// Memory of a result; the last copy frees it, on any thread.
struct HostMemory {
  StridedView view;
  std::shared_ptr<void> owner;
};

// Results that are the items of this one, by their numbers: a list's or tuple's; a dict's keys
// (text) and values by turns.
struct HostItems {
  bool is_dict = false;
  std::vector<int> items;
};

// One of a call's results; None by default.
using HostResult =
    std::variant<std::monostate, bool, int64_t, double, std::string, HostMemory, HostItems>;

}  // namespace dynacc::cache
