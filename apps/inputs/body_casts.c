// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "apps/inputs/body_input.h"
#include "apps/inputs/poses.h"

_Static_assert(sizeof(tact_cast_row) == 64, "hits are written as they lie in memory");

const char tact_body_cast_row_descr[] =
    "[('cast', '<u4'), ('body', '<u4'), ('part', '<u4'), ('cast_part', '<u4'), ('fraction', '<f8'), ('x', '<f8'), "
    "('y', '<f8'), ('z', '<f8'), ('nx', '<f4'), ('ny', '<f4'), ('nz', '<f4'), ('unused', '<f4')]";

static tact_quat draw_turn(tact_random* random)
{
    double q[4];
    tact_random_quaternion(random, q);
    return (tact_quat){(float)q[1], (float)q[2], (float)q[3], (float)q[0]};
}

static bool has_end(const tact_body_input* input, const tact_body* body)
{
    return input->shapes[body->shape].kind != TACT_BODY_HALF_SPACE;
}

/// The body that follows a random one and whose shape has an end.
static const tact_body* draw_body(const tact_body_input* input, tact_random* random)
{
    const size_t first = (size_t)tact_random_below(random, input->count);
    for (size_t i = 0; i < input->count; ++i) {
        const tact_body* body = &input->bodies[(first + i) % input->count];
        if (has_end(input, body)) return body;
    }
    return NULL;
}

/// Half of how far bodies with an end are from each other.
static double radius_of(const tact_body_input* input)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, sum = 0.0;
    for (size_t i = 0; i < input->count; ++i) {
        const tact_pose* p = &input->bodies[i].pose;
        const double at[3] = {p->x, p->y, p->z};
        for (int k = 0; has_end(input, &input->bodies[i]) && k < 3; ++k) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    for (int k = 0; k < 3; ++k)
        sum += (high[k] - low[k]) * (high[k] - low[k]);
    return 0.5 * sqrt(sum);
}

bool tact_body_input_casts(const tact_body_input* input, const tact_body* of, bool turns, uint64_t seed, size_t count,
                           tact_body_cast* casts)
{
    tact_random random = {seed + 3};
    if (input->count == 0 || !draw_body(input, &random)) return count == 0;
    const double far = radius_of(input) + 4.0;
    for (size_t i = 0; i < count; ++i) {
        const tact_body *to = draw_body(input, &random), *own = of ? of : draw_body(input, &random);
        double way[3];
        const double length = tact_random_direction(&random, 3, way);
        way[1] = fabs(way[1]);
        tact_body_cast c = {.shape = own->shape, .from.scale = own->pose.scale, .to.scale = own->pose.scale};
        c.from.rotation = draw_turn(&random);
        c.to.rotation = turns ? draw_turn(&random) : c.from.rotation;
        c.from.x = to->pose.x + far / length * way[0];
        c.from.y = to->pose.y + far / length * way[1];
        c.from.z = to->pose.z + far / length * way[2];
        c.to.x = to->pose.x - 2.0 / length * way[0];
        c.to.y = to->pose.y - 2.0 / length * way[1];
        c.to.z = to->pose.z - 2.0 / length * way[2];
        casts[i] = c;
    }
    return true;
}

tact_pose tact_body_cast_pose(const tact_body_cast* cast, double fraction)
{
    const tact_quat p = cast->from.rotation, q = cast->to.rotation;
    const double from[4] = {(double)p.x, (double)p.y, (double)p.z, (double)p.w};
    const double to[4] = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
    const double cosine = from[0] * to[0] + from[1] * to[1] + from[2] * to[2] + from[3] * to[3];
    double turn[4], length = 0.0;
    for (int k = 0; k < 4; ++k) {
        turn[k] = (1.0 - fraction) * from[k] + (cosine < 0.0 ? -fraction : fraction) * to[k];
        length += turn[k] * turn[k];
    }
    length = sqrt(length);
    tact_pose pose = cast->from;
    pose.x += fraction * (cast->to.x - cast->from.x);
    pose.y += fraction * (cast->to.y - cast->from.y);
    pose.z += fraction * (cast->to.z - cast->from.z);
    pose.rotation = (tact_quat){(float)(turn[0] / length), (float)(turn[1] / length), (float)(turn[2] / length),
                                (float)(turn[3] / length)};
    return pose;
}

void tact_body_cast_rows(const tact_body_cast_hit* hits, size_t count, const tact_pose* poses, tact_cast_row* rows)
{
    for (size_t i = 0; i < count; ++i) {
        const tact_body_cast_hit* h = &hits[i];
        rows[i] = (tact_cast_row){.cast = h->cast,
                                  .body = h->body,
                                  .part = h->part,
                                  .cast_part = h->cast_part,
                                  .fraction = h->fraction,
                                  .normal = {h->normal.x, h->normal.y, h->normal.z}};
        if (h->body == TACT_NONE) continue;
        const tact_pose* p = &poses[h->body];
        rows[i].x = p->x + (double)h->at.x;
        rows[i].y = p->y + (double)h->at.y;
        rows[i].z = p->z + (double)h->at.z;
    }
}
