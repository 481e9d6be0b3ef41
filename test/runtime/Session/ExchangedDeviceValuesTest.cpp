//===- ExchangedDeviceValuesTest.cpp - Slices' values on a device ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// Ranks with devices that have their memory on the host and count the copies to
// and from it. Their only kernel doubles four floats.
//
//===----------------------------------------------------------------------===//

#include "runtime/Session/CoherentDeviceSession.h"
#include "runtime/Session/Context.h"
#include "test/runtime/Collective/FakeCollective.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

using namespace ingot;

namespace {

using Four = std::array<float, 4>;
constexpr uint64_t bytes = sizeof(Four);
constexpr int64_t dims[] = {4}, elements[] = {4};
constexpr ingot_tensor_spec spec = {"v", INGOT_FLOAT, 1, dims};
constexpr uint32_t elementSizes[] = {4, 4};
constexpr uint32_t slices = 4;

struct Counts {
  int uploads = 0, downloads = 0, reductions = 0;
};

class HostDevice final : public Device {
public:
  HostDevice(Counts &counts, bool reduces) : counts(counts), reduces(reduces) {
    twice.entry = "twice";
    twice.threads = 32;
    twice.grid_base = twice.grid_step = 1;
    twice.num_element_sizes = 2;
    twice.element_sizes = elementSizes;
  }
  const std::string &name() const override { return theName; }
  std::span<const ingot_device_kernel> kernels() const override {
    return {&twice, 1};
  }
  Expected<DeviceAddress> allocate(uint64_t size, std::string_view) override {
    return reinterpret_cast<DeviceAddress>(std::calloc(size, 1));
  }
  void release(DeviceAddress address) override { std::free(at(address)); }
  Status upload(std::span<const HostToDeviceCopy> copies) override {
    for (const HostToDeviceCopy &copy : copies)
      std::memcpy(at(copy.to), copy.from, copy.size);
    counts.uploads += static_cast<int>(copies.size());
    return Status::ok();
  }
  std::unique_ptr<DeviceStagingBuffers> makeStaging() override {
    return nullptr;
  }
  Status download(std::span<const DeviceToHostCopy> copies) override {
    for (const DeviceToHostCopy &copy : copies)
      std::memcpy(copy.to, at(copy.from), copy.size);
    counts.downloads += static_cast<int>(copies.size());
    return Status::ok();
  }
  Status launch(std::span<const DeviceLaunch> launches) override {
    for (const DeviceLaunch &launch : launches) {
      if (launch.isCopy()) {
        std::memcpy(at(launch.parameters[0]), at(launch.parameters[1]),
                    launch.parameters[2]);
        continue;
      }
      Four value;
      std::memcpy(&value, at(launch.parameters[0]), bytes);
      for (float &element : value)
        element *= 2;
      std::memcpy(at(launch.parameters[1]), &value, bytes);
    }
    return Status::ok();
  }
  Expected<bool> canReduce(int32_t dtype, ingot_exchange_kind kind) override {
    return reduces && dtype == INGOT_FLOAT && kind == INGOT_EXCHANGE_SUM;
  }
  Status reduce(const DeviceReduction &reduction) override {
    ++counts.reductions;
    if (counts.reductions == failing)
      return Status(StatusCode::Internal, "a reduction fails");
    reduceFunction(reduction.dtype,
                   Reduction::Sum)(at(reduction.to), at(reduction.left),
                                   at(reduction.right), reduction.count);
    return Status::ok();
  }
  Status synchronize() override { return Status::ok(); }

  int failing = 0; // the number of the reduction that fails

private:
  static void *at(DeviceAddress address) {
    return reinterpret_cast<void *>(address);
  }

  Counts &counts;
  bool reduces;
  std::string theName = "host";
  ingot_device_kernel twice = {};
};

/// A rank's session: a program with one variable, and one entry whose arena has
/// two slots and the places of a sum over slices.
class Rank {
public:
  explicit Rank(Collective *collective = nullptr, bool reduces = true,
                bool overlaps = false)
      : exchanges(std::make_unique<BatchSliceExchanges>(collective, overlaps)) {
    variable.spec = spec;
    variable.byte_size = bytes;
    kernel.name = "twice";
    kernel.num_arguments = 2;
    kernel.arguments = arguments;
    kernel.num_inputs = 1;
    program.num_variables = 1;
    program.variables = &variable;
    program.num_kernels = 1;
    program.kernels = &kernel;
    program.nodes = "node";
    entry.name = "step";
    entry.arena_size = sizeof(arena);
    auto storage = AlignedBuffer::allocate(bytes, "variables");
    EXPECT_TRUE(storage);
    context.storage = std::move(*storage);
    context.program = &program;
    context.variables = {context.storage.data()};
    schedules.entry = &entry;
    context.schedules = &schedules;
    auto made = std::make_unique<HostDevice>(counts, reduces);
    device = made.get();
    auto created = CoherentDeviceSession::create(context, std::move(made));
    EXPECT_TRUE(created) << created.status().message();
    session = std::move(*created);
  }
  ~Rank() { exchanges.reset(); } // before the device whose memory it has

