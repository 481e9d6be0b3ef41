//===- IngotInput.td - Datasets and iterators -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Input pipelines: the datasets that make up an iterator, and the ops by which
// entries use iterators.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_INPUT_TD
#define INGOT_DIALECTS_INGOT_INPUT_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_IteratorNextOp : Ingot_Op<"iterator_next", [MemoryEffects<[MemRead, MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasBuilders = 1;
  let summary = "The next element of an iterator";
  let description = [{
    TensorFlow's `IteratorGetNext`; ends the entry with OutOfRange at the end of
    the input.

    Constraints:
    - (iterator_next_c1) the symbol names an iterator.
    - (iterator_next_c2) the results do not contradict the iterator's
      components.

    ```mlir
    %x, %y = ingot.iterator_next @it : tensor<64x64xf32>, tensor<64xi64>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$iterator);
  let results = (outs Variadic<AnyTensor>:$components);
  let assemblyFormat = "$iterator attr-dict (`:` type($components)^)?";
}

def Ingot_IteratorMakeOp : Ingot_Op<"iterator_make", [MemoryEffects<[MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasBuilders = 1;
  let summary = "(Re)starts an iterator at its first element";
  let description = [{
    TensorFlow's `MakeIterator`.

    Constraints:
    - (iterator_make_c1) the symbol names an iterator.

    ```mlir
    ingot.iterator_make @it
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$iterator);
  let assemblyFormat = "$iterator attr-dict";
}

