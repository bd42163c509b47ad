// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/particles/particles.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "apps/system.h"

/// In radii of the largest sphere, between the places of spheres that are generated; in spacings, between layers. Each
/// layer lies over the gaps of the one below: spheres straight above each other would stand like a wall.
#define SPACING 2.1f
#define LAYER 0.75f

const char* const tact_grain_law_names[] = {"", "linear", "hertz", NULL};

bool tact_floats_parse(const char* what, const char* text, int count, float* values, tact_problem* problem)
{
    const char* c = text;
    for (int i = 0; i < count; ++i) {
        char* end = NULL;
        values[i] = strtof(c, &end);
        const char expected = i + 1 < count ? ',' : '\0';
        if (end == c || *end != expected || !isfinite(values[i])) {
            return tact_problem_set(problem, "--%s %s: must be %d finite number%s%s", what, text, count,
                                    count > 1 ? "s" : "", count > 1 ? ", separated by commas" : "");
        }
        c = end + 1;
    }
    return true;
}

bool tact_float_parse(const char* what, const char* text, float low, bool closed, float high, float* value,
                      tact_problem* problem)
{
    if (!text) return true;
    if (!tact_floats_parse(what, text, 1, value, problem)) return false;
    if ((*value > low || (closed && *value == low)) && *value <= high) return true;
    return tact_problem_set(problem, "--%s %s: must be %s %g and at most %g", what, text, closed ? "at least" : "above",
                            (double)low, (double)high);
}

bool tact_view_parse(const char* size, const char* camera, tact_picture_view* view, tact_problem* problem)
{
    *view = (tact_picture_view){1280, 720, 30.0f, 20.0f};
    if (size && !tact_size_parse("size", size, 1, 16384, &view->width, &view->height, problem)) return false;
    float angles[2] = {view->azimuth, view->elevation};
    if (camera && !tact_floats_parse("camera", camera, 2, angles, problem)) return false;
    if (!(fabsf(angles[0]) <= 360.0f && fabsf(angles[1]) <= 89.0f))
        return tact_problem_set(problem, "--camera %s: azimuth up to 360 and elevation up to 89 degrees", camera);
    view->azimuth = angles[0];
    view->elevation = angles[1];
    return true;
}

/// What --radius or --radii ask for.
static bool radii_of(const tact_particle_choices* c, float* least, float* most, tact_problem* problem)
{
    *least = c->field.scene ? 0.425f : 0.5f;
    *most = c->field.scene ? 0.575f : 0.5f;
    if (c->radius && c->radii) return tact_problem_set(problem, "--radius and --radii: one of them, not both");
    if (c->load && (c->radius || c->radii)) {
        return tact_problem_set(problem, "--%s: is for --random; the file has radii", c->radius ? "radius" : "radii");
    }
    if (c->radius) {
        if (!tact_float_parse("radius", c->radius, 0.0f, false, 1e6f, least, problem)) return false;
        *most = *least;
    }
    if (!c->radii) return true;
    char* end = NULL;
    *least = strtof(c->radii, &end);
    if (end == c->radii || *end != ':') return tact_problem_set(problem, "--radii %s: must be LEAST:MOST", c->radii);
    if (!tact_floats_parse("radii", end + 1, 1, most, problem)) return false;
    if (*least > 0.0f && *most >= *least && *most <= 1e6f && *most <= TACT_MAX_RADIUS_RATIO * *least) return true;
    return tact_problem_set(problem,
                            "--radii %s: must be above 0, ascending, and the second at most %g times the first",
                            c->radii, (double)TACT_MAX_RADIUS_RATIO);
}

/// The domain's kind and, where given, its box.
typedef struct domain_choice {
    tact_boundary boundary;
    bool sized;
    tact_aabb box;
} domain_choice;

