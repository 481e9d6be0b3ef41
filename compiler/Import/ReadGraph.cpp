//===- ReadGraph.cpp - Reads graphs from files and folders ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads a file that contains a graph, or the folder of a SavedModel: its graph,
// the checkpoint beside it, and the paths of its assets.
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

/// Returns whether a relative path stays in its folder.
static bool staysInside(StringRef path) {
  return !path.empty() && !sys::path::is_absolute(path) &&
         std::find(sys::path::begin(path), sys::path::end(path), "..") ==
             sys::path::end(path);
}

// Sets the constants that hold the paths of the model's assets, as TensorFlow's
// loader does. A trainer reads the files that they name, so a path outside of
// the model's folder is an error.
static LogicalResult setAssetPaths(GraphFile &file, StringRef folder,
                                   EmitErrorFn emitError) {
  for (const proto::AssetFileDef &asset : file.graph.asset_file_def()) {
    StringRef tensor = asset.tensor_info().name();
    if (!staysInside(asset.filename())) {
      emitError("'" + folder + "': asset '" + asset.filename() +
                "' of tensor '" + tensor +
                "' not found in the model's folder of assets");
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

// Completes `file` by the files that a SavedModel has besides its graph.
static LogicalResult completeSavedModel(GraphFile &file, StringRef folder,
                                        EmitErrorFn emitError) {
  // `open` also reads checkpoints of format V1, as TensorFlow 0.12 wrote them,
  // in one file or in several.
  std::string prefix = joined(folder, "variables", "variables");
  auto reader = CheckpointReader::open(FileSystem::posix(), prefix);
  if (reader || reader.status().code() != StatusCode::NotFound)
    file.checkpoint = prefix;
  if (failed(setAssetPaths(file, folder, emitError)))
    return failure();
  // In TensorFlow 2 a CheckpointManager knows how many checkpoints to keep, not
  // the SaverDef; take the defaults of tf.train.Saver.
  if (file.graph.has_object_graph_def() && file.graph.has_saver_def() &&
      file.graph.saver_def().max_to_keep() == 0) {
    file.graph.mutable_saver_def()->set_max_to_keep(5);
    file.graph.mutable_saver_def()->set_keep_checkpoint_every_n_hours(10000);
  }
  // Read the source lines of nodes, which messages show.
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
      emitError(path + ": not a SavedModel: the folder has no saved_model.pb");
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
