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
