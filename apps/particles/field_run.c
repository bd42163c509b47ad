// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The benchmarks of the field: what happens in them when, what is measured, and what comes out.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/json_out.h"
#include "apps/particles/particles.h"

static const double degrees = 57.29577951308232;

/// By the grains' density; that of steel balls in glass is 3.1.
#define BALL_DENSITY 3.0f

uint64_t tact_field_next(const tact_field* f, uint64_t done, uint64_t until)
{
    if (f->scene == TACT_FIELD_NONE) return until;
    uint64_t next = (done / f->every + 1) * f->every;
    if (done < f->begin && f->begin < next) next = f->begin;
    if (done < f->end && f->end < next) next = f->end;
    return next < until ? next : until;
}

static bool keep(tact_field_run* run, const tact_field_sample* sample, tact_problem* problem)
{
    if (run->count == run->capacity) {
        const size_t room = 2 * run->capacity + 64;
        tact_field_sample* more = realloc(run->samples, room * sizeof *more);
        if (!more) return tact_problem_out_of_memory(problem, "a scene's samples");
        run->samples = more;
        run->capacity = room;
    }
    run->samples[run->count++] = *sample;
    return true;
}

void tact_field_run_free(tact_field_run* run)
{
    free(run->samples);
    *run = (tact_field_run){0};
}

/// The state of all grains, while it is looked at.
typedef struct view {
    float* rows;
    size_t count;
} view;

// ---- Samples ----

/// Where the bed's centre of mass is, seen from the axis, and how many grains touch nothing.
static bool sample_drum(const tact_field* f, tact_particles* particles, const view* v, tact_context* context,
                        double values[TACT_FIELD_VALUES], tact_problem* problem)
{
    double x = 0.0, y = 0.0, mass = 0.0;
    for (size_t i = 0; i < v->count; ++i) {
        const float* row = v->rows + 7 * i;
        const double m = (double)row[3] * (double)row[3] * (double)row[3];
        x += m * (double)row[0];
        y += m * (double)row[1];
        mass += m;
    }
    size_t count = 0, flying = v->count;
    tact_result result = tact_particles_contacts(particles, NULL, 0, &count, NULL, NULL);
    tact_particle_contact* contacts = malloc((count + 1) * sizeof *contacts);
    bool* touched = calloc(v->count + 1, sizeof *touched);
    if (!contacts || !touched) result = TACT_ERROR_OUT_OF_MEMORY;
    if (result >= TACT_OK) result = tact_particles_contacts(particles, contacts, count, &count, NULL, NULL);
    // Ids are rows: none is ever taken out, but of a file that says so wrongly.
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        const uint32_t ends[2] = {contacts[i].a,
                                  contacts[i].with == TACT_CONTACT_PARTICLE ? contacts[i].b : contacts[i].a};
        for (int k = 0; k < 2 && ends[0] < v->count && ends[1] < v->count; ++k) {
            flying -= !touched[ends[k]];
            touched[ends[k]] = true;
        }
    }
    free(contacts);
    free(touched);
    if (result != TACT_OK) return tact_problem_from_result(problem, result, context, "the drum's contacts");
    values[0] = atan2(x, -y) * degrees;
    values[1] = hypot(x, y) / (mass * (double)f->radius);
    values[2] = (double)flying / (double)v->count;
    return true;
}

/// Mean speed down the slope, and mean height, of what is not glued.
static void sample_chute(const tact_field* f, const view* v, double values[TACT_FIELD_VALUES])
{
    for (size_t i = 0; i < f->loose && i < v->count; ++i) {
        values[0] += (double)v->rows[7 * i + 4] / (double)f->loose;
        values[1] += (double)v->rows[7 * i + 1] / (double)f->loose;
    }
}

/// The grain that is highest in each square of a diameter about the middle.
typedef struct heights {
    float* top;  ///< -INFINITY: none
    int side;
    float half, width;
} heights;

static bool make_heights(const tact_field* f, const view* v, size_t count, float half, heights* h,
                         tact_problem* problem)
{
    *h = (heights){.side = 2 * (int)ceilf(half / f->diameter), .width = f->diameter};
    h->half = 0.5f * (float)h->side * h->width;
    h->top = malloc((size_t)(h->side * h->side + 1) * sizeof *h->top);
    if (!h->top) return tact_problem_out_of_memory(problem, "a surface");
    for (int i = 0; i < h->side * h->side; ++i)
        h->top[i] = -INFINITY;
    for (size_t i = 0; i < count; ++i) {
        const float* row = v->rows + 7 * i;
        const int x = (int)floorf((row[0] + h->half) / h->width), z = (int)floorf((row[2] + h->half) / h->width);
        if (x < 0 || z < 0 || x >= h->side || z >= h->side) continue;
        float* top = &h->top[z * h->side + x];
        *top = fmaxf(*top, row[1] + row[3]);
    }
    return true;
}

