//===- BatchTranscripts.h - TensorFlow's calls of hooks ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_RUNTIME_HOOKS_BATCHTRANSCRIPTS_H
#define INGOT_TEST_RUNTIME_HOOKS_BATCHTRANSCRIPTS_H

#include <fstream>
#include <sstream>
#include <string>

namespace ingot::test {

/// TensorFlow's calls in a case of test/data/hooks/batches.txt (written by
/// make_batches.py), such as "begin created before after end", without the
/// error with which some cases end; "" if there is no such case.
inline std::string tensorflowCalls(const std::string &name) {
  std::ifstream file(INGOT_HOOK_BATCHES);
  std::string line;
  while (std::getline(file, line))
    if (line.starts_with(name + ": ")) {
      line.erase(0, name.size() + 2);
      return line.ends_with("Error") ? line.substr(0, line.rfind(' ')) : line;
    }
  return "";
}

/// The calls in the recorder's file, in the form of tensorflowCalls(): without
/// global steps, without `destroy`, and without lines that are no calls. The
/// recorder also says whether a session was restored; this is left out.
inline std::string callsOf(const std::string &recorded) {
  std::istringstream lines(recorded);
  std::string line, calls;
  while (std::getline(lines, line)) {
    std::string call = line.substr(0, line.find(' '));
    if (call == "restored")
      call = "created";
    for (const char *known : {"begin", "created", "before", "after", "end"})
      if (call == known)
        calls += (calls.empty() ? "" : " ") + call;
  }
  return calls;
}

} // namespace ingot::test

#endif // INGOT_TEST_RUNTIME_HOOKS_BATCHTRANSCRIPTS_H
