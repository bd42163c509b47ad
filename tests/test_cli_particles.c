// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// `tact particles` as scripts see it.

#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/run.h"

#include "apps/inputs/npy.h"
#include "apps/system.h"
#include "apps/timing.h"
#include "tests/support/temporary.h"
#include "tests/support/tool.h"

const char tool_prefix[] = "clip";

static tool_outcome particles(const char* arguments)
{
    char all[2100];
    snprintf(all, sizeof all, "particles %s", arguments);
    return tool_run(all);
}

/// The exit code.
static int run(const char* arguments)
{
    tool_outcome o = particles(arguments);
    return o.code;
}

/// The JSON of a run that must succeed.
static cJSON* json_of(const char* arguments)
{
    char all[2048];
    snprintf(all, sizeof all, "%s --json --quiet", arguments);
    tool_outcome o = particles(all);
    tool_expect(all, &o, 0);
    cJSON* json = tool_json(all, &o);
    return json;
}

static void digest_of(const char* arguments, char digest[17])
{
    cJSON* json = json_of(arguments);
    snprintf(digest, 17, "%s", json_text(json, "digest"));
}

static int make_files(void** state)
{
    tact_problem problem = {0};
    // Two that meet, and one that touches the first.
    const float rows[21] = {0, 0, 0, 0.5f, 1, 0, 0, 3, 0, 0, 0.5f, -1, 0, 0, 0, 1, 0, 0.5f, 0, 0, 0};
    const float still[8] = {0, 0, 0, 0.5f, 0.75f, 0, 0, 0.5f};
    const float bad[7] = {0, 0, NAN, 0.5f, 1, 0, 0}, flat[7] = {0, 0, 0, 0, 1, 0, 0};
    write_file("clip_cube.obj", tool_cube, strlen(tool_cube));
    write_file("clip_text.run", "TACTRUN1 and no more", 20);
    const bool good = tact_npy_write("clip_rows.npy", TACT_NPY_FLOAT32, 3, 7, rows, &problem) &&
                      tact_npy_write("clip_still.npy", TACT_NPY_FLOAT32, 2, 4, still, &problem) &&
                      tact_npy_write("clip_none.npy", TACT_NPY_FLOAT32, 0, 7, rows, &problem) &&
                      tact_npy_write("clip_six.npy", TACT_NPY_FLOAT32, 3, 6, rows, &problem) &&
                      tact_npy_write("clip_bad.npy", TACT_NPY_FLOAT32, 1, 7, bad, &problem) &&
                      tact_npy_write("clip_flat.npy", TACT_NPY_FLOAT32, 1, 7, flat, &problem);
    return good ? 0 : 1;
}

