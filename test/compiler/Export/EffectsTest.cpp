//===- EffectsTest.cpp - Control edges keep the order of effects ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/Effects.h"

#include <gtest/gtest.h>

using ingot::exporter::Effects;
using Nodes = Effects::Nodes;

TEST(Effects, AReadWaitsForTheLastWriteOnly) {
  Effects effects;
  effects.note("w", /*writes=*/true, "first");
  effects.note("w", /*writes=*/false, "read");
  EXPECT_EQ(effects.before("w", /*writes=*/false), Nodes{"first"});
  EXPECT_EQ(effects.before("v", /*writes=*/false), Nodes{});
}

TEST(Effects, AWriteWaitsForReadsOfWhatItOverwrites) {
  Effects effects;
  effects.note("w", /*writes=*/false, "before");
  effects.note("w", /*writes=*/true, "write");
  effects.note("w", /*writes=*/false, "after");
  EXPECT_EQ(effects.before("w", /*writes=*/true), (Nodes{"write", "after"}));
}

TEST(Effects, WhatMayTouchAnythingSeparatesAll) {
  Effects effects;
  effects.note("w", /*writes=*/true, "write");
  effects.note("v", /*writes=*/false, "read");
  EXPECT_EQ(effects.beforeAll(), (Nodes{"read", "write"}));
  effects.noteAll("loop");
  EXPECT_EQ(effects.before("w", /*writes=*/false), Nodes{"loop"});
  EXPECT_EQ(effects.before("new", /*writes=*/true), Nodes{"loop"});
  effects.note("w", /*writes=*/false, "later");
  EXPECT_EQ(effects.before("w", /*writes=*/true), (Nodes{"loop", "later"}));
}

TEST(Effects, ReadsNeedNotRun) {
  Effects effects;
  effects.note("w", /*writes=*/false, "read");
  effects.note("w", /*writes=*/true, "write");
  effects.noteAll("save");
  EXPECT_EQ(effects.required(), (Nodes{"write", "save"}));
}
