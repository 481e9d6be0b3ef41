//===- MetaGraphScope.cpp - The part of a graph below a name scope --------===//
// SPDX-License-Identifier: Apache-2.0
//
// Implements tf.train.export_meta_graph(export_scope=...) as TensorFlow's
// export_scoped_meta_graph does.
//
//===----------------------------------------------------------------------===//

#include "runtime/Checkpoint/ControlFlowContexts.h"
#include "runtime/Checkpoint/MetaGraph.h"
#include "runtime/Checkpoint/MetaGraphWire.h"

#include <algorithm>
#include <iterator>
#include <vector>

using namespace ingot;
using namespace ingot::wire;

namespace {

constexpr std::string_view unboundPrefix = "$unbound_inputs_",
                           unboundCollection = "unbound_inputs";

// The collections whose elements are VariableDefs, which contain names of
// nodes.
constexpr std::string_view variableCollections[] = {
    "variables",       "trainable_variables", "local_variables",
    "model_variables", "metric_variables",    "moving_average_variables",
    "global_step"};

template <size_t N>
bool isOneOf(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Removes the export scope from the names in a graph, and drops the nodes
/// outside of the scope.
class ExportScopeStripper {
public:
  ExportScopeStripper(std::string_view metaGraph,
                      const MetaGraphExportOptions &edits)
      : metaGraph(metaGraph), edits(edits), scope(edits.exportScope) {}

  Expected<std::string> run();

private:
  bool isInside(std::string_view name) const { return name.starts_with(scope); }
  std::string strip(std::string_view name) const;
  std::string input(std::string_view name);
  std::string attribute(std::string_view op, std::string_view entry);
  std::string node(std::string_view message);
  std::string graph(std::string_view message);
  std::string variable(std::string_view message);
  void collection(std::string_view entry, std::string &out);
  void addUnbound(std::string &out) const;
  std::string
  rewrite(std::string_view message,
          const std::function<bool(const WireField &, std::string &)> &edit) {
    return wire::rewrite(message, edit, broken);
  }

  std::string_view metaGraph;
  const MetaGraphExportOptions &edits;
  std::string_view scope;
  std::vector<std::string> unbound;
  bool broken = false;
};

/// Removes the scope from a name: "hidden/kernel" becomes "kernel",
/// "^hidden/kernel" becomes "^kernel", "loc:@hidden/kernel" becomes
/// "loc:@kernel". Returns names outside of the scope unchanged.
std::string ExportScopeStripper::strip(std::string_view name) const {
  std::string_view bare = scope, rest = name, mark;
  if (bare.ends_with('/'))
    bare.remove_suffix(1);
  for (std::string_view start : {"^", "loc:@"})
    if (rest.starts_with(start)) {
      mark = start;
      rest.remove_prefix(start.size());
      break;
    }
  if (!rest.starts_with(bare) || !rest.substr(bare.size()).starts_with('/'))
    return std::string(name);
  rest.remove_prefix(
      std::min(rest.find_first_not_of('/', bare.size()), rest.size()));
  return std::string(mark) + std::string(rest);
}

std::string ExportScopeStripper::input(std::string_view name) {
  bool isControl = name.starts_with('^');
  if (isInside(name.substr(isControl)))
    return strip(name);
  std::string renamed = (isControl ? "^" : "") + std::string(unboundPrefix) +
                        std::string(name.substr(isControl));
  unbound.push_back(renamed);
  return renamed;
}

/// Edits an attribute of a node. Only two attributes contain names of scopes:
/// the list of colocations (`_class`), and the frame name of an Enter op.
std::string ExportScopeStripper::attribute(std::string_view op,
                                           std::string_view entry) {
  std::string_view key = fieldOf(entry, mapKey);
  std::string_view value = fieldOf(entry, mapValue);
  std::string renamed, out;
  if (key == "_class") {
    std::string kept =
        rewrite(fieldOf(value, attrValue::list),
                [&](const WireField &field, std::string &list) {
                  if (field.number != attrValue::listS)
                    return true;
                  size_t at = field.payload.find('@');
                  if (at != std::string_view::npos &&
                      isInside(field.payload.substr(at + 1)))
                    appendMessage(list, attrValue::listS, strip(field.payload));
                  return true;
                });
    appendMessage(renamed, attrValue::list, kept);
  } else if ((op == "Enter" || op == "RefEnter") && key == "frame_name") {
    appendMessage(renamed, attrValue::s, strip(fieldOf(value, attrValue::s)));
  } else {
    return std::string(entry);
  }
  appendMessage(out, mapKey, key);
  appendMessage(out, mapValue, renamed);
  return out;
}

std::string ExportScopeStripper::node(std::string_view message) {
  std::string_view op = fieldOf(message, nodeDef::op);
  return rewrite(message, [&](const WireField &field, std::string &out) {
    switch (field.number) {
    case nodeDef::name:
      appendMessage(out, field.number, strip(field.payload));
      return true;
    case nodeDef::input:
      appendMessage(out, field.number, input(field.payload));
      return true;
    case nodeDef::attr:
      appendMessage(out, field.number, attribute(op, field.payload));
      return true;
    default:
      return false;
    }
  });
}

std::string ExportScopeStripper::graph(std::string_view message) {
  return rewrite(message, [&](const WireField &field, std::string &out) {
    if (field.number != graphDef::node)
      return false;
    if (isInside(fieldOf(field.payload, nodeDef::name)))
      appendMessage(out, field.number, node(field.payload));
    return true;
  });
}

/// Removes the export scope from the node names in a VariableDef, and from the
/// full name in the slice info of a partitioned variable.
std::string ExportScopeStripper::variable(std::string_view message) {
  return rewrite(message, [&](const WireField &field, std::string &out) {
    switch (field.number) {
    case variableDef::variable:
    case variableDef::initializer:
    case variableDef::snapshot:
    case variableDef::initialValue:
      appendMessage(out, field.number, strip(field.payload));
      return true;
    case variableDef::slice:
      appendMessage(out, field.number,
                    rewrite(field.payload, [&](const WireField &part,
                                               std::string &slice) {
                      if (part.number != variableDef::sliceFullName)
                        return false;
                      appendMessage(slice, part.number, strip(part.payload));
                      return true;
                    }));
      return true;
    default:
      return false;
    }
  });
}

/// Keeps the collection's elements that belong to the exported name scope, and
/// removes the scope from the names in them. Appends the collection to `out`,
/// unless none of its elements is kept.
void ExportScopeStripper::collection(std::string_view entry, std::string &out) {
  std::string_view key = fieldOf(entry, mapKey);
  std::string_view value = fieldOf(entry, mapValue);
  bool isSavers = key == "savers",
       isVariables = isOneOf(variableCollections, key),
       isContexts = isContextCollection(key);
  size_t kept = 0;
  auto keep = [&](const WireField &item, std::string &list) {
    if (isSavers) {
      std::string saver;
      for (uint32_t name : {saverDef::filenameTensor, saverDef::saveTensor,
                            saverDef::restoreOp})
        if (!isInside(fieldOf(item.payload, name)))
          return true;
      saver =
          rewrite(item.payload, [&](const WireField &field, std::string &edit) {
            if (field.number > saverDef::restoreOp)
              return false;
            appendMessage(edit, field.number, strip(field.payload));
            return true;
          });
      appendMessage(list, item.number, saver);
    } else if (isVariables) {
      if (!isInside(fieldOf(item.payload, variableDef::variable)))
        return true;
      appendMessage(list, item.number, variable(item.payload));
    } else if (isContexts) {
      if (!isInside(contextName(item.payload)))
        return true;
      appendMessage(list, item.number,
                    renameContext(
                        key, item.payload,
                        [&](std::string_view name) { return strip(name); },
                        broken));
    } else {
      list += item.whole;
    }
    ++kept;
    return true;
  };
  std::string lists = rewrite(value, [&](const WireField &list,
                                         std::string &edit) {
    if (list.number != collectionDef::nodeList &&
        list.number != collectionDef::bytesList) {
      ++kept;
      return false;
    }
    appendMessage(
        edit, list.number,
        rewrite(list.payload, [&](const WireField &item, std::string &items) {
          if (list.number == collectionDef::bytesList)
            return keep(item, items);
          if (isInside(item.payload)) {
            appendMessage(items, item.number, strip(item.payload));
            ++kept;
          }
          return true;
        }));
    return true;
  });
  if (kept == 0)
    return;
  std::string edited;
  appendMessage(edited, mapKey, key);
  appendMessage(edited, mapValue, lists);
  appendMessage(out, metaGraphDef::collection, edited);
}

/// Appends collection `unbound_inputs`, which lists the inputs from outside of
/// the export scope, unless collection_list excludes it.
void ExportScopeStripper::addUnbound(std::string &out) const {
  bool isWanted =
      !edits.collections ||
      std::find(edits.collections->begin(), edits.collections->end(),
                unboundCollection) != edits.collections->end();
  if (unbound.empty() || !isWanted)
    return;
  std::string list, value, entry;
  for (const std::string &name : unbound)
    appendMessage(list, collectionDef::value, name);
  appendMessage(value, collectionDef::bytesList, list);
  appendMessage(entry, mapKey, unboundCollection);
  appendMessage(entry, mapValue, value);
  appendMessage(out, metaGraphDef::collection, entry);
}

Expected<std::string> ExportScopeStripper::run() {
  std::string out =
      rewrite(metaGraph, [&](const WireField &field, std::string &edited) {
        if (field.number == metaGraphDef::graph) {
          appendMessage(edited, field.number, graph(field.payload));
          return true;
        }
        if (field.number != metaGraphDef::collection)
          return false;
        collection(field.payload, edited);
        return true;
      });
  addUnbound(out);
  if (broken)
    return Status(StatusCode::DataLoss,
                  "the program is damaged and must be compiled again: the "
                  "graph in it is not a valid MetaGraphDef");
  return out;
}

} // namespace

Expected<std::string> ingot::cutToScope(std::string_view metaGraph,
                                        const MetaGraphExportOptions &edits) {
  return ExportScopeStripper(metaGraph, edits).run();
}
