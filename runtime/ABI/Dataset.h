/*===- Dataset.h - Tables of datasets -----------------------------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that describe a program's datasets, the functions that datasets */
/* call on their elements, and its iterators.                                 */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_DATASET_H
#define INGOT_RUNTIME_ABI_DATASET_H

#include "runtime/ABI/Code.h"
#include "runtime/ABI/Launch.h"
#include "runtime/ABI/Tensor.h"

/* Limits far above any real pipeline: the depth of a tree of datasets, and the
 * number of datasets. */
#define INGOT_MAX_DATASET_DEPTH 40u
#define INGOT_MAX_DATASETS 10000u

#ifdef __cplusplus
extern "C" {
#endif

/* The value in ingot_function.parsed for an output that is not a dense feature.
 * */
#define INGOT_COMPUTED UINT32_MAX

/* ingot_dense_feature, ingot_parse_spec, ingot_function, ingot_dataset_operand,
 * ingot_attribute, ingot_dataset, ingot_iterator, ingot_alternative */
#define INGOT_TABLES "runtime/ABI/Dataset.def"
#include "runtime/ABI/Declare.def"

#ifdef __cplusplus
}
#endif

#endif /* INGOT_RUNTIME_ABI_DATASET_H */
