# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# MLIR, LLVM and what they need, as archives: what libtessera.so holds. If one is missing there is no target
# TesseraMLIRArchives, and TESSERA_ARCHIVES_MISSING says what to do.
set(TESSERA_ARCHIVES_MISSING "")

# The archives of zlib and zstd, which LLVM compresses debug sections with.
foreach(name IN ITEMS z zstd)
  find_library(TESSERA_ARCHIVE_OF_${name} NAMES lib${name}.a DOC "The archive lib${name}.a")
  if(NOT TESSERA_ARCHIVE_OF_${name})
    string(CONCAT TESSERA_ARCHIVES_MISSING "libtessera.so holds the archive lib${name}.a, which is not there (Debian: "
      "zlib1g-dev, libzstd-dev); install it, name it with -DTESSERA_ARCHIVE_OF_${name}=FILE, or build "
      "without libtessera.so: -DTESSERA_BUILD_C=OFF")
    return()
  endif()
endforeach()

# The linker takes from them what is needed. They are named by their files: the targets would bring the shared
# libraries that the rest of LLVM needs.
get_property(libs GLOBAL PROPERTY MLIR_ALL_LIBS)
list(APPEND libs ${LLVM_AVAILABLE_LIBS})
list(FILTER libs EXCLUDE REGEX "Test|TableGen|Polly")
set(archives)
foreach(lib IN LISTS libs)
  if(TARGET ${lib})
    get_target_property(type ${lib} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND archives "$<TARGET_FILE:${lib}>")
    endif()
  endif()
endforeach()
if(NOT archives)
  string(CONCAT TESSERA_ARCHIVES_MISSING "libtessera.so holds the archives of MLIR and LLVM, and this installation has none "
    "(Debian: libmlir-${LLVM_VERSION_MAJOR}-dev, llvm-${LLVM_VERSION_MAJOR}-dev); build without "
    "libtessera.so: -DTESSERA_BUILD_C=OFF")
  return()
endif()
# In a group: they need each other in circles.
add_library(TesseraMLIRArchives INTERFACE)
target_link_libraries(TesseraMLIRArchives INTERFACE -Wl,--start-group ${archives} -Wl,--end-group
  "${TESSERA_ARCHIVE_OF_z}" "${TESSERA_ARCHIVE_OF_zstd}" Threads::Threads ${CMAKE_DL_LIBS})
