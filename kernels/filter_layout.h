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

// What filter_survey.kernel leaves for each of its groups: as bits of floats the least x y z in the view, the greatest,
// the greatest size of a coordinate in the world, how far a corner may be astray there at most, the areas of the three
// sides of the triangles' boxes and the lengths of these boxes, added up; then how many triangles there are, how many
// objects begin, and the list's length.
#define TACT_FILTER_SURVEY_WORDS 13

// A triangle as filter_mark.kernel gets it, all in cells from the image's corner, floats as bits: x and y of a, of b;
// of c, twice the area in the image (its sign is the direction in which the corners go round) and by how much that may
// be wrong; depth's slopes along x and y, depth of a, by how much depths on the plane may be wrong; the least and the
// greatest depth, the object + 1 (0: it marks nothing), and whether it is large.
#define TACT_FILTER_SETUP_VECTORS 4
// What a difference of two products of differences may be wrong by, in roundings of the products' sizes.
#define TACT_FILTER_MINOR_ULPS 8.0f

// What is left of an object for the exact stage is the leaves of a tree of which each place has up to this many
// children, one after the other. Places of all trees are numbered together: all leaves first, then level by level. A
// place is a row of `lower` and one of `upper`, words: the lowest corner and, of a leaf, the triangle, else the first
// child; the highest corner and, of a leaf, the object, else how many children. A leaf that can overlap nothing has
// TACT_FILTER_FAR as its lowest corner and the opposite as its highest.
#define TACT_FILTER_FAN 4
#define TACT_FILTER_FAR 3.4028234663852885981170418348451692544e38f

// TACT_FILTER_FAN to this is more than there can be triangles.
#define TACT_FILTER_LEVELS 16

// An item of work is two places whose boxes meet, of the same level. What is found is four words: object A, object B,
// triangle A, triangle B; set in object A when the exact test has to decide:
#define TACT_FILTER_UNSURE 0x80000000u

// Words of the walk's state: how many items each level's list was to have, from the leaves' on, be it that it has no
// room for all of them; then how many findings there are.
#define TACT_FILTER_FOUND (TACT_FILTER_LEVELS + 1)
#define TACT_FILTER_STATE_WORDS (TACT_FILTER_LEVELS + 2)

#endif
