// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What the host and the kernels of contacts agree on.
#ifndef TACT_CONTACT_LAYOUT_H
#define TACT_CONTACT_LAYOUT_H

// Rows of four words. Of a shape: kind, first point, points, first face; faces, first edge, edges, 0; radius, extent,
// 1 where triangles have one side, 0. Of a face: its plane (a normal and a distance); first corner, corners, 0, 0. Of
// an edge: its two points, then the faces to its left and right, seen from outside, or TACT_CONTACT_NONE.
#define TACT_SHAPE_ROWS 3
#define TACT_FACE_ROWS 2
// Of a body: the large part of its position, scale; the small part, margin; rotation; shape, 0, 0, 0.
#define TACT_POSED_ROWS 4
// Words of a tact_contact, as devices write it: bodies, parts, origin, normal, points; of each point its place,
// separation and feature. TACT_CONTACT_LEFT points: the host has to work it out; of part TACT_CONTACT_NONE all parts.
#define TACT_CONTACT_WORDS 29
#define TACT_CONTACT_COUNT_WORD 8
#define TACT_CONTACT_POINT_WORDS 5
#define TACT_CONTACT_LEFT 0xffffffffu
// Rows of a shape's header among the trees: lower corner and radius; upper corner, 1 where there are parts; the first
// row of its tree, and of its parts. A tree's place has two: lower corner, what is below it; upper corner, parts. So
// has a part: lower corner, its number; upper corner.
#define TACT_TREE_ROWS 3
// Inner nodes on a path, and as many more as wait beside them.
#define TACT_TREE_STACK 64
// Steps of one pair down its trees, and items of a pair; one with more is left to the host. So items of 2^20 pairs are
// counted in 32 bits.
#define TACT_TREE_STEPS 16384
#define TACT_TREE_ITEMS 4096u

// Of a compound's child, among the points: its place and scale, its rotation, its shape. Of a mesh's triangle: its
// corners from its place, each with the edge that begins there, then that place and how far the corners are from it.
#define TACT_CHILD_POINTS 3
#define TACT_TRIANGLE_POINTS 4

// As tact_body_kind, but for triangles.
#define TACT_KIND_SPHERE 0
#define TACT_KIND_CAPSULE 1
#define TACT_KIND_BOX 2
#define TACT_KIND_HULL 3
#define TACT_KIND_HALF_SPACE 4
#define TACT_KIND_COMPOUND 7
#define TACT_KIND_MESH 8
#define TACT_KIND_TRIANGLE 16

// Of an edge the cosine of the angle between its triangles, and this more where they are hollow; or there is one.
#define TACT_EDGE_HOLLOW 4.0f
#define TACT_EDGE_BORDER -2.0f

// Pairs are worked out in units about their size. Lengths below this, and squares of crossed edges below the next, are
// as good as none: so devices that take numbers below 2^-126 for zeros decide no otherwise.
#define TACT_CONTACT_LEAST 8.67361738e-19f
#define TACT_CONTACT_LEAST4 7.88860905e-31f

#define TACT_CONTACT_NONE 0xffffffffu
#define TACT_CONTACT_POINTS 4
// Corners of a face that are kept. A polygon of so many, cut by as many planes, has twice as many corners; one more is
// the deepest.
#define TACT_CONTACT_CORNERS 16
#define TACT_CONTACT_CUT 33
#define TACT_CONTACT_STEPS 32
#define TACT_CONTACT_MIRRORS 2
// Points that are kept of those that were found farthest out, and words with a bit for each edge of a hull.
#define TACT_CONTACT_WITNESSES 32
#define TACT_CONTACT_EDGE_WORDS 24

#endif
