//===- Registry.h - The dataset ops that the runtime runs -------*- C++ -*-===//
//
// One table: TensorFlow's op name, the operands it takes, and who makes its
// iterator. Checks and fingerprints read the same table.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_REGISTRY_H
#define INGOT_RUNTIME_INPUT_REGISTRY_H

#include "runtime/Input/Dataset.h"

#include <span>
#include <string_view>

namespace ingot::input {

/// One named operand of a dataset op.
struct OperandRule {
  const char *name;
  int32_t dtype;
  /// The highest rank allowed; scalars are 0.
  uint32_t maxRank = 0;
  /// Whether another value gives other elements, or another order.
  bool identity = true;
  /// Bounds of a constant integer.
  int64_t least = INT64_MIN;
};

enum class FunctionKind {
  None,
  /// ingot_dataset.function, over an element and the variadic operands.
  Compiled,
  /// ingot_dataset.body, likewise.
  Body,
};

using MakeIterator =
    Expected<std::unique_ptr<DatasetIterator>>(const DatasetContext &context);

/// DatasetOp.numInputs of an op that takes one or more.
inline constexpr uint32_t anyInputs = UINT32_MAX;

struct DatasetOp {
  std::string_view name;
  uint32_t numInputs;
  /// Whether operands of any number and type come before `operands`.
  bool variadic;
  std::span<const OperandRule> operands;
  FunctionKind function;
  /// Attributes that change elements or their order; null-terminated.
  const char *const *attributes;
  MakeIterator *make;
};

/// Null for an op that this runtime doesn't run.
const DatasetOp *findDatasetOp(std::string_view name);

/// The makers, each in the file of its op.
MakeIterator makeTensorDataset, makeTensorSliceDataset, makeRangeDataset,
    makeTFRecordDataset, makeMapDataset, makeFlatMapDataset, makeShuffleDataset,
    makeShuffleAndRepeatDataset, makeRepeatDataset, makeBatchDataset,
    makePrefetchDataset, makeTakeDataset, makeSkipDataset, makeZipDataset,
    makeConcatenateDataset, makeTextLineDataset, makeFixedLengthRecordDataset,
    makeInterleaveDataset, makeFilterDataset, makeShardDataset,
    makeCacheDataset, makeUnbatchDataset, makePaddedBatchDataset,
    makeWrapperDataset, makeWindowDataset, makeWindowElements, makeScanDataset,
    makeTakeWhileDataset, makeRebatchDataset, makeRandomDataset,
    makeDirectedInterleaveDataset;

/// Whether a map whose function reports the end of a sequence has failed.
bool preservesCardinality(const DatasetContext &map);

/// A failure of the function of map `name` on the latest element of `input`,
/// described; or the end of the dataset, where it means that.
Status describeMapFailure(Status status, bool preserveCardinality,
                          const std::string &name, const DatasetIterator &input,
                          bool &end);

/// Those that an artifact has only where its tables refer to them
/// (ingot_dataset.code).
MakeIterator makeCSVDataset, makeGroupDataset, makeUniqueDataset,
    makeIgnoreErrorsDataset, makeMatchingFilesDataset, makeOptionalDataset,
    makeFileCacheDataset;

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_REGISTRY_H
