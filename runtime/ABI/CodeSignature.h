/*===- CodeSignature.h - Signature of entries and functions -------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INGOT_RUNTIME_ABI_CODESIGNATURE_H
#define INGOT_RUNTIME_ABI_CODESIGNATURE_H

#include "runtime/ABI/Tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ingot_context ingot_context; /* opaque to compiled code */

/* A compiled entry or dataset function. `arena` is scratch memory of the size
 * and alignment that the descriptor states; buffers of dynamic size are
 * allocated by ingot_rt_allocate. `variables` are the addresses of all
 * variables of the program, in the order of the descriptor, and so are `feeds`
 * and `fetches`. If a fetch has a static shape in the descriptor, the caller
 * provides dims and memory. Otherwise the code sets both; they are valid until
 * the next entry or function runs in `ctx`. Returns 0, or the code of the error
 * that the failed runtime call recorded for the thread. */
typedef int32_t (*ingot_code)(ingot_context *ctx, uint8_t *arena,
                              void *const *variables, const ingot_tensor *feeds,
                              ingot_tensor *fetches);

#ifdef __cplusplus
}
#endif

#endif /* INGOT_RUNTIME_ABI_CODESIGNATURE_H */
