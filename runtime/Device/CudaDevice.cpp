//===- CudaDevice.cpp - A GPU through the CUDA driver ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/CudaDevice.h"

#include "runtime/ABI/DependentLaunch.h"

#include <algorithm>
#include <array>
#include <limits>

using namespace ingot;
using namespace ingot::cuda;

/// Limits of the cache of launched sequences (`CudaDevice::runs`): at most
/// `maxRuns` sequences are remembered, and at most `maxVariants` that differ in
/// parameters only. A sequence has variants because the addresses of
/// double-buffered staging memory alternate, and because the last batch of an
/// epoch may be short.
static constexpr size_t maxRuns = 64, maxVariants = 4;

Expected<std::unique_ptr<Device>> CudaDevice::open(const ingot_device &code,
                                                   DeviceNumber which) {
  std::string context = "cuda:" + std::to_string(which.number);
  Expected<const CudaDriver *> driver = CudaDriver::load();
  if (!driver)
    return driver.takeStatus().withContext(context);
  std::unique_ptr<CudaDevice> device(new CudaDevice(**driver, code));
  if (Status status = device->start(which); !status.isOk())
    return std::move(status).withContext(context);
  return std::unique_ptr<Device>(std::move(device));
}

CudaDevice::~CudaDevice() {
  if (!context.isRetained())
    return;
  context.enter();
  runs.clear();
  counter = DeviceMemory();
  uploads.reset();
  downloads.reset();
  if (module)
    driver.cuModuleUnload(module);
  if (stream)
    driver.cuStreamDestroy(stream);
}