TEST(wrong_use_ends_with_2_and_one_line)
{
    static const struct {
        const char *arguments, *says;
    } cases[] = {
        {"", "one of --random N, --scene NAME, --load FILE and --resume FILE"},
        {"--random 5", "--steps K is needed"},
        {"--random 5 --load clip_rows.npy --steps 1", "one of them, not 2"},
        {"--random 0 --steps 1", "--random 0"},
        {"--random 5 --steps 1 --dt 0", "--dt 0: must be above 0"},
        {"--random 5 --steps 1 --dt nan", "--dt nan"},
        {"--random 5 --steps 1 --dt 1e", "--dt 1e"},
        {"--random 5 --steps 1 --response bounce", "spring, position, none"},
        {"--random 5 --steps 1 --radius -1", "--radius -1"},
        {"--random 5 --steps 1 --radii 1:17", "at most 16 times"},
        {"--random 5 --steps 1 --radii 2:1", "--radii 2:1"},
        {"--random 5 --steps 1 --radii 1", "LEAST:MOST"},
        {"--random 5 --steps 1 --radius 1 --radii 1:2", "not both"},
        {"--load clip_rows.npy --steps 1 --radius 1", "the file has radii"},
        {"--random 5 --steps 1 --domain sphere", "open, box or periodic"},
        {"--random 5 --steps 1 --domain box:1,2", "must be 3 finite numbers"},
        {"--random 5 --steps 1 --domain box:1,-2,3", "the box is empty"},
        {"--random 500 --steps 1 --domain box:4,4,4", "do not fit"},
        {"--load clip_rows.npy --steps 1 --domain box", "needs sizes"},
        {"--load clip_rows.npy --steps 1 --domain box:1,1,1", "position outside the domain"},
        {"--load clip_rows.npy --steps 1 --domain periodic:2,2,2", "clip_rows.npy: "},
        {"--random 5 --steps 1 --gravity 9.81", "must be 3 finite numbers"},
        {"--random 5 --steps 1 --plane 0,1,0", "must be 4 finite numbers"},
        {"--load clip_rows.npy --steps 1 --plane 0,0,0,0", "collider"},
        {"--random 5 --steps 1 --restitution 2", "--restitution 2"},
        {"--random 5 --steps 1 --stiffness 0", "--stiffness 0"},
        {"--random 5 --steps 1 --law elastic", "--law elastic"},
        {"--random 5 --steps 1 --rolling -1", "--rolling -1"},
        {"--random 5 --steps 1 --cohesion x", "--cohesion x"},
        {"--random 5 --steps 1 --force 'fx = ('", "--force: column 7: expected a number"},
        {"--random 5 --steps 1 --force 'fx = k'", "column 6"},
        {"--random 5 --steps 1 --force 'fx = k' --set k", "--set k: must be NAME=VALUE"},
        {"--random 5 --steps 1 --force 'fx = k' --set k=x", "--set x: must be 1 finite number"},
        {"--random 5 --steps 1 --set k=1", "needs --force"},
        {"--resume clip_text.run --steps 1 --force 'fx = 1'", "a resumed run has its own"},
        {"--random 5 --steps 1 --response position --history", "for --response grains"},
        {"--random 5 --steps 1 --clump rod:1", "from 2 to 64 spheres"},
        {"--random 5 --steps 1 --clump clip_cube.obj:2000", "from 1 to 1024 spheres"},
        {"--random 5 --steps 1 --clump 'no such.obj'", "no such.obj: cannot be read"},
        {"--random 5 --steps 1 --clump pair --radii 0.2:0.5", "with one --radius"},
        {"--random 5 --steps 1 --clump pair --response none", "for --response grains"},
        {"--resume clip_text.run --steps 1 --law hertz", "a resumed run has its own"},
        {"--random 5 --steps 1 --size 10", "WIDTHxHEIGHT"},
        {"--random 5 --steps 1 --camera 400,0", "--camera 400,0"},
        {"--random 5 --steps 1 --save-every 2", "needs --save"},
        {"--random 5 --steps 1 --expect 12", "16 hexadecimal digits"},
        {"--random 5 --steps 1 --mesh 'no such.obj'", "no such.obj: cannot be read"},
        {"--load 'no such.npy' --steps 1", "no such.npy: cannot be read"},
        {"--load clip_cube.obj --steps 1", "clip_cube.obj: byte 0"},
        {"--load clip_six.npy --steps 1", "clip_six.npy: byte 8"},
        {"--load clip_bad.npy --steps 1", "clip_bad.npy: row 0, column 2"},
        {"--load clip_flat.npy --steps 1", "clip_flat.npy: row 0, column 3"},
        {"--resume 'no such.run' --steps 1", "no such.run: cannot be read"},
        {"--resume clip_cube.obj --steps 1", "clip_cube.obj: byte 0: not a saved run"},
        {"--resume clip_text.run --steps 1", "clip_text.run: byte 20"},
        {"--resume clip_text.run --steps 1 --dt 1", "a resumed run has its own"},
        {"--random 5 --steps 1 --repeat 2 --image x.png", "--repeat 2: not with"},
        {"--random 5 --steps 1 --backend cpu --out 'no such/x.npy'", "no such/x.npy: cannot be"},
        {"--random 5 --steps 1 --backend cpu --dt 1e6 --substeps 1", "longer than a contact"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        tool_outcome o = particles(cases[i].arguments);
        if (o.code != 2 || !strstr(o.err, cases[i].says) || strchr(o.err, '\n') != o.err + strlen(o.err) - 1) {
            fail_msg("tact particles %s: exit %d, says: %s", cases[i].arguments, o.code, o.err);
        }
    }
}

TEST(json_has_the_keys_that_are_promised)
{
    cJSON* json = json_of("--load clip_rows.npy --steps 0 --backend cpu --out clip_out.npy");
    assert_string_equal(json_text(json, "command"), "particles");
    assert_true(json_number(json, "particles") == 3.0 && json_number(json, "count") == 3.0);
    assert_true(json_number(json, "steps") == 0.0);
    assert_true(json_number(json, "contacts") == 1.0 && json_number(json, "results") == 1.0);
    // Two of half a metre at 1 m/s.
    assert_true(fabs(json_number(json, "kinetic_energy") - 523.5988) < 1e-3);
    assert_true(json_number(json, "elastic_energy") >= 0.0 && json_number(json, "dissipated_power") >= 0.0);
    assert_true(isfinite(json_number(json, "external_power")));
    const cJSON* momentum = cJSON_GetObjectItem(json, "momentum");
    assert_int_equal(cJSON_GetArraySize(momentum), 3);
    assert_true(cJSON_GetArrayItem(momentum, 0)->valuedouble == 0.0);
    static const char* const texts[] = {"backend", "device", "reason", "response", "source"};
    for (int i = 0; i < 5; ++i)
        assert_true(strlen(json_text(json, texts[i])) > 0);
    assert_true(json_number(cJSON_GetObjectItem(json, "time_ms"), "total") >= 0.0);
    // What goes in comes out, and the digest is that of the rows.
    tact_npy_table in, out;
    tact_problem problem = {0};
    assert_true(tact_npy_read("clip_rows.npy", TACT_NPY_FLOAT32, 7, &in, &problem));
    assert_true(tact_npy_read("clip_out.npy", TACT_NPY_FLOAT32, 7, &out, &problem));
    assert_int_equal(out.rows, 3);
    assert_memory_equal(in.data, out.data, 84);
    assert_string_equal(tact_digest_of(out.data, 84).text, json_text(json, "digest"));
    free(in.data);
    free(out.data);
}

TEST(clumps_are_poured)
{
    static const char* const shapes[] = {"pair", "tetra", "rod:5", "clip_cube.obj:7"};
    static const double spheres[] = {2, 4, 5, 7};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        char arguments[200];
        snprintf(arguments, sizeof arguments,
                 "--random 30 --clump %s --steps 20 --restitution 0.2 --backend cpu --shadow --save clip_clumps.run",
                 shapes[i]);
        cJSON* json = json_of(arguments);
        assert_string_equal(json_text(json, "response"), "grains");
        assert_true(json_number(json, "clumps") == 30.0 && json_number(json, "particles") == 30.0 * spheres[i]);
        assert_true(json_number(json, "rotational_energy") > 0.0 && json_number(json, "contacts") > 0.0);
        // Saved and resumed they are the same.
        cJSON* again = json_of("--resume clip_clumps.run --steps 20");
        assert_true(json_number(again, "clumps") == 30.0);
        assert_string_equal(json_text(json, "digest"), json_text(again, "digest"));
    }
}