/// The heap's slope, of a line through the tops of its flank, and its height.
static bool measure_heap(const tact_particle_plan* p, const view* v, tact_field_run* run, tact_problem* problem)
{
    const tact_field* f = &p->field;
    const size_t glued = p->count - f->loose < v->count ? p->count - f->loose : v->count;
    heights h;
    // Those that are glued have the last ids.
    if (!make_heights(f, v, v->count - glued, f->rim, &h, problem)) return false;
    double n = 0.0, sr = 0.0, sy = 0.0, srr = 0.0, sry = 0.0, most = 0.0;
    for (int i = 0; i < h.side * h.side; ++i) {
        const double x = ((double)(i % h.side) + 0.5) * (double)h.width - (double)h.half;
        const double z = ((double)(i / h.side) + 0.5) * (double)h.width - (double)h.half;
        const double r = hypot(x, z), y = (double)h.top[i];
        if (!isfinite(y)) continue;
        most = fmax(most, y);
        if (r < 0.2 * (double)f->rim || r > 0.85 * (double)f->rim) continue;
        n += 1.0;
        sr += r;
        sy += y;
        srr += r * r;
        sry += r * y;
    }
    free(h.top);
    const double below = n * srr - sr * sr;
    run->has_heap = below > 0.0;
    if (!run->has_heap) return true;
    run->heap[0] = atan(-(n * sry - sr * sy) / below) * degrees;
    run->heap[1] = most;
    return true;
}

// ---- What happens ----

/// Lets the ball fall the last diameter to the bed, as fast as it would be by then.
static bool let_go(const tact_particle_plan* p, const view* v, tact_field_run* run, tact_particles* particles,
                   tact_context* context, tact_problem* problem)
{
    const tact_field* f = &p->field;
    heights h;
    double sum = 0.0, n = 0.0;
    if (!make_heights(f, v, v->count, 0.5f * f->width, &h, problem)) return false;
    for (int i = 0; i < h.side * h.side; ++i) {
        if (!isfinite(h.top[i])) continue;
        sum += (double)h.top[i];
        n += 1.0;
    }
    free(h.top);
    run->surface = n > 0.0 ? (float)(sum / n) : 0.0f;
    const float gap = fminf(f->diameter, f->drop);
    const float at[3] = {0.0f, run->surface + gap + f->ball, 0.0f};
    const float speed[3] = {0.0f, -sqrtf(2.0f * f->gravity * (f->drop - gap)), 0.0f};
    const tact_particle_arrays ball = {
        .positions = at, .velocities = speed, .radius = f->ball, .density = BALL_DENSITY * p->density};
    const tact_result result = tact_particles_add(particles, &ball, 1, &run->ball);
    run->has_ball = result == TACT_OK;
    return result == TACT_OK || tact_problem_from_result(problem, result, context, "the ball");
}

bool tact_field_acts(const tact_field* f, uint64_t done)
{
    if (f->scene == TACT_FIELD_NONE) return false;
    return done == f->begin || (done > f->begin && (done % f->every == 0 || done == f->end));
}

static bool begin(const tact_particle_plan* p, const view* v, tact_field_run* run, tact_particles* particles,
                  tact_context* context, tact_problem* problem)
{
    const tact_field* f = &p->field;
    tact_result result = TACT_OK;
    if (f->scene == TACT_FIELD_IMPACT) return let_go(p, v, run, particles, context, problem);
    if (f->scene == TACT_FIELD_SILO) {
        // The plug is nowhere near any more.
        const tact_body_pose away = {.position = {0.0f, -1e3f * f->width, 0.0f}};
        result = tact_particles_move_body(particles, 1, &away);
    }
    if (f->scene == TACT_FIELD_REPOSE) {
        const tact_body_pose up = {.velocity = {0.0f, f->speed, 0.0f}};
        result = tact_particles_move_body(particles, 0, &up);
        if (result == TACT_OK) result = tact_particles_set_motion(particles, TACT_CONTACT_BODY, 0, true);
    }
    return result == TACT_OK || tact_problem_from_result(problem, result, context, "the scene");
}

