/* SPDX-License-Identifier: Apache-2.0 */
/*===- Mutants.h - Faults that tests plant ------------------------*- C -*-===*\
 *
 * With the CMake option INGOT_MUTANTS, compiler and runtime contain faults,
 * which the environment variable INGOT_MUTANT enables by name
 * (cmake/IngotMutants.cmake lists them). A test or fuzzer is good if it finds
 * them. Without the option, no such fault is compiled.
 *
\*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_MUTANTS_H
#define INGOT_RUNTIME_ABI_MUTANTS_H

#ifdef INGOT_MUTANTS

#include <stdlib.h>
#include <string.h>

static inline int ingot_is_mutant(const char *name) {
  const char *asked = getenv("INGOT_MUTANT");
  return asked && strcmp(asked, name) == 0;
}
#define INGOT_MUTANT(name) ingot_is_mutant(name)
/* Whether a fault is enabled; artifacts of such a compiler must not be kept. */
#define INGOT_HAS_MUTANT() (getenv("INGOT_MUTANT") != NULL)

#else

#define INGOT_MUTANT(name) 0
#define INGOT_HAS_MUTANT() 0

#endif

#endif /* INGOT_RUNTIME_ABI_MUTANTS_H */
