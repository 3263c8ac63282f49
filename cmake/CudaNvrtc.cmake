# Finds NVRTC's header, in a CUDA toolkit or in NVIDIA's Python packages (nvidia-cuda-nvrtc).
#
# Sets DYNACC_NVRTC_INCLUDE ("" or NOTFOUND without it: then the CUDA target is left out) and
# DYNACC_NVRTC_LIBRARY, a path that is tried at run time when the loader does not find libnvrtc by
# its name. Nothing is linked: the library is opened at run time.
option(DYNACC_CUDA "Build the CUDA target where nvrtc.h is found" ON)
if(NOT DYNACC_CUDA OR CMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit)
  message(STATUS "CUDA is switched off: no CUDA target")
  set(DYNACC_NVRTC_INCLUDE "")
  return()
endif()
find_package(CUDAToolkit QUIET)
file(GLOB nvidia_packages ${Python3_SITELIB}/nvidia/cuda_nvrtc ${Python3_SITELIB}/nvidia/cu1*)
find_path(DYNACC_NVRTC_INCLUDE nvrtc.h
  HINTS ${CUDAToolkit_INCLUDE_DIRS} ENV CUDA_PATH ENV CUDA_HOME ${nvidia_packages}
  PATHS /usr/local/cuda
  PATH_SUFFIXES include)
find_file(DYNACC_NVRTC_LIBRARY NAMES libnvrtc.so libnvrtc.so.13 libnvrtc.so.12
  HINTS ${CUDAToolkit_LIBRARY_DIR} ENV CUDA_PATH ENV CUDA_HOME ${nvidia_packages}
  PATHS /usr/local/cuda
  PATH_SUFFIXES lib64 lib)
if(NOT DYNACC_NVRTC_LIBRARY)
  set(DYNACC_NVRTC_LIBRARY "")
endif()
if(DYNACC_NVRTC_INCLUDE)
  message(STATUS "NVRTC header in ${DYNACC_NVRTC_INCLUDE}")
else()
  message(STATUS "nvrtc.h not found: no CUDA target")
endif()
