//===- CudaGraph.cpp - Launches that come again, as a CUDA graph ----------===//

#include "runtime/Device/CudaGraph.h"

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

Status CudaGraph::build(std::span<const CudaKernel> kernels) {
  if (graph) // of an attempt that failed
    driver.cuGraphDestroy(graph);
  INGOT_CUDA_RETURN_IF_ERROR(driver, "make a graph of the launches",
                             cuGraphCreate, &graph, 0);
  CUgraphNode last = nullptr;
  for (DeviceLaunch &launch : launches) {
    if (launch.blocks == 0)
      continue;
    std::vector<void *> parameters;
    for (uint64_t &parameter : launch.parameters)
      parameters.push_back(&parameter);
    const CudaKernel &kernel = kernels[launch.kernel];
    CUDA_KERNEL_NODE_PARAMS node = {};
    node.function = kernel.function;
    node.gridX = static_cast<unsigned>(launch.blocks);
    node.gridY = node.gridZ = node.blockY = node.blockZ = 1;
    node.blockX = kernel.threads;
    node.parameters = parameters.data();
    CUgraphNode before = last;
    INGOT_CUDA_RETURN_IF_ERROR(
        driver, "add '" + std::string(launch.node) + "' to the graph",
        cuGraphAddKernelNode, &last, graph, &before, before ? 1 : 0, &node);
  }
  INGOT_CUDA_RETURN_IF_ERROR(driver, "make the graph of the launches ready",
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
