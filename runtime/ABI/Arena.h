/*===- Arena.h - When buffers have addresses of their own -------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that have nothing else in common run side by side where no two of */
/* their buffers share an address. Compiler and runtime decide by sizes.      */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_ARENA_H
#define INGOT_RUNTIME_ABI_ARENA_H

/* The compiler gives each buffer bytes of its own where all of them take no
 * more than a core's own cache holds beside the variables of a small network;
 * else buffers that are not needed at once share theirs. */
#define INGOT_ARENA_BYTES_APART (512 * 1024)

/* The runtime runs rows of an arena concurrently up to a quarter more, which
 * takes in those that share little. In larger ones sharing makes launches wait
 * for each other, and the launches that still run concurrently cost more in
 * caches than they gain. */
#define INGOT_ARENA_BYTES_SIDE_BY_SIDE                                         \
  (INGOT_ARENA_BYTES_APART + INGOT_ARENA_BYTES_APART / 4)

#endif /* INGOT_RUNTIME_ABI_ARENA_H */
