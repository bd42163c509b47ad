// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Forces in every substep, by a text and by a function: a backend's state against the brute force's, byte by byte; kept
// by saving; against formulas; what texts and functions may not do. The program's argument: cpu, gl or cl.
#include "tests/support/run.h"

#include "core/particles/programs.h"
#include "tests/support/grain_systems.h"

static tact_backend tested = TACT_BACKEND_CPU;

static void good(tact_result result)
{
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
}

// ---- States ----

/// Every operation, and everything that particles have.
static const char* const rich_text =
    "speed = sqrt(vx*vx + vy*vy + vz*vz); side = x < 0 ? -1 : 1;\n"
    "left = x <= -1 || !(y >= 2) && z != 0; odd = id - 2*floor(id/2);"
    "fx = -3*pi*mu*(2*r)*(vx - shear*y) + push*side*step(0.01, t) + 0.5*material;"
    "fy = max(-80, min(80, 4*m*abs(z)*(odd == 1) - -group)) / (1 + speed);"
    "fz = left && t > 0.004 ? -20*z : +3.5e1*.5 + fx/8;";
static const char* const turning_text = " tx = -0.02*wx + 0.1*fz*r; ty = t < 0.01 ? 1e-1 : -wy/9; tz = wx*wy*1e-4";

static const tact_program_parameter rich_parameters[] = {{"mu", 2.5f}, {"shear", 0.7f}, {"push", 30.0f}, {"unused", 1}};

static void set_rich(tact_particles* p, bool turns)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s", rich_text, turns ? turning_text : "");
    good(tact_particles_set_program(p, text, rich_parameters, 4));
}

static tact_particles* rich_of(tact_backend backend, tact_particle_response response)
{
    if (response == TACT_RESPONSE_GRAINS) return grain_rich(backend, 3);
    tact_particles_desc desc = rich_desc(response);
    tact_particles* p = NULL;
    desc.backend = backend;
    good(tact_particles_create(context, &desc, &p));
    KEEP(p);
    good(rich_fill(p, true));
    return p;
}

static const tact_particle_response responses[] = {TACT_RESPONSE_SPRING, TACT_RESPONSE_POSITION, TACT_RESPONSE_NONE,
                                                   TACT_RESPONSE_GRAINS};
enum { RESPONSES = sizeof responses / sizeof *responses };

static void expect_same(tact_particles* right, tact_particles* p, const char* what)
{
    const particle_snapshot expected = particle_snapshot_of(right);
    particle_snapshot_expect(p, &expected, what);
}

static void step_of(tact_particles* p, uint32_t substeps, uint32_t steps, int threads)
{
    const tact_query_options options = {.threads = threads, .no_fallback = true};
    good(tact_particles_step(p, rich_dt, substeps, steps, &options, NULL));
}

TEST(a_program_gives_the_state_that_brute_force_has)
{
    for (int k = 0; k < RESPONSES; ++k) {
        tact_particles* right = rich_of(TACT_BACKEND_REFERENCE, responses[k]);
        tact_particles* p = rich_of(tested, responses[k]);
        tact_particles* without = rich_of(TACT_BACKEND_REFERENCE, responses[k]);
        set_rich(right, responses[k] == TACT_RESPONSE_GRAINS);
        set_rich(p, responses[k] == TACT_RESPONSE_GRAINS);
        for (int round = 0; round < 6; ++round) {
            step_of(right, 3, 3, 1);
            step_of(p, 3, 3, 1 + round % 3);
            step_of(without, 3, 3, 1);
            expect_same(right, p, "with a program");
            // From here on the same kernel has another number.
            const float push = 10.0f * (float)round;
            good(tact_particles_set_program_parameter(right, "push", push));
            good(tact_particles_set_program_parameter(p, "push", push));
        }
        tact_particle_totals with, other;
        good(tact_particles_measure(p, &with));
        good(tact_particles_measure(without, &other));
        assert_true(with.momentum[0] != other.momentum[0] && with.momentum[1] != other.momentum[1] &&
                    with.momentum[2] != other.momentum[2]);
        good(tact_particles_set_program(p, NULL, NULL, 0));
        good(tact_particles_set_program(right, NULL, NULL, 0));
        step_of(right, 3, 2, 1);
        step_of(p, 3, 2, 2);
        expect_same(right, p, "without a program any more");
        tact_particles_info info;
        good(tact_particles_get_info(p, &info));
        assert_int_equal(info.backend, tested);
        assert_int_equal(info.unforced, 0);
    }
}

