# Presets with sanitizers: how their run-time libraries behave in our programs (sanitizer_options.cc),
# and which tests are left out.
set(default_sanitized OFF)
if("${CMAKE_CXX_FLAGS}" MATCHES "-fsanitize")
  set(default_sanitized ON)
endif()
option(DYNACC_SANITIZED "Programs are linked with a sanitizer's run-time library" ${default_sanitized})
if(DYNACC_SANITIZED)
  set(sanitizer_sources ${CMAKE_CURRENT_LIST_DIR}/sanitizer_options.cc
    ${CMAKE_CURRENT_LIST_DIR}/sanitizer_mutex.cc ${CMAKE_CURRENT_LIST_DIR}/sanitizer_malloc.cc)
  add_library(dynacc_sanitizer_options OBJECT ${sanitizer_sources})
  target_link_libraries(dynacc_sanitizer_options PRIVATE absl::synchronization ${CMAKE_DL_LIBS})
endif()

# With AddressSanitizer compiled kernels and loops are checked, too: the plug-in has LLVM's own pass do
# it (object_emitter.cc), and the loader lets them call what that pass calls (object_loader.cc).
set(DYNACC_CHECKED_KERNELS OFF)
if(DYNACC_SANITIZED AND "${CMAKE_CXX_FLAGS}" MATCHES "-fsanitize=[a-z,-]*address")
  set(DYNACC_CHECKED_KERNELS ON)
endif()

if("${CMAKE_CXX_FLAGS}" MATCHES "-fsanitize=thread")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-include>
                      $<$<COMPILE_LANGUAGE:CXX>:${CMAKE_CURRENT_LIST_DIR}/tsan_annotations.h>)
  if(EXISTS ${Python3_INCLUDE_DIRS}/dynamic_annotations.h)
    add_compile_definitions(DYNACC_PYTHON_ANNOTATIONS="${Python3_INCLUDE_DIRS}/dynamic_annotations.h")
  endif()
  # The same for a stock python3, which it is loaded into before everything else.
  add_library(dynacc_sanitizer_preload SHARED ${sanitizer_sources})
  target_link_libraries(dynacc_sanitizer_preload PRIVATE absl::synchronization ${CMAKE_DL_LIBS})
endif()

# How many times as long tests may take, and what their scripts start (tests/patient.py).
set(DYNACC_SLOWNESS 1)
set(DYNACC_TEST_PYTHON ${DYNACC_PYTHON})
if(DYNACC_SANITIZED)
  set(DYNACC_SLOWNESS 6)
  list(APPEND DYNACC_TEST_PYTHON ${PROJECT_SOURCE_DIR}/tests/patient.py ${DYNACC_SLOWNESS})
endif()

# A time limit for tests, in seconds of a release build.
function(dynacc_time_limit seconds)
  math(EXPR scaled "${seconds} * ${DYNACC_SLOWNESS}")
  set_tests_properties(${ARGN} PROPERTIES TIMEOUT ${scaled})
endfunction()

# For a program: a library that it loads would be asked too late.
function(dynacc_sanitizer_options target)
  if(DYNACC_SANITIZED)
    target_link_libraries(${target} PRIVATE dynacc_sanitizer_options)
  endif()
endfunction()

# These tests install, build what is not instrumented against what is, or measure memory, of which
# AddressSanitizer keeps what is freed for a while.
function(dynacc_not_sanitized)
  if(DYNACC_SANITIZED)
    set_tests_properties(${ARGN} PROPERTIES DISABLED ON)
  endif()
endfunction()

# These tests load our library into a stock python3, which must have the sanitizer's before it. Their
# commands begin with python3, or with an env that becomes it: `cmake -E env` would run with the
# sanitizer, too, and under ThreadSanitizer never hears that its child has ended.
function(dynacc_in_stock_python)
  if(NOT DYNACC_SANITIZED)
    return()
  endif()
  set(library libasan.so)
  set(before "")
  if(TARGET dynacc_sanitizer_preload)
    set(library libtsan.so)
    set(before "$<TARGET_FILE:dynacc_sanitizer_preload>:")
  endif()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${library}
    OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT
    "LD_PRELOAD=${before}${path}" "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:handle_segv=0")
endfunction()

# These are not looked through for leaks; every other check stays on.
function(dynacc_without_leak_check)
  if(DYNACC_SANITIZED)
    set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")
  endif()
endfunction()
