//===- Launches.cpp - The tests' CUDA driver: modules, kernels, graphs ----===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Emulate/EmulatedObjectName.h"
#include "test/Cuda/Driver.h"
#include "test/Emulator/TensorMap.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <string_view>

/// The bytes of an image: of an ELF file all of it, of PTX the text up to its
/// terminating zero.
static std::string_view bytesOf(const void *image) {
  auto *bytes = static_cast<const char *>(image);
  if (std::memcmp(bytes, ELFMAG, SELFMAG) != 0)
    return bytes;
  auto *header = static_cast<const Elf64_Ehdr *>(image);
  size_t size = std::max<size_t>(
      header->e_shoff + size_t(header->e_shnum) * header->e_shentsize,
      header->e_phoff + size_t(header->e_phnum) * header->e_phentsize);
  return {bytes, std::max(size, sizeof(Elf64_Ehdr))};
}

namespace {

/// What an image's header says about the GPUs that it is for.
struct ImageKind {
  std::string arch; // "sm_90a"
  bool isBinary = false;
  int capability = 0;
  int ptxMajor = 0, ptxMinor = 0;
};

} // namespace

static ImageKind kindOf(std::string_view bytes) {
  ImageKind kind;
  if (bytes.starts_with(ELFMAG)) {
    // Since CUDA 13 the second byte of the ELF flags is the compute capability.
    uint32_t flags =
        reinterpret_cast<const Elf64_Ehdr *>(bytes.data())->e_flags;
    kind.isBinary = true;
    kind.capability = static_cast<int>(flags >> 8 & 0xff);
    kind.arch = "sm_" + std::to_string(kind.capability);
    return kind;
  }
  const char *version = std::strstr(bytes.data(), ".version ");
  const char *target = std::strstr(bytes.data(), ".target ");
  char arch[16] = "";
  if (!version || !target ||
      std::sscanf(version, ".version %d.%d", &kind.ptxMajor, &kind.ptxMinor) !=
          2 ||
      std::sscanf(target, ".target %15[a-z0-9_]", arch) != 1)
    return kind;
  kind.arch = arch;
  kind.capability = std::atoi(arch + std::strlen("sm_"));
  return kind;
}

/// Accepts the images that CUDA's drivers accept. PTX must not be newer than
/// the driver (CUDA 12.0 has PTX 8.0), nor its target newer than the GPU.
/// Machine code of CUDA 13 needs a driver of CUDA 13 and a GPU of the same
/// generation that is not older. A target with a letter at the end is for one
/// GPU only.
static CUresult take(const Driver &driver, const ImageKind &kind,
                     std::string &problem) {
  if (kind.isBinary && driver.version < 13000) {
    problem = "the image is newer than this driver";
    return CUDA_ERROR_INVALID_IMAGE;
  }
  int ownMajor = driver.version / 1000 - 4,
      ownMinor = driver.version % 1000 / 10;
  if (!kind.isBinary &&
      (kind.ptxMajor == 0 || kind.ptxMajor > ownMajor ||
       (kind.ptxMajor == ownMajor && kind.ptxMinor > ownMinor))) {
    problem = "the image's PTX version is not known to this driver";
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  bool isForOne = kind.arch.ends_with("a");
  bool runs = isForOne ? driver.capability == kind.capability
              : kind.isBinary
                  ? driver.capability / 10 == kind.capability / 10 &&
                        driver.capability >= kind.capability
                  : driver.capability >= kind.capability;
  if (runs)
    return CUDA_SUCCESS;
  problem = "the image is for " + kind.arch;
  return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

INGOT_EXPORT cuModuleLoadDataEx(CUmodule *module, const void *image,
                                unsigned count, int *options, void **values) {
  INGOT_BEGIN(cuModuleLoadDataEx);
  auto log = [&](const std::string &text) {
    char *buffer = nullptr;
    size_t size = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
        buffer = static_cast<char *>(values[i]);
      else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        size = reinterpret_cast<size_t>(values[i]);
    }
    if (buffer && size > 0)
      std::snprintf(buffer, size, "%s", text.c_str());
  };
  std::string_view bytes = bytesOf(image);
  ImageKind kind = kindOf(bytes);
  std::string problem;
  if (CUresult error = take(driver, kind, problem)) {
    log(problem);
    return error;
  }
  std::string path =
      driver.kernelFolder + "/" + ingot::emulate::imageName(bytes);
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    log("no emulated kernels for this image: " + std::string(dlerror()));
    return CUDA_ERROR_INVALID_IMAGE;
  }
  driver.count("image " + kind.arch + (kind.isBinary ? " cubin" : " ptx"), 1);
  *module = driver.own("module", new CUmod_st);
  (*module)->library = library;
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuModuleUnload(CUmodule module) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  CUresult error = driver.begin("cuModuleUnload");
  driver.workAll();
  if (!driver.disown("module", module))
    return CUDA_ERROR_INVALID_HANDLE;
  dlclose(module->library);
  delete module;
  return error;
}

