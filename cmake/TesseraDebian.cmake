# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Debian packages: `cpack -B DIR` in the build tree.
#
#   libtessera       the two shared libraries; needs the C library alone
#   libtessera-dev   headers, archives, the CMake package, pkg-config files, documentation, examples
#   tessera-tools    tilec, tile-opt, …; they need Debian's libmlir and libllvm
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tessera)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_VENDOR "Tessera")
set(CPACK_PACKAGE_CONTACT "The authors of Tessera <tessera@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Tile compiler for NVIDIA Hopper")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_COMPONENTS_ALL Library Development)
if(TESSERA_BUILD_TOOLS)
  list(APPEND CPACK_COMPONENTS_ALL Tools)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtessera)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Shared libraries of the tile compiler Tessera and of its launcher")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
# Packages that link the libraries then depend on libtessera, of this version or later.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtessera-dev)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers, archives and CMake package of the tile compiler Tessera")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libtessera (= ${PROJECT_VERSION})")
# For the component Cpp alone.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "libmlir-${LLVM_VERSION_MAJOR}-dev")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME tessera-tools)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "The tile compiler tilec and its tools")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
# It links what --target=cpu makes.
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "lld-${LLVM_VERSION_MAJOR}")
include(CPack)
