//===- ArtifactCacheTest.cpp - The cache of linked trainers ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/ArtifactCache.h"

#include "codegen/CPU/CPUBackend.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <functional>

using namespace ingot;
using namespace ingot::driver;
using namespace llvm;

namespace {

class ArtifactCacheTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("ingot-artifacts", folder));
    ASSERT_FALSE(sys::fs::create_directory(path("sdk")));
    write(path("sdk") + "/libingot_rt.a", "the runtime");
    write(path("trainer"), "the trainer");
  }
  void TearDown() override { (void)sys::fs::remove_directories(folder); }

  std::string path(StringRef name) const {
    SmallString<128> joined(folder);
    sys::path::append(joined, name);
    return joined.str().str();
  }
  static void write(const std::string &file, StringRef text) {
    std::error_code error;
    raw_fd_ostream(file, error) << text;
    ASSERT_FALSE(error);
  }

  CompileOptions
  makeOptions(const OptionalPassSet &rewrites = OptionalPassSet::all()) const {
    CompileOptions options;
    options.input = "graph.mlir";
    options.program = "module {}";
    options.output = path("trainer");
    options.sdk = path("sdk");
    options.backends.push_back(cpu::createBackend(
        "x86-64-v3", /*sanitizesAddresses=*/false, rewrites));
    Expected<KernelCache> opened = KernelCache::open(path("cache"));
    EXPECT_TRUE(bool(opened));
    options.cache = *opened;
    return options;
  }

  /// Options for a graph in a file, which has the hash "1".
  CompileOptions makeGraphOptions() const {
    CompileOptions options = makeOptions();
    options.program.clear();
    return options;
  }
  static std::optional<std::string>
  reuse(const CompileOptions &options,
        importer::GraphFile::Kind kind = importer::GraphFile::MetaGraph,
        StringRef hash = "1") {
    return cacheOf(options, kind, hash).reuse();
  }
  static ArtifactCache cacheOf(const CompileOptions &options,
                               importer::GraphFile::Kind kind,
                               StringRef hash = "1") {
    importer::GraphFile file;
    file.kind = kind;
    file.hash = hash.str();
    ArtifactCache cache(options);
    cache.setGraph(file);
    return cache;
  }

  SmallString<128> folder;
};

TEST_F(ArtifactCacheTest, ATrainerIsReusedForTheSameOptionsOnly) {
  CompileOptions kept = makeOptions();
  ASSERT_FALSE(ArtifactCache(kept).reuse());
  ArtifactCache(kept).keep("");
  CompileOptions same = makeOptions();
  EXPECT_TRUE(ArtifactCache(same).reuse());
  CompileOptions reference = makeOptions(OptionalPassSet::none());
  EXPECT_FALSE(ArtifactCache(reference).reuse()) << "--reference";
  const std::pair<const char *, std::function<void(CompileOptions &)>>
      others[] = {
          {"--parallel", [](CompileOptions &o) { o.isParallel = true; }},
          {"-O1", [](CompileOptions &o) { o.optimization = 1; }},
          {"--tune", [](CompileOptions &o) { o.tuneSeconds = 2; }},
          {"--strip", [](CompileOptions &o) { o.strip = true; }},
          {"--loss", [](CompileOptions &o) { o.loss = "loss:0"; }},
          {"no graph", [](CompileOptions &o) { o.embedGraph = false; }},
      };
  for (const auto &[flag, change] : others) {
    CompileOptions other = makeOptions();
    change(other);
    EXPECT_FALSE(ArtifactCache(other).reuse()) << flag;
  }
  CompileOptions two = makeOptions(), four = makeOptions();
  two.isParallel = four.isParallel = true;
  two.slices = 2;
  four.slices = 4;
  ArtifactCache(two).keep("");
  EXPECT_TRUE(ArtifactCache(two).reuse());
  EXPECT_FALSE(ArtifactCache(four).reuse()) << "--slices";
}

TEST_F(ArtifactCacheTest, AGraphsTrainerIsReusedForTheSameImportOnly) {
  CompileOptions kept = makeGraphOptions();
  kept.import.observe = {"ab", "c"};
  ASSERT_FALSE(reuse(kept));
  cacheOf(kept, importer::GraphFile::MetaGraph).keep("1a warning");
  EXPECT_EQ(reuse(kept), "1a warning");
  EXPECT_FALSE(reuse(kept, importer::GraphFile::MetaGraph, "2"));
  const std::pair<const char *, std::function<void(CompileOptions &)>>
      others[] = {
          {"names", [](auto &o) { o.import.observe = {"a", "bc"}; }},
          {"--step", [](auto &o) { o.import.step = {"c"}; }},
          {"--after-step", [](auto &o) { o.import.afterStep = {"c"}; }},
          {"--only", [](auto &o) { o.import.only = {"c"}; }},
          {"--without", [](auto &o) { o.import.without = {"c"}; }},
          {"--feeds", [](auto &o) { o.import.feeds = {"c"}; }},
          {"--iterator", [](auto &o) { o.import.iterators = {"c"}; }},
          {"--saver", [](auto &o) { o.import.saver = "c"; }},
          {"--upgrade-savers", [](auto &o) { o.import.upgradeSavers = true; }},
          {"--import-scope", [](auto &o) { o.import.importScope = "c"; }},
          {"--entry", [](auto &o) { o.import.entries = {{"e", {"a"}, {}}}; }},
          {"--shape", [](auto &o) { o.import.shapes = {{"a", {2, -1}}}; }},
          {"--loss", [](auto &o) { o.loss = "loss:0"; }},
          {"--threads-default", [](auto &o) { o.defaultThreads = 2; }},
          {"another name", [](auto &o) { o.input = "other.meta"; }},
          {"--tune", [](auto &o) { o.tuneSeconds = 2; }},
          {"--remarks", [](auto &o) { o.remarks = true; }},
          {"--check", [](auto &o) { o.check = true; }},
          {"--emit", [](auto &o) { o.emit = OutputKind::Object; }},
      };
  for (const auto &[flag, change] : others) {
    CompileOptions other = makeGraphOptions();
    other.import.observe = kept.import.observe;
    change(other);
    EXPECT_FALSE(reuse(other)) << flag;
  }
}

TEST_F(ArtifactCacheTest, ATrainerThatDependsOnOtherFilesIsNotKept) {
  CompileOptions options = makeGraphOptions();
  cacheOf(options, importer::GraphFile::SavedModel).keep("");
  EXPECT_FALSE(reuse(options, importer::GraphFile::SavedModel));
}

} // namespace
