# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The CMake package, for an installation and for the build tree (-DTessera_DIR=<build>).
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Tessera")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/TesseraConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/TesseraConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
foreach(component IN ITEMS Runtime C Compiler)
  export(EXPORT Tessera${component}Targets NAMESPACE Tessera::
    FILE "${PROJECT_BINARY_DIR}/Tessera${component}Targets.cmake")
  install(EXPORT Tessera${component}Targets NAMESPACE Tessera:: DESTINATION "${package_dir}")
endforeach()
install(FILES "${PROJECT_BINARY_DIR}/TesseraConfig.cmake"
  "${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake" DESTINATION "${package_dir}")
