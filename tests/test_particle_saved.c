// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Saved particle systems whose checksum is right and whose values are not: each is refused, and the part that holds it
// is named. test_particle_runs.c has what a checksum notices.
#include "tests/support/run.h"

#include "base/bytes.h"
#include "core/particles/particles.h"
#include "tests/support/objects.h"
#include "tests/support/particle_states.h"
#include "tests/support/saved.h"
#include "tests/support/test_context.h"

/// Where the parts of what small() makes begin, in the order in which save.c writes them. Counts have eight bytes.
enum {
    DESC = TACT_SAVED_HEADER,
    BOUNDARIES = DESC + 4,
    MATERIAL_COUNT = DESC + 96,
    MATERIAL = DESC + 100,
    MOST_STIFFNESS = MATERIAL + 16,
    MOST_DAMPING = MOST_STIFFNESS + 4,
    RULE = MOST_STIFFNESS + 8,
    SIZES = RULE + 16 + 4 * TACT_PARTICLE_GROUPS,
    CLOCK = SIZES + 12,
    COLLIDERS = CLOCK + 40,
    SINKS = COLLIDERS + 8 + 56,
    BODIES = SINKS + 8 + 56,
    MESH_COUNT = BODIES + 8 + 80,
    FIELD = MESH_COUNT + 8 + 36,
    FIELD_SIZES = FIELD + 80,
    FIELD_COUNT = FIELD_SIZES + 24,
    EMITTERS = FIELD_COUNT + 8 + 16,
    EMITTER_NEXT = EMITTERS + 8 + 124,
    FORCES = EMITTER_NEXT + 8,
    IDS = FORCES + 8 + 12,
    USED = IDS + 12,
    PARTICLES = USED + 8,
    PLACES = PARTICLES + 8,
    SPEEDS = PLACES + 3 * 16,
    TAGS = SPEEDS + 3 * 16,
    END = TAGS + 3 * 8 + TACT_SAVED_DIGEST
};

