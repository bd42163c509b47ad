// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/solids/combine.h"

#include <string.h>

#include "cpu_ref/geometry/predicates_internal.h"
#include "cpu_ref/solids/cut.h"

/// Flat triangles beside flat ones go in some rounds.
enum { MOST_ROUNDS = 16 };

/// Where the inside of a piece is, seen from the other solid.
typedef enum place_kind {
    UNKNOWN,
    OUTSIDE,
    INSIDE,
    FACING_ALIKE,  ///< on its surface, which faces the same way
    FACING_APART   ///< on its surface, which faces the other way
} place_kind;

typedef struct combination {
    tact_env* env;
    tact_solid solid[2];
    tact_arrangement arrangement;
    tact_pieces pieces[2];
    uint8_t* place[2];  ///< a place_kind of each piece
} combination;

// ---- Places of pieces ----

/// Whether a point where surfaces meet is on a face of a solid, its edges and corners included.
static bool is_on_face(const combination* c, int solid, uint32_t face, uint32_t point)
{
    const tact_solid* s = &c->solid[solid];
    const uint32_t part = tact_part_of(&c->arrangement, point, solid), number = part & TACT_PART_NUMBER;
    if (part & TACT_PART_FACE) return number == face;
    const uint32_t* own = part & TACT_PART_EDGE ? s->edge_of + 3 * (size_t)face : s->parts.corners + 3 * (size_t)face;
    return own[0] == number || own[1] == number || own[2] == number;
}

static int turn_along(const tact_vec3 t[3], int axis)
{
    return tact_orient2d(tact_drop_axis(t[0], axis), tact_drop_axis(t[1], axis), tact_drop_axis(t[2], axis));
}

/// Whether a face of one solid and one of the other, in one plane, face the same way.
static bool face_alike(const combination* c, int solid, uint32_t face, uint32_t other)
{
    tact_vec3 t[3], u[3];
    tact_solid_triangle(&c->solid[solid], face, t);
    tact_solid_triangle(&c->solid[1 - solid], other, u);
    int axis = 0;
    while (axis < 2 && !turn_along(t, axis))
        ++axis;
    return turn_along(t, axis) == turn_along(u, axis);
}

/// The place of a piece that lies on a face of the other solid, else UNKNOWN.
static place_kind place_on_surface(const combination* c, int solid, size_t piece)
{
    const tact_pieces* pieces = &c->pieces[solid];
    const uint32_t* corner = pieces->corners + 3 * piece;
    size_t count;
    const tact_cuts* cuts = &c->arrangement.coplanar[solid];
    const size_t first = tact_cuts_of(cuts, pieces->face[piece], &count);
    for (int k = 0; count && k < 3; ++k) {
        if (!tact_is_meet(&c->arrangement, corner[k])) return UNKNOWN;
    }
    for (size_t i = 0; i < count; ++i) {
        const uint32_t other = cuts->items[first + i].from;
        if (!is_on_face(c, 1 - solid, other, corner[0]) || !is_on_face(c, 1 - solid, other, corner[1]) ||
            !is_on_face(c, 1 - solid, other, corner[2])) {
            continue;
        }
        return face_alike(c, solid, pieces->face[piece], other) ? FACING_ALIKE : FACING_APART;
    }
    return UNKNOWN;
}

/// The place of what begins at an edge of a solid and goes towards a point that is not on its surface: the face that
/// comes next, turning about the edge, has it in front or behind.
static place_kind place_at_edge(combination* c, const tact_solid* solid, uint32_t edge, const tact_meet_point* towards)
{
    tact_arrangement* of = &c->arrangement;
    const tact_mesh_sides* sides = &solid->sides;
    uint32_t end[2];
    tact_solid_edge(solid, edge, end);
    const tact_vec3 from = tact_solid_vertex(solid, end[0]), to = tact_solid_vertex(solid, end[1]);
    int best_half = 3;
    tact_vec3 best = from;
    bool inside = false;
    for (uint32_t i = solid->edge_begin[edge]; i < solid->edge_begin[edge + 1]; ++i) {
        const uint32_t side = sides->sides[i], third = tact_mesh_next_side(tact_mesh_next_side(side));
        const tact_vec3 t[3] = {from, to, tact_solid_vertex(solid, solid->parts.corners[third])};
        const int turn = -tact_points_side(t, towards, of->scale, &of->exact);
        const int half = turn > 0 ? 0 : turn == 0 ? 1 : 2;  // within half a turn, after it, in the other half
        if (half > best_half || (half == best_half && tact_orient3d(from, to, t[2], best) <= 0)) continue;
        best_half = half;
        best = t[2];
        inside = solid->parts.corners[side] == end[1];
    }
    return inside ? INSIDE : OUTSIDE;
}

