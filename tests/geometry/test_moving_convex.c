// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Moving oriented boxes and convex polyhedra, against the first contact of a vertex and a face or of two edges, which
// knows nothing of axes.

#include "tests/geometry/moving.h"

// Convex polyhedra.

enum { VERTICES = 8, FACES = 12, EDGES = 12, DIRECTIONS = 6 };

/// A polyhedron for the function and for the oracle.
typedef struct solid {
    tact_vec3 vertices[VERTICES], normals[DIRECTIONS], edges[DIRECTIONS];
    int vertex_count, normal_count, edge_count;
    int faces[FACES][3], face_count, lines[EDGES][2], line_count;
} solid;

static tact_moving_convex convex_of(const solid* s)
{
    return (tact_moving_convex){s->vertices, (size_t)s->vertex_count, s->normals, (size_t)s->normal_count,
                                s->edges,    (size_t)s->edge_count};
}

static tact_vec3 sub(tact_vec3 a, tact_vec3 b)
{
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

/// Normals and edges from the faces and lines, parallel ones and all.
static void complete(solid* s)
{
    s->edge_count = s->normal_count = 0;
    for (int i = 0; i < s->line_count && i < DIRECTIONS; ++i)
        s->edges[s->edge_count++] = sub(s->vertices[s->lines[i][1]], s->vertices[s->lines[i][0]]);
    for (int i = 0; i < s->face_count && i < DIRECTIONS; ++i) {
        // Rounded once: in single precision throughout, the normal of a needle would be off by far more.
        const dv a = dv_of(s->vertices[s->faces[i][0]]);
        const dv n =
            dv_cross(dv_sub(dv_of(s->vertices[s->faces[i][1]]), a), dv_sub(dv_of(s->vertices[s->faces[i][2]]), a));
        s->normals[s->normal_count++] = v3((float)n.x, (float)n.y, (float)n.z);
    }
}

static solid solid_box(const tact_obb* box)
{
    static const int quads[6][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}};
    static const int lines[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                     {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    solid s = {.vertex_count = 8, .face_count = 12, .line_count = 12, .normal_count = 3, .edge_count = 3};
    for (int k = 0; k < 8; ++k)
        s.vertices[k] = test_at(box, k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 2; ++k) {
            s.faces[2 * i + k][0] = quads[i][0];
            s.faces[2 * i + k][1] = quads[i][1 + k];
            s.faces[2 * i + k][2] = quads[i][2 + k];
        }
    }
    for (int i = 0; i < 12; ++i) {
        s.lines[i][0] = lines[i][0];
        s.lines[i][1] = lines[i][1];
    }
    for (int i = 0; i < 3; ++i)
        s.normals[i] = s.edges[i] = box->axis[i];
    return s;
}

/// A tetrahedron, triangle, segment or point in the ball of that size.
static solid solid_simplex(test_random* r, int count, float spread, float size)
{
    solid s = {.vertex_count = count};
    const tact_vec3 at = test_vec3(r, spread);
    for (int i = 0; i < count; ++i) {
        const tact_vec3 v = test_vec3(r, size);
        s.vertices[i] = v3(at.x + v.x, at.y + v.y, at.z + v.z);
        for (int k = 0; k < i; ++k) {
            s.lines[s.line_count][0] = k;
            s.lines[s.line_count++][1] = i;
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < i; ++k) {
            for (int j = 0; j < k; ++j) {
                s.faces[s.face_count][0] = j;
                s.faces[s.face_count][1] = k;
                s.faces[s.face_count++][2] = i;
            }
        }
    }
    complete(&s);
    return s;
}

static const double none = HUGE_VAL;

/// First contact of features, once with everything a little larger and once a little smaller.
typedef struct bracket {
    double low, high;
} bracket;

static void note(bracket* b, double t, double inside)
{
    const double band = 1e-7;
    if (t >= -band && t <= 1 + band && inside >= -band && t < b->low) b->low = t;
    if (t >= band && t <= 1 - band && inside >= band && t < b->high) b->high = t;
}

/// A point that moves by m against a triangle.
static void vertex_face(bracket* out, dv p, dv m, dv a, dv b, dv c)
{
    const dv e = dv_sub(b, a), f = dv_sub(c, a), q = dv_sub(p, a), n = dv_cross(e, f);
    const double speed = dv_dot(m, n);
    if (speed == 0.0) return;
    const double t = -dv_dot(q, n) / speed;
    const dv at = {q.x + t * m.x, q.y + t * m.y, q.z + t * m.z};
    const double nn = dv_dot(n, n), u = dv_dot(dv_cross(at, f), n) / nn, v = dv_dot(dv_cross(e, at), n) / nn;
    note(out, t, fmin(fmin(u, v), 1 - u - v));
}

/// An edge a b that moves by m against an edge c d: coplanar when their volume vanishes, which is linear in time.
static void edge_edge(bracket* out, dv a, dv b, dv m, dv c, dv d)
{
    const dv e = dv_sub(b, a), f = dv_sub(d, c), n = dv_cross(e, f), w = dv_sub(c, a);
    const double speed = dv_dot(m, n), nn = dv_dot(n, n);
    if (speed == 0.0 || nn == 0.0) return;
    const double t = dv_dot(w, n) / speed;
    const dv q = {w.x - t * m.x, w.y - t * m.y, w.z - t * m.z};
    const double u = dv_dot(dv_cross(q, f), n) / nn, v = dv_dot(dv_cross(q, e), n) / nn;
    note(out, t, fmin(fmin(u, 1 - u), fmin(v, 1 - v)));
}

static bracket first_contact(const solid* a, const solid* b, dv m)
{
    bracket out = {none, none};
    const dv back = {-m.x, -m.y, -m.z};
    dv p[VERTICES], q[VERTICES];
    for (int i = 0; i < VERTICES; ++i) {
        p[i] = dv_of(a->vertices[i]);
        q[i] = dv_of(b->vertices[i]);
    }
    for (int i = 0; i < a->vertex_count; ++i) {
        for (int k = 0; k < b->face_count; ++k)
            vertex_face(&out, p[i], m, q[b->faces[k][0]], q[b->faces[k][1]], q[b->faces[k][2]]);
    }
    for (int i = 0; i < b->vertex_count; ++i) {
        for (int k = 0; k < a->face_count; ++k)
            vertex_face(&out, q[i], back, p[a->faces[k][0]], p[a->faces[k][1]], p[a->faces[k][2]]);
    }
    for (int i = 0; i < a->line_count; ++i) {
        for (int k = 0; k < b->line_count; ++k)
            edge_edge(&out, p[a->lines[i][0]], p[a->lines[i][1]], m, q[b->lines[k][0]], q[b->lines[k][1]]);
    }
    return out;
}

/// Whether they overlap at the start: an edge of one through a face of the other, or a vertex inside; by asking when
/// an edge's start, sent along the edge, comes to a face, and how often rays from a vertex cross the surface.
static bool pierces(const solid* a, const solid* b)
{
    for (int i = 0; i < a->line_count; ++i) {
        const dv p = dv_of(a->vertices[a->lines[i][0]]), q = dv_of(a->vertices[a->lines[i][1]]);
        for (int k = 0; k < b->face_count; ++k) {
            bracket out = {none, none};
            vertex_face(&out, p, dv_sub(q, p), dv_of(b->vertices[b->faces[k][0]]), dv_of(b->vertices[b->faces[k][1]]),
                        dv_of(b->vertices[b->faces[k][2]]));
            if (out.low < none) return true;
        }
    }
    if (b->face_count < 4) return false;
    static const dv far[2] = {{12.345, 7.777, 10.101}, {-9.011, 11.113, -7.039}};
    int crossings[2] = {0, 0};  // two rays, as one may pass through an edge
    for (int k = 0; k < 2 * b->face_count; ++k) {
        bracket out = {none, none};
        const int* f = b->faces[k / 2];
        vertex_face(&out, dv_of(a->vertices[0]), far[k % 2], dv_of(b->vertices[f[0]]), dv_of(b->vertices[f[1]]),
                    dv_of(b->vertices[f[2]]));
        crossings[k % 2] += out.low < none;
    }
    return crossings[0] % 2 == 1 && crossings[1] % 2 == 1;
}

/// How far a point is out of a solid, by its faces (four and more of them); the caller has moved it.
static double outside(const solid* s, dv p)
{
    double worst = 0.0;
    dv middle = {0, 0, 0};
    for (int i = 0; i < s->vertex_count; ++i) {
        const dv v = dv_of(s->vertices[i]);
        middle =
            (dv){middle.x + v.x / s->vertex_count, middle.y + v.y / s->vertex_count, middle.z + v.z / s->vertex_count};
    }
    for (int k = 0; k < s->face_count; ++k) {
        const dv a = dv_of(s->vertices[s->faces[k][0]]);
        dv n = dv_cross(dv_sub(dv_of(s->vertices[s->faces[k][1]]), a), dv_sub(dv_of(s->vertices[s->faces[k][2]]), a));
        const double length = sqrt(dv_dot(n, n)), side = dv_dot(dv_sub(middle, a), n) > 0 ? -1 : 1;
        worst = fmax(worst, side * dv_dot(dv_sub(p, a), n) / length);
    }
    return worst;
}

typedef struct verdicts {
    long hits, starts, misses, doubtful, wrong;
} verdicts;

/// Points may be off by what a contact between nearly parallel features makes of rounding.
static bool contact_fits(const solid* a, tact_vec3 ma, const solid* b, tact_vec3 mb, tact_moving_hit h)
{
    const double t = (double)h.t;
    const dv p = dv_of(h.point), u = dv_of(ma), w = dv_of(mb);
    const dv in_a = {p.x - t * u.x, p.y - t * u.y, p.z - t * u.z}, in_b = {p.x - t * w.x, p.y - t * w.y, p.z - t * w.z};
    const dv n = dv_of(h.normal), m = dv_sub(u, w);
    if (fabs(dv_dot(n, n) - 1.0) > 1e-6 || dv_dot(n, m) > 1e-6) return false;
    return (a->face_count < 4 || outside(a, in_a) < 2e-4) && (b->face_count < 4 || outside(b, in_b) < 2e-4);
}

static void judge(const solid* a, tact_vec3 ma, const solid* b, tact_vec3 mb, tact_moving_hit h, verdicts* count)
{
    bool right = true;
    const bool start = pierces(a, b) || pierces(b, a);
    const bracket first = first_contact(a, b, dv_sub(dv_of(ma), dv_of(mb)));
    if (start) {
        ++count->starts;
        right = h.hit && h.t <= 1e-6f;
    } else if (h.hit) {
        ++count->hits;
        // The given normals and the vertices are rounded each for itself; a shallow approach magnifies that.
        const dv n = dv_of(h.normal), m = dv_sub(dv_of(ma), dv_of(mb));
        const double loose = 1e-6 + (h.t > 0.0f ? 1e-6 / (fabs(dv_dot(n, m)) + 1e-9) : 0.0);
        right = (double)h.t >= first.low - loose && (double)h.t <= first.high + loose;
        if (first.high == none) ++count->doubtful;
        right = right && first.low < none && (h.t == 0.0f || contact_fits(a, ma, b, mb, h));
    } else {
        ++count->misses;
        right = first.high == none;
    }
    if (right) return;
    if (++count->wrong > 3) return;
    printf("vertices %d, %d: hit %d t %.9g point %g %g %g normal %g %g %g; start %d, first %.9g to %.9g\n",
           a->vertex_count, b->vertex_count, h.hit, (double)h.t, (double)h.point.x, (double)h.point.y,
           (double)h.point.z, (double)h.normal.x, (double)h.normal.y, (double)h.normal.z, start, first.low, first.high);
}

/// A motion that brings a about to where b comes.
static tact_vec3 aimed(test_random* r, tact_vec3 a, tact_vec3 b, tact_vec3 motion_b, float way)
{
    const tact_vec3 stray = test_vec3(r, 0.7f);
    const float s = way * test_random_unit(r);
    return v3(motion_b.x + s * (b.x - a.x) + stray.x, motion_b.y + s * (b.y - a.y) + stray.y,
              motion_b.z + s * (b.z - a.z) + stray.z);
}

static void report(const char* name, const verdicts* c)
{
    printf("%s: %ld hits of which %ld by a hair, %ld overlapping at time 0, %ld misses, %ld wrong\n", name, c->hits,
           c->doubtful, c->starts, c->misses, c->wrong);
    assert_int_equal(c->wrong, 0);
    assert_true(c->hits > 1000 && c->misses > 1000);
}

TEST(oriented_boxes_agree_with_their_features)
{
    test_random r = test_random_seeded(3);
    verdicts count = {0, 0, 0, 0, 0};
    for (int i = 0; i < 100000; ++i) {
        const tact_obb a = test_obb(&r, 2.0f, 0.1f, 1.0f), b = test_obb(&r, 2.0f, 0.1f, 1.0f);
        const float way = i % 4 == 0 ? 40.0f : 5.0f;
        const tact_vec3 mb = test_vec3(&r, way);
        const tact_vec3 ma = aimed(&r, a.center, b.center, mb, i % 4 ? 1.5f : 10.0f);
        const solid p = solid_box(&a), q = solid_box(&b);
        judge(&p, ma, &q, mb, tact_moving_obb_obb(&a, ma, &b, mb), &count);
    }
    report("oriented boxes", &count);
}

TEST(polyhedra_agree_with_their_features)
{
    test_random r = test_random_seeded(4);
    verdicts count = {0, 0, 0, 0, 0};
    for (int i = 0; i < 1000000; ++i) {
        solid p = solid_simplex(&r, 1 + i % 4, 1.5f, 1.0f), q = solid_simplex(&r, 4 - i / 4 % 4, 1.5f, 1.0f);
        if (i % 16 == 0) {
            const tact_obb box = test_obb(&r, 2.0f, 0.1f, 1.0f);
            q = solid_box(&box);
        }
        const tact_vec3 mb = test_vec3(&r, 3.0f), ma = aimed(&r, p.vertices[0], q.vertices[0], mb, 1.5f);
        const tact_moving_convex a = convex_of(&p), b = convex_of(&q);
        const tact_moving_hit h = tact_moving_convex_convex(&a, ma, &b, mb);
        const tact_moving_hit back = tact_moving_convex_convex(&b, mb, &a, ma);
        assert_true(back.hit == h.hit && fabsf(back.t - h.t) <= 1e-6f);
        judge(&p, ma, &q, mb, h, &count);
    }
    report("polyhedra", &count);
}

/// Oriented boxes along the axes must be what aligned ones are; parallel edges, and axes that cancel.
TEST(aligned_boxes_agree_as_oriented_and_as_convex_ones)
{
    test_random r = test_random_seeded(5);
    static const float sizes[3] = {0x1p-12f, 0x1p-32f, 0x1p8f};
    static const tact_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 200000; ++i) {
        const bool coarse = i % 2 == 1;
        grid_box a = grid_make(&r, coarse), b = grid_make(&r, coarse);
        int64_t ma[3], mb[3];
        tact_obb box[2];
        const float size = sizes[i % 3];
        for (int k = 0; k < 3; ++k) {
            ma[k] = 2 * grid_number(&r, coarse);
            mb[k] = grid_number(&r, coarse);
            a.high[k] += (a.high[k] - a.low[k]) & 1;  // so that the middles are exact
            b.high[k] += (b.high[k] - b.low[k]) & 1;
        }
        for (int k = 0; k < 2; ++k) {
            const grid_box* g = k ? &b : &a;
            const int64_t middle[3] = {(g->low[0] + g->high[0]) / 2, (g->low[1] + g->high[1]) / 2,
                                       (g->low[2] + g->high[2]) / 2};
            const int64_t half[3] = {(g->high[0] - g->low[0]) / 2, (g->high[1] - g->low[1]) / 2,
                                     (g->high[2] - g->low[2]) / 2};
            box[k] = (tact_obb){grid_vector(middle, size),
                                {axes[(k + i) % 3], axes[(k + i + 1) % 3], axes[(k + i + 2) % 3]},
                                {0, 0, 0}};
            const tact_vec3 h = grid_vector(half, size);
            const float parts[3] = {h.x, h.y, h.z};
            box[k].half = v3(parts[(k + i) % 3], parts[(k + i + 1) % 3], parts[(k + i + 2) % 3]);
        }
        const tact_vec3 va = grid_vector(ma, size), vb = grid_vector(mb, size);
        const tact_moving_hit h = tact_moving_aabb_aabb(grid_aabb(&a, size), va, grid_aabb(&b, size), vb);
        const tact_moving_hit o = tact_moving_obb_obb(&box[0], va, &box[1], vb);
        const solid p = solid_box(&box[0]), q = solid_box(&box[1]);
        const tact_moving_convex x = convex_of(&p), y = convex_of(&q);
        const tact_moving_hit c = tact_moving_convex_convex(&x, va, &y, vb);
        assert_true(o.hit == h.hit && c.hit == h.hit);
        assert_true(fabsf(o.t - h.t) <= 1e-7f && fabsf(c.t - h.t) <= 1e-7f);
    }
}

