//===- CudaDeviceTest.cpp - runtime/Device on the tests' CUDA driver ------===//
// SPDX-License-Identifier: Apache-2.0
//
// Tests CudaDevice with the kernels of test/Emulator/kernels. Each test is a
// process of its own, as a process loads the driver only once.
//
//===----------------------------------------------------------------------===//

#include "runtime/Device/CudaDevice.h"
#include "codegen/Emulate/EmulatedObjectName.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace ingot;

namespace {

constexpr const char *image = ".version 7.0\n.target sm_80\n";
constexpr const char *hopperImage = ".version 8.0\n.target sm_90a\n";

/// An ELF file with those header fields that a driver checks before it loads
/// machine code of CUDA 13 for sm_90.
std::string machineCode() {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_flags = 90 << 8;
  return std::string(reinterpret_cast<const char *>(&header), sizeof(header));
}

const uint8_t *bytesOf(const char *text) {
  return reinterpret_cast<const uint8_t *>(text);
}

ingot_device_kernel kernelOf(const char *entry) {
  ingot_device_kernel kernel = {};
  kernel.entry = entry;
  kernel.threads = 256;
  kernel.grid_base = kernel.grid_step = 1;
  return kernel;
}

class CudaDeviceTest : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() /
             ("ingot-cuda-" + std::to_string(getpid()));
    std::filesystem::create_directory(folder);
    for (std::string content :
         {std::string(image), std::string(hopperImage), machineCode()})
      std::filesystem::create_symlink(std::string(INGOT_EMULATED_KERNELS) +
                                          "/checked.so",
                                      folder / emulate::imageName(content));
    setenv("INGOT_EMULATED_KERNELS", folder.c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// From now on, dlopen("libcuda.so.1") finds the tests' CUDA driver.
  void loadDriver() {
    driver = dlopen(INGOT_TEST_CUDA, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(driver, nullptr) << dlerror();
  }
  Expected<std::unique_ptr<Device>> open(unsigned number = 0,
                                         bool wraps = false) {
    return cuda::CudaDevice::open(code, {number, wraps});
  }
  template <typename... Args> uint64_t ask(const char *function, Args... args) {
    auto *symbol =
        reinterpret_cast<uint64_t (*)(Args...)>(dlsym(driver, function));
    return symbol(args...);
  }
  uint64_t callsOf(const char *function) {
    return ask("ingot_test_cuda_calls", function);
  }
  uint64_t counted(const char *what) {
    return ask("ingot_test_cuda_counted", what);
  }

  std::filesystem::path folder;
  void *driver = nullptr;
  ingot_device_kernel kernels[4] = {kernelOf("row_sum"), kernelOf(nullptr),
                                    kernelOf("transpose"), kernelOf("saxpy")};
  ingot_device_image images[2] = {
      {"sm_80", 0, 80, ~0u, bytesOf(image), strlen(image), 4, kernels, nullptr},
      {"sm_90a", 0, 90, 90, bytesOf(hopperImage), strlen(hopperImage), 4,
       kernels, nullptr}};
  ingot_device code = {"cuda", nullptr, 1, images};
  /// Sets up a GPU and a driver that may start a kernel before the kernels
  /// launched before it have ended.
  void startEarly() {
    ask("ingot_test_cuda_be", 90, 12030);
    code = {"cuda", nullptr, 1, &images[1]};
  }
};

std::vector<float> numbers(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(i % 251);
  return values;
}

/// Does all that a training run does with a device: transposes a matrix, then
/// sums the rows of the transposed matrix.
Status train(Device &device, int times, std::vector<float> &sums) {
  std::vector<float> x = numbers(32 * 32);
  DeviceMemory from, turned, to;
  INGOT_ASSIGN_OR_RETURN(from, DeviceMemory::allocate(device, 4096, "x"));
  INGOT_ASSIGN_OR_RETURN(turned, DeviceMemory::allocate(device, 4096, "y"));
  INGOT_ASSIGN_OR_RETURN(to, DeviceMemory::allocate(device, 128, "sums"));
  std::vector<DeviceLaunch> launches = {
      {2,
       "a/Transpose",
       1,
       {from.address(), turned.address()},
       {{from.address(), from.address() + 4096, false},
        {turned.address(), turned.address() + 4096, true}}},
      {0,
       "a/Sum",
       32,
       {turned.address(), to.address(), 32},
       {{turned.address(), turned.address() + 4096, false},
        {to.address(), to.address() + 128, true}}}};
  sums.resize(32);
  std::unique_ptr<DeviceStagingBuffers> staging = device.makeStaging();
  std::vector<float> batch(32 * 1024);
  for (int i = 0; i < times; ++i) {
    HostToDeviceCopy up = {from.address(), x.data(), 4096};
    INGOT_RETURN_IF_ERROR(device.upload({&up, 1}));
    INGOT_RETURN_IF_ERROR(
        staging->fill(batch.data(), batch.size() * sizeof(float)).takeStatus());
    INGOT_RETURN_IF_ERROR(device.launch(launches));
    DeviceToHostCopy down = {sums.data(), to.address(), 128};
    INGOT_RETURN_IF_ERROR(device.download({&down, 1}));
    for (float &value : x)
      value += 1;
  }
  return Status::ok();
}

void expectSums(const std::vector<float> &sums, int times) {
  std::vector<float> x = numbers(32 * 32);
  for (int column = 0; column < 32; ++column) {
    float sum = 0;
    for (int row = 0; row < 32; ++row)
      sum += x[row * 32 + column] + static_cast<float>(times - 1);
    EXPECT_EQ(sums[column], sum) << column;
  }
}

TEST_F(CudaDeviceTest, LaunchesThatComeAgainAreAGraph) {
  loadDriver();
  auto device = open();
  ASSERT_TRUE(device) << device.status().message();
  EXPECT_EQ((*device)->name(), "emulated GPU");
  std::vector<float> sums;
  Status status = train(**device, 4, sums);
  EXPECT_TRUE(status.isOk()) << status.message();
  expectSums(sums, 4);
  // The first iteration; later ones launch a graph.
  EXPECT_EQ(callsOf("cuLaunchKernel"), 2u);
  EXPECT_EQ(callsOf("cuGraphAddKernelNode"), 2u);
  EXPECT_EQ(callsOf("cuGraphLaunch"), 3u);
  *device = nullptr;
  EXPECT_EQ(ask("ingot_test_cuda_live"), 0u);
}

/// Some 32x32 matrices of floats on a device; the first of them is filled with
/// `values`.
class Matrices {
public:
  Matrices(Device &device, int count, const std::vector<float> &values) {
    for (int i = 0; i < count; ++i)
      if (auto made = DeviceMemory::allocate(device, size, "x"))
        memory.push_back(std::move(*made));
    EXPECT_EQ(memory.size(), static_cast<size_t>(count));
    HostToDeviceCopy up = {at(0), values.data(), size};
    EXPECT_TRUE(device.upload({&up, 1}).isOk());
  }

  DeviceAddress at(int number) const { return memory[number].address(); }

  /// Returns the launch that transposes matrix `from` into matrix `to`.
  DeviceLaunch transpose(int from, int to) const {
    return {
        2,
        "a/Transpose",
        1,
        {at(from), at(to)},
        {{at(from), at(from) + size, false}, {at(to), at(to) + size, true}}};
  }

  static constexpr uint64_t size = 4096;

private:
  std::vector<DeviceMemory> memory;
};

/// A copy is a node of the CUDA graph: it runs after the kernel that writes its
/// source and before the kernel that reads its target, and no kernel starts
/// before the copy has ended.
TEST_F(CudaDeviceTest, CopiesAreNodesOfTheGraph) {
  loadDriver();
  ask("ingot_test_cuda_be", 90, 12030);
  auto device = open();
  ASSERT_TRUE(device) << device.status().message();
  std::vector<float> x = numbers(32 * 32), y(32 * 32);
  Matrices matrices(**device, 4, x);
  std::vector<DeviceLaunch> launches = {
      matrices.transpose(0, 1),
      DeviceLaunch::copy(matrices.at(2), matrices.at(1), 4096, "v"),
      matrices.transpose(2, 3)};
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE((*device)->launch(launches).isOk());
  // The first iteration; later ones launch a graph.
  EXPECT_EQ(callsOf("cuMemcpyDtoDAsync"), 1u);
  EXPECT_EQ(callsOf("cuGraphAddMemcpyNode"), 1u);
  EXPECT_EQ(callsOf("cuGraphLaunch"), 2u);
  EXPECT_EQ(counted("early start"), 0u);
  DeviceToHostCopy down = {y.data(), matrices.at(3), 4096};
  EXPECT_TRUE((*device)->download({&down, 1}).isOk());
  EXPECT_EQ(y, x);
}

/// The tests' driver runs graph nodes that do not depend on each other in
/// reverse order, so that a missing dependence shows.
TEST_F(CudaDeviceTest, LaunchesWaitForThoseTheyShareMemoryWith) {
  loadDriver();
  auto device = open();
  ASSERT_TRUE(device) << device.status().message();
  std::vector<float> x = numbers(32 * 32), y(32 * 32);
  Matrices matrices(**device, 5, x);
  // Matrix 0 is written to 1, 1 to 2, and 0 to 3. Then 3 overwrites 1, which
  // must wait for the reader of 1, and 1 is written to 4.
  DeviceLaunch none = matrices.transpose(0, 4);
  none.blocks = 0;
  std::vector<DeviceLaunch> launches = {
      matrices.transpose(0, 1), none,
      matrices.transpose(1, 2), matrices.transpose(0, 3),
      matrices.transpose(3, 1), matrices.transpose(1, 4)};
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE((*device)->launch(launches).isOk());
  EXPECT_EQ(callsOf("cuGraphAddKernelNode"), 5u);
  // Launch (1, 2) waits for (0, 1), launch (3, 1) for (1, 2) and (0, 3), and
  // launch (1, 4) for (3, 1).
  EXPECT_EQ(counted("edge"), 4u);
  for (auto [place, isTurned] : {std::pair(2, false), std::pair(3, true),
                                 std::pair(1, false), std::pair(4, true)}) {
    DeviceToHostCopy down = {y.data(), matrices.at(place), 4096};
    EXPECT_TRUE((*device)->download({&down, 1}).isOk());
    for (int row = 0; row < 32; ++row)
      for (int column = 0; column < 32; ++column)
        ASSERT_EQ(y[row * 32 + column],
                  isTurned ? x[column * 32 + row] : x[row * 32 + column])
            << place;
  }
}

TEST_F(CudaDeviceTest, KernelsStartEarlyWhereGpuAndDriverCan) {
  loadDriver();
  startEarly();
  for (auto [version, early] : {std::pair(12030, 1u), std::pair(12020, 0u)}) {
    ask("ingot_test_cuda_be", 90, version);
    uint64_t before = counted("early start");
    auto device = open();
    ASSERT_TRUE(device) << device.status().message();
    std::vector<float> sums;
    Status status = train(**device, 3, sums);
    EXPECT_TRUE(status.isOk()) << status.message();
    expectSums(sums, 3);
    EXPECT_EQ(counted("early start"), before + early) << version;
  }
}

/// With a planted fault: a kernel that starts early and does not wait for the
/// kernel before it.
TEST_F(CudaDeviceTest, AnEarlyKernelThatDoesNotWaitIsFound) {
  loadDriver();
  startEarly();
  auto device = open();
  ASSERT_TRUE(device) << device.status().message();
  auto memory = DeviceMemory::allocate(**device, 3 * 4096, "x, y, z");
  ASSERT_TRUE(memory) << memory.status().message();
  DeviceAddress x = memory->address(), y = x + 4096, z = y + 4096;
  std::vector<DeviceLaunch> launches = {
      {2, "a/Transpose", 1, {x, y}, {{x, y, false}, {y, z, true}}},
      {3, "a/Saxpy", 4, {y, z, 1024, 0}, {{y, z, false}, {z, z + 4096, true}}}};
  EXPECT_TRUE((*device)->launch(launches).isOk());
  // The first kernel ends before the second starts.
  EXPECT_TRUE((*device)->synchronize().isOk());
  testing::internal::CaptureStderr();
  EXPECT_TRUE((*device)->launch(launches).isOk());
  EXPECT_FALSE((*device)->synchronize().isOk());
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "before it has waited for the kernels before it"),
            std::string::npos);
}

