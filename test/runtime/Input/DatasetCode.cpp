//===- DatasetCode.cpp - Dataset code of hand-written tables --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "DatasetCode.h"

#include "runtime/Input/DatasetOp.h"

#define DATASETS(X)                                                            \
  X(TensorDataset, tensor_dataset)                                             \
  X(TensorSliceDataset, tensor_slice_dataset)                                  \
  X(RangeDataset, range_dataset)                                               \
  X(TFRecordDataset, tf_record_dataset)                                        \
  X(TFRecordDatasetV2, tf_record_dataset_v2)                                   \
  X(MapDataset, map_dataset)                                                   \
  X(ParallelMapDatasetV2, parallel_map_dataset)                                \
  X(FlatMapDataset, flat_map_dataset)                                          \
  X(ShuffleDataset, shuffle_dataset)                                           \
  X(RepeatDataset, repeat_dataset)                                             \
  X(BatchDatasetV2, batch_dataset)                                             \
  X(PrefetchDataset, prefetch_dataset)                                         \
  X(TakeDataset, take_dataset)                                                 \
  X(SkipDataset, skip_dataset)                                                 \
  X(ZipDataset, zip_dataset)                                                   \
  X(ConcatenateDataset, concatenate_dataset)                                   \
  X(TextLineDataset, text_line_dataset)                                        \
  X(FixedLengthRecordDatasetV2, fixed_length_record_dataset)                   \
  X(InterleaveDataset, interleave_dataset)                                     \
  X(FilterDataset, filter_dataset)                                             \
  X(ShardDataset, shard_dataset)                                               \
  X(CacheDataset, cache_dataset)                                               \
  X(UnbatchDataset, unbatch_dataset)                                           \
  X(PaddedBatchDatasetV2, padded_batch_dataset)                                \
  X(WindowDataset, window_dataset)                                             \
  X(WindowElements, window_elements)                                           \
  X(ScanDataset, scan_dataset)                                                 \
  X(TakeWhileDataset, take_while_dataset)                                      \
  X(RebatchDatasetV2, rebatch_dataset)                                         \
  X(RandomDatasetV2, random_dataset)                                           \
  X(DirectedInterleaveDataset, directed_interleave_dataset)                    \
  X(CSVDatasetV2, csv_dataset)                                                 \
  X(GroupDataset, group_dataset)                                               \
  X(UniqueDataset, unique_dataset)                                             \
  X(IgnoreErrorsDataset, ignore_errors_dataset)                                \
  X(MatchingFilesDataset, matching_files_dataset)                              \
  X(OptionalDataset, optional_dataset)                                         \
  X(Queue, queue_dataset)                                                      \
  X(QueueDequeueMany, queue_batch_dataset)                                     \
  X(Reader, reader_dataset)                                                    \
  X(QueueEnqueue, queue_runner_dataset)                                        \
  X(Queues, queues_dataset)

#define DECLARE(op, mnemonic)                                                  \
  extern "C" const ingot::input::DatasetOp ingot_dataset_##mnemonic;
DATASETS(DECLARE)

const void *ingot::test::datasetCode(std::string_view op) {
#define FIND(name, mnemonic)                                                   \
  if (op == #name)                                                             \
    return &ingot_dataset_##mnemonic;
  DATASETS(FIND)
  return nullptr;
}
