# What is installed: the library, static and shared, the laboratory, the headers, the command (with its
# manual pages and completions, manual.cmake), the page, and how others find them (sonde.pc and sonde_lab.pc for pkg-config; find_package(sonde) with
# sonde::sonde, sonde::static and sonde::lab for CMake).
# Both are found relative to where they lie, so an installed tree may be moved.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sonde)
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(TARGETS sonde_static sonde_shared sonde_lab EXPORT sondeTargets)
file(GLOB headers CONFIGURE_DEPENDS include/*.h)
install(FILES ${headers} TYPE INCLUDE)
if(TARGET sonde)
    install(TARGETS sonde)
endif()
if(TARGET page)
    # with the notices of what others wrote of it, which it also carries inside
    install(FILES ${PROJECT_BINARY_DIR}/page.html web/NOTICE DESTINATION ${CMAKE_INSTALL_DATADIR}/sonde)
endif()

# pkg-config
file(RELATIVE_PATH pc_to_prefix /prefix/${pc_dir} /prefix)
list(TRANSFORM SONDE_DEPS_LIBRARIES PREPEND -l OUTPUT_VARIABLE pc_libs)
list(JOIN pc_libs " " pc_libs)
list(TRANSFORM SONDE_LAB_DEPS_LIBRARIES PREPEND -l OUTPUT_VARIABLE pc_lab_libs)
list(JOIN pc_lab_libs " " pc_lab_libs)
foreach(name sonde sonde_lab)
    configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pc_dir})
endforeach()

# CMake
install(EXPORT sondeTargets NAMESPACE sonde:: DESTINATION ${package_dir})
configure_package_config_file(cmake/sondeConfig.cmake.in sondeConfig.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(sondeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sondeConfig.cmake
    ${PROJECT_BINARY_DIR}/sondeConfigVersion.cmake DESTINATION ${package_dir})
