//===- FeedableIterators.cpp - Iterators whose handles are fed ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Graph/FeedableIterators.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <functional>

using namespace llvm;

namespace ingot::importer {

static bool isFeedable(const proto::NodeDef &node) {
  return node.op() == "IteratorFromStringHandle" ||
         node.op() == "IteratorFromStringHandleV2";
}

static bool isOwnIterator(const proto::NodeDef &node) {
  return node.op() == "IteratorV2" || node.op() == "Iterator" ||
         node.op() == "OneShotIterator";
}

bool hasFeedableIterators(const proto::MetaGraphDef &graph) {
  return any_of(graph.graph_def().node(), isFeedable);
}

namespace {

class FeedableIteratorConnector {
public:
  FeedableIteratorConnector(proto::GraphDef &graph,
                            ArrayRef<std::string> choices,
                            ImportErrors &problems)
      : graph(graph), problems(problems) {
    for (proto::NodeDef &node : *graph.mutable_node())
      nodes[node.name()] = &node;
    for (const proto::NodeDef &node : graph.node())
      if (node.op() == "IteratorToStringHandle")
        if (const proto::NodeDef *iterator = inputOf(node))
          withHandle.push_back(iterator);
    for (StringRef choice : choices)
      readChoice(choice);
  }

  void run() {
    for (proto::NodeDef &node : *graph.mutable_node())
      if (isFeedable(node))
        connect(node);
    for (const auto &choice : chosen)
      if (!used.contains(choice.first()))
        problems.unknownName("--iterator: no IteratorFromStringHandle reads '" +
                             choice.first() +
                             "', so it is not fed with the handle of an "
                             "iterator");
  }

private:
  /// Returns the node that computes the first input of `node`, skipping
  /// Identity nodes. Returns null if there is no such node.
  const proto::NodeDef *inputOf(const proto::NodeDef &node) const {
    const proto::NodeDef *found = &node;
    for (int steps = 0; steps < graph.node_size(); ++steps) {
      if (found->input_size() == 0)
        return nullptr;
      found = nodes.lookup(StringRef(found->input(0)).split(':').first);
      if (!found || found->op() != "Identity")
        return found;
    }
    return nullptr;
  }

  void readChoice(StringRef choice) {
    auto [handle, iterator] = choice.split('=');
    handle.consume_back(":0");
    const proto::NodeDef *found = nodes.lookup(iterator);
    if (!nodes.contains(handle))
      problems.unknownName("--iterator: the graph has no node '" + handle +
                           "'");
    else if (!found)
      problems.unknownName("--iterator: the graph has no node '" + iterator +
                           "'");
    else if (!isOwnIterator(*found))
      problems.unknownName("--iterator: '" + iterator + "' (" + found->op() +
                           ") is not an iterator");
    else if (!chosen.try_emplace(handle, found).second)
      problems.unknownName("--iterator: two iterators are given for '" +
                           handle + "'; give only one");
  }

  static bool haveSameTypes(const proto::NodeDef &a, const proto::NodeDef &b) {
    auto typesOf = [](const proto::NodeDef &node) {
      auto found = node.attr().find("output_types");
      return found == node.attr().end()
                 ? std::vector<int>()
                 : std::vector<int>(found->second.list().type().begin(),
                                    found->second.list().type().end());
    };
    // A node that lists no types takes elements of any type.
    std::vector<int> types = typesOf(a);
    return types.empty() || types == typesOf(b);
  }

  /// Returns the iterators from which `node`, an IteratorFromStringHandle, may
  /// draw: the iterators whose element types match. If the graph computes
  /// string handles of some of these iterators, returns only those.
  SmallVector<const proto::NodeDef *>
  candidatesOf(const proto::NodeDef &node) const {
    SmallVector<const proto::NodeDef *> candidates;
    for (const proto::NodeDef &other : graph.node())
      if (isOwnIterator(other) && haveSameTypes(node, other))
        candidates.push_back(&other);
    auto hasHandle = [&](const proto::NodeDef *iterator) {
      return is_contained(withHandle, iterator);
    };
    if (any_of(candidates, hasHandle))
      erase_if(candidates, std::not_fn(hasHandle));
    return candidates;
  }

  void connect(proto::NodeDef &node) {
    const proto::NodeDef *handle = inputOf(node);
    const proto::NodeDef *iterator =
        handle ? chosen.lookup(handle->name()) : nullptr;
    SmallVector<const proto::NodeDef *> candidates;
    if (iterator)
      used.insert(handle->name());
    // If no --iterator flag chooses an iterator, and the fed handle is a
    // PlaceholderWithDefault, use the iterator whose handle is the default.
    if (!iterator && handle && handle->op() == "PlaceholderWithDefault")
      if (const proto::NodeDef *byDefault = inputOf(*handle);
          byDefault && byDefault->op() == "IteratorToStringHandle")
        handle = byDefault;
    if (!iterator && handle && handle->op() == "IteratorToStringHandle") {
      iterator = inputOf(*handle);
    } else if (handle) {
      candidates = candidatesOf(node);
      if (!iterator && candidates.size() == 1)
        iterator = candidates.front();
    }
    if (!iterator) {
      (*node.mutable_attr())[feedableIteratorAttrName.str()].set_s(
          reason(handle, candidates));
      return;
    }
    proto::NodeDef forward;
    forward.set_name(node.name());
    forward.set_op("Identity");
    forward.set_device(node.device());
    forward.add_input(iterator->name());
    (*forward.mutable_attr())["T"].set_type(proto::DT_RESOURCE);
    node = forward;
  }

  static std::string reason(const proto::NodeDef *handle,
                            ArrayRef<const proto::NodeDef *> candidates) {
    if (!handle)
      return "its input is missing";
    if (candidates.empty())
      return "no iterator of the graph has elements of its types";
    std::vector<std::string> names;
    for (const proto::NodeDef *candidate : candidates)
      names.push_back("'" + candidate->name() + "'");
    return "the iterator whose handle is fed to '" + handle->name() +
           "' is not known when the program is compiled; choose one of " +
           join(names, ", ") + " with --iterator " + handle->name() +
           "=ITERATOR";
  }

  proto::GraphDef &graph;
  ImportErrors &problems;
  StringMap<proto::NodeDef *> nodes;
  /// The iterators whose string handles the graph computes.
  SmallVector<const proto::NodeDef *> withHandle;
  StringMap<const proto::NodeDef *> chosen;
  StringSet<> used; // the keys of `chosen` that are read
};

} // namespace

void connectFeedableIterators(proto::MetaGraphDef &graph,
                              ArrayRef<std::string> choices,
                              ImportErrors &problems) {
  FeedableIteratorConnector(*graph.mutable_graph_def(), choices, problems)
      .run();
}

} // namespace ingot::importer