TEST(grains_turn_and_go_on_from_files)
{
    enum { COLUMNS = 13 };
    cJSON* json = json_of(
        "--random 60 --law linear --history --rolling 0.1 --cohesion 0.5 --steps 40 --backend cpu --shadow "
        "--out clip_grains.npy --save clip_grains.run");
    assert_string_equal(json_text(json, "response"), "grains");
    assert_true(json_number(json, "rotational_energy") > 0.0 && json_number(json, "contacts") > 20.0);
    // What a file has goes in, and comes out: all but the last bits of orientations.
    json_of("--load clip_grains.npy --law hertz --steps 0 --backend cpu --out clip_again.npy");
    tact_npy_table first, again;
    tact_problem problem = {0};
    assert_true(tact_npy_read("clip_grains.npy", TACT_NPY_FLOAT32, COLUMNS, &first, &problem));
    assert_true(tact_npy_read("clip_again.npy", TACT_NPY_FLOAT32, COLUMNS, &again, &problem));
    assert_int_equal(first.rows, 60);
    assert_int_equal(again.rows, 60);
    const float *a = first.data, *b = again.data;
    float turned = 0.0f;
    for (size_t i = 0; i < COLUMNS * first.rows; ++i) {
        const bool orientation = i % COLUMNS >= 7 && i % COLUMNS < 10;
        turned += orientation ? fabsf(a[i]) : 0.0f;
        assert_true(orientation ? fabsf(a[i] - b[i]) < 1e-6f : a[i] == b[i]);
    }
    assert_true(turned > 1.0f);
    free(first.data);
    free(again.data);
    // A run in two parts is a run in one.
    cJSON* whole = json_of("--random 60 --law linear --history --rolling 0.1 --cohesion 0.5 --steps 60 --backend cpu");
    cJSON* parts = json_of("--resume clip_grains.run --steps 60 --backend cpu");
    assert_string_equal(json_text(parts, "digest"), json_text(whole, "digest"));
    // A program is kept with a run, and its numbers may be others from then on.
    json_of(
        "--random 60 --force 'fx = -k*m*vx; ty = t' --set k=2 --law linear --steps 5 --backend cpu --save "
        "clip_grains.run");
    cJSON* pushed =
        json_of("--random 60 --force 'fx = -k*m*vx; ty = t' --set k=2 --law linear --steps 9 --backend cpu");
    cJSON* resumed = json_of("--resume clip_grains.run --steps 9 --backend cpu");
    cJSON* other = json_of("--resume clip_grains.run --steps 9 --backend cpu --set k=3");
    assert_string_equal(json_text(pushed, "digest"), json_text(resumed, "digest"));
    assert_string_not_equal(json_text(pushed, "digest"), json_text(other, "digest"));
    assert_true(json_number(pushed, "unforced") == 0.0);
    // What turns is not dropped.
    tool_outcome springs = particles("--load clip_grains.npy --steps 1");
    assert_true(springs.code == 2 && strstr(springs.err, "for --response grains"));
}

