# Run by dynacc_embed_text: writes OUTPUT, which defines NAMESPACE::NAME as the text of FILES.
# A file is cut at blank lines into several literals, as compilers limit the length of one.
file(WRITE ${OUTPUT}.part "namespace ${NAMESPACE} {\nextern const char ${NAME}[];\n"
     "const char ${NAME}[] =\n")
foreach(path IN LISTS FILES)
  file(READ ${path} text)
  string(REPLACE "\n\n" "\n\n)dynacc\"\nR\"dynacc(" text "${text}")
  file(APPEND ${OUTPUT}.part "R\"dynacc(${text})dynacc\"\n")
endforeach()
file(APPEND ${OUTPUT}.part ";\n}  // namespace ${NAMESPACE}\n")
file(RENAME ${OUTPUT}.part ${OUTPUT})
