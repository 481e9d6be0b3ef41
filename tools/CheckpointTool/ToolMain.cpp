//===- ToolMain.cpp - Command line of ingot-ckpt --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/CheckpointTool/Tool.h"

#include "runtime/Session/StopSignals.h"
#include "runtime/Support/DType.h"

using namespace ingot;
using namespace ingot::ckpt;

static const ToolSubcommand *const verbs[] = {
    &lsVerb,    &catVerb,      &diffVerb,    &verifyVerb,      &convertVerb,
    &mergeVerb, &reshardVerb,  &renameVerb,  &stripVerb,       &averageVerb,
    &pruneVerb, &iteratorVerb, &latestVerb,  &stateVerb,       &lastVerb,
    &timesVerb, &removeVerb,   &setLastVerb, &setLastTimedVerb};

std::string ckpt::typeText(const CheckpointEntry &entry) {
  return dtypeName(entry.dtype) + shapeText(entry.shape);
}

uint64_t ckpt::bytesOf(const CheckpointReader &reader, const std::string &key) {
  const CheckpointEntry &entry = *reader.find(key);
  uint64_t bytes = 0;
  for (const TensorLocation &part : reader.parts(key))
    bytes += part.size;
  if (reader.format() == CheckpointReader::Format::V1)
    bytes = static_cast<uint64_t>(elementCount(entry.shape).value_or(0)) *
            dtypeSize(entry.dtype);
  return bytes;
}

static const ToolHelp help = {
    "ingot-ckpt",
    "Inspects and edits checkpoints: TensorFlow's V2 and V1, SavedModels' "
    "variables,\nobject-based ones, and safetensors files.",
    "VERB PREFIX ... [FLAGS]",
    "PREFIX is TensorFlow's, 'run/model.ckpt-60'; a directory means its "
    "newest\ncheckpoint, a SavedModel its variables. 'ingot-ckpt VERB --help' "
    "lists a\nverb's flags; --version prints versions.",
    "0 done, 1 failed (diff: they differ), 2 wrong usage, 4 no "
    "usable\ncheckpoint or a damaged one",
    "reads checkpoints V1, V2 and safetensors, writes V2, safetensors and npz",
    verbs};

int ckpt::toolMain(int argc, char **argv, FileSystem &fileSystem) {
  // Ctrl-C ends the work between two tensors, so no temporary files are left.
  StopSignals signals;
  return runTool(help, argc, argv, fileSystem);
}