static bool sample(const tact_particle_plan* p, const view* v, tact_field_run* run, tact_particles* particles,
                   tact_context* context, tact_problem* problem)
{
    const tact_field* f = &p->field;
    tact_field_sample s = {.values = {(double)v->count}};
    tact_particles_info info;
    const tact_result result = tact_particles_get_info(particles, &info);
    if (result != TACT_OK) return tact_problem_from_result(problem, result, context, "the scene");
    s.time = info.time;
    if (f->scene == TACT_FIELD_REPOSE) return measure_heap(p, v, run, problem);
    if (f->scene == TACT_FIELD_DRUM && !sample_drum(f, particles, v, context, s.values, problem)) return false;
    if (f->scene == TACT_FIELD_CHUTE) {
        s.values[0] = 0.0;
        sample_chute(f, v, s.values);
    }
    // The ball has the last id.
    if (f->scene == TACT_FIELD_IMPACT && v->count > 0)
        s.values[0] = (double)v->rows[7 * (v->count - 1) + 1] - (double)f->ball;
    return keep(run, &s, problem);
}

bool tact_field_act(const tact_particle_plan* p, tact_field_run* run, tact_particles* particles, tact_particles* whole,
                    uint64_t done, tact_context* context, tact_problem* problem)
{
    const tact_field* f = &p->field;
    const bool begins = done == f->begin;
    view v = {0};
    if (!tact_field_acts(f, done)) return true;
    if (whole) v.rows = tact_particle_rows(whole, context, &v.count, problem);
    if (whole && !v.rows) return false;
    // A chute flows from the start; all else is measured from its beginning on.
    const bool measured = whole && (!begins || f->scene == TACT_FIELD_SILO);
    const bool good = (!measured || sample(p, &v, run, whole, context, problem)) &&
                      (!begins || begin(p, &v, run, particles, context, problem));
    free(v.rows);
    return good;
}

// ---- What comes out ----

/// A result: NAN where it was not measured.
typedef struct found {
    const char *key, *unit;
    double value;
} found;

enum { MOST_FOUND = 8 };

typedef struct findings {
    found items[MOST_FOUND];
    size_t count;
    const char* state;  ///< NULL: none
} findings;

static void add(findings* all, const char* key, const char* unit, double value)
{
    if (isfinite(value) && all->count < MOST_FOUND) all->items[all->count++] = (found){key, unit, value};
}

/// Of the samples in a part of the run; NAN: there are none.
static double mean(const tact_field_run* run, int value, double from, double to)
{
    double sum = 0.0, n = 0.0;
    for (size_t i = (size_t)(from * (double)run->count); i < (size_t)(to * (double)run->count); ++i) {
        sum += run->samples[i].values[value];
        n += 1.0;
    }
    return n > 0.0 ? sum / n : (double)NAN;
}

static void find_drum(const tact_field* f, const tact_field_run* run, findings* all)
{
    const double angle = mean(run, 0, 0.0, 1.0);
    double square = 0.0;
    for (size_t i = 0; i < run->count; ++i)
        square += (run->samples[i].values[0] - angle) * (run->samples[i].values[0] - angle);
    add(all, "radius", "m", (double)f->radius);
    add(all, "speed", "rad/s", (double)f->speed);
    add(all, "froude", "", (double)f->speed * (double)f->speed * (double)f->radius / (double)f->gravity);
    add(all, "dynamic_angle", "degrees", angle);
    add(all, "angle_deviation", "degrees", sqrt(square / (double)run->count));
    add(all, "offset", "radii", mean(run, 1, 0.0, 1.0));
    add(all, "flying", "of all", mean(run, 2, 0.0, 1.0));
}

/// The slope of a line through what is left, while that is between a twentieth and two fifths less than at first; of
/// all where less came out.
static void find_silo(const tact_field* f, const tact_field_run* run, findings* all)
{
    add(all, "width", "m", (double)f->width);
    add(all, "orifice", "m", (double)f->orifice);
    if (run->count == 0) return;
    const double first = run->samples[0].values[0], left = run->samples[run->count - 1].values[0];
    const double most = 0.95 * first, least = 0.6 * first;
    double n = 0.0, st = 0.0, sc = 0.0, stt = 0.0, stc = 0.0;
    for (size_t i = 0; i < run->count; ++i) {
        const double t = run->samples[i].time - run->samples[0].time, c = run->samples[i].values[0];
        if (left < most && (c > most || c < least)) continue;
        n += 1.0;
        st += t;
        sc += c;
        stt += t * t;
        stc += t * c;
    }
    const double below = n * stt - st * st, rate = below > 0.0 ? (st * sc - n * stc) / below : (double)NAN;
    add(all, "discharged", "grains", first - left);
    add(all, "discharge_rate", "grains/s", rate);
    add(all, "dimensionless_rate", "", rate * (double)f->unit);
}

