//===- Mutants.h - Faults that are planted on purpose -----------*- C++ -*-===//
//
// INGOT_MUTANT("name") is true where the environment's INGOT_MUTANT is that
// name, in builds with INGOT_MUTANTS; in all others it is false and costs
// nothing. The fuzzer of graphs has to find each (`./dev fuzz mutants`), which
// test/fuzz/graphs/mutants.txt lists.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ABI_MUTANTS_H
#define INGOT_RUNTIME_ABI_MUTANTS_H

#ifdef INGOT_MUTANTS
#include <stdlib.h>
#include <string.h>

static inline bool ingotMutant(const char *name) {
  const char *planted = getenv("INGOT_MUTANT");
  return planted && strcmp(planted, name) == 0;
}
#define INGOT_MUTANT(name) ingotMutant(name)
#else
#define INGOT_MUTANT(name) false
#endif

#endif // INGOT_RUNTIME_ABI_MUTANTS_H
