// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What the kernels that reduce an image of picks share with the host (gpu/pick/reduce.h tells what they do).
//
// The things that were found get numbers as they come: their order differs from run to run, and the host sorts them.
// A table finds the thing of a pixel by its ids: a slot holds 0, or 1 + the place in the image of the first pixel that
// claimed it, and the ids are compared through the image. For each place of the image `things` then holds the place of
// the pixel that claimed its thing, and for that pixel itself the thing's number with PICK_CLAIMED.
#ifndef TACT_PICK_LAYOUT_H
#define TACT_PICK_LAYOUT_H

#include "dialect.h"

#define PICK_NONE 0xffffffffu
#define PICK_CLAIMED 0x80000000u
// Neighbours that an item walks over: one line of most caches in the ids.
#define PICK_ITEMS 8u
// Places of the table that an item looks at, at most; then the image goes to the host. Sixteen items of llvmpipe's stay
// below the 65,535 rounds of a loop.
#define PICK_ROUNDS 2000u

// Of the head: how many things there are, whether an item gave up, and the first things as rows of eight words.
#define PICK_COUNT 0u
#define PICK_GAVE_UP 1u
#define PICK_ROWS 16u
#define PICK_ROWS_MAX 1024u

// Of a thing, four words: how many pixels, and the least distance, depth and pixel; at the end the depth, barycentrics,
// pixel, and how many.
#define PICK_SUM_COUNT 0u
#define PICK_SUM_DISTANCE 1u
#define PICK_SUM_DEPTH 2u
#define PICK_SUM_PIXEL 3u

// Those of the ids that tell things apart: `group` is a tact_pick_group.
FN uint pick_hash(uint object, uint instance, uint primitive, uint group)
{
    uint h = object * 0x9e3779b1u;
    h = h ^ (h >> 15u);
    if (group != 1u) h = (h ^ instance) * 0x85ebca6bu;
    h = h ^ (h >> 13u);
    if (group == 2u) h = (h ^ primitive) * 0xc2b2ae35u;
    return h ^ (h >> 16u);
}

#endif
