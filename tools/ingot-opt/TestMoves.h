//===- TestMoves.h - A pass that makes mistakes on request ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TOOLS_INGOTOPT_TESTMOVES_H
#define INGOT_TOOLS_INGOTOPT_TESTMOVES_H

namespace ingot {

/// Registers passes that break functions on buffers, for the tests of the
/// verifier that finds that (codegen/BufferVerifier.h).
void registerTestMoves();

} // namespace ingot

#endif // INGOT_TOOLS_INGOTOPT_TESTMOVES_H
