# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The precompiled headers. Each holds the one it stands on and what it adds itself:
#
#   TesseraPch             MLIR, for all code that includes it
#     TesseraTilePch       and the dialect tile
#       TesseraCtaPch      and the dialect cta
#         TesseraTestPch   and GoogleTest
#   TesseraPlainPch        the C++ library, for code without LLVM
#     TesseraPlainTestPch  and GoogleTest
#
# A source includes what it needs, as without them.

# Options of a precompiled header and of those that use it.
set(pch_options)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(pch_options "SHELL:-Xclang -fno-pch-timestamp")
endif()

# tessera_add_pch(NAME HEADER [ON_TOP_OF PCH] [PLAIN]): HEADER is below the root of the sources. PLAIN: without the headers of LLVM.
function(tessera_add_pch name header)
  cmake_parse_arguments(ARG "PLAIN" "ON_TOP_OF" "" ${ARGN})
  set(anchor "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  file(CONFIGURE OUTPUT "${anchor}" CONTENT "// anchor of a precompiled header\n")
  add_library(${name} OBJECT "${anchor}")
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")
  if(NOT ARG_PLAIN)
    target_include_directories(${name} SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
    target_compile_definitions(${name} PRIVATE ${LLVM_DEFINITIONS_LIST})
  endif()
  # Without the path of this tree in what CMake writes.
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_precompile_headers(${name} PRIVATE "\"${header}\"")
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC ${pch_options})
  if(TESSERA_CCACHE AND PROJECT_IS_TOP_LEVEL)
    # It holds paths of this tree, so no other tree may get it; those that use it are found by its sum instead.
    set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER
      "${PROJECT_SOURCE_DIR}/cmake/pch-sum.sh;env;CCACHE_BASEDIR=;${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    return()
  endif()
  target_compile_options(${name} PRIVATE -fpch-instantiate-templates)
  # Other compilers cannot stack them, and read all headers again.
  if(ARG_ON_TOP_OF AND NOT CMAKE_CONFIGURATION_TYPES AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    set(below "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${ARG_ON_TOP_OF}.dir/cmake_pch.hxx.pch")
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -include-pch -Xclang ${below}")
    set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.cxx"
      PROPERTIES OBJECT_DEPENDS "${below}")
    add_dependencies(${name} ${ARG_ON_TOP_OF})
  endif()
endfunction()

tessera_add_pch(TesseraPch "cmake/pch.h")
tessera_add_pch(TesseraTilePch "cmake/pch-tile.h" ON_TOP_OF TesseraPch)
tessera_add_pch(TesseraCtaPch "cmake/pch-cta.h" ON_TOP_OF TesseraTilePch)
tessera_add_pch(TesseraPlainPch "cmake/pch-plain.h" PLAIN)
if(TESSERA_BUILD_TESTS)
  tessera_add_pch(TesseraTestPch "cmake/pch-test.h" ON_TOP_OF TesseraCtaPch)
  tessera_add_pch(TesseraPlainTestPch "cmake/pch-plain-test.h" ON_TOP_OF TesseraPlainPch PLAIN)
  find_package(GTest REQUIRED) # for test/unit, too
  foreach(name IN ITEMS TesseraTestPch TesseraPlainTestPch)
    target_link_libraries(${name} PRIVATE GTest::gtest)
  endforeach()
endif()
foreach(name IN ITEMS TesseraTilePch TesseraCtaPch TesseraTestPch)
  if(TARGET ${name})
    add_dependencies(${name} TesseraTablegen)
  endif()
endforeach()

# tessera_use_pch(TARGET PCH)
function(tessera_use_pch target pch)
  # CMake would compile programs with -fPIE, which does not fit the precompiled header.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC ${pch_options})
  target_precompile_headers(${target} REUSE_FROM ${pch})
endfunction()
