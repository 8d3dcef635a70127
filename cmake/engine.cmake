# The engine of the page: WebAssembly, which web/CMakeLists.txt makes with another compiler, in a build
# of its own. The sources of jansson and zlib are fetched once for all builds.
set(SONDE_SOURCES ${PROJECT_SOURCE_DIR}/build/sources CACHE PATH "Where web/sources.sh puts jansson and zlib")
cmake_host_system_information(RESULT n_core QUERY NUMBER_OF_LOGICAL_CORES)
set(engine_folder ${PROJECT_BINARY_DIR}/engine)
# says that engine.js and engine.wasm are up to date; who is interrupted loses this file alone
set(engine_files ${engine_folder}.stamp)
file(GLOB engine_sources CONFIGURE_DEPENDS src/*/*.[ch] lab/draw/*.[ch] lab/paper/*.[ch] lab/fit/*.[ch] cli/*.[ch] include/*.h)
set(emscripten /usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
add_custom_command(OUTPUT ${engine_files}
    COMMAND ${PROJECT_SOURCE_DIR}/web/sources.sh ${SONDE_SOURCES}
    COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR}/web
        -B ${engine_folder} -DSOURCES=${SONDE_SOURCES} -DCMAKE_TOOLCHAIN_FILE=${emscripten}
    COMMAND ${CMAKE_COMMAND} -E env --unset=MAKEFLAGS NODE_PATH=/usr/share/nodejs
        ${CMAKE_COMMAND} --build ${engine_folder} -j ${n_core}
    COMMAND ${CMAKE_COMMAND} -E touch ${engine_files}
    DEPENDS web/sources.sh web/CMakeLists.txt cmake/bridge.cmake web/bridge.c ${engine_sources})
