// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// How the building blocks (scan, reduction, compaction, sort) cut their input up; shared with the host.
//
// The n elements are cut into tiles of a fixed size, and consecutive tiles into at most TACT_SECTIONS_MAX sections, one
// for each work group. Enough sections to fill the largest GPU, few enough that one tile of the scan covers all their
// sums: three launches scan any n, and no work group ever waits for another, which OpenGL and OpenCL 1.2 do not promise
// to bring about.
#ifndef TACT_TILES_H
#define TACT_TILES_H

#define TACT_GROUP 256
// 8 elements an item: 9 KiB of shared memory, so that enough groups fit beside each other to hide the latency.
#define TACT_SCAN_ITEMS 8
#define TACT_SCAN_TILE 2048
#define TACT_SECTIONS_MAX 2048
// 16 keys an item: a tile then has 16 keys for each of 256 digits on average, and writes runs of 64 bytes.
#define TACT_SORT_ITEMS 16
#define TACT_SORT_TILE 4096
#define TACT_DIGITS 256

#endif