static bool domain_of(const tact_particle_choices* c, domain_choice* d, tact_problem* problem)
{
    static const char* const kinds[] = {"open", "box", "periodic"};
    *d = (domain_choice){.boundary = c->random ? TACT_BOUNDARY_WALL : TACT_BOUNDARY_OPEN};
    if (!c->domain) return true;
    const size_t length = strcspn(c->domain, ":");
    int kind = 0;
    while (kind < 3 && (strlen(kinds[kind]) != length || strncmp(kinds[kind], c->domain, length) != 0))
        ++kind;
    if (kind == 3) return tact_problem_set(problem, "--domain %s: must be open, box or periodic", c->domain);
    d->boundary = (tact_boundary)kind;
    if (!c->domain[length]) {
        if (kind == 0 || c->random) return true;
        return tact_problem_set(problem, "--domain %s: needs sizes with --load, such as %s:10,8,10", c->domain,
                                c->domain);
    }
    const char* numbers = c->domain + length + 1;
    int commas = 0;
    for (const char* p = numbers; *p; ++p)
        commas += *p == ',';
    float v[6];
    if (kind == 0) return tact_problem_set(problem, "--domain %s: an open domain has no size", c->domain);
    if (!tact_floats_parse("domain", numbers, commas == 5 ? 6 : 3, v, problem)) return false;
    if (commas == 5) {
        d->box = (tact_aabb){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
    } else {
        d->box = (tact_aabb){{-0.5f * v[0], 0.0f, -0.5f * v[2]}, {0.5f * v[0], v[1], 0.5f * v[2]}};
    }
    d->sized = true;
    if (d->box.lower.x < d->box.upper.x && d->box.lower.y < d->box.upper.y && d->box.lower.z < d->box.upper.z) {
        return true;
    }
    return tact_problem_set(problem, "--domain %s: the box is empty", c->domain);
}

static bool planes_of(const tact_particle_choices* c, tact_particle_plan* p, tact_problem* problem)
{
    if (c->planes.count > TACT_PLAN_PLANES) {
        return tact_problem_set(problem, "--plane: %zu of them; at most %d", c->planes.count, TACT_PLAN_PLANES);
    }
    for (size_t i = 0; i < c->planes.count; ++i) {
        float v[4];
        if (!tact_floats_parse("plane", c->planes.items[i], 4, v, problem)) return false;
        p->planes[p->plane_count++] =
            (tact_collider){.kind = TACT_COLLIDER_PLANE, .shape.plane = {{v[0], v[1], v[2]}, v[3]}};
    }
    return true;
}

bool tact_particle_plan_room(tact_particle_plan* p, tact_problem* problem)
{
    p->positions = malloc((p->count + 1) * 3 * sizeof(float));
    p->velocities = malloc((p->count + 1) * 3 * sizeof(float));
    p->radii = malloc((p->count + 1) * sizeof(float));
    return (p->positions && p->velocities && p->radii) || tact_problem_out_of_memory(problem, "the particles");
}

static bool load(const tact_particle_choices* c, tact_particle_plan* p, tact_problem* problem)
{
    void* bytes = NULL;
    size_t size = 0;
    float* rows = NULL;
    snprintf(p->source, sizeof p->source, "%s", c->load);
    if (!tact_file_read(c->load, &bytes, &size, problem)) return false;
    bool good = tact_particle_rows_parse(bytes, size, tact_file_shown(c->load), &rows, &p->turning, &p->count, problem);
    free(bytes);
    good = good && tact_particle_plan_room(p, problem);
    for (size_t i = 0; good && i < p->count; ++i) {
        memcpy(p->positions + 3 * i, rows + 7 * i, 3 * sizeof(float));
        memcpy(p->velocities + 3 * i, rows + 7 * i + 4, 3 * sizeof(float));
        p->radii[i] = rows[7 * i + 3];
    }
    free(rows);
    return good;
}

/// A block of places, its middle at (0, ., 0) but for a shift, from `bottom` up.
typedef struct block {
    size_t across, deep;
    float spacing, shift, bottom;
} block;

static void fill_block(const tact_particle_choices* c, tact_particle_plan* p, const block* b, float least, float most)
{
    tact_random r = {c->seed};
    const float room = 0.5f * (b->spacing - 2.0f * most), restless = 0.05f * sqrtf(9.81f * most);
    const float left = b->shift - 0.5f * (float)(b->across - 1) * b->spacing;
    const float back = -0.5f * (float)(b->deep - 1) * b->spacing;
    for (size_t i = 0; i < p->count; ++i) {
        const size_t layer = i / (b->across * b->deep);
        // From side to side in each layer, so that one that is not full is not full at one end.
        const float aside = layer % 2 ? 0.25f * b->spacing : -0.25f * b->spacing;
        const float at[3] = {left + aside + b->spacing * (float)(i / b->deep % b->across),
                             b->bottom + b->spacing * (0.5f + LAYER * (float)layer),
                             back + aside + b->spacing * (float)(i % b->deep)};
        for (size_t k = 0; k < 3; ++k) {
            p->positions[3 * i + k] = at[k] + room * (float)(2.0 * tact_random_fraction(&r) - 1.0);
            p->velocities[3 * i + k] = restless * (float)(2.0 * tact_random_fraction(&r) - 1.0);
        }
        p->radii[i] = least + (most - least) * (float)tact_random_fraction(&r);
    }
}

/// Scales the meshes to stand in the middle of the floor, `width` wide; *height is theirs then. False where no number
/// scales them to that, or none moves them there: they are next to nothing, or far away for their size.
static bool stand(tact_particle_plan* p, float width, float* height, tact_problem* problem)
{
    const tact_aabb b = tact_particle_meshes_bounds(&p->model);
    *height = 0.0f;
    if (!(b.lower.x <= b.upper.x)) return true;
    const float size[3] = {b.upper.x - b.lower.x, b.upper.y - b.lower.y, b.upper.z - b.lower.z};
    const float widest = fmaxf(size[0], fmaxf(size[1], size[2]));
    tact_placement* at = &p->look.placement;
    at->scale = widest > 0.0f ? width / widest : 1.0f;
    at->offset[0] = -at->scale * (0.5f * b.lower.x + 0.5f * b.upper.x);
    at->offset[1] = -at->scale * b.lower.y;
    at->offset[2] = -at->scale * (0.5f * b.lower.z + 0.5f * b.upper.z);
    if (!isfinite(at->scale) || !isfinite(at->offset[0]) || !isfinite(at->offset[1]) || !isfinite(at->offset[2])) {
        return tact_problem_set(problem, "the meshes are too large or too small for the particles: %g wide, to be %g",
                                (double)widest, (double)width);
    }
    tact_particle_meshes_place(&p->model, at);
    *height = at->scale * size[1];
    return true;
}

static size_t at_least_one(float x)
{
    return x > 1.0f ? (size_t)x : 1;
}

/// A pour: without a mesh a tall block at one end of a trough, which falls over; with one a block above it.
static bool pour(const tact_particle_choices* c, tact_particle_plan* p, domain_choice* d, tact_problem* problem)
{
    float least, most;
    if (!radii_of(c, &least, &most, problem)) return false;
    p->count = (size_t)c->random;
    snprintf(p->source, sizeof p->source, "random:%" PRIu64, c->random);
    if (!tact_particle_plan_room(p, problem)) return false;
    const float side = cbrtf((float)p->count), diameter = 2.0f * most;
    const bool meshes = p->model.mesh_count > 0;
    block b = {.spacing = SPACING * most};
    float width, depth, top;
    if (meshes) {
        width = depth = fmaxf(1.6f * side, 12.0f) * diameter;
        if (!stand(p, 0.62f * width, &b.bottom, problem)) return false;
        b.bottom += diameter;
        b.across = b.deep = at_least_one(0.68f * width / b.spacing);
    } else {
        b.across = at_least_one(roundf(0.62f * side));
        b.deep = at_least_one(roundf(0.80f * side));
        width = fmaxf(3.2f * (float)b.across, 8.0f) * b.spacing;
        depth = (fmaxf((float)b.deep, 6.0f) + 0.5f) * b.spacing;
        b.shift = 0.5f * (((float)b.across + 0.5f) * b.spacing - width);
    }
    if (d->sized) {
        const tact_aabb box = d->box;
        width = box.upper.x - box.lower.x;
        depth = box.upper.z - box.lower.z;
        const size_t most_across = at_least_one(width / b.spacing - 0.5f);
        const size_t most_deep = at_least_one(depth / b.spacing - 0.5f);
        // A block that is too high for the box is spread out.
        const float layers = floorf(((box.upper.y - box.lower.y - b.bottom) / b.spacing - 1.0f) / LAYER) + 1.0f;
        if (!((float)b.across * (float)b.deep * layers >= (float)p->count)) {
            b.across = most_across;
            b.deep = most_deep;
        }
        b.across = b.across < most_across ? b.across : most_across;
        b.deep = b.deep < most_deep ? b.deep : most_deep;
        b.shift = meshes ? 0.0f : 0.5f * (((float)b.across + 0.5f) * b.spacing - width);
        if (!(layers >= 1.0f && ceilf((float)p->count / (float)(b.across * b.deep)) <= layers)) {
            return tact_problem_set(problem, "--domain %s: %" PRIu64 " particles of radius %g do not fit", c->domain,
                                    c->random, (double)most);
        }
    }
    fill_block(c, p, &b, least, most);
    top = b.bottom + b.spacing * (1.0f + LAYER * (float)(p->count / (b.across * b.deep)));
    const tact_aabb look = {{-0.5f * width, 0.0f, -0.5f * depth}, {0.5f * width, top, 0.5f * depth}};
    if (d->sized) {
        const float to[3] = {0.5f * (d->box.lower.x + d->box.upper.x), d->box.lower.y,
                             0.5f * (d->box.lower.z + d->box.upper.z)};
        for (size_t i = 0; i < 3 * p->count; ++i)
            p->positions[i] += to[i % 3];
        const tact_placement moved = {1.0f, {to[0], to[1], to[2]}};
        tact_particle_meshes_place(&p->model, &moved);
        for (int i = 0; i < 3; ++i)
            p->look.placement.offset[i] += to[i];
        p->look.bounds = d->box;
        p->look.bounds.upper.y = fminf(d->box.upper.y, d->box.lower.y + top);
        return true;
    }
    d->box = p->look.bounds = look;
    // Room for what bounces.
    d->box.upper.y = top + 8.0f * diameter;
    return true;
}

/// The box about the particles and the meshes.
static tact_aabb about_all(const tact_particle_plan* p)
{
    tact_aabb b = tact_particle_meshes_bounds(&p->model);
    float *lower = &b.lower.x, *upper = &b.upper.x;
    for (size_t i = 0; i < p->count; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            lower[k] = fminf(lower[k], p->positions[3 * i + k] - p->radii[i]);
            upper[k] = fmaxf(upper[k], p->positions[3 * i + k] + p->radii[i]);
        }
    }
    if (!(lower[0] <= upper[0])) b = (tact_aabb){{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}};
    return b;
}

