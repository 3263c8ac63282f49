# Every outside package, once. docs/dependencies.md says why each is here.
find_package(absl REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS container)
find_package(Threads REQUIRED)
# Headers alone.
find_package(nlohmann_json 3.11 REQUIRED)
find_path(DYNACC_XXHASH_INCLUDE xxhash.h REQUIRED)
if(DYNACC_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(DYNACC_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()

# The CPython that is targeted first: Debian's, never another python3 that is on PATH.
set(DYNACC_PYTHON /usr/bin/python3.11 CACHE FILEPATH "The CPython 3.11 to build for")
include(PythonVersion)
set(Python3_EXECUTABLE ${DYNACC_PYTHON})
find_package(Python3 3.11 EXACT REQUIRED COMPONENTS Interpreter Development.Module)
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