/// The place of what begins in a part of a solid's surface, an edge or a face, and goes towards a point.
static place_kind place_beside(combination* c, const tact_solid* solid, uint32_t part, uint32_t towards)
{
    const tact_meet_point point = tact_point_of(&c->arrangement, towards);
    const uint32_t number = part & TACT_PART_NUMBER;
    if (part & TACT_PART_EDGE) return place_at_edge(c, solid, number, &point);
    TACT_ASSERT(part & TACT_PART_FACE);
    tact_vec3 t[3];
    tact_solid_triangle(solid, number, t);
    const int side = tact_points_side(t, &point, c->arrangement.scale, &c->arrangement.exact);
    TACT_ASSERT(side != 0);
    return side > 0 ? INSIDE : OUTSIDE;
}

/// The place of a piece by the other surface next to it, where there is one, else UNKNOWN.
static place_kind place_by_seam(combination* c, int solid, size_t piece)
{
    const uint32_t* corner = c->pieces[solid].corners + 3 * piece;
    const place_kind on = place_on_surface(c, solid, piece);
    if (on != UNKNOWN) return on;
    for (int k = 0; k < 3; ++k) {
        const tact_seam* seam = tact_find_seam(&c->arrangement, corner[k], corner[(k + 1) % 3]);
        if (seam) return place_beside(c, &c->solid[1 - solid], seam->part[1 - solid], corner[(k + 2) % 3]);
    }
    return UNKNOWN;
}

/// The place of a piece that has no side on the other surface, nor have those connected with it. At most its corners
/// touch that.
static place_kind place_apart(combination* c, int solid, size_t piece)
{
    tact_arrangement* of = &c->arrangement;
    const uint32_t* corner = c->pieces[solid].corners + 3 * piece;
    tact_meet_point point = tact_point_of(of, corner[0]);
    if (tact_is_meet(of, corner[0])) {
        const uint32_t part = tact_part_of(of, corner[0], 1 - solid);
        if (part & TACT_PART_KIND) return place_beside(c, &c->solid[1 - solid], part, corner[1]);
        // A vertex of both: in the middle of the side, the other surface is not.
        const tact_meet_point next = tact_point_of(of, corner[1]);
        if (next.kind != POINT_GIVEN) {
            return place_beside(c, &c->solid[1 - solid], tact_part_of(of, corner[1], 1 - solid), corner[0]);
        }
        point = tact_point_middle(point.p, next.p);
    }
    return tact_solid_winding(&c->solid[1 - solid], &point, of->scale, NULL, 0, &of->exact) ? INSIDE : OUTSIDE;
}

/// Joins pieces whose common side is not on the other surface: these are in the same place.
static tact_result join_pieces(combination* c, int solid, uint32_t* parent)
{
    const tact_pieces* pieces = &c->pieces[solid];
    const size_t points = c->arrangement.first_meet + c->arrangement.meet_count;
    tact_mesh_sides sides;
    const tact_result result = tact_mesh_sides_begin(&sides, c->env, pieces->corners, pieces->count, points);
    for (uint32_t i = 0; i < pieces->count; ++i)
        parent[i] = i;
    for (size_t i = 1; result >= 0 && i < sides.count; ++i) {
        if (sides.keys[i] != sides.keys[i - 1]) continue;
        const uint32_t side = sides.sides[i];
        const uint32_t from = pieces->corners[side], to = pieces->corners[tact_mesh_next_side(side)];
        if (!tact_find_seam(&c->arrangement, from, to)) tact_set_join(parent, side / 3, sides.sides[i - 1] / 3);
    }
    tact_mesh_sides_end(&sides, c->env);
    return result;
}

