# `cmake --install build/release --prefix P`: the launcher, libdynacc_embed with its headers, CMake
# package and pkg-config file, and the dynacc package for a stock python3.11 (in P/lib/python3.11/dist-packages).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dynacc)
install(TARGETS dynacc-python RUNTIME)
if(TARGET dynacc_start)
  install(TARGETS dynacc_start LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY embed/python/dynacc DESTINATION lib/python3.11/dist-packages
        FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
install(TARGETS dynacc_extension LIBRARY DESTINATION lib/python3.11/dist-packages)

if(NOT TARGET dynacc_embed)
  return()
endif()
install(TARGETS dynacc_embed EXPORT dynaccTargets LIBRARY)
install(EXPORT dynaccTargets NAMESPACE dynacc:: DESTINATION ${package_dir})
install(DIRECTORY embed/include/dynacc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY codegen/extensions/dynacc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Relocatable as CMake's own packages are: the prefix is that of the installation.
install(CODE "
  set(CMAKE_INSTALL_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")
  set(CMAKE_INSTALL_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
  set(PROJECT_VERSION \"${PROJECT_VERSION}\")
  set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
  configure_file(\"${PROJECT_SOURCE_DIR}/cmake/dynacc.pc.in\" \"${CMAKE_BINARY_DIR}/dynacc.pc\" @ONLY)")
install(FILES ${CMAKE_BINARY_DIR}/dynacc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_package_config_file(cmake/dynaccConfig.cmake.in ${CMAKE_BINARY_DIR}/dynaccConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/dynaccConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/dynaccConfig.cmake ${CMAKE_BINARY_DIR}/dynaccConfigVersion.cmake
        DESTINATION ${package_dir})
