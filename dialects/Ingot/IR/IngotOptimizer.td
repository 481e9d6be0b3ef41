//===- IngotOptimizer.td - Steps of optimizers -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Optimizers' steps: the arithmetic of TensorFlow's training ops on values. The
// first operands are the variable and its slots; result i is the new value of
// operand i, whose memory it may reuse. Operands are in TensorFlow's order.
// Only this file defines the order: import, export and shape functions read
// getOptimizer() (OptimizerOps.h), and lowerings use the operands' names.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_OPTIMIZER_TD
#define INGOT_DIALECTS_INGOT_OPTIMIZER_TD

include "dialects/Ingot/IR/IngotBase.td"

// An operand of an optimizer's step (the variable or a slot, the gradient, or a
// scalar) and the phrase by which messages refer to it.
class Ingot_StepOperand<string operandKind, string operandPhrase,
                        list<Type> elements = [AnyFloat]> : TensorOf<elements> {
  string kind = operandKind;
  string phrase = operandPhrase;
}
class Ingot_State<string phrase> : Ingot_StepOperand<"State", phrase>;
class Ingot_Hyperparameter<string phrase>
    : Ingot_StepOperand<"Hyperparameter", phrase>;
def Ingot_Gradient : Ingot_StepOperand<"Gradient", "the gradient">;
// The number of steps so far, an int64 scalar.
def Ingot_StepNumber : Ingot_StepOperand<"StepNumber", "the global step", [I64]>;

// An op that is one step of an optimizer. TensorFlow's op is called "Resource"
// + `tensorFlow`, or just `tensorFlow` for ref variables. Its form for
// row-sparse updates has "Sparse" before the name.
class Ingot_OptimizerOp<string mnemonic, string tensorFlow>
    : Ingot_PureOp<mnemonic, [Ingot_Elementwise, Ingot_MayReuseOperandMemory]> {
  bit hasReferenceForm = 1;
  bit hasSparseForm = 0;

  // The operands' indices in `arguments`, whose other elements are attributes.
  // The op has one result for each operand that is the variable or a slot
  // (Ingot_State).
  list<int> places = !filter(i, !range(!size(arguments)),
      !isa<Ingot_StepOperand>(!getdagarg<Constraint>(arguments, i)));
  let results = !foldl((outs), places, all, i,
      !if(!isa<Ingot_State>(!getdagarg<Constraint>(arguments, i)),
          !con(all, !dag(outs, [Ingot_FloatTensor], ["new_" # !getdagname(arguments, i)])), all));
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";

  let extraClassDeclaration = "static const ::mlir::ingot::OptimizerInfo &getOptimizerInfo();";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::mlir::ingot::verifyConstraints(getOperation());
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> loc,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return inferStep(loc, adaptor.getOperands(), getOptimizerInfo(), types);
    }
    const ::mlir::ingot::OptimizerInfo &$cppClass::getOptimizerInfo() {
      using enum ::mlir::ingot::OptimizerOperand::Kind;
      static const ::mlir::ingot::OptimizerInfo info = {
          "}] # tensorFlow # [{", getOperationName(),
          {}] # !foldl("", places, text, i, text # "{" #
              !getdagarg<Ingot_StepOperand>(arguments, i).kind # ", \"" #
              !getdagarg<Ingot_StepOperand>(arguments, i).phrase # "\"}, ") # [{},
          {}] # !foldl("", !range(!size(arguments)), text, i, text #
              !if(!isa<Ingot_StepOperand>(!getdagarg<Constraint>(arguments, i)), "",
                  "\"" # !getdagname(arguments, i) # "\", ")) # [{},
          }] # hasReferenceForm # ", " # hasSparseForm # [{};
      return info;
    }
  }];
}

def Ingot_ApplyGradientDescentOp : Ingot_OptimizerOp<"apply_gradient_descent", "ApplyGradientDescent"> {
  let summary = "var - alpha * delta";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyGradientDescent` on values; the
    result is the variable's new value.

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %w1 = ingot.apply_gradient_descent %w, %alpha, %g : (tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_Hyperparameter<"the learning rate">:$alpha,
    Ingot_Gradient:$delta);
}

def Ingot_ApplyMomentumOp : Ingot_OptimizerOp<"apply_momentum", "ApplyMomentum"> {
  let summary = "A step of gradient descent with momentum";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyMomentum` on values:
    accum' = accum * momentum + grad; var' = var - lr * accum', or with
    `use_nesterov` var - (grad * lr + accum' * momentum * lr).

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %w1, %a1 = ingot.apply_momentum %w, %a, %lr, %g, %m
        : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let hasSparseForm = 1;
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_State<"the accumulator">:$accum,
    Ingot_Hyperparameter<"the learning rate">:$lr,
    Ingot_Gradient:$grad,
    Ingot_Hyperparameter<"the momentum">:$momentum,
    DefaultValuedAttr<BoolAttr, "false">:$use_nesterov);
}