/// Staged bytes are uploaded on a stream of their own, to two places in turn
/// (double buffering). The launches between uploads, one CUDA graph for each
/// place, read the latest upload.
TEST_F(CudaDeviceTest, WhatIsStagedIsCopiedBesideLaunches) {
  loadDriver();
  auto opened = open();
  ASSERT_TRUE(opened) << opened.status().message();
  Device &device = **opened;
  constexpr uint64_t count = 32 * 1024, bytes = count * sizeof(float);
  std::vector<DeviceMemory> sums;
  for (int i = 0; i < 8; ++i) {
    auto made = DeviceMemory::allocate(device, 4096, "sums");
    ASSERT_TRUE(made) << made.status().message();
    sums.push_back(std::move(*made));
  }
  std::unique_ptr<DeviceStagingBuffers> staging = device.makeStaging();
  for (int i = 0; i < 8; ++i) {
    // The last two uploads are small ones, for which no stream waits for
    // another.
    uint64_t size = i < 6 ? bytes : 4096;
    std::vector<float> x(count, static_cast<float>(i + 1));
    auto place = staging->fill(x.data(), size);
    ASSERT_TRUE(place) << place.status().message();
    // Fill() has copied `x`, which may now change.
    std::fill(x.begin(), x.end(), -1.f);
    DeviceAddress to = sums[i].address();
    std::vector<DeviceLaunch> launches = {
        {0,
         "a/Sum",
         32,
         {*place, to, 32},
         {{*place, *place + 4096, false}, {to, to + 128, true}}},
        {0,
         "a/Again",
         32,
         {*place, to + 128, 32},
         {{*place, *place + 4096, false}, {to + 128, to + 256, true}}}};
    Status status = device.launch(launches);
    ASSERT_TRUE(status.isOk()) << status.message();
  }
  EXPECT_EQ(callsOf("cuStreamCreate"), 2u);
  // Two waits for each large upload but the first two.
  EXPECT_EQ(callsOf("cuStreamWaitEvent"), 8u);
  for (int i = 0; i < 8; ++i) {
    std::vector<float> found(64);
    DeviceToHostCopy down = {found.data(), sums[i].address(), 256};
    ASSERT_TRUE(device.download({&down, 1}).isOk());
    EXPECT_EQ(found, std::vector<float>(64, 32.f * static_cast<float>(i + 1)));
  }
  EXPECT_EQ(counted("race"), 0u);
  staging.reset();
  sums.clear();
  *opened = nullptr;
  EXPECT_EQ(ask("ingot_test_cuda_live"), 0u);
}