/// Flat polygons that move in their plane must be what prisms over them are. Without the axes within the plane all of
/// them would be in contact at time 0.
TEST(coplanar_polygons_agree_with_prisms)
{
    test_random r = test_random_seeded(6);
    long hits = 0, misses = 0;
    for (int i = 0; i < 200000; ++i) {
        solid flat[2], prism[2];
        for (int k = 0; k < 2; ++k) {
            const int count = 2 + (i + k) % 2;  // segments too
            flat[k] = solid_simplex(&r, count, 2.0f, 1.0f);
            solid* p = &prism[k];
            *p = (solid){.vertex_count = 2 * count};
            for (int v = 0; v < count; ++v) {
                flat[k].vertices[v].z = 0.0f;
                p->vertices[v] = p->vertices[count + v] = flat[k].vertices[v];
                p->vertices[v].z = -1.0f;
                p->vertices[count + v].z = 1.0f;
            }
            complete(&flat[k]);
            for (int e = 0; e < flat[k].edge_count; ++e) {
                p->edges[e] = flat[k].edges[e];
                p->normals[e] = v3(p->edges[e].y, -p->edges[e].x, 0);
            }
            p->edge_count = p->normal_count = flat[k].edge_count;
            p->edges[p->edge_count++] = p->normals[p->normal_count++] = v3(0, 0, 1);
        }
        tact_vec3 m = test_vec3(&r, 5.0f);
        m.z = 0.0f;
        const tact_moving_convex a = convex_of(&flat[0]), b = convex_of(&flat[1]);
        const tact_moving_convex c = convex_of(&prism[0]), d = convex_of(&prism[1]);
        const tact_moving_hit h = tact_moving_convex_convex(&a, m, &b, still);
        const tact_moving_hit o = tact_moving_convex_convex(&c, m, &d, still);
        assert_true(h.hit == o.hit && fabsf(h.t - o.t) <= 1e-6f);
        hits += h.hit;
        misses += !h.hit;
    }
    assert_true(hits > 20000 && misses > 20000);
}

