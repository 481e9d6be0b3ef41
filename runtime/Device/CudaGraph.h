//===- CudaGraph.h - Launches that come again, as a CUDA graph --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_CUDAGRAPH_H
#define INGOT_RUNTIME_DEVICE_CUDAGRAPH_H

#include "runtime/Device/CudaParameters.h"

#include <span>
#include <vector>

namespace ingot::cuda {

/// A run of launches, remembered as it was last: made a graph when it comes a
/// second time, node by node; no stream is captured.
class CudaGraph {
public:
  /// With `startsEarly` kernels wait themselves for those before them: one that
  /// follows a single other starts before that has ended, where the driver can.
  explicit CudaGraph(const CudaDriver &driver,
                     std::span<const DeviceLaunch> launches, bool startsEarly)
      : driver(driver), launches(launches.begin(), launches.end()),
        startsEarly(startsEarly && driver.cuGraphAddDependencies) {}
  ~CudaGraph();

  /// Whether these launches are the same ones.
  bool matches(std::span<const DeviceLaunch> others) const;

  /// Whether these could be the same launches with other parameters.
  bool resembles(std::span<const DeviceLaunch> others) const;

  /// Launches the graph, which it builds at first use.
  Status launch(std::span<const CudaKernel> kernels, CUstream stream);

private:
  Status build(std::span<const CudaKernel> kernels);
  Status add(std::span<const CudaKernel> kernels, DeviceLaunch &launch,
             std::span<const CUgraphNode> before, CUgraphNode &node);

  const CudaDriver &driver;
  std::vector<DeviceLaunch> launches;
  bool startsEarly;
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
};

} // namespace ingot::cuda

#endif // INGOT_RUNTIME_DEVICE_CUDAGRAPH_H
