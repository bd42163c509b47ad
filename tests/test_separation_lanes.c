// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <float.h>

#include "tests/support/run.h"

#include "base/lane_levels.h"
#include "core/mesh/mesh.h"
#include "cpu_ref/overlap/separation.h"
#include "cpu_ref/overlap/separation_bounds.h"
#include "cpu_ref/overlap/separation_square.h"
#include "tact/tact.h"
#include "tests/support/effort.h"
#include "tests/support/objects.h"
#include "tests/support/separation_input.h"

// What the search for the distance of meshes is made of: the trees, and the bounds and squares of each set of
// instructions.

enum { WIDE = TACT_SEPARATION_WIDE, PAIRS = TACT_SEPARATION_PAIRS, BATCH = TACT_SEPARATION_BATCH, MOST = 400 };

/// The tree of a mesh that a query has built.
static const tact_separation_tree* tree_of(tact_mesh* mesh)
{
    tact_mesh_distance d;
    assert_int_equal(tact_mesh_separation(mesh, mesh, NULL, 0.0f, NULL, &d), TACT_OK);
    return &mesh->apart;
}

/// Marks the triangles of a child of a node.
static void mark(const tact_separation_tree* t, uint32_t child, uint8_t marks[MOST])
{
    if (!(child & (uint32_t)TACT_SEPARATION_LEAF)) {
        assert_true(child > 0 && child < t->node_count);
        for (uint32_t i = 0; i < tact_separation_children(&t->nodes[child]); ++i)
            mark(t, t->nodes[child].child[i], marks);
        return;
    }
    const tact_separation_group* g = &t->groups[child & ~(uint32_t)TACT_SEPARATION_LEAF];
    assert_true(g->count >= 1 && g->count <= WIDE);
    for (uint32_t i = 0; i < g->count; ++i)
        ++marks[g->id[i]];
}

static size_t depth_of(const tact_separation_tree* t, uint32_t node)
{
    size_t most = 0;
    for (uint32_t i = 0; i < tact_separation_children(&t->nodes[node]); ++i) {
        const uint32_t child = t->nodes[node].child[i];
        if (child & (uint32_t)TACT_SEPARATION_LEAF) continue;
        assert_true(child > node);
        const size_t depth = depth_of(t, child);
        most = depth > most ? depth : most;
    }
    return most + 1;
}

/// Every triangle that is there is in one leaf, every box holds what is below it, and its first is the least of them.
static void check_tree(tact_mesh* mesh)
{
    const tact_separation_tree* t = tree_of(mesh);
    uint8_t all[MOST] = {0};
    for (uint32_t i = 0; i < tact_separation_children(&t->nodes[0]); ++i)
        mark(t, t->nodes[0].child[i], all);
    for (uint32_t i = 0; i < mesh->shape.triangle_count; ++i) {
        const tact_triangle triangle = tact_overlap_triangle(&mesh->shape, i);
        assert_int_equal(all[i], tact_overlap_triangle_there(&triangle));
    }
    assert_true(depth_of(t, 0) <= TACT_SEPARATION_DEPTH);
    for (size_t n = 0; n < t->node_count; ++n) {
        const tact_separation_node* node = &t->nodes[n];
        for (uint32_t i = 0; i < tact_separation_children(node); ++i) {
            uint8_t below[MOST] = {0};
            mark(t, node->child[i], below);
            uint32_t first = TACT_NONE;
            for (uint32_t id = 0; id < MOST; ++id) {
                if (!below[id]) continue;
                first = first == TACT_NONE ? id : first;
                const tact_triangle triangle = tact_overlap_triangle(&mesh->shape, id);
                const tact_vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
                for (int c = 0; c < 3; ++c) {
                    const dvec p = d_from(corners[c]);
                    const dvec d = d_sub(
                        p, d_make((double)node->center[0][i], (double)node->center[1][i], (double)node->center[2][i]));
                    double outside = 0.0;
                    for (int a = 0; a < 3; ++a) {
                        const dvec e = d_make((double)node->axis[a][0][i], (double)node->axis[a][1][i],
                                              (double)node->axis[a][2][i]);
                        const double length = d_length(e);
                        const double at = length > 0.0 ? fabs(d_dot(d, e)) / length : 0.0;
                        outside = fmax(outside, at - length);
                    }
                    assert_true(outside <= 0x1p-22 * (double)node->spread[i] + 0x1p-120);
                    assert_true(fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) <= (double)node->reach[i]);
                }
            }
            assert_int_equal(node->first[i], first);
        }
    }
}

