// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Contacts of boxes and hulls against all of their axes: every face and every product of two edges, with every corner,
// in double precision, and once more with more bits where an axis may be the one of least depth. "long" as argument: a
// million pairs of each two kinds.
#include "tests/support/run.h"

#include <math.h>

#include "tact/bodies.h"
#include "tests/geometry/wide.h"
#include "tests/support/contact_lab.h"

static const tact_context_desc host_alone = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};

static bool at_length;

/// Kinds of specimens that have all their axes.
static const lab_kind kinds[] = {LAB_BOX, LAB_HULL, LAB_LARGE_HULL, LAB_NEEDLE, LAB_FLAT, LAB_CYLINDER, LAB_CONE};
enum { KINDS = sizeof kinds / sizeof *kinds, WITNESSES = 8, CANDIDATES = 256 };

/// A product of two vectors, or its opposite.
typedef struct axis {
    point u, v, way;  ///< `way` of unit length
    double sign, gap;
} axis;

/// The best axis so far, those about as good, and the places that made others worse.
typedef struct search {
    const placed *a, *b;
    double best, size, exact;
    point witness[WITNESSES];  ///< from a point of A to one of B
    unsigned next;
    axis candidate[CANDIDATES];
    size_t candidates;
} search;

/// How far apart both are along an axis of any length, or anything below `needed`.
static double gap_over(search* s, point n, double needed)
{
    for (unsigned i = 0; i < WITNESSES && i < s->next; ++i) {
        const double gap = times(s->witness[i], n);
        if (gap < needed) return gap;
    }
    uint32_t most = 0, least = 0;
    double high = -HUGE_VAL, low = HUGE_VAL;
    for (uint32_t i = 0; i < s->a->s->count; ++i) {
        const double h = times(s->a->at[i], n);
        if (h > high) high = h, most = i;
    }
    for (uint32_t i = 0; i < s->b->s->count; ++i) {
        const double h = times(s->b->at[i], n);
        if (h < low) low = h, least = i;
    }
    s->witness[s->next++ % WITNESSES] = along(s->b->at[least], -1.0, s->a->at[most]);
    return low - high;
}

static wide3 widened(point p)
{
    return (wide3){(wide)p.x, (wide)p.y, (wide)p.z};
}

/// The gap along a product of two vectors, with more bits, over the square of its length.
static double wide_gap(const placed* a, const placed* b, point u, point v, double sign)
{
    const wide3 n = w_cross(widened(u), widened(v));
    wide most = w_dot(widened(a->at[0]), n) * (wide)sign, least = w_dot(widened(b->at[0]), n) * (wide)sign;
    for (uint32_t i = 1; i < a->s->count; ++i) {
        const wide h = w_dot(widened(a->at[i]), n) * (wide)sign;
        if (h > most) most = h;
    }
    for (uint32_t i = 1; i < b->s->count; ++i) {
        const wide h = w_dot(widened(b->at[i]), n) * (wide)sign;
        if (h < least) least = h;
    }
    return (double)(least - most) / sqrt((double)w_dot(n, n));
}

/// What may still be the best of all.
static double needed_gap(const search* s)
{
    return s->best - 1e-7 * s->size;
}

static void leave_out_worse(search* s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->candidates; ++i)
        if (s->candidate[i].gap >= needed_gap(s)) s->candidate[kept++] = s->candidate[i];
    s->candidates = kept;
}

/// Leaves the candidates' gaps with more bits.
static void take_exactly(search* s)
{
    for (size_t i = 0; i < s->candidates; ++i) {
        const axis* c = &s->candidate[i];
        s->exact = fmax(s->exact, wide_gap(s->a, s->b, c->u, c->v, c->sign));
    }
    s->candidates = 0;
}

static bool is_candidate(const search* s, point way)
{
    for (size_t i = 0; i < s->candidates; ++i) {
        const point off = along(way, -1.0, s->candidate[i].way);
        if (times(off, off) < 1e-18) return true;
    }
    return false;
}

static void try_axis(search* s, point u, point v)
{
    const point n = across(u, v);
    const double length = sqrt(times(n, n));
    if (!(length > 1e-13 * sqrt(times(u, u) * times(v, v)))) return;
    for (double sign = -1.0; sign <= 1.0; sign += 2.0) {
        const double needed = needed_gap(s) * length, gap = gap_over(s, scaled(n, sign), needed);
        if (gap < needed) continue;
        s->best = fmax(s->best, gap / length);
        const point way = scaled(n, sign / length);
        if (is_candidate(s, way)) continue;
        if (s->candidates == CANDIDATES) leave_out_worse(s);
        if (s->candidates == CANDIDATES) take_exactly(s);
        s->candidate[s->candidates++] = (axis){.u = u, .v = v, .way = way, .sign = sign, .gap = gap / length};
    }
}

static point edge_of(const placed* p, uint32_t i)
{
    return along(p->at[p->s->edges[i][1]], -1.0, p->at[p->s->edges[i][0]]);
}

