//===- IngotQueue.td - Queues of TensorFlow 1 -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops on the queues of TensorFlow 1. Queues, their readers and their runners
// are dataset ops in the region of an iterator; entries use them by other ops.
// docs/internals/queues.md says in which order they run.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_QUEUE_TD
#define INGOT_DIALECTS_INGOT_QUEUE_TD

include "dialects/Ingot/IR/IngotBase.td"

class Ingot_QueueDatasetBase<string mnemonic, string tensorFlow, list<Trait> traits = []>
    : Ingot_SomeDatasetOp<mnemonic, tensorFlow, !listconcat(traits, [Ingot_ReadsElementsOnce])> {
  let hasBuilders = 1;
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
}

def Ingot_QueueDatasetOp : Ingot_QueueDatasetBase<"queue_dataset", "Queue"> {
  let summary = "A queue and the runners that fill it";
  let description = [{
    TensorFlow's `FIFOQueueV2`, `RandomShuffleQueueV2`, `PaddingFIFOQueueV2`,
    `PriorityQueueV2` and `Stage`: `kind` says which, as messages call it. A
    capacity of -1 is no limit. `min_after_dequeue` and the seeds are those of a
    RandomShuffleQueue. An element is what one dequeue takes.

    Constraints:
    - (queue_dataset_c1) `kind` is FIFOQueue, RandomShuffleQueue,
      PaddingFIFOQueue, PriorityQueue or StagingArea.
    - (queue_dataset_c2) the capacity is positive, or -1.
    - (queue_dataset_c3) `min_after_dequeue` is not negative, and less than a
      limited capacity.
    - (queue_dataset_c4) each operand is a runner whose elements have the
      queue's components.
    - (queue_dataset_c5) the first component of a PriorityQueue is an i64
      scalar.

    ```mlir
    %1 = ingot.queue_dataset(%0) {kind = "FIFOQueue", capacity = 32 : i64}
        : (!ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<!ingot.string>>
    ```
  }];
  let arguments = (ins Variadic<Ingot_Dataset>:$runners, StrAttr:$kind, I64Attr:$capacity,
                       DefaultValuedAttr<I64Attr, "0">:$min_after_dequeue, DefaultValuedAttr<I64Attr, "0">:$seed,
                       DefaultValuedAttr<I64Attr, "0">:$seed2);
}

