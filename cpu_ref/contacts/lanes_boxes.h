// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Pairs of boxes side by side: their axes, then, where enough of them overlap, their contacts at a face. Those at two
// edges, and of boxes that are apart, are worked out one by one. Capsules and boxes. Included by lanes_pairs.h.

enum { PLACED = 12, ENOUGH = 6 };

/// What lanes find of boxes: a meeting's numbers, and their axes.
typedef struct side_boxes {
    float axes[PLACED][SIDE], placed[PLACED][SIDE], half[2][3][SIDE];
    float scale[2][SIDE], radius[2][SIDE], extent[2][SIDE], back[SIDE], reach[SIDE], size[SIDE], noise[SIDE];
    float apart[3][SIDE];
    uint32_t feature[3][SIDE];
    uint32_t near[SIDE];
} side_boxes;

FN void put_placed(float to[PLACED][SIDE], TactPlaced p, int k)
{
    to[0][k] = p.x.x;
    to[1][k] = p.x.y;
    to[2][k] = p.x.z;
    to[3][k] = p.y.x;
    to[4][k] = p.y.y;
    to[5][k] = p.y.z;
    to[6][k] = p.z.x;
    to[7][k] = p.z.y;
    to[8][k] = p.z.z;
    to[9][k] = p.t.x;
    to[10][k] = p.t.y;
    to[11][k] = p.t.z;
}

FN TactPlaced take_placed(const float from[PLACED][SIDE], uint32_t k)
{
    return (TactPlaced){{from[0][k], from[1][k], from[2][k]},
                        {from[3][k], from[4][k], from[5][k]},
                        {from[6][k], from[7][k], from[8][k]},
                        {from[9][k], from[10][k], from[11][k]}};
}

FN void put_half(float to[3][SIDE], TactVec half, int k)
{
    to[0][k] = half.x;
    to[1][k] = half.y;
    to[2][k] = half.z;
}

LANES_FLAT void find_boxes(const side_bodies* restrict a, const side_bodies* restrict b, side_boxes* restrict to)
{
    for (int k = 0; k < SIDE; ++k) {
        const TactMeeting w = side_meeting(a, b, TACT_KIND_BOX, k);
        const TactVec half_a = side_half(a, w.a, k), half_b = side_half(b, w.b, k);
        const TactBoxAxes axes = tact_box_axes(half_a, half_b, w.placed);
        put_placed(to->axes, w.axes, k);
        put_placed(to->placed, w.placed, k);
        put_half(to->half[0], half_a, k);
        put_half(to->half[1], half_b, k);
        to->scale[0][k] = w.a.scale;
        to->scale[1][k] = w.b.scale;
        to->radius[0][k] = w.a.radius;
        to->radius[1][k] = w.b.radius;
        to->extent[0][k] = w.a.extent;
        to->extent[1][k] = w.b.extent;
        to->back[k] = w.back;
        to->reach[k] = w.reach;
        to->size[k] = w.size;
        to->noise[k] = w.noise;
        to->apart[0][k] = axes.first;
        to->apart[1][k] = axes.second;
        to->apart[2][k] = axes.edge;
        to->feature[0][k] = axes.first_face;
        to->feature[1][k] = axes.second_face;
        to->feature[2][k] = axes.edges;
        const float best = tact_box_best(axes), most = w.reach > 0.0f ? w.reach : 0.0f;
        to->near[k] = w.there ? (best <= most ? 1u : 0u) : 0u;
    }
}

FN TactBoxAxes side_axes(const side_boxes* found, uint32_t k)
{
    return (TactBoxAxes){found->apart[0][k],   found->apart[1][k],   found->apart[2][k],
                         found->feature[0][k], found->feature[1][k], found->feature[2][k]};
}

FN TactMeeting side_boxes_meeting(const side_boxes* found, uint32_t k)
{
    TactMeeting w;
    const TactCore none = {0};
    w.axes = take_placed(found->axes, k);
    w.placed = take_placed(found->placed, k);
    w.a = none;
    w.b = none;
    w.a.scale = found->scale[0][k];
    w.b.scale = found->scale[1][k];
    w.a.radius = found->radius[0][k];
    w.b.radius = found->radius[1][k];
    w.a.extent = found->extent[0][k];
    w.b.extent = found->extent[1][k];
    w.back = found->back[k];
    w.reach = found->reach[k];
    w.size = found->size[k];
    w.noise = found->noise[k];
    w.there = true;
    return w;
}

