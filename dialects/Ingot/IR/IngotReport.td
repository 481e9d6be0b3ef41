//===- IngotReport.td - Checks that stop a run, and prints -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops that check values, print, or record summaries. They run in the runtime,
// in program order.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_REPORT_TD
#define INGOT_DIALECTS_INGOT_REPORT_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_AssertOp : Ingot_InferredOp<"assert", [Ingot_ComputedByRuntime, MemoryEffects<[MemRead, MemWrite]>]> {
  let tensorFlowOps = [TF_Op<"Assert", [TF_Int<"summarize">]>];
  let summary = "Stops the run if a condition is false";
  let description = [{
    TensorFlow's `Assert`: the run fails with the first `summarize` elements of
    each of the data.

    Constraints:
    - (assert_c1) the condition is a scalar.

    ```mlir
    ingot.assert %ok, %x {summarize = 3 : i64} : (tensor<i1>, tensor<4xf32>) -> ()
    ```
  }];
  let arguments = (ins Ingot_BoolTensor:$condition, Variadic<Ingot_Tensor>:$data, DefaultValuedAttr<I64Attr, "3">:$summarize);
  let assemblyFormat = "$condition (`,` $data^)? attr-dict `:` functional-type(operands, results)";
}

def Ingot_CheckNumericsOp : Ingot_InferredOp<"check_numerics", [Ingot_ComputedByRuntime, MemoryEffects<[MemRead, MemWrite]>]> {
  let tensorFlowOps = [TF_Op<"CheckNumerics", [TF_String<"message">]>];
  let summary = "Stops the run if an element is infinite or NaN";
  let description = [{
    TensorFlow's `CheckNumerics` and `CheckNumericsV2`: the result is the input. With
    `signs`, the message distinguishes positive from negative infinity.

    ```mlir
    %y = ingot.check_numerics %x {message = "gradient"} : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Ingot_FloatTensor:$input, StrAttr:$message, DefaultValuedAttr<BoolAttr, "false">:$signs);
  let results = (outs Ingot_FloatTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_PrintOp : Ingot_InferredOp<"print", [Ingot_ComputedByRuntime, MemoryEffects<[MemRead, MemWrite]>]> {
  let tensorFlowOps = [TF_Op<"PrintV2", [TF_String<"output_stream">, TF_String<"end">]>];
  let summary = "Writes a string to a stream or a file";
  let description = [{
    TensorFlow's `PrintV2`: to `stdout`, `stderr`, or appended to the file of
    a `file://` name; the names of log levels mean `stderr`.

    Constraints:
    - (print_c1) the string is a scalar.

    ```mlir
    ingot.print %s {output_stream = "stdout"} : (tensor<!ingot.string>) -> ()
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input, DefaultValuedAttr<StrAttr, "\"stderr\"">:$output_stream, DefaultValuedAttr<StrAttr, "\"\\n\"">:$end);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_PrintDataOp : Ingot_InferredOp<"print_data", [Ingot_ComputedByRuntime, MemoryEffects<[MemRead, MemWrite]>]> {
  let tensorFlowOps = [
    TF_Op<"Print", [TF_Implied<"U">, TF_String<"message">, TF_Int<"first_n">, TF_Int<"summarize">]>];
  let summary = "Forwards a tensor and prints others to standard error";
  let description = [{
    TensorFlow's `Print`: `message`, then the first `summarize` elements of each
    of the data; if `first_n` is not negative, only the first `first_n` times.

    ```mlir
    %y = ingot.print_data %x, %z {message = "z: "} : (tensor<4xf32>, tensor<2xi32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Variadic<Ingot_Tensor>:$data, DefaultValuedAttr<StrAttr, "\"\"">:$message, DefaultValuedAttr<I64Attr, "-1">:$first_n, DefaultValuedAttr<I64Attr, "3">:$summarize);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input (`,` $data^)? attr-dict `:` functional-type(operands, results)";
}

def Ingot_TimestampOp : Ingot_InferredOp<"timestamp", [Ingot_ComputedByRuntime, MemoryEffects<[MemRead, MemWrite]>]> {
  let tensorFlowOps = [TF_Op<"Timestamp">];
  let summary = "Seconds since the Unix epoch";
  let description = [{
    TensorFlow's `Timestamp`.

    ```mlir
    %t = ingot.timestamp : () -> tensor<f64>
    ```
  }];
  let arguments = (ins );
  let results = (outs TensorOf<[F64]>:$output);
  let assemblyFormat = " attr-dict `:` functional-type(operands, results)";
}

def Ingot_RecordTensorOp : Ingot_InferredOp<"record_tensor", [Ingot_ComputedByRuntime, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Records a tensor for TensorBoard";
  let description = [{
    TensorFlow's `WriteSummary`, `TensorSummaryV2` and `TensorSummary`: tag, tensor
    and serialized metadata are written to the trainer's event file, at `step` or at
    the current step. `TensorSummary` has the attribute `node_name` instead of a tag.

    Constraints:
    - (record_tensor_c1) tag, metadata and step are scalars.

    ```mlir
    ingot.record_tensor %tag, %x, %metadata, %step : (tensor<!ingot.string>, tensor<f32>, tensor<!ingot.string>, tensor<i64>) -> ()
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$tag, Ingot_Tensor:$value, Ingot_StringTensor:$metadata, Optional<TensorOf<[I64]>>:$step, DefaultValuedAttr<StrAttr, "\"\"">:$node_name);
  let assemblyFormat = "$tag `,` $value `,` $metadata (`,` $step^)? attr-dict `:` functional-type(operands, results)";
}

def Ingot_RecordScalarOp : Ingot_InferredOp<"record_scalar", [Ingot_ComputedByRuntime, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Records a number for TensorBoard";
  let description = [{
    TensorFlow's `WriteScalarSummary`, and `ScalarSummary` of a tag that is
    computed.

    Constraints:
    - (record_scalar_c1) tag, number and step are scalars.

    ```mlir
    ingot.record_scalar %tag, %x, %step : (tensor<!ingot.string>, tensor<f32>, tensor<i64>) -> ()
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$tag, Ingot_NumericTensor:$value, Optional<TensorOf<[I64]>>:$step);
  let assemblyFormat = "$tag `,` $value (`,` $step^)? attr-dict `:` functional-type(operands, results)";
}

def Ingot_RecordHistogramOp : Ingot_InferredOp<"record_histogram", [Ingot_ComputedByRuntime, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Records a histogram for TensorBoard";
  let description = [{
    TensorFlow's `HistogramSummary` and `WriteHistogramSummary` of all elements of
    the tensor, with TensorFlow's bucket limits.

    Constraints:
    - (record_histogram_c1) tag and step are scalars.

    ```mlir
    ingot.record_histogram %tag, %x : (tensor<!ingot.string>, tensor<64xf32>) -> ()
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$tag, Ingot_NumericTensor:$value, Optional<TensorOf<[I64]>>:$step);
  let assemblyFormat = "$tag `,` $value (`,` $step^)? attr-dict `:` functional-type(operands, results)";
}

def Ingot_RecordImageOp : Ingot_InferredOp<"record_image", [Ingot_ComputedByRuntime, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Records images for TensorBoard";
  let description = [{
    TensorFlow's `ImageSummary` and `WriteImageSummary`: the first `max_images` of
    a batch [batch, height, width, channels] as PNG: grey, RGB or RGBA, depending on
    the number of channels. Bytes are unchanged. Floats are scaled to fill the range
    0 to 255, or the range around 128 if some are negative. A pixel with an element
    that is not finite has the color `bad_color`.

    Constraints:
    - (record_image_c1) tag and step are scalars; the color is a vector.
    - (record_image_c2) pictures have four dimensions, the last one of size 1, 3 or 4.

    ```mlir
    ingot.record_image %tag, %x, %red : (tensor<!ingot.string>, tensor<8x28x28x1xf32>, tensor<4xui8>) -> ()
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$tag, TensorOf<[AnyFloat, UI8, I8]>:$value, TensorOf<[UI8, I8]>:$bad_color, Optional<TensorOf<[I64]>>:$step, DefaultValuedAttr<I64Attr, "3">:$max_images);
  let assemblyFormat = "$tag `,` $value `,` $bad_color (`,` $step^)? attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_REPORT_TD
