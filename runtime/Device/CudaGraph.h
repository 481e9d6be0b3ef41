//===- CudaGraph.h - Recurring launches as a CUDA graph ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_CUDAGRAPH_H
#define INGOT_RUNTIME_DEVICE_CUDAGRAPH_H

#include "runtime/Device/CudaLaunchParameters.h"

#include <span>
#include <vector>

namespace ingot::cuda {

/// A remembered sequence of launches. When the same launches come a second
/// time, a CUDA graph is built from them, node by node, without capturing a
/// stream.
class CudaGraph {
public:
  /// `startsEarly` means that the code of the kernels itself waits for their
  /// predecessors (programmatic dependent launch). A kernel with a single
  /// predecessor is then started before the predecessor has ended, if the
  /// driver supports it.
  CudaGraph(const CudaDriver &driver, CUcontext context,
            std::span<const DeviceLaunch> launches, bool startsEarly)
      : driver(driver), context(context),
        launches(launches.begin(), launches.end()),
        startsEarly(startsEarly && driver.cuGraphAddDependencies) {}
  ~CudaGraph();

  /// Returns true if `others` are the same launches with the same parameters.
  bool matches(std::span<const DeviceLaunch> others) const;

  /// Returns true if `others` look like the same launches with other
  /// parameters: their number, first node and last node are equal.
  bool resembles(std::span<const DeviceLaunch> others) const;

  /// Launches the graph on `stream`. The first call builds it.
  Status launch(std::span<const CudaKernel> kernels, CUstream stream);

private:
  Status build(std::span<const CudaKernel> kernels);
  Status addKernel(std::span<const CudaKernel> kernels,
                   const DeviceLaunch &launch,
                   std::span<const CUgraphNode> before, bool isEarly,
                   CUgraphNode &node);
  Status addCopy(const DeviceLaunch &launch,
                 std::span<const CUgraphNode> before, CUgraphNode &node);

  const CudaDriver &driver;
  CUcontext context;
  std::vector<DeviceLaunch> launches;
  bool startsEarly;
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
};

} // namespace ingot::cuda

#endif // INGOT_RUNTIME_DEVICE_CUDAGRAPH_H
