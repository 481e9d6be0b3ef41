# SPDX-License-Identifier: Apache-2.0
# Every lit test file is a ctest test of its own, named lit.<path under test/>.
include_guard()

set(INGOT_TEST_DIR "${PROJECT_SOURCE_DIR}/test")
set(INGOT_LIT_SITE_CONFIG "${PROJECT_BINARY_DIR}/test/lit.site.cfg.py")
configure_file("${INGOT_TEST_DIR}/lit.site.cfg.py.in" "${INGOT_LIT_SITE_CONFIG}" @ONLY)

file(GLOB_RECURSE INGOT_LIT_TESTS CONFIGURE_DEPENDS RELATIVE "${INGOT_TEST_DIR}"
  "${INGOT_TEST_DIR}/*.mlir" "${INGOT_TEST_DIR}/*.test")
# Inputs of tests are no tests.
list(FILTER INGOT_LIT_TESTS EXCLUDE REGEX "(^|/)(Inputs|data|derivatives)/")

foreach(test ${INGOT_LIT_TESTS})
  add_test(NAME "lit.${test}"
    COMMAND ${INGOT_LIT} -v -j1 --skip-test-time-recording
      --param "ingot_site_config=${INGOT_LIT_SITE_CONFIG}"
      "${INGOT_TEST_DIR}/${test}")
  set(labels lit)
  file(STRINGS "${INGOT_TEST_DIR}/${test}" requirements REGEX "REQUIRES:.*tensorflow")
  if(requirements)
    list(APPEND labels tensorflow)
  endif()
  # A test whose REQUIRES do not hold says UNSUPPORTED; ctest counts it as skipped.
  set_tests_properties("lit.${test}" PROPERTIES
    TIMEOUT 300 LABELS "${labels}" SKIP_REGULAR_EXPRESSION "UNSUPPORTED: ingot ")
endforeach()
