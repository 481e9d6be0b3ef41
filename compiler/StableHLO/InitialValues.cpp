//===- InitialValues.cpp - The first values of a step's state -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/StepGraph.h"

#include "runtime/Checkpoint/CheckpointReader.h"
#include "runtime/Formats/Npy.h"
#include "runtime/Formats/NpzReader.h"

using namespace llvm;

namespace ingot::stablehlo {

std::string InitialValues::open(const RoleFiles &files, StringRef file) {
  if (file.empty())
    return "";
  std::string path = files.path(file);
  if (file.ends_with(".npz")) {
    npz = path;
    auto reader = NpzReader::open(FileSystem::posix(), path);
    return reader ? "" : reader.status().message();
  }
  prefix = path;
  auto reader = CheckpointReader::open(FileSystem::posix(), path);
  return reader ? "" : reader.status().message();
}

std::shared_ptr<const Elements> InitialValues::find(StringRef name,
                                                    const TensorType &type,
                                                    std::string &error) const {
  std::vector<int64_t> dims(type.shape.begin(), type.shape.end());
  if (!prefix.empty()) {
    auto reader = CheckpointReader::open(FileSystem::posix(), prefix);
    if (!reader)
      return nullptr; // open() has said so.
    std::string_view key(name);
    Status status = (*reader)->find(key)
                        ? (*reader)->check(key, "", type.element, dims)
                        : Status(StatusCode::NotFound,
                                 "the file of initial values has no such "
                                 "tensor");
    error = status.isOk() ? "" : status.message();
    return nullptr;
  }
  auto reader = NpzReader::open(FileSystem::posix(), npz);
  if (!reader)
    return nullptr;
  auto file = reader->array(name.str());
  if (!file) {
    error = file.status().message();
    return nullptr;
  }
  auto value = std::make_shared<Elements>();
  value->type = type;
  value->bytes.resize(numElements(type.shape).value_or(0) *
                      sizeOf(type.element));
  std::string label = npz + ":" + name.str();
  ingot_tensor_spec spec{label.c_str(), type.element,
                         static_cast<uint32_t>(dims.size()), dims.data()};
  Status status = readNpy(**file, label, spec, value->bytes.data());
  error = status.isOk() ? "" : status.message();
  return status.isOk() ? value : nullptr;
}

} // namespace ingot::stablehlo