/// With planted faults: a stream that does not wait for another stream's copy,
/// or that overwrites memory which another stream may still read.
TEST_F(CudaDeviceTest, RacesBetweenStreamsAreFound) {
  loadDriver();
  auto call = [&](const char *function, auto... args) {
    return static_cast<int>(ask(function, args...));
  };
  using namespace cuda;
  CUcontext context = nullptr;
  ASSERT_EQ(call("cuInit", 0u), 0);
  ASSERT_EQ(call("cuDevicePrimaryCtxRetain", &context, 0), 0);
  ASSERT_EQ(call("cuCtxSetCurrent", context), 0);
  CUstream first = nullptr, second = nullptr;
  CUevent event = nullptr;
  ASSERT_EQ(call("cuStreamCreate", &first, 1u), 0);
  ASSERT_EQ(call("cuStreamCreate", &second, 1u), 0);
  ASSERT_EQ(call("cuEventCreate", &event, 2u), 0);
  auto found = [&](bool isWaitedFor, bool isSecondWriter) {
    ask("ingot_test_cuda_fail", "", uint64_t(0), 0);
    CUdeviceptr memory = 0;
    EXPECT_EQ(call("cuMemAlloc_v2", &memory, size_t(64)), 0);
    std::vector<uint8_t> bytes(64);
    if (isSecondWriter) // a read comes first
      EXPECT_EQ(
          call("cuMemcpyDtoHAsync_v2", bytes.data(), memory, size_t(64), first),
          0);
    else
      EXPECT_EQ(
          call("cuMemcpyHtoDAsync_v2", memory, bytes.data(), size_t(64), first),
          0);
    if (isWaitedFor) {
      EXPECT_EQ(call("cuEventRecord", event, first), 0);
      EXPECT_EQ(call("cuStreamWaitEvent", second, event, 0u), 0);
    }
    testing::internal::CaptureStderr();
    int error = isSecondWriter ? call("cuMemcpyHtoDAsync_v2", memory,
                                      bytes.data(), size_t(64), second)
                               : call("cuMemcpyDtoHAsync_v2", bytes.data(),
                                      memory, size_t(64), second);
    std::string told = testing::internal::GetCapturedStderr();
    EXPECT_EQ(error != 0,
              told.find("a race between streams") != std::string::npos)
        << told;
    call("cuMemFree_v2", memory);
    return error != 0;
  };
  for (bool isSecondWriter : {false, true}) {
    EXPECT_FALSE(found(/*isWaitedFor=*/true, isSecondWriter));
    EXPECT_TRUE(found(/*isWaitedFor=*/false, isSecondWriter));
  }
}

