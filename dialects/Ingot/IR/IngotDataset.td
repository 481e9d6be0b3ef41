//===- IngotDataset.td - Datasets of files and inputs ------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Further datasets besides those of IngotInput.td: datasets of files, of
// several inputs, of parts of an input, and padded batches.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_DATASET_TD
#define INGOT_DIALECTS_INGOT_DATASET_TD

include "dialects/Ingot/IR/IngotBase.td"

class Ingot_NamedDatasetOp<string mnemonic, string tensorFlow, list<Trait> traits = []>
    : Ingot_SomeDatasetOp<mnemonic, tensorFlow, traits> {
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
}

def Ingot_TextLineDatasetOp : Ingot_NamedDatasetOp<"text_line_dataset", "TextLineDataset"> {
  let elements = "Record";
  let summary = "The lines of text files";
  let description = [{
    TensorFlow's `TextLineDataset`: the lines, without newlines and carriage
    returns. Compression is "", "GZIP" or "ZLIB".

    Constraints:
    - (file_dataset_c1) the element is one string scalar.
    - (file_dataset_c2) a constant compression is "", "GZIP" or "ZLIB".

    ```mlir
    %0 = ingot.text_line_dataset(%files, %none, %size)
        : (tensor<!ingot.string>, tensor<!ingot.string>, tensor<i64>) -> !ingot.dataset<tensor<!ingot.string>>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$filenames, Ingot_StringTensor:$compression_type, TensorOf<[I64]>:$buffer_size);
}

def Ingot_FixedLengthRecordDatasetOp
    : Ingot_NamedDatasetOp<"fixed_length_record_dataset", "FixedLengthRecordDatasetV2"> {
  let elements = "Record";
  let summary = "Fixed-length records between a header and a footer";
  let description = [{
    TensorFlow's `FixedLengthRecordDatasetV2`.

    Constraints:
    - (file_dataset_c1) the element is one string scalar.
    - (file_dataset_c2) a constant compression is "", "GZIP" or "ZLIB".
    - (fixed_length_c1) a constant length of records is positive.
    - (fixed_length_c2) constant sizes of headers and footers are not negative, and none is above 2^40.

    ```mlir
    %0 = ingot.fixed_length_record_dataset(%files, %header, %record, %footer, %size, %none)
        : (tensor<!ingot.string>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<!ingot.string>)
        -> !ingot.dataset<tensor<!ingot.string>>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$filenames, TensorOf<[I64]>:$header_bytes, TensorOf<[I64]>:$record_bytes,
                       TensorOf<[I64]>:$footer_bytes, TensorOf<[I64]>:$buffer_size, Ingot_StringTensor:$compression_type);
}

def Ingot_TFRecordDatasetV2Op : Ingot_NamedDatasetOp<"tf_record_dataset_v2", "TFRecordDatasetV2"> {
  let elements = "Record";
  let summary = "The records of TFRecord files, from an offset in each on";
  let description = [{
    TensorFlow's `TFRecordDatasetV2`. An offset is that of a record, in
    uncompressed bytes.

    Constraints:
    - (file_dataset_c1) the element is one string scalar.
    - (file_dataset_c2) a constant compression is "", "GZIP" or "ZLIB".
    - (tf_record_dataset_v2_c1) constant offsets are not negative, and there is one for each file.

    ```mlir
    %0 = ingot.tf_record_dataset_v2(%files, %none, %size, %offsets)
        : (tensor<2x!ingot.string>, tensor<!ingot.string>, tensor<i64>, tensor<2xi64>) -> !ingot.dataset<tensor<!ingot.string>>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$filenames, Ingot_StringTensor:$compression_type, TensorOf<[I64]>:$buffer_size,
                       TensorOf<[I64]>:$byte_offsets);
}

def Ingot_ZipDatasetOp : Ingot_NamedDatasetOp<"zip_dataset", "ZipDataset", [Ingot_ReadsElementsOnce]> {
  let hasBuilders = 1;
  let summary = "Zips the elements of several inputs";
  let description = [{
    TensorFlow's `ZipDataset`; it ends with its shortest input.

    Constraints:
    - (zip_dataset_c1) there is at least one input, and the components are those of all inputs in their order.

    ```mlir
    %2 = ingot.zip_dataset(%0, %1)
        : (!ingot.dataset<tensor<i64>>, !ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<i64>, tensor<f32>>
    ```
  }];
  let arguments = (ins Variadic<Ingot_Dataset>:$inputs);
}

def Ingot_ConcatenateDatasetOp : Ingot_NamedDatasetOp<"concatenate_dataset", "ConcatenateDataset", [Ingot_ReadsElementsOnce]> {
  let summary = "Concatenates two inputs";
  let description = [{
    TensorFlow's `ConcatenateDataset`.

    Constraints:
    - (concatenate_dataset_c1) both inputs have the result's components.

    ```mlir
    %2 = ingot.concatenate_dataset(%0, %1)
        : (!ingot.dataset<tensor<i64>>, !ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$first, Ingot_Dataset:$second);
}

def Ingot_InterleaveDatasetOp
    : Ingot_NamedDatasetOp<"interleave_dataset", "InterleaveDataset", [SingleBlock]> {
  let summary = "Interleaves the datasets made from elements";
  let description = [{
    TensorFlow's `InterleaveDataset`, and the parallel ones in their
    deterministic order: `cycle_length` datasets take turns with `block_length`
    elements each. The region makes a dataset from an element's tensors.

    Constraints:
    - (interleave_dataset_c1) the block's arguments are the input's components.
    - (interleave_dataset_c2) the region yields a dataset of the result's components.
    - (interleave_dataset_c3) a constant cycle length is positive, or -1, and a constant block length positive.

    ```mlir
    %1 = ingot.interleave_dataset(%0, %cycle, %block)
        : (!ingot.dataset<tensor<!ingot.string>>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<!ingot.string>> {
    ^bb0(%file: tensor<!ingot.string>):
      %2 = ingot.text_line_dataset(%file, %none, %size) : (tensor<!ingot.string>, tensor<!ingot.string>, tensor<i64>) -> !ingot.dataset<tensor<!ingot.string>>
      ingot.yield %2 : !ingot.dataset<tensor<!ingot.string>>
    }
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, TensorOf<[I64]>:$cycle_length, TensorOf<[I64]>:$block_length);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results) $body";
}

def Ingot_FilterDatasetOp
    : Ingot_NamedDatasetOp<"filter_dataset", "FilterDataset", [DeclareOpInterfaceMethods<SymbolUserOpInterface>, Ingot_YieldsUnchangedInputElements, Ingot_NeverEndsBeforeInput, Ingot_ReadsElementsOnce]> {
  let summary = "Filters elements by a predicate";
  let description = [{
    TensorFlow's `FilterDataset`.

    Constraints:
    - (part_dataset_c1) the result has the input's components.
    - (filter_dataset_c1) the function takes the input's components and returns
      one boolean.

    ```mlir
    %1 = ingot.filter_dataset(%0) @isOdd : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, FlatSymbolRefAttr:$function);
  let assemblyFormat = "`(` operands `)` $function attr-dict `:` functional-type(operands, results)";
}

def Ingot_ShardDatasetOp : Ingot_NamedDatasetOp<"shard_dataset", "ShardDataset", [Ingot_YieldsUnchangedInputElements, Ingot_NeverEndsBeforeInput, Ingot_ReadsElementsOnce]> {
  let elements = "Input";
  let summary = "A shard: every n-th element, from a given one on";
  let description = [{
    TensorFlow's `ShardDataset`. With `require_non_empty`, reading the first
    element fails if the input has fewer elements than there are shards.

    Constraints:
    - (part_dataset_c1) the result has the input's components.
    - (shard_dataset_c1) a constant index lies within a constant number of shards.

    ```mlir
    %1 = ingot.shard_dataset(%0, %n, %i) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, TensorOf<[I64]>:$num_shards, TensorOf<[I64]>:$index,
                       DefaultValuedAttr<BoolAttr, "false">:$require_non_empty);
}

def Ingot_AssertCardinalityDatasetOp
    : Ingot_NamedDatasetOp<"assert_cardinality_dataset", "AssertCardinalityDataset", [Ingot_YieldsUnchangedInputElements, Ingot_NeverEndsBeforeInput, Ingot_ReadsElementsOnce]> {
  let elements = "Input";
  let summary = "The input, with a stated number of elements";
  let description = [{
    TensorFlow's `AssertCardinalityDataset`: fails if the input ends earlier, or has
    more elements. -1 stands for an input that never ends.

    Constraints:
    - (part_dataset_c1) the result has the input's components.

    ```mlir
    %1 = ingot.assert_cardinality_dataset(%0, %n) : (!ingot.dataset<tensor<i64>>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, TensorOf<[I64]>:$cardinality);
}

def Ingot_CacheDatasetOp : Ingot_NamedDatasetOp<"cache_dataset", "CacheDataset", [Ingot_YieldsUnchangedInputElements]> {
  let summary = "Caches the elements of the first pass";
  let description = [{
    TensorFlow's `CacheDataset`: keeps the elements in memory, or if a file name
    is given, in files that later runs read.

    Constraints:
    - (part_dataset_c1) the result has the input's components.
    - (cache_dataset_c1) if `filename` is a constant that is not empty, the components are tensors.

    ```mlir
    %1 = ingot.cache_dataset(%0, %none) : (!ingot.dataset<tensor<i64>>, tensor<!ingot.string>) -> !ingot.dataset<tensor<i64>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, Ingot_StringTensor:$filename);
}

def Ingot_UnbatchDatasetOp : Ingot_NamedDatasetOp<"unbatch_dataset", "UnbatchDataset"> {
  let elements = "Declared";
  let otherNames = ["ExperimentalUnbatchDataset"];
  let summary = "The rows of each element";
  let description = [{
    TensorFlow's `UnbatchDataset`.

    Constraints:
    - (unbatch_dataset_c1) the components are the input's without their first dimension.

    ```mlir
    %1 = ingot.unbatch_dataset(%0) : (!ingot.dataset<tensor<?x4xf32>>) -> !ingot.dataset<tensor<4xf32>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input);
}

def Ingot_PaddedBatchDatasetOp
    : Ingot_NamedDatasetOp<"padded_batch_dataset", "PaddedBatchDatasetV2", [AttrSizedOperandSegments, Ingot_ReadsElementsOnce]> {
  let hasBuilders = 1;
  let summary = "Consecutive elements padded to one shape and stacked";
  let description = [{
    TensorFlow's `PaddedBatchDatasetV2`. A dimension of -1 in a component's padded
    shape is the largest size of this dimension in the batch.

    Constraints:
    - (padded_batch_c1) for each component there are a shape and a value to pad
      with.
    - (padded_batch_c2) a constant batch size is positive.

    ```mlir
    %1 = ingot.padded_batch_dataset(%0, %shape, %zero, %n, %drop)
        {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}
        : (!ingot.dataset<tensor<?xi64>>, tensor<1xi64>, tensor<i64>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x?xi64>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, Variadic<TensorOf<[I64]>>:$padded_shapes,
                       Variadic<Ingot_Tensor>:$padding_values, TensorOf<[I64]>:$batch_size,
                       Ingot_BoolTensor:$drop_remainder);
}

def Ingot_WindowDatasetOp : Ingot_NamedDatasetOp<"window_dataset", "WindowDataset"> {
  let hasBuilders = 1;
  let summary = "Windows of consecutive elements, each a dataset per component";
  let description = [{
    TensorFlow's `WindowDataset`: a window has `size` elements, which are `stride`
    elements apart in the input; the next window begins `shift` elements further
    on. Each component of an element is itself a dataset, from which a region such
    as `flat_map_dataset`'s can make another one.

    Constraints:
    - (window_dataset_c1) each component is a dataset of one of the input's components.
    - (window_dataset_c2) a constant size, shift or stride is positive.
    - (window_dataset_c3) a constant shift or stride is at most 2^31.

    ```mlir
    %1 = ingot.window_dataset(%0, %size, %shift, %stride, %drop)
        : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i1>)
        -> !ingot.dataset<!ingot.dataset<tensor<i64>>>
    %2 = ingot.flat_map_dataset(%1) : (!ingot.dataset<!ingot.dataset<tensor<i64>>>) -> !ingot.dataset<tensor<?xi64>> {
    ^bb0(%window: !ingot.dataset<tensor<i64>>):
      %3 = ingot.batch_dataset(%window, %size, %drop) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?xi64>>
      ingot.yield %3 : !ingot.dataset<tensor<?xi64>>
    }
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, TensorOf<[I64]>:$size, TensorOf<[I64]>:$shift, TensorOf<[I64]>:$stride,
                       Ingot_BoolTensor:$drop_remainder);
}

def Ingot_ScanDatasetOp
    : Ingot_NamedDatasetOp<"scan_dataset", "ScanDataset", [DeclareOpInterfaceMethods<SymbolUserOpInterface>, Ingot_ReadsElementsOnce]> {
  let summary = "Scans elements with a function that carries a state";
  let description = [{
    TensorFlow's `ScanDataset`. `initial_state` is the state of the first call.
    `preserve_cardinality` guarantees that the function does not end the dataset.

    Constraints:
    - (scan_dataset_c1) the function receives the state and the input's components, and returns the state and the result's components.

    ```mlir
    %1 = ingot.scan_dataset(%0, %zero) @sum : (!ingot.dataset<tensor<i64>>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, Variadic<Ingot_Tensor>:$initial_state, FlatSymbolRefAttr:$function,
                       DefaultValuedAttr<BoolAttr, "false">:$preserve_cardinality);
  let assemblyFormat = "`(` operands `)` $function attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 0;
}

def Ingot_TakeWhileDatasetOp
    : Ingot_NamedDatasetOp<"take_while_dataset", "TakeWhileDataset", [DeclareOpInterfaceMethods<SymbolUserOpInterface>, Ingot_YieldsUnchangedInputElements, Ingot_ReadsElementsOnce]> {
  let summary = "The elements before the first one that fails a predicate";
  let description = [{
    TensorFlow's `TakeWhileDataset`.

    Constraints:
    - (part_dataset_c1) the result has the input's components.
    - (filter_dataset_c1) the function takes the input's components and returns
      one boolean.

    ```mlir
    %1 = ingot.take_while_dataset(%0) @isOdd : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, FlatSymbolRefAttr:$function);
  let assemblyFormat = "`(` operands `)` $function attr-dict `:` functional-type(operands, results)";
}

def Ingot_RebatchDatasetOp : Ingot_NamedDatasetOp<"rebatch_dataset", "RebatchDatasetV2"> {
  let elements = "Declared";
  let summary = "Rebatches rows into batches of other sizes";
  let description = [{
    TensorFlow's `RebatchDatasetV2`. The batch sizes are used in turn, cyclically.

    Constraints:
    - (rebatch_dataset_c1) the components are those of the input, except for the
      size of their first dimension.
    - (rebatch_dataset_c2) constant sizes are not negative, and at least one of
      them is positive.

    ```mlir
    %1 = ingot.rebatch_dataset(%0, %sizes, %drop)
        : (!ingot.dataset<tensor<?x4xf32>>, tensor<2xi64>, tensor<i1>) -> !ingot.dataset<tensor<?x4xf32>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, TensorOf<[I64]>:$batch_sizes, Ingot_BoolTensor:$drop_remainder);
}

def Ingot_RandomDatasetOp : Ingot_NamedDatasetOp<"random_dataset", "RandomDatasetV2"> {
  let summary = "Random numbers from 0 to 2^32 - 1, infinitely many";
  let description = [{
    TensorFlow's `RandomDatasetV2`: the same numbers in each pass over the dataset,
    or with `rerandomize_each_iteration` different ones.

    Constraints:
    - (random_dataset_c1) the element is one int64 scalar.

    ```mlir
    %0 = ingot.random_dataset(%seed, %seed2) : (tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
    ```
  }];
  let arguments = (ins TensorOf<[I64]>:$seed, TensorOf<[I64]>:$seed2,
                       DefaultValuedAttr<BoolAttr, "false">:$rerandomize_each_iteration);
}

def Ingot_DirectedInterleaveDatasetOp
    : Ingot_NamedDatasetOp<"directed_interleave_dataset", "DirectedInterleaveDataset", [Ingot_ReadsElementsOnce]> {
  let summary = "Elements of inputs that another input chooses";
  let description = [{
    TensorFlow's `DirectedInterleaveDataset`. If the chosen input has ended, it is
    skipped, or with `stop_on_empty_dataset` the dataset ends.

    Constraints:
    - (directed_interleave_c1) the selector's element is one int64 scalar.
    - (directed_interleave_c2) there is at least one input, and every input has
      the result's components.

    ```mlir
    %3 = ingot.directed_interleave_dataset(%selector, %0, %1)
        : (!ingot.dataset<tensor<i64>>, !ingot.dataset<tensor<f32>>, !ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<f32>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$selector, Variadic<Ingot_Dataset>:$inputs,
                       DefaultValuedAttr<BoolAttr, "false">:$stop_on_empty_dataset);
}

def Ingot_CSVDatasetOp : Ingot_NamedDatasetOp<"csv_dataset", "CSVDatasetV2"> {
  let summary = "The rows of CSV files, a component for each column";
  let description = [{
    TensorFlow's `CSVDatasetV2`. If a column's default has no elements, each row
    must have a value in it. At least one of `select_cols` and `exclude_cols` is
    empty; if both are, all columns are read.

    Constraints:
    - (csv_dataset_c1) each component is a scalar of its default's type:
      float32, float64, int32, int64 or string.
    - (csv_dataset_c2) a constant `field_delim` is one character.
    - (csv_dataset_c3) constant `select_cols` and `exclude_cols` are column indices in ascending order, and one of the two is empty.
    - (csv_dataset_c4) a default has one element or none; if constant
      `select_cols` are not empty, there are as many as defaults.
    - (file_dataset_c2) a constant compression is "", "GZIP" or "ZLIB".

    ```mlir
    %0 = ingot.csv_dataset(%x, %files, %none, %size, %header, %comma, %quotes, %na, %cols, %no_cols)
        : (tensor<1xf32>, tensor<!ingot.string>, tensor<!ingot.string>, tensor<i64>, tensor<i1>, tensor<!ingot.string>,
           tensor<i1>, tensor<!ingot.string>, tensor<0xi64>, tensor<0xi64>) -> !ingot.dataset<tensor<f32>>
    ```
  }];
  let arguments = (ins Variadic<Ingot_Tensor>:$record_defaults, Ingot_StringTensor:$filenames,
                       Ingot_StringTensor:$compression_type, TensorOf<[I64]>:$buffer_size, Ingot_BoolTensor:$header,
                       Ingot_StringTensor:$field_delim, Ingot_BoolTensor:$use_quote_delim,
                       Ingot_StringTensor:$na_value, TensorOf<[I64]>:$select_cols, TensorOf<[I64]>:$exclude_cols);
}

def Ingot_GroupDatasetOp : Ingot_NamedDatasetOp<"group_dataset", "GroupDataset"> {
  let hasBuilders = 1;
  let summary = "Windows of elements that have the same key";
  let description = [{
    The windows that TensorFlow's `GroupByWindowDataset` reduces. The input's
    components are a key, the size of the key's windows, an element, and
    `num_tensors` tensors that are the same for all elements of a key. As soon as
    a key has as many elements as its window size, they become a window. When the
    input ends, the remaining elements become windows, in the order of their keys.

    Constraints:
    - (group_dataset_c1) the input's first two components are int64 scalars, and at least `num_tensors` components follow.
    - (group_dataset_c2) the result's components are a dataset for each component of the element, then the last `num_tensors` components of the input.

    ```mlir
    %1 = ingot.group_dataset(%0) {num_tensors = 1 : i64}
        : (!ingot.dataset<tensor<i64>, tensor<i64>, tensor<?xf32>, tensor<i64>>)
        -> !ingot.dataset<!ingot.dataset<tensor<?xf32>>, tensor<i64>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, I64Attr:$num_tensors);
}

def Ingot_UniqueDatasetOp : Ingot_NamedDatasetOp<"unique_dataset", "UniqueDataset", [Ingot_YieldsUnchangedInputElements]> {
  let elements = "Input";
  let otherNames = ["ExperimentalUniqueDataset"];
  let summary = "Distinct elements, in the order of their first occurrence";
  let description = [{
    TensorFlow's `UniqueDataset`.

    Constraints:
    - (part_dataset_c1) the result has the input's components.
    - (unique_dataset_c1) there is one component, of int32, int64 or string.

    ```mlir
    %1 = ingot.unique_dataset(%0) : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input);
}

def Ingot_IgnoreErrorsDatasetOp : Ingot_NamedDatasetOp<"ignore_errors_dataset", "IgnoreErrorsDataset", [Ingot_YieldsUnchangedInputElements, Ingot_NeverEndsBeforeInput, Ingot_ReadsElementsOnce]> {
  let elements = "Input";
  let otherNames = ["ExperimentalIgnoreErrorsDataset"];
  let summary = "The input without the elements that cannot be computed";
  let description = [{
    TensorFlow's `IgnoreErrorsDataset`. With `log_warning`, each error is written to
    stderr.

    Constraints:
    - (part_dataset_c1) the result has the input's components.

    ```mlir
    %1 = ingot.ignore_errors_dataset(%0) : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<f32>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input, DefaultValuedAttr<BoolAttr, "false">:$log_warning);
}

def Ingot_MatchingFilesDatasetOp : Ingot_NamedDatasetOp<"matching_files_dataset", "MatchingFilesDataset"> {
  let elements = "Record";
  let otherNames = ["ExperimentalMatchingFilesDataset"];
  let summary = "The names of the files that match patterns, in their order";
  let description = [{
    TensorFlow's `MatchingFilesDataset`, and `MatchingFiles` if a dataset is made of
    its result: each name once, sorted. With `requires_match`, as
    `tf.data.Dataset.list_files` asks for it, patterns that match no file are an
    error.

    Constraints:
    - (file_dataset_c1) the element is one string scalar.

    ```mlir
    %0 = ingot.matching_files_dataset(%patterns) : (tensor<2x!ingot.string>) -> !ingot.dataset<tensor<!ingot.string>>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$patterns, DefaultValuedAttr<BoolAttr, "false">:$requires_match);
}

def Ingot_OptionalDatasetOp : Ingot_NamedDatasetOp<"optional_dataset", "OptionalDataset", [Ingot_ReadsElementsOnce]> {
  let hasBuilders = 1;
  let summary = "Elements with a flag for the end of the input";
  let description = [{
    The elements of TensorFlow's `IteratorGetNextAsOptional`: a flag, followed by
    the components of the input's element. The flag is true until the input has
    ended; from then on it is false, the components are zeros, and their dynamic
    dimensions are 0. The dataset never ends.

    Constraints:
    - (optional_dataset_c1) the components are a boolean scalar and the input's.

    ```mlir
    %1 = ingot.optional_dataset(%0) : (!ingot.dataset<tensor<?xf32>>) -> !ingot.dataset<tensor<i1>, tensor<?xf32>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$input);
}

#endif // INGOT_DIALECTS_INGOT_DATASET_TD
