//===- CoherentDeviceSessionTest.cpp - Copies between host and device -----===//
// SPDX-License-Identifier: Apache-2.0
//
// The device has its memory on the host, and counts the copies to and from it.
// Its only kernel doubles four floats.
//
//===----------------------------------------------------------------------===//

#include "runtime/Session/CoherentDeviceSession.h"
#include "runtime/Session/Context.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

using namespace ingot;

namespace {

using Four = std::array<float, 4>;
constexpr uint64_t bytes = sizeof(Four);
constexpr int64_t dims[] = {4};
constexpr ingot_tensor_spec spec = {"v", INGOT_FLOAT, 1, dims};
constexpr uint32_t elementSizes[] = {4, 4};

struct Counts {
  int uploads = 0, downloads = 0;
};

class HostDevice final : public Device {
public:
  explicit HostDevice(Counts &counts) : counts(counts) {
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
  Status synchronize() override { return Status::ok(); }

private:
  static void *at(DeviceAddress address) {
    return reinterpret_cast<void *>(address);
  }

  Counts &counts;
  std::string theName = "host";
  ingot_device_kernel twice = {};
};

/// A program with one variable and one entry, whose arena has two slots.
class CoherentDeviceSessionTest : public testing::Test {
protected:
  void SetUp() override {
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
    entry.arena_size = sizeof(slots);
    auto storage = AlignedBuffer::allocate(bytes, "variables");
    ASSERT_TRUE(storage);
    context.storage = std::move(*storage);
    context.program = &program;
    context.variables = {context.storage.data()};
    schedules.entry = &entry;
    context.schedules = &schedules;
    auto made = CoherentDeviceSession::create(
        context, std::make_unique<HostDevice>(counts));
    ASSERT_TRUE(made) << made.status().message();
    mirror = std::move(*made);
    begin();
  }
  void begin() { begin(entry, fetch, owner); }
  void begin(const ingot_entry &begun, Four &fetches,
             const std::shared_ptr<const void> &fetchesOwner) {
    ASSERT_TRUE(mirror
                    ->begin(begun,
                            {reinterpret_cast<uint8_t *>(slots), sizeof(slots)},
                            {{reinterpret_cast<uint8_t *>(&fetches), bytes},
                             fetchesOwner})
                    .isOk());
  }
  /// Launches the kernel, which doubles `from` into `to`.
  void twice(void *from, void *to) {
    slots[0] = from;
    slots[1] = to;
    ingot_launch row = {0, 0, 0, 1};
    mirror->run({&row, 1}, /*showsAll=*/false, [](const ingot_launch &) {});
    EXPECT_TRUE(mirror->status().isOk()) << mirror->status().message();
  }
  Four &value() { return *reinterpret_cast<Four *>(context.variables[0]); }