TEST(particles_collide_and_keep_their_momentum)
{
    cJSON* json = json_of("--load clip_rows.npy --steps 180 --backend cpu --restitution 1 --friction 0");
    const cJSON* momentum = cJSON_GetObjectItem(json, "momentum");
    assert_true(fabs(cJSON_GetArrayItem(momentum, 0)->valuedouble) < 0.05);
    assert_true(fabs(json_number(json, "kinetic_energy") - 523.5988) < 5.0);
    assert_true(fabs(json_number(json, "time") - 3.0) < 1e-5);
    json = json_of("--load clip_still.npy --steps 5 --contacts clip_contacts.npy --response none");
    assert_true(json_number(json, "contacts") == 1.0 && json_number(json, "kinetic_energy") == 0.0);
    char* contacts = tool_text("clip_contacts.npy");
    assert_non_null(strstr(contacts + 10, "('depth', '<f4')"));
    json = json_of("--load clip_none.npy --steps 5 --image clip_none.png --size 64x48");
    assert_true(json_number(json, "particles") == 0.0 && json_number(json, "contacts") == 0.0);
}

TEST(one_digest_for_all_numbers_of_threads_and_backends)
{
    static const char* const ways[] = {"spring", "position", "none", "grains --law hertz --history --rolling 0.1"};
    for (int i = 0; i < 4; ++i) {
        char digest[17], arguments[512];
        snprintf(arguments, sizeof arguments, "--random 200 --radii 0.2:0.5 --steps 6 --response %s --substeps 40 %s",
                 ways[i], "--mesh clip_cube.obj --seed 3 --backend");
        static const char* const backends[] = {"reference", "cpu", "cpu --threads 1", "cpu --repeat 1", "gl", "cl"};
        for (int b = 0; b < 6; ++b) {
            char all[640];
            snprintf(all, sizeof all, "%s %s%s%s", arguments, backends[b], b ? " --expect " : "", b ? digest : "");
            if (b == 0) digest_of(all, digest);
            const int code = b ? run(all) : 0;
            if (code != 0 && code != 3) fail_msg("tact particles %s: exit %d", all, code);
        }
    }
    assert_int_equal(run("--random 20 --steps 1 --backend cpu --expect 0123456789abcdef"), 1);
}

