// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

#include <stddef.h>

/// Copies a GLSL build log with the numbers of source files replaced by their names, which the lines `// file N: name`
/// at the head of a generated kernel tell: "2:14(5): error" and "2(14) : error" become "arithmetic.h:14(5): error".
/// `out` is always terminated; what does not fit is cut off.
void tact_kernel_log_translate(const char* source, const char* log, char* out, size_t size);
