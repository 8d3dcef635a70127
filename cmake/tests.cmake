# The tests: found by name, labelled by a comment in the file.
#
#     tests/embed/test_embed_boe.c    becomes    embed.test_embed_boe
#     tests/cli/test_plan.py          becomes    cli.test_plan.py
#     examples/01_walk.c              becomes    examples.01_walk
#     tests/search/test_search.c      becomes    search.test_search, and search.test_search.plain
#
# A comment of its own gives a label:
#
#     uses threads   `threads`: it runs in the build that watches for races
#     long           `long`: it takes seconds, and `make check` leaves it out
#     slow           `slow`: it takes minutes, and `make slow` alone runs it
#     once           `once`: what it checks does not depend on the compiler; it runs in the first
#                    build alone
#     page           `page`: it looks at the page in a browser; the step `page` alone runs it
#
# Every test has a folder of its own to write in, and is told where that and other things are:
# SONDE_TEST_TMP, SONDE_TEST_DATA, SONDE_COMMAND (definitions in C, environment in Python).

pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

# tests that make allocations fail replace these
set(wrap_allocation
    -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=aligned_alloc)

set(test_data ${PROJECT_SOURCE_DIR}/tests/data)
set(test_command ${PROJECT_BINARY_DIR}/sonde)

# NAME and TMP for a test file, by its place under the project's folder `root`.
macro(place_test source root)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/${root} OUTPUT_VARIABLE name)
    string(REGEX REPLACE "\\.c$" "" name ${name})
    string(REPLACE "/" "." name ${name})
    set(tmp ${PROJECT_BINARY_DIR}/tmp/${name})
    file(MAKE_DIRECTORY ${tmp})
endmacro()

# Labels by the comments in the file; editing the file reads them anew.
function(label_test name source)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} marks REGEX "^ *(/\\*|#) (uses threads|long|slow|once|page)( \\*/)?$")
    foreach(mark ${marks})
        string(REGEX MATCH "threads|long|slow|once|page" label ${mark})
        set_property(TEST ${name} APPEND PROPERTY LABELS ${label})
    endforeach()
endfunction()

# A program and its test: add_c_test(NAME TMP SOURCE...), labelled by the first source.
function(add_c_test name tmp source)
    add_executable(${name} ${source} ${ARGN})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY tests)
    target_include_directories(${name} PRIVATE src lab tests)
    target_compile_definitions(${name} PRIVATE
        SONDE_TEST_DATA="${test_data}" SONDE_TEST_TMP="${tmp}" SONDE_COMMAND="${test_command}")
    target_link_libraries(${name} PRIVATE sonde::lab PkgConfig::CMOCKA)
    if(source MATCHES "/tests/memory/")
        target_link_options(${name} PRIVATE ${wrap_allocation})
    endif()
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${tmp})
    label_test(${name} ${source})
endfunction()

file(GLOB_RECURSE c_tests CONFIGURE_DEPENDS tests/test_*.c)
foreach(source ${c_tests})
    place_test(${source} tests)
    add_c_test(${name} ${tmp} ${source})
    # once more, with the plain way of scoring in the place of the fast ones
    file(STRINGS ${source} picks REGEX "^const sonde__scoring \\*sonde__score_pick")
    if(source MATCHES "/tests/(search|pipeline)/" AND NOT picks)
        file(MAKE_DIRECTORY ${tmp}.plain)
        add_c_test(${name}.plain ${tmp}.plain ${source} tests/pick_plain.c)
        set_property(TEST ${name}.plain APPEND PROPERTY LABELS once)
    endif()
endforeach()

file(GLOB_RECURSE python_tests CONFIGURE_DEPENDS tests/test_*.py)
foreach(source ${python_tests})
    place_test(${source} tests)
    add_test(NAME ${name} WORKING_DIRECTORY ${tmp}
        COMMAND ${SONDE_PYTHON} -m pytest -q -p no:cacheprovider ${source})
    set_property(TEST ${name} PROPERTY ENVIRONMENT PYTHONDONTWRITEBYTECODE=1
        SONDE_TEST_DATA=${test_data} SONDE_TEST_TMP=${tmp} SONDE_COMMAND=${test_command})
    label_test(${name} ${source})
    # one browser at a time
    file(STRINGS ${source} browses REGEX "^from browsing import")
    if(browses)
        set_property(TEST ${name} PROPERTY RESOURCE_LOCK browser)
    endif()
endforeach()

# Examples see the header and the shared library alone, as anybody's program would, and run in
# the project's folder.
file(GLOB examples CONFIGURE_DEPENDS examples/*.c)
foreach(source ${examples})
    cmake_path(GET source STEM stem)
    add_executable(example_${stem} ${source})
    set_target_properties(example_${stem} PROPERTIES
        OUTPUT_NAME ${stem} RUNTIME_OUTPUT_DIRECTORY examples)
    target_link_libraries(example_${stem} PRIVATE sonde::sonde m)
    add_test(NAME examples.${stem} COMMAND example_${stem} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    label_test(examples.${stem} ${source})
endforeach()
