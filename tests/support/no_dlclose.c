// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Linked into sanitized test programs: keeps shared libraries loaded, so that what a driver still holds at exit is
// reachable and named instead of reported as a leak in an "unknown module".
int dlclose(void* handle);
int dlclose(void* handle)
{
    (void)handle;
    return 0;
}

// PoCL 3.1 leaks its compiler's state in each process that compiles a kernel (none that finds it in PoCL's own cache).
const char* __lsan_default_suppressions(void);
const char* __lsan_default_suppressions(void)
{
    return "leak:libpocl\n";
}

const char* __lsan_default_options(void);
const char* __lsan_default_options(void)
{
    return "print_suppressions=0";
}

// LLVM, in both drivers, gives threads an alternate signal stack, which ASan would unmap at their end as one of its
// own. For thread-local memory of libraries loaded later, the C library of today does not write the header that the
// runtime looks for, so its bounds there are whatever lies before that memory: the leak check reads them and crashes
// ("Tracer caught signal"). Without them the check finds that memory by the pointers to it.
const char* __asan_default_options(void);
const char* __asan_default_options(void)
{
    return "use_sigaltstack=0:intercept_tls_get_addr=0";
}