Status CudaDevice::findDevice(DeviceNumber which) {
  INGOT_CUDA_RETURN_IF_ERROR(driver, "start the driver", cuInit, 0);
  int count = 0;
  INGOT_CUDA_RETURN_IF_ERROR(driver, "count GPUs", cuDeviceGetCount, &count);
  unsigned number = which.number;
  if (which.wraps && count > 0)
    number %= static_cast<unsigned>(count);
  if (count <= 0 || number >= static_cast<unsigned>(count))
    return Status(StatusCode::Unavailable, "no such GPU: the CUDA driver has " +
                                               std::to_string(count) +
                                               (count == 1 ? " GPU" : " GPUs") +
                                               ", numbered from cuda:0");
  INGOT_CUDA_RETURN_IF_ERROR(driver, "find the GPU", cuDeviceGet, &device,
                             static_cast<int>(number));
  char text[256] = "";
  INGOT_CUDA_RETURN_IF_ERROR(driver, "read the GPU's name", cuDeviceGetName,
                             text, sizeof(text), device);
  theName = text;
  int major = 0, minor = 0;
  INGOT_CUDA_RETURN_IF_ERROR(
      driver, "read the GPU's compute capability", cuDeviceGetAttribute, &major,
      CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  INGOT_CUDA_RETURN_IF_ERROR(
      driver, "read the GPU's compute capability", cuDeviceGetAttribute, &minor,
      CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  capability = static_cast<unsigned>(10 * major + minor);
  INGOT_CUDA_RETURN_IF_ERROR(driver,
                             "read how many blocks the GPU runs at a time",
                             cuDeviceGetAttribute, &processors,
                             CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  return Status::ok();
}

Status CudaDevice::start(DeviceNumber which) {
  INGOT_RETURN_IF_ERROR(findDevice(which));
  if (CUresult error = context.retain(device))
    return driver.statusOf(error, "cuDevicePrimaryCtxRetain",
                           "open '" + theName + "'");
  INGOT_RETURN_IF_ERROR(enter());
  INGOT_CUDA_RETURN_IF_ERROR(driver, "create a stream", cuStreamCreate, &stream,
                             CU_STREAM_NON_BLOCKING);
  INGOT_RETURN_IF_ERROR(loadImage());
  INGOT_ASSIGN_OR_RETURN(uploads, PinnedBuffers::create(driver, stream));
  INGOT_ASSIGN_OR_RETURN(downloads, PinnedBuffers::create(driver, stream));
  return Status::ok();
}

/// Formats a compute capability: 90 as "9.0".
static std::string capabilityText(unsigned capability) {
  return std::to_string(capability / 10) + "." +
         std::to_string(capability % 10);
}

/// Loads the first image for this GPU that the driver accepts. The driver may
/// be older than the compiler and refuse newer machine code or PTX; then the
/// next image is tried.
Status CudaDevice::loadImage() {
  Status refusal;
  std::string known;
  for (uint32_t i = 0; i < code.num_images; ++i) {
    const ingot_device_image &candidate = code.images[i];
    known += (i > 0 ? ", " : "") + std::string(candidate.arch);
    if (capability < candidate.first_capability ||
        capability > candidate.last_capability)
      continue;
    bool isRefused = false;
    Status status = loadImage(candidate, isRefused);
    if (status.isOk())
      return findKernels();
    if (!isRefused)
      return status;
    if (refusal.isOk())
      refusal = std::move(status);
  }
  if (!refusal.isOk())
    return refusal;
  return Status(StatusCode::Unavailable,
                "'" + theName + "' has compute capability " +
                    capabilityText(capability) +
                    "; this program has code for " + known);
}

Status CudaDevice::loadImage(const ingot_device_image &candidate,
                             bool &isRefused) {
  std::array<char, 4096> log = {};
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  CUresult error =
      driver.cuModuleLoadDataEx(&module, candidate.bytes, 2, options, values);
  if (!error) {
    image = &candidate;
    return Status::ok();
  }
  module = nullptr;
  isRefused = error == CUDA_ERROR_INVALID_IMAGE ||
              error == CUDA_ERROR_NO_BINARY_FOR_GPU ||
              error == CUDA_ERROR_INVALID_PTX ||
              error == CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  Status status = driver.statusOf(error, "cuModuleLoadDataEx",
                                  "load the kernels' code for " +
                                      std::string(candidate.arch));
  return log[0] ? Status(status.code(), status.message() + "\n" + log.data())
                : status;
}

Status CudaDevice::findKernels() {
  for (const ingot_device_kernel &kernel : kernels()) {
    CudaKernel &found = functions.emplace_back();
    if (!kernel.entry)
      continue;
    found.code = &kernel;
    found.maxBlocks =
        kernel.is_persistent ? processors : std::numeric_limits<int>::max();
    INGOT_CUDA_RETURN_IF_ERROR(
        driver, "find kernel '" + std::string(kernel.entry) + "'",
        cuModuleGetFunction, &found.function, module, kernel.entry);
    if (kernel.dynamic_shared > 0)
      INGOT_CUDA_RETURN_IF_ERROR(
          driver,
          "set the shared memory of '" + std::string(kernel.entry) + "' " +
              std::to_string(kernel.dynamic_shared) + " bytes",
          cuFuncSetAttribute, found.function,
          CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
          static_cast<int>(kernel.dynamic_shared));
  }
  return stepKernel.find(driver, device, module, *image);
}

Status CudaDevice::enter() {
  if (CUresult error = context.enter())
    return driver.statusOf(error, "cuCtxSetCurrent", "use '" + theName + "'");
  return Status::ok();
}

Expected<DeviceAddress> CudaDevice::allocate(uint64_t size,
                                             std::string_view what) {
  INGOT_RETURN_IF_ERROR(enter());
  std::string purpose = "allocate " + std::to_string(size) + " bytes of '" +
                        theName + "' for " + std::string(what);
  CUdeviceptr address = 0;
  uint64_t bytes = std::max<uint64_t>(size, 1);
  INGOT_CUDA_RETURN_IF_ERROR(driver, purpose, cuMemAlloc, &address, bytes);
  if (CUresult error = driver.cuMemsetD8Async(address, 0, bytes, stream)) {
    driver.cuMemFree(address);
    return driver.statusOf(error, "cuMemsetD8Async", purpose);
  }
  return static_cast<DeviceAddress>(address);
}

void CudaDevice::release(DeviceAddress address) {
  // Launches that still run may use the memory, so wait for them. Ignore their
  // failures here: the next call that waits reports them.
  if (context.enter() == CUDA_SUCCESS)
    driver.cuStreamSynchronize(stream);
  driver.cuMemFree(address);
}

/// Adds the nodes of the latest launches to a failure. The driver reports the
/// failure of a kernel only in a later call, so these launches are its likely
/// cause.
Status CudaDevice::afterLaunches(Status status) const {
  if (status.isOk() || !firstNode)
    return status;
  std::string nodes = "'" + std::string(firstNode) + "'";
  if (lastNode != firstNode)
    nodes += " to '" + std::string(lastNode) + "'";
  return std::move(status).withContext("after the kernels of " + nodes);
}

Status CudaDevice::upload(std::span<const HostToDeviceCopy> given) {
  INGOT_RETURN_IF_ERROR(enter());
  for (const HostToDeviceCopy &copy : given)
    INGOT_RETURN_IF_ERROR(afterLaunches(uploads->upload(copy)));
  return Status::ok();
}

std::unique_ptr<DeviceStagingBuffers> CudaDevice::makeStaging() {
  return std::make_unique<CudaStagingBuffers>(driver, *this, stream, copies);
}

Status CudaDevice::download(std::span<const DeviceToHostCopy> wanted) {
  INGOT_RETURN_IF_ERROR(enter());
  for (const DeviceToHostCopy &copy : wanted)
    INGOT_RETURN_IF_ERROR(afterLaunches(downloads->download(copy)));
  return afterLaunches(downloads->finishDownloads());
}

Status CudaDevice::synchronize() {
  INGOT_RETURN_IF_ERROR(enter());
  if (CUresult error = driver.cuStreamSynchronize(stream))
    return afterLaunches(
        driver.statusOf(error, "cuStreamSynchronize", "wait for the device"));
  return Status::ok();
}

Expected<bool> CudaDevice::canReduce(int32_t dtype, ingot_exchange_kind kind) {
  INGOT_RETURN_IF_ERROR(enter());
  return reductions.find(module, dtype, kind);
}

Status CudaDevice::reduce(const DeviceReduction &reduction) {
  INGOT_RETURN_IF_ERROR(enter());
  return reduction.count == 0 ? Status::ok()
                              : reductions.launch(stream, reduction);
}

Status CudaDevice::launchEach(std::span<const DeviceLaunch> launches) {
  for (const DeviceLaunch &launch : launches) {
    if (launch.blocks == 0)
      continue;
    if (launch.isCopy()) {
      const std::vector<uint64_t> &copy = launch.parameters;
      INGOT_CUDA_RETURN_IF_ERROR(
          driver, "copy on the device for '" + std::string(launch.node) + "'",
          cuMemcpyDtoDAsync, copy[0], copy[1], copy[2], stream);
      continue;
    }
    const CudaKernel &kernel = functions[launch.kernel];
    CudaLaunchParameters parameters;
    INGOT_RETURN_IF_ERROR(parameters.set(driver, kernel, launch));
    if (CUresult error = driver.cuLaunchKernel(
            kernel.function, kernel.blocksOf(launch), 1, 1,
            kernel.code->threads, 1, 1, kernel.code->dynamic_shared, stream,
            parameters.addresses(), nullptr))
      return driver.statusOf(
          error, "cuLaunchKernel",
          "launch '" + std::string(image->kernels[launch.kernel].entry) +
              "', " + std::to_string(kernel.blocksOf(launch)) + " blocks of " +
              std::to_string(kernel.code->threads) + " threads, for '" +
              launch.node + "'");
  }
  return Status::ok();
}

/// Returns the remembered sequence that equals `launches`. If there is none,
/// remembers `launches` for the next time and returns null. If `maxVariants`
/// similar sequences are remembered already, first drops the least recently
/// used of them. Does not remember `launches` if `maxRuns` sequences are
/// remembered already.
CudaDevice::CachedLaunchSequence *
CudaDevice::findRepeated(std::span<const DeviceLaunch> launches) {
  for (auto run = runs.begin(); run != runs.end(); ++run)
    if ((*run)->graph.matches(launches)) {
      std::rotate(run, run + 1, runs.end());
      return runs.back().get();
    }
  auto alike = [&](const std::unique_ptr<CachedLaunchSequence> &run) {
    return run->graph.resembles(launches);
  };
  if (std::count_if(runs.begin(), runs.end(), alike) >=
      static_cast<ptrdiff_t>(maxVariants))
    runs.erase(std::find_if(runs.begin(), runs.end(), alike));
  if (runs.size() >= maxRuns)
    return nullptr;
  bool startsEarly = image->first_capability >= INGOT_FIRST_WAITING_CAPABILITY;
  std::unique_ptr<CachedLaunchSequence> added(new CachedLaunchSequence{
      CudaGraph(driver, context.get(), launches, startsEarly), std::nullopt});
  if (stepKernel.isThere())
    if (std::optional<StepKernelLaunchTable> plan =
            StepKernelLaunchTable::of(launches, kernels())) {
      CudaWholeStepKernel::StepKernelGrid shape =
          stepKernel.shapeFor(plan->width());
      added->step =
          StepKernelLaunchSequence{std::move(*plan), shape, DeviceMemory(), 0};
    }
  runs.push_back(std::move(added));
  return nullptr;
}

/// Uploads the table of launches of `step` to new memory on the device. The
/// first call also allocates the counter of the step kernel's barrier.
Status CudaDevice::prepare(StepKernelLaunchSequence &step) {
  if (counter.size() == 0) {
    INGOT_ASSIGN_OR_RETURN(
        counter,
        DeviceMemory::allocate(*this, sizeof(uint32_t), "the step's counter"));
  }
  std::vector<uint8_t> table = step.plan.tableFor(step.shape.blocks);
  INGOT_ASSIGN_OR_RETURN(
      DeviceMemory memory,
      DeviceMemory::allocate(*this, table.size(), "the step's table"));
  HostToDeviceCopy copy = {memory.address(), table.data(), table.size()};
  INGOT_RETURN_IF_ERROR(upload({&copy, 1}));
  step.tableBytes = static_cast<uint32_t>(table.size());
  step.table = std::move(memory);
  return Status::ok();
}

Status CudaDevice::launchAgain(CachedLaunchSequence &run,
                               std::span<const DeviceLaunch> launches) {
  if (!run.step || !stepKernel.isThere())
    return run.graph.launch(functions, stream);
  StepKernelLaunchSequence &step = *run.step;
  if (step.tableBytes == 0)
    INGOT_RETURN_IF_ERROR(prepare(step));
  CUresult error =
      stepKernel.launch(driver, stream, step.shape, step.table.address(),
                        static_cast<uint32_t>(step.plan.numRows()),
                        step.tableBytes, counter.address());
  // The step kernel needs all of its blocks on the GPU at the same time. The
  // driver said earlier that they fit, but another process may use the GPU by
  // now. CUDA graphs have no such requirement, so use them from now on.
  if (error == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE ||
      error == CUDA_ERROR_INVALID_CLUSTER_SIZE ||
      error == CUDA_ERROR_NOT_SUPPORTED) {
    stepKernel.giveUp();
    return run.graph.launch(functions, stream);
  }
  if (error)
    return driver.statusOf(error, "cuLaunchKernelEx",
                           "launch the kernels from '" +
                               std::string(launches.front().node) + "' to '" +
                               launches.back().node + "' as one");
  return Status::ok();
}

Status CudaDevice::launch(std::span<const DeviceLaunch> launches) {
  if (launches.empty())
    return Status::ok();
  INGOT_RETURN_IF_ERROR(enter());
  CachedLaunchSequence *run =
      launches.size() > 1 ? findRepeated(launches) : nullptr;
  Status status = run ? launchAgain(*run, launches) : launchEach(launches);
  bool isAnyNamed = false;
  for (const DeviceLaunch &launch : launches) {
    if (launch.isCopy())
      continue;
    if (!isAnyNamed)
      firstNode = launch.node;
    isAnyNamed = true;
    lastNode = launch.node;
  }
  return status;
}
