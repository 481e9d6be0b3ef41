// SPDX-License-Identifier: Apache-2.0
// Constraints of variables, iterators, savers, entries and fusions.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (variable_c1)
// expected-error @+1 {{a variable must have a ranked type of static shape, but has type 'tensor<?xf32>'}}
ingot.variable @w : tensor<?xf32>

// -----

// (variable_c1)
// expected-error @+1 {{a variable must have a ranked type of static shape, but has type 'tensor<*xf32>'}}
ingot.variable @w : tensor<*xf32>

// -----

// (iterator_c1)
// expected-error @+1 {{the region must end in ingot.yield of one dataset}}
ingot.iterator @it : [tensor<2xf32>] {
  %x = ingot.constant dense<[1.0, 2.0]> : tensor<2xf32>
}

// -----

// (iterator_c2)
// expected-error @+1 {{elements are ('tensor<3xf32>'), but the dataset's are ('tensor<2xf32>')}}
ingot.iterator @it : [tensor<3xf32>] {
  %x = ingot.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = ingot.tensor_dataset(%x) : (tensor<2xf32>) -> !ingot.dataset<tensor<2xf32>>
  // expected-note @+1 {{the dataset is yielded here}}
  ingot.yield %0 : !ingot.dataset<tensor<2xf32>>
}

// -----

