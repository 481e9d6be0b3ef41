//===- StringExport.cpp - Strings, examples and sparse tensors ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/OpExport.h"

#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/SetOps.h"
#include "dialects/Ingot/IR/SparseOps.h"
#include "dialects/Ingot/IR/StringOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

static void exportCase(OpExport &op) {
  op.emit(isa<StringLowerOp>(op.op) ? "StringLower" : "StringUpper",
          op.operands());
}

static void exportEqual(OpExport &op) {
  op.emit(op.flag("negate") ? "NotEqual" : "Equal", op.operands());
}

static void exportHash(OpExport &op) {
  StringRef method = op.text("method");
  AttributeMap attributes = {
      {"num_buckets", integer(op.integer("num_buckets"))}};
  if (method == "strong")
    attributes["key"] = integers(op.integers("key"));
  op.emit(method == "fast"     ? "StringToHashBucketFast"
          : method == "strong" ? "StringToHashBucketStrong"
                               : "StringToHashBucket",
          op.operands(), attributes);
}

static void exportDecodeCsv(OpExport &op) {
  op.emit("DecodeCSV", op.operands(),
          {{"field_delim", text(op.text("field_delim"))},
           {"use_quote_delim", boolean(op.flag("use_quote_delim"))},
           {"na_value", text(op.text("na_value"))},
           {"select_cols", integers(op.integers("select_cols"))}});
}

static proto::AttrValue denseShapes(OpExport &op) {
  proto::AttrValue shapes;
  shapes.mutable_list();
  for (auto dims : op.op->getAttrOfType<ArrayAttr>("dense_shapes")
                       .getAsRange<DenseI64ArrayAttr>())
    *shapes.mutable_list()->add_shape() = toShape(dims.asArrayRef());
  return shapes;
}

// Exports the parsing of one tf.Example or of several: ParseExampleV2 does
// both.
static void exportParse(OpExport &op, StringRef denseKeys) {
  SmallVector<StringRef> sparse = op.texts("sparse_keys"),
                         ragged = op.texts("ragged_keys");
  auto keys = [&](ArrayRef<StringRef> texts) {
    return op.constant(strings(texts));
  };
  SmallVector<NodeOutput> inputs = {op.operand(0), keys({}), keys(sparse),
                                    keys(op.texts(denseKeys)), keys(ragged)};
  llvm::append_range(inputs, op.operands(1));
  SmallVector<proto::DataType> defaults;
  for (const NodeOutput &tensor : op.operands(1))
    defaults.push_back(tensor.dtype);
  op.emit("ParseExampleV2", inputs,
          {{"num_sparse", integer(static_cast<int64_t>(sparse.size()))},
           {"sparse_types", types(op.types("sparse_types"))},
           {"Tdense", types(defaults)},
           {"dense_shapes", denseShapes(op)},
           {"ragged_value_types", types(op.types("ragged_types"))},
           {"ragged_split_types", types(op.types("split_types"))}});
}

// Exports the parsing of feature lists as a ParseSequenceExampleV2 without
// context features.
static void exportParseLists(OpExport &op) {
  SmallVector<StringRef> sparse = op.texts("sparse_keys"),
                         dense = op.texts("dense_keys"),
                         ragged = op.texts("ragged_keys");
  auto keys = [&](ArrayRef<StringRef> texts) {
    return op.constant(strings(texts));
  };
  NodeOutput none = keys({});
  auto count = [](ArrayRef<StringRef> texts) {
    return integer(static_cast<int64_t>(texts.size()));
  };
  op.emit(
      "ParseSequenceExampleV2",
      {op.operand(0), none, none, none, none, keys(sparse), keys(dense),
       keys(ragged), op.operand(1)},
      {{"Ncontext_sparse", integer(0)},
       {"context_sparse_types", types({})},
       {"Tcontext_dense", types({})},
       {"context_ragged_value_types", types({})},
       {"context_ragged_split_types", types({})},
       {"Nfeature_list_sparse", count(sparse)},
       {"Nfeature_list_dense", count(dense)},
       {"feature_list_sparse_types", types(op.types("sparse_types"))},
       {"feature_list_dense_types", types(op.types("dense_types"))},
       {"feature_list_dense_shapes", denseShapes(op)},
       {"feature_list_ragged_value_types", types(op.types("ragged_types"))},
       {"feature_list_ragged_split_types", types(op.types("split_types"))}});
}

static void exportSerializeSparse(OpExport &op) {
  op.emit(op.flag("by_rows") ? "SerializeManySparse" : "SerializeSparse",
          op.operands());
}

