//===- CudaGraph.cpp - Recurring launches as a CUDA graph -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/CudaGraph.h"

#include "runtime/Device/DeviceLaunchDependences.h"

#include <algorithm>

using namespace ingot;
using namespace ingot::cuda;

CudaGraph::~CudaGraph() {
  if (executable)
    driver.cuGraphExecDestroy(executable);
  if (graph)
    driver.cuGraphDestroy(graph);
}

bool CudaGraph::matches(std::span<const DeviceLaunch> others) const {
  return std::equal(launches.begin(), launches.end(), others.begin(),
                    others.end());
}

bool CudaGraph::resembles(std::span<const DeviceLaunch> others) const {
  return launches.size() == others.size() &&
         launches.front().node == others.front().node &&
         launches.back().node == others.back().node;
}

/// Adds a node for the copy `launch`, which depends on the nodes `before`, and
/// stores it in `node`.
Status CudaGraph::addCopy(const DeviceLaunch &launch,
                          std::span<const CUgraphNode> before,
                          CUgraphNode &node) {
  CUDA_MEMCPY3D copy = {};
  copy.to.memoryType = copy.from.memoryType = CU_MEMORYTYPE_DEVICE;
  copy.to.device = launch.parameters[0];
  copy.from.device = launch.parameters[1];
  copy.widthInBytes = launch.parameters[2];
  copy.height = copy.depth = 1;
  INGOT_CUDA_RETURN_IF_ERROR(
      driver, "add a copy for '" + std::string(launch.node) + "' to the graph",
      cuGraphAddMemcpyNode, &node, graph, before.data(), before.size(), &copy,
      context);
  return Status::ok();
}

/// Adds a node for the kernel `launch`, which depends on the nodes `before`,
/// and stores it in `node`. If `isEarly`, the kernel starts before its only
/// predecessor has ended, and the kernel's code waits for the predecessor
/// (programmatic dependent launch). If the driver refuses that, clears
/// `startsEarly`; build() then builds the graph again without early starts.
Status CudaGraph::addKernel(std::span<const CudaKernel> kernels,
                            const DeviceLaunch &launch,
                            std::span<const CUgraphNode> before, bool isEarly,
                            CUgraphNode &node) {
  const CudaKernel &kernel = kernels[launch.kernel];
  CudaLaunchParameters parameters; // local, as the driver copies them
  INGOT_RETURN_IF_ERROR(parameters.set(driver, kernel, launch));
  CUDA_KERNEL_NODE_PARAMS params = {};
  params.function = kernel.function;
  params.gridX = kernel.blocksOf(launch);
  params.gridY = params.gridZ = params.blockY = params.blockZ = 1;
  params.blockX = kernel.code->threads;
  params.shared = kernel.code->dynamic_shared;
  params.parameters = parameters.addresses();
  std::string purpose = "add '" + std::string(launch.node) + "' to the graph";
  INGOT_CUDA_RETURN_IF_ERROR(driver, purpose, cuGraphAddKernelNode, &node,
                             graph, before.data(), isEarly ? 0 : before.size(),
                             &params);
  if (!isEarly)
    return Status::ok();
  CUgraphEdgeData edge = {CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
                          0,
                          CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC,
                          {}};
  CUresult error = driver.cuGraphAddDependencies(graph, before.data(), &node,
                                                 &edge, /*count=*/1);
  if (error == CUDA_ERROR_NOT_SUPPORTED) { // build() starts again
    startsEarly = false;
    return Status::ok();
  }
  return error ? driver.statusOf(error, "cuGraphAddDependencies", purpose)
               : Status::ok();
}

Status CudaGraph::build(std::span<const CudaKernel> kernels) {
  if (graph) // left by an earlier call that failed
    driver.cuGraphDestroy(graph);
  graph = nullptr;
  INGOT_CUDA_RETURN_IF_ERROR(driver, "create a graph of the launches",
                             cuGraphCreate, &graph, 0);
  std::vector<std::vector<size_t>> order = orderOf(launches);
  std::vector<CUgraphNode> nodes(launches.size());
  for (size_t i = 0; i < launches.size(); ++i) {
    const DeviceLaunch &launch = launches[i];
    if (launch.blocks == 0)
      continue;
    std::vector<CUgraphNode> before;
    for (size_t other : order[i])
      before.push_back(nodes[other]);
    if (launch.isCopy()) {
      INGOT_RETURN_IF_ERROR(addCopy(launch, before, nodes[i]));
      continue;
    }
    bool couldStartEarly = startsEarly;
    bool isEarly =
        startsEarly && order[i].size() == 1 && !launches[order[i][0]].isCopy();
    INGOT_RETURN_IF_ERROR(
        addKernel(kernels, launch, before, isEarly, nodes[i]));
    if (couldStartEarly && !startsEarly)
      return build(kernels);
  }
  INGOT_CUDA_RETURN_IF_ERROR(driver, "instantiate the graph of the launches",
                             cuGraphInstantiate, &executable, graph, 0);
  return Status::ok();
}

Status CudaGraph::launch(std::span<const CudaKernel> kernels, CUstream stream) {
  if (!executable)
    INGOT_RETURN_IF_ERROR(build(kernels));
  INGOT_CUDA_RETURN_IF_ERROR(driver,
                             "launch the graph that begins with '" +
                                 std::string(launches.front().node) + "'",
                             cuGraphLaunch, executable, stream);
  return Status::ok();
}
