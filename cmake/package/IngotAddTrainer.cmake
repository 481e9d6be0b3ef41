# SPDX-License-Identifier: Apache-2.0
# ingot_add_trainer(TARGET GRAPH [SHARED | EXECUTABLE] [NAME NAME]
#                   [ENTRY NAME=FEEDS->FETCHES...] [OPTIONS FLAG...] [DEPENDS FILE...])
#
# Compiles GRAPH (.meta, .pb, .pbtxt, .keras' export, a SavedModel, .mlir, a search) and compiles it again
# when it, or one of DEPENDS, has changed.
#
#   by default   library TARGET, static, and TARGET.h: link with it to have both
#   SHARED       the same, as lib<TARGET>.so
#   EXECUTABLE   a trainer, TARGET, for its own command line
#
# NAME is what the header is called and its functions begin with, if not TARGET. ENTRY and OPTIONS are flags
# of ingotc: --entry, and any other.
include_guard()

function(ingot_add_trainer target graph)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "SHARED;EXECUTABLE" "NAME" "ENTRY;OPTIONS;DEPENDS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ingot_add_trainer(${target}): unexpected '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  if(ARG_SHARED AND ARG_EXECUTABLE)
    message(FATAL_ERROR "ingot_add_trainer(${target}): SHARED and EXECUTABLE exclude one another")
  endif()
  get_filename_component(graph "${graph}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT EXISTS "${graph}")
    message(FATAL_ERROR "ingot_add_trainer(${target}): there is no '${graph}'")
  endif()
  set(name "${target}")
  if(ARG_NAME)
    set(name "${ARG_NAME}")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.ingot")
  file(MAKE_DIRECTORY "${folder}")
  set(flags ${ARG_OPTIONS})
  foreach(entry IN LISTS ARG_ENTRY)
    list(APPEND flags --entry "${entry}")
  endforeach()
  if(ARG_EXECUTABLE)
    set(output "${folder}/${target}")
    set(outputs "${output}")
  else()
    if(NOT name MATCHES "^[A-Za-z][A-Za-z0-9_]*$")
      message(FATAL_ERROR "ingot_add_trainer(${target}): '${name}' is no name for functions in C; NAME gives another")
    endif()
    set(suffix a)
    set(kind lib)
    set(type STATIC)
    if(ARG_SHARED)
      set(suffix so)
      set(kind shared)
      set(type SHARED)
    endif()
    set(output "${folder}/lib${target}.${suffix}")
    set(outputs "${output}" "${folder}/${name}.h")
    list(APPEND flags --emit=${kind} --name ${name})
  endif()
  # A SavedModel is a folder: its graph tells whether it has changed.
  set(graph_file "${graph}")
  if(EXISTS "${graph}/saved_model.pb")
    set(graph_file "${graph}/saved_model.pb")
  endif()
  add_custom_command(OUTPUT ${outputs}
    COMMAND Ingot::ingotc "${graph}" -o "${output}" ${flags}
    DEPENDS "${graph_file}" Ingot::ingotc ${ARG_DEPENDS}
    COMMENT "Compiling ${target} with Ingot"
    VERBATIM)
  if(ARG_EXECUTABLE)
    add_custom_target(${target} ALL DEPENDS ${outputs})
    set_target_properties(${target} PROPERTIES INGOT_TRAINER "${output}")
    return()
  endif()
  add_custom_target(${target}_ingot DEPENDS ${outputs})
  add_library(${target} ${type} IMPORTED GLOBAL)
  add_dependencies(${target} ${target}_ingot)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION "${output}"
    INTERFACE_INCLUDE_DIRECTORIES "${folder}"
    INTERFACE_LINK_LIBRARIES "Ingot::headers")
  if(ARG_SHARED)
    set_target_properties(${target} PROPERTIES IMPORTED_SONAME "lib${target}.so")
  else()
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES m)
  endif()
endfunction()