/// How fast a value of the samples changes, in the second half of the run; NAN: there are too few.
static double rate_of(const tact_field_run* run, int value)
{
    double n = 0.0, st = 0.0, sv = 0.0, stt = 0.0, stv = 0.0;
    for (size_t i = run->count / 2; i < run->count; ++i) {
        const double t = run->samples[i].time - run->samples[run->count / 2].time, v = run->samples[i].values[value];
        n += 1.0;
        st += t;
        sv += v;
        stt += t * t;
        stv += t * v;
    }
    const double below = n * stt - st * st;
    return below > 0.0 ? (n * stv - st * sv) / below : (double)NAN;
}

static void find_chute(const tact_field* f, const tact_field_run* run, findings* all)
{
    const double speed = mean(run, 0, 0.5, 1.0), middle = mean(run, 1, 0.5, 1.0), change = rate_of(run, 0);
    const double limit = 0.005 * (double)f->gravity;
    add(all, "angle", "degrees", (double)f->angle);
    add(all, "depth", "m", 2.0 * middle);
    add(all, "flow_speed", "m/s", speed);
    add(all, "acceleration", "m/s^2", change);
    add(all, "froude", "", speed / sqrt(2.0 * (double)f->gravity * middle));
    if (!isfinite(change)) return;
    all->state = change > limit ? "accelerating" : change < -limit ? "slowing" : "steady";
    if (speed < 0.01 * (double)(f->diameter / f->unit)) all->state = "stopped";
}

static void find_impact(const tact_field* f, const tact_field_run* run, findings* all)
{
    double lowest = (double)INFINITY;
    for (size_t i = 0; i < run->count; ++i)
        lowest = fmin(lowest, run->samples[i].values[0]);
    const double depth = (double)run->surface - lowest;
    add(all, "ball_diameter", "m", 2.0 * (double)f->ball);
    add(all, "drop", "m", (double)f->drop);
    add(all, "depth", "m", depth);
    add(all, "total_drop", "m", (double)f->drop + depth);
}

static findings find(const tact_field* f, const tact_field_run* run)
{
    findings all = {.count = 0};
    switch (f->scene) {
        case TACT_FIELD_DRUM:
            find_drum(f, run, &all);
            break;
        case TACT_FIELD_SILO:
            find_silo(f, run, &all);
            break;
        case TACT_FIELD_CHUTE:
            find_chute(f, run, &all);
            break;
        case TACT_FIELD_REPOSE:
            add(&all, "rim", "m", (double)f->rim);
            add(&all, "speed", "m/s", (double)f->speed);
            if (run->has_heap) add(&all, "angle_of_repose", "degrees", run->heap[0]);
            if (run->has_heap) add(&all, "height", "m", run->heap[1]);
            break;
        case TACT_FIELD_IMPACT:
            find_impact(f, run, &all);
            break;
        default:
            break;
    }
    return all;
}

void tact_field_json(const tact_field* f, const tact_field_run* run, cJSON* root)
{
    if (f->scene == TACT_FIELD_NONE) return;
    const findings all = find(f, run);
    cJSON* scene = tact_json_object(root, "scene");
    tact_json_text(scene, "name", tact_field_names[f->scene]);
    for (size_t i = 0; i < all.count; ++i)
        tact_json_number(scene, all.items[i].key, all.items[i].value);
    if (all.state) tact_json_text(scene, "state", all.state);
}

void tact_field_print(const tact_field* f, const tact_field_run* run)
{
    if (f->scene == TACT_FIELD_NONE) return;
    const findings all = find(f, run);
    printf("%-9s", tact_field_names[f->scene]);
    for (size_t i = 0; i < all.count; ++i) {
        char name[32];
        snprintf(name, sizeof name, "%s", all.items[i].key);
        for (char* c = name; *c; ++c)
            *c = *c == '_' ? ' ' : *c;
        printf("%s %s %.4g%s%s", i > 0 ? "," : "", name, all.items[i].value, *all.items[i].unit ? " " : "",
               all.items[i].unit);
    }
    printf("%s%s\n", all.state ? ": " : "", all.state ? all.state : "");
}