TEST(a_saved_program_goes_on_as_if_nothing_had_been)
{
    for (int k = 0; k < RESPONSES; ++k) {
        tact_particles *p = rich_of(tested, responses[k]), *again = NULL;
        set_rich(p, responses[k] == TACT_RESPONSE_GRAINS);
        step_of(p, 2, 4, 1);
        const particle_snapshot middle = particle_snapshot_of(p);
        assert_int_equal(middle.bytes[8], 4);
        good(tact_particles_restore(context, middle.bytes, middle.size, tested, &again));
        KEEP(again);
        particle_snapshot_expect(again, &middle, "restored");
        size_t size = 0;
        char text[1024];
        assert_int_equal(tact_particles_get_program(again, text, 5, &size), TACT_INCOMPLETE);
        good(tact_particles_get_program(again, text, size, &size));
        assert_memory_equal(text, rich_text, strlen(rich_text));
        assert_int_equal(size, strlen(text) + 1);
        step_of(p, 2, 4, 1);
        step_of(again, 2, 4, 2);
        expect_same(p, again, "gone on");
    }
}

/// What particles that come and go leave behind of forces is nothing.
TEST(particles_come_and_go)
{
    tact_particles* both[2] = {rich_of(TACT_BACKEND_REFERENCE, TACT_RESPONSE_GRAINS),
                               rich_of(tested, TACT_RESPONSE_GRAINS)};
    const float x[6] = {4, 3, 2, -4, 3, -2};
    const uint32_t ids[4] = {1, 7, 20, 21};
    const tact_particle_arrays arrays = {.positions = x, .radius = 0.3f};
    for (int round = 0; round < 2; ++round) {
        tact_particles* p = both[round];
        set_rich(p, true);
        step_of(p, 4, 5, 1);
        good(tact_particles_remove(p, ids, 4));
        step_of(p, 4, 5, 1);
        good(tact_particles_add(p, &arrays, 2, NULL));
        step_of(p, 4, 5, 1);
    }
    expect_same(both[0], both[1], "come and gone");
}

// ---- One alone ----

static tact_particles* alone(tact_particle_response response, tact_vec3 gravity, const float x[3], const float v[3])
{
    const tact_particles_desc desc = {
        .response = response, .backend = tested, .gravity = gravity, .speed_limit = 1e6f, .max_radius = 0.5f};
    const tact_particle_arrays arrays = {.positions = x, .velocities = v, .radius = 0.5f, .density = 2};
    tact_particles* p = NULL;
    good(tact_particles_create(context, &desc, &p));
    KEEP(p);
    good(tact_particles_add(p, &arrays, 1, NULL));
    return p;
}

/// Whatever of it is not finite: a substep and a particle count once.
TEST(a_particle_counts_once_a_substep)
{
    const float x[3] = {0, 0, 0};
    tact_particles_info info;
    tact_particles* p = alone(TACT_RESPONSE_GRAINS, (tact_vec3){0, 0, 0}, x, x);
    good(tact_particles_set_program(p, "fx = 1/x; fz = sqrt(-1); tz = 1/x; fy = 1e30", NULL, 0));
    good(tact_particles_step(p, 0.1f, 70, 2, NULL, NULL));
    float v[3];
    const tact_particle_output out = {.velocities = v};
    good(tact_particles_read(p, &out));
    good(tact_particles_get_info(p, &info));
    assert_int_equal(info.unforced, 140);
    assert_true(v[0] == 0.0f && v[1] == 0.0f && v[2] == 0.0f);
}