def Ingot_ApplyAdamOp : Ingot_OptimizerOp<"apply_adam", "ApplyAdam"> {
  let summary = "A step of Adam";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyAdam` on values, elementwise:
    alpha = lr * sqrt(1 - beta2_power) / (1 - beta1_power);
    m' = m + (grad - m) * (1 - beta1); v' = v + (grad^2 - v) * (1 - beta2);
    var' = var - m' * alpha / (sqrt(v') + epsilon), or with `use_nesterov`
    (grad * (1 - beta1) + beta1 * m') in place of m'. (Kingma and Ba, 2014,
    in the form of its section 2's last paragraph.)

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %w1, %m1, %v1 = ingot.apply_adam %w, %m, %v, %b1p, %b2p, %lr, %b1, %b2, %eps, %g
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>,
           tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_State<"the first moment">:$m,
    Ingot_State<"the second moment">:$v,
    Ingot_Hyperparameter<"beta1's power">:$beta1_power,
    Ingot_Hyperparameter<"beta2's power">:$beta2_power,
    Ingot_Hyperparameter<"the learning rate">:$lr,
    Ingot_Hyperparameter<"beta1">:$beta1,
    Ingot_Hyperparameter<"beta2">:$beta2,
    Ingot_Hyperparameter<"epsilon">:$epsilon,
    Ingot_Gradient:$grad,
    DefaultValuedAttr<BoolAttr, "false">:$use_nesterov);
}

def Ingot_ApplyRMSPropOp : Ingot_OptimizerOp<"apply_rms_prop", "ApplyRMSProp"> {
  let summary = "A step of RMSProp";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyRMSProp` on values:
    ms' = ms + (grad^2 - ms) * (1 - rho); mom' = mom * momentum + grad * lr /
    sqrt(ms' + epsilon); var' = var - mom'. (Hinton, lecture 6 of Neural
    Networks for Machine Learning, 2012.)

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %new_var, %new_ms, %new_mom = ingot.apply_rms_prop %var, %ms, %mom, %lr, %rho, %momentum, %epsilon, %grad
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>,
           tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let hasSparseForm = 1;
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_State<"the mean square">:$ms,
    Ingot_State<"the momentum slot">:$mom,
    Ingot_Hyperparameter<"the learning rate">:$lr,
    Ingot_Hyperparameter<"rho">:$rho,
    Ingot_Hyperparameter<"the momentum">:$momentum,
    Ingot_Hyperparameter<"epsilon">:$epsilon,
    Ingot_Gradient:$grad);
}

def Ingot_ApplyCenteredRMSPropOp : Ingot_OptimizerOp<"apply_centered_rms_prop", "ApplyCenteredRMSProp"> {
  let summary = "A step of RMSProp that divides by the estimated deviation";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyCenteredRMSProp` on values:
    ms' = ms + (grad^2 - ms) * (1 - rho); mg' = mg + (grad - mg) * (1 - rho);
    mom' = mom * momentum + grad * lr / sqrt(ms' - mg'^2 + epsilon);
    var' = var - mom'. (Graves, 2013.)

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %new_var, %new_mg, %new_ms, %new_mom = ingot.apply_centered_rms_prop %var, %mg, %ms, %mom, %lr, %rho, %momentum, %epsilon, %grad
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>,
           tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let hasSparseForm = 1;
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_State<"the mean gradient">:$mg,
    Ingot_State<"the mean square">:$ms,
    Ingot_State<"the momentum slot">:$mom,
    Ingot_Hyperparameter<"the learning rate">:$lr,
    Ingot_Hyperparameter<"rho">:$rho,
    Ingot_Hyperparameter<"the momentum">:$momentum,
    Ingot_Hyperparameter<"epsilon">:$epsilon,
    Ingot_Gradient:$grad);
}

def Ingot_ApplyAdagradOp : Ingot_OptimizerOp<"apply_adagrad", "ApplyAdagrad"> {
  let summary = "A step of Adagrad";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyAdagrad` on values:
    accum' = accum + grad^2, or accum without `update_slots`;
    var' = var - grad * lr / sqrt(accum'). (Duchi et al., 2011.)

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %new_var, %new_accum = ingot.apply_adagrad %var, %accum, %lr, %grad
        : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let hasSparseForm = 1;
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_State<"the accumulator">:$accum,
    Ingot_Hyperparameter<"the learning rate">:$lr,
    Ingot_Gradient:$grad,
    DefaultValuedAttr<BoolAttr, "true">:$update_slots);
}