def Ingot_ParseExampleOp : Ingot_Op<"parse_example", [MemoryEffects<[MemRead]>]> {
  let hasBuilders = 1;
  let summary = "Dense features of serialized Examples";
  let description = [{
    TensorFlow's `ParseExampleV2` for dense features. `serialized` is a scalar,
    or a vector whose length leads each result's shape. A default of no
    elements means that the feature must be present.

    Constraints:
    - (parse_example_c1) there are a default, a shape and a result for each key.
    - (parse_example_c2) results are float, int64 or string.
    - (parse_example_c3) a result's shape is that of `serialized` followed by that of the feature.

    ```mlir
    %x = ingot.parse_example %s, defaults(%none) keys ["x"] {dense_shapes = [array<i64: 64>]}
        : (tensor<!ingot.string>, tensor<0xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$serialized, Variadic<Ingot_Tensor>:$defaults,
                       StrArrayAttr:$keys, ArrayAttr:$dense_shapes);
  let results = (outs Variadic<Ingot_Tensor>:$outputs);
  let assemblyFormat = [{
    $serialized `,` `defaults` `(` $defaults `)` `keys` $keys attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

class Ingot_DatasetOp<string mnemonic, string tensorFlow, list<Trait> traits = []>
    : Ingot_SomeDatasetOp<mnemonic, tensorFlow, traits>;

def Ingot_TensorDatasetOp : Ingot_DatasetOp<"tensor_dataset", "TensorDataset"> {
  let hasBuilders = 1;
  let summary = "A dataset of one element, the tensors themselves";
  let description = [{
    Constraints:
    - (tensor_dataset_c1) the components are the operands' types.

    ```mlir
    %0 = ingot.tensor_dataset(%x) : (tensor<2xf32>) -> !ingot.dataset<tensor<2xf32>>
    ```
  }];
  let arguments = (ins Variadic<Ingot_Tensor>:$tensors);
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorSliceDatasetOp : Ingot_DatasetOp<"tensor_slice_dataset", "TensorSliceDataset"> {
  let summary = "The slices of tensors along their first dimension";
  let description = [{
    Constraints:
    - (tensor_slice_dataset_c1) the components are the operands' types without
      their first dimension, which all operands have alike.

    ```mlir
    %0 = ingot.tensor_slice_dataset(%x) : (tensor<5x2xf32>) -> !ingot.dataset<tensor<2xf32>>
    ```
  }];
  let arguments = (ins Variadic<Ingot_Tensor>:$tensors);
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
}

def Ingot_RangeDatasetOp : Ingot_DatasetOp<"range_dataset", "RangeDataset"> {
  let elements = "Declared";
  let summary = "Numbers from start to stop by step";
  let description = [{
    Constraints:
    - (range_dataset_c1) the element is a scalar: an integer of 8 to 64 bits, a
      float32 or a float64.
    - (range_dataset_c2) a constant step is not 0.

    ```mlir
    %0 = ingot.range_dataset(%a, %b, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
    ```
  }];
  let arguments = (ins TensorOf<[I64]>:$start, TensorOf<[I64]>:$stop, TensorOf<[I64]>:$step);
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
}

def Ingot_TFRecordDatasetOp : Ingot_DatasetOp<"tf_record_dataset", "TFRecordDataset"> {
  let elements = "Record";
  let summary = "The records of TFRecord files";
  let description = [{
    Compression is "", "GZIP" or "ZLIB". Checksums are always verified.

    Constraints:
    - (tf_record_dataset_c1) the element is one string scalar.
    - (file_dataset_c2) a constant compression is "", "GZIP" or "ZLIB".

    ```mlir
    %0 = ingot.tf_record_dataset(%files, %none, %size)
        : (tensor<!ingot.string>, tensor<!ingot.string>, tensor<i64>) -> !ingot.dataset<tensor<!ingot.string>>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$filenames, Ingot_StringTensor:$compression_type, TensorOf<[I64]>:$buffer_size);
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
}

class Ingot_MapLikeOp<string mnemonic, string tensorFlow>
    : Ingot_DatasetOp<mnemonic, tensorFlow, [DeclareOpInterfaceMethods<SymbolUserOpInterface>, Ingot_NeverEndsBeforeInput, Ingot_ReadsElementsOnce]> {
  let hasVerifier = 0;
}

def Ingot_MapDatasetOp : Ingot_MapLikeOp<"map_dataset", "MapDataset"> {
  let hasBuilders = 1;
  let summary = "The results of a function that is called for each element";
  let description = [{
    `function` is a function of the program, which is compiled like entries.

    Constraints:
    - (map_dataset_c1) the function takes the input's components and returns the
      result's.

    ```mlir
    %1 = ingot.map_dataset(%0) @parse : (!ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<64xf32>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, FlatSymbolRefAttr:$function);
  let assemblyFormat = "`(` operands `)` $function attr-dict `:` functional-type(operands, results)";
}

def Ingot_ParallelMapDatasetOp : Ingot_MapLikeOp<"parallel_map_dataset", "ParallelMapDatasetV2"> {
  let summary = "The results of a function for each element, computed ahead, "
                "in order";
  let description = [{
    Like `map_dataset`. The order of elements is always that of the input, even if
    the graph allows TensorFlow another one.

    Constraints:
    - (map_dataset_c1) the function takes the input's components and returns the
      result's.

    ```mlir
    %1 = ingot.parallel_map_dataset(%0, %calls) @parse
        : (!ingot.dataset<tensor<!ingot.string>>, tensor<i64>) -> !ingot.dataset<tensor<64xf32>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, TensorOf<[I64]>:$num_parallel_calls, FlatSymbolRefAttr:$function);
  let assemblyFormat = "`(` operands `)` $function attr-dict `:` functional-type(operands, results)";
}

def Ingot_FlatMapDatasetOp : Ingot_DatasetOp<"flat_map_dataset", "FlatMapDataset", [SingleBlock]> {
  let summary = "The elements of a dataset made from each element";
  let description = [{
    The region makes a dataset from an element's tensors.

    Constraints:
    - (flat_map_dataset_c1) the block's arguments are the input's components.
    - (flat_map_dataset_c2) the region yields a dataset of the result's components.

    ```mlir
    %1 = ingot.flat_map_dataset(%0) : (!ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<!ingot.string>> {
    ^bb0(%file: tensor<!ingot.string>):
      %2 = ingot.tf_record_dataset(%file, %none, %size) : (tensor<!ingot.string>, tensor<!ingot.string>, tensor<i64>) -> !ingot.dataset<tensor<!ingot.string>>
      ingot.yield %2 : !ingot.dataset<tensor<!ingot.string>>
    }
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results) $body";
}

def Ingot_ShuffleDatasetOp : Ingot_DatasetOp<"shuffle_dataset", "ShuffleDataset", [Ingot_YieldsUnchangedInputElements, Ingot_NeverEndsBeforeInput]> {
  let hasBuilders = 1;
  let summary = "Elements drawn at random from a buffer, in TensorFlow's order for the seeds";
  let description = [{
    Constraints:
    - (same_elements_c1) the result has the input's components.
    - (shuffle_dataset_c1) a constant buffer size is positive.

    ```mlir
    %1 = ingot.shuffle_dataset(%0, %size, %seed, %seed2) {reshuffle_each_iteration = true}
        : (!ingot.dataset<tensor<f32>>, tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<f32>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, TensorOf<[I64]>:$buffer_size, TensorOf<[I64]>:$seed,
                       TensorOf<[I64]>:$seed2, DefaultValuedAttr<BoolAttr, "true">:$reshuffle_each_iteration);
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
}

def Ingot_RepeatDatasetOp : Ingot_DatasetOp<"repeat_dataset", "RepeatDataset", [Ingot_YieldsUnchangedInputElements, Ingot_ReadsElementsOnce]> {
  let hasBuilders = 1;
  let elements = "Input";
  let summary = "Repeats the input count times, or infinitely where count is -1";
  let description = [{
    TensorFlow's `RepeatDataset`.

    Constraints:
    - (same_elements_c1) the result has the input's components.

    ```mlir
    %1 = ingot.repeat_dataset(%0, %n) : (!ingot.dataset<tensor<f32>>, tensor<i64>) -> !ingot.dataset<tensor<f32>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, TensorOf<[I64]>:$count);
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
}

def Ingot_TakeDatasetOp : Ingot_DatasetOp<"take_dataset", "TakeDataset", [Ingot_YieldsUnchangedInputElements, Ingot_ReadsElementsOnce]> {
  let elements = "Input";
  let summary = "The first `count` elements of the input";
  let description = [{
    TensorFlow's `TakeDataset`.

    Constraints:
    - (same_elements_c1) the result has the input's components.

    ```mlir
    %1 = ingot.take_dataset(%0, %n) : (!ingot.dataset<tensor<f32>>, tensor<i64>) -> !ingot.dataset<tensor<f32>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, TensorOf<[I64]>:$count);
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
}

def Ingot_SkipDatasetOp : Ingot_DatasetOp<"skip_dataset", "SkipDataset", [Ingot_YieldsUnchangedInputElements, Ingot_NeverEndsBeforeInput, Ingot_ReadsElementsOnce]> {
  let elements = "Input";
  let summary = "All elements of the input but the first `count` ones";
  let description = [{
    TensorFlow's `SkipDataset`.

    Constraints:
    - (same_elements_c1) the result has the input's components.

    ```mlir
    %1 = ingot.skip_dataset(%0, %n) : (!ingot.dataset<tensor<f32>>, tensor<i64>) -> !ingot.dataset<tensor<f32>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, TensorOf<[I64]>:$count);
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
}

def Ingot_PrefetchDatasetOp : Ingot_DatasetOp<"prefetch_dataset", "PrefetchDataset", [Ingot_YieldsUnchangedInputElements, Ingot_NeverEndsBeforeInput]> {
  let elements = "Input";
  let summary = "The input, read ahead on a thread of its own";
  let description = [{
    TensorFlow's `PrefetchDataset`.

    Constraints:
    - (same_elements_c1) the result has the input's components.
    - (prefetch_dataset_c1) a constant buffer size is -1 or not negative.

    ```mlir
    %1 = ingot.prefetch_dataset(%0, %n) : (!ingot.dataset<tensor<f32>>, tensor<i64>) -> !ingot.dataset<tensor<f32>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, TensorOf<[I64]>:$buffer_size);
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
}

def Ingot_BatchDatasetOp : Ingot_DatasetOp<"batch_dataset", "BatchDatasetV2", [Ingot_NeverEndsBeforeInput, Ingot_ReadsElementsOnce]> {
  let hasBuilders = 1;
  let elements = "Declared";
  let summary = "Batches of consecutive elements, stacked";
  let description = [{
    The last batch is smaller if the input has too few elements to fill it; with
    `drop_remainder` it is dropped.

    Constraints:
    - (batch_dataset_c1) the components are the input's with the batch as first dimension.
    - (batch_dataset_c2) a constant batch size is positive.

    ```mlir
    %1 = ingot.batch_dataset(%0, %n, %drop)
        : (!ingot.dataset<tensor<4xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<64x4xf32>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, TensorOf<[I64]>:$batch_size, Ingot_BoolTensor:$drop_remainder);
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_INPUT_TD
