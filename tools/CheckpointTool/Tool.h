//===- Tool.h - The verbs of ingot-ckpt -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Inspects, verifies, converts and edits checkpoints without TensorFlow.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TOOLS_CHECKPOINTTOOL_TOOL_H
#define INGOT_TOOLS_CHECKPOINTTOOL_TOOL_H

#include "runtime/Checkpoint/CheckpointReader.h"
#include "runtime/CommandLine/VerbTool.h"

namespace ingot::ckpt {

using namespace tools;

extern const tools::ToolSubcommand lsVerb, catVerb, diffVerb, verifyVerb,
    convertVerb, mergeVerb, reshardVerb, renameVerb, stripVerb, averageVerb,
    pruneVerb, iteratorVerb, latestVerb, stateVerb, lastVerb, timesVerb,
    removeVerb, setLastVerb, setLastTimedVerb;

/// The main function of ingot-ckpt. Returns the exit code.
int toolMain(int argc, char **argv, FileSystem &fileSystem);

/// Returns a tensor's type and shape as text, such as "float32[2,3]".
std::string typeText(const CheckpointEntry &entry);

/// Returns the number of bytes that the elements of tensor `key` take. Returns
/// 0 for strings in V1 checkpoints, whose size is known only after reading
/// them.
uint64_t bytesOf(const CheckpointReader &reader, const std::string &key);

} // namespace ingot::ckpt

#endif // INGOT_TOOLS_CHECKPOINTTOOL_TOOL_H
