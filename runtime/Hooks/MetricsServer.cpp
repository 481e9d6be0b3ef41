//===- MetricsServer.cpp - A run's metrics over HTTP ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/MetricsServer.h"

#include "runtime/Support/Numeric.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace ingot;

/// The largest number of clients that are connected at the same time, the
/// longest request in bytes, and the longest time of a connection in seconds.
static constexpr size_t mostClients = 32, longestRequest = 8192;
static constexpr double mostSeconds = 5;

struct MetricsServer::Client {
  int socket;
  double since;
  std::string request, answer; // `answer`: the bytes not sent yet
  bool isDone = false;

  /// Receives or sends as many bytes as possible without blocking.
  void advance(const MetricsServer &server) {
    char buffer[1024];
    while (answer.empty() && !isDone) {
      ssize_t got = ::recv(socket, buffer, sizeof(buffer), MSG_DONTWAIT);
      if (got < 0 && errno == EAGAIN)
        return;
      isDone = got <= 0 || request.size() > longestRequest;
      request.append(buffer, static_cast<size_t>(std::max<ssize_t>(got, 0)));
      if (!isDone && request.find("\r\n\r\n") != std::string::npos)
        answer = server.answer(request);
    }
    while (!isDone) {
      ssize_t sent = ::send(socket, answer.data(), answer.size(),
                            MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent < 0 && errno == EAGAIN)
        return;
      answer.erase(0, static_cast<size_t>(std::max<ssize_t>(sent, 0)));
      isDone = sent <= 0 || answer.empty();
    }
  }
};

