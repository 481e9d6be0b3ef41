//===- InitialValues.cpp - Variables that start from a checkpoint ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/InitialValues.h"

#include "compiler/Import/Constants.h"
#include "compiler/Import/Types.h"
#include "dialects/Ingot/VariableOps.h"
#include "runtime/Checkpoint/CheckpointReader.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Returns TensorFlow's DataType number for an element type, or 0 if a
// checkpoint cannot have values of this type.
static int32_t dtypeOf(Type element) {
  MLIRContext *context = element.getContext();
  for (proto::DataType dtype :
       {proto::DT_FLOAT, proto::DT_DOUBLE, proto::DT_HALF, proto::DT_BFLOAT16,
        proto::DT_INT8, proto::DT_INT16, proto::DT_INT32, proto::DT_INT64,
        proto::DT_UINT8, proto::DT_UINT16, proto::DT_UINT32, proto::DT_UINT64,
        proto::DT_BOOL})
    if (convertElementType(dtype, context) == element)
      return dtype;
  return 0;
}

// Maps the symbol of each variable to the pair of key and slice under which a
// saver of the module stores it.
static llvm::DenseMap<StringAttr, std::pair<StringRef, StringRef>>
savedKeys(ModuleOp module) {
  llvm::DenseMap<StringAttr, std::pair<StringRef, StringRef>> keys;
  for (auto saver : module.getOps<SaverOp>())
    for (auto item : saver.getItems().getAsRange<SavedItemAttr>())
      keys.try_emplace(item.getTarget().getAttr(), item.getKey(),
                       item.getSlice());
  return keys;
}

std::vector<InitialValue> readInitialValues(Program &program, StringRef prefix,
                                            ImportProblems &problems) {
  std::vector<InitialValue> values;
  auto reader = CheckpointReader::open(FileSystem::posix(), prefix.str());
  if (!reader) {
    problems.malformed(reader.status().message());
    return values;
  }
  auto keys = savedKeys(program.module);
  for (auto variable : program.module.getOps<VariableOp>()) {
    auto [key, slice] = keys.lookup(variable.getSymNameAttr());
    if (key.empty())
      key = variable.getSymName();
    auto type = cast<RankedTensorType>(variable.getType());
    int32_t dtype = dtypeOf(type.getElementType());
    if (!(*reader)->find(std::string_view(key)) || !dtype)
      continue;
    Type element = type.getElementType();
    size_t width =
        element.isInteger(1) ? 1 : element.getIntOrFloatBitWidth() / 8;
    std::string bytes(type.getNumElements() * width, 0), error;
    Status status =
        (*reader)->read(std::string_view(key), std::string_view(slice), dtype,
                        Shape(type.getShape()), bytes.data());
    if (!status.isOk()) {
      problems.malformed("variable '" + variable.getSymName() +
                         "': " + status.message());
      continue;
    }
    values.push_back({variable, convertBytes(type, bytes, error)});
  }
  return values;
}

} // namespace ingot::importer
