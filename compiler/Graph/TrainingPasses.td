//===- TrainingPasses.td - Training steps and gradients ---*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Passes that add training steps to inference graphs, and differentiate in
// reverse mode.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_TRAINING_PASSES_TD
#define INGOT_COMPILER_GRAPH_TRAINING_PASSES_TD

include "mlir/Pass/PassBase.td"

def AddTrainingStepPass : Pass<"ingot-add-training-step", "::mlir::ModuleOp"> {
  let summary = "Add a training step to an inference graph";
  let description = [{
    The pass clones the entry that computes the loss as the step, which also
    applies the optimizer's update (OptimizerFlag.h) to each variable that the
    loss depends on. The mean of a loss that is not a scalar is minimized. If
    the graph marks its trainable variables, only these are updated. Slot
    variables and `global_step` have their TensorFlow 1 names, initial values,
    and checkpoint entries.

    ```mlir
    // Before: an entry that computes the loss.
    ingot.entry @main role(predict) feeds ["x:0"] fetches ["loss:0"] variables [] updates [] {
    ^bb0(%x: tensor<f32>):
      %w = ingot.read @w : tensor<f32>
      %0 = ingot.mul %x, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ingot.return %0 : tensor<f32>
    }
    // After, with loss=loss optimizer=sgd:0.1: also a step that updates @w.
    ingot.entry @step role(step) feeds ["x:0"] fetches ["loss:0"] variables [] updates [] {
    ^bb0(%x: tensor<f32>):
      %w = ingot.read @w : tensor<f32>
      %0 = ingot.mul %x, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %rate = ingot.constant dense<0.1> : tensor<f32>
      %w1 = ingot.apply_gradient_descent %w, %rate, %x : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
      ingot.assign @w, %w1 : tensor<f32>
      ingot.return %0 : tensor<f32>
    }
    ```
  }];
  let options = [
    Option<"loss", "loss", "std::string", /*default=*/"", "Tensor to minimize, a fetch of an entry">,
    Option<"optimizer", "optimizer", "std::string", /*default=*/"", "Optimizer, as NAME:RATE,KEY=VALUE">
  ];
  let statistics = [Statistic<"numTrained", "num-trained", "Variables that the step trains">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def DifferentiatePass : Pass<"ingot-differentiate", "::mlir::ModuleOp"> {
  let summary = "Differentiate `ingot.gradients` in reverse mode";
  let description = [{
    Visits ops from outputs to inputs. Each op has a rule that computes the
    gradients of its operands from those of its results
    (`<Family>Gradients.cpp`); if a value has several uses, their gradients are
    added. Gradients that depend on dynamic shapes read these at run time. An op
    between inputs and outputs that has no such rule is reported as an error at
    its node.

    ```mlir
    // Before: %dx is the gradient of %y with respect to %x.
    %y = ingot.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    %dx = ingot.gradients of(%y) by(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // After: %dx is computed by the rule of relu.
    %y = ingot.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    %ones = ingot.constant dense<1.0> : tensor<4xf32>
    %dx = ingot.relu_grad %ones, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let statistics = [Statistic<"numDifferentiated", "num-differentiated", "Gradients ops replaced">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

#endif // INGOT_COMPILER_GRAPH_TRAINING_PASSES_TD
