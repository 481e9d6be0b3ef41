//===- IngotImageFile.td - Files, and the images in them -------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops that read files and decode images. They run in the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_IMAGEFILE_TD
#define INGOT_DIALECTS_INGOT_IMAGEFILE_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_ReadFileOp : Ingot_PureOp<"read_file", [Ingot_RunsInRuntime]> {
  let tensorFlowOps = [TF_Op<"ReadFile">];
  let summary = "A file's bytes";
  let description = [{
    TensorFlow's `ReadFile`. A relative name starts in the data directory.

    Constraints:
    - (read_file_c1) the name is a scalar.

    ```mlir
    %bytes = ingot.read_file %name : (tensor<!ingot.string>) -> tensor<!ingot.string>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$filename);
  let results = (outs Ingot_StringTensor:$contents);
  let assemblyFormat = "$filename attr-dict `:` functional-type(operands, results)";
}

// An op that decodes an image file of one or more formats. The size of the
// image is only known at run time.
class Ingot_DecodeOp<string mnemonic, list<TF_Op> ops> : Ingot_PureOp<mnemonic, [Ingot_RunsInRuntime]> {
  let tensorFlowOps = ops;
  let results = (outs Ingot_NumericTensor:$image);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

defvar jpegAttributes = [
  TF_Int<"channels">, TF_Int<"ratio">, TF_Bool<"fancy_upscaling">, TF_Bool<"try_recover_truncated">,
  TF_Float<"acceptable_fraction">, TF_String<"dct_method">];

def Ingot_DecodeJpegOp : Ingot_DecodeOp<"decode_jpeg", [TF_Op<"DecodeJpeg", jpegAttributes>]> {
  let summary = "The pixels of a JPEG";
  let description = [{
    TensorFlow's `DecodeJpeg`: [height, width, channels], of a JPEG, or of a PNG.
    `channels` is 1 for gray, 3 for colors, 0 for the file's own. Each side
    is divided by `ratio`. If the file ends early, it is accepted if it has
    `acceptable_fraction` of its rows, and the missing ones are black; with
    `try_recover_truncated` they repeat the last row. `dct_method` is
    `INTEGER_FAST`, which is the default, or `INTEGER_ACCURATE`.

    Constraints:
    - (decode_jpeg_c1) the file's bytes are a scalar.
    - (decode_jpeg_c2) there are 0, 1 or 3 channels.
    - (decode_jpeg_c3) the ratio is 1, 2, 4 or 8.
    - (decode_jpeg_c4) `dct_method` is INTEGER_FAST, INTEGER_ACCURATE or empty.

    ```mlir
    %x = ingot.decode_jpeg %bytes {channels = 3 : i64} : (tensor<!ingot.string>) -> tensor<?x?x3xui8>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$contents, DefaultValuedAttr<I64Attr, "0">:$channels,
                   DefaultValuedAttr<I64Attr, "1">:$ratio, DefaultValuedAttr<BoolAttr, "true">:$fancy_upscaling,
                   DefaultValuedAttr<BoolAttr, "false">:$try_recover_truncated,
                   DefaultValuedAttr<F32Attr, "1.0f">:$acceptable_fraction,
                   DefaultValuedAttr<StrAttr, "\"\"">:$dct_method);
}

def Ingot_DecodeAndCropJpegOp : Ingot_DecodeOp<"decode_and_crop_jpeg", [TF_Op<"DecodeAndCropJpeg", jpegAttributes>]> {
  let summary = "The pixels of a part of a JPEG";
  let description = [{
    TensorFlow's `DecodeAndCropJpeg`: `decode_jpeg`, but only the pixels of
    `window`, its first row and column, its height and width.

    Constraints:
    - (decode_and_crop_jpeg_c1) the file's bytes are a scalar.
    - (decode_and_crop_jpeg_c2) the window is a vector of four numbers.
    - (decode_and_crop_jpeg_c3) the attributes have the constraints of
      `decode_jpeg`.

    ```mlir
    %x = ingot.decode_and_crop_jpeg %bytes, %window {channels = 3 : i64} : (tensor<!ingot.string>, tensor<4xi32>) -> tensor<?x?x3xui8>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$contents, TensorOf<[I32]>:$window, DefaultValuedAttr<I64Attr, "0">:$channels,
                   DefaultValuedAttr<I64Attr, "1">:$ratio, DefaultValuedAttr<BoolAttr, "true">:$fancy_upscaling,
                   DefaultValuedAttr<BoolAttr, "false">:$try_recover_truncated,
                   DefaultValuedAttr<F32Attr, "1.0f">:$acceptable_fraction,
                   DefaultValuedAttr<StrAttr, "\"\"">:$dct_method);
}

def Ingot_DecodePngOp : Ingot_DecodeOp<"decode_png", [TF_Op<"DecodePng", [TF_Int<"channels">, TF_Type<"dtype", "output_type", "DT_UINT8">]>]> {
  let summary = "The pixels of a PNG";
  let description = [{
    TensorFlow's `DecodePng`: [height, width, channels], of a PNG, or of a JPEG.
    `channels` is 1 for gray, 3 for colors, 4 for colors and alpha, 0 for what
    the file has.

    Constraints:
    - (decode_png_c1) the file's bytes are a scalar.
    - (decode_png_c2) there are 0, 1, 3 or 4 channels.
    - (decode_png_c3) `output_type` is ui8 or ui16.

    ```mlir
    %x = ingot.decode_png %bytes {output_type = ui16} : (tensor<!ingot.string>) -> tensor<?x?x?xui16>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$contents, DefaultValuedAttr<I64Attr, "0">:$channels, TypeAttr:$output_type);
}

def Ingot_DecodeBmpOp : Ingot_DecodeOp<"decode_bmp", [TF_Op<"DecodeBmp", [TF_Int<"channels">]>]> {
  let summary = "The pixels of a BMP";
  let description = [{
    TensorFlow's `DecodeBmp`: [height, width, channels] of a BMP without
    compression. `channels` is 3 for colors, 4 for colors and alpha, 0 for what
    the file has.

    Constraints:
    - (decode_bmp_c1) the file's bytes are a scalar.
    - (decode_bmp_c2) there are 0, 3 or 4 channels.

    ```mlir
    %x = ingot.decode_bmp %bytes : (tensor<!ingot.string>) -> tensor<?x?x?xui8>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$contents, DefaultValuedAttr<I64Attr, "0">:$channels);
}

def Ingot_DecodeImageOp : Ingot_DecodeOp<"decode_image", [
    TF_Op<"DecodeImage", [TF_Int<"channels">, TF_Type<"dtype", "output_type", "DT_UINT8">, TF_Bool<"expand_animations">]>]> {
  let summary = "The pixels of an image of any format";
  let description = [{
    TensorFlow's `DecodeImage`: [height, width, channels] of a JPEG, a PNG or a
    BMP. A GIF is an error at run time, so the rank is known whatever
    `expand_animations` is. With `output_type` f32, elements are between 0 and 1.

    Constraints:
    - (decode_image_c1) the file's bytes are a scalar.
    - (decode_image_c2) there are 0, 1, 3 or 4 channels.
    - (decode_image_c3) `output_type` is ui8, ui16 or f32.

    ```mlir
    %x = ingot.decode_image %bytes {channels = 3 : i64, output_type = f32} : (tensor<!ingot.string>) -> tensor<?x?x3xf32>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$contents, DefaultValuedAttr<I64Attr, "0">:$channels, TypeAttr:$output_type,
                   DefaultValuedAttr<BoolAttr, "true">:$expand_animations);
}

#endif // INGOT_DIALECTS_INGOT_IMAGEFILE_TD