static tact_obb scaled_box(const tact_obb* b, float s)
{
    tact_obb r = *b;
    r.center = v3(s * b->center.x, s * b->center.y, s * b->center.z);
    r.half = v3(s * b->half.x, s * b->half.y, s * b->half.z);
    return r;
}

/// Powers of two change no bit; being moved far away by whole numbers changes what rounding of the sums does.
TEST(scale_and_place_change_nothing)
{
    test_random r = test_random_seeded(8);
    long hits = 0;
    for (int i = 0; i < 50000; ++i) {
        tact_obb a = test_obb(&r, 2.0f, 0.1f, 1.0f), b = test_obb(&r, 2.0f, 0.1f, 1.0f);
        if (i % 4 == 0) a.half.z = 0.0f;
        if (i % 8 == 0) b.half.y = b.half.x = 0.0f;
        for (int k = 0; k < 3; ++k) {
            float* c = k == 0 ? &a.center.x : k == 1 ? &a.center.y : &a.center.z;
            *c = floorf(*c * 1024.0f) / 1024.0f;
        }
        b.center = v3(floorf(b.center.x * 1024.0f) / 1024.0f, floorf(b.center.y * 1024.0f) / 1024.0f,
                      floorf(b.center.z * 1024.0f) / 1024.0f);
        const tact_vec3 m = aimed(&r, a.center, b.center, still, 2.0f);
        const tact_moving_hit h = tact_moving_obb_obb(&a, m, &b, still);
        hits += h.hit;
        for (int k = 0; k < 2; ++k) {
            const float s = k ? 0x1p40f : 0x1p-40f;
            const tact_obb as = scaled_box(&a, s), bs = scaled_box(&b, s);
            const tact_moving_hit g = tact_moving_obb_obb(&as, v3(s * m.x, s * m.y, s * m.z), &bs, still);
            assert_true(g.hit == h.hit && g.t == h.t && g.normal.x == h.normal.x && g.point.x == s * h.point.x);
        }
        a.center = v3(a.center.x + 1024.0f, a.center.y - 4096.0f, a.center.z + 8191.0f);
        b.center = v3(b.center.x + 1024.0f, b.center.y - 4096.0f, b.center.z + 8191.0f);
        const tact_moving_hit g = tact_moving_obb_obb(&a, m, &b, still);
        assert_true(g.hit == h.hit && fabsf(g.t - h.t) <= 1e-6f);
    }
    assert_true(hits > 10000 && hits < 45000);
}

