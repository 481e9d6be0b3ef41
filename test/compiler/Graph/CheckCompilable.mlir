// SPDX-License-Identifier: Apache-2.0
// All errors are reported at once.
// RUN: ingot-opt %s -ingot-check-compilable -verify-diagnostics -split-input-file

// Every problem of every entry is reported, those of feeds first.
// expected-error @+2 {{feed has unknown rank}}
// expected-error @+1 {{feed has unsupported element type 'f80'}}
func.func private @first(%x: tensor<*xf32>, %c: tensor<2xf80>) -> tensor<*xf32> {
  // expected-error @+1 {{result has unknown rank}}
  %0 = ingot.add %x, %x : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}
// expected-error @+1 {{feed has unknown rank}}
ingot.entry @second role(evaluate) feeds ["x:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<*xf32>):
  // expected-error @+1 {{result has unknown rank}}
  %0 = ingot.neg %x : (tensor<*xf32>) -> tensor<*xf32>
  ingot.return
}

// -----

// A dataset is built before anything is fed.
ingot.iterator @unknown_size : [tensor<?xi64>] {
  %n = ingot.constant dense<[4]> : tensor<1xi64>
  %one = ingot.constant dense<1> : tensor<i64>
  %0 = ingot.tensor_dataset(%n) : (tensor<1xi64>) -> !ingot.dataset<tensor<1xi64>>
  %size = ingot.neg %one : (tensor<i64>) -> tensor<i64>
  // expected-error @+1 {{dataset operand 1 is not constant}}
  %1 = ingot.repeat_dataset(%0, %size) : (!ingot.dataset<tensor<1xi64>>, tensor<i64>) -> !ingot.dataset<tensor<1xi64>>
  ingot.yield %1 : !ingot.dataset<tensor<1xi64>>
}

// -----

// Compilable: static and dynamic shapes, constant operands of datasets,
// constant strings.
ingot.entry @fine role(step) feeds ["x:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<2xf64>):
  %0 = ingot.add %x, %x : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %1 = ingot.less %x, %0 : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
  ingot.return
}
ingot.entry @open role(step) feeds ["x:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<?xf64>):
  %0 = ingot.add %x, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  ingot.return
}
ingot.iterator @constant_size : [tensor<1xi64>] {
  %n = ingot.constant dense<[4]> : tensor<1xi64>
  %size = ingot.constant dense<2> : tensor<i64>
  %0 = ingot.tensor_dataset(%n) : (tensor<1xi64>) -> !ingot.dataset<tensor<1xi64>>
  %1 = ingot.repeat_dataset(%0, %size) : (!ingot.dataset<tensor<1xi64>>, tensor<i64>) -> !ingot.dataset<tensor<1xi64>>
  ingot.yield %1 : !ingot.dataset<tensor<1xi64>>
}

// -----

// Loop-carried values are checked as well.
ingot.entry @state role(evaluate) feeds ["c:0"] fetches [] variables [] updates [] {
^bb0(%c: tensor<i1>):
  %x = ingot.constant dense<0.0> : tensor<f32>
  // expected-error @+2 {{result has unknown rank}}
  // expected-error @+1 {{loop-carried value has unknown rank}}
  %0 = ingot.while(%x) : (tensor<f32>) -> tensor<*xf32> test {
  ^bb0(%y: tensor<*xf32>):
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%y: tensor<*xf32>):
    // expected-error @+1 {{result has unknown rank}}
    %1 = ingot.neg %y : (tensor<*xf32>) -> tensor<*xf32>
    ingot.result %1 : tensor<*xf32>
  }
  ingot.return
}

// -----

// TensorLists do not outlive an entry's run.
// expected-error @+1 {{cannot feed a variant, such as a TensorList}}
ingot.entry @fed role(evaluate) feeds ["l:0"] fetches [] variables [] updates [] {
^bb0(%l: tensor<!ingot.variant>):
  ingot.return
}
ingot.entry @fetched role(evaluate) feeds ["x:0"] fetches ["l:0"] variables [] updates [] {
^bb0(%x: tensor<3xf32>):
  // expected-error @+1 {{cannot fetch a variant, such as a TensorList: stack the list's elements first}}
  %l = ingot.optional_from_value %x : (tensor<3xf32>) -> tensor<!ingot.variant>
  ingot.return %l : tensor<!ingot.variant>
}
ingot.entry @computed role(evaluate) feeds ["x:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<3xf32>):
  %l = ingot.optional_from_value %x : (tensor<3xf32>) -> tensor<!ingot.variant>
  // expected-error @+1 {{op does not accept variants, such as TensorLists}}
  %y = ingot.equal %l, %l : (tensor<!ingot.variant>, tensor<!ingot.variant>) -> tensor<i1>
  ingot.return
}
