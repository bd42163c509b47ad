// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Linked into test programs under TSan: reports in which a driver's own code makes one of the two accesses are left
// out. The drivers are not instrumented, so TSan misses the atomics that order their threads: llvmpipe's fences, which
// the last of two threads destroys, were reported in half of the runs on a busy machine.
const char* __tsan_default_suppressions(void);
const char* __tsan_default_suppressions(void)
{
    return "race:swrast_dri.so\nrace:libpocl.so\n";
}
