/*===- Dataset.h - Tables of datasets -----------------------------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that describe a program's datasets, the functions that datasets */
/* call on their elements, and its iterators.                                 */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_DATASET_H
#define INGOT_RUNTIME_ABI_DATASET_H

#include "runtime/ABI/CodeSignature.h"
#include "runtime/ABI/Launch.h"
#include "runtime/ABI/Tensor.h"

/* The largest depth of a tree of datasets, and the largest number of datasets
 * in it. Real pipelines are far below these limits. */
#define INGOT_MAX_DATASET_DEPTH 40u
#define INGOT_MAX_DATASETS 10000u

#ifdef __cplusplus
extern "C" {
#endif

/* ingot_function.parsed[i] if output i is not a dense feature. */
#define INGOT_COMPUTED UINT32_MAX

/* ingot_dense_feature, ingot_parse_spec, ingot_function, ingot_dataset_operand,
 * ingot_attribute, ingot_dataset, ingot_iterator, ingot_alternative */
#define INGOT_TABLES "runtime/ABI/Dataset.def"
#include "runtime/ABI/DeclareStructs.def"

#ifdef __cplusplus
}
#endif

#endif /* INGOT_RUNTIME_ABI_DATASET_H */
