//===- StreamingCopyTest.cpp - Copies that leave the caches alone ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/StreamingCopy.h"

#include <gtest/gtest.h>
#include <string>

using namespace ingot;

namespace {

TEST(StreamingCopy, CopiesAnySizeFromAnyAlignmentToAny) {
  std::string source(1024, '\0');
  for (size_t i = 0; i < source.size(); ++i)
    source[i] = static_cast<char>(i * 31 + i / 256);
  for (size_t from : {0, 1, 15, 16, 63, 64})
    for (size_t to : {0, 1, 7, 16, 48, 63, 64})
      for (size_t size : {0, 1, 15, 63, 64, 65, 127, 128, 200, 513}) {
        std::string expected(1024, '#');
        std::string target = expected;
        expected.replace(to, size, source, from, size);
        streamingCopy(target.data() + to, source.data() + from, size);
        ASSERT_EQ(target, expected)
            << size << " bytes from " << from << " to " << to;
      }
}

} // namespace