static tact_moving_convex line_of(const tact_vec3 v[2], tact_vec3* edge)
{
    *edge = sub(v[1], v[0]);
    return (tact_moving_convex){v, 2, NULL, 0, edge, 1};
}

TEST(lines_and_points_meet_at_known_times)
{
    tact_vec3 e1, e2;
    const tact_vec3 first[2] = {{0, 0, 0}, {1, 0, 0}}, behind[2] = {{3, 0, 0}, {5, 0, 0}};
    const tact_moving_convex a = line_of(first, &e1), b = line_of(behind, &e2);
    expect_near(tact_moving_convex_convex(&a, v3(4, 0, 0), &b, still), 0.5f, v3(3, 0, 0), v3(-1, 0, 0));
    assert_false(tact_moving_convex_convex(&a, v3(1.9f, 0, 0), &b, still).hit);
    assert_false(tact_moving_convex_convex(&a, v3(8, 0.1f, 0), &b, still).hit);
    const tact_vec3 above[2] = {{0.5f, 2, 0}, {5, 2, 0}};
    const tact_moving_convex c = line_of(above, &e2);
    const tact_moving_hit h = tact_moving_convex_convex(&a, v3(0, 4, 0), &c, still);
    assert_true(h.hit && fabsf(h.t - 0.5f) < 1e-6f && h.point.x >= 0.5f && h.point.x <= 1.0f && h.normal.y == -1.0f);
    assert_false(tact_moving_convex_convex(&a, v3(0, 4, 0.01f), &c, still).hit);
    const tact_moving_convex p = {&first[1], 1, NULL, 0, NULL, 0}, q = {&behind[0], 1, NULL, 0, NULL, 0};
    expect_near(tact_moving_convex_convex(&p, v3(2, 0, 0), &q, still), 1, v3(3, 0, 0), v3(-1, 0, 0));
    assert_false(tact_moving_convex_convex(&p, v3(2, 0.001f, 0), &q, still).hit);
    assert_true(tact_moving_convex_convex(&p, still, &p, v3(1, 2, 3)).t == 0.0f);
    const tact_moving_convex empty = {first, 0, NULL, 0, NULL, 0};
    assert_false(tact_moving_convex_convex(&p, still, &empty, still).hit);
}

