//===- TestMoves.h - A pass that makes mistakes on request ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TOOLS_INGOTOPT_TESTMOVES_H
#define INGOT_TOOLS_INGOTOPT_TESTMOVES_H

namespace ingot {

/// Registers passes that plant faults in functions on buffers, for the tests of
/// the buffer verifier (codegen/BufferVerifier.h).
void registerTestMoves();

} // namespace ingot

#endif // INGOT_TOOLS_INGOTOPT_TESTMOVES_H