TEST_F(CudaDeviceTest, CopiesOfAnySize) {
  loadDriver();
  auto device = open();
  ASSERT_TRUE(device) << device.status().message();
  // The copy is larger than both staging buffers together, and its size is no
  // multiple of theirs.
  std::vector<float> x = numbers(5'000'001), y(x.size());
  uint64_t bytes = x.size() * sizeof(float);
  auto memory = DeviceMemory::allocate(**device, bytes, "numbers");
  ASSERT_TRUE(memory) << memory.status().message();
  std::vector<HostToDeviceCopy> up;
  std::vector<DeviceToHostCopy> down;
  for (uint64_t at = 0, size = 1; at < bytes; at += size, size = size * 5 + 3) {
    uint64_t part = std::min(size, bytes - at);
    up.push_back({memory->address() + at,
                  reinterpret_cast<uint8_t *>(x.data()) + at, part});
    down.push_back({reinterpret_cast<uint8_t *>(y.data()) + at,
                    memory->address() + at, part});
  }
  EXPECT_TRUE((*device)->upload(up).isOk());
  // The source of an upload may change as soon as upload() returns.
  std::vector<float> before = x;
  std::fill(x.begin(), x.end(), -1.f);
  EXPECT_TRUE((*device)->download(down).isOk());
  EXPECT_TRUE(y == before);
}

