# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Writes the text file IN as the C array SYMBOL, ended by a zero, to OUT.
file(READ "${IN}" hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
set(group "0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,")
string(REGEX REPLACE "(${group}${group})" "\\1\n" bytes "${bytes}")
file(WRITE "${OUT}" "/* Generated; do not edit. */
extern const unsigned char ${SYMBOL}[];
const unsigned char ${SYMBOL}[] = {
${bytes}0x00};
")