def Ingot_ApplyAdagradV2Op : Ingot_OptimizerOp<"apply_adagrad_v2", "ApplyAdagradV2"> {
  let summary = "A step of Adagrad with epsilon";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyAdagradV2` on values:
    accum' = accum + grad^2, or accum without `update_slots`;
    var' = var - grad * lr / (sqrt(accum') + epsilon).

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %new_var, %new_accum = ingot.apply_adagrad_v2 %var, %accum, %lr, %epsilon, %grad
        : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let hasSparseForm = 1;
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_State<"the accumulator">:$accum,
    Ingot_Hyperparameter<"the learning rate">:$lr,
    Ingot_Hyperparameter<"epsilon">:$epsilon,
    Ingot_Gradient:$grad,
    DefaultValuedAttr<BoolAttr, "true">:$update_slots);
}

def Ingot_ApplyAdagradDAOp : Ingot_OptimizerOp<"apply_adagrad_da", "ApplyAdagradDA"> {
  let summary = "A step of Adagrad with dual averaging";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyAdagradDA` on values: the sums of
    gradients and of their squares determine the variable's new value, which does
    not depend on the old one. sum' = sum + grad; squares' = squares + grad^2; var' = -lr *
    sign(sum') * max(|sum'| - l1 * step, 0) / (l2 * step * lr + sqrt(squares')),
    and with l1 = 0 just -lr * sum' over the same. (Duchi et al., 2011,
    section 1.)

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.
    - (optimizer_c3) the global step is a scalar of int64.

    ```mlir
    %new_var, %new_sum, %new_squares = ingot.apply_adagrad_da %var, %sum, %squares, %grad, %lr, %l1, %l2, %step
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>,
           tensor<f32>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let hasSparseForm = 1;
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_State<"the gradients' sum">:$gradient_accumulator,
    Ingot_State<"the squares' sum">:$gradient_squared_accumulator,
    Ingot_Gradient:$grad,
    Ingot_Hyperparameter<"the learning rate">:$lr,
    Ingot_Hyperparameter<"l1">:$l1,
    Ingot_Hyperparameter<"l2">:$l2,
    Ingot_StepNumber:$global_step);
}

def Ingot_ApplyAdadeltaOp : Ingot_OptimizerOp<"apply_adadelta", "ApplyAdadelta"> {
  let summary = "A step of Adadelta";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyAdadelta` on values:
    accum' = accum * rho + grad^2 * (1 - rho); update = grad *
    sqrt(accum_update + epsilon) / sqrt(accum' + epsilon); accum_update' =
    accum_update * rho + update^2 * (1 - rho); var' = var - update * lr.
    (Zeiler, 2012.)

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %new_var, %new_accum, %new_accum_update = ingot.apply_adadelta %var, %accum, %accum_update, %lr, %rho, %epsilon, %grad
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>,
           tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let hasSparseForm = 1;
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_State<"the accumulator">:$accum,
    Ingot_State<"the updates' accumulator">:$accum_update,
    Ingot_Hyperparameter<"the learning rate">:$lr,
    Ingot_Hyperparameter<"rho">:$rho,
    Ingot_Hyperparameter<"epsilon">:$epsilon,
    Ingot_Gradient:$grad);
}

def Ingot_ApplyAdamWithAmsgradOp : Ingot_OptimizerOp<"apply_adam_with_amsgrad", "ApplyAdamWithAmsgrad"> {
  let summary = "A step of Adam that divides by the largest second moment";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyAdamWithAmsgrad` on values:
    Like Adam, but var' = var - m' * alpha / (sqrt(vhat') + epsilon) with
    vhat' = max(vhat, v'). (Reddi et al., 2018.)

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %new_var, %new_m, %new_v, %new_vhat = ingot.apply_adam_with_amsgrad %var, %m, %v, %vhat, %beta1_power, %beta2_power, %lr, %beta1, %beta2, %epsilon, %grad
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>,
           tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
           tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let hasReferenceForm = 0;
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_State<"the first moment">:$m,
    Ingot_State<"the second moment">:$v,
    Ingot_State<"the largest second moment">:$vhat,
    Ingot_Hyperparameter<"beta1's power">:$beta1_power,
    Ingot_Hyperparameter<"beta2's power">:$beta2_power,
    Ingot_Hyperparameter<"the learning rate">:$lr,
    Ingot_Hyperparameter<"beta1">:$beta1,
    Ingot_Hyperparameter<"beta2">:$beta2,
    Ingot_Hyperparameter<"epsilon">:$epsilon,
    Ingot_Gradient:$grad);
}

def Ingot_ApplyAdaMaxOp : Ingot_OptimizerOp<"apply_ada_max", "ApplyAdaMax"> {
  let summary = "A step of AdaMax";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyAdaMax` on values:
    m' = m + (grad - m) * (1 - beta1); v' = max(beta2 * v, |grad|);
    var' = var - lr / (1 - beta1_power) * m' / (v' + epsilon).
    (Kingma and Ba, 2014, section 7.1.)

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %new_var, %new_m, %new_v = ingot.apply_ada_max %var, %m, %v, %beta1_power, %lr, %beta1, %beta2, %epsilon, %grad
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>,
           tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_State<"the first moment">:$m,
    Ingot_State<"the infinity norm">:$v,
    Ingot_Hyperparameter<"beta1's power">:$beta1_power,
    Ingot_Hyperparameter<"the learning rate">:$lr,
    Ingot_Hyperparameter<"beta1">:$beta1,
    Ingot_Hyperparameter<"beta2">:$beta2,
    Ingot_Hyperparameter<"epsilon">:$epsilon,
    Ingot_Gradient:$grad);
}

def Ingot_ApplyKerasMomentumOp : Ingot_OptimizerOp<"apply_keras_momentum", "ApplyKerasMomentum"> {
  let summary = "A step of gradient descent with Keras's momentum";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyKerasMomentum` on values:
    accum' = accum * momentum - grad * lr; var' = var + accum', or with
    `use_nesterov` var + (accum' * momentum - grad * lr).

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %new_var, %new_accum = ingot.apply_keras_momentum %var, %accum, %lr, %grad, %momentum
        : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let hasReferenceForm = 0;
  let hasSparseForm = 1;
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_State<"the accumulator">:$accum,
    Ingot_Hyperparameter<"the learning rate">:$lr,
    Ingot_Gradient:$grad,
    Ingot_Hyperparameter<"the momentum">:$momentum,
    DefaultValuedAttr<BoolAttr, "false">:$use_nesterov);
}

def Ingot_ApplyFtrlOp : Ingot_OptimizerOp<"apply_ftrl", "ApplyFtrl"> {
  let summary = "A step of FTRL-proximal";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyFtrl` on values:
    accum' = accum + grad^2; p(a) = a^(-lr_power);
    linear' = linear + grad - (p(accum') - p(accum)) / lr * var; var' =
    (l1 * sign(linear') - linear') / (p(accum') / lr + 2 * l2) where
    |linear'| > l1, else 0. With `multiply_linear_by_lr`, the slot has linear * lr;
    all terms of linear', l1 and the divisor are multiplied by lr accordingly.
    (McMahan et al., 2013.)

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %new_var, %new_accum, %new_linear = ingot.apply_ftrl %var, %accum, %linear, %grad, %lr, %l1, %l2, %lr_power
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>,
           tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let hasSparseForm = 1;
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_State<"the accumulator">:$accum,
    Ingot_State<"the linear slot">:$linear,
    Ingot_Gradient:$grad,
    Ingot_Hyperparameter<"the learning rate">:$lr,
    Ingot_Hyperparameter<"l1">:$l1,
    Ingot_Hyperparameter<"l2">:$l2,
    Ingot_Hyperparameter<"the learning rate's power">:$lr_power,
    DefaultValuedAttr<BoolAttr, "false">:$multiply_linear_by_lr);
}

def Ingot_ApplyFtrlV2Op : Ingot_OptimizerOp<"apply_ftrl_v2", "ApplyFtrlV2"> {
  let summary = "A step of FTRL-proximal with shrinkage";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyFtrlV2` on values:
    accum' = accum + grad^2; p(a) = a^(-lr_power);
    linear' = linear + grad + 2 *
    l2_shrinkage * var - (p(accum') - p(accum)) / lr * var; var' =
    (l1 * sign(linear') - linear') / (p(accum') / lr + 2 * l2) where
    |linear'| > l1, else 0. With `multiply_linear_by_lr`, the slot has linear * lr;
    all terms of linear', l1 and the divisor are multiplied by lr accordingly.
    (McMahan et al., 2013.)

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %new_var, %new_accum, %new_linear = ingot.apply_ftrl_v2 %var, %accum, %linear, %grad, %lr, %l1, %l2, %l2_shrinkage, %lr_power
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>,
           tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let hasSparseForm = 1;
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_State<"the accumulator">:$accum,
    Ingot_State<"the linear slot">:$linear,
    Ingot_Gradient:$grad,
    Ingot_Hyperparameter<"the learning rate">:$lr,
    Ingot_Hyperparameter<"l1">:$l1,
    Ingot_Hyperparameter<"l2">:$l2,
    Ingot_Hyperparameter<"the l2 shrinkage">:$l2_shrinkage,
    Ingot_Hyperparameter<"the learning rate's power">:$lr_power,
    DefaultValuedAttr<BoolAttr, "false">:$multiply_linear_by_lr);
}

def Ingot_ApplyProximalGradientDescentOp : Ingot_OptimizerOp<"apply_proximal_gradient_descent", "ApplyProximalGradientDescent"> {
  let summary = "A step of proximal gradient descent";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyProximalGradientDescent` on values:
    prox = var - alpha * delta; var' = sign(prox) * max(|prox| - alpha * l1, 0) /
    (1 + alpha * l2). (Duchi and Singer, 2009.)

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %new_var = ingot.apply_proximal_gradient_descent %var, %alpha, %l1, %l2, %delta
        : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let hasSparseForm = 1;
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_Hyperparameter<"the learning rate">:$alpha,
    Ingot_Hyperparameter<"l1">:$l1,
    Ingot_Hyperparameter<"l2">:$l2,
    Ingot_Gradient:$delta);
}

