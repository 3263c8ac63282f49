# Where NVRTC is at build time, in a CUDA toolkit or in NVIDIA's Python packages (nvidia-cuda-nvrtc).
#
# Sets DYNACC_NVRTC_LIBRARY, a path that is tried at run time when the loader does not find libnvrtc by
# its name, and DYNACC_CUDA_INCLUDE, where cuda.h is, for a test that compares our declarations with
# it; "" where there is none. Nothing is linked and no header is needed: libraries are opened at run
# time by our own declarations.
option(DYNACC_CUDA "Build the CUDA target" ON)
set(nvidia_packages)
if(NOT CMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit)
  find_package(CUDAToolkit QUIET)
endif()
file(GLOB nvidia_packages ${Python3_SITELIB}/nvidia/cuda_nvrtc ${Python3_SITELIB}/nvidia/cu1*)
find_file(DYNACC_NVRTC_LIBRARY NAMES libnvrtc.so libnvrtc.so.13 libnvrtc.so.12
  HINTS ${CUDAToolkit_LIBRARY_DIR} ENV CUDA_PATH ENV CUDA_HOME ${nvidia_packages}
  PATHS /usr/local/cuda
  PATH_SUFFIXES lib64 lib)
find_path(DYNACC_CUDA_INCLUDE cuda.h
  HINTS ${CUDAToolkit_INCLUDE_DIRS} ENV CUDA_PATH ENV CUDA_HOME ${nvidia_packages}
  PATHS /usr/local/cuda
  PATH_SUFFIXES include)
if(DYNACC_NVRTC_LIBRARY)
  message(STATUS "NVRTC at build time: ${DYNACC_NVRTC_LIBRARY}")
else()
  message(STATUS "NVRTC is not here: CUDA kernels are compiled where it is at run time")
  set(DYNACC_NVRTC_LIBRARY "")
endif()
