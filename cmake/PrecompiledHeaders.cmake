# Headers that are parsed once: half of what a compiler does for most sources is to read the same hundred thousand lines.
#
#   dynacc_use_precompiled(target LAYER)   runtime, frontend or tests, whose precompiled.h it is
#
# A source with compile options of its own has SKIP_PRECOMPILE_HEADERS. Presets with sanitizers do without, and so show
# what a source forgot to include.
set(precompiled_default ON)
if(DYNACC_SANITIZED)
  set(precompiled_default OFF)
endif()
option(DYNACC_PRECOMPILED_HEADERS "Parse common headers once" ${precompiled_default})
set(DYNACC_PRECOMPILED_FOLDER ${CMAKE_CURRENT_LIST_DIR}/precompiled)  # the sources of the headers' own targets

# Boost's targets define these; a precompiled header fits only sources that agree with it on every definition.
add_compile_definitions(BOOST_ALL_NO_LIB BOOST_CONTAINER_DYN_LINK)

function(dynacc_use_precompiled target layer)
  if(NOT DYNACC_PRECOMPILED_HEADERS)
    return()
  endif()
  set(owner dynacc_precompiled_${layer})
  if(NOT TARGET ${owner})
    if(layer STREQUAL "tests")  # position independent as an executable is
      add_executable(${owner} ${DYNACC_PRECOMPILED_FOLDER}/main.cc)
      target_link_libraries(${owner} PRIVATE GTest::gmock)
    else()
      add_library(${owner} STATIC ${DYNACC_PRECOMPILED_FOLDER}/none.cc)
    endif()
    if(layer STREQUAL "frontend")
      target_link_libraries(${owner} PRIVATE dynacc_python_headers)
    endif()
    set_target_properties(${owner} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cmake)
    target_include_directories(${owner} PRIVATE ${PROJECT_SOURCE_DIR})
    target_precompile_headers(${owner} PRIVATE ${PROJECT_SOURCE_DIR}/${layer}/precompiled.h)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()
