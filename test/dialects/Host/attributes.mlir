// SPDX-License-Identifier: Apache-2.0
// Descriptions of entries and functions are read as they are printed.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK: func.func private @step(memref<4xf32> {host.variable = 3 : i32}, memref<4xf32> {host.feed = 0 : i32})
// CHECK-SAME: #host.entry<name = "train/step", role = after_step, feeds = ["x:0"], feed_types = [tensor<4xf32>], fetches = [], fetch_types = [], assigned = [3]>
func.func private @step(memref<4xf32> {host.variable = 3 : i32}, memref<4xf32> {host.feed = 0 : i32})
    attributes {host.entry = #host.entry<name = "train/step", role = after_step, feeds = ["x:0"], feed_types = [tensor<4xf32>], fetches = [], fetch_types = [], assigned = [3]>}

// CHECK: func.func private @state()
// CHECK-SAME: role = member_state, feeds = [], feed_types = [], fetches = [], fetch_types = [], assigned = [], of = @train, member = "t0_a">
func.func private @state()
    attributes {host.entry = #host.entry<name = "state/t0_a", role = member_state, feeds = [], feed_types = [], fetches = [], fetch_types = [], assigned = [], of = @train, member = "t0_a">}

// CHECK: func.func private @part()
// CHECK-SAME: of = @train, place = [1, 3]>
func.func private @part()
    attributes {host.entry = #host.entry<name = "place/1/3", role = placed_step, feeds = [], feed_types = [], fetches = [], fetch_types = [], assigned = [], of = @train, place = [1, 3]>}

// CHECK: func.func private @maps
// CHECK-SAME: #host.function<feed_types = [tensor<!ingot.string>], fetch_types = [tensor<4xf32>], positions = 0, seeds = 0, parsed = [-1]>
func.func private @maps()
    attributes {host.function = #host.function<feed_types = [tensor<!ingot.string>], fetch_types = [tensor<4xf32>], positions = 0, seeds = 0, parsed = [-1]>}

// CHECK: func.func private @draws
// CHECK-SAME: positions = 1, seeds = 1>
func.func private @draws()
    attributes {host.function = #host.function<feed_types = [tensor<2xi64>, tensor<2xi64>], fetch_types = [tensor<2xi64>], positions = 1, seeds = 1>}