// (saver_c1)
// expected-error @+1 {{@w is neither a variable nor an iterator of the program}}
ingot.saver @save [#ingot.saved<"w", @w, "", 0>]
    {filename = "model", num_shards = 1 : i32, max_to_keep = 5 : i32, keep_checkpoint_every_n_hours = 10000.0 : f32}

// -----

// (saver_c1)
func.func private @f()
// expected-error @+1 {{@f is neither a variable nor an iterator of the program}}
ingot.saver @save [#ingot.saved<"w", @f, "", 0>]
    {filename = "model", num_shards = 1 : i32, max_to_keep = 5 : i32, keep_checkpoint_every_n_hours = 10000.0 : f32}

// -----

// (saver_c2)
ingot.variable @w : tensor<f32>
// expected-error @+1 {{the shard of 'w' must be less than 'num_shards', 2, but is 2}}
ingot.saver @save [#ingot.saved<"w", @w, "", 2>]
    {filename = "model", num_shards = 2 : i32, max_to_keep = 5 : i32, keep_checkpoint_every_n_hours = 10000.0 : f32}

// -----

// (saver_c2)
ingot.variable @w : tensor<f32>
// expected-error @+1 {{the shard of 'w' must be less than 'num_shards', -1, but is 0}}
ingot.saver @save [#ingot.saved<"w", @w, "", 0>]
    {filename = "model", num_shards = -1 : i32, max_to_keep = 5 : i32, keep_checkpoint_every_n_hours = 10000.0 : f32}

// -----

// (saver_c3)
ingot.variable @w : tensor<f32>
// expected-error @+1 {{saves 'w' twice with the same slice, ''}}
ingot.saver @save [#ingot.saved<"w", @w, "", 0>, #ingot.saved<"w", @w, "", 0>]
    {filename = "model", num_shards = 1 : i32, max_to_keep = 5 : i32, keep_checkpoint_every_n_hours = 10000.0 : f32}

// -----

// (entry_c1)
// expected-error @+1 {{the block has 1 arguments, but there are 0 variables and 2 feeds}}
ingot.entry @e role(other) feeds ["x:0", "y:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<f32>):
  ingot.return
}

// -----

// (entry_c2)
// expected-note @+1 {{the entry is declared here}}
ingot.entry @e role(other) feeds [] fetches ["x:0"] variables [] updates [] {
  // expected-error @+1 {{returns 0 values, but there are 1 fetches and 0 updates}}
  ingot.return
}

// -----

// (entry_c2)
// expected-error @+1 {{the region must end in ingot.return}}
ingot.entry @e role(other) feeds [] fetches [] variables [] updates [] {
  %x = ingot.constant dense<1.0> : tensor<f32>
}

// -----

// (entry_c3)
// expected-error @+1 {{@w is not a variable of the program}}
ingot.entry @e role(other) feeds [] fetches [] variables [@w] updates [] {
^bb0(%x: tensor<f32>):
  ingot.return
}

// -----

// (entry_c3)
// expected-note @+1 {{the variable is declared here}}
ingot.variable @w : tensor<4xf32>
// expected-error @+1 {{has a value of type 'tensor<f32>' for @w, which is of type 'tensor<4xf32>'}}
ingot.entry @e role(other) feeds [] fetches [] variables [] updates [@w] {
  %x = ingot.constant dense<1.0> : tensor<f32>
  ingot.return %x : tensor<f32>
}

// -----

// (fusion_c1)
func.func @fusion_types(%x: tensor<4xf32>) {
  // expected-error @+1 {{has results ('tensor<2xf32>'), but returns ('tensor<4xf32>')}}
  %0 = ingot.fusion "relu" -> tensor<2xf32> {
    %1 = ingot.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    // expected-note @+1 {{the values are returned here}}
    ingot.return %1 : tensor<4xf32>
  }
  return
}

// -----

// (fusion_c1)
func.func @fusion_returns(%x: tensor<4xf32>) {
  // expected-error @+1 {{the region must end in ingot.return}}
  ingot.fusion "relu" {
    %1 = ingot.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  }
  return
}

// -----

// (saver_c4)
// expected-error @+1 {{'ingot.reshape' must be a unit attribute, but is true}}
ingot.saver @save []
    {filename = "model", num_shards = 1 : i32, max_to_keep = 5 : i32, keep_checkpoint_every_n_hours = 10000.0 : f32, ingot.reshape = true}

// -----

// (saver_c5)
// expected-error @+1 {{'ingot.constants' must be a dictionary of strings, but is {a = 1 : i64}}}
ingot.saver @save []
    {filename = "model", num_shards = 1 : i32, max_to_keep = 5 : i32, keep_checkpoint_every_n_hours = 10000.0 : f32, ingot.constants = {a = 1}}

// -----

// (saver_c5)
// expected-error @+1 {{'ingot.constants' must be a dictionary of strings, but is "a"}}
ingot.saver @save []
    {filename = "model", num_shards = 1 : i32, max_to_keep = 5 : i32, keep_checkpoint_every_n_hours = 10000.0 : f32, ingot.constants = "a"}

// -----

// expected-error @+1 {{unknown entry role 'trained'}}
ingot.entry @e role(trained) feeds [] fetches [] variables [] updates [] {
  ingot.return
}

// -----

// (entry_c4)
// expected-error @+1 {{of role metrics must name an entry of role evaluate in an 'of @entry' clause}}
ingot.entry @e role(metrics) feeds [] fetches [] variables [] updates [] {
  ingot.return
}

// -----

// (entry_c4)
// expected-error @+1 {{of role partial_step must name an entry of role step in an 'of @entry' clause}}
ingot.entry @e role(partial_step of @missing) feeds [] fetches [] variables [] updates [] {
  ingot.return
}

// -----

// (entry_c4)
// expected-note @+2 {{@e is of role defaults}}
// expected-error @+1 {{of role defaults must name an entry of role step in an 'of @entry' clause}}
ingot.entry @e role(defaults of @e) feeds [] fetches [] variables [] updates [] {
  ingot.return
}

// -----

// (entry_c4)
ingot.variable @w : tensor<f32>
// expected-error @+1 {{of role defaults must name an entry of role step in an 'of @entry' clause}}
ingot.entry @e role(defaults of @w) feeds [] fetches [] variables [] updates [] {
  ingot.return
}

// -----

// (entry_c4)
// expected-note @+1 {{@evaluation is of role evaluate}}
ingot.entry @evaluation role(evaluate) feeds [] fetches [] variables [] updates [] {
  ingot.return
}
// expected-error @+1 {{of role member_state must name an entry of role step in an 'of @entry' clause}}
ingot.entry @e role(member_state of @evaluation for "t0_a") feeds [] fetches [] variables [] updates [] {
  ingot.return
}

// -----

// (entry_c4)
ingot.entry @step role(step) feeds [] fetches [] variables [] updates [] {
  ingot.return
}
// expected-error @+1 {{of role other must not have an 'of @entry' clause}}
ingot.entry @e role(other of @step) feeds [] fetches [] variables [] updates [] {
  ingot.return
}

// -----

// (entry_c5)
// expected-error @+1 {{of role member_step must name its member or ensemble}}
ingot.entry @e role(member_step of @e) feeds [] fetches [] variables [] updates [] {
  ingot.return
}

// -----

// (entry_c5)
// expected-error @+1 {{of role member_state must name its member or ensemble}}
ingot.entry @e role(member_state of @e for "") feeds [] fetches [] variables [] updates [] {
  ingot.return
}

// -----

// (entry_c5)
// expected-error @+1 {{of role grow must not name a member or ensemble}}
ingot.entry @e role(grow for "t0_a") feeds [] fetches [] variables [] updates [] {
  ingot.return
}

// -----

// (entry_c5)
// expected-error @+1 {{of role placed_step requires 'place N of M' with 0 <= N < M and 2 <= M <= 65536}}
ingot.entry @e role(placed_step of @e) feeds [] fetches [] variables [] updates [] {
  ingot.return
}

// -----

// (entry_c5)
// expected-error @+1 {{of role placed_step requires 'place N of M' with 0 <= N < M and 2 <= M <= 65536}}
ingot.entry @e role(placed_step of @e place 2 of 2) feeds [] fetches [] variables [] updates [] {
  ingot.return
}

// -----

// (entry_c5)
// expected-error @+1 {{of role placed_step requires 'place N of M' with 0 <= N < M and 2 <= M <= 65536}}
ingot.entry @e role(placed_step of @e place 0 of 1) feeds [] fetches [] variables [] updates [] {
  ingot.return
}

// -----

// (entry_c5)
// expected-error @+1 {{of role step must not have 'place': only roles for one of several processes have one}}
ingot.entry @e role(step place 0 of 2) feeds [] fetches [] variables [] updates [] {
  ingot.return
}

// -----

// (iterator_c3)
// expected-error @+1 {{'ingot.made_into' must name an iterator of the program, but is @first}}
ingot.iterator @it : [tensor<2xf32>] attributes {ingot.made_into = @first} {
  %x = ingot.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = ingot.tensor_dataset(%x) : (tensor<2xf32>) -> !ingot.dataset<tensor<2xf32>>
  ingot.yield %0 : !ingot.dataset<tensor<2xf32>>
}

// -----

// (saver_c6)
ingot.table @t : i64 to tensor<f32>
// expected-error @+1 {{'ingot.tables' must be an array of dictionaries with table, keys, values and a shard below num_shards}}
ingot.saver @s [] {filename = "model", num_shards = 1 : i32, max_to_keep = 5 : i32, keep_checkpoint_every_n_hours = 10000.0 : f32,
                   ingot.tables = [{table = @t, keys = "t-keys", values = "t-values", shard = 1 : i32}]}

// -----

// (saver_c7)
ingot.table @t : i64 to tensor<f32> {initialized_once}
// expected-error @+1 {{@t is initialized once and never changes, so it must not be saved}}
ingot.saver @s [] {filename = "model", num_shards = 1 : i32, max_to_keep = 5 : i32, keep_checkpoint_every_n_hours = 10000.0 : f32,
                   ingot.tables = [{table = @t, keys = "t-keys", values = "t-values", shard = 0 : i32}]}

// -----

// expected-error @+1 {{must not have the attribute 'ingot.loss': write 'ingot.program = #ingot.program<loss = ...>' instead}}
module attributes {ingot.loss = "loss"} {
}

// -----

// expected-error @+1 {{attribute 'ingot.program' must be an #ingot.program<...>}}
module attributes {ingot.program = "loss"} {
}