/// The largest dynamic shared memory of a launch in bytes: 48 KiB without
/// opting in, and up to mostDynamic() with it (CUDA C++ Programming Guide,
/// "Technical Specifications").
static constexpr int everyBlocksDynamic = 48 * 1024;
static int mostDynamic(int capability) {
  int kilobytes = capability == 80                       ? 163
                  : capability < 90 || capability >= 120 ? 99
                                                         : 227;
  return kilobytes * 1024;
}

INGOT_EXPORT cuModuleGetFunction(CUfunction *function, CUmodule module,
                                 const char *name) {
  INGOT_BEGIN(cuModuleGetFunction);
  if (!driver.has("module", module))
    return CUDA_ERROR_INVALID_HANDLE;
  void *symbol = dlsym(module->library, name);
  void *sizes =
      dlsym(module->library, (std::string(name) + ".parameters").c_str());
  auto *range =
      static_cast<uint8_t **>(dlsym(module->library, "ingot_shared_range"));
  if (!symbol || !sizes || !range)
    return CUDA_ERROR_NOT_FOUND;
  void *resources =
      dlsym(module->library, (std::string(name) + ".resources").c_str());
  *function =
      &module->functions
           .try_emplace(
               name,
               CUfunc_st{
                   reinterpret_cast<ingot::emulator::Kernel>(symbol), name,
                   static_cast<const uint32_t *>(sizes), range[0],
                   static_cast<size_t>(range[1] - range[0]), range[2],
                   everyBlocksDynamic,
                   static_cast<ingot::emulator::KernelResources *>(resources),
                   false})
           .first->second;
  return CUDA_SUCCESS;
}

/// Only these attributes of a kernel may be set, up to limits that depend on
/// the compute capability.
INGOT_EXPORT cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  INGOT_BEGIN(cuFuncSetAttribute);
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES &&
      value >= 0 && value <= mostDynamic(driver.capability)) {
    function->mostDynamic = value;
    return CUDA_SUCCESS;
  }
  if (attribute != CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED ||
      driver.capability < 90)
    return CUDA_ERROR_INVALID_VALUE;
  function->takesLargeClusters = value != 0;
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuTensorMapEncodeTiled(CUtensorMap *map, int type, unsigned rank,
                                    void *address, const uint64_t *sizes,
                                    const uint64_t *strides,
                                    const uint32_t *boxes,
                                    const uint32_t *steps, int interleave,
                                    int swizzle, int, int fill) {
  INGOT_BEGIN(cuTensorMapEncodeTiled);
  using ingot::emulator::TensorMap;
  if (rank < 1 || rank > TensorMap::maxRank || interleave != 0 || fill != 0 ||
      swizzle != CU_TENSOR_MAP_SWIZZLE_128B || driver.capability < 90)
    return CUDA_ERROR_INVALID_VALUE;
  TensorMap encoded;
  encoded.mark = TensorMap::magic;
  encoded.address = reinterpret_cast<uint64_t>(address);
  encoded.rank = rank;
  encoded.elementBytes = type == CU_TENSOR_MAP_DATA_TYPE_UINT16   ? 2
                         : type == CU_TENSOR_MAP_DATA_TYPE_UINT32 ? 4
                                                                  : 0;
  encoded.swizzleBytes = 128;
  for (unsigned i = 0; i < rank; ++i) {
    encoded.sizes[i] = sizes[i];
    encoded.boxes[i] = boxes[i];
    if (steps[i] != 1)
      return CUDA_ERROR_INVALID_VALUE;
    if (i + 1 < rank)
      encoded.strides[i] = strides[i];
  }
  if (!encoded.isValid())
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(map, &encoded, sizeof(encoded));
  return CUDA_SUCCESS;
}

KernelCall KernelCall::make(CUfunction function, ingot::emulator::Shape grid,
                            ingot::emulator::Shape block, size_t dynamicBytes,
                            void **values) {
  KernelCall call = {function, grid,  block, dynamicBytes,
                     {},       false, false, false};
  for (const uint32_t *size = function->parameterSizes; *size; ++size) {
    auto *bytes = static_cast<const uint8_t *>(*values++);
    call.parameters.emplace_back(bytes, bytes + *size);
  }
  return call;
}