static float length_of(const float v[3])
{
    return (float)sqrt((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] + (double)v[2] * (double)v[2]);
}

/// The smallest and largest radius, and the speed that a fall over all there is to be seen ends with.
static void measure(tact_particle_plan* p)
{
    tact_particle_look* l = &p->look;
    l->smallest = l->largest = p->count ? p->radii[0] : 0.5f;
    double fastest = 0.0;
    for (size_t i = 0; i < p->count; ++i) {
        l->smallest = fminf(l->smallest, p->radii[i]);
        l->largest = fmaxf(l->largest, p->radii[i]);
        fastest = fmax(fastest, (double)length_of(p->velocities + 3 * i));
    }
    const float *g = &p->desc.gravity.x, *lower = &l->bounds.lower.x, *upper = &l->bounds.upper.x;
    double fall = fastest * fastest;
    for (int k = 0; k < 3; ++k)
        fall += 2.0 * fabs((double)g[k]) * ((double)upper[k] - (double)lower[k]);
    l->fastest = (float)fmin(sqrt(fall), 1e15);
}

float tact_grain_modulus(float stiffness, float radius)
{
    return 2.12f * stiffness / radius;
}

float tact_grain_shear(const tact_grain_law* law)
{
    return law->stiffness * (law->springs == TACT_GRAIN_HERTZ ? 3.0f / 14.0f : 2.0f / 7.0f);
}

