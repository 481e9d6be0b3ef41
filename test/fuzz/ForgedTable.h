//===- ForgedTable.h - Tables whose checksums hold --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// If a fuzzer damages the bytes of a table, the table's checksums detect that,
// and the code after the check is never tested. So the input may also be a
// table whose checksums are corrected, or a list of records from which a table
// is built.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_FUZZ_FORGEDTABLE_H
#define INGOT_TEST_FUZZ_FORGEDTABLE_H

#include "runtime/Checkpoint/CheckpointReader.h"

#include <cstdint>
#include <string>

namespace ingot::fuzz {

/// Makes the bytes of a table from `data`. The first byte selects how:
///
/// - 0: the rest is the table.
/// - 1: the rest is the table, with its checksums corrected.
/// - 2: the rest is a list of records, each with the length of its key (one
/// byte),
///   the length of its value (two bytes), the key and the value.
std::string forgeTable(const uint8_t *data, size_t size);

/// Aborts with the message `what` if `holds` is false.
void require(bool holds, const char *what);

/// Opens the checkpoint at `path` and, if that succeeds, reads and verifies all
/// of it with each of Ingot's readers. Aborts if an error has no message.
void readEverything(FileSystem &fileSystem, const std::string &path);

} // namespace ingot::fuzz

#endif // INGOT_TEST_FUZZ_FORGEDTABLE_H
