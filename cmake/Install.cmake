# `cmake --install build/release --prefix P`: the launcher, libdynacc_embed and libdynacc_program with their
# headers, CMake package and pkg-config files, and the dynacc package for a stock python3 (in P/lib/python3.X/dist-packages).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dynacc)
install(TARGETS dynacc-python RUNTIME)
if(TARGET dynacc_start)
  install(TARGETS dynacc_start LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY embed/python/dynacc DESTINATION lib/python${DYNACC_PYTHON_VERSION}/dist-packages
        FILES_MATCHING REGEX "[.](pyi?|html|css|js)$" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
install(TARGETS dynacc_extension LIBRARY DESTINATION lib/python${DYNACC_PYTHON_VERSION}/dist-packages)

# The bill of materials (tools/sbom.py), of the files as they are installed. It asks Ninja what they were
# built from and dpkg whose that is. `cmake --build build/release --target sbom` writes that of the build.
find_program(DYNACC_DPKG_QUERY dpkg-query)
if(DYNACC_DPKG_QUERY AND CMAKE_GENERATOR STREQUAL "Ninja")
  set(sbom_file ${CMAKE_BINARY_DIR}/dynacc.spdx.json)
  add_custom_target(sbom
    COMMAND ${DYNACC_PYTHON} ${PROJECT_SOURCE_DIR}/tools/sbom.py ${CMAKE_BINARY_DIR} --output ${sbom_file}
    DEPENDS dynacc_extension dynacc-python COMMENT "Writing ${sbom_file}" VERBATIM)
  if(TARGET dynacc_embed)
    add_dependencies(sbom dynacc_embed)
  endif()
  # To be called last, when all files are installed.
  function(dynacc_install_sbom)
    install(CODE "
      execute_process(COMMAND ${DYNACC_PYTHON} ${PROJECT_SOURCE_DIR}/tools/sbom.py ${CMAKE_BINARY_DIR}
          --installed \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX} --output ${CMAKE_BINARY_DIR}/installed/dynacc.spdx.json
        COMMAND_ERROR_IS_FATAL ANY)")
    install(FILES ${CMAKE_BINARY_DIR}/installed/dynacc.spdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR})
  endfunction()
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/installed)
endif()

if(NOT TARGET dynacc_embed)
  if(COMMAND dynacc_install_sbom)
    dynacc_install_sbom()
  endif()
  return()
endif()
install(TARGETS dynacc_embed dynacc_program EXPORT dynaccTargets LIBRARY)
install(TARGETS dynacc-program RUNTIME)
# The server brings gRPC and its like along, so it is apart from the rest, with a libdynacc_program of its own:
# `cmake --install build/release --component serve --prefix P`.
if(TARGET dynacc-serve)
  install(TARGETS dynacc-serve COMPONENT serve EXCLUDE_FROM_ALL RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS dynacc_serve_python COMPONENT serve EXCLUDE_FROM_ALL
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/dynacc-serve)
  install(TARGETS dynacc_program COMPONENT serve EXCLUDE_FROM_ALL
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/dynacc-serve NAMELINK_SKIP)
  install(FILES examples/serve/make_models.py examples/serve/gpt.py examples/serve/client.py COMPONENT serve
          EXCLUDE_FROM_ALL DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/dynacc-serve/examples)
endif()
install(EXPORT dynaccTargets NAMESPACE dynacc:: DESTINATION ${package_dir})
install(DIRECTORY embed/include/dynacc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY codegen/extensions/dynacc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Relocatable as CMake's own packages are: the prefix is that of the installation.
install(CODE "
  set(CMAKE_INSTALL_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")
  set(CMAKE_INSTALL_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
  set(PROJECT_VERSION \"${PROJECT_VERSION}\")
  set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
  configure_file(\"${PROJECT_SOURCE_DIR}/cmake/dynacc.pc.in\" \"${CMAKE_BINARY_DIR}/dynacc.pc\" @ONLY)
  configure_file(\"${PROJECT_SOURCE_DIR}/cmake/dynacc-program.pc.in\" \"${CMAKE_BINARY_DIR}/dynacc-program.pc\" @ONLY)")
install(FILES ${CMAKE_BINARY_DIR}/dynacc.pc ${CMAKE_BINARY_DIR}/dynacc-program.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_package_config_file(cmake/dynaccConfig.cmake.in ${CMAKE_BINARY_DIR}/dynaccConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/dynaccConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/dynaccConfig.cmake ${CMAKE_BINARY_DIR}/dynaccConfigVersion.cmake
        DESTINATION ${package_dir})
if(COMMAND dynacc_install_sbom)
  dynacc_install_sbom()
endif()
