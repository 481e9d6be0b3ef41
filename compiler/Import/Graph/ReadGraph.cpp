//===- ReadGraph.cpp - Reads graphs from files and folders ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads a graph from a file or from the folder of a SavedModel. For a
// SavedModel, also finds the checkpoint with the variables and sets the paths
// of the assets.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Import.h"

#include "runtime/Checkpoint/CheckpointReader.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;

namespace ingot::importer {

static std::string joined(StringRef folder, const Twine &first,
                          const Twine &second = "") {
  SmallString<128> path(folder);
  sys::path::append(path, first, second);
  return path.str().str();
}

/// Returns whether a path is relative and stays inside of the folder that it is
/// relative to, unlike "../x".
static bool staysInside(StringRef path) {
  return !path.empty() && !sys::path::is_absolute(path) &&
         std::find(sys::path::begin(path), sys::path::end(path), "..") ==
             sys::path::end(path);
}

// Sets the constants with the paths of the model's assets, like TensorFlow's
// loader. Reports an error for a path outside of the model's folder: the
// trainer would read whatever file such a path names.
static LogicalResult setAssetPaths(GraphFile &file, StringRef folder,
                                   EmitErrorFn emitError) {
  for (const proto::AssetFileDef &asset : file.graph.asset_file_def()) {
    StringRef tensor = asset.tensor_info().name();
    if (!staysInside(asset.filename())) {
      emitError("'" + folder + "': the file name '" + asset.filename() +
                "' of the asset of tensor '" + tensor +
                "' must be a path inside the SavedModel's folder 'assets'");
      return failure();
    }
    for (proto::NodeDef &node : *file.graph.mutable_graph_def()->mutable_node())
      if (node.name() == tensor.split(':').first && node.op() == "Const") {
        proto::TensorProto &value =
            *(*node.mutable_attr())["value"].mutable_tensor();
        value.clear_string_val();
        value.add_string_val(joined(folder, "assets", asset.filename()));
      }
  }
  return success();
}

// Adds to `file` the parts of a SavedModel besides its graph: the checkpoint
// with the variables, the paths of assets, and the source lines of nodes.
static LogicalResult completeSavedModel(GraphFile &file, StringRef folder,
                                        EmitErrorFn emitError) {
  // To find out whether there is a checkpoint, open it instead of looking for
  // the file names of format V2: it may have format V1, which TensorFlow 0.12
  // wrote as one or several files.
  std::string prefix = joined(folder, "variables", "variables");
  auto reader = CheckpointReader::open(FileSystem::posix(), prefix);
  if (reader || reader.status().code() != StatusCode::NotFound)
    file.checkpoint = prefix;
  if (failed(setAssetPaths(file, folder, emitError)))
    return failure();
  // If a CheckpointManager decides how many checkpoints to keep, as in
  // TensorFlow 2, the SaverDef states max_to_keep = 0. Use the defaults of
  // tf.train.Saver then.
  if (file.graph.has_object_graph_def() && file.graph.has_saver_def() &&
      file.graph.saver_def().max_to_keep() == 0) {
    file.graph.mutable_saver_def()->set_max_to_keep(5);
    file.graph.mutable_saver_def()->set_keep_checkpoint_every_n_hours(10000);
  }
  // The debug info has the lines of the user's program that created each node.
  // Diagnostics show them.
  auto debug = MemoryBuffer::getFile(
      joined(folder, "debug", "saved_model_debug_info.pb"), /*IsText=*/false,
      /*RequiresNullTerminator=*/false);
  proto::GraphDef &graph = *file.graph.mutable_graph_def();
  if (debug && !graph.has_debug_info() &&
      (!(*debug)->getBufferSize() ||
       !graph.mutable_debug_info()->ParseFromArray(
           (*debug)->getBufferStart(),
           static_cast<int>((*debug)->getBufferSize()))))
    graph.clear_debug_info();
  return success();
}

FailureOr<GraphFile> readGraph(StringRef path, EmitErrorFn emitError,
                               StringRef tagSet) {
  std::string name = path.str();
  if (sys::fs::is_directory(path)) {
    name = joined(path, "saved_model.pb");
    if (!sys::fs::exists(name))
      name = joined(path, "saved_model.pbtxt");
    if (!sys::fs::exists(name)) {
      emitError(path + ": not a SavedModel: the folder has no saved_model.pb "
                       "or saved_model.pbtxt");
      return failure();
    }
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(
      name, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file) {
    emitError("cannot read '" + name + "': " + file.getError().message());
    return failure();
  }
  StringRef bytes = (*file)->getBuffer();
  FailureOr<GraphFile> result = parseGraph(name, bytes, emitError, tagSet);
  if (failed(result))
    return failure();
  declareUnknownShapes(result->graph);
  SHA256 hash;
  hash.update(bytes);
  result->hash = toHex(hash.final(), /*LowerCase=*/true);
  if (result->kind == GraphFile::SavedModel &&
      failed(
          completeSavedModel(*result, sys::path::parent_path(name), emitError)))
    return failure();
  return result;
}

} // namespace ingot::importer
