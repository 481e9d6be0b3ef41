//===- IngotImageFile.td - Files, and the images in them -------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops that find, read and write files, and ops that decode and encode images.
// They run in the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_IMAGEFILE_TD
#define INGOT_DIALECTS_INGOT_IMAGEFILE_TD

include "dialects/Ingot/IR/IngotBase.td"

// An op that reads the file system. It is not pure: `write_file` may change what
// the op finds.
class Ingot_FileReadOp<string mnemonic>
    : Ingot_InferredOp<mnemonic, [Ingot_ComputedByRuntime, MemoryEffects<[MemRead]>]>;

def Ingot_ReadFileOp : Ingot_FileReadOp<"read_file"> {
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

def Ingot_WriteFileOp : Ingot_InferredOp<"write_file", [Ingot_ComputedByRuntime, MemoryEffects<[MemRead, MemWrite]>]> {
  let tensorFlowOps = [TF_Op<"WriteFile">];
  let summary = "Writes a string to a file";
  let description = [{
    TensorFlow's `WriteFile`: creates the file, and its folder if that does not
    exist, or replaces the file's bytes. A relative name starts in the data directory,
    so that `read_file` finds it.

    Constraints:
    - (write_file_c1) the name and the contents are scalars.

    ```mlir
    ingot.write_file %name, %bytes : (tensor<!ingot.string>, tensor<!ingot.string>) -> ()
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$filename, Ingot_StringTensor:$contents);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_MatchingFilesOp : Ingot_FileReadOp<"matching_files"> {
  let tensorFlowOps = [TF_Op<"MatchingFiles">];
  let summary = "The names of the files that match patterns";
  let description = [{
    TensorFlow's `MatchingFiles`: the sorted names of all files that match one of
    the patterns, in which `*`, `?` and `[abc]` stand for characters of one part
    of a path. A relative pattern starts in the data directory.

    Constraints:
    - (matching_files_c1) the patterns are a scalar or a vector.

    ```mlir
    %names = ingot.matching_files %patterns : (tensor<2x!ingot.string>) -> tensor<?x!ingot.string>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$pattern);
  let results = (outs Ingot_StringTensor:$filenames);
  let assemblyFormat = "$pattern attr-dict `:` functional-type(operands, results)";
}

// An op that decodes an image file of one or more formats. The size of the
// image is only known at run time.
class Ingot_DecodeOp<string mnemonic, list<TF_Op> ops> : Ingot_PureOp<mnemonic, [Ingot_ComputedByRuntime]> {
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

def Ingot_DecodeGifOp : Ingot_DecodeOp<"decode_gif", [TF_Op<"DecodeGif">]> {
  let summary = "The frames of a GIF";
  let description = [{
    TensorFlow's `DecodeGif`: [frames, height, width, 3]. Frames are painted over
    each other, on a black canvas as large as the largest of them.

    Constraints:
    - (decode_gif_c1) the file's bytes are a scalar.

    ```mlir
    %x = ingot.decode_gif %bytes : (tensor<!ingot.string>) -> tensor<?x?x?x3xui8>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$contents);
}

def Ingot_DecodeImageOp : Ingot_DecodeOp<"decode_image", [
    TF_Op<"DecodeImage", [TF_Int<"channels">, TF_Type<"dtype", "output_type", "DT_UINT8">, TF_Bool<"expand_animations">]>]> {
  let summary = "The pixels of an image of any format";
  let description = [{
    TensorFlow's `DecodeImage`: [height, width, channels] of a JPEG, a PNG or a
    BMP, and without `expand_animations` of the first frame of a GIF. With it, a
    GIF, whose image has a rank of 4, is an error at run time; so the rank is known
    when the graph is compiled. With `output_type` f32, elements are between 0 and 1.

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

def Ingot_EncodePngOp : Ingot_PureOp<"encode_png", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"EncodePng", [TF_Int<"compression">]>];
  let summary = "PNG files of images";
  let description = [{
    TensorFlow's `EncodePng`: of images [..., height, width, channels], with 1
    channel (gray), 2 (gray, alpha), 3 (colors) or 4 (colors, alpha), a string for
    each image. `compression` is zlib's level, from 0 to 9, or -1 for its default.
    The pixels are those of TensorFlow's files; their bytes also depend on the
    version of zlib.

    Constraints:
    - (encode_png_c1) the images have rank 3 or more.
    - (encode_png_c2) there are 1, 2, 3 or 4 channels.
    - (encode_png_c3) `compression` is between -1 and 9.

    ```mlir
    %bytes = ingot.encode_png %x : (tensor<8x6x3xui8>) -> tensor<!ingot.string>
    ```
  }];
  let arguments = (ins TensorOf<[UI8, UI16]>:$image, DefaultValuedAttr<I64Attr, "-1">:$compression);
  let results = (outs Ingot_StringTensor:$contents);
  let assemblyFormat = "$image attr-dict `:` functional-type(operands, results)";
}

def Ingot_EncodeJpegOp : Ingot_PureOp<"encode_jpeg", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"EncodeJpeg", [
    TF_String<"format">, TF_Int<"quality">, TF_Bool<"progressive">, TF_Bool<"optimize_size">, TF_Bool<"chroma_downsampling">,
    TF_String<"density_unit">, TF_Int<"x_density">, TF_Int<"y_density">, TF_String<"xmp_metadata">]>];
  let summary = "The JPEG file of an image";
  let description = [{
    TensorFlow's `EncodeJpeg`: of an image [height, width, channels]. `format` is
    grayscale (1 channel), rgb (3 channels), or empty, which means that of the
    image. `optimize_size` computes Huffman tables for the file, and
    `chroma_downsampling` halves the resolution of colors. `density_unit` is `in`
    or `cm`.

    Constraints:
    - (encode_jpeg_c1) the image has rank 3.
    - (encode_jpeg_c2) `format` is grayscale, rgb or empty, and the image has its
      channels; if it is empty, 1 or 3.
    - (encode_jpeg_c3) `quality` is between 0 and 100.
    - (encode_jpeg_c4) `density_unit` is in or cm.

    ```mlir
    %bytes = ingot.encode_jpeg %x {quality = 90 : i64} : (tensor<8x6x3xui8>) -> tensor<!ingot.string>
    ```
  }];
  let arguments = (ins TensorOf<[UI8]>:$image, DefaultValuedAttr<StrAttr, "\"\"">:$format,
                   DefaultValuedAttr<I64Attr, "95">:$quality, DefaultValuedAttr<BoolAttr, "false">:$progressive,
                   DefaultValuedAttr<BoolAttr, "false">:$optimize_size, DefaultValuedAttr<BoolAttr, "true">:$chroma_downsampling,
                   DefaultValuedAttr<StrAttr, "\"in\"">:$density_unit, DefaultValuedAttr<I64Attr, "300">:$x_density,
                   DefaultValuedAttr<I64Attr, "300">:$y_density, DefaultValuedAttr<StrAttr, "\"\"">:$xmp_metadata);
  let results = (outs Ingot_StringTensor:$contents);
  let assemblyFormat = "$image attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_IMAGEFILE_TD