TEST_F(CudaDeviceTest, NewMemoryIsZero) {
  loadDriver();
  auto device = open();
  ASSERT_TRUE(device) << device.status().message();
  auto memory = DeviceMemory::allocate(**device, 100, "numbers");
  std::vector<uint8_t> bytes(100, 7);
  DeviceToHostCopy down = {bytes.data(), memory->address(), 100};
  EXPECT_TRUE((*device)->download({&down, 1}).isOk());
  EXPECT_EQ(bytes, std::vector<uint8_t>(100, 0));
}

TEST_F(CudaDeviceTest, ADriverThatIsNotThereIsNamed) {
  if (dlopen("libcuda.so.1", RTLD_LAZY))
    GTEST_SKIP() << "this machine has one";
  auto device = open();
  ASSERT_FALSE(device);
  EXPECT_EQ(device.status().code(), StatusCode::Unavailable);
  EXPECT_EQ(device.status().message().find(
                "cuda:0: no CUDA driver: cannot load libcuda.so.1 ("),
            0u)
      << device.status().message();
}

TEST_F(CudaDeviceTest, AnOldDriverIsTold) {
  setenv("INGOT_CUDA_VERSION", "11080", 1);
  loadDriver();
  auto device = open();
  ASSERT_FALSE(device);
  EXPECT_EQ(device.status().message(),
            "cuda:0: the CUDA driver (libcuda.so.1) supports CUDA 11.8; this "
            "program needs CUDA 12.0 or newer: update the NVIDIA driver");
}

