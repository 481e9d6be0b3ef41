//===- HookHostImage.cpp - The hook host's embedded executable ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/HookHostImage.h"

#include "HookHostHash.h" // generated; changes with the host

__asm__(".section .rodata.ingot_hook_host, \"a\", @progbits\n"
        ".balign 16\n"
        ".globl ingot_hook_host\n"
        ".hidden ingot_hook_host\n"
        "ingot_hook_host:\n"
        ".incbin \"" INGOT_HOOK_HOST "\"\n"
        ".globl ingot_hook_host_end\n"
        ".hidden ingot_hook_host_end\n"
        "ingot_hook_host_end:\n"
        ".previous\n");
