/*===- Calls.h - Calls from compiled code to the runtime ----------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime functions that compiled code calls; runtime/Session implements */
/* them. Functions that return int32_t return 0 for success, or a status code */
/* after they recorded the error for the thread (Support/ErrorSlot.h);        */
/* compiled code returns this code to its caller at once.                     */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_CALLS_H
#define INGOT_RUNTIME_ABI_CALLS_H

#include "runtime/ABI/CodeSignature.h"
#include "runtime/ABI/Launch.h"
#include "runtime/ABI/Tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ingot_op;         /* Op.h */
struct ingot_parse_spec; /* Dataset.h */

/* Advances iterator `iterator` to its next element, and stores the address and
 * the dims of each component in `components`. The caller has set the rank of
 * each and provides room for the dims. The element belongs to the runtime, and
 * is valid until the next call for that iterator. OutOfRange at the end of the
 * input. */
int32_t ingot_rt_iterator_next(ingot_context *ctx, uint32_t iterator,
                               ingot_tensor *components);

/* (Re)starts iterator `iterator` at the first element of its dataset. If
 * `iterator` is num_iterators plus the index of an alternative, starts the
 * alternative's iterator at the first element of the alternative's dataset. */
int32_t ingot_rt_iterator_make(ingot_context *ctx, uint32_t iterator);

/* Runs the save or the restore op of saver `saver`. `prefix` is the
 * checkpoint's path prefix. */
int32_t ingot_rt_save(ingot_context *ctx, uint32_t saver,
                      const ingot_string *prefix);
int32_t ingot_rt_restore(ingot_context *ctx, uint32_t saver,
                         const ingot_string *prefix);

/* Records a scalar summary of the running step, if its summaries are collected.
 * `value` points to one element of type `dtype`. */
void ingot_rt_scalar_summary(ingot_context *ctx, const char *tag, int32_t dtype,
                             const void *value);

/* Records which variables have no value yet: `num` indices into the program's
 * variables. Entries of role ready call this, which check whether all variables
 * are initialized. */
void ingot_rt_report_uninitialized(ingot_context *ctx, uint32_t num,
                                   const uint32_t *variables);

/* Records that the runtime op of `node` begins, for traces and the watchdog.
 * The text must live as long as the program. */
void ingot_rt_enter(ingot_context *ctx, const char *node);

/* Records that the runtime op of the last ingot_rt_enter has ended. */
void ingot_rt_leave(ingot_context *ctx);

/* Launches `count` rows of a launch table. Their argument tables are in
 * `arena`. Launches may run concurrently, but the results are as if they had
 * run one after the other. */
void ingot_rt_run(ingot_context *ctx, uint8_t *arena, const ingot_launch *rows,
                  int64_t count);

/* Copies `size` bytes between variables, temporaries and results of the running
 * entry. The copy runs on the device if the bytes were computed there. Programs
 * with code for a device call this instead of copying themselves, because the
 * newest bytes may be on the device. */
void ingot_rt_copy(ingot_context *ctx, void *to, const void *from,
                   int64_t size);

/* Parses `count` serialized Examples into spec->num_dense dense outputs, each
 * [count, dims...] row-major (ParseExampleV2; count is 1 for one example). */
int32_t ingot_rt_parse_example(ingot_context *ctx,
                               const struct ingot_parse_spec *spec,
                               const ingot_string *serialized, int64_t count,
                               void *const *outputs);

/* The code that an entry returns if ingot_rt_allocate fails. */
#define INGOT_RESOURCE_EXHAUSTED 8

/* Allocates at least `size` bytes, aligned to INGOT_ALIGNMENT, which are valid
 * until the next entry or function runs in `ctx`, or until they are released.
 * Returns null, after recording the error, if there is no memory. */
void *ingot_rt_allocate(ingot_context *ctx, int64_t size);

/* Frees memory of ingot_rt_allocate early; `memory` may be null. */
void ingot_rt_release(ingot_context *ctx, void *memory);

/* Like ingot_rt_allocate and ingot_rt_release, for memory that only kernels and
 * ingot_rt_copy access. If kernels run on a device, the contents of the memory
 * stay there. Called by entries only. */
void *ingot_rt_allocate_for_kernels(ingot_context *ctx, int64_t size);
void ingot_rt_release_for_kernels(ingot_context *ctx, void *memory);

/* The type of runtime ops (runtime/Ops), functions named `ingot_op_<mnemonic>`.
 * Inputs have data and dims. An output has its rank, its dtype and room for its
 * dims. If its shape is static, its dims are set and `data` is memory of that
 * size; otherwise `data` is null, and the op sets the dims and allocates `data`
 * by ingot_rt_allocate. */
typedef int32_t (*ingot_runtime_op)(ingot_context *ctx,
                                    const struct ingot_op *op,
                                    const ingot_tensor *inputs,
                                    ingot_tensor *outputs);

/* Runs `kernel` on [0, count), split among the threads of the context. Runtime
 * ops call this. The results of an iteration do not depend on the split. */
void ingot_rt_parallel(ingot_context *ctx, ingot_kernel kernel, int64_t count,
                       void *const *arguments);

#ifdef __cplusplus
}
#endif

#endif /* INGOT_RUNTIME_ABI_CALLS_H */
