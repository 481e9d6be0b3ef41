//===- CostsTest.cpp - What kernels ask of memory, counted by hand --------===//
// SPDX-License-Identifier: Apache-2.0
//
// Runs the kernels of kernels/costs.c. All numbers follow from their addresses
// by the rules in MemoryRequest.h.
//
//===----------------------------------------------------------------------===//

#include "test/Emulator/CostReport.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <vector>

using namespace ingot::emulator;

namespace {

class CostsTest : public testing::Test {
protected:
  void SetUp() override {
    std::string path = std::string(INGOT_EMULATED_KERNELS) + "/costs.so";
    library = dlopen(path.c_str(), RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    forgetCosts();
  }
  void TearDown() override {
    if (library)
      dlclose(library);
  }

  template <typename... Args>
  KernelCosts launch(const std::string &kernel, uint32_t threads,
                     Args... arguments) {
    auto *range = static_cast<uint8_t **>(dlsym(library, "ingot_shared_range"));
    void *parameters[] = {static_cast<void *>(&arguments)...};
    Launch launch;
    launch.kernel = reinterpret_cast<Kernel>(dlsym(library, kernel.c_str()));
    launch.name = kernel;
    launch.block = {threads};
    launch.shared = range[0];
    launch.sharedBytes = range[1] - range[0];
    launch.resources = static_cast<KernelResources *>(
        dlsym(library, (kernel + ".resources").c_str()));
    EXPECT_NE(launch.resources, nullptr);
    EXPECT_EQ(run(launch, parameters), "");
    return allCosts().at(kernel);
  }

  /// The loads of x[lane * stride + offset] by a warp.
  GlobalCosts strided(int stride, int offset) {
    forgetCosts();
    return launch("strided", 32, x, y, stride, offset).global[0];
  }

private:
  void *library = nullptr;

protected:
  /// Sectors begin where they would on a GPU.
  alignas(128) float x[4096] = {}, y[4096] = {};
};

constexpr unsigned load = 0, store = 1, atomic = 2;

TEST_F(CostsTest, NeighbouringLanesShareSectors) {
  GlobalCosts costs = strided(1, 0);
  EXPECT_EQ(costs.requests, 1u);
  EXPECT_EQ(costs.count.sectors, 4u);
  EXPECT_EQ(costs.count.bytes, 128u);
  EXPECT_EQ(costs.efficiency(), 1);
}

TEST_F(CostsTest, StridesWasteSectors) {
  EXPECT_EQ(strided(2, 0).count.sectors, 8u);
  EXPECT_EQ(strided(2, 0).efficiency(), 0.5);
  EXPECT_EQ(strided(8, 0).count.sectors, 32u);
  EXPECT_EQ(strided(64, 0).efficiency(), 0.125);
  EXPECT_EQ(strided(-1, 31).efficiency(), 1);
}

TEST_F(CostsTest, AMisalignedRequestTakesASectorMore) {
  EXPECT_EQ(strided(1, 1).count.sectors, 5u);
  EXPECT_EQ(strided(1, 1).efficiency(), 0.8);
}

TEST_F(CostsTest, OneWordForAllLanesIsOneSector) {
  EXPECT_EQ(strided(0, 3).count.sectors, 1u);
  EXPECT_EQ(strided(0, 3).count.bytes, 4u);
  EXPECT_EQ(strided(0, 3).efficiency(), 1);
}

TEST_F(CostsTest, NeighboursOfAThreadAreOneRequest) {
  KernelCosts costs = launch("four", 64, x, y);
  for (unsigned kind : {load, store}) {
    EXPECT_EQ(costs.global[kind].requests, 2u);
    EXPECT_EQ(costs.global[kind].sectorsPerRequest(), 16);
    EXPECT_EQ(costs.global[kind].efficiency(), 1);
  }
}

TEST_F(CostsTest, AWarpThatIsNotFullMakesRequests) {
  KernelCosts costs = launch("strided", 40, x, y, 1, 0);
  EXPECT_EQ(costs.global[load].requests, 2u);
  EXPECT_EQ(costs.global[load].count.sectors, 5u);
}

TEST_F(CostsTest, LanesOfAnotherBranchAreMissing) {
  KernelCosts costs = launch("half", 32, x, y);
  EXPECT_EQ(costs.global[load].requests, 1u);
  EXPECT_EQ(costs.global[load].count.sectors, 2u);
}

TEST_F(CostsTest, LanesMeetAgainInTheNextIteration) {
  GlobalCosts costs = launch("uneven", 32, x, y).global[load];
  // 32, 24, 16 and 8 lanes, spread over all sectors of a row; twice.
  EXPECT_EQ(costs.requests, 8u);
  EXPECT_EQ(costs.count.sectors, 2u * 4 * 4);
  EXPECT_EQ(costs.count.ideal, 2u * (4 + 3 + 2 + 1));
}

TEST_F(CostsTest, AColumnOfATileIsInOneBank) {
  SharedCosts costs = launch("columns", 32, y, 32).shared[load];
  EXPECT_EQ(costs.requests, 1u);
  EXPECT_EQ(costs.count.wavefronts, 32u);
  EXPECT_EQ(costs.conflicts(), 32);
}

TEST_F(CostsTest, PaddedRowsAreInAllBanks) {
  KernelCosts costs = launch("columns", 32, y, 33);
  EXPECT_EQ(costs.shared[load].count.wavefronts, 1u);
  EXPECT_EQ(costs.shared[store].requests, 32u);
  EXPECT_EQ(costs.shared[store].conflicts(), 1);
  EXPECT_EQ(costs.barriers, 1u);
}

TEST_F(CostsTest, AWordIsReadAtOnceAndUpdatedInTurn) {
  int total = 0;
  KernelCosts costs = launch("one_word", 32, &total);
  EXPECT_EQ(total, 32);
  EXPECT_EQ(costs.shared[load].count.wavefronts, 1u);
  EXPECT_EQ(costs.shared[atomic].requests, 1u);
  EXPECT_EQ(costs.shared[atomic].count.wavefronts, 32u);
  EXPECT_EQ(costs.global[atomic].requests, 1u);
  EXPECT_EQ(costs.global[atomic].count.sectors, 1u);
}

TEST_F(CostsTest, QuarterWarpsAccessSixteenBytes) {
  SharedCosts dense = launch("rows_of_groups", 32, y, 1).shared[store];
  EXPECT_EQ(dense.requests, 1u);
  EXPECT_EQ(dense.count.wavefronts, 4u);
  EXPECT_EQ(dense.conflicts(), 1);
  forgetCosts();
  // Rows of 128 bytes: eight lanes in the same four banks.
  SharedCosts rows = launch("rows_of_groups", 32, y, 8).shared[store];
  EXPECT_EQ(rows.count.wavefronts, 32u);
  EXPECT_EQ(rows.conflicts(), 8);
}

TEST_F(CostsTest, EightRowsOfAMatrixAreReadAtOnce) {
  std::vector<int> sums(32);
  SharedCosts dense = launch("matrices", 32, sums.data(), 1).shared[load];
  EXPECT_EQ(dense.requests, 1u);
  EXPECT_EQ(dense.count.wavefronts, 4u);
  forgetCosts();
  SharedCosts rows = launch("matrices", 32, sums.data(), 8).shared[load];
  EXPECT_EQ(rows.count.wavefronts, 32u);
}

TEST_F(CostsTest, CopiesReadAndWrite) {
  KernelCosts costs = launch("copies", 32, x, y);
  EXPECT_EQ(costs.global[load].requests, 1u);
  EXPECT_EQ(costs.global[load].count.bytes, 31u * 16);
  EXPECT_EQ(costs.shared[store].requests, 1u);
  EXPECT_EQ(costs.shared[store].count.wavefronts, 4u);
}

TEST_F(CostsTest, ReportsNameTheWorstAccess) {
  launch("columns", 32, y, 32);
  launch("strided", 32, x, y, 8, 0);
  EXPECT_EQ(allCosts().at("columns").resources.sharedBytes, 32u * 33 * 4);
  std::string table = costTable(allCosts(), 80);
  EXPECT_NE(table.find("bank conflicts, 32.00 wavefronts a request in columns"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("uncoalesced, 32.00 sectors a request in strided: "
                       "strided, instruction "),
            std::string::npos)
      << table;
  std::string json = costJSON(allCosts(), 80);
  EXPECT_NE(json.find("\"kernel\": \"strided\", \"launches\": 1"),
            std::string::npos)
      << json;
  EXPECT_NE(
      json.find("\"sectors_per_request\": 32.0000, \"efficiency\": 0.125"),
      std::string::npos)
      << json;
}

} // namespace
