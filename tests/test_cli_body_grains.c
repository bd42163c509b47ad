// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// `tact contacts --dt` as scripts see it: bodies that move as grains.

#define _POSIX_C_SOURCE 200809L

#include "tests/support/run.h"

#include <math.h>
#include <unistd.h>

#include "apps/inputs/body_input.h"
#include "apps/system.h"
#include "tests/support/tool.h"

const char tool_prefix[] = "clibodygrains";

static void write_text(const char* text)
{
    FILE* f = fopen("clibodygrains.json", "wb");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

#define RUN "contacts --bodies clibodygrains.json --json --quiet --backend cpu "

static void expect_near(double value, double expected, double part)
{
    if (!(fabs(value - expected) <= part * fabs(expected))) fail_msg("%.17g, not %.17g", value, expected);
}

static double energy_of(const cJSON* json)
{
    return json_number(json, "kinetic_energy") + json_number(json, "rotational_energy") +
           json_number(json, "elastic_energy") + json_number(json, "potential_energy") +
           json_number(json, "dissipated_energy") - json_number(json, "work");
}

/// A ball that is thrown and spins, beside one at rest and one that nothing pushes.
TEST(bodies_of_a_file_have_density_velocity_and_spin)
{
    write_text(
        "{\"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.5}],\n"
        " \"bodies\": [{\"shape\": 0, \"density\": 500, \"velocity\": [3, 0, 0], \"spin\": [0, 2, 0]},\n"
        "            {\"shape\": 0, \"position\": [0, 0, 9]},\n"
        "            {\"shape\": 0, \"position\": [0, 0, -9], \"density\": 0, \"spin\": [0, 1, 0]}]}");
    const double ball = 4.0 / 3.0 * 3.14159265358979 * 0.125, mass = 500.0 * ball, inertia = 0.4 * mass * 0.25;
    const cJSON* json = tool_json_ends(RUN "--steps 2 --dt 0.25 --gravity 0,0,0");
    assert_true(json_number(json, "bodies") == 3.0 && json_number(json, "moved") == 2.0);
    expect_near(json_number(json, "kinetic_energy"), 0.5 * mass * 9.0, 1e-6);
    expect_near(json_number(json, "rotational_energy"), 0.5 * inertia * 4.0, 1e-6);
    assert_true(json_number(json, "substeps") >= 2.0);
    expect_near(json_number(json, "time"), 0.5, 1e-6);
    assert_true(json_number(json, "potential_energy") == 0.0 && json_number(json, "work") == 0.0);
    // The default falls, and is as heavy as water.
    json = tool_json_ends(RUN "--steps 4 --dt 0.125 --substeps 10");
    const double speed = 0.5 * 9.81;
    assert_true(json_number(json, "substeps") == 40.0);
    expect_near(json_number(json, "kinetic_energy"),
                0.5 * mass * (9.0 + speed * speed) + 0.5 * 1000.0 * ball * speed * speed, 1e-5);
}

/// A plate that goes up, and would carry the ball on it farther than a throw.
TEST(what_has_no_density_pushes_others)
{
    write_text(
        "{\"shapes\": [{\"kind\": \"box\", \"half\": [2, 0.25, 2]}, {\"kind\": \"sphere\", \"radius\": 0.5}],\n"
        " \"bodies\": [{\"shape\": 0, \"density\": 0, \"velocity\": [0, 1, 0]},\n"
        "            {\"shape\": 1, \"position\": [0, 0.75, 0], \"density\": 100}]}");
    const cJSON* json = tool_json_ends(RUN "--steps 20 --dt 0.1 --restitution 0.2 --stiffness 1e6");
    const double mass = 100.0 * 4.0 / 3.0 * 3.14159265358979 * 0.125;
    assert_true(json_number(json, "moved") == 1.0 && json_number(json, "contacts") == 1.0);
    expect_near(json_number(json, "kinetic_energy"), 0.5 * mass, 0.01);
    expect_near(json_number(json, "potential_energy"), mass * 9.81 * 2.75, 0.01);
    expect_near(energy_of(json), mass * 9.81 * 0.75, 0.01);
}

#define SMALL "contacts --scene pile --count 40 --json --quiet --stiffness 2e4 "

TEST(a_pile_comes_to_rest)
{
    const cJSON* start = tool_json_ends(SMALL "--steps 1 --dt 1e-4 --backend cpu");
    const cJSON* end = tool_json_ends(SMALL "--steps 50 --dt 0.05 --backend cpu");
    const double fallen = json_number(start, "potential_energy") - json_number(end, "potential_energy");
    assert_true(json_number(start, "contacts") == 0.0 && json_number(start, "moved") == 35.0);
    assert_true(fallen > 0.5 * json_number(start, "potential_energy"));
    assert_true(json_number(end, "kinetic_energy") < 0.01 * fallen);
    assert_true(json_number(end, "pairs") >= 35.0);
    const cJSON *step, *steps = cJSON_GetObjectItem(end, "steps");
    double pairs = 0.0;
    assert_int_equal(cJSON_GetArraySize(steps), 50);
    cJSON_ArrayForEach(step, steps) pairs = json_number(step, "pairs");
    assert_true(pairs == json_number(end, "pairs"));
}

/// But for points of contacts that come and go at a depth, and what the integrator is off by.
TEST(energy_goes_somewhere)
{
    const double before = energy_of(tool_json_ends(SMALL "--steps 1 --dt 1e-4 --backend cpu"));
    const cJSON* end = tool_json_ends(SMALL "--steps 20 --dt 0.05 --backend cpu");
    assert_true(json_number(end, "dissipated_energy") > 0.3 * before);
    expect_near(energy_of(end), before, 0.03);
}

TEST(a_drum_keeps_and_lifts_its_bodies)
{
    const char* run = "contacts --scene drum --count 30 --json --quiet --stiffness 2e4 --dt 0.05 --backend cpu --steps";
    char arguments[200];
    snprintf(arguments, sizeof arguments, "%s 40", run);
    const cJSON* json = tool_json_ends(arguments);
    assert_true(json_number(json, "moved") == 27.0 && json_number(json, "slowed") == 0.0);
    assert_true(json_number(json, "work") > 0.0 && json_number(json, "deepest") < 0.02);
    assert_true(json_number(json, "dissipated_energy") > 0.0);
    assert_true(json_number(json, "pairs") >= 27.0);
}

/// Whatever finds the contacts, and with however many threads.
static void expect_one_state(const char* arguments)
{
    static const char* const who[] = {"reference", "cpu --threads 1", "cpu --threads 2", "gl", "cl"};
    char first[17] = "", digest[17] = "", all[400];
    for (size_t i = 0; i < sizeof who / sizeof *who; ++i) {
        snprintf(all, sizeof all, "%s --json --quiet --backend %s", arguments, who[i]);
        const cJSON* json = tool_json_of(all);
        assert_true(json || i >= 3);
        if (!json) continue;
        if (i == 0) memcpy(first, json_text(json, "state_digest"), 17);
        if (i == 0) memcpy(digest, json_text(json, "digest"), 17);
        if (strcmp(first, json_text(json, "state_digest")) != 0) fail_msg("%s: another state", all);
        if (strcmp(digest, json_text(json, "digest")) != 0) fail_msg("%s: other contacts", all);
    }
}

TEST(every_device_leads_to_the_same_state)
{
    expect_one_state("contacts --scene pile --count 40 --steps 4 --dt 0.05 --substeps 50 --stiffness 1e4");
    expect_one_state("contacts --scene drum --count 40 --steps 4 --dt 0.05 --substeps 50 --stiffness 1e4");
    expect_one_state("contacts --scene mixed --count 40 --steps 2 --dt 0.005 --substeps 20 --law hertz --shadow");
    expect_one_state("contacts --scene terrain --count 30 --steps 2 --dt 0.005 --substeps 20 --seed 3");
}

TEST(every_option_counts)
{
    static const char* const options[] = {"",
                                          "--substeps 200",
                                          "--law hertz --stiffness 1e5",
                                          "--stiffness 3e4",
                                          "--shear 1e4",
                                          "--friction 0",
                                          "--restitution 0.9",
                                          "--rolling 0.3",
                                          "--cohesion 5",
                                          "--gravity 1,-9,0",
                                          "--seed 2"};
    enum { OPTIONS = sizeof options / sizeof *options };
    char states[OPTIONS][17], arguments[300];
    for (size_t i = 0; i < OPTIONS; ++i) {
        const bool stiff = strstr(options[i], "--stiffness") != NULL;
        snprintf(arguments, sizeof arguments,
                 "contacts --scene pile --count 25 --steps 20 --dt 0.05 --json --quiet --backend cpu %s %s",
                 stiff ? "" : "--stiffness 2e4", options[i]);
        const cJSON* json = tool_json_ends(arguments);
        memcpy(states[i], json_text(json, "state_digest"), 17);
        for (size_t k = 0; k < i; ++k)
            if (strcmp(states[k], states[i]) == 0) fail_msg("%s: as with %s", options[i], options[k]);
    }
}

/// Bytes of a picture; fails where it is none.
static size_t picture(const char* path)
{
    void* bytes = NULL;
    size_t size = 0;
    tact_problem problem = {0};
    if (!tact_file_read(path, &bytes, &size, &problem)) fail_msg("%s", problem.text);
    assert_memory_equal(bytes, "\x89PNG\r\n", 6);
    free(bytes);
    remove(path);
    return size;
}

TEST(pictures_of_every_other_step_and_the_end)
{
    const char* run = "contacts --scene pile --count 25 --steps 5 --dt 0.05 --stiffness 1e4 --size 160x90 --quiet";
    char all[400];
    snprintf(all, sizeof all, "%s --json --frames clibodygrains_frames --every 2 --image clibodygrains.png", run);
    assert_true(json_number(tool_json_ends(all), "pictures") == 4.0);
    for (int i = 0; i < 3; ++i) {
        snprintf(all, sizeof all, "clibodygrains_frames/frame_%05d.png", i);
        assert_true(picture(all) > 500);
    }
    assert_int_equal(rmdir("clibodygrains_frames"), 0);
    size_t sizes[4] = {picture("clibodygrains.png")};
    static const char* const others[] = {"--color id", "--color speed", "--camera 80,60"};
    for (int i = 0; i < 3; ++i) {
        snprintf(all, sizeof all, "%s --image clibodygrains.png %s", run, others[i]);
        tool_ends(all, 0);
        sizes[i + 1] = picture("clibodygrains.png");
        for (int k = 0; k <= i; ++k)
            assert_true(sizes[k] != sizes[i + 1]);
    }
    // Surfaces, what is flat, and nothing at all.
    write_text(
        "{\"shapes\": [{\"kind\": \"height-field\", \"heights\": [[0, 0, 1], [0, 1, 0]], \"spacing\": [1, 1]},\n"
        "            {\"kind\": \"hull\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}],\n"
        " \"bodies\": [{\"shape\": 0}, {\"shape\": 1, \"density\": 0}]}");
    tool_ends(RUN "--steps 1 --dt 0.1 --size 160x90 --image clibodygrains.png", 0);
    const size_t surface = picture("clibodygrains.png");
    write_text("{\"shapes\": [], \"bodies\": []}");
    tool_ends(RUN "--steps 1 --dt 0.1 --size 160x90 --image clibodygrains.png", 0);
    assert_true(surface > picture("clibodygrains.png"));
}

TEST(options_that_do_not_go_together)
{
    static const char* const options[] = {"gravity 0,0,0", "stiffness 1", "shear 1",   "restitution 1", "friction 1",
                                          "rolling 1",     "cohesion 1",  "law hertz", "substeps 2",    "frames x",
                                          "size 9x9",      "camera 1,1",  "color id",  "every 2"};
    char arguments[200], says[100];
    for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
        snprintf(arguments, sizeof arguments, "contacts --scene pile --steps 1 --%s", options[i]);
        snprintf(says, sizeof says, "--%.*s: needs --dt S", (int)strcspn(options[i], " "), options[i]);
        tool_refuses(arguments, says);
    }
    tool_refuses("contacts --scene pile --dt 0.1", "--dt 0.1: needs --steps K");
    tool_refuses("contacts --scene pile --dt 0.1 --cast 4", "--cast 4: not with --dt");
    tool_refuses("contacts --scene pile --dt 0.1 --steps 2 --repeat 2", "--repeat 2: not with --steps");
    tool_refuses("contacts --scene pile --dt 0.1 --steps 2 --every 2", "--every 2: needs --frames DIR");
    tool_refuses("contacts --scene pile --dt 0 --steps 2", "--dt 0: must be above 0");
    tool_refuses("contacts --scene pile --dt nan --steps 2", "--dt nan: must be 1 finite number");
    tool_refuses("contacts --scene pile --dt 1 --steps 2 --stiffness 0", "--stiffness 0: must be above 0");
    tool_refuses("contacts --scene pile --dt 1 --steps 2 --restitution 2", "--restitution 2: must be at least 0.01");
    tool_refuses("contacts --scene pile --dt 1 --steps 2 --gravity 1,2", "--gravity 1,2: must be 3 finite numbers");
    tool_refuses("contacts --scene pile --dt 1 --steps 2 --law soft", "--law soft");
    tool_refuses("contacts --scene pile --count 20 --dt 1e4 --steps 2", "moving the bodies: more than 65536 substeps");
}

TEST(files_that_lie)
{
    static const char* const files[][2] = {
        {"{\"shape\": 0, \"density\": 5}", "\"density\" is above 0, of a shape without an inside"},
        {"{\"shape\": 1, \"density\": -5}", "\"density\" is negative"},
        {"{\"shape\": 1, \"density\": \"5\"}", "\"density\" is no number that a float holds"},
        {"{\"shape\": 1, \"spin\": [1, 2]}", "\"spin\" is no list of 3 numbers"},
    };
    char text[400];
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        snprintf(text, sizeof text,
                 "{\"shapes\": [{\"kind\": \"half-space\"}, {\"kind\": \"sphere\", \"radius\": 1}], \"bodies\": [%s]}",
                 files[i][0]);
        write_text(text);
        tool_refuses("contacts --bodies clibodygrains.json", files[i][1]);
    }
    // What is flat has no mass: unless nothing is to push it.
    write_text(
        "{\"shapes\": [{\"kind\": \"hull\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}],\n"
        " \"bodies\": [{\"shape\": 0}]}");
    tool_refuses("contacts --bodies clibodygrains.json --steps 1 --dt 0.1", "clibodygrains.json: ");
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
