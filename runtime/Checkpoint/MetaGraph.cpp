//===- MetaGraph.cpp - The graph beside a checkpoint ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/MetaGraph.h"
#include "runtime/Checkpoint/MetaGraphWire.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>
#include <zlib.h>

using namespace ingot;
using namespace ingot::wire;

namespace {

std::string_view scopeOf(std::string_view name) {
  size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view()
                                         : name.substr(0, slash);
}

bool savesOrRestores(std::string_view op) {
  constexpr std::string_view ops[] = {"SaveV2",        "Save",
                                      "SaveSlice",     "LegacySave",
                                      "RestoreV2",     "Restore",
                                      "RestoreSlice",  "LegacySaveSlice",
                                      "LegacyRestore", "LegacyRestoreSlice"};
  return std::find(std::begin(ops), std::end(ops), op) != std::end(ops);
}

/// Applies MetaGraphExportOptions to a serialized MetaGraphDef.
class MetaGraphEditor {
public:
  MetaGraphEditor(std::string_view metaGraph,
                  const MetaGraphExportOptions &edits)
      : metaGraph(metaGraph), edits(edits) {}

  Expected<std::string> run();

private:
  void findDefaults();
  void findExtraneous();
  bool isExtraneous(std::string_view node) const;
  bool isDefault(std::string_view op, std::string_view attribute) const;
  std::string
  rewrite(std::string_view message,
          const std::function<bool(const WireField &, std::string &)> &edit) {
    return wire::rewrite(message, edit, broken);
  }
  std::string info(std::string_view message);
  std::string graph(std::string_view message);
  std::string node(std::string_view message, bool isInFunction);
  std::string function(std::string_view message);
  bool isWanted(std::string_view collection) const {
    return !edits.collections ||
           std::find(edits.collections->begin(), edits.collections->end(),
                     collection) != edits.collections->end();
  }
  bool collection(std::string_view entry, std::string &out);

  std::string_view metaGraph;
  const MetaGraphExportOptions &edits;
  /// For each op, the defaults of its attributes as serialized AttrValues.
  std::map<std::string_view, std::map<std::string_view, std::string_view>>
      defaults;
  std::vector<std::string> extraneousScopes; // such as "save_1/"
  bool broken = false;
};

/// Collects the default values of ops' attributes from the graph's lists of
/// ops. isDefault() compares the bytes of an attribute with those of its
/// default. This suffices, because the same serializer has written both.
void MetaGraphEditor::findDefaults() {
  for (std::string_view list :
       {fieldOf(fieldOf(metaGraph, metaGraphDef::info), infoDef::opList),
        fieldOf(metaGraph, metaGraphOpsOfFunctions)})
    forEach(list, listOp, [&](std::string_view op) {
      auto &attributes = defaults[fieldOf(op, opDef::name)];
      forEach(op, opDef::attr, [&](std::string_view attribute) {
        forEach(attribute, opDef::attrDefault, [&](std::string_view value) {
          attributes[fieldOf(attribute, opDef::attrName)] = value;
        });
      });
    });
  // Removes the defaults of ops whose name is also the name of a function: a
  // node of this name calls the function.
  std::string_view library =
      fieldOf(fieldOf(metaGraph, metaGraphDef::graph), graphDef::library);
  forEach(library, libraryFunction, [&](std::string_view function) {
    defaults.erase(
        fieldOf(fieldOf(function, functionDef::signature), opDef::name));
  });
}

void MetaGraphEditor::findExtraneous() {
  std::set<std::string> scopes, savers;
  forEach(fieldOf(metaGraph, metaGraphDef::graph), graphDef::node,
          [&](std::string_view node) {
            if (!savesOrRestores(fieldOf(node, nodeDef::op)))
              return;
            std::string_view name = fieldOf(node, nodeDef::name);
            savers.emplace(name);
            scopes.emplace(scopeOf(name));
          });
  std::string_view saver = fieldOf(metaGraph, metaGraphDef::saver);
  for (uint32_t kept : {saverDef::saveTensor, saverDef::restoreOp})
    scopes.erase(std::string(scopeOf(fieldOf(saver, kept))));
  for (const std::string &scope : scopes)
    if (!savers.contains(scope))
      extraneousScopes.push_back(scope + "/");
}

bool MetaGraphEditor::isExtraneous(std::string_view node) const {
  return std::any_of(
      extraneousScopes.begin(), extraneousScopes.end(),
      [&](const std::string &scope) { return node.starts_with(scope); });
}

bool MetaGraphEditor::isDefault(std::string_view op,
                                std::string_view attribute) const {
  auto known = defaults.find(op);
  if (known == defaults.end())
    return false;
  auto value = known->second.find(fieldOf(attribute, mapKey));
  return value != known->second.end() &&
         value->second == fieldOf(attribute, mapValue);
}

std::string MetaGraphEditor::info(std::string_view message) {
  std::string out = rewrite(message, [](const WireField &field, std::string &) {
    return field.number == infoDef::strippedDefaultAttrs;
  });
  appendVarint(out, infoDef::strippedDefaultAttrs << 3);
  appendVarint(out, 1);
  return out;
}

std::string MetaGraphEditor::node(std::string_view message, bool isInFunction) {
  std::string_view op = fieldOf(message, nodeDef::op);
  return rewrite(message, [&](const WireField &field, std::string &) {
    if (field.number == nodeDef::device)
      return edits.clearDevices && !isInFunction;
    return field.number == nodeDef::attr && edits.stripDefaultAttrs &&
           isDefault(op, field.payload);
  });
}

std::string MetaGraphEditor::function(std::string_view message) {
  return rewrite(message, [&](const WireField &field, std::string &out) {
    if (field.number != functionDef::node)
      return false;
    appendMessage(out, field.number, node(field.payload, true));
    return true;
  });
}

std::string MetaGraphEditor::graph(std::string_view message) {
  auto editFunction = [&](const WireField &field, std::string &out) {
    if (field.number != libraryFunction)
      return false;
    appendMessage(out, field.number, function(field.payload));
    return true;
  };
  return rewrite(message, [&](const WireField &field, std::string &out) {
    if (field.number == graphDef::node) {
      if (!isExtraneous(fieldOf(field.payload, nodeDef::name)))
        appendMessage(out, field.number, node(field.payload, false));
      return true;
    }
    if (field.number != graphDef::library)
      return false;
    appendMessage(out, field.number, rewrite(field.payload, editFunction));
    return true;
  });
}

/// Edits a collection: reduces `savers` to the graph's own SaverDef, and drops
/// from a list of nodes the names of those that the graph no longer has.
bool MetaGraphEditor::collection(std::string_view entry, std::string &out) {
  std::string_view key = fieldOf(entry, mapKey);
  std::string_view saver = fieldOf(metaGraph, metaGraphDef::saver);
  std::string list, value, edited;
  if (key == "savers") {
    if (saver.empty())
      return true;
    appendMessage(list, collectionDef::value, saver);
    appendMessage(value, collectionDef::bytesList, list);
  } else {
    value = rewrite(fieldOf(entry, mapValue), [&](const WireField &field,
                                                  std::string &kept) {
      if (field.number != collectionDef::nodeList)
        return false;
      appendMessage(
          kept, field.number,
          rewrite(field.payload, [&](const WireField &name, std::string &) {
            return isExtraneous(name.payload);
          }));
      return true;
    });
  }
  appendMessage(edited, mapKey, key);
  appendMessage(edited, mapValue, value);
  appendMessage(out, metaGraphDef::collection, edited);
  return true;
}

Expected<std::string> MetaGraphEditor::run() {
  if (edits.stripDefaultAttrs)
    findDefaults();
  if (edits.clearExtraneousSavers)
    findExtraneous();
  bool hasInfo = false;
  std::string out = rewrite(metaGraph, [&](const WireField &field,
                                           std::string &edited) {
    switch (field.number) {
    case metaGraphDef::info:
      hasInfo = true;
      if (!edits.stripDefaultAttrs)
        return false;
      appendMessage(edited, field.number, info(field.payload));
      return true;
    case metaGraphDef::graph:
      appendMessage(edited, field.number, graph(field.payload));
      return true;
    case metaGraphOpsOfFunctions:
      return true;
    case metaGraphDef::collection:
      return !isWanted(fieldOf(field.payload, mapKey)) ||
             (edits.clearExtraneousSavers && collection(field.payload, edited));
    default:
      return false;
    }
  });
  if (edits.stripDefaultAttrs && !hasInfo)
    appendMessage(out, metaGraphDef::info, info(""));
  if (broken)
    return Status(StatusCode::DataLoss,
                  "the program is damaged and must be compiled again: the "
                  "graph in it is not a valid MetaGraphDef");
  return out;
}

} // namespace

