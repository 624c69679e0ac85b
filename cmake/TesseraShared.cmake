# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How the two shared libraries with a C interface are linked.
find_package(Threads REQUIRED)

# tessera_export_only(target map.in): exports what the version script says, and nothing else. Whatever else
# is in the library is called by nobody from outside, and calls nobody there: another LLVM, MLIR or
# libstdc++ in the process does not matter. Nothing but the C library is needed where it is loaded.
function(tessera_export_only target map)
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${target}.map")
  configure_file("${map}" "${script}" @ONLY)
  # The functions of a sanitizer are in the program, so they are undefined here.
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    target_link_options(${target} PRIVATE "LINKER:--no-undefined")
  endif()
  target_link_options(${target} PRIVATE
    "LINKER:--version-script=${script}" "LINKER:--exclude-libs,ALL" "LINKER:-Bsymbolic"
    "LINKER:--gc-sections" "LINKER:-O2" "LINKER:--as-needed" -static-libstdc++ -static-libgcc
    "$<$<NOT:$<CONFIG:Debug,RelWithDebInfo>>:LINKER:--strip-all>")
  set_target_properties(${target} PROPERTIES
    LINK_DEPENDS "${script}" BUILD_RPATH "" INSTALL_RPATH ""
    VERSION ${PROJECT_VERSION} SOVERSION ${TESSERA_SOVERSION})
endfunction()