/// As stiff as it takes to stop two of the largest spheres at the greatest speed within a quarter of a radius.
static float stiffness_for(const tact_particle_plan* p)
{
    if (p->field.scene) return tact_field_stiffness(p);
    const double r = (double)p->look.largest, mass = (double)p->density * 4.18879020478639 * r * r * r;
    const double room = 0.25 * r, speed = (double)p->look.fastest;
    const double needed = 2.0 * 0.5 * mass * speed * speed / (room * room);
    return (float)fmin(fmax(needed, 1e4), 1e29);
}

static bool matter_of(const tact_particle_choices* c, tact_particle_plan* p, tact_problem* problem)
{
    p->density = 1000.0f;
    p->material = (tact_particle_material){0.0f, 0.5f, 0.5f, 0.5f};
    if (!tact_float_parse("density", c->density, 0.0f, false, 1e12f, &p->density, problem) ||
        !tact_float_parse("friction", c->friction, 0.0f, true, 1e6f, &p->material.friction, problem) ||
        !tact_float_parse("restitution", c->restitution, 0.01f, true, 1.0f, &p->material.restitution, problem)) {
        return false;
    }
    p->material.stiffness = stiffness_for(p);
    return tact_float_parse("stiffness", c->stiffness, 0.0f, false, 1e30f, &p->material.stiffness, problem);
}

