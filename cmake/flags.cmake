# How everything is compiled.
#
# The same inputs give the same bytes on every machine: no fused multiply-add behind our back
# (-ffp-contract=off), never -ffast-math, never -march=native.

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# macOS hides flock and the number of cores from who asks for POSIX alone
add_compile_definitions(_XOPEN_SOURCE=700 _DARWIN_C_SOURCE)
add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffp-contract=off)
if(SONDE_WERROR)
    add_compile_options(-Werror)
endif()

# What makes a mistake in memory harder to use: tools/check_hardening.py looks for it in what was
# built. Sanitizers look closer, and Debian's own flags, which say the same, come later.
if(NOT EMSCRIPTEN)
    include(CheckPIESupported)
    check_pie_supported(LANGUAGES C)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
if(SONDE_SANITIZE STREQUAL none AND NOT SONDE_COVERAGE AND NOT APPLE AND NOT EMSCRIPTEN)
    add_compile_options(-fstack-protector-strong
        "$<$<CONFIG:Release>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
        add_compile_options(-fcf-protection=full)
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
        add_compile_options(-mbranch-protection=standard)
    endif()
    add_link_options(LINKER:-z,relro,-z,now)
endif()

if(SONDE_SANITIZE STREQUAL address)
    set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=all)
elseif(SONDE_SANITIZE STREQUAL thread)
    set(sanitize -fsanitize=thread)
elseif(SONDE_SANITIZE STREQUAL fuzzer)
    set(sanitize -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
elseif(NOT SONDE_SANITIZE STREQUAL none)
    message(FATAL_ERROR
        "SONDE_SANITIZE is ${SONDE_SANITIZE}: none, address, thread or fuzzer expected")
endif()
if(SONDE_SANITIZE STREQUAL fuzzer)
    # what is run ten million times is worth compiling well; lines are enough to find a place by
    add_compile_options(${sanitize} -O2 -gline-tables-only -fno-omit-frame-pointer)
    add_link_options(${sanitize})
elseif(sanitize)
    add_compile_options(${sanitize} -O1 -g -fno-omit-frame-pointer)
    add_link_options(${sanitize})
endif()

# threads may miscount how often a line runs, but not whether it does; counting exactly takes three times as long
if(SONDE_COVERAGE)
    add_compile_options(--coverage -O1 -g -fprofile-update=single)
    add_link_options(--coverage)
endif()
