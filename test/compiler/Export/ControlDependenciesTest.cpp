//===- ControlDependenciesTest.cpp - Order of side effects ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/ControlDependencies.h"

#include <gtest/gtest.h>

using ingot::exporter::ControlDependencies;
using Nodes = ControlDependencies::Nodes;

TEST(ControlDependencies, AReadWaitsForTheLastWriteOnly) {
  ControlDependencies effects;
  effects.note("w", /*writes=*/true, "first");
  effects.note("w", /*writes=*/false, "read");
  EXPECT_EQ(effects.before("w", /*writes=*/false), Nodes{"first"});
  EXPECT_EQ(effects.before("v", /*writes=*/false), Nodes{});
}

TEST(ControlDependencies, AWriteWaitsForReadsOfWhatItOverwrites) {
  ControlDependencies effects;
  effects.note("w", /*writes=*/false, "before");
  effects.note("w", /*writes=*/true, "write");
  effects.note("w", /*writes=*/false, "after");
  EXPECT_EQ(effects.before("w", /*writes=*/true), (Nodes{"write", "after"}));
}

TEST(ControlDependencies, WhatMayTouchAnythingSeparatesAll) {
  ControlDependencies effects;
  effects.note("w", /*writes=*/true, "write");
  effects.note("v", /*writes=*/false, "read");
  EXPECT_EQ(effects.beforeAll(), (Nodes{"read", "write"}));
  effects.noteAll("loop");
  EXPECT_EQ(effects.before("w", /*writes=*/false), Nodes{"loop"});
  EXPECT_EQ(effects.before("new", /*writes=*/true), Nodes{"loop"});
  effects.note("w", /*writes=*/false, "later");
  EXPECT_EQ(effects.before("w", /*writes=*/true), (Nodes{"loop", "later"}));
}

TEST(ControlDependencies, ReadsNeedNotRun) {
  ControlDependencies effects;
  effects.note("w", /*writes=*/false, "read");
  effects.note("w", /*writes=*/true, "write");
  effects.noteAll("save");
  EXPECT_EQ(effects.required(), (Nodes{"write", "save"}));
}