/// The law of grains, whose matter is known. A stiffness that is given is, with Hertz's springs, a modulus.
static bool law_of(const tact_particle_choices* c, tact_particle_plan* p, tact_problem* problem)
{
    const bool hertz = c->law == 1 + TACT_GRAIN_HERTZ;
    const bool remembers = c->history || (!c->law && c->response == TACT_RESPONSE_GRAINS);
    p->law = (tact_grain_law){.springs = hertz ? TACT_GRAIN_HERTZ : TACT_GRAIN_LINEAR,
                              .stiffness = 0.5f * p->material.stiffness,
                              .restitution = p->material.restitution,
                              .tangential_damping = p->material.tangential_damping,
                              .friction = p->material.friction};
    if (!tact_float_parse("rolling", c->rolling, 0.0f, true, 1e6f, &p->law.rolling_friction, problem) ||
        !tact_float_parse("cohesion", c->cohesion, 0.0f, true, 1e20f, &p->law.adhesion, problem)) {
        return false;
    }
    if (hertz)
        p->law.stiffness = c->stiffness ? p->material.stiffness : tact_grain_modulus(p->law.stiffness, p->look.largest);
    if (remembers) p->law.shear = tact_grain_shear(&p->law);
    return true;
}

static bool gravity_of(const tact_particle_choices* c, tact_particle_plan* p, tact_boundary boundary,
                       tact_problem* problem)
{
    // Nothing falls where there is nothing to fall on.
    const bool ground = boundary == TACT_BOUNDARY_WALL || p->plane_count > 0 || p->model.mesh_count > 0;
    float g[3] = {0.0f, ground ? -9.81f : 0.0f, 0.0f};
    if (c->gravity && !tact_floats_parse("gravity", c->gravity, 3, g, problem)) return false;
    p->desc.gravity = (tact_vec3){g[0], g[1], g[2]};
    return true;
}

