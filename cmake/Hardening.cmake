# What compilers and linkers do against memory errors, for every target of the project:
#
#   canaries                -fstack-protector-strong
#   checked C functions     -D_FORTIFY_SOURCE=2, in builds that optimise
#   read-only relocations   -z relro -z now: nothing that a call goes through can be written later
#   no executable stack     -z noexecstack
#   programs at any address -fPIE (CMAKE_POSITION_INDEPENDENT_CODE) and -pie
#
# tests/security/hardening_test.py reads the finished files and compares them with the table in docs/security.md.
# DYNACC_HARDENING=OFF builds without, to measure what they cost. Presets with sanitizers have none of
# the compiler's: a sanitizer looks at more, and the checked functions hide calls from it.
include(CheckPIESupported)
check_pie_supported(LANGUAGES C CXX)

option(DYNACC_HARDENING "Build with canaries, checked functions and read-only relocations" ON)
if(NOT DYNACC_HARDENING)
  return()
endif()

add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
if("${CMAKE_CXX_FLAGS}" MATCHES "-fsanitize")
  return()
endif()
add_compile_options(-fstack-protector-strong)
# The C library refuses it where nothing is optimised.
add_compile_options("$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
