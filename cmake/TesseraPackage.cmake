# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The CMake package, for an installation and for the build tree (-DTessera_DIR=<build>), files for pkg-config,
# documentation and Debian packages.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Tessera")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/TesseraConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/TesseraConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
set(components Runtime Cpp)
if(TARGET tessera)
  list(APPEND components C)
endif()
foreach(component IN LISTS components)
  export(EXPORT Tessera${component}Targets NAMESPACE Tessera::
    FILE "${PROJECT_BINARY_DIR}/Tessera${component}Targets.cmake")
  install(EXPORT Tessera${component}Targets NAMESPACE Tessera:: DESTINATION "${package_dir}"
    COMPONENT Development)
endforeach()
install(FILES "${PROJECT_BINARY_DIR}/TesseraConfig.cmake"
  "${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake" DESTINATION "${package_dir}" COMPONENT Development)

# pkg-config finds the two shared libraries. The prefix is found from the file, so the tree may be moved.
file(RELATIVE_PATH TESSERA_PC_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" TESSERA_PC_PREFIX "${TESSERA_PC_PREFIX}")
function(tessera_install_pc library description)
  set(TESSERA_PC_LIBRARY "${library}")
  set(TESSERA_PC_DESCRIPTION "${description}")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/library.pc.in" "${PROJECT_BINARY_DIR}/${library}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${library}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    COMPONENT Development)
endfunction()
if(TARGET tessera)
  tessera_install_pc(tessera "The tile compiler Tessera")
endif()
tessera_install_pc(tessera_runtime "The launcher of what the tile compiler Tessera makes")

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT Library)
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/Changelog.md"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT Development)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" "${PROJECT_SOURCE_DIR}/examples"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT Development PATTERN "__pycache__" EXCLUDE)

include(TesseraDebian)
