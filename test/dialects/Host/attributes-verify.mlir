// SPDX-License-Identifier: Apache-2.0
// What the descriptions of entries and functions must hold.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (host_entry_c1)
// expected-error @+1 {{expected one type for each of the 2 feeds, but got 1 types}}
func.func private @a_type_for_each_feed() attributes {host.entry = #host.entry<name = "e", role = step, feeds = ["x", "y"], feed_types = [tensor<4xf32>], fetches = [], fetch_types = [], assigned = []>}

// -----

// (host_entry_c1)
// expected-error @+1 {{the name of a feed or fetch must be a string}}
func.func private @names_are_strings() attributes {host.entry = #host.entry<name = "e", role = step, feeds = [1], feed_types = [tensor<4xf32>], fetches = [], fetch_types = [], assigned = []>}

// -----

// (host_entry_c2)
// expected-error @+1 {{the type of a feed or fetch must be a ranked tensor, but is f32}}
func.func private @types_are_of_tensors() attributes {host.entry = #host.entry<name = "e", role = step, feeds = ["x"], feed_types = [f32], fetches = [], fetch_types = [], assigned = []>}

// -----

// (host_entry_c3)
// expected-error @+1 {{'assigned' lists variable 1 twice}}
func.func private @assigned_once() attributes {host.entry = #host.entry<name = "e", role = step, feeds = [], feed_types = [], fetches = [], fetch_types = [], assigned = [1, 1]>}

// -----

// (host_entry_c7)
// expected-error @+1 {{'changed_tables' must list indices of lookup tables, but lists -1}}
func.func private @tables_by_index() attributes {host.entry = #host.entry<name = "e", role = step, feeds = [], feed_types = [], fetches = [], fetch_types = [], assigned = [], changed_tables = [-1]>}

// -----

// (host_entry_c7)
// expected-error @+1 {{'changed_tables' lists lookup table 0 twice}}
func.func private @tables_once() attributes {host.entry = #host.entry<name = "e", role = step, feeds = [], feed_types = [], fetches = [], fetch_types = [], assigned = [], changed_tables = [0, 0]>}

// -----

// (host_function_c1)
// expected-error @+1 {{the type of a feed or fetch must be a ranked tensor, but is f32}}
func.func private @functions_types_are_of_tensors() attributes {host.function = #host.function<feed_types = [f32], fetch_types = [], positions = 0, seeds = 0>}

// -----

// (host_function_c2)
// expected-error @+1 {{positions = 1 and seeds = 1 require at least 2 feeds and 1 fetches, but the function has 1 feeds and 1 fetches}}
func.func private @states_are_feeds() attributes {host.function = #host.function<feed_types = [tensor<4xf32>], fetch_types = [tensor<4xf32>], positions = 1, seeds = 1>}

// -----

// (host_function_c2)
// expected-error @+1 {{expected one feed for each of the 2 variables, besides the 0 feeds of random ops, but the function has only 1 feeds}}
func.func private @variables_are_feeds() attributes {host.function = #host.function<feed_types = [tensor<4xf32>], fetch_types = [], positions = 0, seeds = 0, variables = [0, 1]>}

// -----

// (host_function_c3)
// expected-error @+1 {{'parsed' must have one number for each of the 1 fetches, but has 2}}
func.func private @a_feature_for_each_fetch() attributes {host.function = #host.function<feed_types = [tensor<4xf32>], fetch_types = [tensor<4xf32>], positions = 0, seeds = 0, parsed = [0, 0]>}

// -----

// (host_entry_c4)
// expected-error @+1 {{argument 1 has the same 'host.variable' as an earlier argument: 0}}
func.func @each_variable_once(%x: memref<f32> {host.variable = 0 : i32}, %y: memref<f32> {host.variable = 0 : i32})
    attributes {host.entry = #host.entry<name = "e", role = step, feeds = [], feed_types = [], fetches = [], fetch_types = [], assigned = []>} {
  return
}

// -----

// (host_entry_c4)
// expected-error @+1 {{argument 0 must have a non-negative i32 as 'host.feed'}}
func.func private @numbers_are_i32(memref<f32> {host.feed = 0 : i64})

// -----

// (host_entry_c4)
// expected-error @+1 {{argument 0 must not be both}}
func.func private @one_kind(memref<f32> {host.feed = 0 : i32, host.variable = 0 : i32})

// -----

// (host_entry_c5)
// expected-error @+1 {{argument 0 has 'host.feed' 1, but the function has only 1 feeds and 0 fetches}}
func.func @feeds_are_described(%x: memref<4xf32> {host.feed = 1 : i32})
    attributes {host.entry = #host.entry<name = "e", role = step, feeds = ["x"], feed_types = [tensor<4xf32>], fetches = [], fetch_types = [], assigned = []>} {
  return
}

// -----

// expected-error @+1 {{has 'host.entry' of the wrong type: host.entry must be #host.entry}}
func.func private @a_dictionary() attributes {host.entry = {}}

// -----

// (host_entry_c6)
// expected-error @+1 {{an entry of role metrics must have the parameter 'of'}}
func.func private @an_owner_for_metrics() attributes {host.entry = #host.entry<name = "e", role = metrics, feeds = [], feed_types = [], fetches = [], fetch_types = [], assigned = []>}

// -----

// (host_entry_c6)
// expected-error @+1 {{an entry of role step must not have the parameter 'of'}}
func.func private @no_owner_for_a_step() attributes {host.entry = #host.entry<name = "e", role = step, feeds = [], feed_types = [], fetches = [], fetch_types = [], assigned = [], of = @no_owner_for_a_step>}

// -----

// (host_entry_c6)
// expected-error @+1 {{an entry of role member_state must have the parameter 'member'}}
func.func private @a_member_for_its_state() attributes {host.entry = #host.entry<name = "e", role = member_state, feeds = [], feed_types = [], fetches = [], fetch_types = [], assigned = [], of = @step>}

// -----

// (host_entry_c6)
// expected-error @+1 {{'place' must have 2 elements, the index of a process and the number of processes, but has 1}}
func.func private @a_place_has_two_numbers() attributes {host.entry = #host.entry<name = "e", role = placed_step, feeds = [], feed_types = [], fetches = [], fetch_types = [], assigned = [], of = @step, place = [1]>}

// -----

// (host_entry_c6)
func.func private @evaluate() attributes {host.entry = #host.entry<name = "evaluate", role = evaluate, feeds = [], feed_types = [], fetches = [], fetch_types = [], assigned = []>}
// expected-error @+1 {{is an entry of role partial_step, so 'of' must name an entry of role step, but names @evaluate}}
func.func private @some() attributes {host.entry = #host.entry<name = "some", role = partial_step, feeds = [], feed_types = [], fetches = [], fetch_types = [], assigned = [], of = @evaluate>}

// -----

// (host_entry_c6)
func.func private @kernel()
// expected-error @+1 {{is an entry of role defaults, so 'of' must name an entry of role step, but names @kernel}}
func.func private @defaults() attributes {host.entry = #host.entry<name = "e", role = defaults, feeds = [], feed_types = [], fetches = [], fetch_types = [], assigned = [], of = @kernel>}
