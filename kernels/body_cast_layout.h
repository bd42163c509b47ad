// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What the host and the kernel of casts of bodies agree on.
#ifndef TACT_BODY_CAST_LAYOUT_H
#define TACT_BODY_CAST_LAYOUT_H

#include "contact_layout.h"

// Rows of four words. Of a cast: those of a body, whose rotation is the first one; what is added to it on the way; the
// axis of the turn times a bound of its angle, and that bound; zeros. Casts follow the bodies in their buffer.
#define TACT_CAST_ROWS 8
// Of an item: cast, body, part, how much of the cast it is; from the part's position to the shape's, along the world's
// axes, and the fraction where it begins, as a float; how far the shape moves, and the rest of that fraction; the part
// of the shape, 0, 0, 0. Where the shape has parts, positions are those of the part.
#define TACT_CAST_ITEM_ROWS 4

#define TACT_CAST_STEPS 512
#define TACT_CAST_MOVING 0u
#define TACT_CAST_HIT 1u
#define TACT_CAST_NONE 2u

// Parts of the cores, radii and margin together, and of how far a part is from the position that it turns about: a step
// ends the first before the surfaces meet, and surfaces touch that are closer than the second.
#define TACT_CAST_SLACK 3.81469727e-6f
#define TACT_CAST_NEAR 7.62939453e-6f
// Fractions and turns below this are none.
#define TACT_CAST_LEAST 9.09494702e-13f

#endif
