/* emscripten.h: in the place of emscripten's, where the page's bridge is built for this machine. */
#ifndef FUZZ_NATIVE_EMSCRIPTEN_H
#define FUZZ_NATIVE_EMSCRIPTEN_H

#define EMSCRIPTEN_KEEPALIVE __attribute__((used))

#endif