TEST(trees)
{
    test_random r = test_random_seeded(41);
    check_tree(KEEP(make_torus()));
    for (size_t count = 1; count <= 21; ++count)
        check_tree(KEEP(make_soup(&r, count, 1.0f)));
    const float sizes[] = {1.0f, 1e18f, 1e-30f, 1e-38f};
    for (int i = 0; i < 4; ++i)
        check_tree(KEEP(make_soup(&r, 200, sizes[i])));
    // All in one place, and all in one line.
    float p[9 * 100] = {0.0f};
    const tact_mesh_desc desc = {.positions = p, .vertex_count = 300, .triangle_count = 100};
    check_tree(KEEP(new_mesh(context, &desc)));
    for (int i = 0; i < 300; ++i)
        p[3 * i] = (float)i * 0.7f;
    check_tree(KEEP(new_mesh(context, &desc)));
    // One much larger than all others together.
    for (int i = 0; i < 900; ++i)
        p[i] = test_random_signed(&r) * (i < 9 ? 1e6f : 1.0f);
    check_tree(KEEP(new_mesh(context, &desc)));
    check_tree(KEEP(make_mesh(context, NULL, 0, NULL, 0)));
}

/// Triangles of every sort, some of which touch.
static void random_triangles(test_random* r, float v[18])
{
    const double scale = pow(10.0, -4.0 * unit(r)), apart = 3.0 * unit(r);
    for (int i = 0; i < 18; ++i)
        v[i] = (float)((i < 9 ? 0.0 : apart) + (i % 2 ? scale : 1.0) * (2.0 * unit(r) - 1.0));
    const uint64_t sort = test_random_bits(r) % 12;
    if (sort == 0) memcpy(v + 12, v + 9, 3 * sizeof *v);
    if (sort == 1) memcpy(v, v + 6, 3 * sizeof *v);
    if (sort == 1) memcpy(v + 3, v + 6, 3 * sizeof *v);
    if (sort == 2)  // parallel edges
        for (int k = 0; k < 3; ++k)
            v[12 + k] = v[9 + k] + (v[3 + k] - v[k]);
    if (sort == 3)  // nearly a segment
        for (int k = 0; k < 3; ++k)
            v[6 + k] = k == 2 ? nextafterf(v[k], 9.0f) : v[k];
    if (sort == 4) memcpy(v + 9, v, 9 * sizeof *v);
    if (sort == 5) memcpy(v + 9, v + 3, 3 * sizeof *v);
    const float sizes[] = {1e18f, 1e-30f, 1e-38f, 0.0f};
    if (sort == 6)
        for (int i = 0; i < 18; ++i)
            v[i] *= sizes[test_random_bits(r) % 4] / 4.0f;
}

/// The lanes' squares are those of the definition, to the bit, and so are the ways.
TEST(squares)
{
    test_random r = test_random_seeded(42);
    for (int round = 0; round < (int)effort(2000, 20000); ++round) {
        tact_separation_batch given, batch;
        double square[BATCH];
        dvec gap[BATCH];
        for (int i = 0; i < BATCH; ++i) {
            float v[18];
            random_triangles(&r, v);
            for (int k = 0; k < 9; ++k) {
                given.a[k][i] = v[k];
                given.b[k][i] = v[9 + k];
            }
            const tact_triangle t[2] = {{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}},
                                        {{v[9], v[10], v[11]}, {v[12], v[13], v[14]}, {v[15], v[16], v[17]}}};
            const tact_separation_triangle x = tact_separation_prepare(&t[0]), y = tact_separation_prepare(&t[1]);
            square[i] = tact_separation_square(&x, &y, &gap[i]);
        }
        for (int level = 0; level < TACT_LANE_LEVELS; ++level) {
            if (!tact_lanes_limit(level)) continue;
            batch = given;
            tact_separation_lanes_best()->squares(&batch);
            assert_memory_equal(batch.square, square, sizeof square);
            for (int i = 0; i < BATCH; ++i)
                assert_true(batch.gap[0][i] == gap[i].x && batch.gap[1][i] == gap[i].y && batch.gap[2][i] == gap[i].z);
        }
    }
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
}

/// Distances of all pairs of triangles, as the squares have them; 0 where they overlap, infinite where one is not
/// there.
static double distances[MOST][MOST];