TEST(oriented_boxes_meet_at_known_times)
{
    const tact_obb a = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}};
    tact_obb b = {{5, 0.25f, 0}, {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, {1, 2, 1}};
    const tact_moving_hit h = tact_moving_obb_obb(&a, v3(4, 0, 0), &b, still);
    assert_true(h.hit && h.t == 0.5f && h.normal.x == -1.0f && h.point.x == 3.0f);
    assert_true(h.point.y >= -0.75f && h.point.y <= 1.0f && fabsf(h.point.z) <= 1.0f);
    // Edge against edge, crosswise, both moving, far from the origin.
    const float s = 0.70710678f;
    const tact_obb c = {{1000, 0, 0}, {{s, 0, s}, {0, 1, 0}, {-s, 0, s}}, {1, 4, 1}};
    const tact_obb d = {{1000, 0, 8}, {{1, 0, 0}, {0, s, s}, {0, -s, s}}, {4, 1, 1}};
    const tact_moving_hit x = tact_moving_obb_obb(&c, v3(0, 8, 5), &d, v3(0, 8, -5));
    const float t = (8.0f - 2.0f * 1.41421356f) / 10.0f;
    assert_true(x.hit && fabsf(x.t - t) <= 1e-6f && fabsf(x.normal.z + 1.0f) <= 1e-6f);
    assert_true(fabsf(x.point.x - 1000.0f) <= 1e-3f && fabsf(x.point.y - 8.0f * t) <= 1e-3f);
    assert_true(fabsf(x.point.z - 4.0f) <= 1e-4f);
    // Overlapping at the start: least depth.
    b.center = v3(1, 2.5f, 0.5f);
    b.half = v3(2, 2, 2);
    expect_near(tact_moving_obb_obb(&a, v3(9, 9, 9), &b, still), 0, tact_moving_obb_obb(&a, still, &b, still).point,
                v3(0, -1, 0));
    b.half.x = -1;
    assert_false(tact_moving_obb_obb(&a, still, &b, still).hit);
    assert_false(tact_moving_obb_obb(&b, still, &a, still).hit);
}

