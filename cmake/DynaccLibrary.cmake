# One library a folder, with explicit link edges.
#
#   dynacc_library(codegen_ir DEPS runtime_ops runtime_scalar)
#
# makes the object-carrying static library dynacc_codegen_ir from every .cc file of the current folder
# (not of its subfolders). DEPS are other folders' libraries without the prefix, or targets of
# packages. Includes are written from the project root.
function(dynacc_library name)
  cmake_parse_arguments(ARG "" "" "DEPS;SOURCES" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  endif()
  set(target dynacc_${name})
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Werror=return-type)
    if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/(frontend|embed)/")
      dynacc_use_precompiled(${target} frontend)
    elseif(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/(runtime|codegen|serve)/")
      dynacc_use_precompiled(${target} runtime)
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR})
  dynacc_link(${target} ${scope} ${ARG_DEPS})
endfunction()

# Links folders' libraries (by short name) or packages' targets to `target`.
function(dynacc_link target scope)
  foreach(dep IN LISTS ARGN)
    if(dep MATCHES "::|^-|/|^dynacc_")
      dynacc_abseil_choice(${dep} dep)
      target_link_libraries(${target} ${scope} ${dep})
    else()
      target_link_libraries(${target} ${scope} dynacc_${dep})
    endif()
  endforeach()
endfunction()

# A GoogleTest program from SOURCES (default: <name>.cc), registered with CTest test by test.
function(dynacc_test name)
  cmake_parse_arguments(ARG "" "" "DEPS;SOURCES" ${ARGN})
  if(NOT ARG_SOURCES)
    set(ARG_SOURCES ${name}.cc)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  if(NOT "${ARG_DEPS}" MATCHES "[Pp]ython|frontend|embed|guard")
    dynacc_use_precompiled(${name} tests)
  endif()
  dynacc_link(${name} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  dynacc_sanitizer_options(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_compile_definitions(${name} PRIVATE DYNACC_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()

# Compiles PREFIX_base.cc for every machine, PREFIX_v3.cc and PREFIX_v4.cc for the levels x86-64-v3 and v4
# (runtime/platform/cpu_level.h chooses among them), all optimised and with products and sums rounded
# apart: the bits must be those of the base. Functions begin with a cache line: loops of products took
# a sixth longer where what else was linked had moved them by 16 bytes.
function(dynacc_compile_for_levels prefix)
  set(options -O3 -ffp-contract=off -Wno-psabi -falign-functions=64)
  set_source_files_properties(${prefix}_base.cc ${prefix}_v3.cc ${prefix}_v4.cc PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON)
  set_source_files_properties(${prefix}_base.cc PROPERTIES COMPILE_OPTIONS "${options}")
  foreach(level v3 v4)
    set(level_options "")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      set(level_options -march=x86-64-${level})
    endif()
    set_source_files_properties(${prefix}_${level}.cc PROPERTIES
      COMPILE_OPTIONS "${options};${level_options}")
  endforeach()
endfunction()

# The library exports what exports.map beside its CMakeLists.txt names, and nothing else: not even the C++ library's
# templates, which -fvisibility=hidden leaves.
function(dynacc_exports target)
  set(map ${CMAKE_CURRENT_SOURCE_DIR}/exports.map)
  target_link_options(${target} PRIVATE -Wl,--version-script=${map})
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${map})
endfunction()
