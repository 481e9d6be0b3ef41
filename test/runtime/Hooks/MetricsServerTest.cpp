//===- MetricsServerTest.cpp - A run's metrics over HTTP ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/MetricsServer.h"

#include <arpa/inet.h>
#include <cmath>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace ingot;

namespace {

/// Returns a socket that is connected to `port` of this machine.
int connectTo(uint16_t port) {
  int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(client, reinterpret_cast<sockaddr *>(&address),
                      sizeof(address)),
            0);
  return client;
}

/// Sends a request in two parts, and returns the answer.
std::string ask(uint16_t port, const std::string &path) {
  int client = connectTo(port);
  for (const std::string &part :
       {"GET " + path, std::string(" HTTP/1.1\r\n"
                                   "Host: x\r\n\r\n")})
    EXPECT_EQ(::send(client, part.data(), part.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(part.size()));
  std::string answer;
  char buffer[512];
  for (ssize_t got; (got = ::recv(client, buffer, sizeof(buffer), 0)) > 0;)
    answer.append(buffer, static_cast<size_t>(got));
  ::close(client);
  return answer;
}

TEST(MetricsServerTest, AnswersWhileTheRunGoesOn) {
  TrainingRunProgress status;
  auto server = MetricsServer::start("::1", 0, 0, status);
  if (server) // not every machine has IPv6
    EXPECT_GT((*server)->port(), 0);
  server = MetricsServer::start("localhost", 0, 32, status);
  ASSERT_TRUE(server) << server.status().message();
  uint16_t port = (*server)->port();
  EXPECT_TRUE(ask(port, "/readyz").starts_with("HTTP/1.1 503 "));
  EXPECT_EQ(ask(port, "/metrics").find("ingot_global_step"), std::string::npos);
  std::atomic<bool> stops = false;
  std::thread training([&] {
    status.isReady = true;
    for (int64_t step = 0; !stops; ++step) {
      status.step = step;
      ++status.stepsRun;
      status.loss = 0.5;
      status.hasLoss = true;
      status.savedAt = monotonicSeconds();
    }
  });
  while (status.stepsRun == 0)
    std::this_thread::yield();
  std::thread scraper([&] {
    for (int i = 0; i < 50; ++i)
      EXPECT_TRUE(ask(port, "/healthz").ends_with("\r\n\r\nok\n"));
  });
  for (int i = 0; i < 50; ++i)
    EXPECT_TRUE(ask(port, "/metrics").starts_with("HTTP/1.1 200 OK\r\n"));
  scraper.join();
  stops = true;
  training.join();
  std::string text = ask(port, "/metrics");
  for (const char *line :
       {"\ningot_loss 0.5\n", "\ningot_ready 1\n",
        "\n# TYPE ingot_steps_total counter\n", "\ningot_examples_per_second ",
        "\ningot_seconds_since_checkpoint "})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  // A client that has asked for nothing yet does not hold up the end.
  int idle = connectTo(port);
  double begin = monotonicSeconds();
  server->reset();
  EXPECT_LT(monotonicSeconds() - begin, 2);
  char byte;
  EXPECT_LE(::recv(idle, &byte, 1, 0), 0);
  ::close(idle);
}

TEST(MetricsServerTest, LossesThatAreNotFiniteHavePrometheussWords) {
  TrainingRunProgress status;
  status.hasLoss = true;
  auto server = MetricsServer::start("127.0.0.1", 0, 0, status);
  ASSERT_TRUE(server);
  for (auto [loss, word] : {std::pair(NAN, "NaN"), std::pair(INFINITY, "+Inf"),
                            std::pair(-INFINITY, "-Inf")}) {
    status.loss = static_cast<double>(loss);
    std::string text = ask((*server)->port(), "/metrics");
    EXPECT_NE(text.find(std::string("\ningot_loss ") + word + "\n"),
              std::string::npos)
        << text;
  }
}

} // namespace
