# oneDNN's headers, if they are there: DYNACC_ONEDNN_INCLUDE. The library itself is opened at run time.
# Only the interface of version 2 is known (Debian 12 has 2.6); -DDYNACC_ONEDNN=OFF builds without it.
option(DYNACC_ONEDNN "Matrix products by oneDNN where NumPy's bits are not asked for" ON)
set(DYNACC_ONEDNN_INCLUDE "")
if(DYNACC_ONEDNN)
  find_path(DYNACC_ONEDNN_HEADERS oneapi/dnnl/dnnl.h)
  if(DYNACC_ONEDNN_HEADERS)
    file(STRINGS ${DYNACC_ONEDNN_HEADERS}/oneapi/dnnl/dnnl_version.h version
      REGEX "#define DNNL_VERSION_MAJOR 2")
    if(version)
      set(DYNACC_ONEDNN_INCLUDE ${DYNACC_ONEDNN_HEADERS})
    endif()
  endif()
  if(DYNACC_ONEDNN_INCLUDE)
    message(STATUS "oneDNN's headers: ${DYNACC_ONEDNN_INCLUDE}")
  else()
    message(STATUS "oneDNN: no headers of version 2; products are NumPy's or our own")
  endif()
endif()