Expected<std::string> ingot::unpackMetaGraph(std::string_view packed,
                                             uint64_t size) {
  std::string bytes(size, '\0');
  uLongf unpacked = size;
  int result = ::uncompress(reinterpret_cast<Bytef *>(bytes.data()), &unpacked,
                            reinterpret_cast<const Bytef *>(packed.data()),
                            packed.size());
  if (result != Z_OK || unpacked != size)
    return Status(StatusCode::DataLoss,
                  "the program is damaged and must be compiled again: the "
                  "graph in it cannot be decompressed");
  return bytes;
}

/// Returns `metaGraph` with the SaverDef of the Saver in scope `scope`.
static std::string withSaver(std::string_view metaGraph,
                             const std::string &scope) {
  std::string_view found;
  forEach(metaGraph, metaGraphDef::collection, [&](std::string_view entry) {
    if (fieldOf(entry, mapKey) != "savers")
      return;
    std::string_view list =
        fieldOf(fieldOf(entry, mapValue), collectionDef::bytesList);
    forEach(list, collectionDef::value, [&](std::string_view saver) {
      if (scopeOf(fieldOf(saver, saverDef::saveTensor)) == scope)
        found = saver;
    });
  });
  bool broken = false; // not reported: editMetaGraph() parses the bytes again
  std::string out = rewrite(
      metaGraph,
      [&](const WireField &field, std::string &) {
        return !found.empty() && field.number == metaGraphDef::saver;
      },
      broken);
  if (!found.empty())
    appendMessage(out, metaGraphDef::saver, found);
  return broken ? std::string(metaGraph) : out;
}

Expected<std::string>
ingot::editMetaGraph(std::string_view metaGraph,
                     const MetaGraphExportOptions &edits) {
  std::string ofSaver;
  if (!edits.saver.empty())
    metaGraph = ofSaver = withSaver(metaGraph, edits.saver);
  INGOT_ASSIGN_OR_RETURN(std::string edited,
                         MetaGraphEditor(metaGraph, edits).run());
  if (edits.exportScope.empty())
    return edited;
  return cutToScope(edited, edits);
}

std::string ingot::debugInfoOf(std::string_view metaGraph) {
  return std::string(
      fieldOf(fieldOf(metaGraph, metaGraphDef::graph), graphDef::debugInfo));
}