static bool clump_of(const tact_particle_choices* c, tact_particle_plan* p, tact_problem* problem)
{
    if (!c->clump) return true;
    if (!c->random || c->radii) return tact_problem_set(problem, "--clump: is for --random, with one --radius");
    p->clump.seed = c->seed;
    return tact_clump_choice_make(c->clump, &p->clump, problem);
}

/// One of the field's scenes.
static bool scene_of(const tact_particle_choices* c, tact_particle_plan* p, tact_problem* problem)
{
    const char* const not [] = {c->domain ? "domain" : NULL, c->gravity ? "gravity" : NULL,
                                c->meshes.count ? "mesh" : NULL, c->planes.count ? "plane" : NULL,
                                c->clump ? "clump" : NULL};
    const char* name = tact_field_names[c->field.scene];
    float least, most;
    for (size_t i = 0; i < sizeof not / sizeof *not ; ++i) {
        if (not [i]) return tact_problem_set(problem, "--%s: --scene %s has its own", not [i], name);
    }
    if (c->response && c->response != TACT_RESPONSE_GRAINS)
        return tact_problem_set(problem, "--scene %s: is of grains", name);
    if (!radii_of(c, &least, &most, problem) || !tact_field_lay_out(c, least, most, p, problem)) return false;
    p->desc.response = TACT_RESPONSE_GRAINS;
    measure(p);
    if (!matter_of(c, p, problem) || !law_of(c, p, problem)) return false;
    // Contacts remember: without that nothing of this stands.
    if (!(p->law.shear > 0.0f)) p->law.shear = tact_grain_shear(&p->law);
    p->look.largest = fmaxf(p->look.largest, p->field.ball);
    return true;
}

bool tact_particle_plan_make(const tact_particle_choices* c, tact_particle_plan* p, tact_problem* problem)
{
    domain_choice d;
    *p = (tact_particle_plan){.dt = 1.0f / 60.0f, .substeps = (uint32_t)c->substeps};
    p->look.placement.scale = 1.0f;
    if (!tact_float_parse("dt", c->dt, 0.0f, false, 1e15f, &p->dt, problem)) return false;
    if (c->field.scene) return scene_of(c, p, problem);
    if (!domain_of(c, &d, problem) || !planes_of(c, p, problem) ||
        !tact_particle_meshes_read(&c->meshes, &p->model, problem)) {
        return false;
    }
    if (c->random) {
        if (!pour(c, p, &d, problem)) return false;
    } else {
        float least, most;
        if (!radii_of(c, &least, &most, problem) || !load(c, p, problem)) return false;
        p->look.bounds = d.sized ? d.box : about_all(p);
    }
    p->look.floor = d.boundary == TACT_BOUNDARY_WALL || (c->random && p->model.mesh_count > 0);
    p->desc.response = (tact_particle_response)c->response;
    if (c->law || c->history || c->rolling || c->cohesion || c->clump) {
        if (c->response && c->response != TACT_RESPONSE_GRAINS)
            return tact_problem_set(problem,
                                    "--law, --history, --rolling, --cohesion and --clump: for --response grains");
        p->desc.response = TACT_RESPONSE_GRAINS;
    }
    if (p->turning && p->desc.response != TACT_RESPONSE_GRAINS) {
        return tact_problem_set(problem, "%s: particles that turn, in 13 columns, are for --response grains or --law L",
                                c->load);
    }
    p->desc.domain = d.box;
    const tact_aabb b = p->look.bounds;
    p->desc.origin = (tact_vec3){0.5f * b.lower.x + 0.5f * b.upper.x, 0.5f * b.lower.y + 0.5f * b.upper.y,
                                 0.5f * b.lower.z + 0.5f * b.upper.z};
    for (int i = 0; i < 3; ++i)
        p->desc.boundary[i] = d.boundary;
    if (!gravity_of(c, p, d.boundary, problem)) return false;
    measure(p);
    // What moves particles apart by a step must not throw them.
    if (p->desc.response == TACT_RESPONSE_POSITION && !p->substeps) p->substeps = 4;
    return matter_of(c, p, problem) && law_of(c, p, problem) && clump_of(c, p, problem);
}