TEST(shadows_are_equal)
{
    static const char* const what[] = {"--random 60 --mesh clip_cube.obj --steps 5 --frames clip_frames --size 64x48",
                                       "--load clip_still.npy --steps 4 --response position --repeat 1",
                                       "--load clip_still.npy --steps 0", "--load clip_none.npy --steps 2"};
    static const char* const backends[] = {"cpu", "gl", "cl", "auto", "reference"};
    for (size_t i = 0; i < sizeof what / sizeof *what; ++i) {
        for (size_t b = 0; b < sizeof backends / sizeof *backends; ++b) {
            char arguments[256];
            snprintf(arguments, sizeof arguments, "particles %s --backend %s --shadow --json --quiet", what[i],
                     backends[b]);
            tool_outcome o = tool_run(arguments);
            if (!tool_misses(&o) || b == 0 || b > 2) {
                tool_expect(arguments, &o, 0);
                cJSON* json = tool_json(arguments, &o);
                assert_string_equal(json_text(json, "shadow"), "equal");
                // The reference is not compared with itself.
                if (b < 4) assert_non_null(strstr(json_text(json, "reason"), "shadow: equal"));
            }
        }
    }
    cJSON* json = json_of("--load clip_still.npy --steps 1 --backend cpu");
    assert_null(cJSON_GetObjectItem(json, "shadow"));
}

TEST(pictures_are_png_files)
{
    cJSON* json = json_of(
        "--random 100 --steps 4 --every 2 --frames clip_frames --backend cpu --mesh clip_cube.obj "
        "--size 80x60 --color speed");
    assert_true(json_number(json, "pictures") == 3.0);
    for (int i = 0; i < 3; ++i) {
        char path[64];
        snprintf(path, sizeof path, "clip_frames/frame_%05d.png", i);
        char* png = tool_text(path);
        assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
    }
}

/// A number of what a scene says of itself.
static double scene_number(const char* arguments, const char* key)
{
    const cJSON* scene = cJSON_GetObjectItem(json_of(arguments), "scene");
    assert_non_null(scene);
    return json_number(scene, key);
}

TEST(scenes_of_the_field_say_what_they_are_about)
{
    const double angle =
        scene_number("--scene drum --random 150 --lifters 3 --speed 0.5 --steps 900 --stiffness 1e7", "dynamic_angle");
    assert_true(angle > 5.0 && angle < 60.0);
    const char* const silo = "--scene silo --random 300 --orifice 4 --stiffness 1e7 --steps 1200";
    const double out = scene_number(silo, "discharged");
    assert_true(out > 20.0 && out <= 300.0);
    assert_true(scene_number(silo, "discharge_rate") > 0.5 && scene_number(silo, "discharge_rate") < 50.0);
    assert_true(json_number(json_of(silo), "particles") == 300.0 - out);
    const char* const still = "--scene chute --random 150 --angle 3 --stiffness 1e7";
    assert_string_equal(json_text(cJSON_GetObjectItem(json_of(still), "scene"), "state"), "stopped");
    assert_true(fabs(scene_number(still, "flow_speed")) < 1e-3);
    const char* const steep = "--scene chute --random 150 --angle 40 --stiffness 1e7 --steps 2600";
    assert_string_equal(json_text(cJSON_GetObjectItem(json_of(steep), "scene"), "state"), "accelerating");
    const double heap = scene_number("--scene repose --random 150 --stiffness 1e7", "angle_of_repose");
    assert_true(heap > 8.0 && heap < 45.0);
    const double depth = scene_number("--scene impact --random 150 --stiffness 1e7", "depth");
    assert_true(depth > 0.05 && depth < 5.0);
}

TEST(a_scene_has_pictures_and_the_same_digest_with_more_threads)
{
    const char* const drum = "--scene drum --random 150 --steps 60 --stiffness 1e7 --backend cpu";
    char arguments[256], digest[17];
    snprintf(arguments, sizeof arguments, "%s --threads 1 --image clip_drum.png --size 80x60 --out clip_drum.npy",
             drum);
    digest_of(arguments, digest);
    char* png = tool_text("clip_drum.png");
    assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
    snprintf(arguments, sizeof arguments, "%s --threads 3 --expect %s", drum, digest);
    assert_int_equal(particles(arguments).code, 0);
    snprintf(arguments, sizeof arguments, "particles %s", drum);
    tool_one_digest(arguments, "--quiet");
}

