# Writes the documents that lab/TEXTS lists into a C file, as arrays of bytes.
#
#     cmake -DROOT=FOLDER -DOUT=FILE -P cmake/texts.cmake
#
# Each line of the list is a kind, a name and a file. C has no way to include a file, and a string
# literal may have 4,095 characters.
file(STRINGS ${ROOT}/lab/TEXTS lines)
set(arrays "")
set(rows "")
set(n 0)
foreach(line ${lines})
    string(REGEX MATCHALL "[^ ]+" word ${line})
    list(GET word 0 kind)
    list(GET word 1 name)
    list(GET word 2 path)
    file(READ ${ROOT}/${path} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
    string(APPEND arrays "static const unsigned char text_${n}[] = {\n${bytes}0};\n")
    string(APPEND rows "    {\"${kind}\", \"${name}\", (const char *)text_${n}},\n")
    math(EXPR n "${n} + 1")
endforeach()
file(WRITE ${OUT} "/* Written by cmake/texts.cmake from what lab/TEXTS lists. */
#include \"study/study_internal.h\"

${arrays}
const sonde__text_row sonde__texts[] = {
${rows}    {NULL, NULL, NULL},
};
")
