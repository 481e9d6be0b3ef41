//===- ParseGraph.cpp - Parses graphs -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Determines from the content of a file whether it is a MetaGraphDef, a
// GraphDef, a SavedModel or MLIR, and whether it is binary or text. File names
// are ignored, as users choose them freely.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Graph/WireFormatCheck.h"
#include "compiler/Import/Import.h"

#include "proto/SavedModel.pb.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>
#include <set>

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;

namespace ingot::importer {

namespace {
/// Keeps the first error of protobuf's text parser, with line and column
/// counted from 1.
class FirstErrorCollector : public google::protobuf::io::ErrorCollector {
public:
  void AddError(int line, int column, const std::string &text) override {
    if (message.empty())
      message = "line " + std::to_string(line + 1) + ", column " +
                std::to_string(column + 1) + ": " + text;
  }
  std::string message;
};
} // namespace

// Returns the name of the first field of a protobuf text, skipping comments.
// The field determines the message type of the text.
static StringRef firstField(StringRef text) {
  while (true) {
    text = text.ltrim();
    if (!text.consume_front("#"))
      break;
    text = text.drop_until([](char c) { return c == '\n'; });
  }
  return text.take_while([](char c) { return isAlnum(c) || c == '_'; });
}

static bool isGraphDefField(StringRef name) {
  return name == "node" || name == "library" || name == "versions" ||
         name == "version";
}

static bool isMetaGraphDefField(StringRef name) {
  return name == "meta_info_def" || name == "graph_def" ||
         name == "saver_def" || name == "collection_def" ||
         name == "signature_def" || name == "asset_file_def" ||
         name == "object_graph_def";
}

static bool isSavedModelField(StringRef name) {
  return name == "saved_model_schema_version" || name == "meta_graphs";
}

// Returns whether the content of a file is MLIR: after comments it begins with
// an alias, or with an op that a module may contain.
static bool isMLIR(StringRef bytes) {
  StringRef text = bytes.ltrim();
  while (text.starts_with("//"))
    text = text.drop_until([](char c) { return c == '\n'; }).ltrim();
  StringRef alias = text;
  bool isAlias = alias.consume_front("#") || alias.consume_front("!");
  alias = alias.drop_while([](char c) { return isAlnum(c) || c == '_'; });
  isAlias &= alias.starts_with(" = ");
  return (isAlias || text.starts_with("module") || text.starts_with("ingot.") ||
          text.starts_with("func.") || text.starts_with("builtin.") ||
          text.starts_with("\"builtin.")) &&
         !bytes.contains('\0') && json::isUTF8(bytes);
}

// Returns the tags of a SavedModel's graph in the form of flag --tag-set:
// "serve,gpu".
static std::string tagsOf(const proto::MetaGraphDef &graph) {
  return llvm::join(graph.meta_info_def().tags(), ",");
}

// Returns whether the tags of a SavedModel's graph are exactly those in
// `tagSet`, a comma-separated list in any order.
static bool hasTags(const proto::MetaGraphDef &graph, StringRef tagSet) {
  SmallVector<StringRef> wanted;
  tagSet.split(wanted, ',');
  std::set<std::string> tags(graph.meta_info_def().tags().begin(),
                             graph.meta_info_def().tags().end());
  std::set<std::string> wantedTags;
  for (StringRef tag : wanted)
    wantedTags.insert(tag.trim().str());
  return tags == wantedTags;
}

// Returns the graph of a SavedModel that has the tags in `tagSet`. If `tagSet`
// is empty, returns the graph tagged `train`, else the first one.
static FailureOr<proto::MetaGraphDef> chooseGraph(StringRef name,
                                                  proto::SavedModel &model,
                                                  EmitErrorFn emitError,
                                                  StringRef tagSet) {
  if (model.meta_graphs().empty()) {
    emitError(name + ": SavedModel has no graph");
    return failure();
  }
  auto chosen = llvm::find_if(
      *model.mutable_meta_graphs(), [&](const proto::MetaGraphDef &graph) {
        if (!tagSet.empty())
          return hasTags(graph, tagSet);
        return llvm::is_contained(graph.meta_info_def().tags(), "train");
      });
  if (chosen != model.mutable_meta_graphs()->end())
    return std::move(*chosen);
  if (tagSet.empty())
    return std::move(*model.mutable_meta_graphs()->begin());
  std::string found;
  for (const proto::MetaGraphDef &graph : model.meta_graphs())
    found += (found.empty() ? "'" : ", '") + tagsOf(graph) + "'";
  emitError(name + ": no graph with tags '" + tagSet + "', found " + found);
  return failure();
}

// Reports an error if --tag-set is given for a file that is not a SavedModel.
static LogicalResult refuseTags(StringRef name, EmitErrorFn emitError,
                                StringRef tagSet) {
  if (tagSet.empty())
    return success();
  emitError(name + ": not a SavedModel, so it has no graph with tags '" +
            tagSet + "'");
  return failure();
}

static LogicalResult parseText(StringRef name, StringRef bytes,
                               GraphFile &result, EmitErrorFn emitError,
                               StringRef tagSet) {
  FirstErrorCollector error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  // TensorFlow's messages have fields that ingot's own proto files leave out,
  // so skip unknown fields.
  parser.AllowUnknownField(true);
  parser.SetRecursionLimit(100);
  google::protobuf::Message *message = &result.graph;
  proto::SavedModel model;
  StringRef field = firstField(bytes);
  if (isGraphDefField(field)) {
    result.kind = GraphFile::GraphDef;
    message = result.graph.mutable_graph_def();
  } else if (isSavedModelField(field)) {
    result.kind = GraphFile::SavedModel;
    message = &model;
  }
  if (!parser.ParseFromString(bytes.str(), message)) {
    emitError(name + ": cannot parse the text of this " +
              message->GetDescriptor()->name() + ": " +
              (error.message.empty() ? "it is not in protobuf's text format"
                                     : error.message));
    return failure();
  }
  if (result.kind != GraphFile::SavedModel)
    return success();
  FailureOr<proto::MetaGraphDef> graph =
      chooseGraph(name, model, emitError, tagSet);
  if (succeeded(graph))
    result.graph = std::move(*graph);
  return graph;
}

static bool parseBytes(StringRef bytes, google::protobuf::Message &message) {
  return bytes.size() <= INT_MAX &&
         message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

// Reports the byte offset at which a binary file is damaged. The message type
// in `candidates` with which the file parses furthest is assumed to be its
// type. Always returns failure.
static LogicalResult
reportDamage(StringRef name, StringRef bytes,
             ArrayRef<const google::protobuf::Descriptor *> candidates,
             EmitErrorFn emitError) {
  const google::protobuf::Descriptor *best = nullptr;
  std::optional<WireFormatError> furthest;
  for (const google::protobuf::Descriptor *candidate : candidates) {
    std::optional<WireFormatError> error = checkWireFormat(bytes, *candidate);
    if (!error) {
      emitError(name + ": the file (" + Twine(bytes.size()) +
                " bytes) is not a MetaGraphDef, GraphDef or SavedModel");
      return failure();
    }
    if (!furthest || error->offset > furthest->offset) {
      furthest = error;
      best = candidate;
    }
  }
  emitError(name + ": damaged or truncated at byte " + Twine(furthest->offset) +
            " of " + Twine(bytes.size()) + ", read as a " + best->name() +
            ": " + furthest->message);
  return failure();
}

// Returns whether a file is a Keras model (.keras or HDF5). Such a file has
// layers and weights, but no graph of a training step, which only Keras in
// Python can create.
static bool isKerasFile(StringRef name, StringRef bytes) {
  bool isZip = bytes.starts_with("PK\3\4") && name.ends_with(".keras");
  return isZip || bytes.starts_with("\x89HDF\r\n\x1a\n");
}

static void reportKerasFile(StringRef name, EmitErrorFn emitError) {
  emitError(name +
            ": a Keras file has no graph; export one with the Python package "
            "ingot:\n  model = keras.models.load_model(\"" +
            name +
            "\")\n"
            "  ingot.export(model, data, \"train.meta\")");
}

static LogicalResult parseBinary(StringRef name, StringRef bytes,
                                 GraphFile &result, EmitErrorFn emitError,
                                 StringRef tagSet) {
  // A SavedModel begins with its schema version, a varint field (tag 0x08); the
  // other messages begin with a message field.
  if (bytes.front() == 0x08) {
    proto::SavedModel model;
    if (!parseBytes(bytes, model))
      return reportDamage(name, bytes, proto::SavedModel::descriptor(),
                          emitError);
    result.kind = GraphFile::SavedModel;
    FailureOr<proto::MetaGraphDef> graph =
        chooseGraph(name, model, emitError, tagSet);
    if (succeeded(graph))
      result.graph = std::move(*graph);
    return graph;
  }
  bool isMetaGraph = parseBytes(bytes, result.graph);
  if (isMetaGraph && result.graph.graph_def().node_size() > 0)
    return success();
  proto::MetaGraphDef wrapped;
  if (parseBytes(bytes, *wrapped.mutable_graph_def()) &&
      wrapped.graph_def().node_size() > 0) {
    result.kind = GraphFile::GraphDef;
    result.graph = std::move(wrapped);
    return success();
  }
  if (isMetaGraph && result.graph.has_graph_def()) {
    emitError(name + ": MetaGraphDef has no nodes");
    return failure();
  }
  return reportDamage(
      name, bytes,
      {proto::MetaGraphDef::descriptor(), proto::GraphDef::descriptor()},
      emitError);
}

FailureOr<GraphFile> parseGraph(StringRef name, StringRef bytes,
                                EmitErrorFn emitError, StringRef tagSet) {
  if (bytes.empty()) {
    emitError(name + ": the file is empty");
    return failure();
  }
  if (isKerasFile(name, bytes)) {
    reportKerasFile(name, emitError);
    return failure();
  }
  // Silence protobuf's own messages, since this function reports errors itself.
  google::protobuf::LogSilencer silencer;
  GraphFile result;
  if (isMLIR(bytes)) {
    if (failed(refuseTags(name, emitError, tagSet)))
      return failure();
    result.kind = GraphFile::MLIR;
    result.text = bytes.str();
    return result;
  }
  StringRef field = firstField(bytes);
  bool isText = isGraphDefField(field) || isMetaGraphDefField(field) ||
                isSavedModelField(field);
  if (failed(isText ? parseText(name, bytes, result, emitError, tagSet)
                    : parseBinary(name, bytes, result, emitError, tagSet)) ||
      (result.kind != GraphFile::SavedModel &&
       failed(refuseTags(name, emitError, tagSet))))
    return failure();
  return result;
}

} // namespace ingot::importer
