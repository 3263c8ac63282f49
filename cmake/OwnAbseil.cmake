# Abseil inside one of our libraries instead of beside it: some thirty shared libraries of Abseil's take
# the loader 2 ms, which a program of 80 ms feels that gains nothing from us.
#
#   dynacc_own_abseil(target)
#
# links `target`, a module that exports nothing of Abseil's, with twins of the packages' targets that
# stand for their archives. Debian builds these as for programs, not as position independent code, which
# is enough for a library as far as they refer to nothing but what is in it. Hence
# - a version script hides all that `target` does not export itself, and libstdc++ is linked in, too, but
#   not libgcc: a thread that ends by pthread_exit is unwound by libgcc_s, through our frames as well,
#   and a second unwinder's functions abort at the first one's data;
# - two libraries with variables of a thread stay shared (and need three more small ones);
# - of a third one there are such variables only in sysinfo.cc, which `target` brings itself
#   (embed/python/abseil_system.cc), so that the archive's is not used;
# - absl/strings/str_format.h must not be used (it refers to the C library's stderr): tests/layering.
#
# Only for the Abseil that this was tried with; with another one, and with sanitizers, nothing changes.
set(DYNACC_ABSEIL_OF_ARCHIVES 20220623)
set(DYNACC_ABSEIL_SHARED cordz_functions raw_hash_set)

set(default_own OFF)
if(absl_VERSION EQUAL DYNACC_ABSEIL_OF_ARCHIVES AND NOT DYNACC_SANITIZED
   AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(default_own ON)
endif()
option(DYNACC_OWN_ABSEIL "Link Abseil's archives into the extension module" ${default_own})

# Makes the twin of `target` (absl::x or Boost::x) and of all that it needs; its name is in `out`.
function(dynacc_abseil_twin target out)
  string(REPLACE "::" "_" name ${target})
  set(twin dynacc_own_${name})
  set(${out} ${twin} PARENT_SCOPE)
  if(TARGET ${twin})
    return()
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(needs ${target} INTERFACE_LINK_LIBRARIES)
  get_target_property(includes ${target} INTERFACE_INCLUDE_DIRECTORIES)
  set(archive "")
  if(NOT type STREQUAL INTERFACE_LIBRARY)
    dynacc_archive_of(${target} archive)
  endif()
  if(archive)
    add_library(${twin} STATIC IMPORTED GLOBAL)
    set_target_properties(${twin} PROPERTIES IMPORTED_LOCATION ${archive})
  else()
    add_library(${twin} INTERFACE IMPORTED GLOBAL)
    if(NOT type STREQUAL INTERFACE_LIBRARY)
      # Its own needs are the loader's affair.
      target_link_libraries(${twin} INTERFACE $<TARGET_FILE:${target}>)
      set(needs "")
    endif()
  endif()
  if(includes)
    target_include_directories(${twin} SYSTEM INTERFACE ${includes})
  endif()
  foreach(need IN LISTS needs)
    if(need MATCHES "^(absl|Boost)::[a-z_0-9]+$")
      dynacc_abseil_twin(${need} need)
    endif()
    if(need)
      target_link_libraries(${twin} INTERFACE ${need})
    endif()
  endforeach()
endfunction()

# The archive beside a shared library; "" if it has to stay shared.
function(dynacc_archive_of target out)
  set(${out} "" PARENT_SCOPE)
  string(REGEX REPLACE "^.*::" "" name ${target})
  if(name IN_LIST DYNACC_ABSEIL_SHARED)
    return()
  endif()
  get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
  list(GET configurations 0 configuration)
  get_target_property(library ${target} IMPORTED_LOCATION_${configuration})
  string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive ${library})
  if(EXISTS ${archive})
    set(${out} ${archive} PARENT_SCOPE)
  endif()
endfunction()

# What dynacc_link links for `target`: the twin in what dynacc_own_abseil named.
function(dynacc_abseil_choice target out)
  set(${out} ${target} PARENT_SCOPE)
  if(DYNACC_OWN_ABSEIL AND target MATCHES "^(absl|Boost)::")
    dynacc_abseil_twin(${target} twin)
    set(${out} "$<IF:$<BOOL:$<TARGET_PROPERTY:DYNACC_HAS_ABSEIL>>,${twin},${target}>" PARENT_SCOPE)
  endif()
endfunction()

function(dynacc_own_abseil target)
  if(NOT DYNACC_OWN_ABSEIL)
    return()
  endif()
  set_target_properties(${target} PROPERTIES DYNACC_HAS_ABSEIL ON)
  target_link_options(${target} PRIVATE -static-libstdc++ -Wl,--gc-sections -Wl,--as-needed)
  target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/embed/python/abseil_system.cc)
endfunction()
