//===- Thread.cpp - Threads of the runtime --------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/Thread.h"

#include <csignal>
#include <cstring>
#include <memory>
#include <string>

using namespace ingot;

static void *runBody(void *data) {
  std::unique_ptr<std::function<void()>> body(
      static_cast<std::function<void()> *>(data));
  (*body)();
  return nullptr;
}

Expected<Thread> Thread::start(const char *name, std::function<void()> body) {
  auto owned = std::make_unique<std::function<void()>>(std::move(body));
  // Block all signals before the thread is started: it inherits the mask of
  // blocked signals.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  Thread thread;
  int error = ::pthread_create(&thread.handle, nullptr, runBody, owned.get());
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0)
    return Status(StatusCode::ResourceExhausted,
                  std::string("cannot start a thread ('") + name +
                      "'): " + std::strerror(error));
  (void)owned.release(); // runBody() deletes it
  thread.isJoinable = true;
  ::pthread_setname_np(thread.handle, name);
  return thread;
}

Thread &Thread::operator=(Thread &&other) noexcept {
  join();
  handle = other.handle;
  isJoinable = std::exchange(other.isJoinable, false);
  return *this;
}

void Thread::join() {
  if (std::exchange(isJoinable, false))
    ::pthread_join(handle, nullptr);
}

void Thread::detach() {
  if (std::exchange(isJoinable, false))
    ::pthread_detach(handle);
}
