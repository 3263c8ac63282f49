# Run by dynacc_embed_text: writes OUTPUT, which defines dynacc::SYMBOL as the text of FILES.
# A file is cut at blank lines into several literals, as compilers limit the length of one.
file(WRITE ${OUTPUT}.part "namespace dynacc {\nextern const char ${SYMBOL}[];\n"
     "const char ${SYMBOL}[] =\n")
foreach(path IN LISTS FILES)
  file(READ ${path} text)
  string(REPLACE "\n\n" "\n\n)dynacc\"\nR\"dynacc(" text "${text}")
  file(APPEND ${OUTPUT}.part "R\"dynacc(${text})dynacc\"\n")
endforeach()
file(APPEND ${OUTPUT}.part ";\n}  // namespace dynacc\n")
file(RENAME ${OUTPUT}.part ${OUTPUT})
