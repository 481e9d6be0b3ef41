/*===- Op.h - A call of a runtime op ------------------------------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INGOT_RUNTIME_ABI_OP_H
#define INGOT_RUNTIME_ABI_OP_H

#include "runtime/ABI/Tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ingot_op_attribute, ingot_op */
#define INGOT_TABLES "runtime/ABI/Op.def"
#include "runtime/ABI/DeclareStructs.def"

#ifdef __cplusplus
}
#endif

#endif /* INGOT_RUNTIME_ABI_OP_H */
