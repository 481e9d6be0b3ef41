//===- ReadMetaGraph.cpp - Graphs from files ------------------------------===//
//
// Tells a MetaGraphDef from a GraphDef and bytes from text by what is in the
// file: users name files as they like.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Import.h"
#include "compiler/Import/WireCheck.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;

namespace ingot::importer {

namespace {
/// The first error of a text parser, with line and column from 1.
class FirstError : public google::protobuf::io::ErrorCollector {
public:
  void AddError(int line, int column, const std::string &text) override {
    if (message.empty())
      message = "line " + std::to_string(line + 1) + ", column " +
                std::to_string(column + 1) + ": " + text;
  }
  std::string message;
};
} // namespace

// The name of the first field of a text: what it is a text of.
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

static FailureOr<proto::MetaGraphDef> parseText(StringRef name, StringRef bytes,
                                                EmitErrorFn emitError) {
  proto::MetaGraphDef graph;
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  // Fields that our messages leave out.
  parser.AllowUnknownField(true);
  parser.SetRecursionLimit(100);
  google::protobuf::Message *message = &graph;
  if (isGraphDefField(firstField(bytes)))
    message = graph.mutable_graph_def();
  if (parser.ParseFromString(bytes.str(), message))
    return graph;
  emitError(name + ": " + message->GetDescriptor()->name() + " as text, " +
            (error.message.empty() ? "which does not parse" : error.message));
  return failure();
}

static bool parseBytes(StringRef bytes, google::protobuf::Message &message) {
  return bytes.size() <= INT_MAX &&
         message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

static FailureOr<proto::MetaGraphDef>
parseBinary(StringRef name, StringRef bytes, EmitErrorFn emitError) {
  proto::MetaGraphDef graph;
  bool isMetaGraph = parseBytes(bytes, graph);
  if (isMetaGraph && graph.graph_def().node_size() > 0)
    return graph;
  proto::MetaGraphDef wrapped;
  if (parseBytes(bytes, *wrapped.mutable_graph_def()) &&
      wrapped.graph_def().node_size() > 0)
    return wrapped;
  if (isMetaGraph && graph.has_graph_def()) {
    emitError(name + ": a MetaGraphDef without a node");
    return failure();
  }

  // Neither. The one whose reading gets further is what it was.
  std::optional<WireError> asMeta =
      checkWireFormat(bytes, *proto::MetaGraphDef::descriptor());
  std::optional<WireError> asGraph =
      checkWireFormat(bytes, *proto::GraphDef::descriptor());
  if (!asMeta || !asGraph) {
    emitError(name + ": " + Twine(bytes.size()) +
              " bytes that are neither a MetaGraphDef nor a GraphDef");
    return failure();
  }
  bool isMeta = asMeta->offset >= asGraph->offset;
  const WireError &error = isMeta ? *asMeta : *asGraph;
  emitError(name + ": damaged or cut off at byte " + Twine(error.offset) +
            " of " + Twine(bytes.size()) + ", read as a " +
            (isMeta ? "MetaGraphDef" : "GraphDef") + ": " + error.message);
  return failure();
}

FailureOr<proto::MetaGraphDef> parseMetaGraph(StringRef name, StringRef bytes,
                                              EmitErrorFn emitError) {
  if (bytes.empty()) {
    emitError(name + ": the file is empty");
    return failure();
  }
  // What it prints is said better by the message.
  google::protobuf::LogSilencer silencer;
  StringRef field = firstField(bytes);
  if (isGraphDefField(field) || isMetaGraphDefField(field))
    return parseText(name, bytes, emitError);
  return parseBinary(name, bytes, emitError);
}

FailureOr<proto::MetaGraphDef> readMetaGraph(StringRef path,
                                             EmitErrorFn emitError) {
  if (sys::fs::is_directory(path)) {
    emitError(path + ": is a folder; SavedModels are not supported yet");
    return failure();
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file) {
    emitError(path + ": " + file.getError().message());
    return failure();
  }
  return parseMetaGraph(path, (*file)->getBuffer(), emitError);
}

} // namespace ingot::importer
