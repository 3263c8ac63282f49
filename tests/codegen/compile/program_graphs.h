// Graphs that become programs in more than one test.
#pragma once

namespace dynacc::compile {

// A branch, a loop with a carry and a slice, and what the host computes itself.
inline constexpr char kControlFlowGraph[] = R"(graph {
  %0: f64[5] = input 0
  %1: i64[3] = input 1
  %2: bool[] = input 2
  %3: f64[5] = cond %2, %0 graphs 2
    graph {
      %0: f64[5] = input 0
      %1: f64[5] = multiply %0, %0
      return %1
    }
    graph {
      %0: f64[5] = input 0
      %1: f64[5] = negative %0
      return %1
    }
  %4: f64[] = full 0
  %5: f64[] = view %4 axis[] start[] step[]
  %6: f64[] = loop %5, %0 constants 0 carries 1 slices 1 length[5] graphs 1
    graph {
      %0: f64[] = input 0
      %1: f64[] = input 1
      %2: f64[] = add %0, %1
      %3: f64[] = c_order %0
      return %2, %3
    }
  %7: f64[5] = result %6 1
  %8: f64[5] = cumsum %0 axis[0]
  %9: f64[3] = gather %0, %1 at[%1]
  %10: i64[] = argmax %0 axes[0]
  return %3, %6, %7, %8, %9, %10
}
)";

}  // namespace dynacc::compile