TEST(what_is_not_finite_counts_as_nothing_and_is_counted)
{
    // Particles of one group divide by zero, of another take the root of -1, of the third go beyond what floats have.
    static const char text[] =
        "fx = group == 0 ? 1/(group*x) : group == 1 ? sqrt(-1) : 1e38*1e38; fy = 5; tz = 0/(2 - group)";
    for (int k = 0; k < RESPONSES; ++k) {
        const bool turns = responses[k] == TACT_RESPONSE_GRAINS;
        char used[sizeof text];
        memcpy(used, text, sizeof text);
        if (!turns) *strrchr(used, ';') = '\0';
        tact_particles* right = rich_of(TACT_BACKEND_REFERENCE, responses[k]);
        tact_particles* p = rich_of(tested, responses[k]);
        tact_particles* without = rich_of(tested, responses[k]);
        good(tact_particles_set_program(right, used, NULL, 0));
        good(tact_particles_set_program(p, used, NULL, 0));
        tact_particles_info info;
        step_of(right, 2, 1, 1);
        step_of(p, 2, 1, 2);
        step_of(without, 2, 1, 2);
        expect_same(right, p, "not finite");
        good(tact_particles_get_info(p, &info));
        // Some are gone by now.
        assert_true(info.unforced >= 2 * tact_particles_count(p) && info.unforced < 4 * tact_particles_count(p));
        step_of(right, 2, 4, 1);
        step_of(p, 2, 4, 1);
        step_of(without, 2, 4, 1);
        expect_same(right, p, "not finite for longer");
        float x[3 * 1024], v[3 * 1024], w[3 * 1024], y[3 * 1024];
        const tact_particle_output out = {.positions = x, .velocities = v}, other = {.positions = y, .velocities = w};
        const size_t count = tact_particles_count(p);
        assert_true(count <= 1024);
        good(tact_particles_read(p, &out));
        good(tact_particles_read(without, &other));
        assert_memory_equal(x, y, 3 * count * sizeof *x);
        assert_memory_equal(v, w, 3 * count * sizeof *v);
    }
}

// ---- Against formulas ----

static const double sphere_pi = 3.14159265358979323846;

/// Substeps a call, whatever the device's costs.
static void run_for(tact_particles* p, double seconds, uint32_t substeps)
{
    good(tact_particles_step(p, (float)seconds, substeps, 1, NULL, NULL));
}

TEST(a_sphere_in_syrup_comes_to_stokes_speed)
{
    const float x[3] = {0, 0, 0}, v[3] = {3, 0, 0};
    const tact_program_parameter mu = {"mu", 0.4f};
    tact_particles* p = alone(TACT_RESPONSE_SPRING, (tact_vec3){0, -9.81f, 0}, x, v);
    good(tact_particles_set_program(p, "k = 6*pi*mu*r; fx = -k*vx; fy = -k*vy; fz = -k*vz", &mu, 1));
    run_for(p, 10.0, 4000);
    float end[3];
    const tact_particle_output out = {.velocities = end};
    good(tact_particles_read(p, &out));
    const double mass = 2.0 * 4.0 / 3.0 * sphere_pi * 0.125, speed = mass * 9.81 / (6.0 * sphere_pi * 0.4 * 0.5);
    assert_true(fabs((double)end[1] + speed) < 1e-5 * speed);
    assert_true(fabsf(end[0]) < 1e-6f);
}

TEST(a_trap_has_the_period_of_a_pendulum)
{
    const float x[3] = {1, 0, -0.5f}, v[3] = {0, 0, 0};
    const tact_program_parameter k = {"k", 20.0f};
    tact_particles* p = alone(TACT_RESPONSE_GRAINS, (tact_vec3){0, 0, 0}, x, v);
    good(tact_particles_set_program(p, "fx = -k*x; fy = -k*y; fz = -k*z", &k, 1));
    const double mass = 2.0 * 4.0 / 3.0 * sphere_pi * 0.125, period = 2.0 * sphere_pi * sqrt(mass / 20.0);
    run_for(p, 3.0 * period, 6000);
    float end[3], speed[3];
    const tact_particle_output out = {.positions = end, .velocities = speed};
    good(tact_particles_read(p, &out));
    // A substep of it off in phase, at 2,000 a period.
    assert_true(fabsf(end[0] - 1.0f) < 1e-4f && fabsf(end[2] + 0.5f) < 1e-4f);
    assert_true(fabs((double)speed[0]) < 2.0 * sphere_pi / period * 5e-3);
}