def Ingot_ApplyProximalAdagradOp : Ingot_OptimizerOp<"apply_proximal_adagrad", "ApplyProximalAdagrad"> {
  let summary = "A step of proximal Adagrad";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyProximalAdagrad` on values:
    accum' = accum + grad^2; a proximal step as
    `apply_proximal_gradient_descent` makes it, with lr / sqrt(accum') as
    alpha.

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %new_var, %new_accum = ingot.apply_proximal_adagrad %var, %accum, %lr, %l1, %l2, %grad
        : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>,
           tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let hasSparseForm = 1;
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_State<"the accumulator">:$accum,
    Ingot_Hyperparameter<"the learning rate">:$lr,
    Ingot_Hyperparameter<"l1">:$l1,
    Ingot_Hyperparameter<"l2">:$l2,
    Ingot_Gradient:$grad);
}

def Ingot_ApplyAddSignOp : Ingot_OptimizerOp<"apply_add_sign", "ApplyAddSign"> {
  let summary = "A step of AddSign";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyAddSign` on values:
    m' = m * beta + grad * (1 - beta); var' = var - lr * (alpha + sign_decay *
    sign(grad) * sign(m')) * grad. (Bello et al., 2017.)

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %new_var, %new_m = ingot.apply_add_sign %var, %m, %lr, %alpha, %sign_decay, %beta, %grad
        : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>,
           tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_State<"the moment">:$m,
    Ingot_Hyperparameter<"the learning rate">:$lr,
    Ingot_Hyperparameter<"alpha">:$alpha,
    Ingot_Hyperparameter<"the sign's decay">:$sign_decay,
    Ingot_Hyperparameter<"beta">:$beta,
    Ingot_Gradient:$grad);
}

def Ingot_ApplyPowerSignOp : Ingot_OptimizerOp<"apply_power_sign", "ApplyPowerSign"> {
  let summary = "A step of PowerSign";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyPowerSign` on values:
    m' = m * beta + grad * (1 - beta); var' = var - lr * e^(logbase * sign_decay *
    sign(grad) * sign(m')) * grad. (Bello et al., 2017.)

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %new_var, %new_m = ingot.apply_power_sign %var, %m, %lr, %logbase, %sign_decay, %beta, %grad
        : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>,
           tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins
    Ingot_State<"the variable">:$var,
    Ingot_State<"the moment">:$m,
    Ingot_Hyperparameter<"the learning rate">:$lr,
    Ingot_Hyperparameter<"the base's logarithm">:$logbase,
    Ingot_Hyperparameter<"the sign's decay">:$sign_decay,
    Ingot_Hyperparameter<"beta">:$beta,
    Ingot_Gradient:$grad);
}

#endif // INGOT_DIALECTS_INGOT_OPTIMIZER_TD