static tact_result find_places(combination* c, int solid)
{
    const size_t count = c->pieces[solid].count;
    uint32_t* parent = tact_allocate(c->env, count, sizeof *parent);
    uint8_t* place = c->place[solid] = tact_allocate_zeroed(c->env, count, 1);
    tact_result result = parent && place ? join_pieces(c, solid, parent) : TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; result >= 0 && i < count; ++i) {
        const uint32_t root = tact_set_root(parent, i);
#if defined(TACT_ASSERTS)
        const place_kind found = place_by_seam(c, solid, i);
        TACT_ASSERT(found == UNKNOWN || place[root] == UNKNOWN || place[root] == found);
#else
        const place_kind found = place[root] == UNKNOWN ? place_by_seam(c, solid, i) : UNKNOWN;
#endif
        if (found != UNKNOWN) place[root] = (uint8_t)found;
    }
    for (uint32_t i = 0; result >= 0 && i < count; ++i) {
        const uint32_t root = tact_set_root(parent, i);
        if (place[root] == UNKNOWN) place[root] = (uint8_t)place_apart(c, solid, i);
        place[i] = place[root];
    }
    tact_release(c->env, parent);
    return result;
}

// ---- The result ----

/// Whether a piece stays.
static bool stays(tact_mesh_operation operation, int solid, place_kind place)
{
    switch (operation) {
        case TACT_MESH_UNION:
            return place == OUTSIDE || (solid == 0 && place == FACING_ALIKE);
        case TACT_MESH_INTERSECTION:
            return place == INSIDE || (solid == 0 && place == FACING_ALIKE);
        default:
            return solid == 0 ? place == OUTSIDE || place == FACING_APART : place == INSIDE;
    }
}

/// Copies the pieces that stay, their corners by the number among all points.
static void choose_pieces(const combination* c, tact_mesh_operation operation, tact_mesh_copy* copy)
{
    for (int k = 0; k < 2; ++k) {
        const bool turned = k == 1 && operation == TACT_MESH_DIFFERENCE;
        for (size_t i = 0; i < c->pieces[k].count; ++i) {
            if (!stays(operation, k, c->place[k][i])) continue;
            const uint32_t* corner = c->pieces[k].corners + 3 * i;
            uint32_t* to = copy->indices + 3 * copy->triangle_count++;
            to[0] = corner[0];
            to[1] = corner[turned ? 2 : 1];
            to[2] = corner[turned ? 1 : 2];
            copy->flipped += turned;
        }
    }
}

