//===- ImportReport.cpp - A graph's contents as text and JSON -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Import.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace ingot::importer {

int ImportReport::exitCode() const {
  if (!unknownNames.empty())
    return 2;
  return ok() ? 0 : 3;
}

static void printTensors(raw_ostream &os, StringRef what,
                         ArrayRef<ImportReport::ImportReportTensor> tensors) {
  for (const ImportReport::ImportReportTensor &tensor : tensors) {
    os << "    " << what << ' ' << tensor.name;
    if (!tensor.type.empty())
      os << ": " << tensor.type;
    os << '\n';
  }
}

void ImportReport::print(raw_ostream &os) const {
  os << "entries\n";
  for (const ImportReportEntry &entry : entries) {
    os << "  " << entry.name;
    if (entry.role != entry.name)
      os << " (" << entry.role << ')';
    os << '\n';
    printTensors(os, "feed ", entry.feeds);
    printTensors(os, "fetch", entry.fetches);
  }
  os << "variables\n";
  for (const ImportReportVariable &variable : variables) {
    os << "  " << variable.name << ": " << variable.type
       << (variable.trainable ? ", trainable" : "")
       << (variable.local ? ", local" : "");
    if (!variable.device.empty())
      os << ", on " << variable.device;
    os << '\n';
  }
  os << "iterators\n";
  for (const ImportReportIteratorInfo &iterator : iterators)
    os << "  " << iterator.name << ": " << join(iterator.components, "; ")
       << '\n';
  os << "savers\n";
  for (const ImportReportSaverInfo &saver : savers) {
    os << "  " << saver.name << ": " << saver.numItems << " tensors, "
       << (saver.sharded ? std::to_string(saver.numShards) + " shards"
                         : std::string("not sharded"))
       << ", default prefix '" << saver.filename << "', keeps ";
    if (saver.maxToKeep > 0)
      os << saver.maxToKeep << '\n';
    else
      os << "all\n";
  }
  if (!unsupported.empty())
    os << "not supported\n";
  for (const UnsupportedNodeGroup &kind : unsupported) {
    os << "  " << kind.op << ": " << kind.reason;
    if (!kind.neededBy.empty())
      os << " (needed by " << join(kind.neededBy, ", ") << ')';
    os << '\n';
    for (auto [index, node] : enumerate(kind.nodes)) {
      os << "    " << node;
      if (index < kind.places.size() && !kind.places[index].empty())
        os << " (" << kind.places[index] << ')';
      os << '\n';
    }
  }
  if (!malformed.empty())
    os << "malformed\n";
  for (const std::string &message : malformed)
    os << "  " << message << '\n';
}

static json::Array toJson(ArrayRef<std::string> strings) {
  json::Array array;
  for (const std::string &string : strings)
    array.push_back(json::fixUTF8(string));
  return array;
}

static json::Array toJson(ArrayRef<ImportReport::ImportReportTensor> tensors) {
  json::Array array;
  for (const ImportReport::ImportReportTensor &tensor : tensors)
    array.push_back(json::Object{{"name", json::fixUTF8(tensor.name)},
                                 {"type", tensor.type}});
  return array;
}

void ImportReport::printJson(raw_ostream &os) const {
  json::Array entriesJson, variablesJson, iteratorsJson, saversJson, kinds;
  for (const ImportReportEntry &entry : entries)
    entriesJson.push_back(json::Object{{"name", json::fixUTF8(entry.name)},
                                       {"role", entry.role},
                                       {"feeds", toJson(entry.feeds)},
                                       {"fetches", toJson(entry.fetches)}});
  for (const ImportReportVariable &variable : variables)
    variablesJson.push_back(
        json::Object{{"name", json::fixUTF8(variable.name)},
                     {"type", variable.type},
                     {"device", json::fixUTF8(variable.device)},
                     {"trainable", variable.trainable},
                     {"local", variable.local}});
  for (const ImportReportIteratorInfo &iterator : iterators)
    iteratorsJson.push_back(
        json::Object{{"name", json::fixUTF8(iterator.name)},
                     {"components", toJson(iterator.components)}});
  for (const ImportReportSaverInfo &saver : savers)
    saversJson.push_back(
        json::Object{{"name", json::fixUTF8(saver.name)},
                     {"filename", json::fixUTF8(saver.filename)},
                     {"tensors", static_cast<int64_t>(saver.numItems)},
                     {"shards", static_cast<int64_t>(saver.numShards)},
                     {"sharded", saver.sharded},
                     {"max_to_keep", saver.maxToKeep}});
  for (const UnsupportedNodeGroup &kind : unsupported)
    kinds.push_back(json::Object{{"op", json::fixUTF8(kind.op)},
                                 {"reason", json::fixUTF8(kind.reason)},
                                 {"nodes", toJson(kind.nodes)},
                                 {"places", toJson(kind.places)},
                                 {"needed_by", toJson(kind.neededBy)}});
  json::Value report = json::Object{{"entries", std::move(entriesJson)},
                                    {"variables", std::move(variablesJson)},
                                    {"iterators", std::move(iteratorsJson)},
                                    {"savers", std::move(saversJson)},
                                    {"unsupported", std::move(kinds)},
                                    {"malformed", toJson(malformed)},
                                    {"unknown_names", toJson(unknownNames)}};
  os << formatv("{0:2}", report) << '\n';
}

} // namespace ingot::importer