void tact_particle_plan_free(tact_particle_plan* p)
{
    free(p->positions);
    free(p->velocities);
    free(p->radii);
    free(p->turning);
    tact_clump_choice_free(&p->clump);
    tact_model_free(&p->model);
    tact_field_free(&p->field);
    *p = (tact_particle_plan){0};
}

/// Gives grains the orientations and spins that a file has.
static tact_result turn(const tact_particle_plan* p, tact_particles* particles)
{
    float* parts = p->turning ? malloc((p->count + 1) * 7 * sizeof *parts) : NULL;
    if (!p->turning) return TACT_OK;
    if (!parts) return TACT_ERROR_OUT_OF_MEMORY;
    float* orientations = parts + 3 * p->count;
    for (size_t i = 0; i < p->count; ++i) {
        memcpy(parts + 3 * i, p->turning + 6 * i + 3, 3 * sizeof *parts);
        tact_rotation_quaternion(p->turning + 6 * i, orientations + 4 * i);
    }
    const tact_result result = tact_particles_write_turning(particles, NULL, p->count, parts, orientations);
    free(parts);
    return result;
}

static tact_result fill(const tact_particle_plan* p, tact_particles* particles, tact_context* context)
{
    const tact_particle_arrays arrays = {
        .positions = p->positions, .velocities = p->velocities, .radii = p->radii, .density = p->density};
    tact_result result = TACT_OK;
    if (p->field.scene) {
        result = tact_particles_set_law(particles, 0, 0, &p->law);
        return result == TACT_OK ? tact_field_fill(p, particles) : result;
    }
    for (uint32_t i = 0; i < p->plane_count && result == TACT_OK; ++i)
        result = tact_particles_add_collider(particles, &p->planes[i], NULL);
    for (size_t i = 0; i < p->model.mesh_count && result == TACT_OK; ++i) {
        const tact_model_mesh* mesh = &p->model.meshes[i];
        const tact_mesh_desc desc = {.positions = mesh->positions,
                                     .vertex_count = mesh->vertex_count,
                                     .indices = mesh->indices,
                                     .triangle_count = mesh->triangle_count};
        uint32_t body = 0;
        result = tact_particles_add_mesh(particles, &desc, NULL, 0, &body);
    }
    if (result == TACT_OK && p->clump.positions) {
        result = tact_clump_choice_add(p, particles, context);
    } else if (result == TACT_OK) {
        result = tact_particles_add(particles, &arrays, p->count, NULL);
    }
    if (p->desc.response != TACT_RESPONSE_GRAINS) return result;
    if (result == TACT_OK) result = tact_particles_set_law(particles, 0, 0, &p->law);
    return result == TACT_OK ? turn(p, particles) : result;
}

bool tact_particle_plan_create(const tact_particle_plan* p, tact_context* context, tact_backend backend,
                               tact_particles** particles, tact_problem* problem)
{
    tact_particles_desc desc = p->desc;
    desc.backend = backend == TACT_BACKEND_REFERENCE ? TACT_BACKEND_AUTO : backend;
    desc.materials = &p->material;
    desc.material_count = 1;
    desc.reserve = p->count;
    tact_result result = tact_particles_create(context, &desc, particles);
    if (result == TACT_OK) result = fill(p, *particles, context);
    if (result == TACT_OK) return true;
    tact_problem_from_result(problem, result, context, p->source);
    tact_particles_destroy(*particles);
    *particles = NULL;
    return false;
}
