//===- SavedModelVariables.cpp - Values in a SavedModel -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/SavedModelVariables.h"

#include "compiler/Import/Graph/Constants.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "dialects/Ingot/IR/DType.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "runtime/Checkpoint/CheckpointReader.h"
#include "llvm/ADT/DenseSet.h"
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
        proto::DT_BOOL, proto::DT_COMPLEX64, proto::DT_COMPLEX128})
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

std::vector<InitialVariableValue>
readInitialValues(Program &program, StringRef prefix, ImportErrors &problems) {
  std::vector<InitialVariableValue> values;
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
    Type element = storedElementType(type.getElementType());
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

// Reads the tensor that the checkpoint stores under `key`. Its first dimension
// may have any size, and `inner` are the sizes of its other dimensions. Records
// a problem and returns null if the tensor has another type or shape.
static ElementsAttr readWhole(const CheckpointReader &reader, StringRef key,
                              Type element, ArrayRef<int64_t> inner,
                              ImportErrors &problems) {
  const CheckpointEntry *entry = reader.find(std::string_view(key));
  bool isString = isa<StringType>(element);
  Shape shape = entry->shape;
  Status status(StatusCode::InvalidArgument,
                "the type or shape differs from that of the lookup table");
  if (!shape.empty() && ArrayRef(shape).drop_front() == inner &&
      entry->dtype == (isString ? proto::DT_STRING : dtypeOf(element)))
    status = reader.check(std::string_view(key), "", entry->dtype, shape);
  std::string error;
  ElementsAttr value;
  if (status.isOk()) {
    Expected<TensorData> tensor = readTensor(reader, std::string_view(key));
    if (!tensor) {
      status = tensor.takeStatus();
    } else if (auto type = RankedTensorType::get(shape, element); isString) {
      SmallVector<StringRef> texts(tensor->strings.begin(),
                                   tensor->strings.end());
      value = DenseStringElementsAttr::get(type, texts);
    } else {
      value = convertBytes(type, tensor->bytes, error);
    }
  }
  if (!value)
    problems.malformed("'" + key + "' in the checkpoint: " +
                       (status.isOk() ? error : status.message()));
  return value;
}

std::vector<InitialTableContents> readInitialContents(Program &program,
                                                      StringRef prefix,
                                                      ImportErrors &problems) {
  std::vector<InitialTableContents> contents;
  auto reader = CheckpointReader::open(FileSystem::posix(), prefix.str());
  if (!reader) // readInitialValues() has recorded this problem
    return contents;
  llvm::DenseSet<Attribute> known;
  for (auto saver : program.module.getOps<SaverOp>())
    for (const SavedLookupTable &saved : savedTables(saver)) {
      StringRef keys = saved.keys.getValue(), values = saved.values.getValue();
      if (!(*reader)->find(std::string_view(keys)) ||
          !(*reader)->find(std::string_view(values)) ||
          !known.insert(saved.table).second)
        continue;
      auto table = program.module.lookupSymbol<TableOp>(saved.table.getAttr());
      auto value = cast<RankedTensorType>(table.getValueType());
      InitialTableContents found = {
          table, readWhole(**reader, keys, table.getKeyType(), {}, problems),
          readWhole(**reader, values, value.getElementType(), value.getShape(),
                    problems)};
      if (!found.keys || !found.values)
        continue;
      if (found.keys.getShapedType().getDimSize(0) !=
          found.values.getShapedType().getDimSize(0))
        problems.malformed(
            "'" + keys + "' and '" + values +
            "' in the checkpoint have different sizes: " +
            llvm::Twine(found.keys.getShapedType().getDimSize(0)) + " and " +
            llvm::Twine(found.values.getShapedType().getDimSize(0)));
      else
        contents.push_back(found);
    }
  return contents;
}

} // namespace ingot::importer
