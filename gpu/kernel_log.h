// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Names of files and lines in GLSL build logs. GLSL knows files by number only, and not every driver keeps even that
/// (Mesa 22.3 forgets it in some messages), so drivers are shown a text without line directives and their line numbers
/// are translated back.

#include <stdbool.h>
#include <stddef.h>

/// Turns the line directives of a kernel's text into comments, in place.
void tact_kernel_log_hide_lines(char* source);

/// Copies a build log with places in the text translated by its line directives and by the lines `// file N: name` that
/// stand before them: "0:214(5): error" and "0(214) : error" become "arithmetic.h:14(5): error" and "arithmetic.h(14) :
/// error". `out` is always terminated; what does not fit is cut off.
void tact_kernel_log_translate(const char* source, const char* log, char* out, size_t size);
