# SPDX-License-Identifier: Apache-2.0
# find_package(Ingot): the compiler, headers, and trainers as libraries.
#
#   find_package(Ingot REQUIRED)
#   ingot_add_trainer(digits train.meta)
#   target_link_libraries(app PRIVATE digits)        # #include "digits.h"
#
# Targets:
#   Ingot::ingotc    the compiler
#   Ingot::headers   ingot/trainer.h, trainer.hpp, hook.h
#   Ingot::runtime   what --emit=obj is linked with, static libraries
#
# Nothing in here depends on where the package was installed to.
cmake_minimum_required(VERSION 3.16)
get_filename_component(INGOT_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET Ingot::ingotc)
  add_executable(Ingot::ingotc IMPORTED)
  set_target_properties(Ingot::ingotc PROPERTIES
    IMPORTED_LOCATION "${INGOT_PREFIX}/bin/ingotc")
  add_library(Ingot::headers INTERFACE IMPORTED)
  set_target_properties(Ingot::headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${INGOT_PREFIX}/include")
  add_library(Ingot::runtime INTERFACE IMPORTED)
  set(libraries)
  foreach(name ingot_rt protobuf-lite leveldb snappy re2 png jpeg z)
    list(APPEND libraries "${INGOT_PREFIX}/lib/ingot/lib${name}.a")
  endforeach()
  set_target_properties(Ingot::runtime PROPERTIES
    INTERFACE_LINK_LIBRARIES "Ingot::headers;${libraries};stdc++;m;pthread")
endif()

foreach(file bin/ingotc include/ingot/trainer.h lib/ingot/libingot_rt.a)
  if(NOT EXISTS "${INGOT_PREFIX}/${file}")
    set(Ingot_FOUND FALSE)
    set(Ingot_NOT_FOUND_MESSAGE "'${INGOT_PREFIX}/${file}' is missing: the package is not whole")
    return()
  endif()
endforeach()

include("${CMAKE_CURRENT_LIST_DIR}/IngotAddTrainer.cmake")