static void poke(tact_obb* box, int i, float x)
{
    float* parts[15] = {&box->center.x,  &box->center.y,  &box->center.z,  &box->axis[0].x, &box->axis[0].y,
                        &box->axis[0].z, &box->axis[1].x, &box->axis[1].y, &box->axis[1].z, &box->axis[2].x,
                        &box->axis[2].y, &box->axis[2].z, &box->half.x,    &box->half.y,    &box->half.z};
    *parts[i] = x;
}

TEST(nothing_that_is_no_number_hits)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    const tact_obb box = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}};
    const tact_vec3 spots[1] = {{0, 0, 0}}, axis[1] = {{1, 0, 0}};
    const tact_moving_convex dot = {spots, 1, axis, 1, axis, 1};
    assert_true(tact_moving_convex_convex(&dot, still, &dot, still).hit);
    for (int k = 0; k < 3; ++k) {
        const tact_vec3 worse[3] = {{bad[k], 0, 0}, {0, bad[k], 0}, {0, 0, bad[k]}};
        for (int i = 0; i < 15; ++i) {
            tact_obb broken = box;
            poke(&broken, i, bad[k]);
            assert_false(tact_moving_obb_obb(&broken, still, &box, still).hit);
            assert_false(tact_moving_obb_obb(&box, still, &broken, still).hit);
        }
        for (int i = 0; i < 3; ++i) {
            const tact_vec3 w = worse[i];
            assert_false(tact_moving_obb_obb(&box, w, &box, still).hit);
            assert_false(tact_moving_obb_obb(&box, still, &box, w).hit);
            const tact_moving_convex wrong[3] = {
                {&w, 1, axis, 1, axis, 1}, {spots, 1, &w, 1, axis, 1}, {spots, 1, axis, 1, &w, 1}};
            for (int j = 0; j < 3; ++j) {
                assert_false(tact_moving_convex_convex(&wrong[j], still, &dot, still).hit);
                assert_false(tact_moving_convex_convex(&dot, still, &wrong[j], still).hit);
            }
            assert_false(tact_moving_convex_convex(&dot, w, &dot, still).hit);
            assert_false(tact_moving_convex_convex(&dot, still, &dot, w).hit);
        }
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