/// A kernel is assumed to write all memory to which its parameters point; for a
/// step kernel also the memory at the addresses in its table.
bool KernelCall::isOrdered(CUstream stream) const {
  Driver &driver = Driver::get();
  if (copy)
    return driver.isOrdered(stream,
                            reinterpret_cast<const void *>(copy->from.device),
                            /*isWritten=*/false, "a copy of a graph") &&
           driver.isOrdered(stream,
                            reinterpret_cast<const void *>(copy->to.device),
                            /*isWritten=*/true, "a copy of a graph");
  auto isAddressOrdered = [&](const void *address) {
    return !address || driver.isOrdered(stream, address, /*isWritten=*/true,
                                        function->name.c_str());
  };
  for (const std::vector<uint8_t> &parameter : parameters) {
    void *address = nullptr;
    if (parameter.size() == sizeof(address))
      std::memcpy(&address, parameter.data(), sizeof(address));
    if (!isAddressOrdered(address))
      return false;
    auto table = driver.live["memory"].find(address);
    if (!together || table == driver.live["memory"].end())
      continue;
    for (size_t at = 0; at + sizeof(void *) <= table->second;
         at += sizeof(void *)) {
      std::memcpy(&address, static_cast<const char *>(table->first) + at,
                  sizeof(address));
      if (!isAddressOrdered(address))
        return false;
    }
  }
  return true;
}

CUresult KernelCall::run() {
  if (copy) {
    std::memcpy(reinterpret_cast<void *>(copy->to.device),
                reinterpret_cast<const void *>(copy->from.device),
                copy->widthInBytes);
    return CUDA_SUCCESS;
  }
  std::vector<void *> places;
  for (std::vector<uint8_t> &parameter : parameters)
    places.push_back(parameter.data());
  std::string fault = ingot::emulator::run(
      {function->kernel, function->name, grid, block, function->shared,
       function->sharedBytes, Driver::get().isReversed, startsEarly, together,
       isCluster, function->dynamic, dynamicBytes, function->resources},
      places.data());
  if (fault.empty())
    return CUDA_SUCCESS;
  std::fprintf(stderr, "emulated GPU: %s\n", fault.c_str());
  return CUDA_ERROR_LAUNCH_FAILED;
}

INGOT_EXPORT cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                            unsigned gridZ, unsigned blockX, unsigned blockY,
                            unsigned blockZ, unsigned shared, CUstream stream,
                            void **parameters, void **) {
  INGOT_BEGIN(cuLaunchKernel);
  ingot::emulator::Shape grid{gridX, gridY, gridZ},
      block{blockX, blockY, blockZ};
  if (CUresult error = checkLaunch(grid, block, function, shared))
    return error;
  KernelCall call = KernelCall::make(function, grid, block, shared, parameters);
  if (!call.isOrdered(stream))
    return driver.remember(CUDA_ERROR_LAUNCH_FAILED);
  stream->work.push_back([call]() mutable { return call.run(); });
  return CUDA_SUCCESS;
}

