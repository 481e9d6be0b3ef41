//===- Pipeline.h - Checks and describes pipelines --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Checks an iterator's tree of datasets statically, reporting all errors, and
// describes it by a text that distinguishes it from other pipelines.
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
/// operands and functions. A failure names every faulty dataset; it is
/// Unimplemented if an op or its use is not supported.
Status checkPipeline(const ingot_program &program, uint32_t iterator);

/// Returns one line per dataset, outermost first, each input indented by two
/// more spaces: op, and the operands and attributes that determine the elements
/// and their order. Long constants are described by type, shape and checksum.
/// `root` is a pipeline's root dataset, which has passed checkPipeline().
std::vector<std::string> describePipeline(const ingot_program &program,
                                          uint32_t root);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_PIPELINE_H
