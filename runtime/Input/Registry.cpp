//===- Registry.cpp - The dataset ops that the runtime runs -----*- C++ -*-===//
//
// The table, by TensorFlow's op names. Operands that only change how fast
// elements come are no part of a pipeline's identity.
//
//===----------------------------------------------------------------------===//
#include "runtime/Input/Registry.h"

namespace ingot::input {

// A reference alone does not link them.
[[gnu::weak]] MakeIterator makeCSVDataset, makeGroupDataset, makeUniqueDataset,
    makeIgnoreErrorsDataset, makeMatchingFilesDataset, makeOptionalDataset;

static constexpr const char *noAttributes[] = {nullptr};
static constexpr const char *shuffleAttributes[] = {"reshuffle_each_iteration",
                                                    nullptr};

static constexpr const char *randomAttributes[] = {"rerandomize_each_iteration",
                                                   nullptr};
static constexpr const char *directedAttributes[] = {"stop_on_empty_dataset",
                                                     nullptr};

static constexpr OperandRule rangeOperands[] = {
    {"start", INGOT_INT64}, {"stop", INGOT_INT64}, {"step", INGOT_INT64}};
static constexpr OperandRule recordOperands[] = {
    {"filenames", INGOT_STRING, 1},
    {"compression_type", INGOT_STRING},
    {"buffer_size", INGOT_INT64, 0, false}};
static constexpr OperandRule recordV2Operands[] = {
    {"filenames", INGOT_STRING, 1},
    {"compression_type", INGOT_STRING},
    {"buffer_size", INGOT_INT64, 0, false},
    {"byte_offsets", INGOT_INT64, 1}};
static constexpr OperandRule blockOperands[] = {
    {"filenames", INGOT_STRING, 1},
    {"header_bytes", INGOT_INT64},
    {"record_bytes", INGOT_INT64, 0, true, 1},
    {"footer_bytes", INGOT_INT64},
    {"buffer_size", INGOT_INT64, 0, false},
    {"compression_type", INGOT_STRING}};
static constexpr OperandRule interleaveOperands[] = {
    {"cycle_length", INGOT_INT64, 0, true, -1},
    {"block_length", INGOT_INT64, 0, true, 1}};
static constexpr OperandRule shardOperands[] = {
    {"num_shards", INGOT_INT64, 0, true, 1},
    {"index", INGOT_INT64, 0, true, 0}};
static constexpr OperandRule cacheOperands[] = {{"filename", INGOT_STRING}};
static constexpr OperandRule parallelMapOperands[] = {
    {"num_parallel_calls", INGOT_INT32, 0, false}};
static constexpr OperandRule parallelMapV2Operands[] = {
    {"num_parallel_calls", INGOT_INT64, 0, false}};
static constexpr OperandRule shuffleOperands[] = {
    {"buffer_size", INGOT_INT64, 0, true, 1},
    {"seed", INGOT_INT64},
    {"seed2", INGOT_INT64}};
static constexpr OperandRule shuffleAndRepeatOperands[] = {
    {"buffer_size", INGOT_INT64, 0, true, 1},
    {"seed", INGOT_INT64},
    {"seed2", INGOT_INT64},
    {"count", INGOT_INT64, 0, true, -1}};
static constexpr OperandRule countOperands[] = {{"count", INGOT_INT64}};
static constexpr OperandRule batchOperands[] = {
    {"batch_size", INGOT_INT64, 0, true, 1}};
static constexpr OperandRule batchV2Operands[] = {
    {"batch_size", INGOT_INT64, 0, true, 1}, {"drop_remainder", INGOT_BOOL}};
static constexpr OperandRule prefetchOperands[] = {
    {"buffer_size", INGOT_INT64, 0, false, -1}};

static constexpr OperandRule windowOperands[] = {
    {"size", INGOT_INT64, 0, true, 1},
    {"shift", INGOT_INT64, 0, true, 1},
    {"stride", INGOT_INT64, 0, true, 1},
    {"drop_remainder", INGOT_BOOL}};
static constexpr OperandRule windowElementsOperands[] = {
    {"window", INGOT_VARIANT}};
static constexpr OperandRule rebatchOperands[] = {
    {"batch_sizes", INGOT_INT64, 1}, {"drop_remainder", INGOT_BOOL}};
static constexpr OperandRule randomOperands[] = {{"seed", INGOT_INT64},
                                                 {"seed2", INGOT_INT64}};

static constexpr OperandRule csvOperands[] = {
    {"filenames", INGOT_STRING, 1},
    {"compression_type", INGOT_STRING},
    {"buffer_size", INGOT_INT64, 0, false},
    {"header", INGOT_BOOL},
    {"field_delim", INGOT_STRING},
    {"use_quote_delim", INGOT_BOOL},
    {"na_value", INGOT_STRING},
    {"select_cols", INGOT_INT64, 1},
    {"exclude_cols", INGOT_INT64, 1}};
static constexpr OperandRule patternOperands[] = {
    {"patterns", INGOT_STRING, 1}};

using enum FunctionKind;

// ShuffleDatasetV3's fourth operand, the handle of its seed generator, is not
// an operand here: a generator belongs to the dataset that draws from it.
// Three ops are not TensorFlow's: WindowElements, a dataset that is a component
// of an element; GroupDataset, the windows that GroupByWindowDataset reduces;
// OptionalDataset, which IteratorGetNextAsOptional takes elements from.
static constexpr DatasetOp table[] = {
    {"TensorDataset", 0, true, {}, None, noAttributes, makeTensorDataset},
    {"TensorSliceDataset",
     0,
     true,
     {},
     None,
     noAttributes,
     makeTensorSliceDataset},
    {"RangeDataset", 0, false, rangeOperands, None, noAttributes,
     makeRangeDataset},
    {"TFRecordDataset", 0, false, recordOperands, None, noAttributes,
     makeTFRecordDataset},
    {"TFRecordDatasetV2", 0, false, recordV2Operands, None, noAttributes,
     makeTFRecordDataset},
    {"MapDataset", 1, true, {}, Compiled, noAttributes, makeMapDataset},
    {"ParallelMapDataset", 1, true, parallelMapOperands, Compiled, noAttributes,
     makeMapDataset},
    {"ParallelMapDatasetV2", 1, true, parallelMapV2Operands, Compiled,
     noAttributes, makeMapDataset},
    {"FlatMapDataset", 1, true, {}, Body, noAttributes, makeFlatMapDataset},
    {"ShuffleDataset", 1, false, shuffleOperands, None, shuffleAttributes,
     makeShuffleDataset},
    {"ShuffleDatasetV3", 1, false, shuffleOperands, None, shuffleAttributes,
     makeShuffleDataset},
    {"ShuffleAndRepeatDataset", 1, false, shuffleAndRepeatOperands, None,
     shuffleAttributes, makeShuffleAndRepeatDataset},
    {"RepeatDataset", 1, false, countOperands, None, noAttributes,
     makeRepeatDataset},
    {"BatchDataset", 1, false, batchOperands, None, noAttributes,
     makeBatchDataset},
    {"BatchDatasetV2", 1, false, batchV2Operands, None, noAttributes,
     makeBatchDataset},
    {"PrefetchDataset", 1, false, prefetchOperands, None, noAttributes,
     makePrefetchDataset},
    {"TakeDataset", 1, false, countOperands, None, noAttributes,
     makeTakeDataset},
    {"SkipDataset", 1, false, countOperands, None, noAttributes,
     makeSkipDataset},
    {"ZipDataset", anyInputs, false, {}, None, noAttributes, makeZipDataset},
    {"ConcatenateDataset",
     2,
     false,
     {},
     None,
     noAttributes,
     makeConcatenateDataset},
    {"TextLineDataset", 0, false, recordOperands, None, noAttributes,
     makeTextLineDataset},
    {"FixedLengthRecordDatasetV2", 0, false, blockOperands, None, noAttributes,
     makeFixedLengthRecordDataset},
    {"InterleaveDataset", 1, true, interleaveOperands, Body, noAttributes,
     makeInterleaveDataset},
    {"FilterDataset", 1, true, {}, Compiled, noAttributes, makeFilterDataset},
    {"ShardDataset", 1, false, shardOperands, None, noAttributes,
     makeShardDataset},
    {"CacheDataset", 1, false, cacheOperands, None, noAttributes,
     makeCacheDataset},
    {"UnbatchDataset", 1, false, {}, None, noAttributes, makeUnbatchDataset},
    {"PaddedBatchDatasetV2", 1, true, batchV2Operands, None, noAttributes,
     makePaddedBatchDataset},
    {"WindowDataset", 1, false, windowOperands, None, noAttributes,
     makeWindowDataset},
    {"WindowElements", 0, false, windowElementsOperands, None, noAttributes,
     makeWindowElements},
    {"ScanDataset", 1, true, {}, Compiled, noAttributes, makeScanDataset},
    {"TakeWhileDataset",
     1,
     true,
     {},
     Compiled,
     noAttributes,
     makeTakeWhileDataset},
    {"RebatchDatasetV2", 1, false, rebatchOperands, None, noAttributes,
     makeRebatchDataset},
    {"RandomDatasetV2", 0, false, randomOperands, None, randomAttributes,
     makeRandomDataset},
    {"DirectedInterleaveDataset",
     anyInputs,
     false,
     {},
     None,
     directedAttributes,
     makeDirectedInterleaveDataset},
    {"CSVDatasetV2", 0, true, csvOperands, None, noAttributes, makeCSVDataset},
    {"GroupDataset", 1, false, {}, None, noAttributes, makeGroupDataset},
    {"UniqueDataset", 1, false, {}, None, noAttributes, makeUniqueDataset},
    {"IgnoreErrorsDataset",
     1,
     false,
     {},
     None,
     noAttributes,
     makeIgnoreErrorsDataset},
    {"MatchingFilesDataset", 0, false, patternOperands, None, noAttributes,
     makeMatchingFilesDataset},
    {"OptionalDataset", 1, false, {}, None, noAttributes, makeOptionalDataset},
    {"OptionsDataset", 1, false, {}, None, noAttributes, makeWrapperDataset},
    {"ModelDataset", 1, false, {}, None, noAttributes, makeWrapperDataset},
};

const DatasetOp *findDatasetOp(std::string_view name) {
  for (const DatasetOp &op : table)
    if (op.name == name && op.make)
      return &op;
  return nullptr;
}

} // namespace ingot::input
