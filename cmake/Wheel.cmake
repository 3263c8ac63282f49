# What a wheel holds, as the install component `wheel` (pyproject.toml asks for it):
#
#   _dynacc.cpython-3XX-x86_64-linux-gnu.so   the extension module
#   dynacc/                                   the Python package with its type stubs, and beside them
#     libdynacc_cpu_compiler.so                 the compiler plug-in (plugin_loader.h looks there)
#     libdynacc_start.so                        what the launcher loads (launcher.cc looks there)
#   dynacc-python                             the launcher, in the scripts folder
#
# The component `wheel_libraries` adds oneDNN beside them (onednn/library.cc looks there), for a wheel that goes to other
# machines: `./dev wheel` (tools/wheel.py).
#
# Without scikit-build-core, `cmake --install build/release --component wheel --prefix SITE` puts the
# same into SITE, the launcher into SITE/bin.
set(DYNACC_SCRIPTS_DIR bin)
if(SKBUILD)
  set(DYNACC_SCRIPTS_DIR ${SKBUILD_SCRIPTS_DIR})
endif()
set(wheel COMPONENT wheel EXCLUDE_FROM_ALL)
install(TARGETS dynacc_extension LIBRARY DESTINATION . ${wheel})
install(DIRECTORY embed/python/dynacc DESTINATION . ${wheel}
        FILES_MATCHING REGEX "[.](pyi?|html|css|js)$" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
install(TARGETS dynacc-python RUNTIME DESTINATION ${DYNACC_SCRIPTS_DIR} ${wheel})
foreach(target IN ITEMS dynacc_start dynacc_cpu_compiler)
  if(TARGET ${target})
    install(TARGETS ${target} LIBRARY DESTINATION dynacc ${wheel})
  endif()
endforeach()
if(DYNACC_ONEDNN_LIBRARY)
  file(REAL_PATH ${DYNACC_ONEDNN_LIBRARY} onednn_file)
  install(FILES ${onednn_file} DESTINATION dynacc RENAME ${DYNACC_ONEDNN_NAME}
          COMPONENT wheel_libraries EXCLUDE_FROM_ALL)
endif()
