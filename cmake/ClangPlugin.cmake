# Finds LLVM and Clang 19 as static libraries, for the compiler plug-in, by way of llvm-config.
#
# Sets DYNACC_LLVM_VERSION ("" if there is none: then the plug-in is left out), and the interface
# target dynacc_static_clang. find_package(Clang) is not used: its static targets pull in the
# shared libLLVM as well, and two LLVMs in one process abort.
find_program(DYNACC_LLVM_CONFIG NAMES llvm-config-19 DOC "llvm-config of LLVM 19")
set(DYNACC_LLVM_VERSION "")
if(NOT DYNACC_LLVM_CONFIG)
  message(STATUS "LLVM 19 not found (llvm-config-19): no CPU compiler plug-in")
  return()
endif()

function(dynacc_llvm_config out)
  execute_process(COMMAND ${DYNACC_LLVM_CONFIG} --link-static ${ARGN}
    OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(text UNIX_COMMAND "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

dynacc_llvm_config(DYNACC_LLVM_VERSION --version)
dynacc_llvm_config(llvm_include --includedir)
dynacc_llvm_config(llvm_lib --libdir)
dynacc_llvm_config(llvm_system --system-libs)
dynacc_llvm_config(llvm_libraries --libs x86codegen x86asmparser x86desc x86info orcjit passes
  irreader asmparser lto coverage frontenddriver frontendopenmp frontendhlsl hipstdpar
  windowsdriver profiledata)
# Named by llvm-config, but in no Debian package; polly_stub.cc stands in.
list(REMOVE_ITEM llvm_libraries -lPolly -lPollyISL)

set(clang_libraries)
foreach(part IN ITEMS CodeGen Frontend Serialization Parse Sema Analysis AST Edit Lex Basic Driver
        Support ASTMatchers APINotes)
  find_library(DYNACC_CLANG_${part} libclang${part}.a PATHS ${llvm_lib} NO_DEFAULT_PATH)
  if(NOT DYNACC_CLANG_${part})
    message(STATUS "libclang${part}.a not found (libclang-19-dev): no CPU compiler plug-in")
    set(DYNACC_LLVM_VERSION "")
    return()
  endif()
  list(APPEND clang_libraries ${DYNACC_CLANG_${part}})
endforeach()

find_program(DYNACC_LLD NAMES ld.lld-19 ld.lld)
add_library(dynacc_static_clang INTERFACE)
target_include_directories(dynacc_static_clang SYSTEM INTERFACE ${llvm_include})
target_link_directories(dynacc_static_clang INTERFACE ${llvm_lib})
target_link_libraries(dynacc_static_clang INTERFACE
  -Wl,--start-group ${clang_libraries} -Wl,--end-group ${llvm_libraries} ${llvm_system})
# Hidden symbols, nothing unused, and no reference left open until dlopen.
target_link_options(dynacc_static_clang INTERFACE
  -s -Wl,-z,defs -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,--as-needed)
if(DYNACC_LLD)
  # The compiler looks for it under this name only, which Debian 13's lld-19 does not have.
  file(CREATE_LINK ${DYNACC_LLD} ${CMAKE_CURRENT_BINARY_DIR}/ld.lld SYMBOLIC)
  target_link_options(dynacc_static_clang INTERFACE -B${CMAKE_CURRENT_BINARY_DIR})
  target_link_options(dynacc_static_clang INTERFACE -fuse-ld=lld -Wl,--icf=all)
endif()
message(STATUS "LLVM ${DYNACC_LLVM_VERSION}, static, for the CPU compiler plug-in")
