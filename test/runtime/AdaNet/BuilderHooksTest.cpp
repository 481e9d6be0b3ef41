//===- BuilderHooksTest.cpp - Hooks of an iteration's builders ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/BuilderHooks.h"
#include "runtime/AdaNet/JsonFile.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::adanet;
using namespace ingot::test;

namespace {

TEST(BuilderHooks, WorkersLeaveOutThoseOfTheChief) {
  FaultFileSystem files({".", "run"});
  auto none = readBuilderHooks(files, "run/hooks.json", true);
  ASSERT_TRUE(none) << none.status().message();
  EXPECT_TRUE(none->empty());
  ASSERT_TRUE(
      writeSmallFile(files, "run", "hooks.json",
                     R"({"hooks": [{"library": "a.so", "arguments": "x,y"},)"
                     R"({"library": "b.so", "chief_only": true},)"
                     R"({"library": "c.so", "chief_only": false}]})")
          .isOk());
  using Hooks = std::vector<std::string>;
  auto chief = readBuilderHooks(files, "run/hooks.json", true);
  ASSERT_TRUE(chief) << chief.status().message();
  EXPECT_EQ(*chief, (Hooks{"a.so:x,y", "b.so", "c.so"}));
  auto worker = readBuilderHooks(files, "run/hooks.json", false);
  ASSERT_TRUE(worker) << worker.status().message();
  EXPECT_EQ(*worker, (Hooks{"a.so:x,y", "c.so"}));
}

TEST(BuilderHooks, DamagedFilesAreNamed) {
  FaultFileSystem files({".", "run"});
  for (const char *text :
       {"{", "[]", "{}", R"({"hooks": {}})", R"({"hooks": [{}]})",
        R"({"hooks": [1]})", R"({"hooks": [{"library": 1}]})"}) {
    ASSERT_TRUE(writeSmallFile(files, "run", "hooks.json", text).isOk());
    auto hooks = readBuilderHooks(files, "run/hooks.json", true);
    ASSERT_FALSE(hooks) << text;
    EXPECT_EQ(hooks.status().code(), StatusCode::DataLoss) << text;
    EXPECT_NE(hooks.status().message().find("run/hooks.json"),
              std::string::npos)
        << hooks.status().message();
  }
}

} // namespace