static void measure_all(tact_mesh* a, tact_mesh* b, const float pose[12])
{
    for (size_t i = 0; i < a->shape.triangle_count; ++i) {
        const tact_triangle still = tact_overlap_triangle(&a->shape, i);
        const tact_separation_triangle x = tact_separation_prepare(&still);
        for (size_t j = 0; j < b->shape.triangle_count; ++j) {
            tact_triangle moved = tact_overlap_triangle(&b->shape, j);
            moved = tact_overlap_move(pose, &moved);
            distances[i][j] = HUGE_VAL;
            if (!tact_overlap_triangle_there(&still) || !tact_overlap_triangle_there(&moved)) continue;
            const tact_separation_triangle y = tact_separation_prepare(&moved);
            dvec gap;
            const bool overlap = tact_triangle_overlaps_triangle(&still, &moved);
            distances[i][j] = overlap ? 0.0 : sqrt(tact_separation_square(&x, &y, &gap));
        }
    }
}

static double least_of(const uint8_t in_a[MOST], const uint8_t in_b[MOST])
{
    double least = HUGE_VAL;
    for (int i = 0; i < MOST; ++i)
        for (int j = 0; j < MOST && in_a[i]; ++j)
            least = in_b[j] && distances[i][j] < least ? distances[i][j] : least;
    return least;
}

typedef struct counts {
    size_t looked_at, known;  ///< bounds, and those that are more than nothing
} counts;

/// Nothing is said to be beyond more than it is, nor beyond a reach that it is within.
static void check_nodes(const tact_separation_node* a, const tact_separation_node* b, double least[PAIRS],
                        const tact_separation_motion* motion, const float along[3], bool exactly, counts* c)
{
    for (int level = 0; level < TACT_LANE_LEVELS; ++level) {
        if (!tact_lanes_limit(level)) continue;
        float beyond[PAIRS], middles[PAIRS];
        const float reach = (float)(0.7 * least[0]), enough = exactly ? INFINITY : reach;
        const uint32_t of = (uint32_t)(0x1111u * ((1u << tact_separation_children(b)) - 1u)) &
                            ((1u << WIDE * tact_separation_children(a)) - 1u);
        const uint32_t near =
            tact_separation_lanes_best()->boxes(a, b, of, motion, along, reach, enough, beyond, middles);
        assert_int_equal(near & ~of, 0);
        for (uint32_t i = 0; i < PAIRS; ++i) {
            if (i / WIDE >= tact_separation_children(a) || i % WIDE >= tact_separation_children(b)) continue;
            if (least[i] <= (double)reach) assert_true(near >> i & 1u);
            assert_false((double)beyond[i] > least[i]);
            assert_int_equal(near >> i & 1u, !(beyond[i] > reach));
            ++c->looked_at;
            c->known += beyond[i] > 0.0f;
        }
    }
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
}

static void check_groups(const tact_separation_tree* ta, const tact_separation_tree* tb, uint32_t leaf_a,
                         uint32_t leaf_b, const float reaches[2], const tact_separation_motion* motion,
                         const float along[3], float reach)
{
    const tact_separation_group* a = &ta->groups[leaf_a & ~(uint32_t)TACT_SEPARATION_LEAF];
    const tact_separation_group* b = &tb->groups[leaf_b & ~(uint32_t)TACT_SEPARATION_LEAF];
    for (int level = 0; level < TACT_LANE_LEVELS; ++level) {
        if (!tact_lanes_limit(level)) continue;
        tact_separation_meeting meeting;
        tact_separation_lanes_best()->triangles(a, b, motion, along, reaches[0], reaches[1], reach, &meeting);
        for (uint32_t i = 0; i < PAIRS; ++i) {
            const bool is = i / WIDE < a->count && i % WIDE < b->count;
            const double d = is ? distances[a->id[i / WIDE]][b->id[i % WIDE]] : (double)INFINITY;
            if (isfinite(d) && d <= (double)reach) assert_true(meeting.near >> i & 1u);
            if (d == 0.0) assert_true(meeting.touching >> i & 1u);
            if (d == (double)INFINITY) assert_false((meeting.near | meeting.touching) >> i & 1u);
            assert_false((double)meeting.beyond > d);
        }
    }
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
}

static tact_separation_motion motion_of(const float pose[12], float size)
{
    tact_separation_motion m = {.pose = pose};
    double stretch = 0.0, far = 0.0;
    for (int k = 0; k < 3; ++k) {
        memcpy(m.matrix[k], pose + 4 * k, sizeof m.matrix[k]);
        m.shift[k] = pose[4 * k + 3];
        stretch =
            fmax(stretch, fabs((double)pose[4 * k]) + fabs((double)pose[4 * k + 1]) + fabs((double)pose[4 * k + 2]));
        far = fmax(far, fabs((double)pose[4 * k + 3]));
    }
    m.stretch = nextafterf((float)stretch, INFINITY);
    m.far = (float)far;
    m.scale = (float)(1.0 / ((double)size * (1.0 + stretch) + far + 0x1p-100));
    return m;
}

