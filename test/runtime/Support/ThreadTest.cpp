//===- ThreadTest.cpp - Threads of the runtime ----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/Thread.h"

#include "runtime/Support/ParallelTasks.h"

#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace ingot;

namespace {

TEST(ThreadTest, JoinsWhenDestroyed) {
  std::atomic<int> sum = 0;
  {
    Expected<Thread> thread = Thread::start("adds", [&] { sum += 2; });
    ASSERT_TRUE(thread) << thread.status().message();
    EXPECT_TRUE(thread->joinable());
  }
  EXPECT_EQ(sum, 2);
}

TEST(ThreadTest, AssignmentWaitsForTheThreadThatItReplaces) {
  std::atomic<bool> ended = false;
  Expected<Thread> thread = Thread::start("first", [&] { ended = true; });
  ASSERT_TRUE(thread) << thread.status().message();
  *thread = Thread();
  EXPECT_TRUE(ended);
  EXPECT_FALSE(thread->joinable());
  thread->join(); // does nothing
}

TEST(ThreadTest, BlocksSignals) {
  sigset_t inside, before, after;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  Expected<Thread> thread = Thread::start(
      "asks", [&] { ::pthread_sigmask(SIG_SETMASK, nullptr, &inside); });
  ASSERT_TRUE(thread) << thread.status().message();
  thread->join();
  EXPECT_EQ(::sigismember(&inside, SIGTERM), 1);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(::sigismember(&after, SIGTERM), ::sigismember(&before, SIGTERM));
}

/// Ends the process: with 0 if no thread can be started, but tasks run.
[[noreturn]] void runWithoutMemoryForStacks() {
  rlimit none = {1, 1};
  ::setrlimit(RLIMIT_AS, &none);
  Expected<Thread> thread = Thread::start("none", [] {});
  if (thread || thread.status().code() != StatusCode::ResourceExhausted)
    ::_exit(1);
  std::atomic<int> sum = 0;
  Status status = runTasks(4, 10, [&](size_t task) {
    sum += static_cast<int>(task);
    return Status::ok();
  });
  ::_exit(status.isOk() && sum == 45 ? 0 : 2);
}

TEST(ThreadTest, NoThreadIsAStatus) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more address space than a limit allows";
#endif
  EXPECT_EXIT(runWithoutMemoryForStacks(), testing::ExitedWithCode(0), "");
}

} // namespace
