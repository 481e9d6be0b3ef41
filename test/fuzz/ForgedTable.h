//===- ForgedTable.h - Tables whose checksums hold --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A fuzzer that damages a table's bytes finds the check of its checksums and
// nothing after it. Its input is therefore also taken for a table whose
// checksums are to be made right, and for the records of one to be built.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_FUZZ_FORGEDTABLE_H
#define INGOT_TEST_FUZZ_FORGEDTABLE_H

#include "runtime/Checkpoint/CheckpointReader.h"

#include <cstdint>
#include <string>

namespace ingot::fuzz {

/// The bytes of a table, out of `data`: the first byte says how. 0: the rest as
/// it is. 1: with right checksums. 2: the rest are records: length of key and
/// of value, one and two bytes; key; value.
std::string forgeTable(const uint8_t *data, size_t size);

/// Aborts unless `holds`.
void require(bool holds, const char *what);

/// Opens checkpoint `path` and, where that works, reads and verifies all of it
/// as every reader of Ingot's does. Whatever fails has to say why.
void readEverything(FileSystem &fileSystem, const std::string &path);

} // namespace ingot::fuzz

#endif // INGOT_TEST_FUZZ_FORGEDTABLE_H