  Counts counts;
  ingot_program program = {};
  ingot_variable variable = {};
  ingot_kernel_info kernel = {};
  ingot_tensor_spec arguments[2] = {spec, spec};
  ingot_entry entry = {};
  EntryLaunchTuning schedules;
  ingot_context context;
  void *slots[2] = {};
  alignas(64) Four fetch = {-1, -1, -1, -1};
  std::shared_ptr<const void> owner = std::make_shared<bool>();
  std::unique_ptr<DeviceSession> mirror;
};

TEST_F(CoherentDeviceSessionTest, AFetchIsCopiedWhenItIsRead) {
  value() = {1, 2, 3, 4};
  twice(&value(), &fetch);
  EXPECT_EQ(counts.uploads, 1); // the variable
  EXPECT_EQ(counts.downloads, 0);
  EXPECT_TRUE(mirror->readMemory(&fetch, bytes).isOk());
  EXPECT_EQ(fetch, (Four{2, 4, 6, 8}));
}

TEST_F(CoherentDeviceSessionTest, AFetchThatTheEntryReadsIsCopiedAtOnce) {
  ingot_host_memory read = {INGOT_ARGUMENT_FETCH, 0, 0, bytes};
  ingot_entry reads = entry;
  reads.num_host_memory = 1;
  reads.host_memory = &read;
  begin(reads, fetch, owner);
  value() = {1, 2, 3, 4};
  twice(&value(), &fetch);
  EXPECT_EQ(fetch, (Four{2, 4, 6, 8}));
  // A fetch that the entry reads is also copied at once if it is the target of
  // a copy.
  twice(&value(), &value());
  mirror->copy(&fetch, &value(), bytes);
  EXPECT_EQ(fetch, (Four{2, 4, 6, 8}));
  twice(&value(), &value());
  mirror->copy(&fetch, &value(), bytes);
  EXPECT_EQ(fetch, (Four{4, 8, 12, 16}));
}

TEST_F(CoherentDeviceSessionTest, AFetchIsReadAfterManyOtherEntriesHaveRun) {
  value() = {1, 2, 3, 4};
  twice(&value(), &fetch);
  Four others[32] = {};
  for (Four &other : others) {
    begin(entry, other, owner);
    twice(&value(), &other);
  }
  EXPECT_TRUE(mirror->readMemory(&fetch, bytes).isOk());
  EXPECT_EQ(fetch, (Four{2, 4, 6, 8}));
}

/// Memory that had the fetches of a destroyed BoundEntryPoint is that of a feed
/// now.
TEST_F(CoherentDeviceSessionTest,
       MemoryOfADestroyedEntrysFetchesIsUploadedAgain) {
  Four reused = {};
  auto reusedOwner = std::make_shared<bool>();
  begin(entry, reused, reusedOwner);
  value() = {1, 2, 3, 4};
  twice(&value(), &reused);
  reusedOwner.reset();
  reused = {5, 6, 7, 8};
  // Without another begin(), and after one.
  for (int i = 0; i < 2; ++i) {
    twice(&reused, &fetch);
    EXPECT_TRUE(mirror->readMemory(&fetch, bytes).isOk());
    EXPECT_EQ(fetch, (Four{10, 12, 14, 16}));
    begin();
  }
}

TEST_F(CoherentDeviceSessionTest, KeptBuffersStayOnTheDevice) {
  Four a = {}, b = {};
  mirror->keep(&a, bytes);
  mirror->keep(&b, bytes);
  value() = {1, 2, 3, 4};
  twice(&value(), &a);
  twice(&a, &b);
  twice(&b, &value());
  EXPECT_EQ(counts.uploads, 1);
  EXPECT_EQ(counts.downloads, 0);
  EXPECT_TRUE(mirror->readVariable(0).isOk());
  EXPECT_EQ(value(), (Four{8, 16, 24, 32}));
}

/// A buffer is released after a copy from it was requested: the copy must run
/// before a new buffer in the same memory is filled, although other copies wait
/// for the next launches.
TEST_F(CoherentDeviceSessionTest,
       ACopyFromABufferComesBeforeItsMemoryIsUsedAgain) {
  Four a = {}, b = {}, there = {9, 9, 9, 9};
  mirror->keep(&a, bytes);
  value() = {1, 2, 3, 4};
  twice(&value(), &a);
  mirror->copy(&value(), &a, bytes);
  EXPECT_EQ(counts.downloads, 0);
  mirror->forget(&a);
  mirror->keep(&b, bytes);
  mirror->copy(&b, &there, bytes);
  twice(&b, &fetch);
  EXPECT_TRUE(mirror->readVariable(0).isOk());
  EXPECT_EQ(value(), (Four{2, 4, 6, 8}));
  EXPECT_TRUE(mirror->readMemory(&fetch, bytes).isOk());
  EXPECT_EQ(fetch, (Four{18, 18, 18, 18}));
}

/// Reading a variable, for a hook or for a save, must first run a pending copy
/// to it.
TEST_F(CoherentDeviceSessionTest, PendingCopiesComeBeforeVariablesAreRead) {
  Four a = {}, taken = {};
  mirror->keep(&a, bytes);
  value() = {1, 2, 3, 4};
  twice(&value(), &a);
  mirror->copy(&value(), &a, bytes);
  EXPECT_EQ(counts.downloads, 0);
  VariableDownload copy = {0, &taken};
  EXPECT_TRUE(mirror->takeVariables({&copy, 1}).isOk());
  EXPECT_EQ(taken, (Four{2, 4, 6, 8}));
}

} // namespace
