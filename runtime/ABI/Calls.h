/*===- Calls.h - Calls from compiled code to the runtime ---------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* Every call that codegen emits, implemented in runtime/Session. A call that */
/* returns int32_t returns 0, or a status code after recording the message in */
/* the context; compiled code hands the code on at once.                      */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_CALLS_H
#define INGOT_RUNTIME_ABI_CALLS_H

#include "runtime/ABI/Code.h"
#include "runtime/ABI/Launch.h"
#include "runtime/ABI/Tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ingot_op;         /* Op.h */
struct ingot_parse_spec; /* Dataset.h */

/* Advances iterator `iterator` and stores data and dims of each component of
 * the element; `components` have their ranks and room for dims. The element
 * belongs to the runtime and lives until the next call for that iterator.
 * OutOfRange at the end of the input. */
int32_t ingot_rt_iterator_next(ingot_context *ctx, uint32_t iterator,
                               ingot_tensor *components);

/* (Re)starts iterator `iterator` at the first element of its dataset, or the
 * iterator of an alternative at the first one of that. */
int32_t ingot_rt_iterator_make(ingot_context *ctx, uint32_t iterator);

/* Runs the program's saver `saver` as its save, or restore, op does;
 * `prefix` is the checkpoint's. */
int32_t ingot_rt_save(ingot_context *ctx, uint32_t saver,
                      const ingot_string *prefix);
int32_t ingot_rt_restore(ingot_context *ctx, uint32_t saver,
                         const ingot_string *prefix);

/* Records a scalar summary of the step that is running, where its summaries
 * are wanted. `value` is one element of type `dtype`. */
void ingot_rt_scalar_summary(ingot_context *ctx, const char *tag, int32_t dtype,
                             const void *value);

/* Records which of `num` variables have no value yet (a ready entry). */
void ingot_rt_report_uninitialized(ingot_context *ctx, uint32_t num,
                                   const uint32_t *variables);

/* The runtime op of `node` begins: what a trace and a watchdog name.
 * The text lives as long as the program. */
void ingot_rt_enter(ingot_context *ctx, const char *node);

/* It has ended. */
void ingot_rt_leave(ingot_context *ctx);

/* Runs the kernels of `count` rows one after the other. Their argument tables
 * lie in `arena`. */
void ingot_rt_run(ingot_context *ctx, uint8_t *arena, const ingot_launch *rows,
                  int64_t count);

/* Copies bytes between variables, temporaries and results of the entry that
 * runs, on the device where they were computed there: what entries of programs
 * with code for a device do instead of copying themselves. */
void ingot_rt_copy(ingot_context *ctx, void *to, const void *from,
                   int64_t size);

/* Parses `count` serialized Examples into spec->num_dense dense outputs, each
 * [count, dims...] row-major (ParseExampleV2; count is 1 for one example). */
int32_t ingot_rt_parse_example(ingot_context *ctx,
                               const struct ingot_parse_spec *spec,
                               const ingot_string *serialized, int64_t count,
                               void *const *outputs);

/* An entry's result where ingot_rt_allocate found no memory. */
#define INGOT_RESOURCE_EXHAUSTED 8

/* Memory of at least `size` bytes, aligned to INGOT_ALIGNMENT, that lives until
 * the next entry or function runs in `ctx`, or until it is released. Null, with
 * the error recorded, when out of memory. */
void *ingot_rt_allocate(ingot_context *ctx, int64_t size);

/* Gives memory back before its time; null is nothing. */
void ingot_rt_release(ingot_context *ctx, void *memory);

/* A runtime op (runtime/Ops): a function named `ingot_op_<mnemonic>`. Inputs
 * have data and dims. An output has its rank, its dtype and room for its dims;
 * where its shape is known when the program is compiled, its dims and memory
 * for its data as well, else `data` is null and the op sets both, with memory
 * of ingot_rt_allocate. */
typedef int32_t (*ingot_runtime_op)(ingot_context *ctx,
                                    const struct ingot_op *op,
                                    const ingot_tensor *inputs,
                                    ingot_tensor *outputs);

/* Runs `kernel` over [0, count), split among the threads of the context: for
 * runtime ops. Results for an index do not depend on the split. */
void ingot_rt_parallel(ingot_context *ctx, ingot_kernel kernel, int64_t count,
                       void *const *arguments);

#ifdef __cplusplus
}
#endif

#endif /* INGOT_RUNTIME_ABI_CALLS_H */
