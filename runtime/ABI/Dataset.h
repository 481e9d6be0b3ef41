/*===- Dataset.h - Pipelines as tables --------------------------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of a program's datasets, of the functions that they map over  */
/* their elements, and of its iterators.                                      */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_DATASET_H
#define INGOT_RUNTIME_ABI_DATASET_H

#include "runtime/ABI/Code.h"
#include "runtime/ABI/Launch.h"
#include "runtime/ABI/Tensor.h"

/* Far above any real pipeline: datasets above each other, and in all. */
#define INGOT_MAX_DATASET_DEPTH 40u
#define INGOT_MAX_DATASETS 10000u

#ifdef __cplusplus
extern "C" {
#endif

/* In ingot_function.parsed: no dense feature has the output's elements. */
#define INGOT_COMPUTED UINT32_MAX

/* ingot_dense_feature, ingot_parse_spec, ingot_function, ingot_dataset_operand,
 * ingot_attribute, ingot_dataset, ingot_iterator, ingot_alternative */
#define INGOT_TABLES "runtime/ABI/Dataset.def"
#include "runtime/ABI/Declare.def"

#ifdef __cplusplus
}
#endif

#endif /* INGOT_RUNTIME_ABI_DATASET_H */
