//===- CompareKernels.cpp - Compares kernels with the host ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Replaces runtime/Session/CudaSession.cpp in a trainer: every kernel that runs
// on the GPU also runs on the processor, with the same arguments, and the
// results are compared. Integers must be equal, floats close; the number of
// kernels with equal bits is written to the file that INGOT_COMPARISON names.
//
//===----------------------------------------------------------------------===//

#include "runtime/Device/CudaDevice.h"
#include "runtime/Device/LaunchSetup.h"
#include "runtime/Session/CoherentDeviceSession.h"
#include "runtime/Session/Context.h"
#include "runtime/Session/Program.h"
#include "runtime/Support/Numeric.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace ingot;

namespace {

/// A GPU adds the terms of a sum in another order. The rounding errors of two
/// orders, for sums of some hundred terms of about 1, are a few units in the
/// last place of the largest partial sum, not of the final sum. So differences
/// are divided by the sum of both absolute values and 0.1. With 16-bit floats
/// the last rounding may differ as well.
double boundOf(int32_t dtype) {
  switch (dtype) {
  case INGOT_FLOAT:
    return 2e-5;
  case INGOT_DOUBLE:
    return 1e-12;
  case INGOT_HALF:
    return 0x1p-9;
  case INGOT_BFLOAT16:
    return 0x1p-6;
  default:
    return 0;
  }
}

/// A range of device memory that a launch uses, with the bytes that the
/// processor and the device compute for it.
struct Block {
  DeviceAddress begin, end;
  uint8_t *here = nullptr;    // as the processor computes the bytes
  std::vector<uint8_t> there; // as the device computes the bytes
};

struct Argument {
  const ingot_tensor_spec *spec;
  DeviceAddress address = 0;
  uint64_t elementSize = 0, count = 1;
  bool isOutput = false;
};

enum class Found : uint8_t { nothing, same, close, different };

class ComparedDevice final : public Device {
public:
  ComparedDevice(const ingot_context &context, std::unique_ptr<Device> device)
      : program(*context.program), target(context.target),
        device(std::move(device)), found(program.num_kernels) {}
  ~ComparedDevice() override;

  const std::string &name() const override { return device->name(); }
  std::span<const ingot_device_kernel> kernels() const override {
    return device->kernels();
  }
  Expected<DeviceAddress> allocate(uint64_t size,
                                   std::string_view what) override {
    return device->allocate(size, what);
  }
  void release(DeviceAddress address) override { device->release(address); }
  Status upload(std::span<const HostToDeviceCopy> copies) override {
    return device->upload(copies);
  }
  std::unique_ptr<DeviceStagingBuffers> makeStaging() override {
    return device->makeStaging();
  }
  Status download(std::span<const DeviceToHostCopy> copies) override {
    return device->download(copies);
  }
  Status launch(std::span<const DeviceLaunch> launches) override {
    for (const DeviceLaunch &launch : launches)
      INGOT_RETURN_IF_ERROR(
          launch.isCopy() ? device->launch({&launch, 1})
                          : launchBoth(launch).withContext(
                                std::string("kernel '") +
                                program.kernels[launch.kernel].name + "'"));
    return Status::ok();
  }
  Expected<bool> canReduce(int32_t dtype, ingot_exchange_kind kind) override {
    return device->canReduce(dtype, kind);
  }
  Status reduce(const DeviceReduction &reduction) override {
    return device->reduce(reduction);
  }
  Status synchronize() override { return device->synchronize(); }

private:
  std::vector<Argument> argumentsOf(const DeviceLaunch &launch) const;
  Status fetch(std::vector<Block> &blocks) const;
  void runHere(const DeviceLaunch &launch,
               const std::vector<Argument> &arguments,
               const std::vector<Block> &blocks) const;
  Status launchBoth(const DeviceLaunch &launch);

