# `./dev package`: a .deb with the launcher, the libraries, headers, CMake package, pkg-config file and Python package
# that Install.cmake installs, which `cmake --build build/release --target package` makes alone; and one of the server.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dynacc)
set(CPACK_PACKAGE_CONTACT "DynaCC developers <dynacc@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
  "The launcher dynacc-python, the Python package dynacc, and libdynacc_embed with its headers.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
# The component `wheel` is the same files in another place.
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};${PROJECT_NAME};Unspecified;/")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION python)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
# What is linked is found by dpkg-shlibdeps; the launcher starts the python3 that it is built for.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python${DYNACC_PYTHON_VERSION}")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-numpy, libdnnl2")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libabsl-dev, pkg-config")
include(CPack)

# The server needs nothing of that package, but for models in Python. It has a libdynacc_program of its own, where no
# other package has a file.
if(TARGET dynacc-serve)
  file(WRITE ${CMAKE_BINARY_DIR}/CPackServeConfig.cmake "include(${CMAKE_BINARY_DIR}/CPackConfig.cmake)
set(CPACK_PACKAGE_NAME dynacc-serve)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY \"A server of programs over HTTP and gRPC\")
set(CPACK_PACKAGE_DESCRIPTION \"dynacc-serve speaks the Open Inference Protocol. Programs run without Python; models \
in Python need the package dynacc.\")
set(CPACK_INSTALL_CMAKE_PROJECTS \"${CMAKE_BINARY_DIR};${PROJECT_NAME};serve;/\")
set(CPACK_DEBIAN_PACKAGE_SECTION httpd)
set(CPACK_DEBIAN_PACKAGE_DEPENDS \"\")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS \"\")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS \"dynacc (= ${PROJECT_VERSION})\")
")
endif()