def Ingot_QueueBatchDatasetOp : Ingot_QueueDatasetBase<"queue_batch_dataset", "QueueDequeueMany"> {
  let summary = "Elements of a queue or records of a reader, several at a time";
  let description = [{
    What a runner takes with `QueueDequeueManyV2` or, with `up_to`,
    `QueueDequeueUpToV2` and `ReaderReadUpToV2`. Records of a batch are of one
    file.

    Constraints:
    - (queue_batch_dataset_c1) `count` is positive.
    - (queue_batch_dataset_c2) the operand is a queue or, with `up_to`, a
      reader, and each component has one more leading dimension than its.

    ```mlir
    %1 = ingot.queue_batch_dataset(%0) {count = 4 : i64}
        : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<4xf32>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$queue, I64Attr:$count, DefaultValuedAttr<BoolAttr, "false">:$up_to);
}

def Ingot_ReaderDatasetOp : Ingot_QueueDatasetBase<"reader_dataset", "Reader"> {
  let summary = "The records of files that a queue names";
  let description = [{
    TensorFlow's `TFRecordReaderV2`, `TextLineReaderV2`,
    `FixedLengthRecordReaderV2`, `WholeFileReaderV2` and `IdentityReaderV2`,
    by `kind`. An element is a record's key and the record.

    Constraints:
    - (reader_dataset_c1) `kind` is TFRecordReader, TextLineReader,
      FixedLengthRecordReader, WholeFileReader or IdentityReader.
    - (reader_dataset_c2) the operand is a queue of one string scalar.
    - (reader_dataset_c3) an element is two string scalars.
    - (reader_dataset_c4) records of a FixedLengthRecordReader have a positive
      length, and no size is negative or above 2^40.
    - (reader_dataset_c5) the compression is "", "GZIP" or "ZLIB".

    ```mlir
    %1 = ingot.reader_dataset(%0) {kind = "TFRecordReader"}
        : (!ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<!ingot.string>, tensor<!ingot.string>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$names, StrAttr:$kind, DefaultValuedAttr<StrAttr, "\"\"">:$compression,
                       DefaultValuedAttr<I64Attr, "0">:$skip_header_lines, DefaultValuedAttr<I64Attr, "0">:$header_bytes,
                       DefaultValuedAttr<I64Attr, "0">:$record_bytes, DefaultValuedAttr<I64Attr, "0">:$footer_bytes,
                       DefaultValuedAttr<I64Attr, "0">:$hop_bytes);
}

def Ingot_QueueRunnerDatasetOp
    : Ingot_QueueDatasetBase<"queue_runner_dataset", "QueueEnqueue", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "An enqueue op, run again and again";
  let description = [{
    TensorFlow's `QueueEnqueueV2` or, with `many`, `QueueEnqueueManyV2`, as a
    thread of a QueueRunner runs it: takes an element of each source, calls the
    function on all their components, and has its results enqueued. With `many`
    the rows of the results are elements. With `gated` the first result, a bool
    scalar, says whether the others are enqueued. Runners of one `group` are one
    QueueRunner, which closes the queue when the last of them ends.

    Constraints:
    - (queue_runner_c1) the symbol names a function of the sources' components.
    - (queue_runner_c2) the function returns the components, each with one more
      leading dimension with `many`, and before them a bool scalar with `gated`.

    ```mlir
    %1 = ingot.queue_runner_dataset(%0) {function = @decode}
        : (!ingot.dataset<tensor<!ingot.string>, tensor<!ingot.string>>) -> !ingot.dataset<tensor<4xf32>>
    ```
  }];
  let arguments = (ins Variadic<Ingot_Dataset>:$sources, FlatSymbolRefAttr:$function, DefaultValuedAttr<BoolAttr, "false">:$many,
                       DefaultValuedAttr<BoolAttr, "false">:$gated, DefaultValuedAttr<I64Attr, "0">:$group);
}

def Ingot_QueuesDatasetOp : Ingot_QueueDatasetBase<"queues_dataset", "Queues"> {
  let summary = "The queues and readers that entries use";
  let description = [{
    The root dataset of an iterator whose queues and readers entries use: their
    ops name a queue or reader by its index among the operands here. The dataset
    itself has no elements.

    Constraints:
    - (queues_dataset_c1) each operand is a queue or a reader.
    - (queues_dataset_c2) the result has one component, an i64 scalar.

    ```mlir
    %1 = ingot.queues_dataset(%0) : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<i64>>
    ```
  }];
  let arguments = (ins Variadic<Ingot_Dataset>:$nodes);
}

class Ingot_QueueOp<string mnemonic> : Ingot_Op<mnemonic, [Ingot_ComputedByRuntime, MemoryEffects<[MemRead, MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasBuilders = 1;
}

def Ingot_QueueDequeueOp : Ingot_QueueOp<"queue_dequeue"> {
  let summary = "Takes elements from a queue or a reader";
  let description = [{
    TensorFlow's `QueueDequeueV2`, `ReaderReadV2` and `Unstage`; with a count
    `QueueDequeueManyV2` and, with `up_to`, `QueueDequeueUpToV2` and
    `ReaderReadUpToV2`, whose results have a leading dimension. Ends the entry
    with OutOfRange if the queue is closed and has too few elements.

    Constraints:
    - (queue_c1) the symbol names an iterator of queues, and `node` is one of
      its nodes.
    - (queue_dequeue_c1) the results do not contradict the node's components.
    - (queue_dequeue_c2) a count is a scalar of i32 or i64.

    ```mlir
    %x, %y = ingot.queue_dequeue @queues[0] many(%n : tensor<i32>) : tensor<32x64xf32>, tensor<32xi64>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$iterator, I64Attr:$node, Optional<AnyTensor>:$count, DefaultValuedAttr<BoolAttr, "false">:$up_to);
  let results = (outs Variadic<AnyTensor>:$components);
  let assemblyFormat = "$iterator `[` $node `]` (`many` `(` $count^ `:` type($count) `)`)? attr-dict (`:` type($components)^)?";
}

def Ingot_QueueEnqueueOp : Ingot_QueueOp<"queue_enqueue"> {
  let summary = "Puts elements into a queue";
  let description = [{
    TensorFlow's `QueueEnqueueV2` and `Stage`; with `many`
    `QueueEnqueueManyV2`, whose elements are the rows of its operands. Fails
    where TensorFlow would wait for ever: if the queue is full.

    Constraints:
    - (queue_c1) the symbol names an iterator of queues, and `node` is one of
      its nodes.
    - (queue_enqueue_c1) the operands do not contradict the queue's components.

    ```mlir
    ingot.queue_enqueue @queues[0](%x : tensor<4xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$iterator, I64Attr:$node, Variadic<AnyTensor>:$components, DefaultValuedAttr<BoolAttr, "false">:$many);
  let assemblyFormat = "$iterator `[` $node `]` `(` ($components^ `:` type($components))? `)` attr-dict";
}

def Ingot_QueueSizeOp : Ingot_QueueOp<"queue_size"> {
  let summary = "The number of elements in a queue";
  let description = [{
    TensorFlow's `QueueSizeV2` and `StageSize`.

    Constraints:
    - (queue_c1) the symbol names an iterator of queues, and `node` is one of
      its nodes.

    ```mlir
    %n = ingot.queue_size @queues[0] : tensor<i32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$iterator, I64Attr:$node);
  let results = (outs TensorOf<[I32]>:$size);
  let assemblyFormat = "$iterator `[` $node `]` attr-dict `:` type($size)";
}

def Ingot_QueueIsClosedOp : Ingot_QueueOp<"queue_is_closed"> {
  let summary = "Whether a queue is closed";
  let description = [{
    TensorFlow's `QueueIsClosedV2`.

    Constraints:
    - (queue_c1) the symbol names an iterator of queues, and `node` is one of
      its nodes.

    ```mlir
    %b = ingot.queue_is_closed @queues[0] : tensor<i1>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$iterator, I64Attr:$node);
  let results = (outs TensorOf<[I1]>:$closed);
  let assemblyFormat = "$iterator `[` $node `]` attr-dict `:` type($closed)";
}

def Ingot_QueueCloseOp : Ingot_QueueOp<"queue_close"> {
  let summary = "Closes a queue";
  let description = [{
    TensorFlow's `QueueCloseV2`: enqueues fail from now on, dequeues when there
    are too few elements. With `cancel` elements that wait for room are dropped.

    Constraints:
    - (queue_c1) the symbol names an iterator of queues, and `node` is one of
      its nodes.

    ```mlir
    ingot.queue_close @queues[0]
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$iterator, I64Attr:$node, DefaultValuedAttr<BoolAttr, "false">:$cancel);
  let assemblyFormat = "$iterator `[` $node `]` attr-dict";
}

#endif // INGOT_DIALECTS_INGOT_QUEUE_TD