// Exports sparse_cross. Its operands are the indices of `count` sparse columns,
// then their values, then their shapes, and finally the dense columns.
static void exportSparseCross(OpExport &op) {
  SmallVector<NodeOutput> operands = op.operands();
  size_t count = op.integer("count");
  SmallVector<proto::DataType> values, dense;
  for (size_t i = 0; i < count; ++i)
    values.push_back(operands[count + i].dtype);
  for (size_t i = 3 * count; i < operands.size(); ++i)
    dense.push_back(operands[i].dtype);
  AttributeMap columns = {{"N", integer(static_cast<int64_t>(count))},
                          {"sparse_types", types(values)},
                          {"dense_types", types(dense)}};
  // If columns are hashed before they are crossed, as TensorFlow 2 does, the op
  // is SparseCrossHashed.
  if (op.flag("hashes_first")) {
    operands.append({op.scalar(op.integer("num_buckets"), proto::DT_INT64),
                     op.scalar(0, proto::DT_BOOL),
                     op.vector({0, 0}, proto::DT_INT64)});
    return op.emit("SparseCrossHashed", operands, columns);
  }
  bool isHashed = op.flag("hashed");
  if (!isHashed && op.text("separator") != "_X_") {
    operands.push_back(op.constant(string(op.text("separator"))));
    return op.emit("SparseCrossV2", operands, columns);
  }
  proto::DataType result = isHashed ? proto::DT_INT64 : proto::DT_STRING;
  columns.merge(
      AttributeMap{{"hashed_output", boolean(isHashed)},
                   {"num_buckets", integer(op.integer("num_buckets"))},
                   {"hash_key", integer(op.integer("hash_key"))},
                   {"out_type", type(result)},
                   {"internal_type", type(result)}});
  op.emit("SparseCross", operands, columns);
}

static void exportSparseReduce(OpExport &op) {
  op.emit(op.text("reduction") == "max" ? "SparseReduceMaxSparse"
                                        : "SparseReduceSumSparse",
          op.operands(), {{"keep_dims", boolean(op.flag("keep_dims"))}});
}

static void exportSparseCombine(OpExport &op) {
  op.emit(op.text("combine") == "max" ? "SparseSparseMaximum"
                                      : "SparseSparseMinimum",
          op.operands());
}

// Exports unicode_decode: as UnicodeDecode if nothing uses the offsets,
// otherwise as UnicodeDecodeWithOffsets, which TensorFlow supports only with
// int64 splits.
static void exportUnicodeDecode(OpExport &op) {
  AttributeMap attributes = {
      {"input_encoding", text(op.text("input_encoding"))},
      {"errors", text(op.text("errors"))},
      {"replacement_char", integer(op.integer("replacement_char"))},
      {"replace_control_characters",
       boolean(op.flag("replace_control_characters"))},
      {"Tsplits", type(op.type("splits_type"))}};
  if (!op.op->getResult(2).use_empty())
    return op.emit("UnicodeDecodeWithOffsets", op.operands(), attributes);
  SmallVector<NodeOutput> outputs = op.emit(
      "UnicodeDecode", op.operands(), {op.resultType(0), op.resultType(1)},
      attributes, op.op->getResults().take_front(2));
  for (auto [index, output] : llvm::enumerate(outputs))
    op.set(index, output);
}

static void exportRaggedToTensor(OpExport &op) {
  proto::AttrValue types;
  for (StringRef type : op.texts("types"))
    types.mutable_list()->add_s(type.str());
  op.emit("RaggedTensorToTensor", op.operands(),
          {{"row_partition_types", types}});
}

void addStringExports(ExportTable &table) {
  table[StringLowerOp::getOperationName()] = exportCase;
  table[StringUpperOp::getOperationName()] = exportCase;
  table[StringEqualOp::getOperationName()] = exportEqual;
  table[StringToHashBucketOp::getOperationName()] = exportHash;
  table[DecodeCsvOp::getOperationName()] = exportDecodeCsv;
  table[ParseExampleOp::getOperationName()] = [](OpExport &op) {
    exportParse(op, "keys");
  };
  table[ParseFeaturesOp::getOperationName()] = [](OpExport &op) {
    exportParse(op, "dense_keys");
  };
  table[ParseFeatureListsOp::getOperationName()] = exportParseLists;
  table[SerializeSparseOp::getOperationName()] = exportSerializeSparse;
  table[SparseReduceOp::getOperationName()] = exportSparseReduce;
  table[SparseCombineOp::getOperationName()] = exportSparseCombine;
  table[RaggedToTensorOp::getOperationName()] = exportRaggedToTensor;
  table[UnicodeDecodeOp::getOperationName()] = exportUnicodeDecode;
  table[SparseCrossOp::getOperationName()] = exportSparseCross;
}

} // namespace ingot::exporter