static void try_faces(search* s, const placed* of)
{
    for (uint32_t t = 0; t < of->s->triangle_count; ++t) {
        const uint32_t* k = of->s->triangles[t];
        try_axis(s, along(of->at[k[1]], -1.0, of->at[k[0]]), along(of->at[k[2]], -1.0, of->at[k[0]]));
    }
}

/// The largest gap over all axes: minus the depth, or above 0.
static double all_axes(const placed* a, const placed* b)
{
    static search s;
    s.a = a;
    s.b = b;
    s.best = s.exact = -HUGE_VAL;
    s.size = a->extent + b->extent;
    s.next = 0;
    s.candidates = 0;
    try_faces(&s, a);
    try_faces(&s, b);
    for (uint32_t i = 0; i < a->s->edge_count; ++i) {
        const point u = edge_of(a, i);
        for (uint32_t k = 0; k < b->s->edge_count; ++k)
            try_axis(&s, u, edge_of(b, k));
    }
    leave_out_worse(&s);
    take_exactly(&s);
    return s.exact;
}

typedef struct tally {
    size_t pairs, contacts, near, rough, wrong;
    double depth, normal;  ///< worst errors, of the extents
} tally;

static void check_pair(const lab_pair* pair, void* user)
{
    tally* t = (tally*)user + pair->way;
    const tact_contact* c = pair->contact;
    static placed a, b;
    place(&a, pair->a, &pair->body_a->pose, &pair->body_a->pose);
    place(&b, pair->b, &pair->body_b->pose, &pair->body_a->pose);
    const double gap = all_axes(&a, &b), size = a.extent + b.extent, tolerance = 1e-5 * size, loose = 1e-4 * size;
    ++t->pairs;
    t->near += fabs(gap) < tolerance;
    if (!c && gap < -tolerance) lab_wrong(pair, &t->wrong, "no contact within", 0.0, gap, size);
    if (!c) return;
    ++t->contacts;
    if (gap > tolerance) lab_wrong(pair, &t->wrong, "a contact within", 0.0, gap, size);
    double least = HUGE_VAL;
    for (uint32_t k = 0; k < c->count; ++k)
        least = fmin(least, (double)c->point[k].separation);
    // Of more than four corners the deepest may be left out by 64 times what coordinates are certain to.
    const double left_out = c->count > 1 && least > gap ? 64.0 * 0x1p-20 * size : 0.0;
    const double off = fmax(fabs(least - gap) - left_out, 0.0);
    const double lost = gap - gap_along(&a, &b, lab_point(c->normal));
    t->rough += off > tolerance || lost > 2.0 * tolerance;
    t->depth = fmax(t->depth, off / size);
    t->normal = fmax(t->normal, lost / size);
    if (off > loose) lab_wrong(pair, &t->wrong, "apart", least, gap, size);
    if (lost > loose) lab_wrong(pair, &t->wrong, "apart along the normal", gap - lost, gap, size);
}

TEST(contacts_are_as_deep_as_the_best_of_all_axes)
{
    tact_context* context = KEEP(new_context(&host_alone));
    tally tallies[LAB_WAYS] = {{0}};
    for (int a = 0; a < KINDS; ++a) {
        for (int b = a; b < KINDS; ++b) {
            const bool large = a == 2 || a > 4;
            lab_run(context, kinds[a], kinds[b], at_length ? 1000000 : effort(large ? 320 : 640, 14000), true,
                    check_pair, tallies);
            print_message("kinds %d, %d\n", (int)kinds[a], (int)kinds[b]);
            fflush(stdout);
        }
    }
    size_t wrong = 0;
    for (int w = 0; w < LAB_WAYS; ++w) {
        const tally* t = &tallies[w];
        print_message(
            "%s: %zu pairs, %zu contacts, %zu within 1e-5 of a touch; depth off by %.2g, normals by %.2g, "
            "%zu rough\n",
            lab_ways[w], t->pairs, t->contacts, t->near, t->depth, t->normal, t->rough);
        assert_true(t->pairs > 100 && t->contacts > t->pairs / 20);
        wrong += t->wrong + (t->rough > 3 + t->pairs / 500);
    }
    assert_true(tallies[LAB_TOUCHING].near > tallies[LAB_TOUCHING].pairs / 4);
    assert_int_equal(wrong, 0);
}

