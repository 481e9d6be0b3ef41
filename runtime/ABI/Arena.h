/*===- Arena.h - Limits for sharing bytes in arenas ---------------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* Independent launches can run concurrently only if their buffers do not     */
/* share addresses in the arena. Compiler and runtime decide by the arena's   */
/* size whether buffers get addresses of their own.                           */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_ARENA_H
#define INGOT_RUNTIME_ABI_ARENA_H

/* The compiler gives each buffer its own bytes if all buffers together take no
 * more than this, which is what a core's private cache holds in addition to the
 * variables of a small network. Otherwise buffers with disjoint lifetimes share
 * bytes. */
#define INGOT_ARENA_BYTES_APART (512 * 1024)

/* The runtime runs an entry's launches concurrently if the entry's arena has at
 * most this size: in an arena up to a quarter larger than the limit above,
 * buffers share few bytes. In larger arenas, sharing makes launches wait for
 * each other, and the launches that still run concurrently cost more cache
 * misses than they gain. */
#define INGOT_ARENA_BYTES_SIDE_BY_SIDE                                         \
  (INGOT_ARENA_BYTES_APART + INGOT_ARENA_BYTES_APART / 4)

#endif /* INGOT_RUNTIME_ABI_ARENA_H */
