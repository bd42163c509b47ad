// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the queries' parts of `tact verify` share: who is compared with the reference, and the rows of the report. Each
/// query is a file of its own in this folder.

#include "apps/bench/suite.h"
#include "apps/inputs/model.h"
#include "apps/inputs/rays.h"
#include "apps/json_out.h"
#include "apps/session.h"
#include "apps/text.h"
#include "apps/timing.h"
#include "tact/pairs.h"
#include "tact/pick.h"

/// Who is compared with the reference. The CPU comes twice: the number of threads must not matter.
typedef struct tact_verify_device {
    const char* label;
    tact_backend backend;
    int threads;  ///< 0: the context's
    char device[128];
    char missing[512];  ///< why it is skipped; empty when it takes part
    uint64_t checks, differing_checks, failed_checks;
} tact_verify_device;

enum { TACT_VERIFY_DEVICES = 4 };

typedef struct tact_verify_run {
    tact_common_options common;
    bool quick;
    tact_text_list meshes;
    const char* scene;  ///< only scenes with this in their name; NULL: all
    int query;          ///< 0: all; else 1 + the query's place
    tact_session session;
    tact_verify_device devices[TACT_VERIFY_DEVICES];
    tact_table table;
    cJSON* root;
    cJSON* rows;
    cJSON* differences;
    tact_progress progress;
    uint64_t checks, differing, failed;
    uint64_t done;       ///< queries of which all was checked
    bool stopped;        ///< by a signal
    char first[1024];    ///< the first difference of all, for people
    const char* report;  ///< a file to attach to a bug; NULL: none
    const char* model;   ///< a file that describes the device that OpenCL's is taken for; NULL: none
    bool recorded;       ///< beside it are the queries that led to the first difference
} tact_verify_run;

/// What a row says it is about.
typedef struct tact_verify_row {
    const char* query;  ///< "raycast", "pairs", "particles", "overlap", "filter", "image", "pick", "near", "scene"
    const char* scene;
    const char* set;  ///< the column and key `rays`: which of the scene's inputs
    const char* mode;
    size_t count;
} tact_verify_row;

/// A query of the suite, or one like it, that is asked of all, and how a difference is told.
typedef struct tact_verify_case {
    tact_verify_row row;
    const tact_suite_query* query;  ///< its `ask` and `answer`; `choose` gets the device's place, of the reference
                                    ///< TACT_VERIFY_DEVICES
    void* own;
    tact_backend definition;  ///< AUTO: the reference
    /// What is expected, from malloc, for the next case too; without items it is found first. NULL: found each time.
    tact_suite_answer* known;
    bool first_defines;   ///< the first device's answer is what is expected: the reference would take too long
    const char* failure;  ///< why the last ask failed; NULL or empty: the library says
    bool lenient;         ///< what a device does not have is skipped; else it has failed
    const void* inputs;   ///< one for each item of an answer; NULL: none to be told
    size_t input_bytes;   ///< of one
    /// Whether a device is asked; NULL: all are.
    bool (*asks)(const struct tact_verify_case* c, const tact_verify_device* who);
    /// How many items differ, and the first; NULL: those that have not the same bytes at the same place.
    uint64_t (*compare)(const tact_suite_answer answers[2], size_t* first);
    /// Tells item `at` of an answer. NULL: its words.
    void (*describe)(const struct tact_verify_case* c, const tact_suite_answer* answer, size_t at, char* text,
                     size_t size);
    /// Tells the input of item `at`, the first that differs between the expected answer and another. NULL: its words.
    void (*input)(const struct tact_verify_case* c, const tact_suite_answer answers[2], size_t at, char* text,
                  size_t size);
} tact_verify_case;

/// Asks the reference, then all devices, and notes what differs.
bool tact_verify_check(tact_verify_run* run, const tact_verify_case* c, tact_problem* problem);

/// Frees what is known.
void tact_verify_forget(tact_suite_answer* known);

/// Opens a query, by its name in the suite, for the inputs, and checks it.
bool tact_verify_suite(tact_verify_run* run, const char* query, tact_suite_input* input, tact_verify_case* c,
                       tact_problem* problem);

/// An item in hexadecimal words.
void tact_verify_words(const void* item, size_t bytes, char* text, size_t size);

/// Whether a signal is to stop it; else a problem, which says no more than that.
bool tact_verify_goes_on(tact_problem* problem);

/// Whether the command's options want this contestant, and this scene.
bool tact_verify_wants(const tact_verify_run* run, const tact_verify_device* who);
bool tact_verify_wants_scene(const tact_verify_run* run, const char* name);