/// One of everything, and three particles with the ids 0, 1 and 2, of which the last is held. The x axis is periodic,
/// y has walls, z is open.
static tact_particles* small(void)
{
    static const tact_particle_material material = {1e4f, 0.5f, 0.5f, 0.5f};
    const tact_particles_desc desc = {.boundary = {TACT_BOUNDARY_PERIODIC, TACT_BOUNDARY_WALL, TACT_BOUNDARY_OPEN},
                                      .domain = {{-5, -5, -5}, {5, 5, 5}},
                                      .materials = &material,
                                      .material_count = 1};
    const tact_collider ball = {.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{0, -4, 0}, 0.5f}};
    const tact_collider floor = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, -4.5f}};
    const float corners[9] = {-4, -3, -4, 0, -2, -4, -4, -3, 4}, heights[4] = {0, 0.5f, 0.1f, 0.3f};
    const tact_mesh_desc mesh = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    const tact_height_field_desc field = {
        .heights = heights, .columns = 2, .rows = 2, .step_x = 1.5f, .step_z = 2.0f, .origin = {-1, 0.25f, -2}};
    const tact_emitter rain = {.corner = {0, 4, 0}, .velocity = {0, -6, 0}, .radius = 0.4f};
    const float places[9] = {0, 1, 2, 1, 2, 3, 2, 3, 4}, masses[3] = {1, 2, INFINITY}, force[3] = {1, 2, 3};
    const tact_particle_arrays three = {.positions = places, .radius = 0.25f, .masses = masses};
    tact_particles* p = new_particles(context, &desc);
    assert_int_equal(tact_particles_add_collider(p, &ball, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_sink(p, &floor, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_mesh(p, &mesh, NULL, 0, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_height_field(p, &field, NULL, 0, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_emitter(p, &rain, NULL), TACT_OK);
    assert_int_equal(tact_particles_add(p, &three, 3, NULL), TACT_OK);
    assert_int_equal(tact_particles_set_forces(p, force, 1), TACT_OK);
    return p;
}

/// Restored, with the checksum mended. `word` is to be in the sentence; NULL: all is well.
static void expect(particle_snapshot* s, size_t at, const char* word)
{
    tact_particles* p = NULL;
    saved_mend(s->bytes, s->size);
    const tact_result result = tact_particles_restore(context, s->bytes, s->size, TACT_BACKEND_CPU, &p);
    const char* says = tact_context_error(context);
    if (result != (word ? TACT_ERROR_INVALID_ARGUMENT : TACT_OK) || (word && (p || !strstr(says, word)))) {
        fail_msg("byte %zu: %s, \"%s\", expected \"%s\"", at, tact_result_name(result), says, word ? word : "");
    }
    tact_particles_destroy(p);
}

typedef struct wrong {
    size_t at;
    int bytes;  ///< 4 or 8
    uint64_t value;
    const char* word;  ///< NULL: is taken
} wrong;

static void try_each(const particle_snapshot* s, const wrong* rows, size_t count)
{
    particle_snapshot broken = {scratch(s->size), s->size};
    for (size_t i = 0; i < count; ++i) {
        const wrong* w = &rows[i];
        memcpy(broken.bytes, s->bytes, s->size);
        if (w->bytes == 4) tact_put_u32(broken.bytes + w->at, (uint32_t)w->value);
        if (w->bytes == 8) tact_put_u64(broken.bytes + w->at, w->value);
        if (memcmp(broken.bytes, s->bytes, s->size) == 0) fail_msg("row %zu changes nothing", i);
        expect(&broken, w->at, w->word);
    }
}

// Floats, by their bits.
#define ONE_BITS 0x3f800000u
#define HALF_BITS 0x3f000000u
#define MINUS_ONE_BITS 0xbf800000u
#define HUGE_BITS 0x7f000000u
#define INFINITE_BITS 0x7f800000u
#define NONE_BITS 0x7fc00000u
#define FIVE_BITS 0x40a00000u
#define SIX_BITS 0x40c00000u
#define MINUS_SIX_BITS 0xc0c00000u
#define HUGE_DOUBLE UINT64_C(0x7fe0000000000000)
#define NONE_DOUBLE UINT64_C(0x7ff8000000000000)

TEST(what_describes_a_system_is_checked)
{
    static const wrong rows[] = {
        {DESC, 4, 4, "the description"},
        {DESC, 4, 2, NULL},
        {BOUNDARIES, 4, 3, "the description"},
        {DESC + 56, 4, 256, "the description"},  // the walls' material
        {MATERIAL_COUNT, 4, TACT_PARTICLE_MATERIALS + 1, "the description"},
        {MATERIAL_COUNT, 4, 0, "a material"},
        {MATERIAL, 4, NONE_BITS, "a saved particle system: "},
        {MOST_STIFFNESS, 4, HUGE_BITS, "the rules of contacts"},
        {MOST_STIFFNESS, 4, MINUS_ONE_BITS, "the rules of contacts"},
        {MOST_DAMPING, 4, HUGE_BITS, "the rules of contacts"},
        {MOST_DAMPING, 4, NONE_BITS, "the rules of contacts"},
        {RULE, 4, MINUS_ONE_BITS, "the rules of contacts"},
        {RULE, 4, HUGE_BITS, "the rules of contacts"},
        {RULE, 4, HALF_BITS, NULL},
        {RULE + 4, 4, MINUS_ONE_BITS, "the rules of contacts"},
        {RULE + 8, 4, HUGE_BITS, "the rules of contacts"},
        {RULE + 8, 4, SIX_BITS, NULL},
        {RULE + 12, 4, NONE_BITS, "the rules of contacts"},
        {SIZES, 4, HUGE_BITS, "the radii"},
        {SIZES, 4, SIX_BITS, "the radii"},
        {SIZES, 4, 0, "the radii"},
        {SIZES, 4, HALF_BITS, NULL},
        {SIZES, 4, 0x40600000, "the radii"},  // 3.5: further than a third of the period
        {SIZES + 4, 4, 0, "the radii"},
        {SIZES + 4, 4, 0x3c000000, "the radii"},  // a 32nd of the other one
        {SIZES + 4, 4, HALF_BITS, "the radii"},
        {SIZES + 8, 4, MINUS_ONE_BITS, "the radii"},
        {SIZES + 8, 4, HALF_BITS, NULL},
        {CLOCK + 16, 8, NONE_DOUBLE, "the clock"},
        {CLOCK + 16, 8, HUGE_DOUBLE, "the clock"},
        {CLOCK + 16, 8, UINT64_C(0xbff0000000000000), "the clock"},
        {CLOCK + 16, 8, UINT64_C(0x3ff0000000000000), NULL},
    };
    tact_particles* p = KEEP(small());
    particle_snapshot s = particle_snapshot_of(p);
    assert_int_equal(s.size, END);
    expect(&s, 0, NULL);
    try_each(&s, rows, sizeof rows / sizeof *rows);
}

TEST(what_stands_around_is_checked)
{
    static const wrong rows[] = {
        {COLLIDERS, 8, TACT_MAX_COLLIDERS + 1, "a collider"},
        {COLLIDERS, 8, UINT64_MAX, "a collider"},
        {COLLIDERS, 8, 100, "a collider"},
        {COLLIDERS + 8, 4, 4, "a collider"},
        {COLLIDERS + 12, 4, 2, "a collider"},
        {COLLIDERS + 16, 4, 256, "a collider"},
        {COLLIDERS + 48, 4, NONE_BITS, "a saved particle system: "},
        {SINKS, 8, TACT_MAX_SINKS + 1, "a sink"},
        {SINKS + 8, 4, 4, "a sink"},
        {SINKS + 48, 4, NONE_BITS, "a saved particle system: "},
        {BODIES, 8, TACT_MAX_BODIES + 1, "a mesh or height field"},
        {BODIES + 8, 4, 2, "a mesh or height field"},
        {BODIES + 12, 4, 256, "a mesh or height field"},
        {BODIES + 16, 4, NONE_BITS, "a saved particle system: "},
        {MESH_COUNT, 8, 0x40000001, "a mesh or height field"},
        {MESH_COUNT, 8, 1000, "a mesh or height field"},
        {FIELD_SIZES, 4, 3, "a mesh or height field"},
        {FIELD_SIZES + 4, 4, 1, "a mesh or height field"},
        {FIELD_SIZES + 8, 4, MINUS_ONE_BITS, "a saved particle system: "},
        {FIELD_COUNT, 8, 3, "a mesh or height field"},
        {FIELD_COUNT, 8, 5, "a mesh or height field"},
        {EMITTERS, 8, TACT_MAX_EMITTERS + 1, "an emitter"},
        {EMITTERS + 8, 4, NONE_BITS, "a saved particle system: "},
        {EMITTERS + 8 + 72, 4, 256, "an emitter"},
        {EMITTER_NEXT, 8, NONE_DOUBLE, "an emitter"},
        {EMITTER_NEXT, 8, HUGE_DOUBLE, "an emitter"},
        {FORCES, 8, (uint64_t)TACT_MAX_PARTICLES + 1, "the forces"},
        {FORCES, 8, 30, "the forces"},
        {FORCES + 8, 4, NONE_BITS, "a saved particle system: "},
    };
    tact_particles* p = KEEP(small());
    particle_snapshot s = particle_snapshot_of(p);
    assert_int_equal(s.size, END);
    try_each(&s, rows, sizeof rows / sizeof *rows);
}

TEST(every_particle_is_checked)
{
    static const wrong rows[] = {
        {IDS, 4, TACT_MAX_PARTICLES + 1, "the ids in use"},
        {IDS, 4, 65, "the ids in use"},
        {IDS, 4, 2, "the particles"},
        {IDS + 4, 8, 2, "the ids in use"},
        {IDS + 4, 8, 0, "the ids in use"},
        {USED, 8, 3, "the particles"},
        {USED, 8, 11, "the particles"},
        {PARTICLES, 8, 2, "the particles"},
        {PARTICLES, 8, 4, "the particles"},
        {PLACES, 4, NONE_BITS, "the particles"},
        {PLACES, 4, MINUS_SIX_BITS, "the particles"},
        {PLACES, 4, SIX_BITS, "the particles"},
        {PLACES, 4, FIVE_BITS, "the particles"},  // the upper face of a period
        {PLACES + 4, 4, FIVE_BITS, NULL},         // of a wall
        {PLACES + 4, 4, SIX_BITS, "the particles"},
        {PLACES + 4, 4, MINUS_SIX_BITS, "the particles"},
        {PLACES + 8, 4, SIX_BITS, NULL},  // open
        {PLACES + 8, 4, HUGE_BITS, "the particles"},
        {PLACES + 12, 4, 0, "the particles"},
        {PLACES + 12, 4, HALF_BITS, "the particles"},
        {PLACES + 12, 4, 0x3e000000, "the particles"},
        {PLACES + 16, 4, NONE_BITS, "the particles"},
        {SPEEDS, 4, HUGE_BITS, "the particles"},
        {SPEEDS, 4, SIX_BITS, NULL},
        {SPEEDS + 12, 4, MINUS_ONE_BITS, "the particles"},
        {SPEEDS + 12, 4, INFINITE_BITS, "the particles"},
        {SPEEDS + 12, 4, SIX_BITS, "the particles"},  // lighter than the lightest
        {SPEEDS + 12, 4, HALF_BITS, NULL},
        {SPEEDS + 12, 4, 0, NULL},
        {SIZES + 8, 4, 0, "the particles"},  // as if all were held
        {TAGS, 4, 3, "the particles"},
        {TAGS + 8, 4, 0, "the particles"},  // the same id twice
        {TAGS + 4, 4, 1, "the particles"},  // a material that there is not
        {TAGS + 4, 4, 0x1f00, NULL},
        {TAGS + 4, 4, 0x2000, "the particles"},
    };
    tact_particles* p = KEEP(small());
    particle_snapshot s = particle_snapshot_of(p);
    assert_int_equal(s.size, END);
    try_each(&s, rows, sizeof rows / sizeof *rows);
    // An id below the end that is not in use.
    tact_put_u32(s.bytes + IDS, 5);
    tact_put_u64(s.bytes + USED, 0x13);
    expect(&s, TAGS, "the particles");
    tact_put_u32(s.bytes + TAGS + 16, 4);
    expect(&s, TAGS, NULL);
}

/// Where nothing has a radius, no particle can have one.
TEST(systems_that_were_always_empty_are_checked)
{
    tact_particles* p = KEEP(new_particles(context, NULL));
    particle_snapshot s = particle_snapshot_of(p);
    expect(&s, 0, NULL);
    static const wrong rows[] = {
        {SIZES, 4, ONE_BITS, "the radii"},
        {SIZES + 4, 4, ONE_BITS, "the radii"},
        {SIZES + 8, 4, NONE_BITS, "the radii"},
    };
    try_each(&s, rows, sizeof rows / sizeof *rows);
    particle_snapshot one = {scratch_zeroed(s.size + 48, 1), s.size + 48};
    memcpy(one.bytes, s.bytes, s.size - TACT_SAVED_DIGEST - 8 - 12);
    const size_t ids = s.size - TACT_SAVED_DIGEST - 8 - 12;
    tact_put_u32(one.bytes + ids, 1);
    tact_put_u64(one.bytes + ids + 4, 1);
    tact_put_u64(one.bytes + ids + 12, 1);
    tact_put_u64(one.bytes + ids + 20, 1);
    expect(&one, ids, "the particles");
    tact_put_u32(one.bytes + ids + 28 + 12, HALF_BITS);
    expect(&one, ids, "the particles");
}

/// A largest radius that was promised is the largest radius.
TEST(a_promised_radius_stays)
{
    const tact_particles_desc desc = {.max_radius = 0.5f};
    const float place[3] = {0, 1, 2};
    tact_particles* p = KEEP(new_particles(context, &desc));
    particle_snapshot s = particle_snapshot_of(p);
    static const wrong rows[] = {{SIZES, 4, ONE_BITS, "the radii"}, {SIZES, 4, 0, "the radii"}};
    expect(&s, 0, NULL);
    try_each(&s, rows, sizeof rows / sizeof *rows);
    tact_put_u32(s.bytes + SIZES, 0);
    tact_put_u32(s.bytes + SIZES + 4, 0);
    expect(&s, SIZES, "the radii");
    assert_int_equal(tact_particles_add(p, &(tact_particle_arrays){.positions = place, .radius = 0.25f}, 1, NULL),
                     TACT_OK);
    s = particle_snapshot_of(p);
    expect(&s, 0, NULL);
}

/// Many of the shortest kind, and nothing behind them.
TEST(emitters_alone_come_back)
{
    tact_particles *p = NULL, *again = NULL;
    assert_int_equal(tact_particles_create(context, NULL, &p), TACT_OK);
    for (int i = 0; i < TACT_MAX_EMITTERS; ++i) {
        const tact_emitter jet = {.corner = {(float)i, 0, 0}, .velocity = {0, 1, 0}, .radius = 0.1f};
        const tact_collider plane = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, (float)-i}};
        assert_int_equal(tact_particles_add_emitter(p, &jet, NULL), TACT_OK);
        assert_int_equal(tact_particles_add_sink(p, &plane, NULL), TACT_OK);
        particle_snapshot s = particle_snapshot_of(p);
        if (tact_particles_restore(context, s.bytes, s.size, TACT_BACKEND_CPU, &again) != TACT_OK) {
            fail_msg("%d emitters: %s", i + 1, tact_context_error(context));
        }
        particle_snapshot_expect(again, &s, "emitters");
        tact_particles_destroy(again);
    }
    tact_particles_destroy(p);
}

TEST(heads_and_ends_are_checked)
{
    tact_particles *p = KEEP(small()), *again = NULL;
    particle_snapshot s = particle_snapshot_of(p);
    particle_snapshot longer = {scratch_zeroed(s.size + 4, 1), s.size};
    // The end at any place, behind a header that agrees.
    for (size_t size = TACT_SAVED_HEADER; size < s.size; ++size) {
        memcpy(longer.bytes, s.bytes, size);
        longer.size = size;
        expect(&longer, size, "a saved particle system");
    }
    memcpy(longer.bytes, s.bytes, s.size);
    longer.size = s.size + 4;
    expect(&longer, s.size, "the particles");
    longer.bytes[12] = 64;
    expect(&longer, 12, "version");
    assert_int_equal(tact_particles_restore(context, NULL, 0, TACT_BACKEND_CPU, &again), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(context), "these 0 bytes"));
}