TEST(scenes_refuse_what_they_have_not)
{
    tool_refuses("particles --scene mill", "--scene");
    tool_refuses("particles --scene silo --domain box", "--domain: --scene silo has its own");
    tool_refuses("particles --scene silo --gravity 0,0,0", "--gravity: --scene silo has its own");
    tool_refuses("particles --scene silo --response spring --angle 3", "--scene silo");
    tool_refuses("particles --scene drum --response position", "is of grains");
    tool_refuses("particles --scene drum --orifice 3", "--orifice: not with --scene drum");
    tool_refuses("particles --scene silo --orifice 0", "must be above 0");
    tool_refuses("particles --scene silo --orifice nan", "finite");
    tool_refuses("particles --scene silo --orifice 100", "wider than");
    tool_refuses("particles --scene silo --random 1", "wider than");
    tool_refuses("particles --scene chute --angle 90", "below 90");
    tool_refuses("particles --scene chute --load clip_rows.npy", "one of them");
    tool_refuses("particles --random 5 --steps 1 --drop 3", "needs --scene impact");
}

TEST(a_resumed_run_ends_as_one_that_was_not_interrupted)
{
    const char* const what = "--random 150 --mesh clip_cube.obj --backend cpu";
    char arguments[512], whole[17], resumed[17];
    snprintf(arguments, sizeof arguments, "%s --steps 30", what);
    digest_of(arguments, whole);
    snprintf(arguments, sizeof arguments, "%s --steps 11 --save clip.run", what);
    digest_of(arguments, resumed);
    assert_string_not_equal(whole, resumed);
    digest_of("--resume clip.run --steps 20 --save clip.run --backend cpu --threads 1", resumed);
    digest_of("--resume clip.run --steps 30 --backend cpu --mesh clip_cube.obj --image clip.png --size 64x48", resumed);
    assert_string_equal(whole, resumed);
    // Steps that are done already are not done again.
    cJSON* json = json_of("--resume clip.run --steps 5 --backend cpu");
    assert_true(json_number(json, "steps") == 20.0 && json_number(json, "steps_done") == 0.0);
}

/// Starts the run anew or from its file, and kills it after a while.
static void run_and_kill(const char* file, const char* fresh, long milliseconds)
{
    const bool there = access(file, R_OK) == 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(99);
        const char* from[2] = {there ? "--resume" : "--random", there ? file : fresh};
        execl(TACT_PROGRAM, "tact", "particles", from[0], from[1], "--steps", "100000000", "--save", file,
              "--save-every", "1", "--backend", "cpu", "--threads", "1", (char*)NULL);
        _exit(99);
    }
    const struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&pause, NULL);
    kill(child, SIGKILL);
    int status = 0;
    assert_true(waitpid(child, &status, 0) == child);
    if (!WIFSIGNALED(status)) fail_msg("the run ended by itself with %d", WEXITSTATUS(status));
    // What it may have been writing.
    char temporary[128];
    snprintf(temporary, sizeof temporary, "%s.%ld.tmp", file, (long)child);
    remove(temporary);
}

TEST(a_run_that_is_killed_again_and_again_loses_nothing)
{
    remove("clip_killed.run");
    double before = -1.0;
    for (long i = 0; i < 25; ++i) {
        run_and_kill("clip_killed.run", "3000", 60 + 37 * (i % 7));
        if (access("clip_killed.run", R_OK) != 0) continue;
        // Whole, and no earlier than before.
        cJSON* json = json_of("--resume clip_killed.run --steps 0 --backend cpu");
        assert_true(json_number(json, "steps") >= before);
        before = json_number(json, "steps");
    }
    if (before < 1.0) skip_because("the machine is too busy to do a step");
    char arguments[128], digest[17], resumed[17];
    snprintf(arguments, sizeof arguments, "--random 3000 --steps %.0f --backend cpu", before);
    digest_of(arguments, digest);
    digest_of("--resume clip_killed.run --steps 0 --backend cpu", resumed);
    assert_string_equal(digest, resumed);
}

TEST(a_window_without_a_display_is_exit_code_3)
{
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    tool_outcome o = particles("--random 10 --window --window-frames 1 --backend cpu");
    assert_int_equal(o.code, 3);
    assert_non_null(strstr(o.err, "--window: "));
}

