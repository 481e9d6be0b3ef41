# SPDX-License-Identifier: Apache-2.0
# Writes a header that changes with FILE: cmake -DFILE=... -DHEADER=... -P WriteHash.cmake
file(SHA256 "${FILE}" hash)
file(WRITE "${HEADER}" "// ${hash}\n")