/// Versions 1, 2 and 3 had no digests; 1 and 2 did not name parts.
TEST(the_versions_before_are_read)
{
    tact_particles *p = KEEP(small()), *again = NULL;
    for (uint32_t version = 1; version <= 3; ++version) {
        if (version == 2) assert_int_equal(tact_particles_set_motion(p, TACT_CONTACT_BODY, 0, true), TACT_OK);
        if (version == 3) assert_int_equal(tact_particles_set_program(p, "fx = 1", NULL, 0), TACT_OK);
        const particle_snapshot now = particle_snapshot_of(p);
        particle_snapshot then = {scratch(now.size), now.size};
        memcpy(then.bytes, now.bytes, now.size);
        const uint32_t parts = version == 3 ? tact_get_u32(now.bytes + 12) : 0;
        then.size = saved_as_version(then.bytes, now.size, version, parts);
        assert_int_equal(then.size, now.size - TACT_SAVED_DIGEST);
        const tact_result result = tact_particles_restore(context, then.bytes, then.size, TACT_BACKEND_CPU, &again);
        if (result != TACT_OK) fail_msg("version %u: %s", (unsigned)version, tact_context_error(context));
        particle_snapshot_expect(again, &now, "of a version before");
        tact_particles_destroy(again);
        // Its checksum is looked at, and so is its size.
        for (size_t i = 16; i < then.size; ++i) {
            then.bytes[i] ^= 4;
            assert_int_equal(tact_particles_restore(context, then.bytes, then.size, TACT_BACKEND_CPU, &again),
                             TACT_ERROR_INVALID_ARGUMENT);
            then.bytes[i] ^= 4;
        }
    }
}

