#include "runtime/loops/loop_builtins.h"

#include <cmath>

#include "runtime/loops/loop_interpreter.h"

double DynaccLoopFmod(double a, double b) { return std::fmod(a, b); }
double DynaccLoopPow(double a, double b) { return std::pow(a, b); }
bool DynaccLoopCall(const void* callee, double a, double b, bool binary, double* result) {
  const auto& called = *static_cast<const dynacc::loops::LoopCallee*>(callee);
  return binary ? dynacc::loops::CallTwo(called, a, b, result)
                : dynacc::loops::CallOne(called, a, result);
}
bool DynaccLoopSlice1d(const void* callee, const dynacc::loops::LoopHost* host,
                       dynacc::loops::LoopSlot* registers, int d, int a, int b) {
  return dynacc::loops::CallSlice1d(*static_cast<const dynacc::loops::LoopCallee*>(callee), *host,
                                    registers, d, a, b);
}
char* DynaccLoopScratch(const dynacc::loops::LoopHost* host, int block, int64_t bytes) {
  return static_cast<dynacc::loops::LoopScratch*>(host->scratch)
      ->Get(static_cast<uint16_t>(block), bytes);
}
