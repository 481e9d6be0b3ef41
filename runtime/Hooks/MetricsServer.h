//===- MetricsServer.h - A run's metrics over HTTP --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_METRICSSERVER_H
#define INGOT_RUNTIME_HOOKS_METRICSSERVER_H

#include "runtime/Hooks/RunStatus.h"
#include "runtime/Support/Thread.h"

#include <deque>
#include <memory>

namespace ingot {

/// Answers GET /metrics in Prometheus's text format (version 0.0.4), GET
/// /healthz (the process is there) and GET /readyz (training has its state, or
/// 503) on a thread of its own, until it is destroyed. Any number of clients
/// may ask; none is waited for: one that has not sent its request or taken its
/// answer within five seconds is dropped.
class MetricsServer {
public:
  /// Listens on `host`, an IPv4 or IPv6 address or "localhost", and `port`; 0:
  /// a free one, which port() returns. `batch` is the number of examples of a
  /// step; 0: unknown. Returns InvalidArgument for a host that is no address,
  /// and Unavailable if the system refuses.
  static Expected<std::unique_ptr<MetricsServer>> start(const std::string &host,
                                                        uint16_t port,
                                                        int64_t batch,
                                                        const RunStatus &);
  ~MetricsServer();

  uint16_t port() const { return thePort; }

private:
  struct Client;

  MetricsServer(int64_t batch, const RunStatus &status)
      : batch(batch), status(status) {}
  Status listen(const std::string &host, uint16_t port);
  void serve();
  void accept(std::vector<Client> &clients);
  void sample(double now);
  std::string answer(const std::string &request) const;
  std::string metrics() const;

  int64_t batch;
  const RunStatus &status;
  int socket = -1, wake = -1;
  uint16_t thePort = 0;
  /// Steps that had run at some times, one second apart, of the last ten.
  std::deque<std::pair<double, int64_t>> samples;
  Thread thread;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_METRICSSERVER_H
