# Chooses the CPython to build for, and refuses with a sentence one that DynaCC does not know.
#
# DYNACC_PYTHON names it. The default is pip's own in `pip install`, and otherwise /usr/bin/python3 or, where that is of
# another version, the newest /usr/bin/python3.X of frontend/cpython/versions.def. Never another python3 on PATH.
#
# Sets DYNACC_PYTHON_VERSION (3.11), DYNACC_PYTHON_SUFFIX (of an extension module), DYNACC_LIBPYTHON_STATIC and
# DYNACC_LIBPYTHON_SHARED (its libraries, which only some targets need; "" where there is none).
set(versions_file ${PROJECT_SOURCE_DIR}/frontend/cpython/versions.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${versions_file})
file(STRINGS ${versions_file} DYNACC_PYTHON_VERSIONS REGEX "^DYNACC_CPYTHON")
list(TRANSFORM DYNACC_PYTHON_VERSIONS REPLACE "^DYNACC_CPYTHON\\(([0-9]+), ([0-9]+)\\).*" "\\1.\\2")
list(SORT DYNACC_PYTHON_VERSIONS COMPARE NATURAL ORDER DESCENDING)
list(JOIN DYNACC_PYTHON_VERSIONS ", " supported_versions)

set(default_python /usr/bin/python3)
if(SKBUILD)
  set(default_python ${PYTHON_EXECUTABLE})
else()
  file(REAL_PATH /usr/bin/python3 distributions_python)
  string(REGEX REPLACE "^.*/python" "" distributions_version "${distributions_python}")
  foreach(version IN LISTS distributions_version DYNACC_PYTHON_VERSIONS)
    if(version IN_LIST DYNACC_PYTHON_VERSIONS AND EXISTS /usr/bin/python${version})
      set(default_python /usr/bin/python${version})
      break()
    endif()
  endforeach()
endif()
set(DYNACC_PYTHON ${default_python} CACHE FILEPATH "The CPython to build for: ${supported_versions}")

execute_process(
  COMMAND ${DYNACC_PYTHON} -c
"import sys, sysconfig as s
v = s.get_config_var
kind = 'free-threaded' if v('Py_GIL_DISABLED') else 'debug' if v('Py_DEBUG') else 'plain'
print('%d.%d' % sys.version_info[:2], sys.implementation.name, kind, v('EXT_SUFFIX'), v('LIBPL'), v('LIBDIR'), sep=';', end='')"
  OUTPUT_VARIABLE facts RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "DYNACC_PYTHON=${DYNACC_PYTHON} does not run. DynaCC needs CPython ${supported_versions}; on "
                      "Debian, `./dev build` installs the distribution's.")
endif()
list(GET facts 0 DYNACC_PYTHON_VERSION)
list(GET facts 1 implementation)
list(GET facts 2 kind)
list(GET facts 3 DYNACC_PYTHON_SUFFIX)
list(GET facts 4 DYNACC_PYTHON_LIBPL)
list(GET facts 5 python_libraries)
if(NOT implementation STREQUAL "cpython" OR NOT DYNACC_PYTHON_VERSION IN_LIST DYNACC_PYTHON_VERSIONS)
  message(FATAL_ERROR "${DYNACC_PYTHON} is ${implementation} ${DYNACC_PYTHON_VERSION}. DynaCC knows the frames and "
                      "bytecode of CPython ${supported_versions}; -DDYNACC_PYTHON= names such a python3.")
endif()
if(NOT kind STREQUAL "plain")
  message(FATAL_ERROR "${DYNACC_PYTHON} is a ${kind} build of CPython. DynaCC supports builds with the GIL and without "
                      "Py_DEBUG, of CPython ${supported_versions}; -DDYNACC_PYTHON= names such a python3.")
endif()
string(REPLACE "." "" DYNACC_PYTHON_DIGITS ${DYNACC_PYTHON_VERSION}) # as in cpython-311
find_library(DYNACC_LIBPYTHON_STATIC libpython${DYNACC_PYTHON_VERSION}.a
             PATHS ${DYNACC_PYTHON_LIBPL} ${python_libraries} NO_DEFAULT_PATH)
find_library(DYNACC_LIBPYTHON_SHARED libpython${DYNACC_PYTHON_VERSION}.so
             PATHS ${DYNACC_PYTHON_LIBPL} ${python_libraries} NO_DEFAULT_PATH)
