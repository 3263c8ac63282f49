// What the sanitizers' run-time libraries ask of a program when it starts. The variables
// ASAN_OPTIONS, UBSAN_OPTIONS and TSAN_OPTIONS win over what is said here.
//
// Everything here excuses CPython, NumPy and LLVM, which are not instrumented; none of it our code.

// Null in a program without an interpreter.
extern "C" __attribute__((weak)) int Py_IsInitialized();

#define DYNACC_ASKED_BY_RUNTIME extern "C" __attribute__((visibility("default"), used)) const char*

// detect_leaks: CPython and NumPy keep static types, interned strings and modules until the process
//   ends, and a finalised interpreter no longer refers to them. So leaks are looked for in programs
//   without an interpreter.
// allocator_may_return_null: programs ask for more memory than there is, and get MemoryError.
// detect_stack_use_after_return: CPython measures its stack by addresses of locals.
// handle_segv: what a program's faulthandler says of a crash, and how it dies, is CPython's.
DYNACC_ASKED_BY_RUNTIME __asan_default_options() {
  return Py_IsInitialized == nullptr
             ? "allocator_may_return_null=1:detect_stack_use_after_return=0"
             : "allocator_may_return_null=1:detect_stack_use_after_return=0:detect_leaks=0:"
               "handle_segv=0";
}

DYNACC_ASKED_BY_RUNTIME __ubsan_default_options() { return "print_stacktrace=1:halt_on_error=1"; }

// die_after_fork, report_thread_leaks: a forked child starts threads of its own, and cannot join
//   those that its parent had.
// handle_segv, allocator_may_return_null: as above.
DYNACC_ASKED_BY_RUNTIME __tsan_default_options() {
  return "halt_on_error=1:second_deadlock_stack=1:history_size=4:"
         "die_after_fork=0:report_thread_leaks=0:handle_segv=0:allocator_may_return_null=1";
}

// The compiler plug-in is LLVM: ThreadSanitizer sees what it copies and allocates, but not how its
// threads wait for each other. The same is true of the OpenBLAS that comes with NumPy's wheels,
// whose threads write to arrays that NumPy frees afterwards, and of the graph in which Abseil looks
// for deadlocks, whose lock is a spinlock of the library's own. gRPC's poller hands its descriptor
// to its thread by a queue of gRPC's own; what gRPC locks else is looked at, as it orders our
// calls. The C library frees the thread-local memory of a thread that has ended, of which it knows
// by a lock of its own.
DYNACC_ASKED_BY_RUNTIME __tsan_default_suppressions() {
  return "called_from_lib:libdynacc_cpu_compiler.so\n"
         "called_from_lib:libscipy_openblas\n"
         "called_from_lib:libabsl_graphcycles_internal\n"
         "race:grpc_event_engine::posix_engine::Epoll1Poller\n"
         "race:_dl_deallocate_tls\n";
}
