//===- IngotComplex.td - Complex numbers and their parts -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops that convert between complex numbers and their real and imaginary parts.
// Arithmetic on complex tensors uses ops of the other families, many of which
// accept complex as well as real tensors.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_COMPLEX_TD
#define INGOT_DIALECTS_INGOT_COMPLEX_TD

include "dialects/Ingot/IR/IngotElementwise.td"

def Ingot_PartTensor : TensorOf<[F32, F64]>;

// An elementwise function of a complex number, whose result is real.
class Ingot_PartOp<string mnemonic, string tensorFlow, string what>
    : Ingot_PointwiseOp<mnemonic, "::mlir::ingot::inferPart(adaptor.getInput(), types)"> {
  let summary = what;
  let tensorFlowOps = [TF_Op<tensorFlow, [TF_Implied<"Tout">]>];
  let description = "TensorFlow's `" # tensorFlow # "`.\n\n```mlir\n%y = ingot." # mnemonic #
      " %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>\n```\n";
  let arguments = (ins Ingot_ComplexTensor:$input);
  let results = (outs Ingot_PartTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_RealOp : Ingot_PartOp<"real", "Real", "Real parts of complex numbers"> {
  let hasBuilders = 1;
  let hasFolder = 1;
}
def Ingot_ImagOp : Ingot_PartOp<"imag", "Imag", "Imaginary parts of complex numbers"> {
  let hasBuilders = 1;
  let hasFolder = 1;
}
def Ingot_ComplexAbsOp : Ingot_PartOp<"complex_abs", "ComplexAbs", "Absolute values of complex numbers">;
def Ingot_AngleOp : Ingot_PartOp<"angle", "Angle", "Arguments (phases) of complex numbers, in radians">;

def Ingot_ComplexOp
    : Ingot_PointwiseOp<"complex", "::mlir::ingot::inferComplex(loc, adaptor.getReal(), adaptor.getImag(), types)"> {
  let hasBuilders = 1;
  let tensorFlowOps = [TF_Op<"Complex", [TF_Implied<"Tout">]>];
  let summary = "Complex numbers with given real and imaginary parts";
  let description = [{
    TensorFlow's `Complex`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.complex %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
    ```
  }];
  let arguments = (ins Ingot_PartTensor:$real, Ingot_PartTensor:$imag);
  let results = (outs Ingot_ComplexTensor:$output);
  let assemblyFormat = "$real `,` $imag attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_ConjOp
    : Ingot_FunctionOp<"conj", "Conj", Ingot_ComplexTensor, "Complex conjugates", "", "complex<f32>"> {
  let hasFolder = 1;
}

#endif // INGOT_DIALECTS_INGOT_COMPLEX_TD
