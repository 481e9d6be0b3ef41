//===- MetricsServer.h - A run's metrics over HTTP --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_METRICSSERVER_H
#define INGOT_RUNTIME_HOOKS_METRICSSERVER_H

#include "runtime/Hooks/TrainingRunProgress.h"
#include "runtime/Support/Thread.h"

#include <deque>
#include <memory>

namespace ingot {

/// Answers HTTP requests on a thread of its own until it is destroyed: GET
/// /metrics in Prometheus's text format (version 0.0.4); GET /healthz with 200
/// as long as the process runs; GET /readyz with 200 while the session is
/// initialized, otherwise with 503. Serves several clients concurrently and
/// never blocks on one of them: a client that does not send its request and
/// read the response within five seconds is disconnected.
class MetricsServer {
public:
  /// Listens on `host`, an IPv4 or IPv6 address or "localhost", at `port`; if
  /// `port` is 0, at a free port, which port() returns. `batch` is the number
  /// of examples of a step (0: unknown). Returns InvalidArgument if `host` is
  /// not an address, and Unavailable if the system does not let the process
  /// listen there.
  static Expected<std::unique_ptr<MetricsServer>>
  start(const std::string &host, uint16_t port, int64_t batch,
        const TrainingRunProgress &);
  ~MetricsServer();

  uint16_t port() const { return thePort; }

private:
  struct Client;

  MetricsServer(int64_t batch, const TrainingRunProgress &status)
      : batch(batch), status(status) {}
  Status listen(const std::string &host, uint16_t port);
  void serve();
  void accept(std::vector<Client> &clients);
  void sample(double now);
  std::string answer(const std::string &request) const;
  std::string metrics() const;

  int64_t batch;
  const TrainingRunProgress &status;
  int socket = -1, wake = -1;
  uint16_t thePort = 0;
  /// Pairs of a time in seconds and the number of steps that had run by then:
  /// the last ten, at least one second apart. They give the current speed.
  std::deque<std::pair<double, int64_t>> samples;
  Thread thread;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_METRICSSERVER_H