TEST_F(CudaDeviceTest, AGpuThatIsNotThereIsNamed) {
  setenv("INGOT_CUDA_DEVICES", "2", 1);
  loadDriver();
  auto device = open(2);
  ASSERT_FALSE(device);
  EXPECT_EQ(
      device.status().message(),
      "cuda:2: no such GPU: the CUDA driver has 2 GPUs, numbered from cuda:0");
}

TEST_F(CudaDeviceTest, ProcessesShareTheGpusThatThereAre) {
  setenv("INGOT_CUDA_DEVICES", "2", 1);
  loadDriver();
  for (unsigned number : {0u, 1u, 2u, 5u}) {
    std::string name = "device " + std::to_string(number % 2);
    uint64_t before = counted(name.c_str());
    auto device = open(number, /*wraps=*/true);
    ASSERT_TRUE(device) << device.status().message();
    EXPECT_EQ(counted(name.c_str()), before + 1);
  }
}

TEST_F(CudaDeviceTest, CodeThatTheDriverRefusesComesWithItsReason) {
  images[0].bytes = bytesOf(".version 9.0\n.target sm_80\n");
  loadDriver();
  auto device = open();
  ASSERT_FALSE(device);
  EXPECT_EQ(
      device.status().message(),
      "cuda:0: cuModuleLoadDataEx failed to load the kernels' code for "
      "sm_80: CUDA_ERROR_UNSUPPORTED_PTX_VERSION (injected or found by the "
      "tests' driver)\nthe image's PTX version is not known to this "
      "driver");
}

/// A device loads the first of these images that its driver accepts: machine
/// code, then PTX for one generation of GPUs, then PTX that all later
/// generations run.
TEST_F(CudaDeviceTest, AGpuGetsTheBestImageThatItsDriverTakes) {
  loadDriver();
  std::string binary = machineCode();
  ingot_device_image all[] = {{"sm_90", 1, 90, 99, bytesOf(binary.data()),
                               binary.size(), 4, kernels, nullptr},
                              images[1],
                              images[0]};
  code = {"cuda", nullptr, 3, all};
  struct {
    int capability, version;
    const char *chosen;
  } cases[] = {
      {80, 12000, "image sm_80 ptx"},   {89, 13000, "image sm_80 ptx"},
      {90, 13000, "image sm_90 cubin"}, {90, 12000, "image sm_90a ptx"},
      {100, 13000, "image sm_80 ptx"},  {120, 12040, "image sm_80 ptx"}};
  for (const auto &[capability, version, chosen] : cases) {
    ask("ingot_test_cuda_be", capability, version);
    uint64_t before = counted(chosen);
    auto device = open();
    ASSERT_TRUE(device) << device.status().message();
    EXPECT_EQ(counted(chosen), before + 1) << capability << ' ' << version;
    std::vector<float> sums;
    EXPECT_TRUE(train(**device, 2, sums).isOk());
    expectSums(sums, 2);
  }
}

