// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/geometry/bsp_internal.h"
#include "cpu_ref/geometry/exact.h"
#include "cpu_ref/geometry/predicates_internal.h"

/// What a row's numbers must exceed their error by.
#define TRUST 0x1p26

static tact_vec3 corner_of(const tact_bsp_mesh* mesh, uint32_t triangle, int k)
{
    return mesh->positions[mesh->indices[3 * (size_t)triangle + (size_t)k]];
}

static float float_at(tact_vec3 p, uint32_t axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static bool is_axis(const tact_bsp_node* node)
{
    return node->triangle >= TACT_BSP_AXIS;
}

int32_t tact_bsp_scale_of(const tact_vec3* positions, size_t count)
{
    int32_t scale = INT32_MAX;
    for (size_t i = 0; i < count; ++i) {
        for (uint32_t axis = 0; axis < 3; ++axis) {
            const int32_t shift = big_shift_of(float_at(positions[i], axis));
            scale = shift < scale ? shift : scale;
        }
    }
    return scale;
}

// ---- Planes ----

void tact_bsp_set_plane(const tact_bsp_mesh* mesh, tact_bsp_node* node, uint32_t triangle, tact_vec3 point)
{
    node->triangle = triangle;
    node->point = point;
    node->bound = 0.0;
    if (is_axis(node)) {
        for (uint32_t k = 0; k < 3; ++k)
            node->normal[k] = k == triangle - TACT_BSP_AXIS ? 1.0 : 0.0;
        return;
    }
    const dvec a = d_from(point);
    const dvec u = d_sub(d_from(corner_of(mesh, triangle, 1)), a), v = d_sub(d_from(corner_of(mesh, triangle, 2)), a);
    const dvec n = d_cross(u, v);
    node->normal[0] = n.x;
    node->normal[1] = n.y;
    node->normal[2] = n.z;
    // Four roundings a product of the normal's, three more of the height: seven units of 2^-53 of the products' sizes.
    const double x = fabs(u.y * v.z) + fabs(u.z * v.y), y = fabs(u.z * v.x) + fabs(u.x * v.z);
    const double z = fabs(u.x * v.y) + fabs(u.y * v.x);
    node->bound = 0x1p-49 * fmax(x, fmax(y, z));
}

double tact_bsp_height(const tact_bsp_mesh* mesh, const tact_bsp_node* node, tact_vec3 point)
{
    double bound;
    const double quick = bsp_quick_height(node, point, &bound);
    if (is_axis(node) || fabs(quick) > TRUST * bound) return quick;
    return exact_volume(d_from(node->point), d_from(corner_of(mesh, node->triangle, 1)),
                        d_from(corner_of(mesh, node->triangle, 2)), d_from(point), TRUST);
}

void tact_bsp_height_exact(const tact_bsp_mesh* mesh, const tact_bsp_node* node, tact_vec3 point, bool vector,
                           int32_t scale, tact_big* height)
{
    tact_big p[3], u[3], v[3];
    if (vector) {
        big_vector(point, scale, p);
    } else {
        big_difference(point, node->point, scale, p);
    }
    if (is_axis(node)) {
        *height = p[node->triangle - TACT_BSP_AXIS];
        return;
    }
    big_difference(corner_of(mesh, node->triangle, 1), node->point, scale, u);
    big_difference(corner_of(mesh, node->triangle, 2), node->point, scale, v);
    big_determinant(p, u, v, height);
}

/// The sign of a coordinate of a triangle's normal.
static int normal_sign(const tact_bsp_mesh* mesh, uint32_t triangle, int axis)
{
    return tact_orient2d(tact_drop_axis(corner_of(mesh, triangle, 0), axis),
                         tact_drop_axis(corner_of(mesh, triangle, 1), axis),
                         tact_drop_axis(corner_of(mesh, triangle, 2), axis));
}

int tact_bsp_facing(const tact_bsp_mesh* mesh, const tact_bsp_node* node, uint32_t triangle)
{
    int axis = 0;
    while (axis < 2 && normal_sign(mesh, triangle, axis) == 0)
        ++axis;
    return normal_sign(mesh, triangle, axis) * normal_sign(mesh, node->triangle, axis);
}

// ---- Pieces ----

void tact_bsp_piece_whole(tact_bsp_piece* piece, uint32_t triangle)
{
    piece->triangle = triangle;
    piece->edges = 3;
    tact_bsp_edge* edge = bsp_edges_of(piece);
    for (uint32_t k = 0; k < 3; ++k)
        edge[k] = (tact_bsp_edge){TACT_BSP_OWN + k, 1, {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0}};
}

static void big_row(const tact_bsp_mesh* mesh, const tact_bsp_node* node, uint32_t triangle, tact_big row[3])
{
    for (int k = 0; k < 3; ++k)
        tact_bsp_height_exact(mesh, node, corner_of(mesh, triangle, k), false, mesh->scale, &row[k]);
}

static void big_edge_row(const tact_bsp_mesh* mesh, const tact_bsp_edge* edge, uint32_t triangle, tact_big row[3])
{
    if (edge->node < TACT_BSP_OWN) {
        big_row(mesh, &mesh->nodes[edge->node], triangle, row);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        row[k].negative = false;
        row[k].count = edge->row[k] != 0.0;
        row[k].word[0] = 1;
    }
}

/// The sign of the height of the corner between two edges.
static int corner_side(const tact_bsp_mesh* mesh, const tact_bsp_node* node, uint32_t triangle, const double row[3],
                       const tact_bsp_edge* e, const tact_bsp_edge* f)
{
    double sum = 0.0, size = 0.0;
    bool some = false;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double up = e->row[i] * f->row[j], down = e->row[j] * f->row[i];
        some = some ||
               (row[k] != 0.0 && ((e->row[i] != 0.0 && f->row[j] != 0.0) || (e->row[j] != 0.0 && f->row[i] != 0.0)));
        sum += row[k] * (up - down);
        size += fabs(row[k]) * (fabs(up) + fabs(down));
    }
    const int turn = e->sign * f->sign;
    // The numbers of a row are wrong by 2^-26 of themselves, and where products underflow all is open.
    if (fabs(sum) > 0x1p-24 * size && size > 0x1p-900 && size < 0x1p1000) return sum > 0.0 ? turn : -turn;
    if (!some) return 0;
    if (mesh->unsure) ++*mesh->unsure;
    tact_big exact[3][3], value;
    big_row(mesh, node, triangle, exact[0]);
    big_edge_row(mesh, e, triangle, exact[1]);
    big_edge_row(mesh, f, triangle, exact[2]);
    big_determinant(exact[0], exact[1], exact[2], &value);
    return big_sign(&value) * turn;
}