/// Contacts along the world's axes, whose features are tags still.
typedef struct side_manifolds {
    float way[3][SIDE], at[TACT_CONTACT_POINTS][3][SIDE], apart[TACT_CONTACT_POINTS][SIDE];
    float tag[TACT_CONTACT_POINTS][SIDE], count[SIDE];
} side_manifolds;

/// Contacts of boxes at a face.
typedef struct side_faces {
    side_manifolds found;
    float there[SIDE], second[SIDE], axis[SIDE], sign[SIDE];
} side_faces;

/// Puts a contact of `points` points at most.
FN void put_manifold(side_manifolds* to, TactMeeting w, TactVec own_way, float count, const TactVec* at,
                     const float* apart, const float* tag, int points, bool from_b, uint32_t k)
{
    const TactVec way = tact_meeting_way(w, own_way);
    to->way[0][k] = way.x;
    to->way[1][k] = way.y;
    to->way[2][k] = way.z;
    to->count[k] = count;
    for (int i = 0; i < points; ++i) {
        const TactVec place = tact_meeting_place(w, at[i], from_b);
        to->at[i][0][k] = place.x;
        to->at[i][1][k] = place.y;
        to->at[i][2][k] = place.z;
        to->apart[i][k] = tact_meeting_length(w, apart[i]);
        to->tag[i][k] = tag[i];
    }
}

/// The contact but for its features.
FN TactManifold take_manifold(const side_manifolds* from, bool from_b, uint32_t k)
{
    TactManifold m;
    m.way = tact_vec(from->way[0][k], from->way[1][k], from->way[2][k]);
    m.count = (uint32_t)from->count[k];
    m.from_b = from_b;
    for (uint32_t i = 0; i < m.count; ++i) {
        m.at[i] = tact_vec(from->at[i][0][k], from->at[i][1][k], from->at[i][2][k]);
        m.apart[i] = from->apart[i][k];
    }
    return m;
}

LANES_FLAT void find_box_faces(const side_boxes* restrict found, side_faces* restrict to)
{
    for (uint32_t k = 0; k < SIDE; ++k) {
        const TactMeeting w = side_boxes_meeting(found, k);
        const TactVec half_a = {found->half[0][0][k], found->half[0][1][k], found->half[0][2][k]},
                      half_b = {found->half[1][0][k], found->half[1][1][k], found->half[1][2][k]};
        const TactBoxWay way = tact_box_way(w.placed, side_axes(found, k), w.noise);
        const TactBoxFlat face = tact_box_flat(w.placed, way.way);
        const TactBoxContact c = tact_box_faces(w, half_a, half_b, way.way, way.apart, face);
        put_manifold(&to->found, w, way.way, c.count, c.at, c.apart, c.tag, TACT_CONTACT_POINTS, false, k);
        to->there[k] = face.there;
        to->second[k] = face.second;
        to->axis[k] = face.axis;
        to->sign[k] = face.sign;
    }
}

FN TactManifold side_face(const side_faces* faces, uint32_t k)
{
    TactManifold m = take_manifold(&faces->found, false, k);
    const TactBoxFlat face = {faces->there[k], faces->second[k], faces->axis[k], faces->sign[k]};
    for (uint32_t i = 0; i < m.count; ++i)
        m.feature[i] = tact_box_feature(face, faces->found.tag[i][k]);
    return m;
}

/// A pair that is worked out by itself, from its axes on.
LANES_TARGET static TactManifold end_boxes(const TactShapes* shapes, const float4* bodies, const side_boxes* found,
                                           tact_pair pair, uint32_t k)
{
    TactMeeting w = side_boxes_meeting(found, k);
    const TactCore a = tact_core_of(shapes, tact_body_of(bodies, pair.a).shape, 1.0f),
                   b = tact_core_of(shapes, tact_body_of(bodies, pair.b).shape, 1.0f);
    w.a = tact_core_sized(a, 1.0f, 1.0f, w.a.scale);
    w.b = tact_core_sized(b, 1.0f, 1.0f, w.b.scale);
    w.a.radius = found->radius[0][k];
    w.b.radius = found->radius[1][k];
    w.a.extent = found->extent[0][k];
    w.b.extent = found->extent[1][k];
    const TactBoxAxes axes = side_axes(found, k);
    const bool overlap = tact_box_best(axes) <= 0.0f;
    return tact_meeting_manifold(w,
                                 overlap ? tact_chosen(shapes, w, tact_box_choice(w, axes), tact_no_distance(), axes)
                                         : tact_core_contact(shapes, w, false),
                                 false);
}

