//===- Tool.h - The verbs of ingot-ckpt -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Inspects, verifies, converts and edits checkpoints without TensorFlow.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINTTOOL_TOOL_H
#define INGOT_RUNTIME_CHECKPOINTTOOL_TOOL_H

#include "runtime/Checkpoint/CheckpointReader.h"
#include "runtime/CommandLine/VerbTool.h"

namespace ingot::ckpt {

using namespace tools;

extern const Verb lsVerb, catVerb, diffVerb, verifyVerb, convertVerb, mergeVerb,
    reshardVerb, renameVerb, stripVerb, averageVerb, pruneVerb, iteratorVerb;

/// ingot-ckpt's main().
int toolMain(int argc, char **argv, FileSystem &fileSystem);

/// "float32[2,3]".
std::string typeText(const CheckpointEntry &entry);

/// Bytes of the elements of tensor `key`; of V1's strings, which nothing says
/// without reading them, 0.
uint64_t bytesOf(const CheckpointReader &reader, const std::string &key);

} // namespace ingot::ckpt

#endif // INGOT_RUNTIME_CHECKPOINTTOOL_TOOL_H
