//===- ControlFlowContexts.h - Names in control flow contexts ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The elements of the collections `cond_context`, `while_context` and
// `queue_runners` contain names of nodes: they describe TensorFlow 1's
// conditionals and loops, and the threads that fill a queue. If a graph is
// moved into a name scope or out of it, these names have to be changed.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_CONTROLFLOWCONTEXTS_H
#define INGOT_RUNTIME_CHECKPOINT_CONTROLFLOWCONTEXTS_H

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

/// Returns true if the elements of collection `key` are messages that
/// renameContext() can edit.
bool isContextCollection(std::string_view key);

/// Returns the name that decides whether `element` belongs to a name scope: the
/// name of the control flow context, or of the queue that the runner fills.
/// isContextCollection() must be true for the element's collection.
std::string_view contextName(std::string_view element);

/// Returns `element` of collection `key` with every name replaced by
/// `rename(name)`, also in nested contexts. Sets `broken` if `element` cannot
/// be parsed.
std::string
renameContext(std::string_view key, std::string_view element,
              const std::function<std::string(std::string_view)> &rename,
              bool &broken);

/// Calls `visit` for each loop in `element` of collection `key`, outer loops
/// first, with the loop's name and the names of the tensors in its context.
void forEachLoop(
    std::string_view key, std::string_view element,
    const std::function<void(std::string_view name,
                             const std::vector<std::string_view> &tensors)>
        &visit);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_CONTROLFLOWCONTEXTS_H
