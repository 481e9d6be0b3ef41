//===- ImportErrors.cpp - Nodes that cannot be compiled -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/ImportErrors.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace ingot::importer;

// A damaged graph may have very many problems. So at most `maxMessages`
// messages are emitted of each category (unsupported nodes, malformed nodes,
// unknown names), and at most `maxKeptMessages` messages about malformed nodes
// are recorded.
static constexpr size_t maxMessages = 20;
static constexpr size_t maxKeptMessages = 1000;

void ImportErrors::unsupported(llvm::StringRef op, llvm::StringRef node,
                               const llvm::Twine &reason) {
  std::string why = reason.str();
  if (why.empty())
    why = hintFor(op);
  add(op, why, node, neededBy);
}

void ImportErrors::add(llvm::StringRef op, llvm::StringRef reason,
                       llvm::StringRef node, llvm::StringRef needer) {
  auto [it, isNew] =
      kindOf.try_emplace((op + llvm::Twine('\0') + reason).str(), kinds.size());
  if (isNew)
    kinds.push_back({op.str(), reason.str(), {}, {}, {}});
  ImportReport::UnsupportedNodeGroup &kind = kinds[it->second];
  std::string index = std::to_string(it->second);
  if (seen.insert(index + " node " + node.str()).second)
    kind.nodes.push_back(node.str());
  if (!needer.empty() && seen.insert(index + " entry " + needer.str()).second)
    kind.neededBy.push_back(needer.str());
}

void ImportErrors::merge(ImportErrors &&other) {
  for (const ImportReport::UnsupportedNodeGroup &kind : other.kinds) {
    // `kind` lists nodes and the entries that need them, but not which entry
    // needs which node. So first add all nodes without an entry. Then add each
    // entry together with the first node, which is already listed.
    for (const std::string &node : kind.nodes)
      add(kind.op, kind.reason, node, "");
    for (const std::string &needer : kind.neededBy)
      add(kind.op, kind.reason, kind.nodes.front(), needer);
  }
  for (const std::string &message : other.malformedMessages)
    malformed(message);
  llvm::append_range(unknownNames, other.unknownNames);
}

void ImportErrors::malformed(const llvm::Twine &message) {
  std::string text = message.str();
  if (malformedMessages.size() < maxKeptMessages && seen.insert(text).second)
    malformedMessages.push_back(std::move(text));
}

void ImportErrors::unknownName(const llvm::Twine &message) {
  unknownNames.push_back(message.str());
}

/// Returns the node name in a message that begins like "node 'a' (Add): ...",
/// or an empty string if the message does not begin in this way.
static llvm::StringRef nodeOf(llvm::StringRef message) {
  return message.consume_front("node '")
             ? message.take_until([](char c) { return c == '\''; })
             : llvm::StringRef();
}

std::vector<std::string> ImportErrors::nodes() const {
  std::vector<std::string> names;
  for (const ImportReport::UnsupportedNodeGroup &kind : kinds)
    llvm::append_range(names, kind.nodes);
  for (const std::string &message : malformedMessages)
    if (llvm::StringRef node = nodeOf(message); !node.empty())
      names.push_back(node.str());
  return names;
}

std::string ImportErrors::describeFirst() const {
  if (!kinds.empty())
    return "node '" + kinds.front().nodes.front() + "' (" + kinds.front().op +
           "): " + kinds.front().reason;
  return malformedMessages.empty() ? "" : malformedMessages.front();
}

void ImportErrors::locate(
    llvm::function_ref<std::string(llvm::StringRef node)> find) {
  for (ImportReport::UnsupportedNodeGroup &kind : kinds)
    for (const std::string &node : kind.nodes)
      kind.places.push_back(find(node));
  // A message about a malformed node begins with the node's name and op: "node
  // 'a' (Add): ...". The source line is inserted after the op.
  for (std::string &message : malformedMessages) {
    llvm::StringRef node = nodeOf(message);
    std::string place = node.empty() ? "" : find(node);
    size_t end = message.find(')');
    if (!place.empty() && end != std::string::npos)
      message.insert(end, ", " + place);
  }
}

bool ImportErrors::empty() const {
  return kinds.empty() && malformedMessages.empty() && unknownNames.empty();
}

size_t ImportErrors::size() const {
  size_t count = malformedMessages.size() + unknownNames.size();
  for (const ImportReport::UnsupportedNodeGroup &kind : kinds)
    count += kind.nodes.size();
  return count;
}

static void emitAll(mlir::Location loc, llvm::ArrayRef<std::string> messages) {
  for (const std::string &message : messages.take_front(maxMessages))
    mlir::emitError(loc) << message;
  if (messages.size() > maxMessages)
    mlir::emitError(loc) << "and " << messages.size() - maxMessages
                         << " more errors of this kind";
}

void ImportErrors::emit(mlir::Location loc, size_t maxNodes) const {
  emitAll(loc, unknownNames);
  emitAll(loc, malformedMessages);
  if (kinds.empty())
    return;
  size_t count = size() - malformedMessages.size() - unknownNames.size();
  mlir::InFlightDiagnostic diagnostic = mlir::emitError(loc);
  diagnostic << count << (count == 1 ? " node" : " nodes")
             << " of the graph cannot be compiled";
  for (const ImportReport::UnsupportedNodeGroup &kind : kinds) {
    mlir::Diagnostic &note = diagnostic.attachNote(loc);
    note << kind.op << " (" << kind.nodes.size()
         << (kind.nodes.size() == 1 ? " node" : " nodes");
    if (!kind.neededBy.empty())
      note << ", needed by " << llvm::join(kind.neededBy, ", ");
    note << "): " << kind.reason << ": ";
    for (size_t i = 0; i < std::min(kind.nodes.size(), maxNodes); ++i) {
      note << (i ? ", " : "") << kind.nodes[i];
      if (i < kind.places.size() && !kind.places[i].empty())
        note << " (" << kind.places[i] << ")";
    }
    if (kind.nodes.size() > maxNodes)
      note << " and " << kind.nodes.size() - maxNodes << " more";
  }
}

void ImportErrors::moveTo(ImportReport &report) {
  report.unsupported = std::move(kinds);
  report.malformed = std::move(malformedMessages);
  report.unknownNames = std::move(unknownNames);
}
