//===- OutputFile.cpp - Writes weights and arrays to files ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Formats/OutputFile.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/SafetensorsReader.h"
#include "runtime/Support/DType.h"

#include <nlohmann/json.hpp>

using namespace ingot;

Status ingot::checkOutput(FileSystem &fileSystem, const std::string &path,
                          bool force) {
  if (force || !fileSystem.exists(path))
    return Status::ok();
  return Status(StatusCode::AlreadyExists,
                "'" + path + "' exists; --force replaces it");
}

Status ingot::writeWhole(FileSystem &fileSystem, const std::string &path,
                         bool force, const FileContents &contents) {
  INGOT_RETURN_IF_ERROR(checkOutput(fileSystem, path, force));
  INGOT_RETURN_IF_ERROR(replaceFile(
      fileSystem, path, path + std::string(temporarySuffix), contents));
  return fileSystem.syncDirectory(directoryOf(path));
}

uint64_t ingot::sizeOf(const TensorToSave &item) {
  return static_cast<uint64_t>(elementCount(item.shape).value_or(0)) *
         dtypeSize(item.dtype);
}

bool ingot::fitsSafetensors(int32_t dtype) { return safetensorsName(dtype); }

Status ingot::writeSafetensors(FileSystem &fileSystem, const std::string &path,
                               bool force,
                               std::span<const TensorToSave> items) {
  nlohmann::ordered_json header;
  header["__metadata__"]["format"] = "ingot";
  uint64_t offset = 0;
  for (const TensorToSave &item : items) {
    uint64_t size = sizeOf(item);
    auto &tensor = header[item.key];
    tensor["dtype"] = safetensorsName(item.dtype);
    tensor["shape"] = item.shape;
    tensor["data_offsets"] = {offset, offset + size};
    offset += size;
  }
  std::string text = header.dump(
      -1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  // Pad the header with blanks, so that elements begin at a multiple of 8.
  text.append((8 - text.size() % 8) % 8, ' ');
  uint64_t size = text.size();
  text.insert(0, reinterpret_cast<const char *>(&size), sizeof(size));
  return writeWhole(fileSystem, path, force, [&](WritableFile &file) -> Status {
    INGOT_RETURN_IF_ERROR(file.append(text));
    for (const TensorToSave &item : items) {
      INGOT_ASSIGN_OR_RETURN(TensorData tensor, item.load());
      INGOT_RETURN_IF_ERROR(file.append(tensor.bytes));
    }
    return Status::ok();
  });
}