static void check_bounds(tact_mesh* a, tact_mesh* b, const float pose[12], float size, test_random* r, counts* c)
{
    static uint8_t in_a[WIDE][MOST], in_b[WIDE][MOST];
    const tact_separation_tree *ta = tree_of(a), *tb = tree_of(b);
    const tact_separation_motion motion = motion_of(pose, size);
    measure_all(a, b, pose);
    for (size_t i = 0; i < ta->node_count; ++i) {
        const tact_separation_node* na = &ta->nodes[i];
        memset(in_a, 0, sizeof in_a);
        for (uint32_t k = 0; k < tact_separation_children(na); ++k)
            mark(ta, na->child[k], in_a[k]);
        for (size_t j = 0; j < tb->node_count; ++j) {
            const tact_separation_node* nb = &tb->nodes[j];
            const dvec way = d_unit(d_make(unit(r) - 0.5, unit(r) - 0.5, unit(r) - 0.5));
            const tact_vec3 w = d_round(test_random_bits(r) % 4 ? way : d_make(0.0, 0.0, 0.0));
            const float along[3] = {w.x, w.y, w.z};
            double least[PAIRS];
            memset(in_b, 0, sizeof in_b);
            for (uint32_t k = 0; k < tact_separation_children(nb); ++k)
                mark(tb, nb->child[k], in_b[k]);
            for (uint32_t k = 0; k < PAIRS; ++k)
                least[k] = least_of(in_a[k / WIDE], in_b[k % WIDE]);
            check_nodes(na, nb, least, &motion, along, true, c);
            check_nodes(na, nb, least, &motion, along, false, c);
            for (uint32_t k = 0; k < PAIRS; ++k) {
                if (k / WIDE >= tact_separation_children(na) || k % WIDE >= tact_separation_children(nb)) continue;
                const uint32_t leaf_a = na->child[k / WIDE], leaf_b = nb->child[k % WIDE];
                if (!(leaf_a & leaf_b & (uint32_t)TACT_SEPARATION_LEAF)) continue;
                const float reaches[2] = {na->reach[k / WIDE], nb->reach[k % WIDE]};
                check_groups(ta, tb, leaf_a, leaf_b, reaches, &motion, along, (float)(1.5 * least[k]));
            }
        }
    }
}

TEST(bounds)
{
    test_random r = test_random_seeded(43);
    counts ordinary = {0}, others = {0};
    tact_mesh* meshes[] = {KEEP(make_cube_mesh(context, 0, 0, 0, 1)), KEEP(make_soup(&r, 5, 1.0f)),
                           KEEP(make_soup(&r, 40, 1.0f)), KEEP(make_torus())};
    for (int round = 0; round < (int)effort(2, 12); ++round) {
        for (int i = 0; i < 9; ++i) {
            float pose[12];
            random_pose(&r, i % 2 ? 6.0 : 2.0, pose);
            check_bounds(meshes[i % 3], meshes[i / 3], pose, 2.0f, &r, &ordinary);
            for (int k = 0; k < 12; ++k)
                pose[k] *= k % 4 == 3 ? 1000.0f : 30.0f;
            check_bounds(meshes[i % 3], meshes[i / 3], pose, 2.0f, &r, &others);
            pose[i] = FLT_MAX;
            check_bounds(meshes[i % 3], meshes[i / 3], pose, 2.0f, &r, &others);
        }
        float pose[12];
        random_pose(&r, 4.0, pose);
        check_bounds(meshes[3], meshes[3], pose, 2.0f, &r, &ordinary);
    }
    const float sizes[] = {1e18f, 1e-30f, 1e-38f};
    for (int i = 0; i < 3; ++i) {
        float pose[12];
        random_pose(&r, 3.0, pose);
        for (int k = 3; k < 12; k += 4)
            pose[k] *= sizes[i];
        check_bounds(KEEP(make_soup(&r, 30, sizes[i])), KEEP(make_soup(&r, 30, sizes[i])), pose, sizes[i], &r, &others);
    }
    print_message("%zu of %zu bounds tell something, %zu of %zu of the others\n", ordinary.known, ordinary.looked_at,
                  others.known, others.looked_at);
    assert_true(ordinary.known * 4 > ordinary.looked_at && others.known > 1000);
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