/// A body of three blocks, of which the last is short.
static tact_particles* large(void)
{
    enum { COUNT = 56000 };
    float* places = scratch(3 * COUNT * sizeof *places);
    for (size_t i = 0; i < 3 * (size_t)COUNT; ++i)
        places[i] = (float)(i % 1013) + 0.25f * (float)(i % 7);
    tact_particles* p = new_particles(context, NULL);
    assert_int_equal(tact_particles_add(p, &(tact_particle_arrays){.positions = places, .radius = 0.25f}, COUNT, NULL),
                     TACT_OK);
    return p;
}

static void expect_refused(const particle_snapshot* s, const char* word)
{
    tact_particles* p = NULL;
    const tact_result result = tact_particles_restore(context, s->bytes, s->size, TACT_BACKEND_CPU, &p);
    if (result != TACT_ERROR_INVALID_ARGUMENT || p || !strstr(tact_context_error(context), word))
        fail_msg("%s, \"%s\", expected \"%s\"", tact_result_name(result), tact_context_error(context), word);
}

TEST(the_block_that_is_damaged_is_named)
{
    enum { HEAD = TACT_SAVED_HEADER, BLOCK = TACT_SAVED_BLOCK };
    tact_particles* p = KEEP(large());
    particle_snapshot s = particle_snapshot_of(p);
    const size_t end = (size_t)tact_archive_body_end(s.size);
    assert_int_equal(end, s.size - 3 * TACT_SAVED_DIGEST);
    assert_true(end > HEAD + 2 * BLOCK && end < HEAD + 3 * BLOCK);
    const struct {
        size_t at;
        const char* word;
    } rows[] = {{HEAD, "block 0 of 3, bytes 32 to 1048607,"},
                {HEAD + BLOCK - 1, "block 0 of 3"},
                {HEAD + BLOCK, "block 1 of 3, bytes 1048608 to 2097183,"},
                {HEAD + 2 * BLOCK - 1, "block 1 of 3"},
                {HEAD + 2 * BLOCK, "block 2 of 3"},
                {end - 1, "block 2 of 3"},
                {end, "its first 32 bytes"},
                {s.size - 1, "its first 32 bytes"},
                {12, "its first 32 bytes"},
                {TACT_SAVED_CHECKSUM_AT, "its first 32 bytes"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        s.bytes[rows[i].at] ^= 1;
        expect_refused(&s, rows[i].word);
        s.bytes[rows[i].at] ^= 1;
    }
    // Two blocks in each other's place.
    uint8_t* block = scratch(BLOCK);
    memcpy(block, s.bytes + HEAD, BLOCK);
    memmove(s.bytes + HEAD, s.bytes + HEAD + BLOCK, BLOCK);
    memcpy(s.bytes + HEAD + BLOCK, block, BLOCK);
    expect_refused(&s, "block 0 of 3");
    // The same with their digests.
    uint8_t digest[TACT_SAVED_DIGEST];
    memcpy(digest, s.bytes + end, sizeof digest);
    memmove(s.bytes + end, s.bytes + end + sizeof digest, sizeof digest);
    memcpy(s.bytes + end + sizeof digest, digest, sizeof digest);
    expect_refused(&s, "its first 32 bytes");
}

/// Bodies end where blocks do, or behind.
TEST(sizes_of_what_is_saved_are_told_apart)
{
    enum { HEAD = TACT_SAVED_HEADER, BLOCK = TACT_SAVED_BLOCK };
    const uint64_t ends[] = {HEAD + 1,         HEAD + BLOCK - 1, HEAD + BLOCK,         HEAD + BLOCK + 1,
                             HEAD + 2 * BLOCK, HEAD + 4,         HEAD + 3 * BLOCK - 8, HEAD + 7 * (uint64_t)BLOCK + 8};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i)
        assert_int_equal(tact_archive_body_end(tact_archive_sealed(ends[i])), ends[i]);
    for (uint64_t rest = 1; rest <= TACT_SAVED_DIGEST; ++rest) {
        assert_int_equal(tact_archive_body_end(HEAD + rest), 0);
        assert_int_equal(tact_archive_body_end(tact_archive_sealed(HEAD + BLOCK) + rest), 0);
    }
    assert_int_equal(tact_archive_body_end(HEAD - 1), 0);
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