/// Poses that others' searches have failed for, by the numbers of issues of the Flexible Collision Library: edges that
/// are parallel but for 1e-8, triangles without an area, boxes that kiss.
TEST(failures_that_others_published)
{
    // Lengths, the axes' images, the position.
    static const struct {
        int issue;
        double at[2][15];
    } rows[] = {
        {388,
         {{0.03, 0.12, 0.1, -3.0627937852578681533e-08, 0.9999999999999980016, -6.4729927722963847085e-08,
           -0.99999999999999888978, -3.0627939739957803544e-08, -2.8893863029448751323e-08, -2.8893865161583314238e-08,
           6.4729926918527511769e-08, 0.99999999999999711342, 0.63499979627350811029, -0.48500002215636439651,
           1.0778146458339641356},
          {0.025, 0.35, 1.845, 0, 1, 0, -1, 0, 0, 0, 0, 1, 0.8, -0.4575, 1.0225}}},
        {395,
         {{0.46, 0.48, 0.01, 1, 0, 0, 0, 1, 0, 0, 0, 1, -0.721, -0.772, 0.81},
          {0.049521, 0.146, 0.0725, 0.10758262492983036718, 0.22682184885125472595, -0.96797615037608542021,
           -0.6624881850015212903, -0.709614040775253474, -0.23991106241273435495, -0.74130653817877356637,
           0.6670830248314786326, 0.07392465377049164954, -0.42677133002999478872, -0.76596851247746788882,
           0.80746731400091054098}}},
        {415,
         {{0.49, 0.05, 0.21, 4.8966386501092529215e-12, 1, 0, -1, 4.8966386501092529215e-12, 0, 0, 0, 1, -0.44, -0.615,
           0.355},
          {0.035, 0.12, 0.03, 0.83512153565236335595, 0.55006546945762568868, 0, -0.55006546945762568868,
           0.83512153565236313391, 0, 0, 0, 1, -0.40653441507331000704, -0.69166166923735727945,
           0.43057093858718892276}}},
        {398,
         {{0.614, 3, 0.37, 1, 0, 0, 0, 1, 0, 0, 0, 1, -0.675, 0, 0.9115},
          {0.494, 0.552, 0.01, 1, 0, 0, 0, 1, 0, 0, 0, 1, -0.692, 0, 0.935}}},
        {428,
         {{0.2, 0.33, 0.1, 1, 0, 0, 0, 1, 0, 0, 0, 1, -0.071, -0.772, 0.8},
          {0.452, 0.27, 0.6, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.121, -0.78769605692727695523, 0.53422044196125151316}}},
        {493,
         {{0.5, 0.5, 0.5, 0.96193976625564348026, -0.19134171618254486313, -0.19509032201612822033,
           0.15401279915737359216, 0.96936494951283913579, -0.19134171618254486313, 0.22572537250328919556,
           0.15401279915737359216, 0.96193976625564348026, 2.0770063995786869349, 0.48468247475641951239,
           1.1543291419087275962},
          {0.5, 0.5, 0.5, 0.96193976625564348026, -0.19134171618254486313, -0.19509032201612822033,
           0.15401279915737359216, 0.96936494951283913579, -0.19134171618254486313, 0.22572537250328919556,
           0.15401279915737359216, 0.96193976625564348026, 2, 0, 1.25}}},
    };
    tact_context* context = KEEP(new_context(&host_alone));
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        // As boxes, and as hulls, which are searched as any polytope is.
        for (int hull = 0; hull < 4; ++hull) {
            specimen s[2] = {{.count = 8}, {.count = 8}};
            tact_body bodies[2] = {0};
            tact_bodies* set = NULL;
            assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
            KEEP(set);
            for (int k = 0; k < 2; ++k) {
                const double* m = rows[i].at[k];
                const tact_vec3 h = {(float)(0.5 * m[0]), (float)(0.5 * m[1]), (float)(0.5 * m[2])};
                lab_box(&s[k], h);
                if (hull >> k & 1) {
                    s[k].shape = (tact_body_shape){.kind = TACT_BODY_HULL, .points = s[k].points, .point_count = 8};
                }
                bodies[k].pose.rotation =
                    lab_quat((point){m[3], m[4], m[5]}, (point){m[6], m[7], m[8]}, (point){m[9], m[10], m[11]});
                bodies[k].pose.scale = 1.0f;
                lab_move(&bodies[k].pose, (point){m[12], m[13], m[14]});
                assert_int_equal(tact_bodies_add_shape(set, &s[k].shape, &bodies[k].shape), TACT_OK);
            }
            assert_int_equal(tact_bodies_add(set, bodies, 2, NULL), TACT_OK);
            tact_contact contact;
            size_t count = 0;
            const tact_contacts_work work = {.contacts = &contact, .capacity = 1, .count = &count};
            const tact_query_options options = {.backend = TACT_BACKEND_CPU};
            assert_int_equal(tact_contacts_find(set, &work, &options, NULL), TACT_OK);
            tally t[LAB_WAYS] = {{0}};
            const lab_pair pair = {
                .a = &s[0], .b = &s[1], .body_a = &bodies[0], .body_b = &bodies[1], .contact = count ? &contact : NULL};
            check_pair(&pair, t);
            if (t[0].rough || t[0].wrong) print_message("issue %d, way %d\n", rows[i].issue, hull), ++wrong;
        }
    }
    assert_int_equal(wrong, 0);
}

#include TEST_LIST

int main(int argc, char** argv)
{
    at_length = argc > 1 && strcmp(argv[1], "long") == 0;
    return run_all(all_tests, NULL, NULL);
}
