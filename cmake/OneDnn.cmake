# oneDNN's headers, if they are there: DYNACC_ONEDNN_INCLUDE. The library itself is opened at run time, by the name
# DYNACC_ONEDNN_NAME; where it is at build time, DYNACC_ONEDNN_LIBRARY, is for wheels.
# The interfaces of versions 2 and 3 are known (Debian 12 has 2.6, Debian 13 has 3.7); -DDYNACC_ONEDNN=OFF builds without it.
option(DYNACC_ONEDNN "Matrix products by oneDNN where NumPy's bits are not asked for" ON)
set(DYNACC_ONEDNN_INCLUDE "")
if(DYNACC_ONEDNN)
  find_path(DYNACC_ONEDNN_HEADERS oneapi/dnnl/dnnl.h)
  if(DYNACC_ONEDNN_HEADERS)
    file(STRINGS ${DYNACC_ONEDNN_HEADERS}/oneapi/dnnl/dnnl_version.h version
      REGEX "#define DNNL_VERSION_MAJOR [23]$")
    if(version)
      set(DYNACC_ONEDNN_INCLUDE ${DYNACC_ONEDNN_HEADERS})
      string(REGEX REPLACE ".* " "libdnnl.so." name "${version}")
      set(DYNACC_ONEDNN_NAME ${name} CACHE INTERNAL "oneDNN as the loader knows it")
      find_library(DYNACC_ONEDNN_LIBRARY NAMES ${name} dnnl)
    endif()
  endif()
  if(DYNACC_ONEDNN_INCLUDE)
    message(STATUS "oneDNN's headers: ${DYNACC_ONEDNN_INCLUDE}")
  else()
    message(STATUS "oneDNN: no headers of version 2 or 3; products are NumPy's or our own")
  endif()
endif()