TEST(a_window_shows_particles)
{
    if (system("command -v xvfb-run >/dev/null 2>&1") != 0) skip_because("no xvfb-run");
    remove("clip_window.png");
    const int status = system("xvfb-run -a '" TACT_PROGRAM
                              "' particles --random 50 --mesh clip_cube.obj --backend cpu --window --window-frames 4 "
                              "--size 160x120 --image clip_window.png --json >clip_out.txt 2>clip_err.txt");
    if (WEXITSTATUS(status) == 3) {
        miss_device(TACT_BACKEND_GL, "the tool was built without GLFW, or there is no OpenGL 4.3");
        skip_because("the device is missing");
    }
    assert_int_equal(WEXITSTATUS(status), 0);
    char *png = tool_text("clip_window.png"), *out = tool_text("clip_out.txt");
    assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
    cJSON* json = cJSON_Parse(out);
    assert_true(json_number(json, "steps") == 3.0);
    cJSON_Delete(json);
}

/// Sends a run the signal once a file is there; the status.
static int stop_when(const char* file, int signal, const char* arguments)
{
    char all[1024];
    snprintf(all, sizeof all, "particles %s", arguments);
    return tool_stops(all, file, signal, false).code;
}

/// The line that standard error says goes on, run to its end.
static cJSON* go_on(const char* file)
{
    const char* err = tool_text("clip_err.txt");
    const char* line = strstr(err, "\n  tact particles --resume ");
    if (!line || !strstr(err, file)) fail_msg("%s", err);
    char arguments[1024];
    line += strlen("\n  tact particles ");
    snprintf(arguments, sizeof arguments, "%.*s", (int)strcspn(line, "\n"), line);
    return json_of(arguments);
}

TEST(a_run_that_is_stopped_is_saved_and_goes_on_to_the_same_end)
{
    assert_int_equal(system("rm -rf clip_stop && mkdir clip_stop"), 0);
    static const char* const kinds[] = {"", "--response position --substeps 2", "--response grains --history"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        char unbroken[17], arguments[512];
        snprintf(arguments, sizeof arguments, "--random 2000 --steps 300 --backend cpu --seed 3 %s", kinds[i]);
        digest_of(arguments, unbroken);
        // Where it is saved anyway, in the middle of a call of many steps.
        snprintf(
            arguments, sizeof arguments,
            "--random 2000 --steps 300 --backend cpu --seed 3 %s --save 'clip_stop/a run' --save-every 2 --threads 2",
            kinds[i]);
        assert_int_equal(stop_when("clip_stop/a run", SIGINT, arguments), 130);
        const cJSON* json = go_on("clip_stop/a run");
        assert_string_equal(json_text(json, "digest"), unbroken);
        assert_true(json_number(json, "steps") == 300.0 && json_number(json, "steps_done") < 299.0);
        // No file is there half written.
        assert_int_equal(system("test \"$(ls -A clip_stop)\" = 'a run'"), 0);
    }
}

TEST(a_run_that_is_stopped_has_a_file_of_its_own)
{
    char unbroken[17];
    assert_int_equal(system("rm -rf particles-stopped*.run clip_stop_frames"), 0);
    digest_of("--random 500 --steps 600 --backend cpu", unbroken);
    static const char arguments[] = "--random 500 --steps 600 --backend cpu --vtk clip_stop_frames --every 2 --json";
    assert_int_equal(stop_when("clip_stop_frames/particles_00001.vtp", SIGTERM, arguments), 143);
    // The failure is JSON too.
    const tool_outcome o = {143, tool_text("clip_out.txt"), tool_text("clip_err.txt")};
    const cJSON* error = cJSON_GetObjectItem(tool_json(arguments, &o), "error");
    assert_true(json_number(error, "exit_status") == 143.0);
    assert_string_equal(json_text(error, "result"), "TACT_ERROR_CANCELLED");
    assert_non_null(strstr(tool_text("clip_stop_frames/run.pvd"), "particles_00001.vtp"));
    assert_string_equal(json_text(go_on("particles-stopped.run"), "digest"), unbroken);
    assert_non_null(strstr(tool_text("clip_stop_frames/run.pvd"), "particles_00300.vtp"));
    // The next one takes another name.
    assert_int_equal(stop_when("clip_stop_frames/particles_00002.vtp", SIGINT, arguments), 130);
    assert_non_null(strstr(tool_text("clip_err.txt"), "particles-stopped-2.run"));
}