TEST_F(CudaDeviceTest, AGpuThatNoImageIsForIsTold) {
  setenv("INGOT_CUDA_CAPABILITY", "75", 1);
  loadDriver();
  auto device = open();
  ASSERT_FALSE(device);
  EXPECT_EQ(device.status().message(),
            "cuda:0: 'emulated GPU' has compute capability 7.5; this program "
            "has code for sm_80");
}

TEST_F(CudaDeviceTest, AllocationFailureNamesBuffer) {
  setenv("INGOT_CUDA_MEMORY", "1000", 1);
  loadDriver();
  auto device = open();
  ASSERT_TRUE(device) << device.status().message();
  auto memory = DeviceMemory::allocate(**device, 1001, "the variables");
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.status().code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(memory.status().message().find(
                "cuMemAlloc failed to allocate 1001 bytes of 'emulated GPU' "
                "for the variables: CUDA_ERROR_OUT_OF_MEMORY"),
            0u);
}

TEST_F(CudaDeviceTest, KernelFaultNamesNode) {
  loadDriver();
  auto device = open();
  ASSERT_TRUE(device) << device.status().message();
  auto x = DeviceMemory::allocate(**device, 4096, "x");
  auto y = DeviceMemory::allocate(**device, 100, "y, which is too small");
  ASSERT_TRUE(x && y);
  DeviceLaunch launch = {2, "a/Transpose", 1, {x->address(), y->address()}, {}};
  // Nothing has waited for the launch yet.
  EXPECT_TRUE((*device)->launch({&launch, 1}).isOk());
  EXPECT_EQ((*device)->synchronize().message(),
            "after the kernels of 'a/Transpose': cuStreamSynchronize failed "
            "to wait for the device: CUDA_ERROR_LAUNCH_FAILED (injected or "
            "found by the tests' driver)");
}

/// Each CUDA call of a run is made to fail once, with each of these errors: the
/// run's message must name the error, and all resources must be freed.
TEST_F(CudaDeviceTest, NoFailureIsLostAndNothingIsKept) {
  loadDriver();
  auto run = [&]() -> Status {
    auto device = open();
    if (!device)
      return device.takeStatus();
    std::vector<float> sums;
    Status status = train(**device, 3, sums);
    if (status.isOk())
      expectSums(sums, 3);
    return status;
  };
  for (auto [error, name] : {std::pair(2, "CUDA_ERROR_OUT_OF_MEMORY"),
                             std::pair(719, "CUDA_ERROR_LAUNCH_FAILED"),
                             std::pair(999, "CUDA_ERROR_UNKNOWN"),
                             std::pair(1, "CUDA_ERROR_INVALID_VALUE")}) {
    if (error == 1) // now with the calls that early starts need
      startEarly();
    unsigned failed = 0, calls = 0;
    for (uint64_t number = 1;; ++number) {
      ask("ingot_test_cuda_fail", "*", number, error);
      Status status = run();
      EXPECT_EQ(ask("ingot_test_cuda_live"), 0u) << number;
      if (!status.isOk()) {
        ++failed;
        EXPECT_NE(status.message().find(name), std::string::npos)
            << status.message();
        EXPECT_NE(status.message().find(" failed to "), std::string::npos)
            << status.message();
      }
      if (callsOf("*") < number)
        break;
      ++calls;
    }
    // More than three fifths of the failures are reported: only calls that free
    // resources ignore theirs.
    EXPECT_GT(failed, calls * 3 / 5) << name;
    EXPECT_GT(calls, 60u);
  }
}

} // namespace