/// A launch's attributes besides its shape.
static CUresult readAttributes(const Driver &driver,
                               const CUlaunchConfig &config, KernelCall &call) {
  for (unsigned i = 0; i < config.numAttributes; ++i) {
    const CUlaunchAttribute &attribute = config.attributes[i];
    int blocks = static_cast<int>(config.gridX);
    switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      call.together = attribute.value.cooperative != 0;
      if (driver.together == 0)
        return CUDA_ERROR_NOT_SUPPORTED;
      if (blocks > driver.together)
        return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
      break;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      call.together = call.isCluster = true;
      // The emulator runs the whole grid as one cluster, so other cluster sizes
      // are rejected.
      if (driver.capability < 90 ||
          attribute.value.clusterDim.x != config.gridX)
        return CUDA_ERROR_NOT_SUPPORTED;
      if (blocks > driver.cluster ||
          (blocks > 8 && !call.function->takesLargeClusters))
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
      break;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
    }
  }
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                              void **parameters, void **) {
  INGOT_BEGIN(cuLaunchKernelEx);
  ingot::emulator::Shape grid{config->gridX, config->gridY, config->gridZ},
      block{config->blockX, config->blockY, config->blockZ};
  if (CUresult error = checkLaunch(grid, block, function, config->shared))
    return error;
  KernelCall call =
      KernelCall::make(function, grid, block, config->shared, parameters);
  if (CUresult error = readAttributes(driver, *config, call))
    return error;
  if (!call.isOrdered(config->stream))
    return driver.remember(CUDA_ERROR_LAUNCH_FAILED);
  driver.count(call.isCluster ? "cluster" : "cooperative launch", 1);
  config->stream->work.push_back([call]() mutable { return call.run(); });
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                         CUfunction, int,
                                                         size_t) {
  INGOT_BEGIN(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  *blocks = driver.together / driver.multiprocessors;
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuOccupancyMaxActiveClusters(int *clusters, CUfunction function,
                                          const CUlaunchConfig *config) {
  INGOT_BEGIN(cuOccupancyMaxActiveClusters);
  KernelCall call = {function, {}, {}, 0, {}, false, false, false};
  if (CUresult error = readAttributes(driver, *config, call))
    return error;
  *clusters = 1;
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuGraphCreate(CUgraph *graph, unsigned) {
  INGOT_BEGIN(cuGraphCreate);
  *graph = driver.own("graph", new CUgraph_st);
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuGraphDestroy(CUgraph graph) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  CUresult error = driver.begin("cuGraphDestroy");
  if (!driver.disown("graph", graph))
    return CUDA_ERROR_INVALID_HANDLE;
  delete graph;
  return error;
}

INGOT_EXPORT cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph,
                                     const CUgraphNode *before, size_t count,
                                     const CUDA_KERNEL_NODE_PARAMS *kernel) {
  INGOT_BEGIN(cuGraphAddKernelNode);
  if (!driver.has("graph", graph))
    return CUDA_ERROR_INVALID_HANDLE;
  ingot::emulator::Shape grid{kernel->gridX, kernel->gridY, kernel->gridZ},
      block{kernel->blockX, kernel->blockY, kernel->blockZ};
  if (CUresult error =
          checkLaunch(grid, block, kernel->function, kernel->shared))
    return error;
  driver.count("edge", count);
  graph->nodes.push_back({KernelCall::make(kernel->function, grid, block,
                                           kernel->shared, kernel->parameters),
                          std::vector<CUgraphNode>(before, before + count)});
  *node = &graph->nodes.back();
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                                  const CUgraphNode *before, size_t count,
                                  const CUDA_MEMCPY3D *copy,
                                  CUcontext context) {
  INGOT_BEGIN(cuGraphAddMemcpyNode);
  if (!driver.has("graph", graph) || !driver.has("context", context))
    return CUDA_ERROR_INVALID_HANDLE;
  for (const CUDA_MEMCPY3D_SIDE *side : {&copy->from, &copy->to})
    if (side->memoryType != CU_MEMORYTYPE_DEVICE ||
        !driver.covers("memory", reinterpret_cast<const void *>(side->device),
                       copy->widthInBytes))
      return CUDA_ERROR_INVALID_VALUE;
  if (copy->height != 1 || copy->depth != 1)
    return CUDA_ERROR_INVALID_VALUE;
  driver.count("edge", count);
  KernelCall call = {};
  call.copy = *copy;
  graph->nodes.push_back(
      {call, std::vector<CUgraphNode>(before, before + count)});
  *node = &graph->nodes.back();
  return CUDA_SUCCESS;
}

/// CUDA 12.3 added this function.
INGOT_EXPORT cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from,
                                       const CUgraphNode *to,
                                       const CUgraphEdgeData *edges,
                                       size_t count) {
  INGOT_BEGIN(cuGraphAddDependencies);
  if (driver.version < 12030)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (!driver.has("graph", graph))
    return CUDA_ERROR_INVALID_HANDLE;
  driver.count("edge", count);
  for (size_t i = 0; i < count; ++i) {
    to[i]->before.push_back(from[i]);
    if (edges[i].type != CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC)
      continue;
    // An edge with edge data must be between two kernels.
    if (from[i]->call.copy || to[i]->call.copy)
      return CUDA_ERROR_INVALID_VALUE;
    driver.count("early start", 1);
    to[i]->call.startsEarly = true;
  }
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                         unsigned long long) {
  INGOT_BEGIN(cuGraphInstantiate);
  if (!driver.has("graph", graph))
    return CUDA_ERROR_INVALID_HANDLE;
  *exec = driver.own("executable graph", new CUgraphExec_st);
  // Of the nodes whose predecessors are all placed, the last is placed first,
  // so that a missing edge shows in the results.
  std::map<CUgraphNode, bool> isPlaced;
  while (isPlaced.size() < graph->nodes.size())
    for (size_t i = graph->nodes.size(); i-- > 0;) {
      CUgraphNode_st &node = graph->nodes[i];
      bool isReady = !isPlaced.contains(&node);
      for (CUgraphNode other : node.before)
        isReady &= isPlaced.contains(other);
      if (!isReady)
        continue;
      isPlaced[&node] = true;
      (*exec)->calls.push_back(node.call);
    }
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  INGOT_BEGIN(cuGraphLaunch);
  if (!driver.has("executable graph", exec))
    return CUDA_ERROR_INVALID_HANDLE;
  for (const KernelCall &kernel : exec->calls)
    if (!kernel.isOrdered(stream))
      return driver.remember(CUDA_ERROR_LAUNCH_FAILED);
  for (const KernelCall &kernel : exec->calls)
    stream->work.push_back([call = kernel]() mutable { return call.run(); });
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuGraphExecDestroy(CUgraphExec exec) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  CUresult error = driver.begin("cuGraphExecDestroy");
  if (!driver.disown("executable graph", exec))
    return CUDA_ERROR_INVALID_HANDLE;
  delete exec;
  return error;
}