LANES_TARGET static void box_contacts(const tact_contacts_job* job, const TactShapes* shapes, const side_bodies* a,
                                      const side_bodies* b, const side_pairs* waiting)
{
    side_boxes found;
    side_faces faces;
    find_boxes(a, b, &found);
    uint32_t overlapping = 0;
    for (uint32_t k = 0; k < waiting->count; ++k)
        overlapping += found.near[k] && tact_box_best(side_axes(&found, k)) <= 0.0f;
    if (overlapping >= ENOUGH) find_box_faces(&found, &faces);
    for (uint32_t k = 0; k < waiting->count; ++k) {
        TactManifold m;
        m.count = 0;
        if (found.near[k]) {
            const bool overlap = tact_box_best(side_axes(&found, k)) <= 0.0f;
            m = overlap && overlapping >= ENOUGH && faces.there[k] > 0.5f
                    ? side_face(&faces, k)
                    : end_boxes(shapes, job->bodies, &found, job->pairs[waiting->number[k]], k);
        }
        put_contact(job, waiting->number[k], &m);
    }
}

/// Contacts of capsules and boxes.
typedef struct side_rods {
    side_manifolds found;
    float kind[SIDE], axis[SIDE], sign[SIDE];
} side_rods;

FN void put_rod(side_rods* to, TactMeeting w, TactRodContact c, bool from_b, int k)
{
    put_manifold(&to->found, w, c.way, c.count, c.at, c.apart, c.tag, 3, from_b, (uint32_t)k);
    to->kind[k] = c.kind;
    to->axis[k] = c.axis;
    to->sign[k] = c.sign;
}

/// `second`: the box is B.
FN void find_rod_box(const side_bodies* a, const side_bodies* b, bool second, side_rods* to, int k)
{
    const TactMeeting w = side_meeting(a, b, TACT_KIND_BOX, k);
    const float rod = second ? side_half(a, w.a, k).y : side_half(b, w.b, k).y;
    put_rod(to, w, tact_rod_box(w, rod, second ? side_half(b, w.b, k) : side_half(a, w.a, k), second), false, k);
}

LANES_FLAT void find_rod_first(const side_bodies* restrict a, const side_bodies* restrict b, side_rods* restrict to)
{
    for (int k = 0; k < SIDE; ++k)
        find_rod_box(a, b, true, to, k);
}

LANES_FLAT void find_rod_second(const side_bodies* restrict a, const side_bodies* restrict b, side_rods* restrict to)
{
    for (int k = 0; k < SIDE; ++k)
        find_rod_box(a, b, false, to, k);
}

/// `second`: the triangle is B. Points are measured from the capsule.
FN void find_rod_triangle(const side_triangles* t, const side_bodies* rod, bool second, side_rods* to, int k)
{
    const side_surface s = side_surface_of(t, rod, second, k);
    const float half = side_half(rod, second ? s.w.a : s.w.b, k).y;
    put_rod(to, s.w, tact_rod_triangle(s.w, half, s.triangle, t->one_sided[k] > 0.0f, second), !second, k);
}

LANES_FLAT void find_rod_triangle_first(const side_triangles* restrict t, const side_bodies* restrict rod,
                                        side_rods* restrict to)
{
    for (int k = 0; k < SIDE; ++k)
        find_rod_triangle(t, rod, false, to, k);
}

LANES_FLAT void find_rod_triangle_second(const side_triangles* restrict t, const side_bodies* restrict rod,
                                         side_rods* restrict to)
{
    for (int k = 0; k < SIDE; ++k)
        find_rod_triangle(t, rod, true, to, k);
}

/// `second`: the box or the triangle is B.
LANES_TARGET static void put_rods(const tact_contacts_job* job, const side_rods* rods, const side_pairs* waiting,
                                  bool second, bool from_b)
{
    for (uint32_t k = 0; k < waiting->count; ++k) {
        TactManifold m = take_manifold(&rods->found, from_b, k);
        for (uint32_t i = 0; i < m.count; ++i) {
            m.feature[i] =
                tact_rod_box_feature(rods->kind[k], rods->axis[k], rods->sign[k], second, rods->found.tag[i][k]);
        }
        put_contact(job, waiting->number[k], &m);
    }
}
