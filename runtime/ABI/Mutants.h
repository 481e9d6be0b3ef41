/*===- Mutants.h - Faults that tests plant ------------------------*- C -*-===*\
 *
 * With the CMake option INGOT_MUTANTS, compiler and runtime have faults, each
 * of which the environment variable INGOT_MUTANT switches on by its name
 * (cmake/IngotMutants.cmake lists them). What looks for faults is tested by
 * whether it finds these. Without the option there is nothing of them.
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
/* Whether any is switched on: what such a compiler makes is not to be kept. */
#define INGOT_HAS_MUTANT() (getenv("INGOT_MUTANT") != NULL)

#else

#define INGOT_MUTANT(name) 0
#define INGOT_HAS_MUTANT() 0

#endif

#endif /* INGOT_RUNTIME_ABI_MUTANTS_H */