TEST(attraction_keeps_a_circle)
{
    const float x[3] = {2, 0, 0}, v[3] = {0, 0, 1.5f};
    // v^2 = g / d.
    tact_particles* p = alone(TACT_RESPONSE_NONE, (tact_vec3){0, 0, 0}, x, v);
    const tact_program_parameter g = {"g", 4.5f};
    good(tact_particles_set_program(p, "d = sqrt(x*x + y*y + z*z); a = -g*m/(d*d*d); fx = a*x; fy = a*y; fz = a*z", &g,
                                    1));
    for (int k = 0; k < 20; ++k) {
        run_for(p, 0.7, 1000);
        float end[3];
        const tact_particle_output out = {.positions = end};
        good(tact_particles_read(p, &out));
        const double d = sqrt((double)end[0] * (double)end[0] + (double)end[2] * (double)end[2]);
        assert_true(fabs(d - 2.0) < 2e-3 && end[1] == 0.0f);
    }
}

TEST(torques_turn_grains_and_time_goes_on_in_substeps)
{
    const float x[3] = {0, 0, 0}, v[3] = {0, 0, 0};
    tact_particles* p = alone(TACT_RESPONSE_GRAINS, (tact_vec3){0, 0, 0}, x, v);
    good(tact_particles_set_program(p, "tx = 0.3; tz = -0.6*t; fy = t >= 0.5 ? 2 : 0", NULL, 0));
    for (int k = 0; k < 4; ++k)
        run_for(p, 0.25, 250);
    float spins[3], end[3];
    const tact_particle_output out = {.velocities = end};
    good(tact_particles_read(p, &out));
    good(tact_particles_read_turning(p, spins, NULL));
    const double mass = 2.0 * 4.0 / 3.0 * sphere_pi * 0.125, inertia = 0.4 * mass * 0.25;
    assert_true(fabs((double)spins[0] - 0.3 / inertia) < 1e-4 * 0.3 / inertia);
    // The sum of 0 to 0.999 s, a thousandth less than the integral.
    assert_true(fabs((double)spins[2] + 0.2997 / inertia) < 1e-3 * 0.3 / inertia);
    assert_true(fabs((double)end[1] - 2.0 * 0.5 / mass) < 2e-3 * 0.5 / mass);
    tact_particle_totals totals;
    good(tact_particles_measure(p, &totals));
    const double power = 0.3 * (double)spins[0] - 0.6 * (double)spins[2] + 2.0 * (double)end[1];
    assert_true(fabs(totals.external_power - power) < 1e-5 * fabs(power));
}

// ---- Texts ----

typedef struct bad_text {
    const char *text, *column, *what;
    tact_result result;
} bad_text;

