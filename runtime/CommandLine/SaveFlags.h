//===- SaveFlags.h - How a trainer saves, from its flags --------*- C++ -*-===//
//
// The options of tf.train.Saver that a graph doesn't state, or that its user
// wants otherwise.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_SAVEFLAGS_H
#define INGOT_RUNTIME_COMMANDLINE_SAVEFLAGS_H

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Checkpoint/MetaGraph.h"
#include "runtime/CommandLine/Flags.h"
#include "runtime/Hooks/CheckpointSaverHook.h"

struct ingot_program;

namespace ingot {

/// The flags about how checkpoints are written, for the tables of verbs.
inline constexpr FlagSpec saveFlags[] = {
    {"--keep-checkpoint-max", "N",
     "keep the newest N checkpoints, 0: all (default: the graph's)"},
    {"--keep-checkpoint-every-n-hours", "H",
     "besides, keep one for every H hours (default: the graph's)"},
    {"--shards", "N",
     "write checkpoints in N files of one size (default: the graph's)"},
    {"--checkpoint-basename", "NAME",
     "what checkpoints are called (default: model.ckpt)"},
    {"--pad-step-number", nullptr,
     "pad their step to eight digits: model.ckpt-00000060"},
    {"--latest-filename", "NAME",
     "the file that names the newest checkpoint (default: checkpoint)"},
    {"--save-relative-paths", "true|false",
     "name checkpoints there relative to DIR (default: true)"},
    {"--no-state-file", nullptr,
     "write no such file, and keep all checkpoints"},
    {"--write-version", "v1|v2", "the format of checkpoints (default: v2)"},
    {"--sync-saves", nullptr, "wait for each checkpoint before the next step"},
    {"--on-failed-save", "stop|continue",
     "when a checkpoint can't be written (default: stop)"},
    {"--write-meta-graph", nullptr, "write the graph beside each checkpoint"},
    {"--meta-graph-suffix", "SUFFIX",
     "what that file's name ends in (default: meta)"},
    {"--clear-devices", nullptr, "write it without devices"},
    {"--strip-default-attrs", nullptr,
     "write it without attributes that have their default value"},
    {"--clear-extraneous-savers", nullptr,
     "write it without savers other than its first"},
    {"--collection-list", "NAME,NAME", "write it with these collections only"},
    {"--export-scope", "SCOPE",
     "write the part of it in this name scope, without the scope"},
    {"--as-text", nullptr, "write it as text"},
    {"--debug-info", nullptr,
     "write where its nodes were made, too: model.ckpt-60.debug"},
};

/// Reads them; `checkpoints` holds what the program's saver says.
std::optional<UsageError> readSaveFlags(const ParsedFlags &flags,
                                        const ingot_program &program,
                                        CheckpointManagerOptions &checkpoints,
                                        SavePolicy &policy);

/// The graph that `program` carries along, edited, as a serialized MetaGraphDef
/// that TensorFlow could have written; "" where the program has none.
Expected<std::string> embeddedMetaGraph(const ingot_program &program,
                                        const MetaGraphEdits &edits = {});

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_SAVEFLAGS_H
