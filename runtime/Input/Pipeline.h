//===- Pipeline.h - A whole pipeline, checked and described -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Static checks of an iterator's tree of datasets: all of its errors, and a
// text that distinguishes it from other pipelines.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_PIPELINE_H
#define INGOT_RUNTIME_INPUT_PIPELINE_H

#include "runtime/ABI/Dataset.h"
#include "runtime/Support/Status.h"

#include <string>
#include <vector>

struct ingot_program;

namespace ingot::input {

/// Checks the tables of all pipelines of iterator `iterator`: ops, indices,
/// operands, functions. Names each dataset that has something wrong, in one
/// message; Unimplemented where an op or the use of one is not supported.
Status checkPipeline(const ingot_program &program, uint32_t iterator);

/// One line for each dataset, outermost first, two spaces deeper for each step
/// toward the sources: op, operands and attributes that decide which elements
/// come in which order. Long constants are given by type, shape and checksum.
/// `root` is the pipeline's, which has passed checkPipeline().
std::vector<std::string> describePipeline(const ingot_program &program,
                                          uint32_t root);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_PIPELINE_H
