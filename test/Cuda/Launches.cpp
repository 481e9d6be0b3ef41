//===- Launches.cpp - The tests' CUDA driver: modules, kernels, graphs ----===//

#include "codegen/Emulate/ImageName.h"
#include "test/Cuda/Driver.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>

/// The driver's own compiler takes PTX of its time: CUDA 12.0 has PTX 8.0.
static bool takesVersion(int driverVersion, const char *image) {
  const char *line = std::strstr(image, ".version ");
  int major = 0, minor = 0;
  if (!line || std::sscanf(line, ".version %d.%d", &major, &minor) != 2)
    return false;
  int ownMajor = driverVersion / 1000 - 4, ownMinor = driverVersion % 1000 / 10;
  return major < ownMajor || (major == ownMajor && minor <= ownMinor);
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
  auto *text = static_cast<const char *>(image);
  if (!takesVersion(driver.version, text)) {
    log("the image's PTX version is not known to this driver");
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  std::string path =
      driver.kernelFolder + "/" + ingot::emulate::imageName(text);
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    log("no emulated kernels for this image: " + std::string(dlerror()));
    return CUDA_ERROR_INVALID_IMAGE;
  }
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
  *function =
      &module->functions
           .try_emplace(
               name,
               CUfunc_st{reinterpret_cast<ingot::emulator::Kernel>(symbol),
                         name, static_cast<const uint32_t *>(sizes), range[0],
                         static_cast<size_t>(range[1] - range[0])})
           .first->second;
  return CUDA_SUCCESS;
}

KernelCall KernelCall::make(CUfunction function, ingot::emulator::Shape grid,
                            ingot::emulator::Shape block, void **values) {
  KernelCall call = {function, grid, block, {}};
  for (const uint32_t *size = function->parameterSizes; *size; ++size) {
    auto *bytes = static_cast<const uint8_t *>(*values++);
    call.parameters.emplace_back(bytes, bytes + *size);
  }
  return call;
}

CUresult KernelCall::run() {
  std::vector<void *> places;
  for (std::vector<uint8_t> &parameter : parameters)
    places.push_back(parameter.data());
  std::string fault = ingot::emulator::run(
      {function->kernel, function->name, grid, block, function->shared,
       function->sharedBytes, Driver::get().isReversed},
      places.data());
  if (fault.empty())
    return CUDA_SUCCESS;
  std::fprintf(stderr, "emulated GPU: %s\n", fault.c_str());
  return CUDA_ERROR_LAUNCH_FAILED;
}

/// What a driver refuses at once.
static CUresult checkShape(const ingot::emulator::Shape &grid,
                           const ingot::emulator::Shape &block) {
  bool fits = grid.count() > 0 && grid.x <= 0x7fffffff && grid.y <= 65535 &&
              grid.z <= 65535 && block.count() > 0 && block.count() <= 1024;
  return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

INGOT_EXPORT cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                            unsigned gridZ, unsigned blockX, unsigned blockY,
                            unsigned blockZ, unsigned, CUstream stream,
                            void **parameters, void **) {
  INGOT_BEGIN(cuLaunchKernel);
  ingot::emulator::Shape grid{gridX, gridY, gridZ},
      block{blockX, blockY, blockZ};
  if (CUresult error = checkShape(grid, block))
    return error;
  KernelCall call = KernelCall::make(function, grid, block, parameters);
  stream->work.push_back([call]() mutable { return call.run(); });
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
  if (CUresult error = checkShape(grid, block))
    return error;
  graph->nodes.push_back(
      {KernelCall::make(kernel->function, grid, block, kernel->parameters),
       std::vector<CUgraphNode>(before, before + count)});
  *node = &graph->nodes.back();
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                         unsigned long long) {
  INGOT_BEGIN(cuGraphInstantiate);
  if (!driver.has("graph", graph))
    return CUDA_ERROR_INVALID_HANDLE;
  *exec = driver.own("executable graph", new CUgraphExec_st);
  // Of nodes that do not wait for each other, the last goes first: what relies
  // on an order that no edge states shows.
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
