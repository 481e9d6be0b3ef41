//===- BatchTranscripts.h - TensorFlow's calls of hooks ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_RUNTIME_HOOKS_BATCHTRANSCRIPTS_H
#define INGOT_TEST_RUNTIME_HOOKS_BATCHTRANSCRIPTS_H

#include <fstream>
#include <sstream>
#include <string>

namespace ingot::test {

/// The calls that TensorFlow makes in a case of test/data/hooks/batches.txt
/// (make_batches.py), without the error in which some end: "begin created
/// before after end". "" if there is no such case.
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

/// The calls of a hook in the recorder's file, likewise: without global steps,
/// the last call, `destroy`, and what is no call. The recorder says whether a
/// session was restored, which TensorFlow's does not.
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
