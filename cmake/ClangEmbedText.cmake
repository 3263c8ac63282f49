# dynacc_embed_text(<target> <namespace>::<name> FILES <file>...)
#
# Adds to <target> the joined text of the files as `extern const char <namespace>::<name>[]`, made at
# build time, so that what ships in the binary is an ordinary source file in the tree.
set(DYNACC_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/ClangEmbedScript.cmake)

function(dynacc_embed_text target symbol)
  cmake_parse_arguments(ARG "" "" "FILES" ${ARGN})
  string(REGEX MATCH "^(.*)::([^:]+)$" matched ${symbol})
  set(namespace ${CMAKE_MATCH_1})
  set(name ${CMAKE_MATCH_2})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  list(TRANSFORM ARG_FILES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DNAMESPACE=${namespace} -DNAME=${name} "-DFILES=${ARG_FILES}" -DOUTPUT=${output}
            -P ${DYNACC_EMBED_SCRIPT}
    DEPENDS ${ARG_FILES} ${DYNACC_EMBED_SCRIPT} VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
