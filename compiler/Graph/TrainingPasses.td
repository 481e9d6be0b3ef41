//===- TrainingPasses.td - What makes a trainer of a graph -*- tablegen -*-===//
//
// Steps and derivatives that a graph only asks for.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_TRAINING_PASSES_TD
#define INGOT_COMPILER_GRAPH_TRAINING_PASSES_TD

include "mlir/Pass/PassBase.td"

def AddTrainingPass : Pass<"ingot-add-training", "::mlir::ModuleOp"> {
  let summary = "Makes a trainer of a graph that predicts";
  let description = [{
    Of the entry that gives the loss a copy becomes the step: it also moves each
    variable that the loss depends on along its gradient, as the optimizer
    does (OptimizerFlag.h). Of several numbers the mean is the loss. Where the
    graph says which variables are trainable, others stay as they are. Slots and
    `global_step` are called as TensorFlow 1 calls them; they get first values,
    and places in checkpoints.

    ```mlir
    // Before
    ingot.entry @main role(predict) feeds ["x:0"] fetches ["loss:0"] variables [] updates [] {
    ^bb0(%x: tensor<f32>):
      %w = ingot.read @w : tensor<f32>
      %0 = ingot.mul %x, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ingot.return %0 : tensor<f32>
    }
    // After, with loss=loss optimizer=sgd:0.1, also
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
    Option<"loss", "loss", "std::string", /*default=*/"", "what is minimized, a fetch of an entry">,
    Option<"optimizer", "optimizer", "std::string", /*default=*/"", "NAME:RATE,KEY=VALUE">
  ];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def DifferentiatePass : Pass<"ingot-differentiate", "::mlir::ModuleOp"> {
  let summary = "Puts the arithmetic of derivatives in the place of `ingot.gradients`";
  let description = [{
    From the outputs back to the inputs each op says what the gradients of its
    results make of those of its operands (`<Family>Gradients.cpp`); where a
    value is used several times they are added up. Shapes that are not static
    are read when the program runs. An op on the way that has no gradient is
    an error, at its node.

    ```mlir
    // Before
    %y = ingot.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    %dx = ingot.gradients of(%y) by(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // After
    %y = ingot.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    %ones = ingot.constant dense<1.0> : tensor<4xf32>
    %dx = ingot.relu_grad %ones, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

#endif // INGOT_COMPILER_GRAPH_TRAINING_PASSES_TD
