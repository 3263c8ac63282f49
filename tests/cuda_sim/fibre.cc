#include "tests/cuda_sim/fibre.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

// Saves the registers that a callee must keep (System V ABI), swaps stacks and restores them.
asm(R"(
.text
.local DynaccSimSwitch
.type DynaccSimSwitch, @function
DynaccSimSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.local DynaccSimEnter
.type DynaccSimEnter, @function
DynaccSimEnter:
  movq %r12, %rdi
  callq *%r13
  ud2
)");
extern "C" void DynaccSimSwitch(void** save, void* to);
extern "C" void DynaccSimEnter();

namespace dynacc::sim {
namespace {

constexpr size_t kStackBytes = 64 * 1024;

// ThreadSanitizer has a list of the calls on each stack, and is told which stack is on.
#ifdef __SANITIZE_THREAD__
void* NewCallList() { return __tsan_create_fiber(0); }
void DropCallList(void* list) { __tsan_destroy_fiber(list); }
void* CurrentCallList() { return __tsan_get_current_fiber(); }
void SwitchCallList(void* list) { __tsan_switch_to_fiber(list, 0); }
#define DYNACC_SIM_NOT_IN_CALL_LIST __attribute__((no_sanitize("thread")))
#else
void* NewCallList() { return nullptr; }
void DropCallList(void*) {}
void* CurrentCallList() { return nullptr; }
void SwitchCallList(void*) {}
#define DYNACC_SIM_NOT_IN_CALL_LIST
#endif

}  // namespace

Fibre::Fibre()
    : stack_(static_cast<char*>(mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0))),
      calls_(NewCallList()) {
  if (stack_ == MAP_FAILED) std::abort();
}

Fibre::~Fibre() {
  DropCallList(calls_);
  munmap(stack_, kStackBytes);
}

void Fibre::Start(std::function<void()> body) {
#ifdef __SANITIZE_ADDRESS__
  // Frames that were forgotten have left their marks.
  __asan_unpoison_memory_region(stack_, kStackBytes);
#endif
  if (!done_) {
    DropCallList(calls_);
    calls_ = NewCallList();
  }
  body_ = std::move(body);
  done_ = false;
  // As DynaccSimSwitch leaves a stack: r15, r14, r13, r12, rbx, rbp, the return address.
  auto** top = reinterpret_cast<void**>(stack_ + kStackBytes) - 9;  // aligned as at a call
  top[2] = reinterpret_cast<void*>(&Fibre::Main);
  top[3] = this;
  top[6] = reinterpret_cast<void*>(&DynaccSimEnter);
  own_ = top;
}

bool Fibre::Resume() {
  callers_calls_ = CurrentCallList();
  SwitchCallList(calls_);
  DynaccSimSwitch(&caller_, own_);
  return done_;
}

DYNACC_SIM_NOT_IN_CALL_LIST void Fibre::Yield() {
  SwitchCallList(callers_calls_);
  DynaccSimSwitch(&own_, caller_);
}

// Never returns, so that the next body begins with an empty list of calls.
DYNACC_SIM_NOT_IN_CALL_LIST void Fibre::Main(Fibre* self) {
  self->body_();
  self->done_ = true;
  self->Yield();
}

}  // namespace dynacc::sim
