# The command as the page has it: `bridge_sources` are the files of cli/ that its bridge is linked
# with, and refused/refused.h in the build's folder names the verbs that are not in the page; they
# are refused with a sentence. The engine and the fuzzer of the bridge share this.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH bridge_root)
file(GLOB bridge_sources CONFIGURE_DEPENDS ${bridge_root}/cli/*.c)
list(FILTER bridge_sources EXCLUDE REGEX "/cli/(mpi|page|platform|version|world_read)\\.c$")
set(verbs cluster efe embed graph model plan simulate smooth)
set(refused "")
foreach(source ${bridge_sources})
    if(source MATCHES "/cli/cmd_([a-z]+)\\.c$" AND NOT CMAKE_MATCH_1 IN_LIST verbs)
        list(REMOVE_ITEM bridge_sources ${source})
        string(APPEND refused "REFUSE(${CMAKE_MATCH_1})\n")
    endif()
endforeach()
file(CONFIGURE OUTPUT refused/refused.h CONTENT "${refused}")