TEST(a_wrong_text_is_refused_by_column)
{
    static const bad_text all[] = {
        {"", "column 1:", "expected fx, fy or fz", TACT_ERROR_INVALID_ARGUMENT},
        {"a = 1", "column 6:", "expected fx, fy or fz", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = ", "column 6:", "a number, a name or '(', not the end", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = *2", "column 6:", "a number, a name or '(', not '*'", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = (1 + 2", "column 12:", "expected ')', not the end", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = 1 2", "column 8:", "an operator, ';' or the end, not '2'", TACT_ERROR_INVALID_ARGUMENT},
        {"fx 1", "column 4:", "expected '=', not '1'", TACT_ERROR_INVALID_ARGUMENT},
        {"fx == 1", "column 4:", "expected '=', not '='", TACT_ERROR_INVALID_ARGUMENT},
        {"2 = fx", "column 1:", "a name to give a value", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = foo", "column 6:", "not \"foo\"", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = fy; fy = 1", "column 6:", "not \"fy\"", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = 1; fx = 2", "column 9:", "no value yet, not \"fx\"", TACT_ERROR_INVALID_ARGUMENT},
        {"x = 1; fx = x", "column 1:", "no value yet, not \"x\"", TACT_ERROR_INVALID_ARGUMENT},
        {"k = 1; fx = k", "column 1:", "no value yet, not \"k\"", TACT_ERROR_INVALID_ARGUMENT},
        {"sqrt = 1; fx = 1", "column 1:", "no value yet", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = sqrt", "column 10:", "'(' behind a function", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = min(1)", "column 11:", "',' and another value, not ')'", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = abs(1, 2)", "column 11:", "expected ')', not ','", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = 1 ? 2", "column 11:", "':' and another value", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = 1 < 2 < 3", "column 12:", "an operator, ';' or the end, not '<'", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = 1e39", "column 6:", "a smaller number", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = 1.2.3", "column 9:", "an operator behind a number", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = 3z", "column 7:", "an operator behind a number", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = .", "column 7:", "expected a digit", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = 1 \x80", "column 8:", "a byte of 128", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = 1 # 2", "column 8:", "not '#'", TACT_ERROR_INVALID_ARGUMENT},
        {"fx = a_name_of_more_than_thirty_one_letters", "column 6:", "31 letters", TACT_ERROR_LIMIT},
        {"fx = wx", "column 6:", "of grains", TACT_ERROR_INVALID_ARGUMENT},
        {"tx = 1", "column 1:", "of grains", TACT_ERROR_INVALID_ARGUMENT},
    };
    const float x[3] = {0, 0, 0};
    tact_particles* p = alone(TACT_RESPONSE_SPRING, (tact_vec3){0, 0, 0}, x, x);
    const tact_program_parameter k = {"k", 1};
    good(tact_particles_set_program(p, "fx = k;", &k, 1));
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        const tact_result result = tact_particles_set_program(p, all[i].text, &k, 1);
        const char* error = tact_context_error(context);
        if (result != all[i].result || !strstr(error, all[i].column) || !strstr(error, all[i].what))
            fail_msg("\"%s\": %d, %s", all[i].text, (int)result, error);
        char text[16];
        size_t size = 0;
        good(tact_particles_get_program(p, text, sizeof text, &size));
        assert_string_equal(text, "fx = k;");
    }
}

/// A text of `count` times `part` between a beginning and an end.
static const char* repeated(const char* begin, const char* part, size_t count, const char* end)
{
    char* text = scratch(strlen(begin) + count * strlen(part) + strlen(end) + 1);
    strcpy(text, begin);
    for (size_t i = 0; i < count; ++i)
        strcat(text, part);
    return strcat(text, end);
}

TEST(texts_have_limits)
{
    const float x[3] = {1, 0, 0};
    tact_particles* p = alone(TACT_RESPONSE_SPRING, (tact_vec3){0, 0, 0}, x, x);
    good(tact_particles_set_program(p, repeated("fx = ", "(", 64, repeated("1", ")", 64, "")), NULL, 0));
    assert_int_equal(tact_particles_set_program(p, repeated("fx = ", "(", 65, "1"), NULL, 0), TACT_ERROR_LIMIT);
    assert_int_equal(tact_particles_set_program(p, repeated("fx = ", "sqrt(", 65, "1"), NULL, 0), TACT_ERROR_LIMIT);
    assert_int_equal(tact_particles_set_program(p, repeated("fx = ", "x?", 65, "1"), NULL, 0), TACT_ERROR_LIMIT);
    assert_int_equal(tact_particles_set_program(p, repeated("fx = ", "-", 65, "1"), NULL, 0), TACT_ERROR_LIMIT);
    good(tact_particles_set_program(p, repeated("fx = ", "-", 63, "1"), NULL, 0));
    good(tact_particles_set_program(p, repeated("fx = x", "*x", 1023, ""), NULL, 0));
    assert_int_equal(tact_particles_set_program(p, repeated("fx = x", "*x", 1024, ""), NULL, 0), TACT_ERROR_LIMIT);
    good(tact_particles_set_program(p, repeated("fx = 1;", " ", TACT_PROGRAM_TEXT - 7, ""), NULL, 0));
    assert_int_equal(tact_particles_set_program(p, repeated("fx = 1;", " ", TACT_PROGRAM_TEXT - 6, ""), NULL, 0),
                     TACT_ERROR_LIMIT);
    char many[1024] = "";
    for (int i = 0; i < 64; ++i)
        snprintf(many + strlen(many), sizeof many - strlen(many), "a%d = 1;", i);
    strcat(many, "fx = 1");
    assert_int_equal(tact_particles_set_program(p, many, NULL, 0), TACT_ERROR_LIMIT);
    tact_program_parameter parameters[TACT_PROGRAM_PARAMETERS + 1] = {{"a", 1}, {"b", NAN}};
    assert_int_equal(tact_particles_set_program(p, "fx = 1", parameters, TACT_PROGRAM_PARAMETERS + 1),
                     TACT_ERROR_LIMIT);
    assert_int_equal(tact_particles_set_program(p, "fx = 1", parameters, 2), TACT_ERROR_INVALID_ARGUMENT);
    static const char* const names[] = {"",   "3a",  "a b", "vx", "fx",
                                        "pi", "min", "a",   NULL, "a_name_of_more_than_thirty_one_letters"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        parameters[1] = (tact_program_parameter){names[i], 1};
        assert_int_equal(tact_particles_set_program(p, "fx = 1", parameters, 2), TACT_ERROR_INVALID_ARGUMENT);
    }
    parameters[1] = (tact_program_parameter){"b", 1};
    good(tact_particles_set_program(p, "fx = a", parameters, 2));
    assert_int_equal(tact_particles_set_program_parameter(p, "c", 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_set_program_parameter(p, "b", INFINITY), TACT_ERROR_INVALID_ARGUMENT);
    good(tact_particles_set_program_parameter(p, "b", 4));
    good(tact_particles_set_program(p, NULL, NULL, 0));
    assert_int_equal(tact_particles_set_program_parameter(p, "b", 4), TACT_ERROR_INVALID_ARGUMENT);
}

/// The force that a text gives a particle at (0.75, 0, 0).
static float value_of(const char* text)
{
    char assignment[256];
    const float x[3] = {0.75f, 0, 0};
    tact_particles* p = alone(TACT_RESPONSE_NONE, (tact_vec3){0, 0, 0}, x, x);
    const float still[3] = {0, 0, 0};
    good(tact_particles_write(p, NULL, 1, NULL, still));
    snprintf(assignment, sizeof assignment, "fx = %s", text);
    good(tact_particles_set_program(p, assignment, NULL, 0));
    tact_particle_model with;
    good(tact_programs_look(p, &with));
    return with.forces[0][0];
}

TEST(numbers_and_operators_mean_what_they_do_in_c)
{
    const float x = 0.75f;
    assert_true(value_of("2 + 3*4 - 6/4/2") == 2 + 3 * 4 - 6.0f / 4 / 2);
    assert_true(value_of("(2 + 3)*-x") == (2 + 3) * -x);
    assert_true(value_of("0.1") == 0.1f && value_of("1e-30") == 1e-30f && value_of("3.25e+7") == 3.25e7f);
    assert_true(value_of("16777217") == 16777216.0f && value_of("123456789012345678901234567890") == 1.2345679e29f);
    assert_true(value_of("0.000000000000000000000000000000000000000000001") == 0.0f);
    assert_true(value_of("340282346638528859811704183484516925440") == 3.40282347e38f);
    assert_true(value_of("x < 1 ? x > 2 ? 3 : 4 : 5") == 4 && value_of("x > 1 ? 1 : x > 0.5 ? 2 : 3") == 2);
    assert_true(value_of("1 < 2 && 2 <= 2") == 1 && value_of("1 > 2 || 0.5") == 1 && value_of("0 || !3") == 0);
    assert_true(value_of("0 && 1 || 1") == 1 && value_of("2 == 2") == 1 && value_of("2 != 2") == 0);
    assert_true(value_of("!0 + !!7") == 2 && value_of("5 && 6") == 1 && value_of("x >= 0.75") == 1);
    assert_true(value_of("floor(-x)") == -1 && value_of("min(x, 1)") == x && value_of("max(x, 1)") == 1);
    assert_true(value_of("step(0.5, x) + 10*step(1, x)") == 1 && value_of("abs(-x)") == x);
    assert_true(value_of("sqrt(x)") == sqrtf(x) && value_of("pi") == 3.14159265f);
    assert_true(value_of("1e-20*1e-20") == 0.0f && value_of("1/(-0*1)*0 == 0 ? 1 : 2") == 2);
    assert_true(value_of("r + m") == 0.5f + 1.0f / (1.0f / 1.04719755f));
}

// ---- Functions ----

typedef struct caller {
    uint64_t calls;
    tact_particles* system;
    int behaviour;  ///< 0: as spring_to()
    double last;
} caller;

/// A spring to the origin, drag, and of grains a torque against their spin.
static bool spring_to(const tact_force_call* call, void* user)
{
    caller* c = user;
    ++c->calls;
    c->last = call->time;
    for (size_t i = 0; i < call->count; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            const size_t at = 3 * i + k;
            assert_true(call->forces[at] == 0.0f && (!call->torques || call->torques[at] == 0.0f));
            const float pull = -8.0f * call->positions[at];
            call->forces[at] = pull - 3.0f * call->velocities[at];
            if (call->torques) call->torques[at] = -0.05f * call->spins[at];
        }
        assert_true(call->radii[i] > 0.0f && call->masses[i] > 0.0f && (i == 0 || call->ids[i] > call->ids[i - 1]));
    }
    if (c->behaviour == 1 && c->calls == 5) return false;
    if (c->behaviour == 2 && c->calls == 5) call->forces[4] = NAN;
    if (c->behaviour == 3 && c->calls == 5 && call->torques) call->torques[4] = INFINITY;
    return true;
}

TEST(a_function_gives_the_state_that_brute_force_has)
{
    for (int k = 0; k < RESPONSES; ++k) {
        const bool turns = responses[k] == TACT_RESPONSE_GRAINS;
        tact_particles* right = rich_of(TACT_BACKEND_REFERENCE, responses[k]);
        tact_particles* p = rich_of(tested, responses[k]);
        tact_particles* same = rich_of(tested, responses[k]);
        caller calls[2] = {{0}};
        good(tact_particles_set_force_function(right, spring_to, &calls[0]));
        good(tact_particles_set_force_function(p, spring_to, &calls[1]));
        // Both at once.
        set_rich(right, turns);
        set_rich(p, turns);
        step_of(right, 3, 4, 1);
        step_of(p, 3, 4, 2);
        expect_same(right, p, "with a function");
        assert_int_equal(calls[0].calls, 12);
        assert_int_equal(calls[1].calls, 12);
        assert_true(calls[0].last == calls[1].last && fabs(calls[0].last - 11.0 / 3.0 * (double)rich_dt) < 1e-9);
        good(tact_particles_set_program(p, NULL, NULL, 0));
        good(tact_particles_set_force_function(p, NULL, NULL));
        good(tact_particles_set_program(right, NULL, NULL, 0));
        good(tact_particles_set_force_function(right, NULL, NULL));
        step_of(right, 3, 2, 1);
        step_of(p, 3, 2, 2);
        expect_same(right, p, "without it");
        // A text that says the same, in the same order of operations.
        tact_particles* function = rich_of(tested, responses[k]);
        good(tact_particles_set_forces(function, NULL, 0));
        good(tact_particles_set_forces(same, NULL, 0));
        good(tact_particles_set_force_function(function, spring_to, &calls[1]));
        good(tact_particles_set_program(same,
                                        turns ? "fx = -8*x - 3*vx; fy = -8*y - 3*vy; fz = -8*z - 3*vz;"
                                                "tx = -0.05*wx; ty = -0.05*wy; tz = -0.05*wz"
                                              : "fx = -8*x - 3*vx; fy = -8*y - 3*vy; fz = -8*z - 3*vz",
                                        NULL, 0));
        step_of(function, 2, 6, 2);
        step_of(same, 2, 6, 2);
        good(tact_particles_set_program(same, NULL, NULL, 0));
        expect_same(function, same, "a text as the function");
    }
}

TEST(a_function_may_end_a_step_which_is_then_not_taken)
{
    for (int k = 0; k < RESPONSES; ++k) {
        for (int behaviour = 1; behaviour < (responses[k] == TACT_RESPONSE_GRAINS ? 4 : 3); ++behaviour) {
            tact_particles *p = rich_of(tested, responses[k]), *right = rich_of(tested, responses[k]);
            caller bad = {.behaviour = behaviour}, well = {0};
            const tact_query_options options = {.no_fallback = behaviour == 1};
            good(tact_particles_set_force_function(p, spring_to, &bad));
            good(tact_particles_set_force_function(right, spring_to, &well));
            // The fifth substep is in the second of three steps.
            const tact_result result = tact_particles_step(p, rich_dt, 3, 3, &options, NULL);
            assert_int_equal(result, behaviour == 1 ? TACT_ERROR_CANCELLED : TACT_ERROR_INVALID_ARGUMENT);
            assert_non_null(strstr(tact_context_error(context), behaviour == 1   ? "force function ended step 2"
                                                                : behaviour == 2 ? "force function gave particle 1"
                                                                                 : "a torque of"));
            step_of(right, 3, 1, 1);
            expect_same(right, p, "after the first step");
            bad.behaviour = 0;
            step_of(p, 3, 2, 1);
            step_of(right, 3, 2, 1);
            expect_same(right, p, "gone on");
        }
    }
}

/// Calls what it may not.
static bool meddle(const tact_force_call* call, void* user)
{
    caller* c = user;
    float x[3 * 256];
    const tact_particle_output out = {.positions = x};
    (void)call;
    ++c->calls;
    assert_int_equal(tact_particles_read(c->system, &out), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_last_error(), "called by a force function"));
    assert_int_equal(tact_particles_step(c->system, rich_dt, 1, 1, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_set_force_function(c->system, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    tact_particles_clear(c->system);
    tact_particles_destroy(c->system);
    tact_context_destroy(context);
    return true;
}

TEST(a_function_may_call_nothing)
{
    tact_particles *p = rich_of(tested, TACT_RESPONSE_SPRING), *right = rich_of(tested, TACT_RESPONSE_SPRING);
    caller c = {.system = p};
    good(tact_particles_set_force_function(p, meddle, &c));
    step_of(p, 2, 2, 1);
    step_of(right, 2, 2, 1);
    assert_int_equal(c.calls, 4);
    good(tact_particles_set_force_function(p, NULL, NULL));
    expect_same(right, p, "meddled with");
}

TEST(shadow_runs_agree)
{
    for (int k = 0; k < RESPONSES; ++k) {
        tact_particles* p = rich_of(tested, responses[k]);
        caller c = {0};
        const tact_query_options options = {.shadow = true};
        set_rich(p, responses[k] == TACT_RESPONSE_GRAINS);
        good(tact_particles_set_force_function(p, spring_to, &c));
        good(tact_particles_step(p, rich_dt, 2, 3, &options, NULL));
        assert_int_equal(c.calls, 12);
    }
}

#include TEST_LIST
#include "tests/support/one_backend.h"

int main(int argc, char** argv)
{
    return run_one_backend(argc, argv, &tested);
}
