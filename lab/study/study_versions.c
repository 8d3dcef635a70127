/* study_versions.c: what the libraries are made of. */
#include <jansson.h>
#include <zlib.h>

#include "sonde_lab.h"
#include "study/study_sqlite.h"

#if defined(__clang__)
#define COMPILER "clang"
#define MAJOR __clang_major__
#define MINOR __clang_minor__
#define PATCH __clang_patchlevel__
#elif defined(__GNUC__)
#define COMPILER "gcc"
#define MAJOR __GNUC__
#define MINOR __GNUC_MINOR__
#define PATCH __GNUC_PATCHLEVEL__
#else
#define COMPILER "another"
#define MAJOR 0
#define MINOR 0
#define PATCH 0
#endif

void sonde_versions(sonde_text *text) {
    sonde_text_add(text, "compiler: %s %d.%d.%d\n", COMPILER, MAJOR, MINOR, PATCH);
    sonde_text_add(text, "jansson: %s\n", jansson_version_str());
    sonde_text_add(text, "zlib: %s\n", zlibVersion());
    sonde_text_add(text, "SQLite: %s\n", sonde__sqlite_version());
}
