//===- IngotFourier.td - Discrete Fourier transforms -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Discrete Fourier transforms along the last one, two or three dimensions, of
// complex numbers and of real ones.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_FOURIER_TD
#define INGOT_DIALECTS_INGOT_FOURIER_TD

include "dialects/Ingot/IR/IngotBase.td"

// The text "the last <rank> dimensions" and an example shape, for the
// descriptions of ops that transform these dimensions.
class Ingot_LastDimensions<int rank> {
  string text = !if(!eq(rank, 1), "the last dimension", "the last " # rank # " dimensions");
  string example = !if(!eq(rank, 1), "8", !if(!eq(rank, 2), "4x8", "2x4x8"));
  string half = !if(!eq(rank, 1), "5", !if(!eq(rank, 2), "4x5", "2x4x5"));
}

class Ingot_SomeFourierOp<string mnemonic, int transformed>
    : Ingot_PureOp<mnemonic, [Ingot_ComputedByRuntime]> {
  int rank = transformed;
  let extraClassDeclaration = "static constexpr int64_t rank = " # transformed # ";";
}

// A transform from complex to complex elements.
class Ingot_FourierOp<string mnemonic, string tensorFlow, int transformed, string what, string more>
    : Ingot_SomeFourierOp<mnemonic, transformed> {
  let tensorFlowOps = [TF_Op<tensorFlow, [TF_Implied<"Tcomplex">]>, TF_Op<"Batch" # tensorFlow>];
  let summary = what # " along " # Ingot_LastDimensions<transformed>.text;
  let description = "TensorFlow's `" # tensorFlow # "`" # more # [{.

Constraints:
- (fourier_c1) the input has all the dimensions that are transformed.

```mlir
%y = ingot.}] # mnemonic # " %x : (tensor<3x" # Ingot_LastDimensions<transformed>.example #
      "xcomplex<f32>>) -> tensor<3x" # Ingot_LastDimensions<transformed>.example # "xcomplex<f32>>\n```\n";
  let arguments = (ins Ingot_ComplexTensor:$input);
  let results = (outs Ingot_ComplexTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::mlir::ingot::verifyConstraints(getOperation());
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> loc,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::ingot::inferFourier(loc, adaptor.getInput(), rank, types);
    }
  }];
}

// A transform between real numbers and the first half of their spectrum along
// the last dimension, which determines the other half.
class Ingot_RealFourierOp<string mnemonic, string tensorFlow, int transformed, bit toSpectrum, string what, string more>
    : Ingot_SomeFourierOp<mnemonic, transformed> {
  defvar numbers = "tensor<3x" # Ingot_LastDimensions<transformed>.example # "xf32>";
  defvar spectrum = "tensor<3x" # Ingot_LastDimensions<transformed>.half # "xcomplex<f32>>";
  let tensorFlowOps = [TF_Op<tensorFlow, [TF_Implied<"Treal">, TF_Implied<"Tcomplex">]>];
  let summary = what # " along " # Ingot_LastDimensions<transformed>.text;
  let description = "TensorFlow's `" # tensorFlow # "`" # more # [{.
`fft_length` lists the sizes of the transform; larger dimensions are cropped first.

Constraints:
- (fourier_c1) the input has all the dimensions that are transformed.
- (fourier_c2) `fft_length` is a vector with a size for each of them.
- (fourier_c3) constant sizes are not negative, and the input's dimensions are not smaller than they require.

```mlir
%n = ingot.constant dense<}] # !if(!eq(transformed, 1), "8", !if(!eq(transformed, 2), "[4, 8]", "[2, 4, 8]")) #
      "> : tensor<" # transformed # "xi32>\n%y = ingot." # mnemonic # " %x, %n : (" # !if(toSpectrum, numbers, spectrum) #
      ", tensor<" # transformed # "xi32>) -> " # !if(toSpectrum, spectrum, numbers) # "\n```\n";
  let arguments = !if(toSpectrum, (ins TensorOf<[F32, F64]>:$input, TensorOf<[I32]>:$fft_length),
                      (ins Ingot_ComplexTensor:$input, TensorOf<[I32]>:$fft_length));
  let results = !if(toSpectrum, (outs Ingot_ComplexTensor:$output), (outs TensorOf<[F32, F64]>:$output));
  let assemblyFormat = "$input `,` $fft_length attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::mlir::ingot::verifyConstraints(getOperation());
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> loc,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::ingot::inferRealFourier(loc, adaptor.getInput(),
          adaptor.getFftLength(), rank, /*toSpectrum=*/}] # !if(toSpectrum, "true", "false") # [{, types);
    }
  }];
}

defvar inverseText = ", which divides by the number of transformed elements";
defvar spectrumText = ": the spectrum of real numbers, of which the last dimension has the first n / 2 + 1 of n elements";
defvar numbersText = ", the inverse of the spectrum of real numbers, of which the last dimension has the first n / 2 + 1 of n elements";

def Ingot_FFTOp : Ingot_FourierOp<"fft", "FFT", 1, "Discrete Fourier transform", "">;
def Ingot_FFT2DOp : Ingot_FourierOp<"fft2d", "FFT2D", 2, "Discrete Fourier transform", "">;
def Ingot_FFT3DOp : Ingot_FourierOp<"fft3d", "FFT3D", 3, "Discrete Fourier transform", "">;
def Ingot_IFFTOp : Ingot_FourierOp<"ifft", "IFFT", 1, "Inverse discrete Fourier transform", inverseText>;
def Ingot_IFFT2DOp : Ingot_FourierOp<"ifft2d", "IFFT2D", 2, "Inverse discrete Fourier transform", inverseText>;
def Ingot_IFFT3DOp : Ingot_FourierOp<"ifft3d", "IFFT3D", 3, "Inverse discrete Fourier transform", inverseText>;
def Ingot_RFFTOp : Ingot_RealFourierOp<"rfft", "RFFT", 1, 1, "Fourier transform of real numbers", spectrumText>;
def Ingot_RFFT2DOp : Ingot_RealFourierOp<"rfft2d", "RFFT2D", 2, 1, "Fourier transform of real numbers", spectrumText>;
def Ingot_RFFT3DOp : Ingot_RealFourierOp<"rfft3d", "RFFT3D", 3, 1, "Fourier transform of real numbers", spectrumText>;
def Ingot_IRFFTOp : Ingot_RealFourierOp<"irfft", "IRFFT", 1, 0, "Inverse Fourier transform to real numbers", numbersText>;
def Ingot_IRFFT2DOp : Ingot_RealFourierOp<"irfft2d", "IRFFT2D", 2, 0, "Inverse Fourier transform to real numbers", numbersText>;
def Ingot_IRFFT3DOp : Ingot_RealFourierOp<"irfft3d", "IRFFT3D", 3, 0, "Inverse Fourier transform to real numbers", numbersText>;

#endif // INGOT_DIALECTS_INGOT_FOURIER_TD
