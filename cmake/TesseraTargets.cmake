# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Build types, warnings, the precompiled headers, and one function per kind of target.

if(PROJECT_IS_TOP_LEVEL)
  # Dev: assertions on, and optimised, because the tests run the tools thousands of times. Most of their time is LLVM's, which is installed as it is;
  # what -O2 and large inlined functions add costs the build more than it gives the tests.
  set(dev_flags "-O2")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(dev_flags "-O1 -finline-functions")
    # No flag of the build type, which CMake passes to the linker, too.
    add_compile_options("$<$<AND:$<CONFIG:Dev>,$<COMPILE_LANGUAGE:CXX>>:SHELL:-mllvm -inline-threshold=50>")
  endif()
  set(CMAKE_CXX_FLAGS_DEV "${dev_flags} -UNDEBUG" CACHE STRING "" FORCE)
  set(CMAKE_C_FLAGS_DEV "-O2 -UNDEBUG" CACHE STRING "" FORCE)
  set(CMAKE_EXE_LINKER_FLAGS_DEV "" CACHE STRING "" FORCE)
  set(CMAKE_SHARED_LINKER_FLAGS_DEV "" CACHE STRING "" FORCE)
endif()

# Options of this directory: of our targets, that is, and of no target of an embedder. The
# precompiled header and those that use it must have the same.
add_compile_options(
  -Wall -Wextra -Wno-unused-parameter -Wno-deprecated-declarations
  "$<$<COMPILE_LANGUAGE:CXX>:-Wno-unused-function;-fno-exceptions>"
  # What nobody calls is left out of libtessera.so, function by function.
  -ffunction-sections -fdata-sections
  -fdiagnostics-color=always)
# A library of a host that links our archives must not export what is in them: two such libraries in
# one process would call each other's. What the C interfaces declare says itself that it is visible.
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# The loader does not search LLVM's directory. The build tree has the paths of an installation: CMake
# would fill its own up with empty entries, to have room for those, and an empty entry is whatever
# directory somebody stands in.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH "${LLVM_LIBRARY_DIR};$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

find_program(TESSERA_CCACHE ccache)
if(TESSERA_CCACHE AND PROJECT_IS_TOP_LEVEL)
  # The list of dependencies, which the compiler writes anyway, says what a file includes: the preprocessor need not run for it. A precompiled header
  # is cached only when its time stamps are ignored, and stands for the sum next to it (pch-sum.sh) in what is hashed of those that use it.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_DEPEND=1 CCACHE_PCH_EXTSUM=1
      "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime" "${TESSERA_CCACHE}")
endif()

separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
list(TRANSFORM LLVM_DEFINITIONS_LIST REPLACE "^-D" "")
include(TesseraPch)

# install(), unless somebody embeds the project and installs it himself, or not.
function(tessera_install)
  if(TESSERA_INSTALL)
    install(${ARGN})
  endif()
endfunction()

# Others link TesseraTile as Tessera::Tile. EXPORT names the component of the package.
function(tessera_install_library name)
  cmake_parse_arguments(ARG "" "EXPORT" "" ${ARGN})
  if(NOT ARG_EXPORT)
    set(ARG_EXPORT TesseraCppTargets)
  endif()
  string(REGEX REPLACE "^Tessera" "" export_name ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${export_name})
  add_library(Tessera::${export_name} ALIAS ${name})
  tessera_install(TARGETS ${name} EXPORT ${ARG_EXPORT}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Development
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Library NAMELINK_COMPONENT Development)
endfunction()

# tessera_add_mlir_library(NAME sources... [PCH header] [DEPENDS tablegen...] [LINK libs...])
function(tessera_add_mlir_library name)
  cmake_parse_arguments(ARG "" "PCH" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  tessera_use_mlir(${name} ${ARG_PCH})
  add_dependencies(${name} TesseraTablegen ${ARG_DEPENDS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  tessera_install_library(${name})
endfunction()

# Code without LLVM or MLIR (layout mathematics, runtime): NAME sources... [EXPORT set] [LINK libs...]
function(tessera_add_plain_library name)
  cmake_parse_arguments(ARG "" "EXPORT" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  tessera_use_pch(${name} TesseraPlainPch)
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  tessera_install_library(${name} EXPORT ${ARG_EXPORT})
endfunction()

function(tessera_add_mlir_tool name)
  cmake_parse_arguments(ARG "" "PCH" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  tessera_use_mlir(${name} ${ARG_PCH})
  if(TESSERA_TOOLS_HOLD_MLIR AND TARGET TesseraMLIRArchives)
    set_target_properties(${name} PROPERTIES TESSERA_HOLDS_MLIR ON)
    # At a fixed address: nothing is relocated at the start, of which tests have thousands.
    target_link_options(${name} PRIVATE LINKER:--gc-sections -no-pie)
  endif()
  add_dependencies(${name} TesseraTablegen)
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  tessera_install(TARGETS ${name} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Tools)
endfunction()

# tessera_use_mlir(TARGET [PCH]): PCH is a precompiled header of TesseraPch.cmake.
function(tessera_use_mlir target)
  set(pch ${ARGN} TesseraPch)
  list(GET pch 0 pch)
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_include_directories(${target} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(${target} PRIVATE ${LLVM_DEFINITIONS_LIST})
  tessera_use_pch(${target} ${pch})
  # Who links our archives links the dylibs, too; libtessera.so links the archives of MLIR instead.
  target_link_libraries(${target} PUBLIC
    "$<BUILD_INTERFACE:$<IF:$<BOOL:$<TARGET_PROPERTY:TESSERA_HOLDS_MLIR>>,TesseraMLIRArchives,MLIR;LLVM>>"
    "$<INSTALL_INTERFACE:MLIR;LLVM>")
endfunction()