  /// The host code of the entry reads where the sum is.
  void readSum() {
    read = {INGOT_ARGUMENT_ARENA, 0, offsetof(Arena, places), bytes};
    entry.num_host_memory = 1;
    entry.host_memory = &read;
  }

  /// A step, in which slice s computes 2 (s + 1) in all elements, on the
  /// device. A slice of `empty` has no rows.
  Status step(const std::vector<uint64_t> &empty = {}) {
    INGOT_RETURN_IF_ERROR(session->begin(
        entry, {reinterpret_cast<uint8_t *>(&arena), sizeof(arena)}, {}));
    ExchangedValue value = {"node", 0,           0,        INGOT_EXCHANGE_SUM,
                            slices, INGOT_FLOAT, elements, 1,
                            true};
    BatchSliceRange run = exchanges->begin(slices, session.get());
    auto *places = reinterpret_cast<std::byte *>(arena.places.data());
    for (uint64_t slice = run.first; slice < run.last; ++slice) {
      if (std::find(empty.begin(), empty.end(), slice) != empty.end())
        continue;
      auto &rows = *reinterpret_cast<Four *>(context.variables[0]);
      rows.fill(static_cast<float>(slice + 1));
      session->wroteVariable(0);
      arena.slots = {&rows, &arena.places[placeOfSlice(slice)]};
      ingot_launch row = {0, 0, 0, 1};
      session->run({&row, 1}, /*showsAll=*/false, [](const ingot_launch &) {});
      INGOT_RETURN_IF_ERROR(exchanges->addInPlace(value, slice, places));
    }
    INGOT_RETURN_IF_ERROR(exchanges->finish(value, places));
    return session->status();
  }
  /// Reads the sum of the last step.
  Four sum() {
    EXPECT_TRUE(session->readMemory(&arena.places[0], bytes).isOk());
    return arena.places[0];
  }

  struct Arena {
    std::array<void *, 8> slots = {};
    std::array<Four, numPlacesOfSlices(slices)> places = {};
  };
  alignas(64) Arena arena;
  Counts counts;
  HostDevice *device = nullptr;
  ingot_program program = {};
  ingot_variable variable = {};
  ingot_kernel_info kernel = {};
  ingot_tensor_spec arguments[2] = {spec, spec};
  ingot_entry entry = {};
  ingot_host_memory read = {};
  EntryLaunchTuning schedules;
  ingot_context context;
  std::unique_ptr<DeviceSession> session;
  std::unique_ptr<BatchSliceExchanges> exchanges;
};

Four four(float number) {
  Four value;
  value.fill(number);
  return value;
}

/// The sum of all slices' values.
constexpr float all = 2 * (1 + 2 + 3 + 4);

} // namespace

TEST(ExchangedDeviceValuesTest, a_process_alone_copies_nothing) {
  Rank rank;
  for (int i = 1; i <= 2; ++i) {
    Status status = rank.step();
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(rank.counts.reductions, 3 * i);
    EXPECT_EQ(rank.counts.downloads, i - 1); // that of sum()
    EXPECT_EQ(rank.sum(), four(all));
  }
}

TEST(ExchangedDeviceValuesTest, a_sum_that_host_code_reads_is_copied_at_once) {
  Rank rank;
  rank.readSum();
  Status status = rank.step();
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(rank.arena.places[0], four(all));
}

TEST(ExchangedDeviceValuesTest, slices_without_rows_are_left_out) {
  Rank rank;
  Status status = rank.step({1, 2});
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(rank.sum(), four(2 * (1 + 4)));
  status = rank.step({0, 1, 2, 3});
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(rank.sum(), four(0));
}

TEST(ExchangedDeviceValuesTest,
     a_device_without_the_kernel_leaves_it_to_the_host) {
  Rank rank(nullptr, /*reduces=*/false);
  Status status = rank.step();
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(rank.counts.reductions, 0);
  EXPECT_EQ(rank.counts.downloads, 4);
  EXPECT_EQ(rank.sum(), four(all));
}

TEST(ExchangedDeviceValuesTest, ranks_copy_one_value_for_all_their_slices) {
  for (bool overlaps : {false, true}) {
    FakeCollectives collectives(2);
    auto statuses = collectives.run([&](Collective &collective) {
      Rank rank(&collective, /*reduces=*/true, overlaps);
      for (int i = 1; i <= 2; ++i) {
        INGOT_RETURN_IF_ERROR(rank.step());
        EXPECT_EQ(rank.counts.reductions, i);
        EXPECT_EQ(rank.counts.downloads, i);
        EXPECT_EQ(rank.sum(), four(all));
        EXPECT_EQ(rank.counts.downloads, i); // the host has the sum
      }
      return Status::ok();
    });
    for (const Status &status : statuses)
      EXPECT_TRUE(status.isOk()) << status.message();
  }
}

TEST(ExchangedDeviceValuesTest, a_failure_of_the_device_ends_the_step) {
  for (int failing : {1, 2, 3}) {
    Rank rank;
    rank.device->failing = failing;
    EXPECT_EQ(rank.step().message(), "a reduction fails");
    EXPECT_EQ(rank.step().message(), "a reduction fails"); // it is lost
  }
}