/// Calls a function for each generated scene (apps/inputs/scenes.h) that the options want, with its model and the
/// number of its rays, or whatever it is asked, until one says false.
typedef bool tact_verify_scene_fn(tact_verify_run* run, const char* name, const tact_model* model, uint64_t count,
                                  tact_problem* problem);
bool tact_verify_scenes(tact_verify_run* run, tact_verify_scene_fn* verify, tact_problem* problem);

/// Notes that a contestant takes no part, or that it failed, with the reason.
void tact_verify_skip(tact_verify_run* run, const tact_verify_row* row, const tact_verify_device* who,
                      const char* reason);
void tact_verify_fail(tact_verify_run* run, const tact_verify_row* row, tact_verify_device* who, const char* detail);

/// Notes an error of the library: what this program or the device lacks is skipped, whatever else goes wrong has
/// failed.
void tact_verify_error(tact_verify_run* run, const tact_verify_row* row, tact_verify_device* who, tact_result result);

/// Notes an answer, of which `differing` items are not as expected.
void tact_verify_answer(tact_verify_run* run, const tact_verify_row* row, tact_verify_device* who, const char* digest,
                        uint64_t differing);

/// The same where for `undecided` items nobody knows what is right: they are told of, and are not among `differing`.
void tact_verify_answer_but(tact_verify_run* run, const tact_verify_row* row, tact_verify_device* who,
                            const char* digest, uint64_t differing, uint64_t undecided);

/// Describes the first difference of a row, item `index`.
void tact_verify_difference(tact_verify_run* run, const tact_verify_row* row, const tact_verify_device* who,
                            size_t index, uint64_t differing, const char* item, const char* expected, const char* got);

/// The queries. A problem is what keeps one from comparing at all.
bool tact_verify_raycast(tact_verify_run* run, tact_problem* problem);
bool tact_verify_scene(tact_verify_run* run, tact_problem* problem);
bool tact_verify_near(tact_verify_run* run, tact_problem* problem);
bool tact_verify_pairs(tact_verify_run* run, tact_problem* problem);
bool tact_verify_particles(tact_verify_run* run, tact_problem* problem);
bool tact_verify_overlap(tact_verify_run* run, tact_problem* problem);
bool tact_verify_filter(tact_verify_run* run, tact_problem* problem);
bool tact_verify_images(tact_verify_run* run, tact_problem* problem);
bool tact_verify_picks(tact_verify_run* run, tact_problem* problem);
bool tact_verify_contacts(tact_verify_run* run, tact_problem* problem);

// Whether a pixel that was drawn may differ from the ray through its centre. A rasteriser puts corners on a grid of
// parts of a pixel (OpenGL promises 1/16, devices have 1/256) and has a depth of its own rounding; nothing else may
// make it differ.

/// How far from what the ray meets an image may be.
typedef struct tact_pick_slack {
    double pixels;  ///< how far an edge may be moved
    double depth;   ///< and a surface
} tact_pick_slack;

/// For a scene in this box. Floats are coarser where that is far from the origin.
tact_pick_slack tact_pick_slack_of(const tact_pick_view* view, const tact_bounds* bounds);

/// `ray` and `drawn` are the corners in the world of what the ray meets and what the pixel shows, NULL for nothing;
/// they are not the same triangle. True when
/// - what is drawn covers the pixel's centre but for the slack;
/// - what the ray meets could have been missed, its edge or a plane that bounds the view being within the slack of it,
///   or could have been behind;
/// - what is drawn could have been missed by the ray, likewise, or could be in front.
bool tact_pick_explained(const tact_pick_view* view, tact_pick_slack slack, int32_t x, int32_t y,
                         const double ray[3][3], const double drawn[3][3]);

/// Whether a triangle may be seen at this depth in a pixel that shows it.
bool tact_pick_depth_explained(const tact_pick_view* view, tact_pick_slack slack, int32_t x, int32_t y,
                               const double corners[3][3], double depth);

// What changed between two sorted lists of pairs, by going through both: what the tracker of the library must say.

typedef struct tact_pair_changes {
    uint64_t begun, ended, kept;
} tact_pair_changes;

/// `lists` NULL, or where the begun, the ended and the kept go: room for as many as the lists have.
tact_pair_changes tact_pair_changes_of(const tact_pair* before, size_t before_count, const tact_pair* now,
                                       size_t now_count, tact_pair* const lists[3]);
