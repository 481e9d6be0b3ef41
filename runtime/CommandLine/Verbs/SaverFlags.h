//===- SaverFlags.h - Flags about saving checkpoints ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The flags for options of tf.train.Saver. Some options are not stated in a
// graph; other flags override what the graph states.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_VERBS_SAVERFLAGS_H
#define INGOT_RUNTIME_COMMANDLINE_VERBS_SAVERFLAGS_H

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Checkpoint/MetaGraph.h"
#include "runtime/CommandLine/Flags.h"
#include "runtime/Hooks/CheckpointSaverHook.h"

struct ingot_program;

namespace ingot {

/// The flags that choose which parts of the program's graph a meta graph
/// contains.
inline constexpr FlagSpec metaGraphFlags[] = {
    {"--clear-devices", nullptr, "omit devices from meta graphs"},
    {"--strip-default-attrs", nullptr,
     "omit attributes with default values from meta graphs"},
    {"--clear-extraneous-savers", nullptr,
     "omit all savers but the first from meta graphs"},
    {"--collection-list", "NAME,NAME",
     "write only these collections to meta graphs"},
    {"--export-scope", "SCOPE",
     "write only the nodes in this name scope, without the scope"},
    {"--as-text", nullptr, "write meta graphs as text"},
    {"--debug-info", nullptr,
     "write debug info beside meta graphs: model.ckpt-60.debug"},
};

inline constexpr FlagSpec checkpointFlags[] = {
    {"--keep-checkpoint-max", "N",
     "keep the newest N checkpoints, 0: all (default: the graph's)"},
    {"--keep-checkpoint-every-n-hours", "H",
     "also keep one checkpoint every H hours (default: the graph's)"},
    {"--shards", "N",
     "write checkpoints in N shards of equal size (default: the graph's)"},
    {"--checkpoint-basename", "NAME",
     "use this base name for checkpoints (default: model.ckpt)"},
    {"--save-variables", "list|needed|all",
     "save the variables in the list of the graph's saver, also those that "
     "resuming needs, or all (default: needed)"},
    {"--no-step-number", nullptr,
     "name each checkpoint alike, after the graph's saver unless "
     "--checkpoint-basename is given"},
    {"--pad-step-number", nullptr,
     "pad steps in names to eight digits: model.ckpt-00000060"},
    {"--latest-filename", "NAME", "use this state file (default: checkpoint)"},
    {"--save-relative-paths", "true|false",
     "name checkpoints in the state file relative to DIR (default: true)"},
    {"--no-state-file", nullptr,
     "write no state file and keep all checkpoints"},
    {"--write-version", "v1|v2",
     "write checkpoints in this format (default: v2)"},
    {"--tensorflow-iterators", nullptr,
     "save iterator states in TensorFlow's form, too"},
    {"--sync-saves", nullptr, "finish each checkpoint before the next step"},
    {"--save-copy", "SIZE[K|M|G]",
     "copy up to SIZE of variables for a save in the background; the next step "
     "waits until the rest is written (default: an eighth, but at least 64M)"},
    {"--on-failed-save", "stop|continue",
     "stop or continue after a failed save (default: stop)"},
    {"--write-meta-graph", nullptr,
     "write the meta graph beside each checkpoint"},
    {"--meta-graph-suffix", "SUFFIX",
     "use this suffix for meta graphs (default: meta)"},
};

/// The flags about how checkpoints are written. Several verbs have them in
/// their tables of flags.
inline constexpr auto saveFlags = joinFlags(checkpointFlags, metaGraphFlags);

/// Reads saveFlags into `checkpoints` and `policy`. Before the call,
/// `checkpoints` must have the options of the program's saver.
std::optional<UsageError> readSaveFlags(const ParsedFlags &flags,
                                        const ingot_program &program,
                                        CheckpointManagerOptions &checkpoints,
                                        CheckpointSavePolicy &policy);

/// Returns a value for CheckpointManagerOptions::metaGraph: a function that
/// returns the bytes of the meta graph to write beside each checkpoint. These
/// are the checkpoints of the saver in scope `saver`, or of the session's own
/// saver if `saver` is "". Returns null if --write-meta-graph is not given.
std::function<Expected<std::string>()>
metaGraphOf(const ParsedFlags &flags, const ingot_program &program,
            const std::string &saver = "");

/// Returns the contents of a meta graph file: the program's graph, edited as
/// metaGraphFlags say.
Expected<std::string> metaGraphFile(const ParsedFlags &flags,
                                    const ingot_program &program);

/// Returns the contents of a file with the stack traces of the graph's nodes: a
/// serialized GraphDebugInfo, or its text form with --as-text. Returns NotFound
/// if the graph has none.
Expected<std::string> debugInfoFile(const ParsedFlags &flags,
                                    const ingot_program &program);

/// Returns the graph that is embedded in `program`, with `edits` applied, as a
/// serialized MetaGraphDef that TensorFlow could have written. Returns "" if
/// the program has no graph.
Expected<std::string>
embeddedMetaGraph(const ingot_program &program,
                  const MetaGraphExportOptions &edits = {});

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_VERBS_SAVERFLAGS_H