tact_bsp_side tact_bsp_classify(const tact_bsp_mesh* mesh, const tact_bsp_node* node, const tact_bsp_piece* piece,
                                double row[3], int8_t* sides)
{
    bool above = false, below = false;
    for (int k = 0; k < 3; ++k) {
        double bound;
        const tact_vec3 p = corner_of(mesh, piece->triangle, k);
        row[k] = bsp_quick_height(node, p, &bound);
        if (!(fabs(row[k]) > TRUST * bound)) row[k] = tact_bsp_height(mesh, node, p);
        above = above || row[k] > 0.0;
        below = below || row[k] < 0.0;
    }
    if (!above && !below) return BSP_IN_PLANE;
    if (!below) return BSP_FRONT;
    if (!above) return BSP_BACK;
    const tact_bsp_edge* edge = bsp_const_edges(piece);
    above = below = false;
    for (uint32_t k = 0; k < piece->edges; ++k) {
        const tact_bsp_edge *e = &edge[k], *f = &edge[k + 1 < piece->edges ? k + 1 : 0];
        int side;
        if (e->node >= TACT_BSP_OWN && f->node >= TACT_BSP_OWN) {
            // A corner of the triangle: neither edge is across it.
            const double height = row[3 - (e->node - TACT_BSP_OWN) - (f->node - TACT_BSP_OWN)];
            side = (height > 0.0) - (height < 0.0);
        } else {
            side = corner_side(mesh, node, piece->triangle, row, e, f);
        }
        sides[k] = (int8_t)side;
        above = above || side > 0;
        below = below || side < 0;
    }
    return above && below ? BSP_CUT : above ? BSP_FRONT : BSP_BACK;
}

/// The edges with an end strictly on the side `sign`, and the cut after the last of them.
static void keep(const tact_bsp_piece* piece, uint32_t node, const double row[3], const int8_t* sides, int sign,
                 tact_bsp_piece* part)
{
    const tact_bsp_edge* edge = bsp_const_edges(piece);
    tact_bsp_edge* out = bsp_edges_of(part);
    const tact_bsp_edge cut = {node, sign, {row[0], row[1], row[2]}};
    part->triangle = piece->triangle;
    part->edges = 0;
    for (uint32_t k = 0; k < piece->edges; ++k) {
        const int from = sides[k > 0 ? k - 1 : piece->edges - 1] * sign, to = sides[k] * sign;
        if (from > 0 || to > 0) out[part->edges++] = edge[k];
        // The way leaves this side on this edge.
        if (from > 0 && to <= 0) out[part->edges++] = cut;
    }
}

void tact_bsp_cut(const tact_bsp_piece* piece, uint32_t node, const double row[3], const int8_t* sides,
                  tact_bsp_piece* front, tact_bsp_piece* back)
{
    keep(piece, node, row, sides, 1, front);
    keep(piece, node, row, sides, -1, back);
}