/// Gives the points that are named numbers in the order of their first use, and places.
static tact_result place_points(combination* c, tact_mesh_copy* copy)
{
    const size_t points = c->arrangement.first_meet + c->arrangement.meet_count;
    uint32_t* number = tact_allocate(c->env, points, sizeof *number);
    if (!number) return TACT_ERROR_OUT_OF_MEMORY;
    memset(number, 0xff, points * sizeof *number);
    size_t used = 0;
    for (size_t i = 0; i < 3 * copy->triangle_count; ++i) {
        uint32_t* own = &number[copy->indices[i]];
        if (*own == UINT32_MAX) *own = (uint32_t)used++;
    }
    copy->positions = tact_allocate(c->env, used, sizeof *copy->positions);
    for (size_t i = 0; copy->positions && i < 3 * copy->triangle_count; ++i) {
        const tact_meet_point point = tact_point_of(&c->arrangement, copy->indices[i]);
        copy->indices[i] = number[copy->indices[i]];
        copy->positions[copy->indices[i]] =
            point.kind == POINT_GIVEN ? point.p
                                      : (tact_vec3){(float)point.at[0], (float)point.at[1], (float)point.at[2]};
    }
    copy->vertex_count = used;
    tact_release(c->env, number);
    return copy->positions ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

/// The longest side of a triangle that rounding has made flat; UINT32_MAX of one that has an area.
static uint32_t flat_side(const tact_mesh_copy* copy, uint32_t triangle)
{
    const uint32_t* t = copy->indices + 3 * (size_t)triangle;
    const tact_vec3 p[3] = {copy->positions[t[0]], copy->positions[t[1]], copy->positions[t[2]]};
    if (!tact_collinear(p[0], p[1], p[2])) return UINT32_MAX;
    uint32_t longest = 0;
    double most = 0.0;
    for (uint32_t k = 0; k < 3; ++k) {
        const double length = d_length(d_sub(d_from(p[(k + 1) % 3]), d_from(p[k])));
        if (length > most) longest = k;
        most = fmax(length, most);
    }
    return 3 * triangle + longest;
}

/// The corner that is not on a side.
static uint32_t third_of(const tact_mesh_copy* copy, uint32_t side)
{
    return copy->indices[tact_mesh_next_side(tact_mesh_next_side(side))];
}

/// Turns the side between two triangles.
static void turn_side(tact_mesh_copy* copy, uint32_t side, uint32_t other)
{
    uint32_t *t = copy->indices + side - side % 3, *u = copy->indices + other - other % 3;
    const uint32_t a = copy->indices[side], c = copy->indices[other], b = third_of(copy, side),
                   d = third_of(copy, other);
    memcpy(t, (uint32_t[]){a, d, b}, 3 * sizeof *t);
    memcpy(u, (uint32_t[]){d, c, b}, 3 * sizeof *u);
}

/// Triangles that rounding has made flat give their longest side, on which their third corner is, for one from there to
/// the corner across: their neighbour is cut in two, and nothing is flat but where that was flat too.
static tact_result turn_flat(combination* c, tact_mesh_copy* copy, tact_mesh_combined* combined)
{
    uint32_t* across = tact_allocate(c->env, copy->triangle_count, 3 * sizeof *across);
    uint8_t* turned = tact_allocate(c->env, copy->triangle_count, 1);
    tact_result result = across && turned ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    bool some = true;
    for (int round = 0; round < MOST_ROUNDS && some && result >= 0; ++round) {
        some = false;
        for (uint32_t i = 0; i < copy->triangle_count; ++i) {
            const uint32_t side = flat_side(copy, i);
            if (side == UINT32_MAX) continue;
            if (!some) {
                result = tact_mesh_adjacency(copy->indices, copy->triangle_count, copy->vertex_count,
                                             &c->env->allocator, across);
                if (result < 0) break;
                memset(turned, 0, copy->triangle_count);
                some = true;
            }
            const uint32_t other = across[side];
            if (other >= TACT_MESH_MANY || turned[i] || turned[other / 3] ||
                third_of(copy, side) == third_of(copy, other)) {
                continue;
            }
            turned[i] = turned[other / 3] = 1;
            turn_side(copy, side, other);
            ++combined->flat;
        }
    }
    tact_release(c->env, across);
    tact_release(c->env, turned);
    return result;
}

/// Makes vertices of equal places one, and drops triangles that have one twice: what is at such a one's other sides is
/// then connected.
static tact_result join_places(combination* c, tact_mesh_copy* copy, tact_mesh_combined* combined)
{
    uint32_t* first = tact_allocate(c->env, copy->vertex_count, sizeof *first);
    if (!first) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_result result = tact_mesh_weld(copy->positions, copy->vertex_count, &c->env->allocator, first, NULL);
    size_t kept = 0;
    for (size_t i = 0; result >= 0 && i < copy->triangle_count; ++i) {
        const uint32_t* t = copy->indices + 3 * i;
        const uint32_t corner[3] = {first[t[0]], first[t[1]], first[t[2]]};
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) continue;
        memcpy(copy->indices + 3 * kept++, corner, sizeof corner);
    }
    combined->collapsed = copy->triangle_count - kept;
    copy->triangle_count = kept;
    if (result >= 0) tact_mesh_trim(copy, first);
    tact_release(c->env, first);
    return result;
}

static tact_result make_copy(combination* c, tact_mesh_operation operation, tact_mesh_copy* copy,
                             tact_mesh_combined* combined)
{
    copy->allocator = c->env->allocator;
    copy->indices = tact_allocate(c->env, c->pieces[0].count + c->pieces[1].count, 3 * sizeof *copy->indices);
    if (!copy->indices) return TACT_ERROR_OUT_OF_MEMORY;
    choose_pieces(c, operation, copy);
    tact_result result = place_points(c, copy);
    if (result >= 0) result = join_places(c, copy, combined);
    return result < 0 ? result : turn_flat(c, copy, combined);
}

