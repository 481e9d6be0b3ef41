//===- IngotOptimizer.td - Steps of optimizers -*- tablegen -*-===//
//
// The arithmetic of TensorFlow's training ops on values: the variable and its
// slots come first, and result i is the new value of operand i, whose storage
// it takes over. (apply_gradient_descent, apply_momentum and apply_adam stand
// in IngotNN.td.)
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_OPTIMIZER_TD
#define INGOT_DIALECTS_INGOT_OPTIMIZER_TD

include "dialects/Ingot/IngotBase.td"

class Ingot_OptimizerOp<string mnemonic>
    : Ingot_PureOp<mnemonic, [Ingot_Elementwise, Ingot_TiesOperands]> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_ApplyRMSPropOp : Ingot_OptimizerOp<"apply_rms_prop"> {
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
  let arguments = (ins Ingot_FloatTensor:$var, Ingot_FloatTensor:$ms, Ingot_FloatTensor:$mom,
                       Ingot_FloatTensor:$lr, Ingot_FloatTensor:$rho, Ingot_FloatTensor:$momentum,
                       Ingot_FloatTensor:$epsilon, Ingot_FloatTensor:$grad);
  let results = (outs Ingot_FloatTensor:$new_var, Ingot_FloatTensor:$new_ms, Ingot_FloatTensor:$new_mom);
}

def Ingot_ApplyCenteredRMSPropOp : Ingot_OptimizerOp<"apply_centered_rms_prop"> {
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
  let arguments = (ins Ingot_FloatTensor:$var, Ingot_FloatTensor:$mg, Ingot_FloatTensor:$ms,
                       Ingot_FloatTensor:$mom, Ingot_FloatTensor:$lr, Ingot_FloatTensor:$rho,
                       Ingot_FloatTensor:$momentum, Ingot_FloatTensor:$epsilon, Ingot_FloatTensor:$grad);
  let results = (outs Ingot_FloatTensor:$new_var, Ingot_FloatTensor:$new_mg, Ingot_FloatTensor:$new_ms, Ingot_FloatTensor:$new_mom);
}

def Ingot_ApplyAdagradOp : Ingot_OptimizerOp<"apply_adagrad"> {
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
  let arguments = (ins Ingot_FloatTensor:$var, Ingot_FloatTensor:$accum, Ingot_FloatTensor:$lr,
                       Ingot_FloatTensor:$grad,
                       DefaultValuedAttr<BoolAttr, "true">:$update_slots);
  let results = (outs Ingot_FloatTensor:$new_var, Ingot_FloatTensor:$new_accum);
}

def Ingot_ApplyAdagradV2Op : Ingot_OptimizerOp<"apply_adagrad_v2"> {
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
  let arguments = (ins Ingot_FloatTensor:$var, Ingot_FloatTensor:$accum, Ingot_FloatTensor:$lr,
                       Ingot_FloatTensor:$epsilon, Ingot_FloatTensor:$grad,
                       DefaultValuedAttr<BoolAttr, "true">:$update_slots);
  let results = (outs Ingot_FloatTensor:$new_var, Ingot_FloatTensor:$new_accum);
}

def Ingot_ApplyAdadeltaOp : Ingot_OptimizerOp<"apply_adadelta"> {
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
  let arguments = (ins Ingot_FloatTensor:$var, Ingot_FloatTensor:$accum, Ingot_FloatTensor:$accum_update,
                       Ingot_FloatTensor:$lr, Ingot_FloatTensor:$rho, Ingot_FloatTensor:$epsilon,
                       Ingot_FloatTensor:$grad);
  let results = (outs Ingot_FloatTensor:$new_var, Ingot_FloatTensor:$new_accum, Ingot_FloatTensor:$new_accum_update);
}

