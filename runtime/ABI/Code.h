/*===- Code.h - Entries and functions as C calls them -----------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INGOT_RUNTIME_ABI_CODE_H
#define INGOT_RUNTIME_ABI_CODE_H

#include "runtime/ABI/Tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ingot_context ingot_context; /* the runtime's; opaque to code */

/* An entry or a dataset function. `arena` is scratch memory of the size and
 * alignment that the descriptor states; buffers whose sizes are known only at
 * run time are allocated by ingot_rt_allocate. `variables` are the addresses of
 * all the program's variables, by index; `feeds` and `fetches` are in the order
 * of the descriptor. For a fetch whose shape the descriptor states, the caller
 * provides dims and memory; for any other, the code sets both, and they are
 * valid until the next entry or function runs in `ctx`. Returns 0, or the code
 * of the error that the failed runtime call recorded in the context. */
typedef int32_t (*ingot_code)(ingot_context *ctx, uint8_t *arena,
                              void *const *variables, const ingot_tensor *feeds,
                              ingot_tensor *fetches);

#ifdef __cplusplus
}
#endif

#endif /* INGOT_RUNTIME_ABI_CODE_H */
