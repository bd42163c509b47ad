// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// JSON that the tool prints: helpers on top of cJSON.

#include <cJSON.h>
#include <stdint.h>

#include "apps/problem.h"
#include "apps/timing.h"

/// Numbers that JSON cannot write (infinite, NaN) become null.
void tact_json_number(cJSON* object, const char* key, double value);
/// A time, to six digits: what is beyond them is noise.
void tact_json_time(cJSON* object, const char* key, double milliseconds);
void tact_json_count(cJSON* object, const char* key, uint64_t value);
void tact_json_text(cJSON* object, const char* key, const char* value);
void tact_json_truth(cJSON* object, const char* key, bool value);
cJSON* tact_json_object(cJSON* object, const char* key);
cJSON* tact_json_array(cJSON* object, const char* key);
/// A new object at the end of an array.
cJSON* tact_json_append(cJSON* array);

/// An object of median, min and max.
void tact_json_spread(cJSON* object, const char* key, const tact_spread* spread);

/// What a device was given, as the object `counts`.
void tact_json_counts(cJSON* object, const tact_device_counts* counts);

/// The keys that every query command gives. `results` counts what the query found.
void tact_json_query(cJSON* object, const char* command, const tact_query_report* report, uint64_t count,
                     uint64_t results, const char* digest);

/// Prints it to standard output with a line end. False when that fails. Signals are noted from then on, so that the
/// object is whole.
bool tact_json_print(const cJSON* object, tact_problem* problem);

/// Prints a failure as an object of its own, unless an object was printed before: there is one at most.
void tact_json_print_problem(const char* command, const tact_problem* problem);

/// The text of that object, to be freed by cJSON_free(); NULL: out of memory.
char* tact_json_problem_text(const char* command, const tact_problem* problem);

/// Writes it to a file, whole or not at all.
bool tact_json_write(const char* path, const cJSON* object, tact_problem* problem);
