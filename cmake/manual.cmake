# Manual pages and completions, made by the new command's own account of its options, where there is a
# Python to write them (tools/manual.py) and the command runs on this machine.
if(EXISTS ${SONDE_PYTHON} AND NOT CMAKE_CROSSCOMPILING AND SONDE_SANITIZE STREQUAL none)
    set(share ${PROJECT_BINARY_DIR}/share)
    add_custom_command(OUTPUT manual.stamp
        COMMAND ${SONDE_PYTHON} ${PROJECT_SOURCE_DIR}/tools/manual.py $<TARGET_FILE:sonde> ${share}
        COMMAND ${CMAKE_COMMAND} -E touch manual.stamp
        DEPENDS sonde tools/manual.py)
    add_custom_target(manual ALL DEPENDS manual.stamp)
    install(DIRECTORY ${share}/man/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
    install(DIRECTORY ${share}/bash-completion ${share}/zsh ${share}/fish
        DESTINATION ${CMAKE_INSTALL_DATADIR})
endif()
