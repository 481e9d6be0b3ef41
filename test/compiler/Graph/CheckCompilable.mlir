// The front door's last gate refuses everything at once.
// RUN: ingot-opt %s -ingot-check-compilable -verify-diagnostics -split-input-file

// Every problem of every entry is reported, of what is fed first.
// expected-error @+2 {{the number of dimensions of a tensor that is fed is not known before run time}}
// expected-error @+1 {{a tensor that is fed has elements of type 'complex<f32>', for which no code is generated}}
func.func private @first(%x: tensor<*xf32>, %c: tensor<2xcomplex<f32>>) -> tensor<*xf32> {
  // expected-error @+1 {{the number of dimensions of its result is not known before run time}}
  %0 = ingot.add %x, %x : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}
// expected-error @+1 {{the number of dimensions of a tensor that is fed is not known before run time}}
ingot.entry @second role(evaluate) feeds ["x:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<*xf32>):
  // expected-error @+1 {{the number of dimensions of its result is not known before run time}}
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
  // expected-error @+1 {{operand 1 of the dataset is not a constant}}
  %1 = ingot.repeat_dataset(%0, %size) : (!ingot.dataset<tensor<1xi64>>, tensor<i64>) -> !ingot.dataset<tensor<1xi64>>
  ingot.yield %1 : !ingot.dataset<tensor<1xi64>>
}

// -----

// What compiles passes: static and open shapes, constant sizes of datasets, strings as
// constants.
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

// What a loop hands on is looked at as well.
ingot.entry @state role(evaluate) feeds ["c:0"] fetches [] variables [] updates [] {
^bb0(%c: tensor<i1>):
  %x = ingot.constant dense<0.0> : tensor<f32>
  // expected-error @+2 {{the number of dimensions of its result is not known before run time}}
  // expected-error @+1 {{the number of dimensions of the state of its loop is not known before run time}}
  %0 = ingot.while(%x) : (tensor<f32>) -> tensor<*xf32> test {
  ^bb0(%y: tensor<*xf32>):
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%y: tensor<*xf32>):
    // expected-error @+1 {{the number of dimensions of its result is not known before run time}}
    %1 = ingot.neg %y : (tensor<*xf32>) -> tensor<*xf32>
    ingot.result %1 : tensor<*xf32>
  }
  ingot.return
}

// -----

// Lists are gone when the entry has run.
// expected-error @+1 {{a list of tensors cannot be fed}}
ingot.entry @fed role(evaluate) feeds ["l:0"] fetches [] variables [] updates [] {
^bb0(%l: tensor<!ingot.variant>):
  ingot.return
}
ingot.entry @fetched role(evaluate) feeds ["x:0"] fetches ["l:0"] variables [] updates [] {
^bb0(%x: tensor<3xf32>):
  // expected-error @+1 {{a list of tensors cannot be fetched; its elements, stacked, can}}
  %l = ingot.optional_from_value %x : (tensor<3xf32>) -> tensor<!ingot.variant>
  ingot.return %l : tensor<!ingot.variant>
}
ingot.entry @computed role(evaluate) feeds ["x:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<3xf32>):
  %l = ingot.optional_from_value %x : (tensor<3xf32>) -> tensor<!ingot.variant>
  // expected-error @+1 {{lists of tensors cannot be computed with}}
  %y = ingot.equal %l, %l : (tensor<!ingot.variant>, tensor<!ingot.variant>) -> tensor<i1>
  ingot.return
}