static tact_result prepare(combination* c, const tact_mesh_view* const mesh[2], tact_mesh_combined* combined)
{
    static const char* const name[2] = {"a", "b"};
    tact_result result = TACT_OK;
    for (int k = 0; k < 2 && result >= 0; ++k) {
        result = tact_solid_begin(&c->solid[k], c->env, mesh[k]);
        if (result >= 0) result = tact_solid_check(&c->solid[k], name[k]);
    }
    if (result >= 0) result = tact_arrange_begin(&c->arrangement, c->env, &c->solid[0], &c->solid[1]);
    for (int k = 0; k < 2 && result >= 0; ++k) {
        const uint8_t* meets = c->arrangement.meets[k];
        result = tact_solid_check_crossings(&c->solid[k], name[k], meets, &combined->crossings);
    }
    if (result >= 0) result = tact_arrange(&c->arrangement);
    for (int k = 0; k < 2 && result >= 0; ++k)
        result = tact_cut_faces(&c->arrangement, k, &c->pieces[k]);
    for (int k = 0; k < 2 && result >= 0; ++k)
        result = find_places(c, k);
    if (result < 0) return result;
    combined->cut_triangles = c->pieces[0].cut_faces + c->pieces[1].cut_faces;
    combined->meeting_points = c->arrangement.meet_count;
    combined->seams = c->arrangement.seam_count;
    combined->coplanar_pairs = c->arrangement.coplanar[0].count;
    combined->exact = c->arrangement.exact;
    return TACT_OK;
}

tact_result tact_solids_combine(tact_env* env, const tact_mesh_view* a, const tact_mesh_view* b,
                                const tact_mesh_operation* operations, size_t count, tact_mesh_copy* copies,
                                tact_mesh_combined* combined)
{
    combination c = {.env = env};
    const tact_mesh_view* const mesh[2] = {a, b};
    memset(combined, 0, sizeof *combined);
    memset(copies, 0, count * sizeof *copies);
    tact_result result = prepare(&c, mesh, combined);
    for (size_t i = 0; i < count && result >= 0; ++i)
        result = make_copy(&c, operations[i], &copies[i], combined);
    for (int k = 0; k < 2; ++k) {
        tact_release(env, c.place[k]);
        tact_pieces_free(env, &c.pieces[k]);
        tact_solid_end(&c.solid[k]);
    }
    tact_arrangement_end(&c.arrangement);
    if (result >= 0) return result;
    for (size_t i = 0; i < count; ++i) {
        copies[i].allocator = env->allocator;
        tact_mesh_copy_free(&copies[i]);
    }
    memset(combined, 0, sizeof *combined);
    return result;
}

tact_result tact_mesh_combine(const tact_mesh_view* a, const tact_mesh_view* b, tact_mesh_operation operation,
                              const tact_allocator* allocator, tact_mesh_copy* copy, tact_mesh_combined* combined)
{
    tact_env env;
    tact_mesh_combined counts = {0};
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_error_begin(NULL);
    memset(copy, 0, sizeof *copy);
    tact_result result = TACT_OK;
    if ((unsigned)operation > TACT_MESH_DIFFERENCE) {
        result = tact_fail(&env, TACT_ERROR_INVALID_ARGUMENT, "operation is %d", (int)operation);
    }
    if (result >= 0) result = tact_solids_combine(&env, a, b, &operation, 1, copy, &counts);
    if (combined) *combined = counts;
    return result;
}

tact_result tact_mesh_crossings(const tact_mesh_view* mesh, const tact_allocator* allocator, uint32_t* pairs,
                                size_t capacity, size_t* count)
{
    tact_env env;
    tact_solid solid;
    tact_overlap_list list = {0};
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_error_begin(NULL);
    *count = 0;
    tact_result result = tact_solid_begin(&solid, &env, mesh);
    if (result >= 0) result = tact_solid_crossings(&solid, &list);
    if (result >= 0) {
        *count = list.count;
        for (size_t i = 0; i < list.count && i < capacity; ++i) {
            pairs[2 * i] = solid.number[list.pairs[i].a];
            pairs[2 * i + 1] = solid.number[list.pairs[i].b];
        }
        if (list.count > capacity) result = TACT_INCOMPLETE;
    }
    tact_overlap_list_free(&env, &list);
    tact_solid_end(&solid);
    return result;
}
