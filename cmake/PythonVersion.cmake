# Refuses another CPython than 3.11 with a sentence, and finds the static library of the one that fits.
execute_process(
  COMMAND ${DYNACC_PYTHON} -c
          "import sys, sysconfig as s; print('%d.%d' % sys.version_info[:2], s.get_config_var('LIBPL'), sep=';', end='')"
  OUTPUT_VARIABLE DYNACC_PYTHON_FACTS RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "DYNACC_PYTHON=${DYNACC_PYTHON} does not run. DynaCC needs CPython 3.11 "
                      "(Debian 12: apt-get install python3.11-dev).")
endif()
list(GET DYNACC_PYTHON_FACTS 0 DYNACC_PYTHON_VERSION)
list(GET DYNACC_PYTHON_FACTS 1 DYNACC_PYTHON_LIBPL)
if(NOT DYNACC_PYTHON_VERSION STREQUAL "3.11")
  message(FATAL_ERROR "${DYNACC_PYTHON} is CPython ${DYNACC_PYTHON_VERSION}. DynaCC knows the frames "
                      "and bytecode of CPython 3.11 only; set -DDYNACC_PYTHON to a python3.11.")
endif()
find_file(DYNACC_LIBPYTHON_STATIC libpython3.11.a PATHS ${DYNACC_PYTHON_LIBPL} NO_DEFAULT_PATH
          REQUIRED)
