//===- IngotControl.td - Branches and loops -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Branches and loops as ops with regions. Ops in a region may use values of the
// blocks around it.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_CONTROL_TD
#define INGOT_DIALECTS_INGOT_CONTROL_TD

include "dialects/Ingot/IR/IngotBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Ingot_IfOp : Ingot_Op<"if", [SingleBlock, RecursiveMemoryEffects]> {
  let hasBuilders = 1;
  let summary = "Runs one of two branches";
  let description = [{
    TensorFlow's `If`, `StatelessIf` and each step of a `Case`, and a `tf.cond` of
    TF1, which consists of `Switch` and `Merge` nodes. A dimension of a result is
    static if it is static and equal in both branches.

    Constraints:
    - (if_c1) the condition is a scalar.
    - (if_c2) both branches end in an `ingot.result` of the op's results.

    ```mlir
    %y = ingot.if %c : tensor<i1> -> (tensor<4xf32>) {
      %0 = ingot.neg %x : (tensor<4xf32>) -> tensor<4xf32>
      ingot.result %0 : tensor<4xf32>
    } else {
      ingot.result %x : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins TensorOf<[I1]>:$condition);
  let results = (outs Variadic<AnyTensor>:$outputs);
  let regions = (region SizedRegion<1>:$thenBranch, SizedRegion<1>:$elseBranch);
  let assemblyFormat = [{
    $condition `:` type($condition) (`->` `(` type($outputs)^ `)`)?
    attr-dict-with-keyword $thenBranch `else` $elseBranch
  }];
  let hasVerifier = 1;
}

def Ingot_WhileOp : Ingot_Op<"while", [SingleBlock, RecursiveMemoryEffects]> {
  let hasBuilders = 1;
  let summary = "Runs a body while a condition holds";
  let description = [{
    TensorFlow's `While` and `StatelessWhile`, and a `tf.while_loop` of TF1, which
    consists of `Enter`, `Merge`, `Switch`, `NextIteration` and `Exit` nodes. Both
    regions receive the loop's state as arguments; the body yields its next value.

    Constraints:
    - (while_c1) the first region ends in an `ingot.condition` on a scalar.
    - (while_c2) initial values, results, the regions' arguments and the values
      that the body yields agree in number and type.

    ```mlir
    %n = ingot.while(%zero) : (tensor<i32>) -> tensor<i32> test {
    ^bb0(%i: tensor<i32>):
      %c = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
      ingot.condition %c : tensor<i1>
    } body {
    ^bb0(%i: tensor<i32>):
      %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      ingot.result %next : tensor<i32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyTensor>:$inits);
  let results = (outs Variadic<AnyTensor>:$outputs);
  let regions = (region SizedRegion<1>:$test, SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inits `)` `:` functional-type($inits, $outputs)
    attr-dict-with-keyword `test` $test `body` $body
  }];
  let hasVerifier = 1;
}

def Ingot_ConditionOp : Ingot_Op<"condition", [Terminator, Pure]> {
  let hasBuilders = 1;
  let summary = "Yields a loop's condition";
  let description = [{
    ```mlir
    ingot.condition %c : tensor<i1>
    ```
  }];
  let arguments = (ins TensorOf<[I1]>:$condition);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
}

def Ingot_ResultOp : Ingot_Op<"result", [Terminator, Pure, ReturnLike]> {
  let hasBuilders = 1;
  let summary = "Terminates a branch, or the body of a loop, with its values";
  let description = [{
    ```mlir
    ingot.result %y : tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

#endif // INGOT_DIALECTS_INGOT_CONTROL_TD