def Ingot_ApplyAdamWithAmsgradOp : Ingot_OptimizerOp<"apply_adam_with_amsgrad"> {
  let summary = "A step of Adam that divides by the largest second moment";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyAdamWithAmsgrad` on values:
    As Adam, but var' = var - m' * alpha / (sqrt(vhat') + epsilon) with
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
  let arguments = (ins Ingot_FloatTensor:$var, Ingot_FloatTensor:$m, Ingot_FloatTensor:$v,
                       Ingot_FloatTensor:$vhat, Ingot_FloatTensor:$beta1_power,
                       Ingot_FloatTensor:$beta2_power, Ingot_FloatTensor:$lr, Ingot_FloatTensor:$beta1,
                       Ingot_FloatTensor:$beta2, Ingot_FloatTensor:$epsilon, Ingot_FloatTensor:$grad);
  let results = (outs Ingot_FloatTensor:$new_var, Ingot_FloatTensor:$new_m, Ingot_FloatTensor:$new_v, Ingot_FloatTensor:$new_vhat);
}

def Ingot_ApplyAdaMaxOp : Ingot_OptimizerOp<"apply_ada_max"> {
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
  let arguments = (ins Ingot_FloatTensor:$var, Ingot_FloatTensor:$m, Ingot_FloatTensor:$v,
                       Ingot_FloatTensor:$beta1_power, Ingot_FloatTensor:$lr, Ingot_FloatTensor:$beta1,
                       Ingot_FloatTensor:$beta2, Ingot_FloatTensor:$epsilon, Ingot_FloatTensor:$grad);
  let results = (outs Ingot_FloatTensor:$new_var, Ingot_FloatTensor:$new_m, Ingot_FloatTensor:$new_v);
}

def Ingot_ApplyKerasMomentumOp : Ingot_OptimizerOp<"apply_keras_momentum"> {
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
  let arguments = (ins Ingot_FloatTensor:$var, Ingot_FloatTensor:$accum, Ingot_FloatTensor:$lr,
                       Ingot_FloatTensor:$grad, Ingot_FloatTensor:$momentum,
                       DefaultValuedAttr<BoolAttr, "false">:$use_nesterov);
  let results = (outs Ingot_FloatTensor:$new_var, Ingot_FloatTensor:$new_accum);
}

def Ingot_ApplyFtrlOp : Ingot_OptimizerOp<"apply_ftrl"> {
  let summary = "A step of FTRL-proximal";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyFtrl` on values:
    accum' = accum + grad^2; p(a) = a^(-lr_power);
    linear' = linear + grad - (p(accum') - p(accum)) / lr * var; var' =
    (l1 * sign(linear') - linear') / (p(accum') / lr + 2 * l2) where
    |linear'| > l1, else 0. With `multiply_linear_by_lr` linear, and what it is
    compared with, are kept multiplied by lr. (McMahan et al., 2013.)

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %new_var, %new_accum, %new_linear = ingot.apply_ftrl %var, %accum, %linear, %grad, %lr, %l1, %l2, %lr_power
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>,
           tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins Ingot_FloatTensor:$var, Ingot_FloatTensor:$accum, Ingot_FloatTensor:$linear,
                       Ingot_FloatTensor:$grad, Ingot_FloatTensor:$lr, Ingot_FloatTensor:$l1,
                       Ingot_FloatTensor:$l2, Ingot_FloatTensor:$lr_power,
                       DefaultValuedAttr<BoolAttr, "false">:$multiply_linear_by_lr);
  let results = (outs Ingot_FloatTensor:$new_var, Ingot_FloatTensor:$new_accum, Ingot_FloatTensor:$new_linear);
}

def Ingot_ApplyFtrlV2Op : Ingot_OptimizerOp<"apply_ftrl_v2"> {
  let summary = "A step of FTRL-proximal with shrinkage";
  let description = [{
    The arithmetic of TensorFlow's `ResourceApplyFtrlV2` on values:
    accum' = accum + grad^2; p(a) = a^(-lr_power);
    linear' = linear + grad + 2 *
    l2_shrinkage * var - (p(accum') - p(accum)) / lr * var; var' =
    (l1 * sign(linear') - linear') / (p(accum') / lr + 2 * l2) where
    |linear'| > l1, else 0. With `multiply_linear_by_lr` linear, and what it is
    compared with, are kept multiplied by lr. (McMahan et al., 2013.)

    Constraints:
    - (optimizer_c1) variable, slots and gradient have compatible shapes and one element type.
    - (optimizer_c2) hyperparameters are scalars of that element type.

    ```mlir
    %new_var, %new_accum, %new_linear = ingot.apply_ftrl_v2 %var, %accum, %linear, %grad, %lr, %l1, %l2, %l2_shrinkage, %lr_power
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>,
           tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins Ingot_FloatTensor:$var, Ingot_FloatTensor:$accum, Ingot_FloatTensor:$linear,
                       Ingot_FloatTensor:$grad, Ingot_FloatTensor:$lr, Ingot_FloatTensor:$l1,
                       Ingot_FloatTensor:$l2, Ingot_FloatTensor:$l2_shrinkage, Ingot_FloatTensor:$lr_power,
                       DefaultValuedAttr<BoolAttr, "false">:$multiply_linear_by_lr);
  let results = (outs Ingot_FloatTensor:$new_var, Ingot_FloatTensor:$new_accum, Ingot_FloatTensor:$new_linear);
}

def Ingot_ApplyProximalGradientDescentOp : Ingot_OptimizerOp<"apply_proximal_gradient_descent"> {
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
  let arguments = (ins Ingot_FloatTensor:$var, Ingot_FloatTensor:$alpha, Ingot_FloatTensor:$l1,
                       Ingot_FloatTensor:$l2, Ingot_FloatTensor:$delta);
  let results = (outs Ingot_FloatTensor:$new_var);
}

def Ingot_ApplyProximalAdagradOp : Ingot_OptimizerOp<"apply_proximal_adagrad"> {
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
  let arguments = (ins Ingot_FloatTensor:$var, Ingot_FloatTensor:$accum, Ingot_FloatTensor:$lr,
                       Ingot_FloatTensor:$l1, Ingot_FloatTensor:$l2, Ingot_FloatTensor:$grad);
  let results = (outs Ingot_FloatTensor:$new_var, Ingot_FloatTensor:$new_accum);
}

def Ingot_ApplyAddSignOp : Ingot_OptimizerOp<"apply_add_sign"> {
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
  let arguments = (ins Ingot_FloatTensor:$var, Ingot_FloatTensor:$m, Ingot_FloatTensor:$lr,
                       Ingot_FloatTensor:$alpha, Ingot_FloatTensor:$sign_decay, Ingot_FloatTensor:$beta,
                       Ingot_FloatTensor:$grad);
  let results = (outs Ingot_FloatTensor:$new_var, Ingot_FloatTensor:$new_m);
}

def Ingot_ApplyPowerSignOp : Ingot_OptimizerOp<"apply_power_sign"> {
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
  let arguments = (ins Ingot_FloatTensor:$var, Ingot_FloatTensor:$m, Ingot_FloatTensor:$lr,
                       Ingot_FloatTensor:$logbase, Ingot_FloatTensor:$sign_decay, Ingot_FloatTensor:$beta,
                       Ingot_FloatTensor:$grad);
  let results = (outs Ingot_FloatTensor:$new_var, Ingot_FloatTensor:$new_m);
}

#endif // INGOT_DIALECTS_INGOT_OPTIMIZER_TD