  const ingot_program &program;
  uint32_t target;
  std::unique_ptr<Device> device;
  std::vector<Found> found; // for each kernel, its worst comparison
};

ComparedDevice::~ComparedDevice() {
  const char *path = std::getenv("INGOT_COMPARISON");
  FILE *file = path ? std::fopen(path, "w") : nullptr;
  if (!file)
    return;
  auto count = [&](Found what) {
    return static_cast<size_t>(std::count(found.begin(), found.end(), what));
  };
  std::fprintf(file,
               "{\"kernels\": %zu, \"same\": %zu, \"close\": %zu, "
               "\"different\": %zu}\n",
               found.size(), count(Found::same), count(Found::close),
               count(Found::different));
  std::fclose(file);
}

std::vector<Argument>
ComparedDevice::argumentsOf(const DeviceLaunch &launch) const {
  const ingot_kernel_info &info = program.kernels[launch.kernel];
  std::vector<Argument> arguments;
  size_t next = 0;
  for (uint32_t i = 0; i < info.num_arguments; ++i) {
    const ingot_tensor_spec &spec = info.arguments[i];
    Argument argument = {&spec, launch.parameters[next++],
                         kernels()[launch.kernel].element_sizes[i], 1,
                         i >= info.num_inputs};
    for (uint32_t dim = 0; dim < spec.rank; ++dim)
      argument.count *= spec.dims[dim] >= 0
                            ? static_cast<uint64_t>(spec.dims[dim])
                            : launch.parameters[next++];
    arguments.push_back(argument);
  }
  return arguments;
}

/// The blocks of device memory that hold all arguments: arguments that overlap
/// are in the same block.
std::vector<Block> blocksOf(const std::vector<Argument> &arguments) {
  std::vector<Block> blocks;
  for (const Argument &argument : arguments)
    blocks.push_back({argument.address,
                      argument.address + argument.count * argument.elementSize,
                      nullptr,
                      {}});
  std::sort(blocks.begin(), blocks.end(), [](const Block &a, const Block &b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::vector<Block> merged;
  for (Block &block : blocks)
    if (!merged.empty() && block.begin < merged.back().end)
      merged.back().end = std::max(merged.back().end, block.end);
    else if (block.begin < block.end)
      merged.push_back(std::move(block));
  return merged;
}

uint8_t *hereOf(const std::vector<Block> &blocks, DeviceAddress address) {
  for (const Block &block : blocks)
    if (block.begin <= address && address < block.end)
      return block.here + (address - block.begin);
  return nullptr; // an argument without bytes
}

Status ComparedDevice::fetch(std::vector<Block> &blocks) const {
  for (Block &block : blocks) {
    block.there.resize(block.end - block.begin);
    DeviceToHostCopy copy = {block.there.data(), block.begin,
                             block.there.size()};
    INGOT_RETURN_IF_ERROR(device->download({&copy, 1}));
  }
  return Status::ok();
}

void ComparedDevice::runHere(const DeviceLaunch &launch,
                             const std::vector<Argument> &arguments,
                             const std::vector<Block> &blocks) const {
  const ingot_kernel_code &code = program.kernels[launch.kernel].code[target];
  std::vector<void *> slots;
  size_t next = 0;
  for (const Argument &argument : arguments) {
    slots.push_back(hereOf(blocks, argument.address));
    ++next;
    for (uint32_t dim = 0; dim < argument.spec->rank; ++dim)
      if (argument.spec->dims[dim] < 0)
        slots.push_back(reinterpret_cast<void *>(launch.parameters[next++]));
  }
  auto bytes = static_cast<size_t>(code.scratch_size);
  void *scratch = std::aligned_alloc(
      INGOT_ALIGNMENT, (bytes / INGOT_ALIGNMENT + 1) * INGOT_ALIGNMENT);
  slots.push_back(scratch);
  code.run(slots.data(), 0, countIterations(code, slots.data()));
  std::free(scratch);
}

Expected<Found> compare(const Argument &argument, const uint8_t *here,
                        const uint8_t *there) {
  Found worst = Found::same;
  for (uint64_t i = 0; i < argument.count; ++i) {
    const uint8_t *a = here + i * argument.elementSize,
                  *b = there + i * argument.elementSize;
    if (std::memcmp(a, b, argument.elementSize) == 0)
      continue;
    double bound = boundOf(argument.spec->dtype);
    double x = elementAsDouble(argument.spec->dtype, a),
           y = elementAsDouble(argument.spec->dtype, b);
    if (bound > 0 && std::isnan(x) && std::isnan(y))
      continue;
    worst = Found::close;
    double difference = std::fabs(x - y) / (std::fabs(x) + std::fabs(y) + 0.1);
    if (difference <= bound)
      continue;
    char text[160];
    std::snprintf(text, sizeof(text),
                  "element %llu of %llu is %.9g on the processor and %.9g on "
                  "the device",
                  static_cast<unsigned long long>(i),
                  static_cast<unsigned long long>(argument.count), x, y);
    return Status(StatusCode::Internal, text);
  }
  return worst;
}

Status ComparedDevice::launchBoth(const DeviceLaunch &launch) {
  std::vector<Argument> arguments = argumentsOf(launch);
  std::vector<Block> blocks = blocksOf(arguments);
  INGOT_RETURN_IF_ERROR(fetch(blocks));
  for (Block &block : blocks) {
    // Two vectors more than the block: a kernel on the processor may read whole
    // vectors past the end of its argument.
    size_t size = (block.there.size() / INGOT_ALIGNMENT + 2) * INGOT_ALIGNMENT;
    block.here =
        static_cast<uint8_t *>(std::aligned_alloc(INGOT_ALIGNMENT, size));
    std::memcpy(block.here, block.there.data(), block.there.size());
  }
  INGOT_RETURN_IF_ERROR(device->launch({&launch, 1}));
  runHere(launch, arguments, blocks);
  INGOT_RETURN_IF_ERROR(fetch(blocks));
  Found &worst = found[launch.kernel];
  Status status;
  for (const Argument &argument : arguments) {
    if (!argument.isOutput || argument.count == 0 || !status.isOk())
      continue;
    const Block &block =
        *std::find_if(blocks.begin(), blocks.end(), [&](const Block &block) {
          return block.begin <= argument.address &&
                 argument.address < block.end;
        });
    uint64_t offset = argument.address - block.begin;
    auto result =
        compare(argument, block.here + offset, block.there.data() + offset);
    worst = std::max(worst, result ? *result : Found::different);
    if (!result)
      status = result.takeStatus();
  }
  for (Block &block : blocks)
    std::free(block.here);
  return status;
}

} // namespace

static Expected<std::unique_ptr<DeviceSession>>
openCompared(ingot_context &context, const ingot_device &code,
             DeviceNumber which) {
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<Device> device,
                         cuda::CudaDevice::open(code, which));
  return CoherentDeviceSession::create(
      context, std::make_unique<ComparedDevice>(context, std::move(device)));
}

extern "C" const DeviceSessionFactory ingot_device_cuda;
constinit const DeviceSessionFactory ingot_device_cuda = {openCompared};