/// Compares the end of a scene that was stopped when a file was there with that of one that was not.
static void check_stopped_scene(const char* options, const char* file)
{
    char arguments[512];
    snprintf(arguments, sizeof arguments, "%s --backend cpu --threads 2", options);
    const cJSON* whole = json_of(arguments);
    snprintf(arguments, sizeof arguments,
             "%s --backend cpu --threads 2 --save clip_scene.run --save-every 1 --npy clip_scene "
             "--every 40",
             options);
    assert_int_equal(system("rm -rf clip_scene clip_scene.run"), 0);
    assert_int_equal(stop_when(file, SIGTERM, arguments), 143);
    const cJSON* rest = go_on("clip_scene.run");
    assert_string_equal(json_text(rest, "digest"), json_text(whole, "digest"));
    assert_true(json_number(rest, "steps") == json_number(whole, "steps") &&
                json_number(rest, "steps_done") < json_number(whole, "steps"));
    // What was measured before counts too.
    char* measured[2] = {cJSON_Print(cJSON_GetObjectItem(whole, "scene")),
                         cJSON_Print(cJSON_GetObjectItem(rest, "scene"))};
    assert_string_equal(measured[0], measured[1]);
    free(measured[0]);
    free(measured[1]);
}

TEST(a_scene_that_is_stopped_goes_on_to_the_same_end)
{
    // Before anything happens in it, and in the midst.
    check_stopped_scene("--scene silo --random 300 --orifice 4 --stiffness 1e7", "clip_scene/particles_00001.npy");
    check_stopped_scene("--scene silo --random 300 --orifice 4 --stiffness 1e7", "clip_scene/particles_00018.npy");
    check_stopped_scene("--scene repose --random 150 --stiffness 1e7", "clip_scene/particles_00020.npy");
    check_stopped_scene("--scene impact --random 300 --stiffness 1e7", "clip_scene/particles_00021.npy");
    check_stopped_scene("--scene drum --random 150 --steps 600 --stiffness 1e7 --speed 2",
                        "clip_scene/particles_00005.npy");
}

TEST(a_saved_scene_that_is_damaged_is_refused)
{
    digest_of("--scene drum --random 150 --steps 5 --stiffness 1e7 --backend cpu --save clip_drum.run", (char[17]){0});
    void* bytes = NULL;
    size_t size = 0;
    tact_problem problem = {0};
    assert_true(tact_file_read("clip_drum.run", &bytes, &size, &problem));
    unsigned char* file = bytes;
    static const struct {
        size_t at;
        const char* says;
    } places[] = {{0, "byte 0: not a saved run"},
                  {9, "byte 8: the head is damaged"},
                  {95, "byte 88: the scene is to have"},
                  {97, "byte 104: the scene is damaged"},
                  {110, "byte 104: the scene is damaged"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        file[places[i].at] ^= 0x40;
        write_file("clip_damaged.run", bytes, size);
        file[places[i].at] ^= 0x40;
        tool_refuses("particles --resume clip_damaged.run", places[i].says);
    }
    write_file("clip_damaged.run", bytes, 100);
    tool_refuses("particles --resume clip_damaged.run", "byte 100: the file ends inside its head");
    free(bytes);
    // A run without a scene does not say when it ends.
    digest_of("--random 50 --steps 2 --backend cpu --save clip_pour.run", (char[17]){0});
    tool_refuses("particles --resume clip_pour.run", "--steps K is needed");
}

TEST(repeated_runs_that_are_stopped_are_not_saved)
{
    assert_int_equal(system("rm -rf particles-stopped*.run"), 0);
    const char arguments[] = "particles --random 20000 --steps 60 --repeat 100 --backend cpu";
    const tool_outcome o = tool_stops(arguments, NULL, SIGINT, false);
    tool_expect(arguments, &o, 130);
    assert_non_null(strstr(o.err, "tact particles: stopped by signal 2, in run "));
    assert_true(system("ls particles-stopped*.run >/dev/null 2>&1") != 0);
}

#include TEST_LIST
RUN_ALL(make_files, NULL)
