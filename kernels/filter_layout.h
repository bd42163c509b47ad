// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// How objects of a filter lie on a device. Shared by C, GLSL and OpenCL C.
#ifndef TACT_FILTER_LAYOUT_H
#define TACT_FILTER_LAYOUT_H

// An object is four vectors: the three rows of its pose; then, as bits of words, the first of its shape's triangles in
// `indices` (counted in triangles), how many there are, the number of its first triangle among those of all objects
// that take part, and 0. One that takes no part has no triangles here, and the number that the next one has.
#define TACT_FILTER_OBJECT_VECTORS 4

// Triangles of a part.
#define TACT_FILTER_PART 32

#endif
