//===- IngotElementwise.td - Classes of elementwise ops -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Classes of elementwise ops with their shape functions, assembly formats and
// the fixed parts of their documentation, so that most ops are defined in one
// line.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_ELEMENTWISE_TD
#define INGOT_DIALECTS_INGOT_ELEMENTWISE_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_AnyIntTensor : TensorOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64]>;

// An elementwise op. `infer` is C++ code that calls its shape function.
class Ingot_PointwiseOp<string mnemonic, string infer>
    : Ingot_PureOp<mnemonic, [Ingot_Elementwise]> {
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::mlir::ingot::verifyConstraints(getOperation());
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> loc,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return }] # infer # [{;
    }
  }];
}

// An elementwise function of one operand.
class Ingot_FunctionOp<string mnemonic, string tensorFlow, Type type, string what,
                       string more = "", string element = "f32">
    : Ingot_PointwiseOp<mnemonic, "::mlir::ingot::inferUnary(adaptor.getInput(), types)"> {
  let summary = what;
  let tensorFlowOps = [TF_Op<tensorFlow>];
  let description = "TensorFlow's " # TF_Names<tensorFlowOps>.text # ". " # more # "\n\n```mlir\n%y = ingot." # mnemonic #
      " %x : (tensor<4x" # element # ">) -> tensor<4x" # element # ">\n```\n";
  let arguments = (ins type:$input);
  let results = (outs type:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

// An elementwise predicate on floats, with boolean results.
class Ingot_TestOp<string mnemonic, string tensorFlow, string what>
    : Ingot_PointwiseOp<mnemonic, "::mlir::ingot::inferTest(adaptor.getInput(), types)"> {
  let summary = what;
  let tensorFlowOps = [TF_Op<tensorFlow>];
  let description = "TensorFlow's " # TF_Names<tensorFlowOps>.text # ".\n\n```mlir\n%y = ingot." # mnemonic #
      " %x : (tensor<4xf32>) -> tensor<4xi1>\n```\n";
  let arguments = (ins Ingot_FloatTensor:$input);
  let results = (outs Ingot_BoolTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

// An elementwise function of two operands, which are broadcast against each
// other.
class Ingot_BinaryFunctionOp<string mnemonic, string tensorFlow, Type type, string what,
                             string more = "", string element = "f32", string infer = [{
      ::mlir::ingot::inferBinary(loc, adaptor.getLhs(), adaptor.getRhs(), ::mlir::Type(), types)}]>
    : Ingot_PointwiseOp<mnemonic, infer> {
  let summary = what;
  let tensorFlowOps = [TF_Op<tensorFlow>];
  let description = "TensorFlow's " # TF_Names<tensorFlowOps>.text # ". " # more # [{
Operands are broadcast against each other.

Constraints:
- (binary_c1) the operands have one element type.
- (binary_c2) the operands' shapes can be broadcast against each other.

```mlir
%y = ingot.}] # mnemonic # " %a, %b : (tensor<4x" # element # ">, tensor<" # element #
      ">) -> tensor<4x" # element # ">\n```\n";
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

class Ingot_FloatFunctionOp<string mnemonic, string tensorFlow, string what, string more = "">
    : Ingot_FunctionOp<mnemonic, tensorFlow, Ingot_FloatTensor, what, more>;

class Ingot_BinaryFloatFunctionOp<string mnemonic, string tensorFlow, string what, string more = "">
    : Ingot_BinaryFunctionOp<mnemonic, tensorFlow, Ingot_FloatTensor, what, more>;

// The gradient of an elementwise function, computed from the function's operand
// or result and the gradient of its result.
class Ingot_GradientOp<string mnemonic, string tensorFlow, Type type, string what, string more = "">
    : Ingot_BinaryFunctionOp<mnemonic, tensorFlow, type, what,
        more # "What one operand leaves open, its rank or a size, the other states. ", "f32",
        "::mlir::ingot::inferGradient(loc, adaptor.getLhs(), adaptor.getRhs(), types)">;

#endif // INGOT_DIALECTS_INGOT_ELEMENTWISE_TD