/// Parses the IP address `host`, and stores it with `port` in `address`.
/// Returns the address's size, or 0 if `host` is not an IP address.
static socklen_t parseAddress(const std::string &host, uint16_t port,
                              sockaddr_storage &address) {
  auto *four = reinterpret_cast<sockaddr_in *>(&address);
  auto *six = reinterpret_cast<sockaddr_in6 *>(&address);
  const char *text = host == "localhost" ? "127.0.0.1" : host.c_str();
  if (::inet_pton(AF_INET, text, &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    return sizeof(*four);
  }
  if (::inet_pton(AF_INET6, text, &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    return sizeof(*six);
  }
  return 0;
}

Status MetricsServer::listen(const std::string &host, uint16_t port) {
  sockaddr_storage address = {};
  socklen_t size = parseAddress(host, port, address);
  if (size == 0)
    return Status(StatusCode::InvalidArgument,
                  "--metrics-host: '" + host +
                      "' is not an IP address: give one of this machine, or "
                      "0.0.0.0 for all");
  socket = ::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  wake = ::eventfd(0, EFD_CLOEXEC);
  int yes = 1;
  auto *at = reinterpret_cast<sockaddr *>(&address);
  // Without SO_REUSEADDR, a restarted run could not listen on the port for a
  // minute, while the previous run's connections are in state TIME_WAIT.
  if (socket < 0 || wake < 0 ||
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
      ::bind(socket, at, size) != 0 || ::listen(socket, mostClients) != 0 ||
      ::getsockname(socket, at, &size) != 0)
    return Status(StatusCode::Unavailable,
                  "--metrics-port: cannot listen on port " +
                      std::to_string(port) + " of " + host + ": " +
                      std::strerror(errno) +
                      "; give another port, or 0 for a free one");
  thePort = ntohs(address.ss_family == AF_INET
                      ? reinterpret_cast<sockaddr_in *>(at)->sin_port
                      : reinterpret_cast<sockaddr_in6 *>(at)->sin6_port);
  return Status::ok();
}

Expected<std::unique_ptr<MetricsServer>>
MetricsServer::start(const std::string &host, uint16_t port, int64_t batch,
                     const TrainingRunProgress &status) {
  std::unique_ptr<MetricsServer> server(new MetricsServer(batch, status));
  INGOT_RETURN_IF_ERROR(server->listen(host, port));
  INGOT_ASSIGN_OR_RETURN(
      server->thread,
      Thread::start("metrics", [self = server.get()] { self->serve(); }));
  return server;
}

MetricsServer::~MetricsServer() {
  uint64_t one = 1;
  if (thread.joinable() && ::write(wake, &one, sizeof(one)) == sizeof(one))
    thread.join();
  for (int descriptor : {socket, wake})
    if (descriptor >= 0)
      ::close(descriptor);
}

void MetricsServer::accept(std::vector<Client> &clients) {
  int client = ::accept4(socket, nullptr, nullptr, SOCK_CLOEXEC);
  if (client >= 0)
    clients.push_back({client, monotonicSeconds(), "", ""});
}

void MetricsServer::sample(double now) {
  if (samples.empty() || now - samples.back().first >= 1)
    samples.emplace_back(now, status.stepsRun);
  if (samples.size() > 10)
    samples.pop_front();
}

void MetricsServer::serve() {
  std::vector<Client> clients;
  std::vector<pollfd> polled;
  while (true) {
    sample(monotonicSeconds());
    // While `mostClients` clients are connected, do not accept others: they
    // wait in the socket's backlog.
    polled = {{wake, POLLIN, 0},
              {clients.size() < mostClients ? socket : -1, POLLIN, 0}};
    for (const Client &client : clients)
      polled.push_back(
          {client.socket,
           static_cast<short>(client.answer.empty() ? POLLIN : POLLOUT), 0});
    ::poll(polled.data(), polled.size(), 1000);
    if (polled[0].revents != 0)
      break;
    double now = monotonicSeconds();
    for (size_t i = 0; i < clients.size(); ++i)
      if (polled[i + 2].revents != 0)
        clients[i].advance(*this);
    std::erase_if(clients, [now](const Client &client) {
      bool ends = client.isDone || now - client.since > mostSeconds;
      if (ends)
        ::close(client.socket);
      return ends;
    });
    if (polled[1].revents != 0)
      accept(clients);
  }
  for (const Client &client : clients)
    ::close(client.socket);
}

std::string MetricsServer::answer(const std::string &request) const {
  std::string line = request.substr(0, request.find("\r\n"));
  size_t path = line.find(' ') + 1;
  std::string what = line.substr(path, line.find_first_of(" ?", path) - path);
  const char *code = "200 OK";
  std::string body = "ok\n";
  if (!line.starts_with("GET "))
    code = "405 Method Not Allowed", body = "only GET\n";
  else if (what == "/metrics")
    body = metrics();
  else if (what == "/readyz" && !status.isReady)
    code = "503 Service Unavailable", body = "not training\n";
  else if (what != "/healthz" && what != "/readyz")
    code = "404 Not Found", body = "there are /metrics, /healthz, /readyz\n";
  return std::string("HTTP/1.1 ") + code +
         "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
         "Connection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// Returns the resident memory of this process in bytes.
static double residentMemory() {
  long long pages = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%*d %lld", &pages) != 1)
      pages = 0;
    std::fclose(file);
  }
  return static_cast<double>(pages) *
         static_cast<double>(::sysconf(_SC_PAGESIZE));
}

std::string MetricsServer::metrics() const {
  std::string text;
  auto add = [&](const char *name, const char *type, double value,
                 const char *help) {
    std::string number = numberText(value);
    // Use Prometheus's spelling of NaN and the infinities.
    number = std::isnan(value)   ? "NaN"
             : std::isinf(value) ? (value > 0 ? "+Inf" : "-Inf")
                                 : number;
    text += std::string("# HELP ingot_") + name + " " + help +
            "\n# TYPE ingot_" + name + " " + type + "\ningot_" + name + " " +
            number + "\n";
  };
  double now = monotonicSeconds(), saved = status.savedAt;
  int64_t run = status.stepsRun;
  double seconds = samples.empty() ? 0 : now - samples.front().first;
  double rate =
      seconds > 0 ? static_cast<double>(run - samples.front().second) / seconds
                  : 0;
  if (int64_t step = status.step; step >= 0)
    add("global_step", "gauge", static_cast<double>(step), "Global step.");
  add("steps_total", "counter", static_cast<double>(run),
      "Steps that this process has run.");
  if (status.hasLoss)
    add("loss", "gauge", status.loss, "Loss of the last step.");
  add("steps_per_second", "gauge", rate, "Steps a second, of ten seconds.");
  if (batch > 0)
    add("examples_per_second", "gauge", rate * static_cast<double>(batch),
        "Examples a second, of ten seconds.");
  if (saved >= 0)
    add("seconds_since_checkpoint", "gauge", now - saved,
        "Seconds since the last checkpoint was complete.");
  add("resident_memory_bytes", "gauge", residentMemory(),
      "Resident memory of the process.");
  add("ready", "gauge", status.isReady ? 1 : 0,
      "1 while training has its state.");
  return text;
}
