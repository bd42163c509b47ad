// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What the host and the kernel of distances of bodies agree on.
#ifndef TACT_BODY_DISTANCE_LAYOUT_H
#define TACT_BODY_DISTANCE_LAYOUT_H

#include "contact_layout.h"

// Rows of four words. Of what is found: the way and the distance; the point on A from its position, and the state; the
// point on B from its position, and the margin that the contact needs.
#define TACT_GAP_ROWS 3

#define TACT_GAP_NONE 0u   // farther apart than is looked for, or nothing that has a distance
#define TACT_GAP_APART 1u  // the cores are apart: all is known
#define TACT_GAP_TOUCH 2u  // the cores overlap: the contact has the depth
#define TACT_GAP_CLOSE 3u  // the cores are close, and no direction shows as much: the contact has the distance

// The largest number, which is as far as there is no limit.
#define TACT_GAP_ENDLESS 3.40282347e38f

#endif
