# Every outside package, once. docs/dependencies.md says why each is here.
find_package(absl REQUIRED)
if(POLICY CMP0167) # Boost's own description of itself, not CMake's
  cmake_policy(SET CMP0167 NEW)
endif()
find_package(Boost 1.74 REQUIRED COMPONENTS container)
find_package(Threads REQUIRED)
# Headers alone.
find_package(nlohmann_json 3.11 REQUIRED)
find_path(DYNACC_XXHASH_INCLUDE xxhash.h REQUIRED)
# Without it programs are neither signed nor are signatures checked.
find_package(OpenSSL 3.0 QUIET COMPONENTS Crypto)
set(DYNACC_SIGNING ${OpenSSL_FOUND})
message(STATUS "Signatures of programs: ${DYNACC_SIGNING}")
if(DYNACC_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(DYNACC_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()

include(PythonVersion)
set(Python3_EXECUTABLE ${DYNACC_PYTHON})
find_package(Python3 ${DYNACC_PYTHON_VERSION} EXACT REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(
  COMMAND ${DYNACC_PYTHON} -c "import numpy as n; print(n.get_include(), n.__version__, sep=';', end='')"
  OUTPUT_VARIABLE DYNACC_NUMPY_FACTS COMMAND_ERROR_IS_FATAL ANY)
list(GET DYNACC_NUMPY_FACTS 0 DYNACC_NUMPY_INCLUDE)
list(GET DYNACC_NUMPY_FACTS 1 DYNACC_NUMPY_VERSION)
message(STATUS "CPython ${Python3_VERSION}, NumPy ${DYNACC_NUMPY_VERSION}'s headers ${DYNACC_NUMPY_INCLUDE}")

# Headers only: code that runs inside an interpreter must not link a second libpython.
add_library(dynacc_python_headers INTERFACE)
target_include_directories(dynacc_python_headers SYSTEM INTERFACE ${Python3_INCLUDE_DIRS})
add_library(dynacc_numpy_headers INTERFACE)
target_include_directories(dynacc_numpy_headers SYSTEM INTERFACE ${DYNACC_NUMPY_INCLUDE})
# For programs that bring an interpreter themselves: hosts, tests and benchmarks.
add_library(dynacc_libpython INTERFACE)
if(DYNACC_LIBPYTHON_SHARED)
  target_link_libraries(dynacc_libpython INTERFACE dynacc_python_headers ${DYNACC_LIBPYTHON_SHARED})
elseif(DYNACC_BUILD_TESTS OR DYNACC_BUILD_BENCH OR DYNACC_BUILD_HOST)
  message(FATAL_ERROR "${DYNACC_PYTHON} has no libpython${DYNACC_PYTHON_VERSION}.so. Without it, build with "
                      "-DDYNACC_BUILD_TESTS=OFF -DDYNACC_BUILD_BENCH=OFF -DDYNACC_BUILD_HOST=OFF.")
endif()
